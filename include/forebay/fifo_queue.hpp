// SPDX-License-Identifier: MIT

/// @file
/// Defines FIFOQueue, a blocking queue whose elements leave in the order in which it accepted them.
///
/// When to use: to hand elements from one stage of a program to the next. When not: to mix training examples; use a
/// RandomShuffleQueue.
///
/// @code
/// forebay::FIFOQueue<int> queue(50);
/// queue.enqueue_many({1, 2, 3});
/// queue.close();
/// for (int i : queue) std::cout << i << ' ';  // 1 2 3
/// @endcode
///
/// All members, their guarantees, lifetime and thread safety: BlockingQueue (blocking_queue.hpp).

#ifndef FOREBAY_FIFO_QUEUE_HPP
#define FOREBAY_FIFO_QUEUE_HPP

#include "forebay/blocking_queue.hpp"
#include "forebay/queue/discipline.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI {

/// The discipline of a FIFOQueue: elements leave in order of arrival.
using FirstInFirstOut = detail::Discipline;

/// Delivers elements first in, first out. (TensorFlow: `tf.FIFOQueue`.)
///
/// Its members are those of BlockingQueue.
template <class T, class Sync = StdSync>
class FIFOQueue final : public BlockingQueue<T, FirstInFirstOut, Sync> {
 public:
  /// Creates a queue of up to `capacity` elements: `FIFOQueue<int>(50)`, or `FIFOQueue<int>(forebay::unbounded)`.
  ///
  /// Throws std::invalid_argument if the capacity is less than 1 or too large for the address space.
  explicit FIFOQueue(Capacity capacity) : BlockingQueue<T, FirstInFirstOut, Sync>(capacity) {}
};

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_FIFO_QUEUE_HPP
