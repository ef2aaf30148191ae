// SPDX-License-Identifier: MIT
//
// dimension.hpp: one dimension of the shape that elements are to have: fixed at an extent, or variable.

#ifndef FOREBAY_DIMENSION_HPP
#define FOREBAY_DIMENSION_HPP

#include <concepts>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>

#include "forebay/base/reject.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI {

/// Made implicitly from any integer, or from std::nullopt, which is what TensorFlow spells None: any extent will do.
class Dimension {
 public:
  constexpr Dimension() noexcept = default;
  constexpr Dimension(std::nullopt_t) noexcept {}

  /// Throws std::invalid_argument unless 0 <= extent.
  template <std::integral Integer>
  constexpr Dimension(Integer extent) : extent_(static_cast<std::size_t>(extent)) {
    if (std::cmp_less(extent, 0) || !std::cmp_less(extent, variable_extent)) {
      detail::reject({"an extent must be at least 0, or std::nullopt for a variable one, not ", extent});
    }
  }

  [[nodiscard]] constexpr bool is_variable() const noexcept { return extent_ == variable_extent; }

  /// Requires that it is not variable.
  [[nodiscard]] constexpr std::size_t extent() const noexcept { return extent_; }

 private:
  static constexpr std::size_t variable_extent = std::numeric_limits<std::size_t>::max();

  std::size_t extent_ = variable_extent;
};

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_DIMENSION_HPP
