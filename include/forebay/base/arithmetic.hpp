// SPDX-License-Identifier: MIT
//
// arithmetic.hpp: saturating sums and differences, and the minimum and maximum of two numbers. Including <algorithm>
// for these would add ten thousand lines to every program that uses a queue.

#ifndef FOREBAY_BASE_ARITHMETIC_HPP
#define FOREBAY_BASE_ARITHMETIC_HPP

#include <concepts>
#include <limits>

#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

template <std::unsigned_integral Number>
[[nodiscard]] constexpr Number saturating_add(Number a, Number b) noexcept {
  return a > std::numeric_limits<Number>::max() - b ? std::numeric_limits<Number>::max() : a + b;
}

template <std::unsigned_integral Number>
[[nodiscard]] constexpr Number saturating_multiply(Number a, Number b) noexcept {
  return b > 0 && a > std::numeric_limits<Number>::max() / b ? std::numeric_limits<Number>::max() : a * b;
}

template <std::unsigned_integral Number>
[[nodiscard]] constexpr Number saturating_subtract(Number a, Number b) noexcept {
  return a > b ? a - b : 0;
}

/// Returns the quotient, rounded up. Requires b > 0.
template <std::unsigned_integral Number>
[[nodiscard]] constexpr Number divided_up(Number a, Number b) noexcept {
  return a / b + (a % b > 0 ? 1 : 0);
}

template <std::integral Number>
[[nodiscard]] constexpr Number smaller(Number a, Number b) noexcept {
  return b < a ? b : a;
}

template <std::integral Number>
[[nodiscard]] constexpr Number larger(Number a, Number b) noexcept {
  return a < b ? b : a;
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_BASE_ARITHMETIC_HPP
