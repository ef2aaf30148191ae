// SPDX-License-Identifier: MIT

/// @file
/// Defines QueueRef, a reference to a queue of any kind, and from_list(), which selects one of several queues.
///
/// @code
/// void feed(forebay::QueueRef<Image> queue);  // accepts a FIFOQueue<Image>, a RandomShuffleQueue<Image>, ...
/// auto images = forebay::from_list<Image>(shuffle ? 1 : 0, {in_order, shuffled});
/// @endcode
///
/// When to use: if the kind of queue is chosen at run time, or does not matter to a function. When not: if it is known
/// at compile time, because each call through a QueueRef is a call through a function pointer.
///
/// enqueue() has no `drop_newest` and `drop_oldest`, because not every kind of queue has an oldest element.
///
/// Lifetime: the queue must outlive the QueueRef, which does not own it. A QueueRef consists of two pointers, allocates
/// nothing, and is copied like a std::span. You can pass a QueueRef to a QueueRunner or a Coordinator in place of a
/// queue. They refer to the QueueRef itself, which must then live as long as a queue would have to.
///
/// Thread safety: as for the queue. Do not assign to a QueueRef while another thread uses the same QueueRef.

#ifndef FOREBAY_QUEUE_REF_HPP
#define FOREBAY_QUEUE_REF_HPP

#include <concepts>
#include <cstddef>
#include <exception>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "forebay/base/conversion.hpp"
#include "forebay/base/open_hold.hpp"
#include "forebay/base/reject.hpp"
#include "forebay/blocking_queue.hpp"
#include "forebay/consumer.hpp"
#include "forebay/count.hpp"
#include "forebay/handle/erased_queue.hpp"
#include "forebay/handle/queue_table.hpp"
#include "forebay/overflow.hpp"
#include "forebay/producer.hpp"
#include "forebay/queue/inside.hpp"
#include "forebay/queue/queue_ranges.hpp"
#include "forebay/queue_status.hpp"
#include "forebay/statistics.hpp"
#include "forebay/sync.hpp"
#include "forebay/version.hpp"
#include "forebay/wait.hpp"

namespace forebay::FOREBAY_ABI {

template <class T, class Sync = StdSync>
class QueueRef;

namespace detail {

/// A handle or a loop has a reference of its own.
template <class T, class Sync>
struct QueuePointerOf<QueueRef<T, Sync>> {
  using type = std::optional<QueueRef<T, Sync>>;
};

}  // namespace detail

/// Refers to a queue with elements of type T, whatever its kind.
///
/// Each member function behaves like the member function of BlockingQueue with the same name. Batches are always
/// `std::vector<T>`, also if the queue itself returns another type. Like a pointer, a const QueueRef can modify the
/// queue.
template <class T, class Sync>
class QueueRef {
 public:
  using value_type = T;                       ///< The type of the elements.
  using Wait = BasicWait<Sync>;               ///< How long a call may block.
  using Batch = std::vector<T>;               ///< The type that dequeue_many() returns.
  using Batches = detail::Batches<QueueRef>;  ///< The range that batches() returns.

  /// Creates a reference to `queue`, implicitly.
  template <class Discipline>
  QueueRef(BlockingQueue<T, Discipline, Sync>& queue) noexcept
      : engine_{std::addressof(queue), &detail::queue_table<T, Discipline, Sync>} {}

  /// @name Enqueue
  /// @{

  /// Stores `element`, moved from the argument. Blocks while the queue is full. If the status is not `ok`, `element` is
  /// untouched. See BlockingQueue::enqueue().
  QueueStatus enqueue(T&& element, const Wait& wait = Wait::forever) const {
    return engine_.table->enqueue(engine_.queue, std::move(element), wait);
  }
  /// Stores a copy of `element`. Blocks while the queue is full.
  QueueStatus enqueue(const T& element,
                      const Wait& wait = Wait::forever) const requires std::is_copy_constructible_v<T> {
    return engine_.table->enqueue_copy(engine_.queue, element, wait);
  }
  /// @cond
  template <detail::NoElement<T> Argument>
  QueueStatus enqueue(Argument&&, const Wait& = Wait::forever) const = delete;  // forebay: convert or move it
  template <detail::OverflowPolicy Policy, class... Dropped>
  QueueStatus enqueue(const T&, Policy, Dropped&...) const = delete;  // forebay: only a FIFO queue knows what to drop
  /// @endcond

