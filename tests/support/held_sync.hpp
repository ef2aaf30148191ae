// SPDX-License-Identifier: MIT
//
// held_sync.hpp: StdSync that shows a test every notification and holds each woken thread until the test releases it.
// It tests what can happen between a notification and the woken thread's next step.

#ifndef FOREBAY_TESTS_SUPPORT_HELD_SYNC_HPP
#define FOREBAY_TESTS_SUPPORT_HELD_SYNC_HPP

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <utility>

#include "forebay/sync.hpp"

namespace forebay_test {

struct HeldSync : forebay::StdSync {
  static constexpr bool may_spin = false;

  class condition_variable {
   public:
    void notify_one() noexcept {
      observe();
      condition_.notify_one();
    }
    void notify_all() noexcept {
      observe();
      condition_.notify_all();
    }

    template <class Predicate>
    void wait(std::unique_lock<std::mutex>& lock, Predicate predicate) {
      if (predicate()) return;
      reason_ = predicate;
      ++parked_threads;
      condition_.wait(lock, predicate);
      reason_ = nullptr;
      --parked_threads;
      lock.unlock();
      pass_gate();
      lock.lock();
    }

    template <class TimePoint, class Predicate>
    bool wait_until(std::unique_lock<std::mutex>& lock, TimePoint deadline, Predicate predicate) {
      return condition_.wait_until(lock, deadline, predicate);
    }

   private:
    void observe() {
      if (reason_ && on_notification) on_notification(reason_());
    }

    std::condition_variable condition_;
    std::function<bool()> reason_;  // the predicate of the thread that is parked here
  };

  /// Holds woken threads during its lifetime. Calls `observer(there)` for each notification of a parked thread; `there`
  /// says whether its predicate holds. No other thread may notify while a Hold is constructed or destroyed.
  class Hold {
   public:
    explicit Hold(std::function<void(bool there)> observer = nullptr) {
      on_notification = std::move(observer);
      set_gate(true);
    }
    ~Hold() {
      on_notification = nullptr;
      set_gate(false);
    }
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;

    /// Lets the held threads continue.
    static void let_go() {
      const std::lock_guard guard(gate_mutex);
      ++openings;
      gate_changed.notify_all();
    }

   private:
    static void set_gate(bool shut) {
      const std::lock_guard guard(gate_mutex);
      gate_is_shut = shut;
      gate_changed.notify_all();
    }
  };

  inline static std::atomic<std::size_t> parked_threads = 0;
  inline static std::atomic<std::size_t> held_threads = 0;

 private:
  static void pass_gate() {
    std::unique_lock lock(gate_mutex);
    ++held_threads;
    gate_changed.wait(lock, [before = openings] { return !gate_is_shut || openings != before; });
    --held_threads;
  }

  inline static std::mutex gate_mutex;
  inline static std::condition_variable gate_changed;
  inline static bool gate_is_shut = false;
  inline static std::size_t openings = 0;
  inline static std::function<void(bool there)> on_notification;
};

}  // namespace forebay_test

#endif  // FOREBAY_TESTS_SUPPORT_HELD_SYNC_HPP
