// SPDX-License-Identifier: MIT
//
// binary_semaphore.hpp: BinarySemaphore, a permit that one thread at a time holds. Threads wait for it in order of
// arrival, as long as their Wait allows.
//
// Algorithm: release() wakes the thread that has waited longest, but a thread that arrives before it runs may take the
// permit first. The overtaken thread keeps its place, and the next permit is reserved for it.

#ifndef FOREBAY_PARALLEL_BINARY_SEMAPHORE_HPP
#define FOREBAY_PARALLEL_BINARY_SEMAPHORE_HPP

#include <chrono>

#include "forebay/base/mutex.hpp"
#include "forebay/base/thread_annotations.hpp"
#include "forebay/parallel/condition.hpp"
#include "forebay/queue_status.hpp"
#include "forebay/version.hpp"
#include "forebay/wait.hpp"
#include "forebay/waiting/waiting_room.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Invariants: at most one thread is coming: it was notified, and has not looked since. If the permit is free and
/// threads wait, one is coming.
///
/// Thread safety: any thread may call any member.
template <class Sync>
class BinarySemaphore {
 public:
  /// Creates a semaphore without the permit. While a thread waits, threads() says that it waits for `awaited` of
  /// `place`. Both must outlive the semaphore.
  BinarySemaphore(const char* place, const char* awaited) noexcept : waiting_(awaited, place) {}

  /// Waits for the permit and takes it. Returns ok, or the status with which `wait` ended; closed after close().
  /// Overtakes a waiting thread at most once.
  [[nodiscard]] QueueStatus acquire(const BasicWait<Sync>& wait) {
    const Guard guard(mutex_);
    bool taken = false;
    const auto ready = [&](bool notified) FOREBAY_REQUIRES(mutex_) {
      if (notified) is_coming_ = false;
      if (!is_free_ || (is_coming_ && was_overtaken_)) return is_closed_;
      is_free_ = false;
      was_overtaken_ = is_coming_;
      return taken = true;
    };
    const bool is_over = !waiting_.await(mutex_, wait, ready);
    if (taken) return QueueStatus::ok;
    return is_over ? wait.given_up(QueueStatus::empty).value_or(QueueStatus::empty) : QueueStatus::closed;
  }
  void acquire() { static_cast<void>(acquire(BasicWait<Sync>::forever)); }

  /// Returns the permit; has no effect if it is available already.
  void release() noexcept {
    Notifications notifications;
    const Guard guard(mutex_);
    is_free_ = true;
    if (!is_coming_) is_coming_ = waiting_.notify_one(notifications);
  }

  /// Ends all waits, also future ones.
  void close() noexcept {
    Notifications notifications;
    const Guard guard(mutex_);
    is_closed_ = true;
    waiting_.notify_all(notifications);
  }

  /// Returns the total time that threads have waited.
  [[nodiscard]] std::chrono::nanoseconds waited() const {
    const Guard guard(mutex_);
    return waiting_.waited();
  }

 private:
  using Notifications = typename Condition<Sync>::Notifications;

  mutable WaitingRoom<Sync> waiting_for_lock_;
  mutable typename Condition<Sync>::Mutex mutex_{waiting_for_lock_};
  bool is_free_ FOREBAY_GUARDED_BY(mutex_) = false;
  bool is_closed_ FOREBAY_GUARDED_BY(mutex_) = false;
  bool is_coming_ FOREBAY_GUARDED_BY(mutex_) = false;
  bool was_overtaken_ FOREBAY_GUARDED_BY(mutex_) = false;  // the thread that is coming, or the first that waits
  Condition<Sync> waiting_ FOREBAY_GUARDED_BY(mutex_);
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_PARALLEL_BINARY_SEMAPHORE_HPP
