// SPDX-License-Identifier: MIT
//
// count.hpp: how many of something: a number from 0, checked where it is made.

#ifndef FOREBAY_COUNT_HPP
#define FOREBAY_COUNT_HPP

#include <concepts>
#include <cstddef>
#include <limits>
#include <utility>

#include "forebay/base/reject.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI {

namespace detail {

template <class Number>
concept BecomesInteger = requires(Number number) {
  { +number } -> std::integral;
};

}  // namespace detail

/// How many, made implicitly from any integer, an enumerator or an integral constant, and read as a std::size_t. As a
/// plain std::size_t, -1 would be the largest of all counts.
class Count {
 public:
  /// Throws std::invalid_argument that names the number if it is negative, or more than a std::size_t can be.
  template <detail::BecomesInteger Number>
  constexpr Count(Number number) : count_(checked(+number)) {}

  [[nodiscard]] constexpr operator std::size_t() const noexcept { return count_; }

 private:
  static constexpr std::size_t most = std::numeric_limits<std::size_t>::max();

  template <class Integer>
  static constexpr std::size_t checked(Integer number) {
    if (std::cmp_less(number, 0)) detail::reject({"a count must be at least 0, not ", number});
    if (std::cmp_greater(number, most)) detail::reject({"a count must be at most ", most, ", not ", number});
    return static_cast<std::size_t>(number);
  }

  std::size_t count_;
};

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_COUNT_HPP
