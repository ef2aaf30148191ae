// SPDX-License-Identifier: MIT
//
// queue_access.hpp: what QueueRef and dequeue_any need of a queue beyond its public members: above all a place in the
// line of its consumers, for a thread that stands in several lines at once.

#ifndef FOREBAY_HANDLE_QUEUE_ACCESS_HPP
#define FOREBAY_HANDLE_QUEUE_ACCESS_HPP

#include <cstdint>
#include <exception>
#include <optional>

#include "forebay/handle/erased_sink.hpp"
#include "forebay/waiting/spin_lock.hpp"
#include "forebay/queue_status.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Locks one queue at a time, and none while it waits for a signal.
template <class Queue>
class QueueAccess {
 public:
  using T = typename Queue::value_type;
  using Wait = typename Queue::Wait;
  using Waiter = typename Queue::Waiter;
  using AdaptiveSpin = typename Queue::AdaptiveSpin;

  static QueueStatus dequeue_into(Queue& queue, std::optional<T>& element, const Wait& wait) {
    return queue.dequeue_into(element, wait);
  }

  /// Takes one element (ok) if it is there and there is nobody to line up behind, or tells that the queue is open and
  /// has none (empty). None: only who stands in line can tell.
  static std::optional<QueueStatus> try_dequeue(Queue& queue, ErasedSink<T>& sink) {
    using Attempt = typename Queue::Attempt;
    const Attempt attempt = queue.try_consume({}, sink);
    if (attempt == Attempt::done) return QueueStatus::ok;
    if (attempt == Attempt::not_now) return QueueStatus::empty;
    return std::nullopt;
  }

  /// Joins the line, if `waiter` is not in it, and looks. Takes one element (ok), or finds that no more can come
  /// (closed, and the cause if there is one), and in either case leaves the line. None: it has to wait, and will be
  /// chosen.
  ///
  /// If a copy or move throws, the element is still there, and the waiter in line.
  static std::optional<QueueStatus> look(Queue& queue, Waiter& waiter, ErasedSink<T>& sink,
                                         std::exception_ptr& cause) {
    typename Queue::WakeList wake_list;
    typename Queue::Sides::Both both(queue.sides_);
    auto& line = queue.sides_.consumers.line;
    const bool was_chosen = receive_signal(line, waiter, both);
    if (!waiter.in_line) line.join(waiter);
    const std::optional<QueueStatus> status = queue.consume_from_line(waiter, sink, cause);
    if (status) {
      line.leave(waiter);
      waiter.has_turn = false;  // it may join again
    } else if (was_chosen) {
      line.overtaken(waiter);
    }
    queue.sides_.settle(wake_list);
    return status;
  }

  /// Leaves the line. What the waiter was chosen for is passed on to the next one.
  static void leave(Queue& queue, Waiter& waiter) noexcept {
    if (!waiter.in_line) return;  // only its own thread lets a consumer join or leave
    typename Queue::WakeList wake_list;
    typename Queue::Sides::Both both(queue.sides_);
    receive_signal(queue.sides_.consumers.line, waiter, both);
    queue.sides_.consumers.line.leave(waiter);
    queue.sides_.settle(wake_list);
  }

  /// How many elements have left the queue so far.
  static std::uint64_t passed(const Queue& queue) noexcept {
    const Guard guard(queue.sides_.consumers.lock);
    return queue.sides_.consumers.store.head().passed();
  }

  static AdaptiveSpin& spin(Queue& queue) noexcept { return queue.sides_.consumers.spin; }

 private:
  /// Whether the waiter was chosen since the last look. Then its signal has come, and it can be chosen again as soon
  /// as the queue is settled.
  template <class Line>
  static bool receive_signal(Line& line, Waiter& waiter, typename Queue::Sides::Both& both) {
    if (!waiter.chosen) return false;
    both.unlock();
    waiter.parker.await_signal();
    both.lock();
    line.stay(waiter);
    return true;
  }
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_HANDLE_QUEUE_ACCESS_HPP
