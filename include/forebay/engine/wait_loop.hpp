// SPDX-License-Identifier: MIT
//
// wait_loop.hpp: WaitLoop, the only place where a call waits: a producer, a consumer, or a call that waits in several
// queues at once. It is independent of the elements, which the hook of each queue handles.
//
// Why no waiter is forgotten:
//  - A visit to a queue joins its wait queue, or stays in it, looks, and settles before it unlocks: from then on the
//    thread that supplies that queue chooses the waiter and signals it. The signal is sticky: if it comes before the
//    thread sleeps, the sleep ends at once, and every queue is visited again.
//  - No thread holds the locks of two queues, or any lock while it waits. So no order between queues is needed.
//  - A call that waits in several queues may be chosen in each. It takes one element and leaves every other queue, and
//    leaving settles, so that the next waiter is chosen in its place.
//  - Each choice is followed by one signal to that waiter. A visit that finds its waiter chosen waits for the signal,
//    without a lock, before it lets the waiter be chosen again or go. So no thread touches a waiter after its call has
//    returned. Such a signal arrives soon, because the thread that sends it waits for nothing before.

#ifndef FOREBAY_ENGINE_WAIT_LOOP_HPP
#define FOREBAY_ENGINE_WAIT_LOOP_HPP

#include <cstddef>
#include <exception>
#include <optional>
#include <string>
#include <utility>

#include "forebay/base/thread_annotations.hpp"
#include "forebay/engine/demand.hpp"
#include "forebay/engine/sides.hpp"
#include "forebay/engine/waiter.hpp"
#include "forebay/engine/wake_list.hpp"
#include "forebay/queue_status.hpp"
#include "forebay/thread_activity.hpp"
#include "forebay/version.hpp"
#include "forebay/wait.hpp"
#include "forebay/waiting/adaptive_spin.hpp"
#include "forebay/waiting/parker.hpp"
#include "forebay/waiting/thread_slot.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// The result of an attempt without waiting: done; not possible now, although no waiter has precedence; unknown unless
/// the call lines up; closed.
enum class Attempt { done, not_now, line_up, closed };

/// How much a half-done call has achieved with one lock.
enum class Progress { none, some, all };

/// The interface through which the wait loop performs one call on one queue. If a member function throws, nothing is
/// lost, and the call leaves the queue.
///
/// If a call may move more elements than Sides::most_at_once, look() allots them, and the call is half done from then
/// on. It moves them in steps, each with a separate hold of the lock. The steps do not wait, so they ignore the
/// deadline. Then the call looks again.
template <class Sync>
class WaitHook {
 public:
  using Spin = typename AdaptiveSpin<Sync>::Spin;

  WaitHook() = default;
  WaitHook(const WaitHook&) = delete;
  WaitHook& operator=(const WaitHook&) = delete;

  /// Performs the call if that is possible at once. Takes the lock of its side; reports a success to `spin`, under that
  /// lock.
  virtual Attempt attempt(Spin* spin) = 0;

  /// Does what the waiter may do now. Returns the status if the call is over; none if it has to wait, or if more is
  /// allotted. Requires both locks.
  virtual std::optional<QueueStatus> look(Waiter<Sync>& waiter, std::exception_ptr& cause) = 0;

  /// Does one step of a half-done call. Takes the lock of its side.
  virtual Progress advance(Waiter<Sync>& waiter) = 0;

  /// Returns whether elements are allotted that have not been moved yet.
  [[nodiscard]] bool is_moving() const noexcept { return allotted_ > 0; }

 protected:
  ~WaitHook() = default;

  std::size_t allotted_ = 0;
};

/// A call's place in one queue. The places of one call are linked to a circle.
template <class Sync>
struct Place {
  WaitHook<Sync>* hook = nullptr;
  Sides<Sync>* sides = nullptr;
  bool produces = false;
  Waiter<Sync> waiter{};
  bool has_joined = false;  ///< and has not left; known to its thread without a lock
  std::optional<typename Sync::clock::time_point> waits_since{};  ///< when it first had to wait
  Place* next = this;
  std::size_t index = 0;   ///< in the list of the call's queues
  bool ends_call = false;  ///< when its queue ends, even if the others have not ended

  [[nodiscard]] WaitingPlace<Sync>& waiting() const noexcept {
    return produces ? sides->producers.place : sides->consumers.place;
  }
};

/// Describes what a sleeping call waits for.
template <class Sync>
class PlaceNote final : public WaitNote {
 public:
  explicit PlaceNote(const Place<Sync>& place) noexcept : WaitNote(false), place_(place) {}
  ~PlaceNote() override = default;
  PlaceNote(const PlaceNote&) = delete;
  PlaceNote& operator=(const PlaceNote&) = delete;

