// SPDX-License-Identifier: MIT
//
// side_lock.hpp: the lock of one side of a queue.
//
// A test-and-test-and-set spin lock whose unlock is a plain store: one locked instruction per critical section, half
// of what a parking lock needs. It is held for a few element moves, never across a wait. A thread that finds it held
// pauses, then yields, and at last sleeps for short times, so that a holder which lost its core, even to a thread of
// higher priority, gets it back.

#ifndef FOREBAY_DETAIL_SIDE_LOCK_HPP
#define FOREBAY_DETAIL_SIDE_LOCK_HPP

#include <atomic>
#include <chrono>

#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

template <class Sync>
class SideLock {
 public:
  SideLock() = default;
  SideLock(const SideLock&) = delete;
  SideLock& operator=(const SideLock&) = delete;

  /// What X did before unlock() is visible to Y after the lock() that follows it. Inlined by force: the call would
  /// cost as much as a third of the lock.
  [[gnu::always_inline]] inline void lock() noexcept {
    // Acquire pairs with the release in unlock(); nothing before a lock() has to be ordered before it.
    if (held_.exchange(true, std::memory_order_acquire)) [[unlikely]]
      lock_held();
  }

  void unlock() noexcept { held_.store(false, std::memory_order_release); }

 private:
  [[gnu::noinline]] void lock_held() noexcept {
    constexpr int most_pauses = 512;
    constexpr int yields = 256;
    int pauses = 64;
    int yielded = 0;
    do {
      if (pauses <= most_pauses) {
        for (int i = 0; i < pauses; ++i) Sync::pause();
        pauses *= 2;
      } else if (yielded < yields) {
        Sync::yield();
        ++yielded;
      } else {
        Sync::sleep_for(std::chrono::microseconds(50));
      }
    } while (held_.load(std::memory_order_relaxed) || held_.exchange(true, std::memory_order_acquire));
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

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_DETAIL_SIDE_LOCK_HPP
