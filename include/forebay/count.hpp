// SPDX-License-Identifier: MIT
//
// count.hpp: how many of something: a number from 0, checked by the function that it is given to.

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
/// plain std::size_t, -1 would be the largest of all counts. It holds the number as it was given, so that the function
/// that it is given to can reject an impossible one by the name of the parameter.
class Count {
 public:
  template <detail::BecomesInteger Number>
  constexpr Count(Number number) noexcept
      : is_negative_(std::cmp_less(+number, 0)),
        magnitude_(is_negative_ ? 0 - static_cast<unsigned long long>(+number)
                                : static_cast<unsigned long long>(+number)) {}
  template <std::floating_point Number>
  Count(Number) = delete;  // forebay: a count is a whole number

  /// Returns the number. Throws std::invalid_argument that names `parameter` and the number if it is less than `least`,
  /// or more than a std::size_t can be: "forebay: map: threads must be at least 1, not -1".
  [[nodiscard]] constexpr std::size_t at_least(std::size_t least, const char* parameter) const {
    return between(least, std::numeric_limits<std::size_t>::max(), parameter);
  }

  /// The same, also if it is more than `most`.
  [[nodiscard]] constexpr std::size_t between(std::size_t least, std::size_t most, const char* parameter) const {
    if (is_negative_ || magnitude_ < least) reject(parameter, " must be at least ", least);
    if (magnitude_ > most) reject(parameter, " must be at most ", most);
    return static_cast<std::size_t>(magnitude_);
  }

  /// The same, where no name is known. Throws std::invalid_argument if the number is negative or too large.
  [[nodiscard]] constexpr operator std::size_t() const { return at_least(0, "a count"); }

 private:
  [[noreturn]] void reject(const char* parameter, const char* condition, std::size_t bound) const {
    detail::reject({parameter, condition, bound, ", not ", is_negative_ ? "-" : "", magnitude_});
  }

  bool is_negative_;
  unsigned long long magnitude_;
};

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_COUNT_HPP
