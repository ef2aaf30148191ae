// SPDX-License-Identifier: MIT
//
// conversion.hpp: which conversions to an element a queue makes unasked, and which only look like one.

#ifndef FOREBAY_BASE_CONVERSION_HPP
#define FOREBAY_BASE_CONVERSION_HPP

#include <concepts>
#include <limits>
#include <type_traits>

#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

template <class T>
concept Number = std::is_arithmetic_v<T>;

/// A conversion after which hardly anything of the value is left: a fraction that is cut off, a pointer that is true.
template <class From, class To>
concept Mutilates = (std::floating_point<From> && std::integral<To>) ||
                    (std::same_as<To, bool> && (std::is_pointer_v<From> || std::is_member_pointer_v<From>));

/// Whether every value of one kind of number is one of the other, too.
template <Number From, Number To>
inline constexpr bool holds_every_value = [] {
  using Source = std::numeric_limits<From>;
  using Target = std::numeric_limits<To>;
  if (Target::is_integer && !Source::is_integer) return false;
  return Source::digits <= Target::digits && Source::max_exponent <= Target::max_exponent &&
         (Target::is_signed || !Source::is_signed);
}();

/// Numbers keep their value whatever it is. Of other types it is taken for granted that they convert for a reason.
template <class From, class To>
concept KeepsItsValue = std::same_as<From, To> ||
    (!Mutilates<From, To> && (!Number<From> || !Number<To> || holds_every_value<From, To>));

/// What becomes a T without being asked to: not what is explicit, and not what may become something else on the way.
template <class Given, class T>
concept BecomesElement = (std::convertible_to<Given, T> && KeepsItsValue<std::remove_cvref_t<Given>, T>) ||
                         (std::same_as<std::remove_cvref_t<Given>, T> && std::constructible_from<T, Given>);

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_BASE_CONVERSION_HPP
