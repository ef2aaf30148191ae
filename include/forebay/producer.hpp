// SPDX-License-Identifier: MIT

/// @file
/// Defines Producer, a handle through which one thread fills a queue, and ProducerAbandonedError.
///
/// A queue closes when the last of its producers has ended. So no thread has to know whether it is the last one.
///
/// @code
/// forebay::FIFOQueue<Image> queue(100);
/// for (std::size_t i = 0; auto& producer : queue.producers(files.size())) {
///   coordinator.launch("reader", [producer = std::move(producer), file = files[i++]]() mutable {
///     producer.run([&] {
///       for (auto& image : read(file)) {
///         if (producer.enqueue(std::move(image)) != QueueStatus::ok) break;  // closed: nobody wants more
///       }
///     });
///   });
/// }
/// for (auto&& image : queue) train(image);  // ends when the last reader has ended; throws what a reader threw
/// @endcode
///
/// Create all producers before the first thread starts, as producers() does. If one thread ended before the next
/// producer exists, the queue would close; producer() then throws std::logic_error.
///
/// When to use: if several threads of your own fill a queue, or if one may fail. When not: for a QueueRunner, which
/// holds its queue open in the same way. Producers and runners can fill the same queue.
///
/// Lifetime: the queue must outlive its producers (asserted).
///
/// Thread safety: enqueues may be called from any thread at any time. The other members must not be called
/// concurrently. Give each thread its own producer.

#ifndef FOREBAY_PRODUCER_HPP
#define FOREBAY_PRODUCER_HPP

#include <concepts>
#include <exception>
#include <initializer_list>
#include <optional>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "forebay/base/conversion.hpp"
#include "forebay/base/element_ranges.hpp"
#include "forebay/base/open_hold.hpp"
#include "forebay/base/thread_record.hpp"
#include "forebay/overflow.hpp"
#include "forebay/queue/inside.hpp"
#include "forebay/queue_status.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI {

namespace detail {

/// A queue that knows which element is the oldest.
template <class Queue>
concept QueueThatDrops = requires(Queue& queue, typename Queue::value_type element) {
  queue.enqueue(std::move(element), drop_oldest);
};

}  // namespace detail

/// The cause with which a queue closes if an exception destroys one of its Producers. Dequeues throw it after the
/// stored elements.
///
/// To pass on the exception itself, enqueue inside Producer::run().
struct ProducerAbandonedError : std::runtime_error {
  /// Creates the exception with the default message.
  ProducerAbandonedError()
      : std::runtime_error("forebay: an exception destroyed a producer of the queue; Producer::run passes it on") {}
};

/// Fills a queue, and keeps it open until the handle ends. BlockingQueue::producer() creates one.
///
/// A handle ends at finish(), when it is destroyed, or when another one is assigned to it. After that, and after it was
/// moved from, it refers to no queue: its enqueues return `closed`.
///
/// If an exception destroys the handle (stack unwinding), the queue closes with a ProducerAbandonedError as its cause.
/// Otherwise its consumers would take the failure for the end of the input. This applies to exceptions that were thrown
/// after the handle was created or moved to its place. All other ways in which a handle is destroyed are the end of the
/// input:
///  - An exception does not destroy what a thread's function captures. Call run() there.
///  - An exception does not destroy the parameters of a coroutine: the frame destroys them later. Catch the exception
///    in the coroutine, and call fail().
///  - Destroying a suspended coroutine destroys its handles like a return. If its input is incomplete, call fail() or
///    close the queue with a cause before.
///
/// A coroutine that forebay resumes is judged by its own exceptions only. If a pool or another awaitable resumes the
/// coroutine in a thread that is unwinding its stack, forebay cannot tell. The coroutine's producers then end as if
/// that exception had destroyed them. To be safe, end the producers of such coroutines by finish() or fail().
template <class Queue>
class Producer {
 public:
  using value_type = typename Queue::value_type;  ///< The type of the elements.
  using Wait = typename Queue::Wait;              ///< How long a call may block.

  /// Creates a handle that refers to no queue.
  Producer() = default;

  /// Takes over the queue of `other`.
  Producer(Producer&& other) noexcept
      : queue_(std::exchange(other.queue_, detail::QueuePointer<Queue>())), hold_(std::move(other.hold_)) {}
  /// Ends this handle, and takes over the queue of `other`.
  Producer& operator=(Producer&& other) noexcept {
    if (this == &other) return *this;
    end();
    queue_ = std::exchange(other.queue_, detail::QueuePointer<Queue>());
    hold_ = std::move(other.hold_);
    exceptions_ = uncaught_exceptions();
    return *this;
  }

  /// Ends the handle, as finish() does. If an exception destroys it, closes the queue with a ProducerAbandonedError.
  ~Producer() { end(); }

