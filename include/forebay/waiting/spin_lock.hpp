// SPDX-License-Identifier: MIT
//
// spin_lock.hpp: the lock of one side of a queue.
//
// A test-and-test-and-set spin lock whose unlock is a plain store. It needs one locked instruction per critical
// section, half as many as a parking lock. It is held for a few element moves, never across a wait.
//
// A thread that finds the lock held pauses and tries again, together with newcomers. The first thread that finds the
// lock free takes it, which is fast but unfair: a holder that returns at once could starve the others. So a thread that
// has failed for too long queues in the lock's waiting room, where all threads but the first sleep. The first one keeps
// trying. If that does not help, it reserves the lock: after the next unlock() only this thread can take it. Waiting is
// bounded: for each thread ahead in the waiting room, others get the lock while that thread tries without a
// reservation, and at most once more.
//
// A rare and short operation, such as close() or size(), goes ahead of all others: it reserves the lock at once, and
// waits only for the holder and for other threads that go ahead.

#ifndef FOREBAY_WAITING_SPIN_LOCK_HPP
#define FOREBAY_WAITING_SPIN_LOCK_HPP

#include <atomic>
#include <chrono>

#include "forebay/base/mutex.hpp"
#include "forebay/base/thread_annotations.hpp"
#include "forebay/version.hpp"
#include "forebay/waiting/waiting_room.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// A thread goes to the waiting room after `most_yields` yields. The first one there tries for `patience` microseconds
/// before it reserves the lock.
///
/// Invariant: the lock is reserved, or will be by the next unlock(), only while the thread that reserved it wants it.
template <class Sync, int patience = 100, int most_yields = 256, int least_pauses = 64>
class FOREBAY_LOCK SpinLock {
 public:
  explicit SpinLock(WaitingRoom<Sync>& room) noexcept : room_(room) {}
  SpinLock(const SpinLock&) = delete;
  SpinLock& operator=(const SpinLock&) = delete;

  /// Takes the lock. Writes before an unlock() are visible after the next lock(). Inlined by force, because the call
  /// would cost a third as much as the lock.
  [[gnu::always_inline]] inline void lock() noexcept FOREBAY_ACQUIRES() FOREBAY_NO_THREAD_SAFETY_ANALYSIS {
    // Acquire pairs with the release in unlock(); nothing before a lock() has to be ordered before it.
    const unsigned char before = state_.exchange(held, std::memory_order_acquire);
    if (before != free) [[unlikely]]
      wait_and_lock(before);
  }

  /// Takes the lock ahead of all waiting threads.
  void lock_ahead() noexcept FOREBAY_ACQUIRES() FOREBAY_NO_THREAD_SAFETY_ANALYSIS {
    const unsigned char before = state_.exchange(held, std::memory_order_acquire);  // as in lock()
    if (before != free) [[unlikely]]
      wait_ahead(before);
  }

  /// Relaxed: a thread that does not see the reservation yet lets any thread take the lock once more.
  void unlock() noexcept FOREBAY_RELEASES() FOREBAY_NO_THREAD_SAFETY_ANALYSIS {
    state_.store(next_.load(std::memory_order_relaxed), std::memory_order_release);
  }

 private:
  static constexpr unsigned char free = 0;
  static constexpr unsigned char held = 1;
  static constexpr unsigned char reserved = 2;        // for the first thread in the waiting room
  static constexpr unsigned char reserved_ahead = 3;  // for a thread that goes ahead of all

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
      next_.store(reserved_ahead, std::memory_order_relaxed);  // repeatedly, because the first one writes there, too
      if (try_lock(reserved_ahead)) break;
      if (tries < few_tries) {
        pause(most_pauses);
      } else {
        let_holder_run();
      }
    }
    next_.store(free, std::memory_order_relaxed);
  }

  /// Keeps a reservation of another thread.
  void give_back(unsigned char before) noexcept {
    if (before != held) state_.store(before, std::memory_order_release);
  }

  /// Tries for a while without a reservation.
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

  /// If two threads change it at once, the lost value is written again later.
  void change_next(unsigned char from, unsigned char to) noexcept {
    if (next_.load(std::memory_order_relaxed) == from) next_.store(to, std::memory_order_relaxed);
  }

  /// Sleeps briefly, so that a preempted holder can run, whatever its priority.
  static void let_holder_run() noexcept { Sync::sleep_for(std::chrono::microseconds(50)); }

  /// Yields, so that a preempted holder can run. Returns whether this took a whole time slice, so that it should not be
  /// repeated.
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
  typename Sync::template atomic<unsigned char> next_{free};  // the state that unlock() sets
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_WAITING_SPIN_LOCK_HPP