  void tell(ThreadActivity& activity) const override {
    const Place<Sync>* first = &place_;
    while (first->index != 0) first = first->next;
    const QueueLabel& label = first->sides->label;
    const bool is_all = first->ends_call || !label.awaited.empty();
    activity.operation = label.awaited.empty() ? operation(*first) : label.awaited;
    activity.place = label.shown();
    for (const auto* each = first->next; each != first && !is_all; each = each->next) {
      activity.place += " or " + each->sides->label.shown();
    }
  }

 private:
  [[nodiscard]] static std::string operation(const Place<Sync>& place) {
    if (place.next != &place && !place.ends_call) return "dequeue_any";
    const Demand& demand = place.waiter.demand;
    if (demand.most == 1) return place.produces ? "enqueue" : "dequeue";
    std::string call = "dequeue_many(";
    if (demand.least_at_end < demand.most) call = "dequeue_up_to(";
    if (demand.least < demand.most) call = "dequeue_available(";
    if (place.produces) call = "enqueue_many(";
    return call.append(std::to_string(demand.most)).append(")");
  }

  const Place<Sync>& place_;
};

/// One waiting call. The destructor leaves every queue.
template <class Sync>
class WaitLoop {
  using Wait = BasicWait<Sync>;
  using Spin = typename AdaptiveSpin<Sync>::Spin;

 public:
  /// Begins at `first`, and continues round the circle. `not_now` is the status of a call that may not block.
  WaitLoop(Place<Sync>& first, const Wait& wait, QueueStatus not_now) noexcept
      : first_(&first), wait_(wait), not_now_(not_now) {}
  [[gnu::noinline]] ~WaitLoop() {
    for_each([this](Place<Sync>& place) {
      if (place.has_joined) Visit(*this, place).leave();
      return true;
    });
  }
  WaitLoop(const WaitLoop&) = delete;
  WaitLoop& operator=(const WaitLoop&) = delete;

  /// Tries the call without waiting.
  Attempt attempt(Spin* spin = nullptr) {
    bool some_has_line = false;
    some_may_come_ = false;
    Attempt tried = Attempt::not_now;
    for_each([&](Place<Sync>& place) {
      tried = place.hook->attempt(spin);
      if (tried == Attempt::done || tried == Attempt::closed) return false;
      (tried == Attempt::line_up ? some_has_line : some_may_come_) = true;
      return true;
    });
    if (tried == Attempt::done || tried == Attempt::closed) return tried;
    return some_has_line ? Attempt::line_up : Attempt::not_now;
  }

  /// Waits, after an attempt with the given result. A call that can do a part at once does that before it gives up. If
  /// several queues were closed with a cause, throws the cause of the first one.
  [[gnu::noinline]] QueueStatus run(Attempt tried, bool in_parts = false) {
    if (tried == Attempt::not_now) some_may_come_ = true;
    if (tried != Attempt::done && some_may_come_) {
      const std::optional<QueueStatus> status = wait_.given_up(not_now_);
      if (status && tried == Attempt::not_now && !in_parts) return *status;
      if (!status) tried = spin();
    }
    if (tried == Attempt::done) return QueueStatus::ok;
    if (tried == Attempt::closed) return QueueStatus::closed;
    std::exception_ptr cause;
    const QueueStatus status = wait_in_line(cause);
    if (status == QueueStatus::closed && cause != nullptr) std::rethrow_exception(std::move(cause));
    return status;
  }

 private:
  /// One look at a queue, with both locks. Its end wakes the waiters that can be served. Code that uses both_ is not
  /// analysed.
  class Visit {
   public:
    [[gnu::noinline]] Visit(WaitLoop& loop, Place<Sync>& place) noexcept : place_(place), both_(*place.sides) {
      receive_signal(loop);
    }
    [[gnu::noinline]] ~Visit() { place_.sides->settle(wake_list_); }
    Visit(const Visit&) = delete;
    Visit& operator=(const Visit&) = delete;

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

    void receive_signal(WaitLoop& loop) noexcept
        FOREBAY_REQUIRES(place_.sides->producers.lock, place_.sides->consumers.lock) {
      Waiter<Sync>& waiter = place_.waiter;
      if (waiter.is_signalled() && !loop.is_signalled_) {
        place_.sides->unlock();
        waiter.parker.await_signal();
        place_.sides->lock();
      }
      loop.is_signalled_ = false;
    }

    Place<Sync>& place_;
    WakeList<Sync> wake_list_;
    BothSides<Sync> both_;
  };

  /// Spins.
  Attempt spin() {
    Spin spin(first_->waiting().spin);
    Attempt tried = Attempt::not_now;
    while (some_may_come_ && spin.lasts()) {
      tried = attempt(&spin);
      if (tried == Attempt::done || tried == Attempt::closed) break;
    }
    return tried;
  }

