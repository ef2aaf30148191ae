// SPDX-License-Identifier: MIT
//
// demand.hpp: Demand, the number of elements that a dequeue requests.

#ifndef FOREBAY_ENGINE_DEMAND_HPP
#define FOREBAY_ENGINE_DEMAND_HPP

#include <cstddef>

#include "forebay/base/arithmetic.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// The request of a call: at least `least` elements while more may arrive, at least `least_at_end` after that, and at
/// most `most`.
struct Demand {
  std::size_t least = 1;
  std::size_t most = 1;
  std::size_t least_at_end = 1;

  /// Exactly `count` elements, or none.
  [[nodiscard]] static constexpr Demand exactly(std::size_t count) noexcept { return {count, count, count}; }

  /// `count` elements; fewer only at the end.
  [[nodiscard]] static constexpr Demand up_to(std::size_t count) noexcept { return {count, count, 1}; }

  /// The available elements, at least one.
  [[nodiscard]] static constexpr Demand available(std::size_t count) noexcept {
    return {smaller<std::size_t>(count, 1), count, 1};
  }

  /// Returns how many of `available` elements to take if no more can arrive.
  [[nodiscard]] std::size_t share_at_end(std::size_t available) const noexcept {
    return available < least_at_end ? 0 : smaller(available, most);
  }
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_ENGINE_DEMAND_HPP
