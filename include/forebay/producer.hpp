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
///     producer.run([&] { for (auto& image : read(file)) producer.enqueue(std::move(image)); });
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
#include "forebay/overflow.hpp"
#include "forebay/queue/inside.hpp"
#include "forebay/queue_status.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI {

/// Closes a queue as its cause if a Producer is destroyed by an exception. Dequeues throw it after the stored elements.
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
/// after the handle was created or moved to its place. An exception does not destroy what a thread's function captures:
/// call run() there.
template <class Queue>
class Producer {
 public:
  using value_type = typename Queue::value_type;  ///< The type of the elements.
  using Wait = typename Queue::Wait;              ///< How long a call may block.

  /// Creates a handle that refers to no queue.
  Producer() = default;

  /// Takes over the queue of `other`.
  Producer(Producer&& other) noexcept
      : queue_(std::exchange(other.queue_, detail::HandleTarget<Queue>())), hold_(std::move(other.hold_)) {}
  /// Ends this handle, and takes over the queue of `other`.
  Producer& operator=(Producer&& other) noexcept {
    if (this == &other) return *this;
    end();
    queue_ = std::exchange(other.queue_, detail::HandleTarget<Queue>());
    hold_ = std::move(other.hold_);
    exceptions_ = std::uncaught_exceptions();
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
  QueueStatus enqueue(value_type&& element, DropNewest policy) const {
    return queue_ ? queue_->enqueue(std::move(element), policy) : QueueStatus::closed;
  }
  /// Stores a copy of `element` if there is room. Never waits.
  QueueStatus enqueue(const value_type& element,
                      DropNewest policy) const requires std::is_copy_constructible_v<value_type> {
    return queue_ ? queue_->enqueue(element, policy) : QueueStatus::closed;
  }

  /// Stores `element`, and removes the oldest element if the queue is full. Never waits.
  QueueStatus enqueue(value_type&& element, DropOldest policy) const {
    return queue_ ? queue_->enqueue(std::move(element), policy) : QueueStatus::closed;
  }
  /// Stores a copy of `element`, and removes the oldest element if the queue is full. Never waits.
  QueueStatus enqueue(const value_type& element,
                      DropOldest policy) const requires std::is_copy_constructible_v<value_type> {
    return queue_ ? queue_->enqueue(element, policy) : QueueStatus::closed;
  }
  /// Stores `element`, and moves the oldest element into `dropped` if the queue is full. Never waits.
  QueueStatus enqueue(value_type&& element, DropOldest policy, std::optional<value_type>& dropped) const {
    return queue_ ? queue_->enqueue(std::move(element), policy, dropped) : QueueStatus::closed;
  }
  /// Stores a copy of `element`, and moves the oldest element into `dropped` if the queue is full. Never waits.
  QueueStatus enqueue(const value_type& element, DropOldest policy,
                      std::optional<value_type>& dropped) const requires std::is_copy_constructible_v<value_type> {
    return queue_ ? queue_->enqueue(element, policy, dropped) : QueueStatus::closed;
  }

  /// @cond
  template <detail::Mutilates<value_type> Argument>
  QueueStatus enqueue(Argument, const Wait& = Wait::forever) const = delete;  // forebay: convert it to value_type
  template <detail::Mutilates<value_type> Argument, detail::OverflowPolicy Policy, class... Dropped>
  QueueStatus enqueue(Argument, Policy, Dropped&...) const = delete;  // forebay: convert it to value_type
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

  /// Calls `function()`, and returns its result. If it throws, closes the queue with that exception as the cause, ends
  /// the handle, and rethrows.
  ///
  /// Every exception is a failure, also an OutOfRangeError. After a success, the handle refers to the queue as before.
  ///
  /// @code
  /// producer.run([&] { while (auto image = read_next()) producer.enqueue(*std::move(image)); });
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

  /// Ends the handle. If it was the last one that kept the queue open, the queue closes; pending enqueues complete.
  void finish() noexcept {
    queue_ = detail::HandleTarget<Queue>();
    hold_.finish();
  }

 private:
  friend Queue;

  Producer(detail::HandleTarget<Queue> queue, detail::OpenHold hold) noexcept
      : queue_(queue), hold_(std::move(hold)) {}

  void end() noexcept {
    if (queue_ && std::uncaught_exceptions() > exceptions_) fail(abandoned());
    finish();
  }

  void fail(std::exception_ptr cause) noexcept {
    if (queue_) queue_->close(std::move(cause));
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

  [[nodiscard]] static EnqueueManyResult nothing_stored() noexcept { return {QueueStatus::closed, 0}; }

  detail::HandleTarget<Queue> queue_{};
  detail::OpenHold hold_;
  int exceptions_ = std::uncaught_exceptions();  // in this thread, when the handle was created or moved to its place
};

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_PRODUCER_HPP
