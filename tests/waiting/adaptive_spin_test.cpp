// SPDX-License-Identifier: MIT
//
// adaptive_spin_test.cpp: how long a thread spins before it parks, and how its experience changes that.

#include <gtest/gtest.h>

#include <chrono>

#include "forebay/sync.hpp"
#include "forebay/waiting/adaptive_spin.hpp"
#include "tests/support/still_clock.hpp"

namespace forebay_test {
namespace {

using namespace std::chrono_literals;

/// StdSync that counts pauses and yields. Time passes only in yields.
struct CountingSync : forebay::StdSync {
  using clock = StillClock;

  static void pause() noexcept { ++pauses; }
  static void yield() noexcept {
    ++yields;
    clock::time += yield_takes;
  }

  inline static int pauses = 0;
  inline static int yields = 0;
  inline static std::chrono::nanoseconds yield_takes = 1us;
};

struct ParkingAtOnceSync : CountingSync {
  static constexpr bool may_spin = false;
};

/// The steps of a wait.
struct Course {
  int looks = 0;
  int pauses = 0;
  int yields = 0;
};

struct AdaptiveSpin : testing::Test {
  using Spin = forebay::detail::AdaptiveSpin<CountingSync>::Spin;

  AdaptiveSpin() { CountingSync::yield_takes = 1us; }

  /// Looks until `is_there(course)` holds or the spin is over, when a thread would park.
  template <class IsThere>
  static Course look_until(Spin& spin, const IsThere& is_there) {
    Course course;
    CountingSync::pauses = 0;
    CountingSync::yields = 0;
    while (!is_there(course) && spin.lasts()) {
      ++course.looks;
      course.pauses = CountingSync::pauses;
      course.yields = CountingSync::yields;
    }
    return course;
  }

  /// A wait without success.
  Course wait_in_vain() {
    Spin spin(adaptive);
    return look_until(spin, [](const Course&) { return false; });
  }
  /// Waits `times` times without success.
  void wait_in_vain(int times) {
    for (int i = 0; i < times; ++i) wait_in_vain();
  }
  /// A wait that succeeds at the first look.
  Course wait_briefly(bool could_be_later) {
    Spin spin(adaptive);
    const Course course = look_until(spin, [](const Course& so_far) { return so_far.looks == 1; });
    spin.succeeded(could_be_later);
    return course;
  }
  /// A wait that succeeds after the first yield.
  void wait_for_a_yield() {
    Spin spin(adaptive);
    look_until(spin, [](const Course& so_far) { return so_far.yields == 1; });
    spin.succeeded(false);
  }
  /// Returns the number of unsuccessful waits before one that yields; that one runs, too.
  int waits_without_yields() {
    int waits = 0;
    while (wait_in_vain().yields == 0) ++waits;
    return waits;
  }
  /// Returns the number of unsuccessful waits before a trial, which pauses more often than a usual wait ever does.
  int waits_without_trial() {
    int waits = 0;
    while (wait_in_vain().pauses <= most_pauses) ++waits;
    return waits;
  }

  static constexpr int most_pauses = 512;

