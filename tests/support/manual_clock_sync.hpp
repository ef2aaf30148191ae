// SPDX-License-Identifier: MIT
//
// manual_clock_sync.hpp: a synchronisation policy whose time passes only when a test says so. It counts locked mutexes,
// atomic exchanges and timed waits, and has no stop tokens.

#ifndef FOREBAY_TESTS_SUPPORT_MANUAL_CLOCK_SYNC_HPP
#define FOREBAY_TESTS_SUPPORT_MANUAL_CLOCK_SYNC_HPP

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <list>
#include <mutex>
#include <ratio>
#include <thread>
#include <utility>

#include "tests/support/nanosecond_clock.hpp"

namespace forebay_test {

class ManualClockSync {
 public:
  struct clock : NanosecondClock<clock> {
    static time_point now() noexcept { return time_point(duration(now_.load())); }
  };

  class mutex {
   public:
    void lock() {
      ++mutex_locks;
      mutex_.lock();
    }
    void unlock() { mutex_.unlock(); }

   private:
    std::mutex mutex_;
  };

  class condition_variable {
   public:
    void notify_one() noexcept { condition_.notify_one(); }
    void notify_all() noexcept { condition_.notify_all(); }

    template <class Predicate>
    void wait(std::unique_lock<mutex>& lock, Predicate predicate) {
      condition_.wait(lock, predicate);
    }

    template <class Predicate>
    bool wait_until(std::unique_lock<mutex>& lock, clock::time_point deadline, Predicate predicate) {
      lock.unlock();
      const TimedWait timed_wait(*this, *lock.mutex());
      lock.lock();
      condition_.wait(lock, [&] { return predicate() || clock::now() >= deadline; });
      const bool held = predicate();
      // Elsewhere the registry's lock is taken before the waiter's, so release the waiter's lock in between.
      lock.unlock();
      timed_wait.end();
      lock.lock();
      return held;
    }

   private:
    friend ManualClockSync;
    std::condition_variable_any condition_;
  };

  template <class T>
  class atomic {
   public:
    atomic() = default;
    explicit(false) atomic(T value) : value_(value) {}

    T load(std::memory_order order) const noexcept { return value_.load(order); }
    void store(T value, std::memory_order order) noexcept { value_.store(value, order); }
    T exchange(T value, std::memory_order order) noexcept {
      ++atomic_exchanges;
      return value_.exchange(value, order);
    }

   private:
    std::atomic<T> value_;
  };

  template <class T>
  using relaxed_atomic = std::atomic<T>;
  using thread = std::thread;

  static constexpr bool may_spin = false;
  static void pause() noexcept { std::this_thread::yield(); }
  static void yield() noexcept { std::this_thread::yield(); }
  template <class Rep, class Period>
  static void sleep_for(std::chrono::duration<Rep, Period> /*duration*/) noexcept {
    std::this_thread::yield();
  }
  static std::thread::id this_thread_id() noexcept { return std::this_thread::get_id(); }
  static void name_this_thread(const char* /*name*/) noexcept {}
  template <class T>
  static T& of_this_thread() noexcept {
    static constinit thread_local T own{};
    return own;
  }

  /// Lets time pass, and wakes the threads whose deadlines have passed.
  static void advance(std::chrono::nanoseconds by) {
    const std::lock_guard lock(registry_mutex_);
    now_ += by.count();
    for (auto& [condition, its_mutex] : registry_) {
      const std::lock_guard its_lock(*its_mutex);
      condition->notify_all();
    }
  }

  /// Returns how many threads wait with a deadline.
  [[nodiscard]] static std::size_t timed_waits() {
    const std::lock_guard lock(registry_mutex_);
    return registry_.size();
  }

  inline static std::atomic<std::size_t> mutex_locks = 0;
  inline static std::atomic<std::size_t> atomic_exchanges = 0;

 private:
  using Registry = std::list<std::pair<condition_variable*, mutex*>>;

  class TimedWait {
   public:
    TimedWait(condition_variable& condition, mutex& its_mutex) {
      const std::lock_guard lock(registry_mutex_);
      place_ = registry_.insert(registry_.end(), {&condition, &its_mutex});
    }
    void end() const {
      const std::lock_guard lock(registry_mutex_);
      registry_.erase(place_);
    }

   private:
    Registry::iterator place_;
  };

  inline static std::atomic<std::chrono::nanoseconds::rep> now_ = 0;
  inline static std::mutex registry_mutex_;
  inline static Registry registry_;
};

}  // namespace forebay_test

#endif  // FOREBAY_TESTS_SUPPORT_MANUAL_CLOCK_SYNC_HPP
