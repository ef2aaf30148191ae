// SPDX-License-Identifier: MIT
//
// How often a pipeline takes snapshots.

#include "forebay/checkpoint/snapshot_pace.hpp"

#include <gtest/gtest.h>

#include <chrono>

#include "tests/support/manual_clock_sync.hpp"

namespace forebay_test {
namespace {

using namespace std::chrono_literals;
using Pace = forebay::detail::SnapshotPace;

struct ManualClock {
  static std::chrono::nanoseconds now() { return ManualClockSync::clock::now().time_since_epoch(); }
} const manual_clock;

/// Returns how many snapshots are taken in `time`, with an opportunity every `interval`.
int snapshots_in(Pace& pace, std::chrono::nanoseconds time, std::chrono::nanoseconds interval,
                 std::chrono::nanoseconds cost) {
  int taken = 0;
  for (const auto end = ManualClockSync::clock::now() + time; ManualClockSync::clock::now() < end;) {
    ManualClockSync::advance(interval);
    if (!pace.is_due(manual_clock)) continue;
    pace.take(manual_clock, [cost] { ManualClockSync::advance(cost); });
    ++taken;
  }
  return taken;
}

TEST(SnapshotPace, TakesTheFirstSnapshotAtOnce) {
  Pace pace;
  EXPECT_TRUE(pace.is_due(manual_clock));
}

/// Expects that snapshots of that cost take a 400th of the time, once the pace is steady.
void expect_a_400th(std::chrono::nanoseconds cost) {
  Pace pace;
  static_cast<void>(snapshots_in(pace, 1s, 100us, cost));
  const int taken = snapshots_in(pace, 10'000 * cost, 100us, cost);
  EXPECT_GE(taken, 10);
  EXPECT_LE(taken, 25);
}

TEST(SnapshotPace, SpendsA400thOfTheTimeOnSnapshots) { expect_a_400th(1ms); }

TEST(SnapshotPace, SpendsA400thOfTheTimeEvenIfTheyTakeThousandsOfOpportunities) { expect_a_400th(10ms); }

TEST(SnapshotPace, TakesCheapSnapshotsOfSlowElementsAtEveryOpportunity) {
  Pace pace;
  EXPECT_EQ(snapshots_in(pace, 1s, 10ms, 1us), 100);
}

TEST(SnapshotPace, FollowsElementsThatBecomeSlow) {
  Pace pace;
  static_cast<void>(snapshots_in(pace, 100ms, 1us, 100us));
  EXPECT_GE(snapshots_in(pace, 100s, 100ms, 100us), 400);
}

TEST(SnapshotPace, IgnoresASnapshotThatWasInterrupted) {
  Pace pace;
  static_cast<void>(snapshots_in(pace, 100ms, 1us, 1us));
  static_cast<void>(snapshots_in(pace, 1ms, 1us, 1s));
  EXPECT_GE(snapshots_in(pace, 100ms, 1us, 1us), 100);
}

TEST(SnapshotPace, IsInAHurryIfToldSo) {
  Pace pace;
  static_cast<void>(snapshots_in(pace, 10ms, 1us, 1ms));
  ASSERT_FALSE(pace.is_due(manual_clock));
  pace.hurry();
  EXPECT_TRUE(pace.is_due(manual_clock));
}

TEST(SnapshotPace, GoesOnAfterASnapshotThatWasDueButNotTaken) {
  Pace pace;
  ASSERT_TRUE(pace.is_due(manual_clock));
  EXPECT_TRUE(pace.is_due(manual_clock));
}

}  // namespace
}  // namespace forebay_test
