// SPDX-License-Identifier: MIT
//
// parker_test.cpp: what ends the sleep of a thread and the result of the sleep. No signal is lost.

#include <gtest/gtest.h>

#include <chrono>
#include <mutex>
#include <optional>

#include "forebay/sync.hpp"
#include "forebay/waiting/deadline.hpp"
#include "forebay/waiting/parker.hpp"
#include "tests/support/await.hpp"
#include "tests/support/background.hpp"
#include "tests/support/parking_sync.hpp"
#include "tests/support/still_clock.hpp"

namespace forebay_test {
namespace {

using namespace std::chrono_literals;

/// A Parker on ParkingSync, so that a test sees when a thread is parked.
struct Parker : testing::Test {
  using Deadline = forebay::detail::Deadline<ParkingSync::clock>;

  static constexpr Deadline never = std::nullopt;
  static Deadline long_ago() { return ParkingSync::clock::now() - 1h; }

  forebay::detail::Parker<ParkingSync> parker;
};

TEST_F(Parker, SignalWakesTheThreadThatIsParked) {
  Background parked([this] { return parker.park(never); });
  await_parked_threads(1);
  parker.signal();
  EXPECT_TRUE(parked.get());
}

TEST_F(Parker, InterruptionWakesTheThreadThatIsParkedAndIsNoSignal) {
  Background parked([this] { return parker.park(never); });
  await_parked_threads(1);
  parker.interrupt();
  EXPECT_FALSE(parked.get());
}

TEST_F(Parker, SignalThatComesBeforeTheParkIsNotLost) {
  parker.signal();
  EXPECT_TRUE(parker.park(never));
}

TEST_F(Parker, InterruptionThatComesBeforeTheParkIsNotLost) {
  parker.interrupt();
  EXPECT_FALSE(parker.park(never));
}

TEST_F(Parker, SignalIsToldWhereThereIsAnInterruptionToo) {
  parker.interrupt();
  parker.signal();
  EXPECT_TRUE(parker.park(never));
}

TEST_F(Parker, SignalIsToldWhereTheDeadlineHasPassedToo) {
  parker.signal();
  EXPECT_TRUE(parker.park(long_ago()));
}

TEST_F(Parker, DeadlineThatHasPassedEndsTheParkAtOnce) { EXPECT_FALSE(parker.park(long_ago())); }

TEST_F(Parker, SignalsEndOnePark) {
  parker.signal();
  parker.signal();
  ASSERT_TRUE(parker.park(never));
  EXPECT_FALSE(parker.park(long_ago()));
}

TEST_F(Parker, InterruptionEndsOnePark) {
  parker.interrupt();
  ASSERT_FALSE(parker.park(never));
  Background parked([this] { return parker.park(never); });
  await_parked_threads(1);
  parker.signal();
  EXPECT_TRUE(parked.get());
}

TEST_F(Parker, ParkConsumesTheInterruptionBesideTheSignal) {
  parker.interrupt();
  parker.signal();
  ASSERT_TRUE(parker.park(never));
  Background parked([this] { return parker.park(never); });
  await_parked_threads(1);
  parker.signal();
  EXPECT_TRUE(parked.get());
}

TEST_F(Parker, SignalWakesTheThreadThatIsParkedUntilADeadline) {
  Background parked([this] { return parker.park(ParkingSync::clock::now() + 1h); });
  await_parked_threads(1);
  parker.signal();
  EXPECT_TRUE(parked.get());
}

// ---- await_signal()

TEST_F(Parker, AwaitSignalTakesTheSignalThatCameBefore) {
  parker.signal();
  parker.await_signal();
  EXPECT_FALSE(parker.park(long_ago()));
}

TEST_F(Parker, AwaitSignalSleepsOnWhenItIsInterrupted) {
  parker.interrupt();
  Background signalled([this] {
    parker.await_signal();
    return true;
  });
  await_parked_threads(1);
  parker.signal();
  EXPECT_TRUE(signalled.get());
}

TEST_F(Parker, AwaitSignalLeavesTheInterruptionForThePark) {
  parker.interrupt();
  parker.signal();
  parker.await_signal();
  EXPECT_FALSE(parker.park(never));
}

// ---- In one thread

/// A policy for one thread. The time of a sleep passes immediately, and a notification shows whether the mutex is held.
struct OneThreadSync : forebay::StdSync {
  struct Mutex {
    void lock() noexcept { is_held = true; }
    void unlock() noexcept { is_held = false; }
  };

  struct Condition {
    void notify_one() noexcept { notified_under_mutex = is_held; }
    template <class Predicate>
    void wait(std::unique_lock<Mutex>& /*lock*/, Predicate predicate) {
      ASSERT_TRUE(predicate()) << "nothing could end this sleep";
    }
    template <class Predicate>
    bool wait_until(std::unique_lock<Mutex>& /*lock*/, StillClock::time_point deadline, Predicate predicate) {
      if (!predicate()) StillClock::time = deadline;
      return predicate();
    }
  };

  using clock = StillClock;
  using mutex = Mutex;
  using condition_variable = Condition;

  inline static bool is_held = false;
  inline static bool notified_under_mutex = false;
};

TEST(ParkerInOneThread, SleepsUntilTheDeadline) {
  forebay::detail::Parker<OneThreadSync> parker;
  const auto deadline = StillClock::now() + 1h;
  EXPECT_FALSE(parker.park(deadline));
  EXPECT_TRUE(StillClock::now() == deadline);
}

// The woken thread may destroy the parker as soon as it has the mutex.
TEST(ParkerInOneThread, IsSignalledUnderItsMutex) {
  forebay::detail::Parker<OneThreadSync> parker;
  OneThreadSync::notified_under_mutex = false;
  parker.signal();
  EXPECT_TRUE(OneThreadSync::notified_under_mutex);
}

TEST(ParkerInOneThread, IsInterruptedUnderItsMutex) {
  forebay::detail::Parker<OneThreadSync> parker;
  OneThreadSync::notified_under_mutex = false;
  parker.interrupt();
  EXPECT_TRUE(OneThreadSync::notified_under_mutex);
}

}  // namespace
}  // namespace forebay_test
