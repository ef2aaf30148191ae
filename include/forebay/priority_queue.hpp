// SPDX-License-Identifier: MIT
//
// priority_queue.hpp: PriorityQueue<T>, a bounded blocking queue whose smallest element leaves first; of equal ones,
// the one that arrived first. By orders elements by a part of them, Prioritized is a value with a priority
// (priority.hpp).
//
// When to use: to do first what is most urgent of what is there. When not: to sort (what arrives later can be smaller
// than what has left); where the order of arrival will do (FIFOQueue, which costs less).
//
// The order is kept beside the elements, and costs O(log n) comparisons for each that arrives and each that leaves. It
// takes 24 to 32 bytes an element, or 8 bytes and a copy of one that is trivially copyable and has 16 bytes at most.
// Fastest are orders by a number: std::less<> and std::greater<> of numbers or of Prioritized, and By of a number.
// Comparisons are made under the consumers' lock; they must not call the queue. Consumers make
// them; where more than 64 elements arrive and nobody takes one, producers do, so that the next dequeue need not make
// up for all of them. One that throws then is none of theirs: the next dequeue makes it again.
//
// The contract, lifetime and thread safety are BlockingQueue's (blocking_queue.hpp).

#ifndef FOREBAY_PRIORITY_QUEUE_HPP
#define FOREBAY_PRIORITY_QUEUE_HPP

#include <concepts>
#include <functional>
#include <utility>

#include "forebay/blocking_queue.hpp"
#include "forebay/priority.hpp"
#include "forebay/queue/priority_parts.hpp"
#include "forebay/queue/smallest_first.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI {

/// The discipline of a PriorityQueue: what a function names that takes any `BlockingQueue<T, Discipline>`.
template <class T, class Compare = std::less<>>
using SmallestFirst = detail::SmallestFirst<T, Compare>;

/// The smallest element leaves first, of equal ones the first that came. (TensorFlow: tf.PriorityQueue.)
///
/// `Compare` says which of two elements is the smaller one, as for std::sort: std::less<>, std::greater<>,
/// std::ranges::greater, By, a lambda. It may throw: then the elements are still in the queue, and in order the next
/// time.
///
/// dequeue_many(n) takes the n smallest of what is stored, sorted. As more than the capacity can never be stored, a
/// dequeue_many or dequeue_up_to of more throws std::invalid_argument. A priority that is NaN (of a floating-point T,
/// of the part that By looks at, or of Prioritized) makes enqueue throw std::invalid_argument, and is left to the
/// caller.
template <class T, class Compare = std::less<>, class Sync = StdSync>
class PriorityQueue final : public BlockingQueue<T, SmallestFirst<T, Compare>, Sync> {
  using Base = BlockingQueue<T, SmallestFirst<T, Compare>, Sync>;

 public:
  using typename Base::Wait;

  /// Holds at most `capacity` elements: `PriorityQueue<int>(50)`, or `PriorityQueue<int>(forebay::unbounded)`. Throws
  /// std::invalid_argument if the capacity is less than 1 or too large for the address space.
  explicit PriorityQueue(Capacity capacity, Compare compare = Compare())
      : Base(capacity, SmallestFirst<T, Compare>(capacity, std::move(compare))) {}

  using Base::enqueue;

  /// Puts in the element made from a priority and a value: `queue.enqueue(3, picture)` of a
  /// `PriorityQueue<Prioritized<Picture>>`, or of any T that is made from two such things, as a pair is.
  ///
  /// What is given away is moved when there is room for it: if the result is not ok, or the priority is NaN, both
  /// arguments are untouched. For the rest like enqueue. (TensorFlow: QueueBase.enqueue((priority, value)).)
  template <class Priority = typename detail::Parts<T>::Priority,
            detail::ValueFor<Priority, T, Wait> Value = typename detail::Parts<T>::Value>
  QueueStatus enqueue(Priority&& priority, Value&& value, const Wait& wait = Wait::forever) {
    using PriorityPart = detail::PartOr<typename detail::Parts<T>::Priority, Priority>;
    using ValuePart = detail::PartOr<typename detail::Parts<T>::Value, Value>;
    if constexpr (detail::made_beforehand<PriorityPart, Priority>) {
      return enqueue(PriorityPart(priority), std::forward<Value>(value), wait);
    } else if constexpr (detail::made_beforehand<ValuePart, Value>) {
      return enqueue(std::forward<Priority>(priority), ValuePart(value), wait);
    }
    if constexpr (SmallestFirst<T, Compare>::examines) detail::require_no_nan(priority);
    const auto make = [&] {
      return detail::made_from<T>(std::forward<Priority>(priority), std::forward<Value>(value));
    };
    return this->enqueue_made(make, wait);
  }
};

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_PRIORITY_QUEUE_HPP
