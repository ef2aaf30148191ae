// SPDX-License-Identifier: MIT
//
// random_shuffle_queue.hpp: RandomShuffleQueue<T>, a bounded blocking queue whose elements leave in random order.
//
// When to use: to mix training examples that arrive in some order. When not: where the order matters (FIFOQueue), or
// to shuffle a data set that fits into memory whole (std::shuffle mixes better: all of it at once).
//
// What the mixing window really is: every draw is uniform over what is stored at that moment. A consumer slower than
// the producers finds the queue full, and draws from `capacity` elements. A faster one waits, and draws as soon as
// min_after_dequeue elements would stay: from min_after_dequeue + 1 of them, or min_after_dequeue + n for a batch of
// n. So min_after_dequeue is the window that is promised, capacity the most that it can be.
//
// The contract, lifetime and thread safety are BlockingQueue's (blocking_queue.hpp).

#ifndef FOREBAY_RANDOM_SHUFFLE_QUEUE_HPP
#define FOREBAY_RANDOM_SHUFFLE_QUEUE_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

#include "forebay/base/reject.hpp"
#include "forebay/base/random_bits.hpp"
#include "forebay/blocking_queue.hpp"
#include "forebay/count.hpp"
#include "forebay/engine/boxed.hpp"
#include "forebay/queue/discipline.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI {

/// How a RandomShuffleQueue is made: `{.capacity = 2000, .min_after_dequeue = 1000, .seed = 7}`.
struct RandomShuffleOptions {
  /// How many elements may be stored.
  Capacity capacity;
  /// How many elements have to stay behind after a dequeue while the queue is open; waived when it is closed.
  Count min_after_dequeue = 0;
  /// The same seed draws in the same order on every platform, if the same elements are stored at each draw. None: a
  /// different order each time.
  std::optional<std::uint64_t> seed = std::nullopt;
};

/// The discipline of a RandomShuffleQueue.
class UniformDraw : public detail::Discipline {
 public:
  template <class T>
  using Stored = detail::Stored<T, true>;

  /// Throws std::invalid_argument unless min_after_dequeue < capacity.
  explicit UniformDraw(const RandomShuffleOptions& options)
      : min_after_dequeue_(options.min_after_dequeue), bits_(options.seed ? *options.seed : some_seed()) {
    if (options.min_after_dequeue < options.capacity.elements()) return;
    detail::reject({"min_after_dequeue (", std::size_t{options.min_after_dequeue}, ") must be less than capacity (",
                    options.capacity.elements(), ")"});
  }

  [[nodiscard]] std::size_t min_after_dequeue() const noexcept { return min_after_dequeue_; }

  template <class Store>
  void arrange(Store& store, std::size_t count) noexcept {
    const std::size_t stored = store.count(std::numeric_limits<std::size_t>::max());
    detail::RandomBits bits = bits_;  // a copy, which stays in registers
    store.swap_each(count,
                    [&bits, stored](std::size_t i) { return i + static_cast<std::size_t>(bits.below(stored - i)); });
    bits_ = bits;
  }

 private:
  /// Differs between queues and between runs; it need not be unpredictable.
  [[nodiscard]] std::uint64_t some_seed() const noexcept {
    const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
    return static_cast<std::uint64_t>(now) ^ reinterpret_cast<std::uintptr_t>(this);
  }

  std::size_t min_after_dequeue_;
  detail::RandomBits bits_;
};

/// Each element leaves at random. (TensorFlow: tf.RandomShuffleQueue.)
template <class T, class Sync = StdSync>
class RandomShuffleQueue final : public BlockingQueue<T, UniformDraw, Sync> {
 public:
  /// Throws std::invalid_argument if the capacity is less than 1 or too large for the address space, or if
  /// min_after_dequeue is not less than the capacity.
  explicit RandomShuffleQueue(const RandomShuffleOptions& options)
      : BlockingQueue<T, UniformDraw, Sync>(options.capacity, UniformDraw(options)) {}
};

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_RANDOM_SHUFFLE_QUEUE_HPP
