// SPDX-License-Identifier: MIT
//
// wait_loop.hpp: WaitLoop, the only place where a thread waits: a producer, a consumer, or a call that waits in several
// queues at once. It is independent of the elements, which the hook of each queue handles. visit.hpp explains why no
// waiter is forgotten.
//
// A call that waits in several queues may be chosen in each. It takes one element and leaves every other queue, and
// leaving settles, so that the next waiter is chosen in its place.

#ifndef FOREBAY_ENGINE_WAIT_LOOP_HPP
#define FOREBAY_ENGINE_WAIT_LOOP_HPP

#include <cstddef>
#include <exception>
#include <optional>
#include <string>
#include <utility>

#include "forebay/base/thread_annotations.hpp"
#include "forebay/engine/demand.hpp"
#include "forebay/engine/place.hpp"
#include "forebay/engine/sides.hpp"
#include "forebay/engine/visit.hpp"
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
      if (place.has_joined) leave(place);
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
    Visit<Sync> visit(place);
    receive_signal(visit, place);
    const std::optional<QueueStatus> status = visit.look(is_last, cause);
    attends_ = visit.attend();
    return status;
  }

  void leave(Place<Sync>& place) noexcept {
    Visit<Sync> visit(place);
    receive_signal(visit, place);
    visit.leave();
  }

  void receive_signal(Visit<Sync>& visit, Place<Sync>& place) noexcept {
    if (!std::exchange(is_signalled_, false)) visit.receive_signal([&place] { place.waiter.parker.await_signal(); });
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
