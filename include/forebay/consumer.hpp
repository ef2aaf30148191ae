// SPDX-License-Identifier: MIT

/// @file
/// Defines Consumer, a handle through which one thread empties a queue.
///
/// When the last consumer of a queue has ended, its producers need not wait any longer: the queue closes, and enqueues
/// return `closed`.
///
/// @code
/// for (auto&& image : queue.consumer()) {
///   if (!train(image)) break;  // the producers' next enqueue returns `closed`
/// }
/// @endcode
///
/// For several threads, create all consumers before the first thread starts: consumers() returns one for each thread.
/// With consumers(n, discard_elements), the last one to end also destroys what is stored, such as requests whose
/// senders would wait for an answer for ever.
///
/// When to use: if consumers may end before the producers: after an error, a break or a return. When not: if the
/// consumers always drain the queue.
///
/// Lifetime: the queue must outlive its consumers (asserted). dequeue_any() takes queues, not consumers; keep a
/// consumer of each queue meanwhile.
///
/// Thread safety: dequeues may be called from any thread at any time. The other members must not be called
/// concurrently. Give each thread its own consumer.

#ifndef FOREBAY_CONSUMER_HPP
#define FOREBAY_CONSUMER_HPP

#include <iterator>
#include <utility>

#include "forebay/base/open_hold.hpp"
#include "forebay/count.hpp"
#include "forebay/engine/transfer.hpp"
#include "forebay/queue/inside.hpp"
#include "forebay/queue/queue_ranges.hpp"
#include "forebay/queue_status.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI {

/// Empties a queue. BlockingQueue::consumer() creates one.
///
/// A handle ends at finish(), when it is destroyed, or when another one is assigned to it. After that, and after it was
/// moved from, it refers to no queue: its dequeues return `closed`, and a loop over it is empty.
template <class Queue>
class Consumer {
 public:
  using value_type = typename Queue::value_type;  ///< The type of the elements.
  using Wait = typename Queue::Wait;              ///< How long a call may block.
  using Batch = typename Queue::Batch;            ///< The type that dequeue_many() returns.
  using Batches = detail::Batches<Queue>;         ///< The range that batches() returns.

  /// Creates a handle that refers to no queue.
  Consumer() = default;

  /// Takes over the queue of `other`.
  Consumer(Consumer&& other) noexcept
      : queue_(std::exchange(other.queue_, detail::QueuePointer<Queue>())), hold_(std::move(other.hold_)) {}
  /// Ends this handle, and takes over the queue of `other`.
  Consumer& operator=(Consumer&& other) noexcept {
    if (this == &other) return *this;
    finish();
    queue_ = std::exchange(other.queue_, detail::QueuePointer<Queue>());
    hold_ = std::move(other.hold_);
    return *this;
  }

  /// Ends the handle, as finish() does.
  ~Consumer() { finish(); }

  /// @name Dequeue
  /// Each call does what the member function of BlockingQueue with the same name does, and returns `closed` if the
  /// handle refers to no queue.
  /// @{

  /// Takes one element out and returns it. Blocks while the queue is empty.
  [[nodiscard]] Dequeued<value_type> dequeue(const Wait& wait = Wait::forever) const {
    return queue_ ? queue_->dequeue(wait) : Dequeued<value_type>(QueueStatus::closed);
  }

  /// Takes exactly `count` elements out and returns them. Blocks until `count` elements are available.
  [[nodiscard]] Dequeued<Batch> dequeue_many(Count count, const Wait& wait = Wait::forever) const {
    return queue_ ? queue_->dequeue_many(count, wait) : Dequeued<Batch>(QueueStatus::closed);
  }
  /// Takes exactly `count` elements out, into the reused storage of `batch`.
  template <detail::BatchOf<value_type> Into>
  QueueStatus dequeue_many(Count count, Into& batch, const Wait& wait = Wait::forever) const {
    return queue_ ? queue_->dequeue_many(count, batch, wait) : emptied(batch);
  }

  /// Takes `count` elements out, or the remaining ones if no more can arrive.
  [[nodiscard]] Dequeued<Batch> dequeue_up_to(Count count, const Wait& wait = Wait::forever) const {
    return queue_ ? queue_->dequeue_up_to(count, wait) : Dequeued<Batch>(QueueStatus::closed);
  }
  /// Takes `count` elements out, or the remaining ones, into the reused storage of `batch`.
  template <detail::BatchOf<value_type> Into>
  QueueStatus dequeue_up_to(Count count, Into& batch, const Wait& wait = Wait::forever) const {
    return queue_ ? queue_->dequeue_up_to(count, batch, wait) : emptied(batch);
  }

  /// Takes the elements out that are available now: at least one, at most `count`. Blocks only while there is none.
  [[nodiscard]] Dequeued<Batch> dequeue_available(Count count, const Wait& wait = Wait::forever) const {
    return queue_ ? queue_->dequeue_available(count, wait) : Dequeued<Batch>(QueueStatus::closed);
  }
  /// Takes the elements out that are available now, into the reused storage of `batch`.
  template <detail::BatchOf<value_type> Into>
  QueueStatus dequeue_available(Count count, Into& batch, const Wait& wait = Wait::forever) const {
    return queue_ ? queue_->dequeue_available(count, batch, wait) : emptied(batch);
  }

  /// @}
  /// @name Await
  /// For coroutines; needs `#include <forebay/async.hpp>`. Each call does what the member function of BlockingQueue
  /// with the same name does, and returns `closed` if the handle refers to no queue. The lazy object refers to the
  /// queue, not to the handle. A consumer of a QueueRef has none of these calls.
  /// @{