  /// Stores the elements of an rvalue vector in their order, with no element of another call in between.
  ///
  /// Moves the elements. Those that were not stored are untouched. See BlockingQueue::enqueue_many().
  EnqueueManyResult enqueue_many(std::vector<T>&& elements, const Wait& wait = Wait::forever) const {
    return engine_.table->enqueue_many(engine_.queue, std::move(elements), wait);
  }
  /// Stores copies of the elements of a contiguous range in their order, with no element of another call in between.
  EnqueueManyResult enqueue_many(std::span<const T> elements,
                                 const Wait& wait = Wait::forever) const requires std::is_copy_constructible_v<T> {
    return engine_.table->enqueue_many_copies(engine_.queue, elements, wait);
  }

  /// @}
  /// @name Dequeue
  /// A negative count throws std::invalid_argument, which names the parameter.
  /// @{

  /// Takes one element out and returns it. Blocks while the queue is empty. See BlockingQueue::dequeue().
  [[nodiscard]] Dequeued<T> dequeue(const Wait& wait = Wait::forever) const {
    return Dequeued<T>([&](std::optional<T>& element) { return engine_.dequeue_into(element, wait); });
  }

  /// Takes exactly `count` elements out and returns them. Blocks until `count` elements are available.
  [[nodiscard]] Dequeued<Batch> dequeue_many(Count count, const Wait& wait = Wait::forever) const {
    return batch_by(engine_.table->dequeue_many, count.at_least(0, "dequeue_many: count"), wait);
  }
  /// Takes exactly `count` elements out, into the reused storage of `batch`.
  QueueStatus dequeue_many(Count count, Batch& batch, const Wait& wait = Wait::forever) const {
    return engine_.table->dequeue_many(engine_.queue, count.at_least(0, "dequeue_many: count"), batch, wait);
  }

  /// Takes `count` elements out, or the remaining ones if no more can arrive.
  [[nodiscard]] Dequeued<Batch> dequeue_up_to(Count count, const Wait& wait = Wait::forever) const {
    return batch_by(engine_.table->dequeue_up_to, count.at_least(0, "dequeue_up_to: count"), wait);
  }
  /// Takes `count` elements out, or the remaining ones, into the reused storage of `batch`.
  QueueStatus dequeue_up_to(Count count, Batch& batch, const Wait& wait = Wait::forever) const {
    return engine_.table->dequeue_up_to(engine_.queue, count.at_least(0, "dequeue_up_to: count"), batch, wait);
  }

  /// Takes the elements out that are available now: at least one, at most `count`. Blocks only while there is none.
  [[nodiscard]] Dequeued<Batch> dequeue_available(Count count, const Wait& wait = Wait::forever) const {
    return batch_by(engine_.table->dequeue_available, count.at_least(0, "dequeue_available: count"), wait);
  }
  /// Takes the elements out that are available now, into the reused storage of `batch`.
  QueueStatus dequeue_available(Count count, Batch& batch, const Wait& wait = Wait::forever) const {
    return engine_.table->dequeue_available(engine_.queue, count.at_least(0, "dequeue_available: count"), batch, wait);
  }

  /// @}
  /// @name Close
  /// @{

  /// Closes the queue. Pending enqueues complete when there is room. See BlockingQueue::close().
  void close() const noexcept { engine_.table->close(engine_.queue); }
  /// Closes the queue and cancels pending enqueues: they return `closed`.
  void close(CancelPendingEnqueues) const noexcept { engine_.table->cancel(engine_.queue); }
  /// Closes the queue, cancels pending enqueues, and destroys the stored elements. See BlockingQueue::close().
  void close(DiscardElements) const noexcept { engine_.table->discard(engine_.queue); }
  /// Closes the queue because of a failure: dequeues throw `cause` where they would return `closed`.
  void close(std::exception_ptr cause) const noexcept { engine_.table->fail(engine_.queue, std::move(cause)); }

