// SPDX-License-Identifier: MIT
//
// queue_ref.hpp: QueueRef<T>, a reference to a queue of T of any kind, and from_list, which chooses one of several
// queues at run time.
//
//   void feed(forebay::QueueRef<Image> queue);        // takes a FIFOQueue<Image>, a RandomShuffleQueue<Image>, ...
//   auto images = forebay::from_list<Image>(shuffle ? 1 : 0, {in_order, shuffled});
//
// When to use: where the kind of a queue is decided at run time, or is none of a function's business. When not: where
// it is known at compile time; a call through a QueueRef is a call through a pointer to a function.
//
// Lifetime: it does not own the queue, which has to outlive it. It is two pointers, made without allocation, and
// copied like a std::span. A QueueRef can stand in for a queue in a QueueRunner or a Coordinator: those refer to the
// QueueRef itself, which then has to outlive them as a queue would.
//
// Thread safety: that of the queue. Assigning to a QueueRef while another thread uses that same QueueRef is a race.

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
#include "forebay/count.hpp"
#include "forebay/handle/erased_queue.hpp"
#include "forebay/handle/queue_table.hpp"
#include "forebay/queue/inside.hpp"
#include "forebay/queue/queue_ranges.hpp"
#include "forebay/queue_status.hpp"
#include "forebay/statistics.hpp"
#include "forebay/sync.hpp"
#include "forebay/version.hpp"
#include "forebay/wait.hpp"

namespace forebay::FOREBAY_ABI {

/// Guarantees: each member function does what BlockingQueue's of the same name does, with the same result in each
/// state. Batches are std::vector<T>, whatever kind of batch the queue itself prefers. As with every reference, a
/// const one can change what it refers to.
template <class T, class Sync = StdSync>
class QueueRef {
 public:
  using value_type = T;
  using Wait = BasicWait<Sync>;
  using Batch = std::vector<T>;
  using Batches = detail::Batches<const QueueRef>;

  /// Refers to `queue`. Implicit, as a reference should be.
  template <class Discipline>
  QueueRef(BlockingQueue<T, Discipline, Sync>& queue) noexcept
      : engine_{std::addressof(queue), &detail::queue_table<T, Discipline, Sync>} {}

  // ---- Enqueue ----

  /// Puts `element` in; blocks while the queue is full. If the status is not ok, `element` is untouched.
  QueueStatus enqueue(T&& element, const Wait& wait = Wait::forever) const {
    return engine_.table->enqueue(engine_.queue, std::move(element), wait);
  }
  QueueStatus enqueue(const T& element,
                      const Wait& wait = Wait::forever) const requires std::is_copy_constructible_v<T> {
    return engine_.table->enqueue_copy(engine_.queue, element, wait);
  }
  template <detail::Mutilates<T> Argument>
  QueueStatus enqueue(Argument, const Wait& = Wait::forever) const = delete;  // forebay: convert it to value_type

  /// Puts the elements in, in their order and with no other enqueue's in between: moved from a vector that is given
  /// away, copied from any other contiguous range. Those that did not go in are untouched.
  EnqueueManyResult enqueue_many(std::vector<T>&& elements, const Wait& wait = Wait::forever) const {
    return engine_.table->enqueue_many(engine_.queue, std::move(elements), wait);
  }
  EnqueueManyResult enqueue_many(std::span<const T> elements,
                                 const Wait& wait = Wait::forever) const requires std::is_copy_constructible_v<T> {
    return engine_.table->enqueue_many_copies(engine_.queue, elements, wait);
  }

  // ---- Dequeue: a negative count is a std::invalid_argument that names it ----

  /// Takes one element out; blocks while there is none.
  [[nodiscard]] Dequeued<T> dequeue(const Wait& wait = Wait::forever) const {
    return Dequeued<T>([&](std::optional<T>& element) { return engine_.dequeue_into(element, wait); });
  }

  /// Takes exactly `count` elements out; blocks until there are so many.
  [[nodiscard]] Dequeued<Batch> dequeue_many(Count count, const Wait& wait = Wait::forever) const {
    return batch_by(engine_.table->dequeue_many, count.at_least(0, "dequeue_many: count"), wait);
  }
  QueueStatus dequeue_many(Count count, Batch& batch, const Wait& wait = Wait::forever) const {
    return engine_.table->dequeue_many(engine_.queue, count.at_least(0, "dequeue_many: count"), batch, wait);
  }