  /// @name Enqueue
  /// Each call does what the member function of BlockingQueue with the same name does, and returns `closed` if the
  /// handle refers to no queue.
  /// @{

  /// Stores `element`, moved from the argument. Blocks while the queue is full. If the status is not `ok`, `element` is
  /// untouched.
  QueueStatus enqueue(value_type&& element, const Wait& wait = Wait::forever) const {
    return queue_ ? queue_->enqueue(std::move(element), wait) : QueueStatus::closed;
  }
  /// Stores a copy of `element`. Blocks while the queue is full.
  QueueStatus enqueue(const value_type& element,
                      const Wait& wait = Wait::forever) const requires std::is_copy_constructible_v<value_type> {
    return queue_ ? queue_->enqueue(element, wait) : QueueStatus::closed;
  }

  /// Stores `element` if there is room, and drops it otherwise. Never waits.
  QueueStatus enqueue(value_type&& element, DropNewest policy) const requires detail::QueueThatDrops<Queue> {
    return queue_ ? queue_->enqueue(std::move(element), policy) : QueueStatus::closed;
  }
  /// Stores a copy of `element` if there is room. Never waits.
  QueueStatus enqueue(const value_type& element, DropNewest policy)
      const requires detail::QueueThatDrops<Queue> && std::is_copy_constructible_v<value_type> {
    return queue_ ? queue_->enqueue(element, policy) : QueueStatus::closed;
  }

  /// Stores `element`, and removes the oldest element if the queue is full. Never waits.
  QueueStatus enqueue(value_type&& element, DropOldest policy) const requires detail::QueueThatDrops<Queue> {
    return queue_ ? queue_->enqueue(std::move(element), policy) : QueueStatus::closed;
  }
  /// Stores a copy of `element`, and removes the oldest element if the queue is full. Never waits.
  QueueStatus enqueue(const value_type& element, DropOldest policy)
      const requires detail::QueueThatDrops<Queue> && std::is_copy_constructible_v<value_type> {
    return queue_ ? queue_->enqueue(element, policy) : QueueStatus::closed;
  }
  /// Stores `element`, and moves the oldest element into `dropped` if the queue is full. Never waits.
  QueueStatus enqueue(value_type&& element, DropOldest policy,
                      std::optional<value_type>& dropped) const requires detail::QueueThatDrops<Queue> {
    return queue_ ? queue_->enqueue(std::move(element), policy, dropped) : QueueStatus::closed;
  }
  /// Stores a copy of `element`, and moves the oldest element into `dropped` if the queue is full. Never waits.
  QueueStatus enqueue(const value_type& element, DropOldest policy, std::optional<value_type>& dropped)
      const requires detail::QueueThatDrops<Queue> && std::is_copy_constructible_v<value_type> {
    return queue_ ? queue_->enqueue(element, policy, dropped) : QueueStatus::closed;
  }

  /// @cond
  template <detail::NoElement<value_type> Argument>
  QueueStatus enqueue(Argument&&, const Wait& = Wait::forever) const = delete;  // forebay: convert or move it
  template <detail::NoElement<value_type> Argument, detail::OverflowPolicy Policy, class... Dropped>
  QueueStatus enqueue(Argument&&, Policy, Dropped&...) const = delete;  // forebay: convert or move it
  template <detail::OverflowPolicy Policy, class... Dropped>
  QueueStatus enqueue(const value_type&, Policy, Dropped&...) const = delete;  // forebay: only a FIFO queue has these
  /// @endcond

  /// Stores the elements of `range` in their order, with no element of another call in between. Waits for room.
  template <detail::RangeOfElementsFor<value_type> Range>
  EnqueueManyResult enqueue_many(Range&& range, const Wait& wait = Wait::forever) const {
    return queue_ ? queue_->enqueue_many(std::forward<Range>(range), wait) : nothing_stored();
  }
  /// Stores copies of `elements`: `producer.enqueue_many({1, 2, 3})`.
  EnqueueManyResult enqueue_many(std::initializer_list<value_type> elements, const Wait& wait = Wait::forever)
      const requires std::is_copy_constructible_v<value_type> {
    return enqueue_many(std::span<const value_type>(elements.begin(), elements.size()), wait);
  }

  /// @cond
  template <detail::RangeOfNoElementsFor<value_type> Range>
  EnqueueManyResult enqueue_many(Range&&,
                                 const Wait& = Wait::forever) const = delete;  // forebay: convert its elements
  /// @endcond

  /// @}
  /// @name Await
  /// For coroutines; needs `#include <forebay/async.hpp>`. Each call does what the member function of BlockingQueue
  /// with the same name does, and returns `closed` if the handle refers to no queue. The lazy object refers to the
  /// queue, not to the handle. A producer of a QueueRef has none of these calls.
  /// @{