  /// @}
  /// @name Producers and consumers
  /// The handle refers to the queue, whatever this QueueRef refers to later.
  /// @{

  /// Returns a handle that enqueues, and keeps the queue open until it ends. See BlockingQueue::producer().
  [[nodiscard]] Producer<QueueRef> producer() const {
    return Producer<QueueRef>(*this, engine_.table->hold_open_for_producer(engine_.queue));
  }
  /// Returns `count` producers, one for each thread that fills the queue. See BlockingQueue::producers().
  [[nodiscard]] std::vector<Producer<QueueRef>> producers(Count count) const {
    return detail::create_handles(count.at_least(1, "producers: count"), [this] { return producer(); });
  }

  /// Returns a handle that dequeues. When the last consumer has ended, the queue closes. See BlockingQueue::consumer().
  [[nodiscard]] Consumer<QueueRef> consumer() const noexcept {
    return Consumer<QueueRef>(*this, engine_.table->hold_open_for_consumer(engine_.queue));
  }
  /// Returns a handle that also destroys the stored elements if it is the last consumer to end.
  [[nodiscard]] Consumer<QueueRef> consumer(DiscardElements) const noexcept {
    return Consumer<QueueRef>(*this, engine_.table->hold_open_for_discarding_consumer(engine_.queue));
  }
  /// Returns `count` consumers, one for each thread that empties the queue. See BlockingQueue::consumers().
  [[nodiscard]] std::vector<Consumer<QueueRef>> consumers(Count count) const {
    return detail::create_handles(count.at_least(1, "consumers: count"), [this] { return consumer(); });
  }
  /// Returns `count` consumers, of which the last one to end also destroys the stored elements.
  [[nodiscard]] std::vector<Consumer<QueueRef>> consumers(Count count, DiscardElements discard) const {
    return detail::create_handles(count.at_least(1, "consumers: count"),
                                  [this, discard] { return consumer(discard); });
  }

  /// @}
  /// @name Snapshots
  /// Each value was correct when it was taken, and may be out of date when the call returns.
  /// @{

  /// Returns whether close() was called.
  [[nodiscard]] bool is_closed() const noexcept { return engine_.table->is_closed(engine_.queue); }
  /// @cond
  [[nodiscard]] bool closed() const = delete;  // forebay: is_closed()
  /// @endcond
  /// Returns how many elements are stored.
  [[nodiscard]] std::size_t size() const noexcept { return engine_.table->size(engine_.queue); }
  /// Returns how many elements the queue can store; the largest `std::size_t` if it is unbounded.
  [[nodiscard]] std::size_t capacity() const noexcept { return engine_.table->capacity(engine_.queue); }
  /// Returns how many threads wait for room.
  [[nodiscard]] std::size_t waiting_producers() const noexcept {
    return engine_.table->waiting_producers(engine_.queue);
  }
  /// Returns how many threads wait for elements.
  [[nodiscard]] std::size_t waiting_consumers() const noexcept {
    return engine_.table->waiting_consumers(engine_.queue);
  }
  /// Returns how many elements have passed through, which side waited, and for how long.
  [[nodiscard]] QueueStatistics statistics() const noexcept { return engine_.table->statistics(engine_.queue); }

  /// @}
  /// @name Iteration
  /// The loop refers to the queue, whatever this QueueRef refers to later.
  /// @{

  /// Returns an iterator that dequeues: `for (auto&& element : queue)` ends when the queue is closed and drained. If it
  /// was closed with a cause, the loop throws the cause at the end.
  [[nodiscard]] auto begin() const { return detail::ElementIterator<QueueRef>(*this); }
  /// Returns the sentinel that an iterator equals once the queue is closed and drained.
  [[nodiscard]] std::default_sentinel_t end() const noexcept { return {}; }

