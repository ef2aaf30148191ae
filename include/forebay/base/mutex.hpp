// SPDX-License-Identifier: MIT
//
// mutex.hpp: the mutex of a policy, and guards for it and other locks, annotated for Clang's thread safety analysis.

#ifndef FOREBAY_BASE_MUTEX_HPP
#define FOREBAY_BASE_MUTEX_HPP

#include <atomic>
#include <mutex>
#include <optional>

#include "forebay/base/thread_annotations.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Calls a condition that requires a lock, which the caller holds. Not analysed, because the two name the lock
/// differently.
template <class Condition>
[[nodiscard]] bool is_met(Condition& condition) FOREBAY_NO_THREAD_SAFETY_ANALYSIS {
  return condition();
}

/// The mutex of a policy. A Guard holds it.
template <class Sync>
class FOREBAY_LOCK Mutex {
 public:
  Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  // Not analysed: the policy's mutex may have annotations of its own.
  void lock() FOREBAY_ACQUIRES() FOREBAY_NO_THREAD_SAFETY_ANALYSIS { mutex_.lock(); }
  void unlock() FOREBAY_RELEASES() FOREBAY_NO_THREAD_SAFETY_ANALYSIS { mutex_.unlock(); }

  /// Blocks until `condition()` returns true. Calls it with the lock held, at once and after each notification of
  /// `changed`, and releases the lock while it waits.
  template <class ConditionVariable, class Condition>
  void wait(ConditionVariable& changed, Condition condition) FOREBAY_REQUIRES(this) {
    Adopted adopted{Native(mutex_, std::adopt_lock)};
    changed.wait(adopted.lock, [&condition] { return is_met(condition); });
  }

  /// The same until the deadline, if there is one. Returns whether the condition holds.
  template <class ConditionVariable, class Condition, class Time>
  bool wait(ConditionVariable& changed, Condition condition, const std::optional<Time>& deadline)
      FOREBAY_REQUIRES(this) {
    Adopted adopted{Native(mutex_, std::adopt_lock)};
    const auto asked = [&condition] { return is_met(condition); };
    if (deadline) return changed.wait_until(adopted.lock, *deadline, asked);
    changed.wait(adopted.lock, asked);
    return true;
  }

 private:
  using Native = std::unique_lock<typename Sync::mutex>;

  /// Returns the form of the lock that a condition variable takes. The lock stays held.
  struct Adopted {
    Native lock;
    ~Adopted() { lock.release(); }
  };

  typename Sync::mutex mutex_;
};

/// A lock that no thread waits for. Both calls together need one locked instruction.
template <class Sync>
class FOREBAY_LOCK TryLock {
 public:
  TryLock() = default;
  TryLock(const TryLock&) = delete;
  TryLock& operator=(const TryLock&) = delete;

  /// Takes the lock unless it is held, and returns whether it did. Writes before an unlock() are visible then.
  [[nodiscard]] bool try_lock() noexcept FOREBAY_TRY_ACQUIRES(true) FOREBAY_NO_THREAD_SAFETY_ANALYSIS {
    return !is_held_.exchange(true, std::memory_order_acquire);
  }
  void unlock() noexcept FOREBAY_RELEASES() FOREBAY_NO_THREAD_SAFETY_ANALYSIS {
    is_held_.store(false, std::memory_order_release);
  }

 private:
  typename Sync::template atomic<bool> is_held_{false};
};

/// Tag: takes a lock ahead of all threads that wait for it.
struct Ahead {
  explicit constexpr Ahead() = default;
};
inline constexpr Ahead ahead_of_all{};

/// Holds a lock for a scope.
template <class Lockable>
class [[nodiscard]] FOREBAY_GUARD Guard {
 public:
  explicit Guard(Lockable& lockable) noexcept(noexcept(lockable.lock())) FOREBAY_ACQUIRES(lockable)
      : lockable_(lockable) {
    lockable_.lock();
  }
  Guard(Lockable& lockable, Ahead /*ahead*/) noexcept FOREBAY_ACQUIRES(lockable) : lockable_(lockable) {
    lockable_.lock_ahead();
  }
  Guard(Lockable& lockable, std::adopt_lock_t /*held*/) noexcept FOREBAY_REQUIRES(lockable) : lockable_(lockable) {}
  ~Guard() FOREBAY_RELEASES() { lockable_.unlock(); }
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

 private:
  Lockable& lockable_;
};

/// Releases a held lock for a scope.
template <class Lockable>
class [[nodiscard]] FOREBAY_GUARD Unlocked {
 public:
  explicit Unlocked(Lockable& lockable) FOREBAY_RELEASES(lockable) : lockable_(lockable) { lockable_.unlock(); }
  ~Unlocked() FOREBAY_RELEASES() { lockable_.lock(); }  // releases what it stands for: the release
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;

 private:
  Lockable& lockable_;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_BASE_MUTEX_HPP