  /// Awaits one element, and returns it as a `Dequeued<T>`.
  template <class Sync = detail::SyncOf<Queue>>
  [[nodiscard]] auto async_dequeue(const detail::AwaitedBy<Sync>& options = {}) const {
    return detail::Async<Sync>::of_handle(queue_, [&](Queue& queue) { return queue.async_dequeue(options); });
  }

  /// Awaits exactly `count` elements, and returns them as a `Dequeued<Batch>`.
  template <class Sync = detail::SyncOf<Queue>>
  [[nodiscard]] auto async_dequeue_many(Count count, const detail::AwaitedBy<Sync>& options = {}) const {
    return detail::Async<Sync>::of_handle(queue_,
                                          [&](Queue& queue) { return queue.async_dequeue_many(count, options); });
  }
  /// Awaits exactly `count` elements, and replaces the content of `batch` with them. Returns the status.
  template <detail::BatchOf<value_type> Into, class Sync = detail::SyncOf<Queue>>
  [[nodiscard]] auto async_dequeue_many(Count count, Into& batch, const detail::AwaitedBy<Sync>& options = {}) const {
    if (!queue_) static_cast<void>(emptied(batch));
    return detail::Async<Sync>::of_handle(
        queue_, [&](Queue& queue) { return queue.async_dequeue_many(count, batch, options); });
  }

  /// Awaits `count` elements, or the remaining ones if no more can arrive.
  template <class Sync = detail::SyncOf<Queue>>
  [[nodiscard]] auto async_dequeue_up_to(Count count, const detail::AwaitedBy<Sync>& options = {}) const {
    return detail::Async<Sync>::of_handle(queue_,
                                          [&](Queue& queue) { return queue.async_dequeue_up_to(count, options); });
  }
  /// Awaits `count` elements, or the remaining ones, into the reused storage of `batch`.
  template <detail::BatchOf<value_type> Into, class Sync = detail::SyncOf<Queue>>
  [[nodiscard]] auto async_dequeue_up_to(Count count, Into& batch, const detail::AwaitedBy<Sync>& options = {}) const {
    if (!queue_) static_cast<void>(emptied(batch));
    return detail::Async<Sync>::of_handle(
        queue_, [&](Queue& queue) { return queue.async_dequeue_up_to(count, batch, options); });
  }

  /// Awaits one element, and takes all that are available then, at most `count`.
  template <class Sync = detail::SyncOf<Queue>>
  [[nodiscard]] auto async_dequeue_available(Count count, const detail::AwaitedBy<Sync>& options = {}) const {
    return detail::Async<Sync>::of_handle(queue_,
                                          [&](Queue& queue) { return queue.async_dequeue_available(count, options); });
  }
  /// Awaits one element, and takes all that are available then, into the reused storage of `batch`.
  template <detail::BatchOf<value_type> Into, class Sync = detail::SyncOf<Queue>>
  [[nodiscard]] auto async_dequeue_available(Count count, Into& batch,
                                             const detail::AwaitedBy<Sync>& options = {}) const {
    if (!queue_) static_cast<void>(emptied(batch));
    return detail::Async<Sync>::of_handle(
        queue_, [&](Queue& queue) { return queue.async_dequeue_available(count, batch, options); });
  }

  /// @}
  /// @name Iteration
  /// A loop refers to the queue. If its consumer ends, moves or is assigned to during the loop, the loop still goes on
  /// until the queue is closed and drained. To end a loop early, leave it: `break`.
  /// @{

  /// Returns an iterator that dequeues: `for (auto&& element : queue.consumer())` ends when the queue is closed and
  /// drained. A cause is thrown at the end.
  [[nodiscard]] auto begin() { return detail::ElementIterator<Queue>(queue_); }
  /// Returns the sentinel that an iterator equals once the queue is closed and drained.
  [[nodiscard]] std::default_sentinel_t end() const noexcept { return {}; }

  /// Returns a range that dequeues batches of `count` elements and reuses their storage. See BlockingQueue::batches().
  [[nodiscard]] Batches batches(Count count, Wait wait = Wait::forever) & {
    return Batches(queue_, count, Remainder::deliver, std::move(wait));
  }
  /// Returns a range of batches. With Remainder::drop, elements that do not fill a batch stay in the queue.
  [[nodiscard]] Batches batches(Count count, Remainder remainder, Wait wait = Wait::forever) & {
    return Batches(queue_, count, remainder, std::move(wait));
  }
  /// @}

  /// @cond
  template <class... Arguments>
  Batches batches(Count, Arguments...) && = delete;  // forebay: keep the consumer in a variable, or the queue closes
  /// @endcond

  /// Ends the handle. If it was the last consumer, the queue closes, and pending enqueues return `closed`.
  ///
  /// Does not end a loop over the consumer: the loop takes the remaining elements. Leave it with `break`.
  void finish() noexcept {
    queue_ = detail::QueuePointer<Queue>();
    hold_.finish();
  }

 private:
  friend Queue;

  Consumer(detail::QueuePointer<Queue> queue, detail::OpenHold hold) noexcept
      : queue_(queue), hold_(std::move(hold)) {}

  template <class Into>
  static QueueStatus emptied(Into& batch) {
    const detail::SinkInto<Into> sink(batch);  // empties it
    return QueueStatus::closed;
  }

  detail::QueuePointer<Queue> queue_{};
  detail::OpenHold hold_;
};

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_CONSUMER_HPP