  forebay::detail::AdaptiveSpin<CountingSync> adaptive;
};

TEST_F(AdaptiveSpin, PausesFirstThenYieldsThenEnds) {
  const Course course = wait_in_vain();
  EXPECT_EQ(course.pauses, most_pauses);
  EXPECT_GT(course.yields, 0);
  EXPECT_EQ(course.looks, course.pauses + course.yields) << "a look behind each of them";
}

TEST_F(AdaptiveSpin, DoesNotLastWhereThePolicyParksAtOnce) {
  forebay::detail::AdaptiveSpin<ParkingAtOnceSync> parks;
  forebay::detail::AdaptiveSpin<ParkingAtOnceSync>::Spin spin(parks);
  CountingSync::pauses = 0;
  CountingSync::yields = 0;
  EXPECT_FALSE(spin.lasts());
  EXPECT_EQ(CountingSync::pauses + CountingSync::yields, 0);
}

// ---- How many pauses

TEST_F(AdaptiveSpin, PausesHalfAsMuchAfterPausesThatDidNotHelp) {
  const Course first = wait_in_vain();
  EXPECT_EQ(wait_in_vain().pauses, first.pauses / 2);
  EXPECT_EQ(wait_in_vain().pauses, first.pauses / 4);
}

TEST_F(AdaptiveSpin, PausesTwiceAsMuchAfterPausesThatHelped) {
  wait_in_vain(3);
  wait_briefly(false);
  EXPECT_EQ(wait_in_vain().pauses, most_pauses / 4);
}

TEST_F(AdaptiveSpin, PausesNoMoreThanAtFirstHoweverOftenTheyHelp) {
  for (int i = 0; i < 10; ++i) wait_briefly(false);
  EXPECT_EQ(wait_in_vain().pauses, most_pauses);
}

TEST_F(AdaptiveSpin, DoesNotPauseWherePausesNeverHelp) {
  wait_in_vain(10);
  EXPECT_EQ(wait_in_vain().pauses, 0);
}

TEST_F(AdaptiveSpin, YieldThatHelpedSaysNothingForPauses) {
  wait_for_a_yield();
  EXPECT_EQ(wait_in_vain().pauses, most_pauses / 2);
}

// ---- Trials

TEST_F(AdaptiveSpin, TriesLongPausesNowAndThen) { EXPECT_EQ(waits_without_trial(), 32); }

TEST_F(AdaptiveSpin, TriesMoreSeldomWhereTrialsDoNotHelp) {
  waits_without_trial();
  EXPECT_EQ(waits_without_trial(), 64);
  EXPECT_EQ(waits_without_trial(), 128);
}

TEST_F(AdaptiveSpin, NeverGivesTrialsUp) {
  for (int trial = 0; trial < 10; ++trial) waits_without_trial();
  EXPECT_EQ(waits_without_trial(), 4096);
}

TEST_F(AdaptiveSpin, TrialThatDidNotHelpChangesNoUsualWait) {
  waits_without_trial();
  EXPECT_EQ(wait_in_vain().pauses, 0);
}

TEST_F(AdaptiveSpin, TrialThatHelpedIsFollowedByPausesAndSoonByAnotherOne) {
  waits_without_trial();
  wait_in_vain(64);
  wait_briefly(false);  // the second trial
  EXPECT_EQ(wait_in_vain().pauses, most_pauses);
  EXPECT_EQ(waits_without_trial(), 31);
}

// ---- How often to look

TEST_F(AdaptiveSpin, LooksAfterEachPauseAtFirst) { EXPECT_EQ(wait_briefly(false).pauses, 1); }

TEST_F(AdaptiveSpin, LooksLessOftenWhereItCouldBeLater) {
  wait_briefly(true);
  EXPECT_EQ(wait_briefly(true).pauses, 4);
  EXPECT_EQ(wait_briefly(true).pauses, 16);
}

TEST_F(AdaptiveSpin, LooksOnceInSixtyFourPausesAtLeast) {
  for (int i = 0; i < 10; ++i) wait_briefly(true);
  EXPECT_EQ(wait_briefly(true).pauses, 64);
}

TEST_F(AdaptiveSpin, LooksMoreOftenWhereItCouldNotBeLater) {
  wait_briefly(true);
  wait_briefly(true);
  wait_briefly(false);
  EXPECT_EQ(wait_briefly(false).pauses, 8);
  EXPECT_EQ(wait_briefly(false).pauses, 4);
}

// ---- Yields

TEST_F(AdaptiveSpin, EndsAfterAYieldThatLostItsTimeSlice) {
  CountingSync::yield_takes = 3ms;
  EXPECT_EQ(wait_in_vain().yields, 1);
}

TEST_F(AdaptiveSpin, LosesNoTimeSliceInYieldsThatAreShortEach) {
  CountingSync::yield_takes = 1ms;
  EXPECT_GT(wait_in_vain().yields, 10);
}

TEST_F(AdaptiveSpin, LeavesYieldsOutAfterALostTimeSlice) {
  CountingSync::yield_takes = 3ms;
  wait_in_vain();
  EXPECT_EQ(waits_without_yields(), 64);
}

TEST_F(AdaptiveSpin, LeavesYieldsOutForLongerEachTime) {
  CountingSync::yield_takes = 3ms;
  wait_in_vain();
  waits_without_yields();
  EXPECT_EQ(waits_without_yields(), 256);
  EXPECT_EQ(waits_without_yields(), 1024);
}

TEST_F(AdaptiveSpin, NeverGivesYieldsUp) {
  CountingSync::yield_takes = 3ms;
  wait_in_vain();
  for (int i = 0; i < 5; ++i) waits_without_yields();
  EXPECT_EQ(waits_without_yields(), 4096);
}

TEST_F(AdaptiveSpin, LeavesYieldsOutBrieflyAgainAfterOneThatHelped) {
  CountingSync::yield_takes = 3ms;
  wait_in_vain();
  waits_without_yields();
  wait_in_vain(256);
  CountingSync::yield_takes = 1us;
  wait_for_a_yield();
  CountingSync::yield_takes = 3ms;
  wait_in_vain();
  EXPECT_EQ(waits_without_yields(), 64);
}

TEST_F(AdaptiveSpin, LostYieldThatHelpedIsALostYield) {
  CountingSync::yield_takes = 3ms;
  wait_for_a_yield();
  waits_without_yields();
  EXPECT_EQ(waits_without_yields(), 256);
}

}  // namespace
}  // namespace forebay_test
