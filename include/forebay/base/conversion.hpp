// SPDX-License-Identifier: MIT
//
// conversion.hpp: which implicit conversions to an element a queue accepts, and which it rejects as lossy.

#ifndef FOREBAY_BASE_CONVERSION_HPP
#define FOREBAY_BASE_CONVERSION_HPP

#include <concepts>
#include <cstddef>
#include <limits>
#include <type_traits>

#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

template <class T>
concept Number = std::is_arithmetic_v<T>;

/// A lossy conversion: a fraction that is truncated, or a pointer that becomes a bool.
template <class From, class To>
concept Mutilates = (std::floating_point<From> && std::integral<To>) ||
                    (std::same_as<To, bool> && (std::is_pointer_v<From> || std::is_member_pointer_v<From>));

/// Whether one type of number can represent every value of the other.
template <Number From, Number To>
inline constexpr bool holds_every_value = [] {
  using Source = std::numeric_limits<From>;
  using Target = std::numeric_limits<To>;
  if (Target::is_integer && !Source::is_integer) return false;
  return Source::digits <= Target::digits && Source::max_exponent <= Target::max_exponent &&
         (Target::is_signed || !Source::is_signed);
}();

/// Whether a conversion keeps every value of a number. Implicit conversions of other types are assumed to be intended.
template <class From, class To>
concept KeepsItsValue = std::same_as<From, To> ||
    (!Mutilates<From, To> && (!Number<From> || !Number<To> || holds_every_value<From, To>));

/// A type that converts to T implicitly and without loss.
template <class Given, class T>
concept BecomesElement = (std::convertible_to<Given, T> && KeepsItsValue<std::remove_cvref_t<Given>, T>) ||
                         (std::same_as<std::remove_cvref_t<Given>, T> && std::constructible_from<T, Given>);

/// An argument that enqueue() rejects: T cannot be made of it implicitly, or only with a loss. A number may be a null
/// pointer, which only the compiler can tell.
template <class Given, class T>
concept NoElement = Mutilates<std::decay_t<Given>, T> ||
                    (!std::is_convertible_v<Given, T> && !std::same_as<std::remove_cvref_t<Given>, T> &&
                     !(std::integral<Given> && std::is_convertible_v<std::nullptr_t, T>)) ||
                    (std::same_as<std::remove_cvref_t<Given>, T> && !std::is_constructible_v<T, Given>);

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_BASE_CONVERSION_HPP
