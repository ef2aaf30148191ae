// SPDX-License-Identifier: MIT
//
// fifo_queue.hpp: FIFOQueue<T>, a bounded blocking queue whose elements leave in the order in which they were
// accepted.
//
// When to use: to hand elements from one stage of a pipeline to the next. When not: to mix training examples, use
// RandomShuffleQueue.
//
// The contract, lifetime and thread safety are BlockingQueue's (blocking_queue.hpp).

#ifndef FOREBAY_FIFO_QUEUE_HPP
#define FOREBAY_FIFO_QUEUE_HPP

#include "forebay/blocking_queue.hpp"
#include "forebay/queue/discipline.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI {

/// The discipline of a FIFOQueue: elements leave as they came.
using FirstInFirstOut = detail::Discipline;

/// First in, first out. (TensorFlow: tf.FIFOQueue.)
template <class T, class Sync = StdSync>
class FIFOQueue final : public BlockingQueue<T, FirstInFirstOut, Sync> {
 public:
  /// Holds at most `capacity` elements: `FIFOQueue<int>(50)`, or `FIFOQueue<int>(forebay::unbounded)`. Throws
  /// std::invalid_argument if the capacity is less than 1 or too large for the address space.
  explicit FIFOQueue(Capacity capacity) : BlockingQueue<T, FirstInFirstOut, Sync>(capacity) {}
};

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_FIFO_QUEUE_HPP
