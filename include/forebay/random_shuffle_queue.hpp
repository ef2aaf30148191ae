// SPDX-License-Identifier: MIT

/// @file
/// Defines RandomShuffleQueue, a blocking queue whose elements leave in random order.
///
/// When to use: to mix training examples that arrive in a fixed order. When not: where order matters (FIFOQueue), or
/// for a data set that fits into memory (from_slices(...).shuffle() mixes better: it permutes all of them).
///
/// @code
/// forebay::RandomShuffleQueue<Image> queue({.capacity = 2000, .min_after_dequeue = 1000, .seed = 7});
/// @endcode
///
/// How well it mixes: each draw is uniform over the elements stored at that moment. If the consumer is slower than the
/// producers, the queue is full, and each draw is from `capacity` elements. A faster consumer waits until
/// min_after_dequeue elements would remain, and draws from min_after_dequeue + 1 elements (+ n for a batch of n, in
/// place of + 1). So min_after_dequeue is the guaranteed size of the shuffle buffer, and capacity its maximum.
///
/// Reproducibility: the number of elements stored at a draw depends on timing, and so does the order, even with a seed.
/// With a `window`, it does not: each draw is from the `window` oldest elements. The draw waits until that many are
/// stored or, once the queue is closed, until no more can arrive. One seed then gives one order, provided that the
/// elements arrive in one order: from one producer, or from several that take turns.
///
/// All other members, their guarantees, lifetime and thread safety: BlockingQueue (blocking_queue.hpp).

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

/// The settings of a RandomShuffleQueue: `{.capacity = 2000, .min_after_dequeue = 1000, .seed = 7}`.
struct RandomShuffleOptions {
  /// The maximum number of stored elements.
  Capacity capacity;
  /// The number of elements that must remain after each dequeue while the queue is open; 0 once it is closed.
  Count min_after_dequeue = 0;
  /// Determines the random draws: one seed gives the same order on every platform, if the same elements are stored at
  /// each draw (see window). Without a seed, the order differs each time.
  std::optional<std::uint64_t> seed = std::nullopt;
  /// The number of elements to draw from, oldest first; the order then does not depend on timing. Implies a
  /// min_after_dequeue of at least window - 1, until the queue is closed and no enqueue is pending. Without a window,
  /// each draw is from all stored elements.
  std::optional<Count> window = std::nullopt;
};

/// The discipline of a RandomShuffleQueue: draws the next element at random.
class UniformDraw : public detail::Discipline {
 public:
  /// @cond
  template <class T>
  using Stored = detail::Stored<T, true>;
  static constexpr const char* kind = "RandomShuffleQueue";
  static constexpr bool keeps_order_of_arrival = false;
  static constexpr std::size_t moves_per_element = 4;  // three to change places, one to leave
  /// @endcond

  /// Creates a discipline with these settings.
  ///
  /// Throws std::invalid_argument unless min_after_dequeue < capacity and 0 < window <= capacity.
  explicit UniformDraw(const RandomShuffleOptions& options)
      : window_(window_of(options)),
        min_after_dequeue_(options.min_after_dequeue.at_least(0, "min_after_dequeue")),
        bits_(options.seed ? *options.seed : arbitrary_seed()) {
    if (min_after_dequeue_ >= options.capacity.elements()) {
      detail::reject({"min_after_dequeue (", min_after_dequeue_, ") must be less than capacity (",
                      options.capacity.elements(), ")"});
    }
    if (options.window) min_after_dequeue_ = detail::larger(min_after_dequeue_, window_ - 1);
  }

  /// @cond
  [[nodiscard]] std::size_t min_after_dequeue() const noexcept { return min_after_dequeue_; }
  [[nodiscard]] bool waives_at_close() const noexcept { return window_ == everything; }

  template <class Store>
  void arrange(Store& store, std::size_t /*first*/, std::size_t last) noexcept {
    if (drawn_ > 0) [[unlikely]]
      return draw_more(store, last);
    draw(store, 0, last);
  }
  void left(std::size_t count) noexcept { drawn_ -= count; }
  /// @endcond

 private:
  /// Draws the elements for positions `first` to `last`.
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

  /// Prefetches an element that a later draw will need, as fetching it takes longer than one draw. Its guess assumes
  /// that as many elements arrive until then as leave.
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

  /// Returns a seed that differs between queues and between runs. It need not be unpredictable.
  [[nodiscard]] std::uint64_t arbitrary_seed() const noexcept {
    const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
    return static_cast<std::uint64_t>(now) ^ reinterpret_cast<std::uintptr_t>(this);
  }

  std::size_t window_;
  std::size_t min_after_dequeue_;
  std::size_t drawn_ = 0;  // how many of the first elements are drawn already, left over from a batch that failed
  detail::RandomBits bits_;
};

/// Delivers elements in random order. (TensorFlow: `tf.RandomShuffleQueue`.)
///
/// Its members are those of BlockingQueue; the file random_shuffle_queue.hpp says how well it mixes.
template <class T, class Sync = StdSync>
class RandomShuffleQueue final : public BlockingQueue<T, UniformDraw, Sync> {
 public:
  /// Creates a queue with these settings.
  ///
  /// Throws std::invalid_argument if:
  ///  - the capacity is less than 1, or too large for the address space;
  ///  - min_after_dequeue is not less than the capacity;
  ///  - the window is 0, or more than the capacity.
  explicit RandomShuffleQueue(const RandomShuffleOptions& options)
      : BlockingQueue<T, UniformDraw, Sync>(options.capacity, UniformDraw(options)) {}
  /// @cond
  explicit RandomShuffleQueue(...) = delete;  // forebay: ({.capacity = 2000, .min_after_dequeue = 1000, .seed = 7})
  /// @endcond
};

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_RANDOM_SHUFFLE_QUEUE_HPP