  /// Like dequeue_many, but when no more can come takes what is left, at most `count`.
  [[nodiscard]] Dequeued<Batch> dequeue_up_to(Count count, const Wait& wait = Wait::forever) const {
    return batch_by(engine_.table->dequeue_up_to, count.at_least(0, "dequeue_up_to: count"), wait);
  }
  QueueStatus dequeue_up_to(Count count, Batch& batch, const Wait& wait = Wait::forever) const {
    return engine_.table->dequeue_up_to(engine_.queue, count.at_least(0, "dequeue_up_to: count"), batch, wait);
  }

  /// Takes what is there now, at least one element and at most `count`; blocks only while there is none.
  [[nodiscard]] Dequeued<Batch> dequeue_available(Count count, const Wait& wait = Wait::forever) const {
    return batch_by(engine_.table->dequeue_available, count.at_least(0, "dequeue_available: count"), wait);
  }
  QueueStatus dequeue_available(Count count, Batch& batch, const Wait& wait = Wait::forever) const {
    return engine_.table->dequeue_available(engine_.queue, count.at_least(0, "dequeue_available: count"), batch, wait);
  }

  // ---- Close ----

  /// Closes the queue; enqueues that wait complete.
  void close() const noexcept { engine_.table->close(engine_.queue); }
  /// The same, and enqueues that wait return closed.
  void close(CancelPendingEnqueues) const noexcept { engine_.table->cancel(engine_.queue); }
  /// The same, because something failed: dequeues throw `cause` where they would return closed.
  void close(std::exception_ptr cause) const noexcept { engine_.table->fail(engine_.queue, std::move(cause)); }

  // ---- Snapshots ----

  [[nodiscard]] bool is_closed() const noexcept { return engine_.table->is_closed(engine_.queue); }
  [[nodiscard]] std::size_t size() const noexcept { return engine_.table->size(engine_.queue); }
  [[nodiscard]] std::size_t capacity() const noexcept { return engine_.table->capacity(engine_.queue); }
  [[nodiscard]] std::size_t waiting_producers() const noexcept {
    return engine_.table->waiting_producers(engine_.queue);
  }
  [[nodiscard]] std::size_t waiting_consumers() const noexcept {
    return engine_.table->waiting_consumers(engine_.queue);
  }
  [[nodiscard]] QueueStatistics statistics() const noexcept { return engine_.table->statistics(engine_.queue); }

  // ---- Iteration: the loop refers to this QueueRef, which therefore must not be a temporary ----

  /// `for (auto&& element : queue)`: dequeues until the queue is closed and drained, then ends, or throws the cause.
  [[nodiscard]] auto begin() const& { return detail::ElementIterator<const QueueRef>(*this); }
  [[nodiscard]] auto begin() const&& = delete;
  [[nodiscard]] std::default_sentinel_t end() const noexcept { return {}; }

  /// `for (auto&& batch : queue.batches(32))`: a std::vector<T>& of `count` elements each time, its storage used
  /// again. Throws std::invalid_argument if count < 1.
  [[nodiscard]] Batches batches(Count count, Wait wait = Wait::forever) const& {
    return Batches(*this, count, Remainder::deliver, std::move(wait));
  }
  [[nodiscard]] Batches batches(Count count, Remainder remainder, Wait wait = Wait::forever) const& {
    return Batches(*this, count, remainder, std::move(wait));
  }
  [[nodiscard]] Batches batches(Count count, Wait wait = Wait::forever) const&& = delete;
  [[nodiscard]] Batches batches(Count count, Remainder remainder, Wait wait = Wait::forever) const&& = delete;

  // ---- For forebay's own QueueRunner

  /// Holds the queue open, whatever this QueueRef refers to later.
  [[nodiscard]] detail::OpenHold hold_open() const noexcept { return engine_.table->hold_open(engine_.queue); }

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

/// The queue at `index`, counted from 0: `from_list<int>(1, {fifo, shuffled})`. The queues may be of different kinds
/// and capacities.
///
/// Throws std::out_of_range if the list is not so long, std::invalid_argument if it is empty. (TensorFlow:
/// QueueBase.from_list. That the queues have the same element type, the compiler checks.)
template <class T, class Sync = StdSync, std::integral Index>
[[nodiscard]] QueueRef<T, Sync> from_list(Index index,
                                          std::type_identity_t<std::initializer_list<QueueRef<T, Sync>>> queues) {
  return detail::chosen_from(+index, std::span(queues.begin(), queues.size()));
}

/// The same for a list that is made at run time: `from_list(index, queues)` with a std::vector<QueueRef<int>>.
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
