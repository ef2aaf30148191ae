// SPDX-License-Identifier: MIT
//
// hash.hpp: counter-based random numbers: the numbers drawn for an element depend only on the seed, the stage and
// the position of the element.

#ifndef FOREBAY_BASE_HASH_HPP
#define FOREBAY_BASE_HASH_HPP

#include <cstdint>

#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// The output function of SplitMix64, and the increment of its state.
inline constexpr std::uint64_t mixed_step = 0x9e3779b97f4a7c15;
[[nodiscard]] constexpr std::uint64_t splitmix64(std::uint64_t z) noexcept {
  z += mixed_step;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

/// Mixes two numbers into one, each bit of which depends on all bits of both.
[[nodiscard]] constexpr std::uint64_t hash_combine(std::uint64_t a, std::uint64_t b) noexcept {
  return splitmix64(splitmix64(a) ^ b);
}

/// Mixes any number of them, in order.
template <class... Rest>
[[nodiscard]] constexpr std::uint64_t hash_combine(std::uint64_t a, std::uint64_t b, std::uint64_t c,
                                                   Rest... rest) noexcept {
  return hash_combine(hash_combine(a, b), c, rest...);
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_BASE_HASH_HPP
