// SPDX-License-Identifier: MIT
//
// side_lock.hpp: the lock of one side of a queue.
//
// A test-and-test-and-set spin lock whose unlock is a plain store: one locked instruction per critical section, half of
// what a parking lock needs. It is held for a few element moves, never across a wait. A thread that finds it held
// pauses, then yields, and at last sleeps for short times, so that a holder which lost its core, even to a thread of
// higher priority, gets it back.

#ifndef FOREBAY_DETAIL_SIDE_LOCK_HPP
#define FOREBAY_DETAIL_SIDE_LOCK_HPP

#include <atomic>
#include <chrono>

namespace forebay::detail {

template <class Sync>
class SideLock {
 public:
  SideLock() = default;
  SideLock(const SideLock&) = delete;
  SideLock& operator=(const SideLock&) = delete;

  /// What X did before unlock() is visible to Y after the lock() that follows it.
  void lock() noexcept {
    // Acquire pairs with the release in unlock(); nothing before a lock() has to be ordered before it.
    while (held_.exchange(true, std::memory_order_acquire)) await_release();
  }

  void unlock() noexcept { held_.store(false, std::memory_order_release); }

 private:
  void await_release() noexcept {
    constexpr int pauses = 64;
    constexpr int yields = 256;
    // Relaxed: only a hint that exchange() is worth trying again.
    for (int round = 0; held_.load(std::memory_order_relaxed); ++round) {
      if (round < pauses) {
        Sync::pause();
      } else if (round < pauses + yields) {
        Sync::yield();
      } else {
        Sync::sleep_for(std::chrono::microseconds(50));
      }
    }
  }

  typename Sync::template atomic<bool> held_{false};
};

/// Holds a lock for a scope.
template <class Lockable>
class [[nodiscard]] Guard {
 public:
  explicit Guard(Lockable& lockable) noexcept : lockable_(lockable) { lockable_.lock(); }
  ~Guard() { lockable_.unlock(); }
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

 private:
  Lockable& lockable_;
};

}  // namespace forebay::detail

#endif  // FOREBAY_DETAIL_SIDE_LOCK_HPP
