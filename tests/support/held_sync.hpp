// SPDX-License-Identifier: MIT
//
// held_sync.hpp: the policy of the standard library, in which a test sees every notification, and a thread that was
// woken goes on only when the test lets it. For what happens between a notification and what the woken thread does.

#ifndef FOREBAY_TESTS_SUPPORT_HELD_SYNC_HPP
#define FOREBAY_TESTS_SUPPORT_HELD_SYNC_HPP

#include <array>
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
    std::function<bool()> reason_;  // to go on, of the thread that is parked here
  };

  /// While it exists, woken threads are held, and `observer(there)` is called for each notification of a parked thread,
  /// with whether the reason to continue exists. No other thread may notify while it begins or ends.
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

    /// Lets the threads go on that are held, and have this number.
    static void let_go(std::size_t number = 0) {
      const std::lock_guard guard(gate_mutex);
      ++openings.at(number);
      gate_changed.notify_all();
    }

   private:
    static void set_gate(bool shut) {
      const std::lock_guard guard(gate_mutex);
      gate_is_shut = shut;
      gate_changed.notify_all();
    }
  };

  /// A thread may give itself a number: 0, as they all have at first, or 1.
  inline static thread_local std::size_t number_of_this_thread = 0;

  inline static std::atomic<std::size_t> parked_threads = 0;
  inline static std::atomic<std::size_t> held_threads = 0;

 private:
  static void pass_gate() {
    std::unique_lock lock(gate_mutex);
    const std::size_t& opened = openings.at(number_of_this_thread);
    ++held_threads;
    gate_changed.wait(lock, [&opened, before = opened] { return !gate_is_shut || opened != before; });
    --held_threads;
  }

  inline static std::mutex gate_mutex;
  inline static std::condition_variable gate_changed;
  inline static bool gate_is_shut = false;
  inline static std::array<std::size_t, 2> openings{};  // of the threads of each number
  inline static std::function<void(bool there)> on_notification;
};

}  // namespace forebay_test

#endif  // FOREBAY_TESTS_SUPPORT_HELD_SYNC_HPP
