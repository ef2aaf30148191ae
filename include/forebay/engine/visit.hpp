// SPDX-License-Identifier: MIT
//
// visit.hpp: Visit, one look of a waiting call at its queue. A call that blocks a thread (wait_loop.hpp) and a call
// that is suspended (suspended_call.hpp) wait by visits.
//
// Why no waiter is forgotten:
//  - A visit to a queue joins its wait queue, or stays in it, looks, and settles before it unlocks: from then on the
//    thread that supplies that queue chooses the waiter and signals it. The signal is sticky: if it comes before the
//    call is ready for it, the queue is visited again.
//  - No thread holds the locks of two queues, or any lock while it waits. So no order between queues is needed.
//  - Each choice is followed by one signal to that waiter. A visit that finds its waiter chosen needs that signal
//    before it lets the waiter be chosen again or go. So no thread touches a waiter after its call is over. The signal
//    to a thread arrives soon, because the thread that sends it waits for nothing before. A suspended call receives it
//    when the coroutines before it are suspended, and no thread waits for that, apart from one that destroys it.

#ifndef FOREBAY_ENGINE_VISIT_HPP
#define FOREBAY_ENGINE_VISIT_HPP

#include <exception>
#include <optional>
#include <utility>

#include "forebay/base/thread_annotations.hpp"
#include "forebay/engine/place.hpp"
#include "forebay/engine/sides.hpp"
#include "forebay/engine/wait_queue.hpp"
#include "forebay/engine/waiter.hpp"
#include "forebay/engine/wake_list.hpp"
#include "forebay/queue_status.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Holds both locks. Its end wakes the waiters that can be served. Code that uses both_ is not analysed.
template <class Sync>
class Visit {
 public:
  [[gnu::noinline]] explicit Visit(Place<Sync>& place) noexcept : place_(place), both_(*place.sides) {}
  [[gnu::noinline]] ~Visit() { place_.sides->settle(wake_list_); }
  Visit(const Visit&) = delete;
  Visit& operator=(const Visit&) = delete;

  /// Returns whether the waiter was chosen or dismissed, so that its signal must arrive before the call looks or
  /// leaves.
  [[nodiscard]] bool needs_signal() const noexcept { return place_.waiter.is_signalled(); }

  /// Waits for that signal, by `await()`, without the locks.
  template <class Await>
  void receive_signal(Await await) noexcept FOREBAY_NO_THREAD_SAFETY_ANALYSIS {
    if (!needs_signal()) return;
    place_.sides->unlock();
    await();
    place_.sides->lock();
  }

  /// Joins, if it has not joined yet, and looks. Leaves if the call is over, or if this is the last look.
  std::optional<QueueStatus> look(bool is_last, std::exception_ptr& cause) FOREBAY_NO_THREAD_SAFETY_ANALYSIS {
    Waiter<Sync>& waiter = place_.waiter;
    if (waiter.state == WaiterState::outside && !join()) return QueueStatus::closed;
    if (waiter.was_dismissed()) {
      leave();
      return QueueStatus::closed;
    }
    std::optional<QueueStatus> status;
    try {
      status = place_.hook->look(waiter, cause);
    } catch (...) {
      leave();
      throw;
    }
    const bool is_moving = !status && place_.hook->is_moving();
    if (status || (is_last && !is_moving)) {
      leave();
    } else {
      queue().look_again(waiter);  // only who stays: who leaves a long queue must not look for the next one in it
      if (!is_moving && !place_.waits_since)
        place_.waiting().begin_wait(place_.waits_since.emplace(Sync::clock::now()));
    }
    return status;
  }

  [[gnu::noinline]] void leave() noexcept FOREBAY_NO_THREAD_SAFETY_ANALYSIS {
    if (place_.waiter.is_in_queue()) {
      if (place_.waiter.accumulates && place_.waiter.is_half_done()) place_.sides->consumers.store.put_back();
      queue().leave(place_.waiter);
    }
    place_.waiter.state = WaiterState::outside;
    place_.has_joined = false;
    if (place_.waits_since) place_.waiting().end_wait(*std::exchange(place_.waits_since, std::nullopt));
  }

  /// Lets a half-done waiter attend until the next visit. Returns whether it is half done.
  bool attend() noexcept {
    if (!place_.has_joined || !place_.waiter.is_half_done()) return false;
    place_.waiter.state = WaiterState::attending;
    return true;
  }

 private:
  [[nodiscard]] WaitQueue<Sync>& queue() const noexcept { return place_.waiting().queue; }

  /// Joins the wait queue. Returns false instead if the call is a producer and the queue is closed.
  bool join() noexcept FOREBAY_REQUIRES(place_.sides->producers.lock, place_.sides->consumers.lock) {
    if (place_.produces && place_.sides->producers.closed) return false;
    queue().join(place_.waiter);
    place_.has_joined = true;
    return true;
  }

  Place<Sync>& place_;
  WakeList<Sync> wake_list_;
  BothSides<Sync> both_;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_ENGINE_VISIT_HPP
