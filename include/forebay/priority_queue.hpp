// SPDX-License-Identifier: MIT

/// @file
/// Defines PriorityQueue, a blocking queue whose smallest element leaves first.
///
/// Equal elements leave in order of arrival. By orders elements by one of their members, and Prioritized is a value
/// with a priority (priority.hpp).
///
/// When to use: to process the most urgent of the stored elements first. When not: to sort, because a later element
/// may be smaller than one that has already left; where order of arrival suffices, because a FIFOQueue costs less.
///
/// @code
/// forebay::PriorityQueue<Job, forebay::By<&Job::due>> jobs(100);  // the job that is due first leaves first
/// forebay::PriorityQueue<forebay::Prioritized<Picture>> pictures(100);
/// pictures.enqueue(3, picture);
/// @endcode
///
/// Cost: O(log n) comparisons for each element that arrives, and for each that leaves. The order is stored separately.
/// It takes 24 to 32 bytes per element; for trivially copyable elements of up to 16 bytes, 8 bytes and a copy of the
/// element. The fastest orders compare a number: std::less<> and std::greater<> on numbers or Prioritized, By on a
/// number.
///
/// Comparisons run under the consumers' lock and must not call the queue. Consumers make them. If more than 64
/// elements arrive without a dequeue, producers make them, to spare the next dequeue the whole work. If a comparison
/// then throws, the producer is not affected: the next dequeue repeats the comparison.
///
/// All other members, their guarantees, lifetime and thread safety: BlockingQueue (blocking_queue.hpp).

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

/// The discipline of a PriorityQueue, which is a `BlockingQueue<T, SmallestFirst<T, Compare>>`.
template <class T, class Compare = std::less<>>
using SmallestFirst = detail::SmallestFirst<T, Compare>;

/// Delivers the smallest element first, and equal elements in order of arrival. (TensorFlow: `tf.PriorityQueue`.)
///
/// `Compare` returns whether its first argument is smaller, as for std::sort: std::less<>, std::greater<>,
/// std::ranges::greater, By, a lambda. If it throws, the elements stay in the queue, and leave in order the next time.
///
/// dequeue_many(n) returns the n smallest stored elements, sorted. dequeue_many() and dequeue_up_to() throw
/// std::invalid_argument for a count above the capacity, because that many elements are never stored at once.
///
/// If a priority is NaN, enqueue() throws std::invalid_argument and leaves its argument untouched. This applies to a
/// floating-point T, to the key of By, and to the priority of Prioritized.
template <class T, class Compare = std::less<>, class Sync = StdSync>
class PriorityQueue final : public BlockingQueue<T, SmallestFirst<T, Compare>, Sync> {
  using Base = BlockingQueue<T, SmallestFirst<T, Compare>, Sync>;

 public:
  /// @cond
  using typename Base::Wait;
  /// @endcond

  /// Creates a queue of up to `capacity` elements: `PriorityQueue<int>(50)`, or
  /// `PriorityQueue<int>(forebay::unbounded)`.
  ///
  /// Throws std::invalid_argument if the capacity is less than 1 or too large for the address space.
  explicit PriorityQueue(Capacity capacity, Compare compare = Compare())
      : Base(capacity, SmallestFirst<T, Compare>(capacity, std::move(compare))) {}

  /// @cond
  using Base::enqueue;
  /// @endcond

  /// Stores an element constructed from `priority` and `value`.
  ///
  /// Accepts every T that is constructed from two arguments: Prioritized, std::pair. Moves from rvalue arguments once
  /// there is room. Both arguments are untouched if the result is not `ok`, or if the priority is NaN, which throws
  /// std::invalid_argument. In all else like BlockingQueue::enqueue(). (TensorFlow:
  /// `QueueBase.enqueue((priority, value))`.)
  ///
  /// @code
  /// forebay::PriorityQueue<forebay::Prioritized<Picture>> queue(50);
  /// queue.enqueue(3, picture);
  /// @endcode
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
