// SPDX-License-Identifier: MIT
//
// prioritized.hpp: Prioritized, a value with a priority, for a PriorityQueue.

#ifndef FOREBAY_PRIORITIZED_HPP
#define FOREBAY_PRIORITIZED_HPP

#include <cstdint>

#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI {

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

#endif  // FOREBAY_PRIORITIZED_HPP
