// SPDX-License-Identifier: MIT
//
// priority_parts.hpp: an element that is made from a priority and a value: which types are, and when it is made.

#ifndef FOREBAY_QUEUE_PRIORITY_PARTS_HPP
#define FOREBAY_QUEUE_PRIORITY_PARTS_HPP

#include <concepts>
#include <type_traits>
#include <utility>

#include "forebay/base/conversion.hpp"
#include "forebay/engine/elements_read.hpp"
#include "forebay/priority.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// The types of the two parts of a Prioritized, which a caller may write in braces; of other types nothing is known.
template <class T>
struct Parts {
  static constexpr bool known = false;
  using Priority = void;
  using Value = void;
};
template <class TheValue, class ThePriority>
struct Parts<Prioritized<TheValue, ThePriority>> {
  static constexpr bool known = true;
  using Priority = ThePriority;
  using Value = TheValue;
};

/// Two things that an element can be made from. A fraction is not cut off to become a whole priority.
template <class T, class Priority, class Value>
concept PartsOfPrioritized = Parts<T>::known && std::convertible_to<Priority, typename Parts<T>::Priority> &&
                             std::convertible_to<Value, typename Parts<T>::Value> &&
                             !Mutilates<std::remove_cvref_t<Priority>, typename Parts<T>::Priority> &&
                             !Mutilates<std::remove_cvref_t<Value>, typename Parts<T>::Value>;
template <class T, class Priority, class Value>
concept BracedFrom = requires {
  T{std::declval<Priority>(), std::declval<Value>()};
};
template <class T, class Priority, class Value>
concept PartsOf = PartsOfPrioritized<T, Priority, Value> ||
    (!Parts<T>::known && (std::constructible_from<T, Priority, Value> || BracedFrom<T, Priority, Value>));

/// A value that a T is made from together with a priority; not how long to wait for room for a T.
template <class Value, class Priority, class T, class Wait>
concept ValueFor =
    PartsOf<T, Priority, Value> && !(std::convertible_to<Priority, T> && std::convertible_to<Value, Wait>);

/// What a part is to be, as far as is known.
template <class Part, class Argument>
using PartOr = std::conditional_t<std::is_void_v<Part>, std::decay_t<Argument>, Part>;

/// Whether a part is made of its argument, which stays untouched, before any lock is taken: it may take its time.
template <class Part, class Argument>
inline constexpr bool made_beforehand =
    !copies_like_a_move<Part> && std::constructible_from<Part, std::remove_reference_t<Argument>&> &&
    (std::is_lvalue_reference_v<Argument> || copies_like_a_move<std::remove_cvref_t<Argument>>);

template <class T, class Priority, class Value>
[[nodiscard]] T made_from(Priority&& priority, Value&& value) {
  if constexpr (Parts<T>::known) {
    return T{static_cast<typename Parts<T>::Priority>(std::forward<Priority>(priority)),
             typename Parts<T>::Value(std::forward<Value>(value))};
  } else if constexpr (std::constructible_from<T, Priority, Value>) {
    return T(std::forward<Priority>(priority), std::forward<Value>(value));
  } else {
    return T{std::forward<Priority>(priority), std::forward<Value>(value)};
  }
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_QUEUE_PRIORITY_PARTS_HPP
