// SPDX-License-Identifier: MIT
//
// wait_test.cpp: how long a Wait waits, above all for extreme times. The standard library overflows there:
// wait_for(hours::max()) returns at once.

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <ratio>
#include <stop_token>
#include <string>

#include "forebay/coordinator.hpp"
#include "forebay/fifo_queue.hpp"
#include "forebay/queue_status.hpp"
#include "forebay/wait.hpp"
#include "forebay/waiting/deadline.hpp"
#include "tests/support/await.hpp"
#include "tests/support/background.hpp"
#include "tests/support/scaled_time.hpp"

namespace forebay_test {
namespace {

using forebay::FIFOQueue;
using forebay::QueueStatus;
using Wait = forebay::BasicWait<>;
using Clock = std::chrono::steady_clock;
using SystemClock = std::chrono::system_clock;
using Seconds = std::chrono::duration<double>;

/// Expects that the call waits until it is served, and that its time does not pass before that.
void expect_to_block(const Wait& wait) {
  FIFOQueue<int> queue(1);
  Background taken([&] { return queue.dequeue(wait).status(); });
  // Seeing it wait is not enough: it must also keep waiting after it has checked its deadline.
  ASSERT_TRUE(await([&] { return queue.waiting_consumers() == 1; }));
  static_cast<void>(queue.dequeue_many(2, short_time()));
  EXPECT_EQ(queue.waiting_consumers(), 1U);
  ASSERT_EQ(queue.enqueue(1), QueueStatus::ok);
  EXPECT_EQ(taken.get(), QueueStatus::ok);
}

void expect_to_time_out(const Wait& wait) {
  FIFOQueue<int> queue(1);
  EXPECT_EQ(queue.dequeue(wait).status(), QueueStatus::timed_out);
  ASSERT_EQ(queue.enqueue(1), QueueStatus::ok);
  EXPECT_EQ(queue.enqueue(2, wait), QueueStatus::timed_out);
}

// ---- Durations

// proves: wait-saturates
TEST(Wait, BlocksForTheLongestDurations) {
  expect_to_block(std::chrono::hours::max());
  expect_to_block(std::chrono::minutes::max());
  expect_to_block(std::chrono::milliseconds::max());
  expect_to_block(std::chrono::nanoseconds::max());
}

TEST(Wait, BlocksForTheLongestDurationsOfUnusualTypes) {
  expect_to_block(std::chrono::duration<std::uint64_t>(std::numeric_limits<std::uint64_t>::max()));
  expect_to_block(std::chrono::duration<std::int64_t, std::ratio<31556952>>::max());
  expect_to_block(std::chrono::duration<std::int64_t, std::pico>::max());
}

TEST(Wait, BlocksForAlmostTheLongestDuration) {
  expect_to_block(std::chrono::nanoseconds::max() - std::chrono::nanoseconds(1));
  expect_to_block(Clock::time_point::max() - Clock::now());
  expect_to_block(Clock::time_point::max() - Clock::now() - std::chrono::hours(1));
}

// proves: wait-saturates
TEST(Wait, BlocksForTheLongestFloatingPointDurations) {
  expect_to_block(Seconds::max());
  expect_to_block(Seconds(std::numeric_limits<double>::infinity()));
  expect_to_block(std::chrono::duration<float>::max());
  expect_to_block(std::chrono::duration<double, std::nano>(9.3e18));
}

// proves: wait-saturates
TEST(Wait, TimesOutAfterNegativeDurations) {
  expect_to_time_out(std::chrono::seconds(-1));
  expect_to_time_out(std::chrono::hours::min());
  expect_to_time_out(std::chrono::nanoseconds::min());
  expect_to_time_out(Seconds::min());
  expect_to_time_out(Seconds(-std::numeric_limits<double>::infinity()));
}

TEST(Wait, TimesOutAfterDurationOfZero) {
  expect_to_time_out(std::chrono::nanoseconds(0));
  expect_to_time_out(Seconds(0.0));
  expect_to_time_out(Seconds(-0.0));
}

// proves: wait-saturates
TEST(Wait, TimesOutAfterDurationThatIsNotANumber) {
  expect_to_time_out(Seconds(std::numeric_limits<double>::quiet_NaN()));
}

TEST(Wait, TimesOutAfterTheSmallestDurations) {
  expect_to_time_out(std::chrono::nanoseconds(1));
  expect_to_time_out(std::chrono::duration<std::int64_t, std::pico>(1));
  expect_to_time_out(Seconds(std::numeric_limits<double>::denorm_min()));
}

/// A clock that stands still.
struct StoppedClock {
  using duration = std::chrono::nanoseconds;
  using time_point = std::chrono::time_point<StoppedClock>;
  static time_point now() noexcept { return time_point(std::chrono::seconds(1)); }
};
using StoppedDeadline = forebay::detail::Deadline<StoppedClock>;

TEST(Wait, RoundsUpToWhatTheClockCanTell) {
  using Picoseconds = std::chrono::duration<std::int64_t, std::pico>;
  const auto after = [](auto duration) { return forebay::detail::deadline_after<StoppedClock>(duration); };
  EXPECT_EQ(after(Picoseconds(1)), StoppedDeadline(StoppedClock::now() + std::chrono::nanoseconds(1)));
  EXPECT_EQ(after(Picoseconds(1500)), StoppedDeadline(StoppedClock::now() + std::chrono::nanoseconds(2)));
  EXPECT_EQ(after(Picoseconds(2000)), StoppedDeadline(StoppedClock::now() + std::chrono::nanoseconds(2)));
}

TEST(Wait, EndsNowWhenTheDurationIsOver) {
  const auto after = [](auto duration) { return forebay::detail::deadline_after<StoppedClock>(duration); };
  EXPECT_EQ(after(std::chrono::hours::min()), StoppedDeadline(StoppedClock::now()));
  EXPECT_EQ(after(Seconds(std::numeric_limits<double>::quiet_NaN())), StoppedDeadline(StoppedClock::now()));
}

TEST(Wait, EndsNeverOnlyWhenTheClockCannotTellTheEnd) {
  const auto after = [](auto duration) { return forebay::detail::deadline_after<StoppedClock>(duration); };
  const auto most = StoppedClock::time_point::max() - StoppedClock::now();
  EXPECT_EQ(after(most - std::chrono::seconds(1)),
            StoppedDeadline(StoppedClock::time_point::max() - std::chrono::seconds(1)));
  EXPECT_EQ(after(most), std::nullopt);
  EXPECT_EQ(after(std::chrono::nanoseconds::max()), std::nullopt);
}

TEST(Wait, KeepsFractionsOfFloatingPointDurations) {
  const auto before = Clock::now();
  const Wait wait(Seconds(0.25));
  const auto after = Clock::now();
  ASSERT_TRUE(wait.deadline());
  EXPECT_GE(*wait.deadline(), before + std::chrono::milliseconds(250));
  EXPECT_LE(*wait.deadline(), after + std::chrono::milliseconds(250));
}

// ---- Time points

// proves: wait-saturates
TEST(Wait, BlocksUntilTheLastTimePoints) {
  expect_to_block(Clock::time_point::max());
  expect_to_block(SystemClock::time_point::max());
  expect_to_block(std::chrono::time_point<Clock, std::chrono::hours>::max());
  expect_to_block(std::chrono::time_point<SystemClock, Seconds>::max());
}

TEST(Wait, BlocksUntilAlmostTheLastTimePoint) {
  expect_to_block(Clock::time_point::max() - std::chrono::nanoseconds(1));
  expect_to_block(SystemClock::time_point::max() - std::chrono::nanoseconds(1));
}

TEST(Wait, TimesOutAtTheFirstTimePoints) {
  expect_to_time_out(Clock::time_point::min());
  expect_to_time_out(SystemClock::time_point::min());
  expect_to_time_out(std::chrono::time_point<Clock, std::chrono::hours>::min());
  expect_to_time_out(std::chrono::time_point<SystemClock, Seconds>::min());
}

TEST(Wait, TimesOutAtTimePointsThatHavePassed) {
  expect_to_time_out(Clock::now());
  expect_to_time_out(SystemClock::now() - std::chrono::hours(1));
  expect_to_time_out(Clock::time_point());
}

// proves: wait-saturates
TEST(Wait, TimesOutAtATimePointOfAnotherClock) {
  FIFOQueue<int> queue(1);
  const auto before = Clock::now();
  EXPECT_EQ(queue.dequeue(SystemClock::now() + short_time()).status(), QueueStatus::timed_out);
  EXPECT_GE(Clock::now() - before, short_time() - std::chrono::milliseconds(1));
}

TEST(Wait, TimesOutAtACoarseTimePoint) {
  const auto before = Clock::now();
  const auto time = std::chrono::ceil<std::chrono::seconds>(before);
  const Wait wait(time);
  const auto passed = Clock::now() - before;
  ASSERT_TRUE(wait.deadline());
  EXPECT_GE(*wait.deadline(), time);
  EXPECT_LE(*wait.deadline(), time + passed) << "it reads its clock twice";
}

// ---- Stops and combinations

TEST(Wait, BlocksUntilAStopThatCannotBeRequested) {
  expect_to_block(std::stop_token());
  expect_to_block({std::chrono::hours::max(), std::stop_token()});
}

// proves: wait-over
TEST(Wait, TakesTheStopBeforeTheTimeWhenBothAreOver) {
  std::stop_source stop;
  stop.request_stop();
  FIFOQueue<int> queue(1);
  EXPECT_EQ(queue.dequeue({std::chrono::seconds(-1), stop.get_token()}).status(), QueueStatus::stopped);
}

TEST(Wait, BlocksAgainAfterTheCoordinatorWasCleared) {
  forebay::Coordinator coordinator;
  FIFOQueue<int> queue(1);
  coordinator.request_stop();
  EXPECT_EQ(queue.dequeue(coordinator).status(), QueueStatus::stopped);
  coordinator.clear_stop();
  expect_to_block(coordinator);
}

// ---- A Wait that several calls use

TEST(Wait, SharesItsTimeBetweenTheCallsItIsUsedFor) {
  FIFOQueue<int> queue(1);
  const auto before = Clock::now();
  const Wait wait(short_time());
  EXPECT_EQ(queue.dequeue(wait).status(), QueueStatus::timed_out);
  const auto between = Clock::now();
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(queue.dequeue(wait).status(), QueueStatus::timed_out);
  EXPECT_GE(between - before, short_time());
  EXPECT_LT(Clock::now() - between, 1000 * short_time());
}

TEST(Wait, StartsToRunWhenItIsMade) {
  const auto before = Clock::now();
  const Wait wait(std::chrono::hours(1));
  const auto after = Clock::now();
  ASSERT_TRUE(wait.deadline());
  EXPECT_GE(*wait.deadline(), before + std::chrono::hours(1));
  EXPECT_LE(*wait.deadline(), after + std::chrono::hours(1));
}

TEST(Wait, CanBeStoppedInSeveralCallsAtOnce) {
  std::stop_source stop;
  const Wait wait(stop.get_token());
  FIFOQueue<int> queue(1);
  Background one([&] { return queue.dequeue(wait).status(); });
  Background two([&] { return queue.dequeue(wait).status(); });
  ASSERT_TRUE(await_waiting_consumers(queue, 2));
  stop.request_stop();
  EXPECT_EQ(one.get(), QueueStatus::stopped);
  EXPECT_EQ(two.get(), QueueStatus::stopped);
}

TEST(Wait, ForeverNeitherEndsNorMayNotBlock) {
  const Wait wait;
  EXPECT_TRUE(wait.may_block());
  EXPECT_FALSE(wait.deadline());
  EXPECT_FALSE(wait.stop_requested());
  EXPECT_EQ(wait.given_up(QueueStatus::empty), std::nullopt);
}

TEST(Wait, NoWaitMayNotBlock) {
  EXPECT_FALSE(Wait(forebay::no_wait).may_block());
  EXPECT_EQ(Wait(forebay::no_wait).given_up(QueueStatus::full), QueueStatus::full);
}

}  // namespace
}  // namespace forebay_test