  /// Returns a range that dequeues batches of `count` elements and reuses their storage.
  ///
  /// `for (auto&& batch : queue.batches(32))` gives a `std::vector<T>&` in each iteration. The last batch may be
  /// smaller. Throws std::invalid_argument if `count` is less than 1.
  [[nodiscard]] Batches batches(Count count, Wait wait = Wait::forever) const {
    return Batches(*this, count, Remainder::deliver, std::move(wait));
  }
  /// Returns a range of batches. With Remainder::drop, elements that do not fill a batch stay in the queue.
  [[nodiscard]] Batches batches(Count count, Remainder remainder, Wait wait = Wait::forever) const {
    return Batches(*this, count, remainder, std::move(wait));
  }
  /// @}

  /// @cond
  // ---- For QueueRunner

  /// Holds the queue open, whatever this QueueRef refers to later.
  [[nodiscard]] detail::OpenHold hold_open() const noexcept { return engine_.table->hold_open(engine_.queue); }
  /// @endcond

 private:
  friend detail::Inside;

  template <class DequeueBatch>
  Dequeued<Batch> batch_by(DequeueBatch dequeue_batch, std::size_t count, const Wait& wait) const {
    return Dequeued<Batch>([&](std::optional<Batch>& batch) {
      const QueueStatus status = dequeue_batch(engine_.queue, count, batch.emplace(), wait);
      if (status != QueueStatus::ok) batch.reset();
      return status;
    });
  }

  detail::ErasedQueue<T, Sync> engine_;
};

namespace detail {

template <class Ref>
inline constexpr bool is_queue_ref = false;
template <class T, class Sync>
inline constexpr bool is_queue_ref<QueueRef<T, Sync>> = true;

/// A list of QueueRefs of one T: a std::vector, std::array or std::span of them.
template <class Range>
concept RangeOfQueueRefs = std::ranges::contiguous_range<Range> && std::ranges::sized_range<Range> &&
    is_queue_ref<std::ranges::range_value_t<Range>>;

template <std::integral Index, class Ref>
Ref chosen_from(Index index, std::span<const Ref> queues) {
  if (queues.empty()) reject({"from_list needs at least 1 queue, not 0"});
  if (std::cmp_less(index, 0) || std::cmp_greater_equal(index, queues.size())) {
    throw std::out_of_range("forebay: from_list: index " + std::to_string(index) + " is not in a list of " +
                            std::to_string(queues.size()) + " queues");
  }
  return queues[static_cast<std::size_t>(index)];
}

}  // namespace detail

/// Returns the queue at `index`, counted from 0: `from_list<int>(1, {fifo, shuffled})`.
///
/// The queues may differ in kind and capacity. Throws std::out_of_range if `index` is not in the list,
/// std::invalid_argument if the list is empty. (TensorFlow: `QueueBase.from_list`. Here the compiler checks that the
/// queues have the same element type.)
template <class T, class Sync = StdSync, std::integral Index>
[[nodiscard]] QueueRef<T, Sync> from_list(Index index,
                                          std::type_identity_t<std::initializer_list<QueueRef<T, Sync>>> queues) {
  return detail::chosen_from(+index, std::span(queues.begin(), queues.size()));
}

/// Returns the queue at `index` of a list made at run time, such as a `std::vector<QueueRef<int>>`.
template <std::integral Index, detail::RangeOfQueueRefs Queues>
[[nodiscard]] std::ranges::range_value_t<Queues> from_list(Index index, const Queues& queues) {
  return detail::chosen_from(+index, std::span(std::ranges::data(queues), std::ranges::size(queues)));
}

}  // namespace forebay::FOREBAY_ABI

/// @cond
// size() of a queue is not how many elements an iteration delivers.
template <class T, class Sync>
inline constexpr bool std::ranges::disable_sized_range<forebay::QueueRef<T, Sync>> = true;
/// @endcond

#endif  // FOREBAY_QUEUE_REF_HPP
