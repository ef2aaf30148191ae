// SPDX-License-Identifier: MIT
//
// address.hpp: random numbers by address, not in a stream: what is drawn for an element depends on nothing but the
// seed, the stage and the element's position.

#ifndef FOREBAY_BASE_ADDRESS_HPP
#define FOREBAY_BASE_ADDRESS_HPP

#include <cstdint>

#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// What SplitMix64 makes of its state in a step, and what it adds to that.
inline constexpr std::uint64_t mixed_step = 0x9e3779b97f4a7c15;
[[nodiscard]] constexpr std::uint64_t mixed(std::uint64_t z) noexcept {
  z += mixed_step;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

/// Joins two numbers to one in which every bit depends on all of theirs.
[[nodiscard]] constexpr std::uint64_t joined(std::uint64_t a, std::uint64_t b) noexcept { return mixed(mixed(a) ^ b); }

/// Joins any number of them, in their order.
template <class... Rest>
[[nodiscard]] constexpr std::uint64_t joined(std::uint64_t a, std::uint64_t b, std::uint64_t c,
                                             Rest... rest) noexcept {
  return joined(joined(a, b), c, rest...);
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_BASE_ADDRESS_HPP
