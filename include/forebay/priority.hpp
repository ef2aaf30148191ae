// SPDX-License-Identifier: MIT

/// @file
/// Defines By and Prioritized, which order the elements of a PriorityQueue.
///
/// By compares a member of each element; Prioritized adds a priority to a value.

#ifndef FOREBAY_PRIORITY_HPP
#define FOREBAY_PRIORITY_HPP

#include <cstdint>
#include <functional>

#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI {

/// Compares elements by a key, which is one of their members or computed from them.
///
/// `projection` is a data member, a const member function, or anything else that std::invoke accepts, such as a lambda
/// without captures.
///
/// @code
/// PriorityQueue<Job, By<&Job::due>> first(50);                  // the job that is due first leaves first
/// PriorityQueue<Job, By<&Job::due, std::greater<>>> last(50);   // the job that is due last leaves first
/// @endcode
template <auto projection, class Compare = std::less<>>
struct By {
  /// Returns the key of `element`.
  template <class T>
  [[nodiscard]] static constexpr decltype(auto) key(const T& element) {
    return std::invoke(projection, element);
  }

  /// Returns whether the key of `a` is smaller than the key of `b`, in terms of `compare`.
  template <class T>
  [[nodiscard]] constexpr bool operator()(const T& a, const T& b) const {
    return std::invoke(compare, key(a), key(b));
  }

  /// The function that compares two keys.
  [[no_unique_address]] Compare compare{};
};

namespace detail {

template <class Compare>
inline constexpr bool is_by = false;
template <auto projection, class Compare>
inline constexpr bool is_by<By<projection, Compare>> = true;

}  // namespace detail

/// A value with a priority, ordered by the priority alone. The smallest priority leaves first.
///
/// (TensorFlow: an element of `tf.PriorityQueue` is a tuple whose first component is a 64-bit priority.)
template <class Value, class Priority = std::int64_t>
struct Prioritized {
  Priority priority;  ///< The priority; smaller ones leave sooner.
  Value value;        ///< The value, which does not affect the order.

  /// Returns whether the priority of `a` is smaller.
  [[nodiscard]] friend constexpr bool operator<(const Prioritized& a, const Prioritized& b) {
    return a.priority < b.priority;
  }
  /// Returns whether the priority of `a` is larger.
  [[nodiscard]] friend constexpr bool operator>(const Prioritized& a, const Prioritized& b) {
    return b.priority < a.priority;
  }
};

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_PRIORITY_HPP