  QueueStatus wait_in_line(std::exception_ptr& cause) {
    const typename Wait::Interruption interruption(wait_, bell());
    while (true) {
      // Checked before the look, which therefore sees everything that arrived before the stop or the deadline. A thread
      // that gives up leaves during that look: otherwise, elements that arrive in between would be lost.
      const std::optional<QueueStatus> given_up = wait_.given_up(not_now_);
      std::optional<QueueStatus> status = look_at_each(given_up.has_value(), cause);
      // A queue that had ended may have received its cause while the last of the others was still open.
      if (status == QueueStatus::closed && cause == nullptr && is_several()) {
        status = look_at_each(true, cause);
      }
      if (!status && !first_->hook->is_moving()) status = given_up;
      if (status) return *status;
      if (attend()) continue;
      is_signalled_ = park() && first_->waiter.bell == nullptr;
      first_ = first_->next;
    }
  }

  /// Sleeps, and publishes what it waits for. The queues cannot be destroyed meanwhile, because it has a place in each.
  [[gnu::noinline]] bool park() {
    const PlaceNote<Sync> note(*first_);
    const typename ThreadSlot<Sync>::Waiting waiting(note);
    return bell().park(wait_.deadline());
  }

  /// Returns the status if the call is over: ok; closed if one queue has failed, or all have ended, or the one that
  /// ends the call. `cause` is the cause of the first queue in the list that has one.
  [[gnu::noinline]] std::optional<QueueStatus> look_at_each(bool is_last, std::exception_ptr& cause) {
    bool all_ended = true;
    bool ended = false;
    const Place<Sync>* failed = nullptr;
    std::optional<QueueStatus> status;
    for_each([&](Place<Sync>& place) {
      std::exception_ptr its_cause;
      status = visit(place, is_last, its_cause);
      all_ended = all_ended && status.has_value();
      ended = ended || (place.ends_call && status.has_value());
      if (its_cause != nullptr && (failed == nullptr || place.index < failed->index)) {
        cause = std::move(its_cause);
        failed = &place;
      }
      return status != QueueStatus::ok;
    });
    if (status == QueueStatus::ok) return status;
    if (all_ended || ended || cause != nullptr) return QueueStatus::closed;
    return std::nullopt;
  }

  std::optional<QueueStatus> visit(Place<Sync>& place, bool is_last, std::exception_ptr& cause) {
    Visit visit(*this, place);
    const std::optional<QueueStatus> status = visit.look(is_last, cause);
    attends_ = visit.attend();
    return status;
  }

  /// Continues a half-done call for a while with only the lock of its own side: first with the allotted elements, and
  /// then until its time is over. While it attends, the other side need not wake it for each element. Returns whether
  /// there is a reason to look again. Only a call that waits in one queue can be half done.
  [[gnu::noinline]] bool attend() {
    if (!attends_) return false;
    Place<Sync>& place = *first_;
    Progress made = Progress::some;
    while (made == Progress::some && (place.hook->is_moving() || !wait_.given_up(QueueStatus::timed_out)))
      made = advance(place);
    if (made != Progress::none) return true;
    return !stop_attending(place);
  }

  Progress advance(Place<Sync>& place) {
    if (place.hook->is_moving()) return place.hook->advance(place.waiter);
    Spin spin(place.waiting().batch_spin);
    Progress made = Progress::none;
    do {
      made = place.hook->advance(place.waiter);
    } while (made == Progress::none && spin.lasts());
    if (made != Progress::none) spin.succeeded(false);
    return made;
  }

  /// Returns whether the waiter waits to be chosen again, because it was not chosen meanwhile.
  bool stop_attending(Place<Sync>& place) noexcept {
    WakeList<Sync> wake_list;
    const BothSides both(*place.sides);
    if (place.waiter.state != WaiterState::attending) return false;
    place.waiting().queue.look_again(place.waiter);
    place.sides->settle(wake_list);
    return true;
  }

  /// Calls visitor(place) for each place, until it returns false.
  template <class Visitor>
  void for_each(Visitor visitor) {
    Place<Sync>* const first = first_;
    Place<Sync>* each = first;
    do {
      if (!visitor(*each)) return;
      each = each->next;
    } while (each != first);
  }

  [[nodiscard]] bool is_several() const noexcept { return first_->next != first_; }

  /// Returns the parker on which the thread sleeps.
  [[nodiscard]] Parker<Sync>& bell() const noexcept {
    Waiter<Sync>& waiter = first_->waiter;
    return waiter.bell != nullptr ? *waiter.bell : waiter.parker;
  }

  Place<Sync>* first_;
  const Wait& wait_;
  const QueueStatus not_now_;
  bool some_may_come_ = false;  // at the last attempt
  bool is_signalled_ = false;   // the waiter's signal has come
  bool attends_ = false;        // since the last visit
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_ENGINE_WAIT_LOOP_HPP
