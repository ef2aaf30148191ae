// SPDX-License-Identifier: MIT
//
// condition.hpp: Condition, a condition variable whose threads wait as long as a Wait allows: until a deadline or a
// stop.
//
// Algorithm: each waiting thread is in a list under the caller's lock, with a parker on its own stack. A notification
// removes it from the list under the lock, and, if the thread sleeps, signals its parker when the lock is free again. A
// thread that slept and was removed does not leave before it has that signal.

#ifndef FOREBAY_PARALLEL_CONDITION_HPP
#define FOREBAY_PARALLEL_CONDITION_HPP

#include <atomic>
#include <chrono>
#include <functional>
#include <type_traits>
#include <utility>

#include "forebay/base/mutex.hpp"
#include "forebay/base/thread_annotations.hpp"
#include "forebay/base/time_sum.hpp"
#include "forebay/queue_status.hpp"
#include "forebay/thread_activity.hpp"
#include "forebay/version.hpp"
#include "forebay/wait.hpp"
#include "forebay/waiting/adaptive_spin.hpp"
#include "forebay/waiting/parker.hpp"
#include "forebay/waiting/spin_lock.hpp"
#include "forebay/waiting/thread_slot.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Thread safety: every member except the constructor requires the lock that guards the caller's state.
template <class Sync>
class Condition {
 public:
  /// The lock is held briefly and taken often, so a thread that finds it held soon looks again.
  using Mutex = SpinLock<Sync, 100, 256, 2>;

 private:
  struct Waiter {
    // Written under the lock, which orders the data that they announce.
    typename Sync::template relaxed_atomic<const Condition*> awaited{nullptr};
    typename Sync::template relaxed_atomic<bool> is_notified{false};
    Condition* list = nullptr;  // null if it is in none
    Waiter* previous = nullptr;
    Waiter* next = nullptr;
    Waiter* next_notified = nullptr;
    bool sleeps = !Sync::may_spin;  // or is about to; otherwise it spins
    Parker<Sync> parker{};
  };

 public:
  /// The threads to wake. The destructor wakes them; it requires that the lock is free.
  class Notifications {
   public:
    Notifications() = default;
    Notifications(const Notifications&) = delete;
    Notifications& operator=(const Notifications&) = delete;
    ~Notifications() {
      while (first_ != nullptr) std::exchange(first_, first_->next_notified)->parker.signal();
    }

   private:
    friend Condition;
    Waiter* first_ = nullptr;
  };

  /// While a thread waits, threads() says that it waits for `awaited` of `place`. Both must outlive the condition.
  Condition(const char* awaited, const char* place) noexcept : awaited_(awaited), place_(place) {}
  Condition(const Condition&) = delete;
  Condition& operator=(const Condition&) = delete;

  /// Blocks until `ready()` returns true, and returns true; returns false if `wait` ends first. A true `ready()` takes
  /// precedence over a stop and a deadline. Calls `ready` with the lock held, at once and after each notification. If
  /// it returns false then, the thread is the first to be notified again. If `ready` has a parameter, it says whether
  /// the thread was notified.
  template <class Ready>
  bool await(Mutex& mutex, const BasicWait<Sync>& wait, Ready ready) FOREBAY_REQUIRES(mutex) {
    if (is_ready(ready, false)) return true;
    if (wait.given_up(QueueStatus::empty)) return false;
    const Unlocked unlocked(mutex);
    return park_until(mutex, wait, [&ready](bool notified) { return is_ready(ready, notified); });
  }

  /// Wakes the thread that has waited longest. Returns false if none waits.
  bool notify_one(Notifications& notifications) noexcept {
    if (first_ == nullptr) return false;
    Waiter& waiter = *first_;
    remove(waiter);
    waiter.is_notified.store(true, std::memory_order_relaxed);
    if (waiter.sleeps) waiter.next_notified = std::exchange(notifications.first_, &waiter);
    return true;
  }
  void notify_all(Notifications& notifications) noexcept {
    while (notify_one(notifications)) continue;
  }

  /// Moves the thread that has waited longest to `other`. Returns false if none waits.
  bool move_one_to(Condition& other) noexcept {
    if (first_ == nullptr) return false;
    Waiter& waiter = *first_;
    remove(waiter);
    other.add(waiter, nullptr);
    return true;
  }

  /// How long threads have waited, together.
  [[nodiscard]] std::chrono::nanoseconds waited() const noexcept { return waited_.so_far(); }

