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

#include <cstddef>

#include "forebay/blocking_queue.hpp"

namespace forebay {

/// The discipline of a FIFOQueue, and the pattern of every other. A discipline lives wholly on the consumers' side:
/// its members are called under the consumers' lock.
struct FirstInFirstOut {
  /// Whether arrange() moves stored elements about.
  static constexpr bool reorders = false;

  /// How many elements have to stay while the queue is open.
  [[nodiscard]] static constexpr std::size_t min_after_dequeue() noexcept { return 0; }

  /// Makes the first `count` elements of `stock` those that leave next, in their order. Requires that so many are
  /// there. If it throws, every element is still there.
  template <class Stock>
  static constexpr void arrange(Stock& /*stock*/, std::size_t /*count*/) noexcept {}
};

/// First in, first out. (TensorFlow: tf.FIFOQueue.)
template <class T, class Sync = StdSync>
class FIFOQueue final : public BlockingQueue<T, FirstInFirstOut, Sync> {
 public:
  /// Holds at most `capacity` elements: `FIFOQueue<int>(50)`, or `FIFOQueue<int>(forebay::unbounded)`. Throws
  /// std::invalid_argument if the capacity is less than 1 or too large for the address space.
  explicit FIFOQueue(Capacity capacity) : BlockingQueue<T, FirstInFirstOut, Sync>(capacity) {}
};

}  // namespace forebay

#endif  // FOREBAY_FIFO_QUEUE_HPP
