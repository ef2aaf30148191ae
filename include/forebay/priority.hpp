// SPDX-License-Identifier: MIT
//
// priority.hpp: what orders the elements of a PriorityQueue: a part of each element (By), or a number beside it
// (Prioritized).

#ifndef FOREBAY_PRIORITY_HPP
#define FOREBAY_PRIORITY_HPP

#include <cstdint>
#include <functional>

#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI {

/// Compares elements by a part of them: `PriorityQueue<Job, By<&Job::due>>` has the job that is due first leave first,
/// `By<&Job::due, std::greater<>>` the one that is due last. `projection` is a member, a member function that can be
/// called on a const element, or whatever else std::invoke takes, such as a lambda without captures.
template <auto projection, class Compare = std::less<>>
struct By {
  /// The part of `element` that counts.
  template <class T>
  [[nodiscard]] static constexpr decltype(auto) key(const T& element) {
    return std::invoke(projection, element);
  }

  template <class T>
  [[nodiscard]] constexpr bool operator()(const T& a, const T& b) const {
    return std::invoke(compare, key(a), key(b));
  }

  [[no_unique_address]] Compare compare{};
};

namespace detail {

template <class Compare>
inline constexpr bool is_by = false;
template <auto projection, class Compare>
inline constexpr bool is_by<By<projection, Compare>> = true;

}  // namespace detail

/// A value that is ordered by its priority alone: the smaller, the sooner it leaves. (TensorFlow: an element of
/// tf.PriorityQueue is a tuple whose first component is a 64-bit priority.)
template <class Value, class Priority = std::int64_t>
struct Prioritized {
  Priority priority;
  Value value;

  [[nodiscard]] friend constexpr bool operator<(const Prioritized& a, const Prioritized& b) {
    return a.priority < b.priority;
  }
  [[nodiscard]] friend constexpr bool operator>(const Prioritized& a, const Prioritized& b) {
    return b.priority < a.priority;
  }
};

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_PRIORITY_HPP
