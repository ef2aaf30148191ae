// SPDX-License-Identifier: MIT
//
// condition.hpp: Condition, a condition variable whose threads wait as a Wait says: with a deadline, and until a stop.
//
// Algorithm: each waiting thread stands in a list under the caller's lock, with a parker on its own stack. A
// notification removes it from the list under the lock, and, if the thread sleeps, signals its parker when the lock is
// free again. A thread that slept and was removed does not leave before it has that signal.

#ifndef FOREBAY_PARALLEL_CONDITION_HPP
#define FOREBAY_PARALLEL_CONDITION_HPP

#include <atomic>
#include <chrono>
#include <string>
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

/// Thread safety: every member but the constructor requires the lock that the caller guards its state with.
template <class Sync>
class Condition {
 public:
  /// Held for an instant, and by several threads often: who finds it held looks again soon.
  using Mutex = SpinLock<Sync, 100, 256, 2>;

 private:
  struct Waiter {
    // Written under the lock, which orders whatever they tell.
    typename Sync::template relaxed_atomic<const Condition*> awaited{nullptr};
    typename Sync::template relaxed_atomic<bool> is_notified{false};
    Condition* list = nullptr;  // null if it is in none
    Waiter* previous = nullptr;
    Waiter* next = nullptr;
    Waiter* next_notified = nullptr;
    bool sleeps = !Sync::may_spin;  // or is about to; else it looks by itself
    Parker<Sync> parker{};
  };

 public:
  /// The threads to be woken. Its end, for which the lock has to be free, wakes them.
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

  /// While a thread waits, threads() says that it waits for `awaited` of `place`.
  Condition(std::string awaited, std::string place) : awaited_(std::move(awaited)), place_(std::move(place)) {}
  Condition(const Condition&) = delete;
  Condition& operator=(const Condition&) = delete;

  /// Blocks until `ready()` returns true, and returns true; or returns false when `wait` ends. What is ready wins over
  /// a stop and a deadline. Calls `ready` with the lock held, at once and after each notification.
  template <class Ready>
  bool await(Mutex& mutex, const BasicWait<Sync>& wait, Ready ready) FOREBAY_REQUIRES(mutex) {
    if (is_met(ready)) return true;
    if (wait.given_up(QueueStatus::empty)) return false;
    const Unlocked unlocked(mutex);
    return park_until(mutex, wait, ready);
  }

  [[nodiscard]] bool has_waiters() const noexcept { return first_ != nullptr; }

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

  /// The thread that has waited longest waits for `other` from now on. Returns false if none waits.
  bool move_one_to(Condition& other) noexcept {
    if (first_ == nullptr) return false;
    Waiter& waiter = *first_;
    remove(waiter);
    other.add(waiter);
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

  /// Is called and returns without the lock: an interruption in progress may need what the caller's lock guards.
  template <class Ready>
  [[gnu::noinline]] bool park_until(Mutex& mutex, const BasicWait<Sync>& wait, Ready& ready) {
    Waiter waiter;
    const typename BasicWait<Sync>::Interruption interruption(wait, waiter.parker);
    const Guard guard(mutex);
    bool is_ready = is_met(ready);
    while (!is_ready && !wait.given_up(QueueStatus::empty)) {
      Spin spin(spin_);
      add(waiter);
      const bool came_soon = comes_soon(waiter, spin, mutex);
      if (!came_soon) sleep(waiter, wait, mutex);
      is_ready = is_met(ready);
      if (came_soon && is_ready) spin.succeeded(false);
    }
    return is_ready;
  }

  /// Whether a notification comes before the thread has to sleep.
  static bool comes_soon(const Waiter& waiter, Spin& spin, Mutex& mutex) noexcept FOREBAY_REQUIRES(mutex) {
    if constexpr (!Sync::may_spin) return false;
    {
      const Unlocked unlocked(mutex);
      while (!waiter.is_notified.load(std::memory_order_relaxed) && spin.lasts()) continue;
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

  void add(Waiter& waiter) noexcept {
    waiter.awaited.store(this, std::memory_order_relaxed);
    waiter.is_notified.store(false, std::memory_order_relaxed);
    waiter.list = this;
    waiter.previous = last_;
    waiter.next = nullptr;
    (last_ != nullptr ? last_->next : first_) = &waiter;
    last_ = &waiter;
    waited_.begin(Sync::clock::now());
  }

  void remove(Waiter& waiter) noexcept {
    (waiter.previous != nullptr ? waiter.previous->next : first_) = waiter.next;
    (waiter.next != nullptr ? waiter.next->previous : last_) = waiter.previous;
    waiter.list = nullptr;
    waited_.end(Sync::clock::now());
  }

  const std::string awaited_;
  const std::string place_;
  Waiter* first_ = nullptr;
  Waiter* last_ = nullptr;
  AdaptiveSpin<Sync> spin_;
  TimeSum<typename Sync::clock> waited_;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_PARALLEL_CONDITION_HPP
