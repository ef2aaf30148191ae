// SPDX-License-Identifier: MIT
//
// demand.hpp: how many elements a dequeue asks for.

#ifndef FOREBAY_ENGINE_DEMAND_HPP
#define FOREBAY_ENGINE_DEMAND_HPP

#include <cstddef>

#include "forebay/base/arithmetic.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// What a call asks for: `least` elements while more may come, `least_at_end` when no more can, never more than
/// `most`.
struct Demand {
  std::size_t least = 1;
  std::size_t most = 1;
  std::size_t least_at_end = 1;

  /// All of them, or none.
  [[nodiscard]] static constexpr Demand exactly(std::size_t count) noexcept { return {count, count, count}; }

  /// All of them, or what is left at the end.
  [[nodiscard]] static constexpr Demand up_to(std::size_t count) noexcept { return {count, count, 1}; }

  /// What is there, and not nothing.
  [[nodiscard]] static constexpr Demand available(std::size_t count) noexcept {
    return {smaller<std::size_t>(count, 1), count, 1};
  }

  /// How many of `available` elements it takes when no more can come.
  [[nodiscard]] std::size_t share_at_end(std::size_t available) const noexcept {
    return available < least_at_end ? 0 : smaller(available, most);
  }
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_ENGINE_DEMAND_HPP
