// SPDX-License-Identifier: MIT
//
// spin_lock.hpp: the lock of one side of a queue.
//
// A test-and-test-and-set spin lock whose unlock is a plain store: one locked instruction per critical section, half
// of what a parking lock needs. It is held for a few element moves, never across a wait.
//
// A thread that finds it held pauses for a while and tries again, as every newcomer does. The lock goes to the first
// thread that finds it free, which makes it fast. A holder that comes back at once could keep others out for ever. So a
// thread that was unlucky for too long lines up in the lock's waiting room, where all but the first one
// sleep. The first one goes on trying, and when that does not help either, it has the lock reserved: the next unlock()
// leaves it in a state in which only the first one takes it. Waiting is bounded: before each of those ahead in the
// waiting room others get the lock for as long as the first one tries without a reservation, then once more at most.
//
// A thread that comes seldom and holds it for an instant, to close a queue or to get its size, goes ahead of all
// others: it reserves the lock at once, and waits only for the holder and for others that go ahead.

#ifndef FOREBAY_WAITING_SPIN_LOCK_HPP
#define FOREBAY_WAITING_SPIN_LOCK_HPP

#include <atomic>
#include <chrono>

#include "forebay/base/mutex.hpp"
#include "forebay/base/thread_annotations.hpp"
#include "forebay/version.hpp"
#include "forebay/waiting/waiting_room.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// A thread goes to the waiting room after `most_yields`, and there the first one tries for `patience` microseconds
/// before it has the lock reserved.
///
/// Invariant: the lock is reserved, or about to be with the next unlock(), only while the one it is reserved for wants
/// it.
template <class Sync, int patience = 100, int most_yields = 256, int least_pauses = 64>
class FOREBAY_LOCK SpinLock {
 public:
  explicit SpinLock(WaitingRoom<Sync>& room) noexcept : room_(room) {}
  SpinLock(const SpinLock&) = delete;
  SpinLock& operator=(const SpinLock&) = delete;

  /// What X did before unlock() is visible to Y after the lock() that follows it. Inlined by force: the call would
  /// cost as much as a third of the lock.
  [[gnu::always_inline]] inline void lock() noexcept FOREBAY_ACQUIRES() FOREBAY_NO_THREAD_SAFETY_ANALYSIS {
    // Acquire pairs with the release in unlock(); nothing before a lock() has to be ordered before it.
    const unsigned char before = state_.exchange(held, std::memory_order_acquire);
    if (before != free) [[unlikely]]
      wait_and_lock(before);
  }

  /// The same, ahead of all who wait.
  void lock_ahead() noexcept FOREBAY_ACQUIRES() FOREBAY_NO_THREAD_SAFETY_ANALYSIS {
    const unsigned char before = state_.exchange(held, std::memory_order_acquire);  // as in lock()
    if (before != free) [[unlikely]]
      wait_ahead(before);
  }

  /// Relaxed: who does not see yet that the lock is to be reserved lets anybody have it once more.
  void unlock() noexcept FOREBAY_RELEASES() FOREBAY_NO_THREAD_SAFETY_ANALYSIS {
    state_.store(next_.load(std::memory_order_relaxed), std::memory_order_release);
  }

 private:
  static constexpr unsigned char free = 0;
  static constexpr unsigned char held = 1;
  static constexpr unsigned char reserved = 2;        // for the first one in the waiting room
  static constexpr unsigned char reserved_ahead = 3;  // for who goes ahead of all

  // A pause takes 15 to 50 ns.
  static constexpr int most_pauses = 512;
  static constexpr int few_tries = patience / 25;
  static constexpr std::chrono::microseconds too_long{patience};

  [[gnu::noinline]] void wait_and_lock(unsigned char before) noexcept {
    give_back(before);
    if (lock_outside()) return;
    const typename WaitingRoom<Sync>::Place place(room_);
    lock_as_first();
  }

  [[gnu::noinline]] void wait_ahead(unsigned char before) noexcept {
    give_back(before);
    const Guard turn(room_.turn_ahead);
    for (int tries = 0;; ++tries) {
      next_.store(reserved_ahead, std::memory_order_relaxed);  // again and again: the first one writes there, too
      if (try_lock(reserved_ahead)) break;
      if (tries < few_tries) {
        pause(most_pauses);
      } else {
        let_holder_run();
      }
    }
    next_.store(free, std::memory_order_relaxed);
  }

  /// What was reserved for others stays reserved.
  void give_back(unsigned char before) noexcept {
    if (before != held) state_.store(before, std::memory_order_release);
  }

  /// Tries for a while, as others do.
  bool lock_outside() noexcept {
    for (int pauses = least_pauses; pauses <= most_pauses; pauses *= 2) {
      pause(pauses);
      if (try_lock(free)) return true;
    }
    for (int yields = 0; yields < most_yields && !yield_loses_slice(); ++yields) {
      if (try_lock(free)) return true;
    }
    return false;
  }

  /// Tries until it has the lock, and after a while with precedence over all others.
  void lock_as_first() noexcept {
    const auto begin = Sync::clock::now();
    bool yields_help = true;
    while (true) {
      const auto waited = Sync::clock::now() - begin;
      if (waited >= too_long) change_next(free, reserved);
      if (try_lock(reserved)) break;
      if (yields_help) {
        yields_help = !yield_loses_slice();
      } else if (waited < 4 * too_long) {
        pause(most_pauses);
      } else {
        let_holder_run();
      }
    }
    change_next(reserved, free);
  }

  /// What is lost where two change it at once is written again.
  void change_next(unsigned char from, unsigned char to) noexcept {
    if (next_.load(std::memory_order_relaxed) == from) next_.store(to, std::memory_order_relaxed);
  }

  /// The holder gets its core back, if it has lost it, whatever its priority.
  static void let_holder_run() noexcept { Sync::sleep_for(std::chrono::microseconds(50)); }

  /// Lets the holder have its core back, if it has lost it. Whether that took as long as it does beside a thread that
  /// computes, and should not be tried again.
  static bool yield_loses_slice() noexcept {
    const auto before = Sync::clock::now();
    Sync::yield();
    return Sync::clock::now() - before > std::chrono::milliseconds(2);
  }

  bool try_lock(unsigned char from) noexcept {
    const unsigned char seen = state_.load(std::memory_order_relaxed);
    if (seen != free && seen != from) return false;
    return state_.exchange(held, std::memory_order_acquire) != held;
  }

  static void pause(int times) noexcept {
    for (int i = 0; i < times; ++i) Sync::pause();
  }

  WaitingRoom<Sync>& room_;
  typename Sync::template atomic<unsigned char> state_{free};
  typename Sync::template atomic<unsigned char> next_{free};  // what unlock() makes of it
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_WAITING_SPIN_LOCK_HPP
