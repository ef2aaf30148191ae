// SPDX-License-Identifier: MIT
//
// parking_sync.hpp: StdSync that counts parked threads, for waits that no queue reports.

#ifndef FOREBAY_TESTS_SUPPORT_PARKING_SYNC_HPP
#define FOREBAY_TESTS_SUPPORT_PARKING_SYNC_HPP

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <mutex>

#include "forebay/sync.hpp"
#include "tests/support/await.hpp"

namespace forebay_test {

struct ParkingSync : forebay::StdSync {
  class condition_variable {
   public:
    void notify_one() noexcept { condition_.notify_one(); }
    void notify_all() noexcept { condition_.notify_all(); }

    template <class Predicate>
    void wait(std::unique_lock<std::mutex>& lock, Predicate predicate) {
      if (predicate()) return;
      const Parked parked;
      condition_.wait(lock, predicate);
    }

    template <class TimePoint, class Predicate>
    bool wait_until(std::unique_lock<std::mutex>& lock, TimePoint deadline, Predicate predicate) {
      if (predicate()) return true;
      const Parked parked;
      return condition_.wait_until(lock, deadline, predicate);
    }

   private:
    // Counted under the waiter's mutex: a thread that sees the count, and then takes that mutex to wake the waiter,
    // finds it parked.
    struct Parked {
      Parked() noexcept { ++parked_threads; }
      ~Parked() { --parked_threads; }
      Parked(const Parked&) = delete;
      Parked& operator=(const Parked&) = delete;
    };

    std::condition_variable condition_;
  };

  inline static std::atomic<std::size_t> parked_threads = 0;
};

/// Returns when exactly `count` threads are parked in objects that synchronise with ParkingSync.
inline bool await_parked_threads(std::size_t count) {
  return await([count] { return ParkingSync::parked_threads == count; });
}

}  // namespace forebay_test

#endif  // FOREBAY_TESTS_SUPPORT_PARKING_SYNC_HPP
