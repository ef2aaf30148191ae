// SPDX-License-Identifier: MIT
//
// one_thread_sync.hpp: a synchronisation policy for a single thread. Time passes only while a call waits. It reports
// waits that nothing could end, and locks that are taken twice.

#ifndef FOREBAY_TESTS_FUZZ_ONE_THREAD_SYNC_HPP
#define FOREBAY_TESTS_FUZZ_ONE_THREAD_SYNC_HPP

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

#include "tests/fuzz/require.hpp"
#include "tests/support/still_clock.hpp"

namespace forebay_fuzz {

struct OneThreadSync {
  using clock = forebay_test::StillClock;

  class mutex {
   public:
    void lock() noexcept { require(!std::exchange(held_, true), "a mutex is locked twice"); }
    void unlock() noexcept { held_ = false; }

   private:
    bool held_ = false;
  };

  struct condition_variable {
    void notify_one() noexcept {}
    void notify_all() noexcept {}
    template <class Predicate>
    void wait(std::unique_lock<mutex>& /*lock*/, Predicate predicate) {
      require(predicate(), "a call waits for ever");
    }
    template <class Predicate>
    bool wait_until(std::unique_lock<mutex>& /*lock*/, clock::time_point deadline, Predicate predicate) {
      if (!predicate()) clock::time = std::max(clock::time, deadline);
      return predicate();
    }
  };

  template <class T>
  using atomic = std::atomic<T>;
  template <class T>
  using relaxed_atomic = std::atomic<T>;
  using thread = std::thread;
  using stop_token = std::stop_token;
  template <class Callback>
  using stop_callback = std::stop_callback<Callback>;

  static constexpr bool may_spin = false;
  static void pause() noexcept { fail("a spin lock is locked twice"); }
  static void yield() noexcept {}
  template <class Duration>
  static void sleep_for(Duration /*duration*/) noexcept {}
  static thread::id this_thread_id() noexcept { return std::this_thread::get_id(); }
  static void name_this_thread(const char* /*name*/) noexcept {}
  template <class T>
  static T& of_this_thread() noexcept {
    static constinit thread_local T own{};
    return own;
  }
};

}  // namespace forebay_fuzz

#endif  // FOREBAY_TESTS_FUZZ_ONE_THREAD_SYNC_HPP
