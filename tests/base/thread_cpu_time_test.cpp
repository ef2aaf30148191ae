// SPDX-License-Identifier: MIT
//
// thread_cpu_time_test.cpp: the CPU time that threads have used, with clocks that a test sets.

#include "forebay/base/thread_cpu_time.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <latch>
#include <mutex>
#include <optional>

#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include "forebay/sync.hpp"
#include "tests/support/await.hpp"
#include "tests/support/background.hpp"

namespace forebay_test {
namespace {

using namespace std::chrono_literals;
using forebay::detail::MaybeTime;
using forebay::detail::scaled;

/// One clock for all threads.
struct SetClockSync {
  using mutex = std::mutex;
  struct thread_clock {  // NOLINT(readability-identifier-naming)
    [[nodiscard]] MaybeTime now() const noexcept { return time; }
  };
  inline static MaybeTime time;
};
using CpuTime = forebay::detail::ThreadCpuTime<SetClockSync>;

TEST(ThreadCpuTime, IsUnknownBeforeAThreadHasBegun) { EXPECT_EQ(CpuTime().so_far(), std::nullopt); }

// proves: verdict
TEST(ThreadCpuTime, IsKnownWhileTheThreadRuns) {
  SetClockSync::time = 5s;
  CpuTime time;
  time.begin();
  EXPECT_EQ(time.so_far(), 0s);
  SetClockSync::time = 7s;
  EXPECT_EQ(time.so_far(), 2s);
}

// proves: verdict
TEST(ThreadCpuTime, OfSeveralThreadsOneAfterTheOtherIsTheirSum) {
  SetClockSync::time = 5s;
  CpuTime time;
  time.begin();
  SetClockSync::time = 7s;
  time.end();
  SetClockSync::time = 100s;
  EXPECT_EQ(time.so_far(), 2s) << "the thread has ended";
  time.begin();
  SetClockSync::time = 101s;
  EXPECT_EQ(time.so_far(), 3s);
  time.end();
  EXPECT_EQ(time.so_far(), 3s);
}

// proves: verdict
TEST(ThreadCpuTime, OfAClockThatTellsNothingIsUnknown) {
  SetClockSync::time.reset();
  CpuTime time;
  time.begin();
  EXPECT_EQ(time.so_far(), std::nullopt);
  time.end();
  EXPECT_EQ(time.so_far(), std::nullopt);
}

TEST(ThreadCpuTime, OfAClockThatTellsNothingAnyMoreIsWhatWasKnown) {
  SetClockSync::time = 5s;
  CpuTime time;
  time.begin();
  SetClockSync::time = 7s;
  time.end();
  time.begin();
  SetClockSync::time.reset();
  EXPECT_EQ(time.so_far(), 2s);
}

TEST(ThreadCpuTime, OfAPolicyWithoutAClockIsUnknown) {
  struct NoClockSync {};
  forebay::detail::ThreadCpuTime<NoClockSync> time;
  const forebay::detail::UsesCpu uses(time);
  EXPECT_EQ(time.so_far(), std::nullopt);
}

#if defined(__linux__)
TEST(ThreadCpuTime, IsReadByOtherThreads) {
  forebay::detail::ThreadCpuTime<forebay::StdSync> time;
  std::latch read(1);
  Background thread([&] {
    const forebay::detail::UsesCpu uses(time);
    const forebay::StdSync::thread_clock clock;
    const auto end = clock.now().value() + 5ms;
    while (clock.now().value() < end) continue;
    read.wait();
    return true;
  });
  EXPECT_TRUE(await([&] { return time.so_far().value_or(0s) >= 5ms; }));
  read.count_down();
  static_cast<void>(thread.get());
  EXPECT_GE(time.so_far().value(), 5ms);
}
#endif

#if defined(__linux__)
/// A clock of the thread with this id.
struct ClockOfThread {
  [[nodiscard]] long thread() const noexcept { return id; }  // NOLINT(google-runtime-int)
  long id;                                                   // NOLINT(google-runtime-int)
};

TEST(RunDelay, OfTheCallingThreadIsWhatLinuxReports) {
  const forebay::StdSync::thread_clock own;
  EXPECT_EQ(own.thread(), ::syscall(SYS_gettid));
  if (!std::ifstream("/proc/thread-self/schedstat")) GTEST_SKIP() << "this Linux does not report it";
  EXPECT_TRUE(forebay::detail::run_delay(own).has_value());
}

TEST(RunDelay, OfAThreadThatDoesNotExistIsUnknown) {
  EXPECT_EQ(forebay::detail::run_delay(ClockOfThread{-1}), std::nullopt);
}
#endif

TEST(RunDelay, OfAClockWithoutAThreadIsUnknown) {
  EXPECT_EQ(forebay::detail::run_delay(SetClockSync::thread_clock()), std::nullopt);
  CpuTime time;
  time.begin();
  EXPECT_EQ(time.without_core(), std::nullopt);
  time.end();
  EXPECT_EQ(time.without_core(), std::nullopt);
}

// proves: verdict
TEST(BusyWithoutCore, IsTheBusyTimeWithoutCpuTimeThatTheSystemExplains) {
  using forebay::detail::busy_without_core;
  EXPECT_EQ(busy_without_core(10s, 4s, 3s), 3s) << "and 3 s in user code";
  EXPECT_EQ(busy_without_core(10s, 4s, 9s), 6s) << "the others after a wait";
  EXPECT_EQ(busy_without_core(10s, 11s, 9s), 0s);
  EXPECT_EQ(busy_without_core(10s, std::nullopt, 9s), 0s);
  EXPECT_EQ(busy_without_core(10s, 4s, std::nullopt), 0s);
}

TEST(ScaledTime, IsAtMostAllOfIt) {
  EXPECT_EQ(scaled(10s, 1s, 4s), 2500ms);
  EXPECT_EQ(scaled(10s, 5s, 4s), 10s);
  EXPECT_EQ(scaled(10s, 0s, 0s), 10s);
  EXPECT_EQ(scaled(10s, 0s, 4s), 0s);
}

}  // namespace
}  // namespace forebay_test