  /// Awaits room, and stores `element`, moved from the argument. If the status is not `ok`, `element` is untouched.
  template <class Sync = detail::SyncOf<Queue>>
  [[nodiscard]] auto async_enqueue(value_type&& element, const detail::AwaitedBy<Sync>& options = {}) const {
    return detail::Async<Sync>::of_handle(
        queue_, [&](Queue& queue) { return queue.async_enqueue(std::move(element), options); });
  }
  /// Awaits room, and stores a copy of `element`, which the lazy object holds.
  template <class Sync = detail::SyncOf<Queue>>
  [[nodiscard]] auto async_enqueue(const value_type& element, const detail::AwaitedBy<Sync>& options = {})
      const requires std::is_copy_constructible_v<value_type> {
    return detail::Async<Sync>::of_handle(queue_, [&](Queue& queue) { return queue.async_enqueue(element, options); });
  }
  /// @cond
  template <detail::NoElement<value_type> Argument, class Sync = detail::SyncOf<Queue>>
  void async_enqueue(Argument&&, const detail::AwaitedBy<Sync>& = {}) const = delete;  // forebay: convert or move it
  /// @endcond

  /// Awaits room, and stores the elements of `range` in their order. Returns the status and how many were stored.
  template <detail::RangeOfElementsFor<value_type> Range, class Sync = detail::SyncOf<Queue>>
  [[nodiscard]] auto async_enqueue_many(Range&& range, const detail::AwaitedBy<Sync>& options = {}) const {
    return detail::Async<Sync>::of_handle(
        queue_, [&](Queue& queue) { return queue.async_enqueue_many(std::forward<Range>(range), options); });
  }
  /// @cond
  template <detail::RangeOfNoElementsFor<value_type> Range, class Sync = detail::SyncOf<Queue>>
  void async_enqueue_many(Range&&,
                          const detail::AwaitedBy<Sync>& = {}) const = delete;  // forebay: convert its elements
  /// @endcond

  /// @}

  /// Calls `function()`, and returns its result. If it throws, closes the queue with that exception as the cause, ends
  /// the handle, and rethrows.
  ///
  /// Every exception is a failure, also an OutOfRangeError. After a success, the handle refers to the queue as before.
  ///
  /// @code
  /// producer.run([&] {
  ///   while (auto image = read_next()) {
  ///     if (producer.enqueue(*std::move(image)) != QueueStatus::ok) break;
  ///   }
  /// });
  /// @endcode
  template <std::invocable Function>
  std::invoke_result_t<Function> run(Function&& function) {
    try {
      return std::forward<Function>(function)();
    } catch (...) {
      fail(std::current_exception());
      throw;
    }
  }

  /// Closes the queue because of a failure, and ends the handle. Dequeues deliver the stored elements, then throw
  /// `cause`.
  ///
  /// Pending enqueues of all producers return `closed`. If `cause` is null, it is a ProducerAbandonedError instead.
  /// Does nothing if the handle refers to no queue. A coroutine passes on what its body throws like this:
  ///
  /// @code
  /// Task read(forebay::FIFOQueue<Image>::Producer producer) {
  ///   try {
  ///     while (auto image = read_next()) {
  ///       if (co_await producer.async_enqueue(*std::move(image)) != QueueStatus::ok) co_return;
  ///     }
  ///   } catch (...) {
  ///     producer.fail(std::current_exception());
  ///   }
  /// }
  /// @endcode
  void fail(std::exception_ptr cause) noexcept {
    const Producer ended(std::move(*this));  // because a coroutine that close() resumes may use this handle
    if (ended.queue_) ended.queue_->close(cause != nullptr ? std::move(cause) : abandoned());
  }

  /// Ends the handle. If it was the last one that kept the queue open, the queue closes; pending enqueues complete.
  void finish() noexcept {
    queue_ = detail::QueuePointer<Queue>();
    hold_.finish();
  }

 private:
  friend Queue;

  Producer(detail::QueuePointer<Queue> queue, detail::OpenHold hold) noexcept
      : queue_(queue), hold_(std::move(hold)) {}

  void end() noexcept {
    if (queue_ && uncaught_exceptions() > exceptions_) fail(nullptr);
    finish();
  }

  /// Returns the error; std::bad_alloc if there is no memory for it.
  [[nodiscard]] static std::exception_ptr abandoned() noexcept {
    try {
      throw ProducerAbandonedError();
    } catch (...) {
      return std::current_exception();
    }
  }

  [[nodiscard]] static int uncaught_exceptions() noexcept {
    return detail::ThreadRecord<detail::SyncOf<Queue>>::uncaught_exceptions();
  }

  [[nodiscard]] static EnqueueManyResult nothing_stored() noexcept { return {QueueStatus::closed, 0}; }

  detail::QueuePointer<Queue> queue_{};
  detail::OpenHold hold_;
  int exceptions_ = uncaught_exceptions();  // in this thread, when the handle was created or moved to its place
};

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_PRODUCER_HPP
