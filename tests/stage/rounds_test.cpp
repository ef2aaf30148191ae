// SPDX-License-Identifier: MIT
//
// rounds_test.cpp: how epochs are counted through repeats of repeats, and what a stage that leaves some of them early
// goes on with.

#include "forebay/stage/rounds.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>

namespace forebay_test {
namespace {

using forebay::detail::Epoch;
using forebay::detail::Rounds;

TEST(Rounds, WithoutRepeatsThereIsOneEpoch) {
  Rounds rounds;
  EXPECT_FALSE(rounds.over());
  rounds.next();
  EXPECT_TRUE(rounds.over());
}

TEST(Rounds, NumberTheEpochsOfNestedRepeatsThrough) {
  Rounds rounds({2, 3});
  for (std::uint64_t epoch = 0; epoch < 6; ++epoch) {
    ASSERT_FALSE(rounds.over());
    EXPECT_EQ(rounds.epoch(), Epoch(epoch));
    EXPECT_EQ(rounds.epoch().begins_round(1), epoch % 2 == 0);
    EXPECT_EQ(rounds.epoch().turn(1), epoch / 2);
    rounds.next();
  }
  EXPECT_TRUE(rounds.over());
}

TEST(Rounds, AnEndlessRepeatIsNeverOver) {
  Rounds rounds({0});
  for (int i = 0; i < 1000; ++i) rounds.next();
  EXPECT_FALSE(rounds.over());
}

TEST(Rounds, LeavingARoundEarlyGoesOnWithTheNextNumberAndIsCounted) {
  Rounds rounds({0, 2});
  rounds.next();
  rounds.leave(1, 1);
  EXPECT_FALSE(rounds.over());
  EXPECT_EQ(rounds.epoch(), Epoch(2, {0, 1}));
  EXPECT_TRUE(rounds.epoch().begins_round(1));
  rounds.leave(1, 1);
  EXPECT_TRUE(rounds.over());
}

TEST(Rounds, LeavingARoundInItsLastEpochIsNoBreak) {
  Rounds rounds({2, 2});
  rounds.next();
  rounds.leave(1, 0);
  EXPECT_EQ(rounds.epoch(), Epoch(2));
}

TEST(Rounds, WhatWasReadAheadInAnEpochThatIsLeftIsBefore) {
  EXPECT_TRUE(Epoch(1).is_before(Epoch(2)));
  EXPECT_FALSE(Epoch(2).is_before(Epoch(2)));
  EXPECT_FALSE(Epoch(3).is_before(Epoch(2)));
  EXPECT_TRUE(Epoch(3).is_before(Epoch(2, {1})));
}

TEST(Rounds, AStageThatLeavesCountsBeforeThoseThatHaveLeftInWhatWasReadAhead) {
  EXPECT_TRUE(Epoch(5, {0, 3}).is_before(Epoch(2, {1})));
  EXPECT_FALSE(Epoch(5, {1, 3}).is_before(Epoch(2, {1})));
}

TEST(Rounds, KnowWhichEpochsAreOfOneRound) {
  Rounds rounds({2, 2});
  const Epoch first = rounds.epoch();
  rounds.next();
  EXPECT_TRUE(rounds.is_in_round_of(first, 1));
  EXPECT_FALSE(rounds.is_in_round_of(first, 0));
  rounds.next();
  EXPECT_FALSE(rounds.is_in_round_of(first, 1));
}

TEST(Epoch, KeepsItsTurnsWhenItIsSwapped) {
  Rounds rounds({2, 2});
  rounds.next();
  Epoch one = rounds.epoch();
  Epoch other = rounds.epoch();
  std::swap(one, other);
  EXPECT_EQ(one.turn(0), 1U);
  EXPECT_EQ(other.turn(0), 1U);
}

TEST(Rounds, AnotherBranchBeginsItsRoundWithTheFirstOne) {
  Rounds first({2, 3});
  first.next();
  first.next();
  const Rounds branch = first.in_branch(1, {5}, 0, false);
  EXPECT_EQ(branch.epoch(), Epoch(5));
  EXPECT_TRUE(branch.epoch().begins_round(1));
  EXPECT_EQ(branch.epoch().turn(1), 1U);
}

}  // namespace
}  // namespace forebay_test