 private:
  using Spin = typename AdaptiveSpin<Sync>::Spin;

  class Note final : public WaitNote {
   public:
    explicit Note(const Waiter& waiter) noexcept : WaitNote(false), waiter_(waiter) {}
    ~Note() override = default;
    Note(const Note&) = delete;
    Note& operator=(const Note&) = delete;

    void tell(ThreadActivity& activity) const override {
      const Condition& condition = *waiter_.awaited.load(std::memory_order_relaxed);
      activity.operation = condition.awaited_;
      activity.place = condition.place_;
    }

   private:
    const Waiter& waiter_;
  };

  template <class Ready>
  static bool is_ready(Ready& ready, bool notified) FOREBAY_NO_THREAD_SAFETY_ANALYSIS {
    if constexpr (std::is_invocable_v<Ready&, bool>) {
      return ready(notified);
    } else {
      return ready();
    }
  }

  [[nodiscard]] static bool is_notified(const Waiter& waiter) noexcept {
    return waiter.is_notified.load(std::memory_order_relaxed);
  }

  /// Called without the lock, because an interruption in progress may need the caller's lock.
  bool park_until(Mutex& mutex, const BasicWait<Sync>& wait, const std::function<bool(bool notified)>& ready) {
    Waiter waiter;
    const typename BasicWait<Sync>::Interruption interruption(wait, waiter.parker);
    const Guard guard(mutex);
    bool may_leave = ready(false);
    while (!may_leave && !wait.given_up(QueueStatus::empty)) {
      Spin spin(spin_);
      add(waiter, is_notified(waiter) ? first_ : nullptr);
      const bool came_soon = comes_soon(waiter, spin, mutex);
      if (!came_soon) sleep(waiter, wait, mutex);
      may_leave = ready(is_notified(waiter));
      if (came_soon && may_leave) spin.succeeded(false);
    }
    return may_leave;
  }

  /// Spins. Returns whether a notification came before the thread has to sleep.
  static bool comes_soon(const Waiter& waiter, Spin& spin, Mutex& mutex) noexcept FOREBAY_REQUIRES(mutex) {
    if constexpr (!Sync::may_spin) return false;
    {
      const Unlocked unlocked(mutex);
      while (!is_notified(waiter) && spin.lasts()) continue;
    }
    return waiter.list == nullptr;
  }

  /// Sleeps until a notification, or until `wait` ends, and leaves the list.
  static void sleep(Waiter& waiter, const BasicWait<Sync>& wait, Mutex& mutex) FOREBAY_REQUIRES(mutex) {
    waiter.sleeps = true;
    const bool is_signalled = park(waiter, wait, mutex);
    if (waiter.list != nullptr) {
      waiter.list->remove(waiter);
    } else if (!is_signalled) {
      const Unlocked unlocked(mutex);
      waiter.parker.await_signal();
    }
    waiter.sleeps = !Sync::may_spin;
  }

  /// Returns whether the signal has come.
  static bool park(Waiter& waiter, const BasicWait<Sync>& wait, Mutex& mutex) FOREBAY_REQUIRES(mutex) {
    const Unlocked unlocked(mutex);
    const Note note(waiter);
    const typename ThreadSlot<Sync>::Waiting waiting(note);
    return waiter.parker.park(wait.deadline());
  }

  /// Adds it before `next`, or at the end if `next` is null.
  void add(Waiter& waiter, Waiter* next) noexcept {
    waiter.awaited.store(this, std::memory_order_relaxed);
    waiter.is_notified.store(false, std::memory_order_relaxed);
    waiter.list = this;
    waiter.previous = next != nullptr ? next->previous : last_;
    waiter.next = next;
    (waiter.previous != nullptr ? waiter.previous->next : first_) = &waiter;
    (next != nullptr ? next->previous : last_) = &waiter;
    waited_.begin(Sync::clock::now());
  }

  void remove(Waiter& waiter) noexcept {
    (waiter.previous != nullptr ? waiter.previous->next : first_) = waiter.next;
    (waiter.next != nullptr ? waiter.next->previous : last_) = waiter.previous;
    waiter.list = nullptr;
    waited_.end(Sync::clock::now());
  }

  const char* const awaited_;
  const char* const place_;
  Waiter* first_ = nullptr;
  Waiter* last_ = nullptr;
  AdaptiveSpin<Sync> spin_;
  TimeSum<typename Sync::clock> waited_;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_PARALLEL_CONDITION_HPP
