// SPDX-License-Identifier: MIT
//
// by.hpp: By, which orders the elements of a PriorityQueue by a part of them.

#ifndef FOREBAY_BY_HPP
#define FOREBAY_BY_HPP

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

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_BY_HPP
