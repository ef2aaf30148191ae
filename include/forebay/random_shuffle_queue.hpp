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
// How many are stored at a draw is a matter of timing, and so is the order, even with a seed. With a `window` it is
// not: every draw is among the `window` oldest elements. It waits until so many are stored, or, when the queue is
// closed, until all have come that can. One seed then gives one order, whatever the threads do, if the elements come in
// one order: from one producer, or from several that take turns.
//
// The contract, lifetime and thread safety are BlockingQueue's (blocking_queue.hpp).

#ifndef FOREBAY_RANDOM_SHUFFLE_QUEUE_HPP
#define FOREBAY_RANDOM_SHUFFLE_QUEUE_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

#include "forebay/base/arithmetic.hpp"
#include "forebay/base/random_bits.hpp"
#include "forebay/base/reject.hpp"
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
  /// The same seed draws in the same order on every platform, if the same elements are stored at each draw; see
  /// window. None: a different order each time.
  std::optional<std::uint64_t> seed = std::nullopt;
  /// Among how many elements to draw, the oldest ones: then the order does not depend on timing. Implies a
  /// min_after_dequeue of at least window - 1, which is waived only when the queue is closed and no enqueue waits any
  /// more. None: among all that are stored.
  std::optional<Count> window = std::nullopt;
};

/// The discipline of a RandomShuffleQueue.
class UniformDraw : public detail::Discipline {
 public:
  template <class T>
  using Stored = detail::Stored<T, true>;
  static constexpr const char* kind = "RandomShuffleQueue";
  static constexpr std::size_t moves_per_element = 4;  // three to change places, one to leave

  /// Throws std::invalid_argument unless min_after_dequeue < capacity and 0 < window <= capacity.
  explicit UniformDraw(const RandomShuffleOptions& options)
      : window_(window_of(options)),
        min_after_dequeue_(options.min_after_dequeue.at_least(0, "min_after_dequeue")),
        bits_(options.seed ? *options.seed : some_seed()) {
    if (min_after_dequeue_ >= options.capacity.elements()) {
      detail::reject({"min_after_dequeue (", min_after_dequeue_, ") must be less than capacity (",
                      options.capacity.elements(), ")"});
    }
    if (options.window) min_after_dequeue_ = detail::larger(min_after_dequeue_, window_ - 1);
  }

  [[nodiscard]] std::size_t min_after_dequeue() const noexcept { return min_after_dequeue_; }
  [[nodiscard]] bool waives_at_close() const noexcept { return window_ == everything; }

  template <class Store>
  void arrange(Store& store, std::size_t /*first*/, std::size_t last) noexcept {
    if (drawn_ > 0) [[unlikely]]
      return draw_more(store, last);
    draw(store, 0, last);
  }
  void left(std::size_t count) noexcept { drawn_ -= count; }

 private:
  /// Draws for the places from `first` to `last`.
  template <class Store>
  [[gnu::always_inline]] inline void draw(Store& store, std::size_t first, std::size_t last) noexcept {
    const std::size_t window = window_;
    const std::size_t stored = store.count(detail::saturating_add(last, window - 1));
    detail::RandomBits bits = bits_;  // a copy, which stays in registers
    store.swap_each(first, last, [&bits, stored, window](std::size_t i) {
      return i + static_cast<std::size_t>(bits.below(detail::smaller(stored - i, window)));
    });
    bits_ = bits;
    drawn_ = last;
    prefetch_later(store, bits, last, stored);
  }

  /// Asks for what is drawn later, if as much arrives until then as leaves: memory takes longer than one draw.
  template <class Store>
  [[gnu::always_inline]] inline void prefetch_later(const Store& store, detail::RandomBits bits, std::size_t last,
                                                    std::size_t stored) const noexcept {
    if (stored == last) return;
    for (std::size_t i = 0; i < draws_ahead; ++i) static_cast<void>(bits());
    const auto drawn = static_cast<std::size_t>(bits.expected_below(detail::smaller(stored - last, window_)));
    store.prefetch(detail::smaller(last + draws_ahead + drawn, stored - 1));
  }

  template <class Store>
  [[gnu::noinline]] void draw_more(Store& store, std::size_t count) noexcept {
    if (count > drawn_) draw(store, drawn_, count);
  }

  static constexpr std::size_t draws_ahead = 4;
  static constexpr std::size_t everything = std::numeric_limits<std::size_t>::max();

  static std::size_t window_of(const RandomShuffleOptions& options) {
    if (!options.window) return everything;
    const std::size_t window = options.window->at_least(1, "window");
    if (window <= options.capacity.elements()) return window;
    detail::reject({"window (", window, ") must not be more than capacity (", options.capacity.elements(), ")"});
  }

  /// Differs between queues and between runs; it need not be unpredictable.
  [[nodiscard]] std::uint64_t some_seed() const noexcept {
    const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
    return static_cast<std::uint64_t>(now) ^ reinterpret_cast<std::uintptr_t>(this);
  }

  std::size_t window_;
  std::size_t min_after_dequeue_;
  std::size_t drawn_ = 0;  // so many of the first elements are drawn: a batch that failed left them
  detail::RandomBits bits_;
};

/// Each element leaves at random. (TensorFlow: tf.RandomShuffleQueue.)
template <class T, class Sync = StdSync>
class RandomShuffleQueue final : public BlockingQueue<T, UniformDraw, Sync> {
 public:
  /// Throws std::invalid_argument if the capacity is less than 1 or too large for the address space, if
  /// min_after_dequeue is not less than the capacity, or if the window is 0 or more than the capacity.
  explicit RandomShuffleQueue(const RandomShuffleOptions& options)
      : BlockingQueue<T, UniformDraw, Sync>(options.capacity, UniformDraw(options)) {}
  explicit RandomShuffleQueue(...) = delete;  // forebay: ({.capacity = 2000, .min_after_dequeue = 1000, .seed = 7})
};

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_RANDOM_SHUFFLE_QUEUE_HPP
