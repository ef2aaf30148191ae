// SPDX-License-Identifier: MIT
//
// epoch_test.cpp: the numbers and the count of epochs that are joined into one.

#include "forebay/describe/epoch.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace forebay_test {
namespace {

using forebay::detail::Epoch;
using forebay::detail::EpochCount;
using forebay::detail::first_part_of;
using forebay::detail::is_last_part;

constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();

TEST(EpochCount, OfRepeatsOfRepeatsIsTheirProduct) {
  EXPECT_EQ((EpochCount(2) * EpochCount(3)).number(), 6U);
  EXPECT_TRUE((EpochCount(2) * EpochCount::endless()).is_endless());
  EXPECT_TRUE((EpochCount::endless() * EpochCount(2)).is_endless());
}

TEST(EpochCount, BeyondAllNumbersIsTheLargestAndNotEndless) {
  const EpochCount count = EpochCount(largest) * EpochCount(2);
  EXPECT_FALSE(count.is_endless());
  EXPECT_EQ(count.number(), largest);
}

TEST(EpochCount, IncludesTheEpochsBelowIt) {
  EXPECT_TRUE(EpochCount(2).includes({1}));
  EXPECT_FALSE(EpochCount(2).includes({2}));
  EXPECT_TRUE(EpochCount::endless().includes({largest}));
}

TEST(JoinedEpochs, AreNumberedThroughAllJoinedOnes) {
  const EpochCount three(3);
  EXPECT_EQ(first_part_of({0}, three), Epoch{0});
  EXPECT_EQ(first_part_of({4}, three), Epoch{12});
  EXPECT_EQ(first_part_of({4, 7}, three), (Epoch{12, 7})) << "in a round, it stays that round";
  EXPECT_FALSE(is_last_part({13}, {4}, three));
  EXPECT_TRUE(is_last_part({14}, {4}, three));
}

// proves: joined-epochs
TEST(JoinedEpochs, ThatAreEndlessHaveARoundForEachJoinedOne) {
  const EpochCount endless = EpochCount::endless();
  EXPECT_EQ(first_part_of({0}, endless), Epoch());
  const Epoch second = first_part_of({1}, endless);
  EXPECT_EQ(second.number, 0U);
  EXPECT_NE(second.round, 0U);
  EXPECT_NE(first_part_of({2}, endless), second);
  EXPECT_NE(first_part_of({0, second.round}, endless), Epoch()) << "nested: another one than that of the first";
  EXPECT_NE(first_part_of({1, second.round}, endless), second);
  EXPECT_FALSE(is_last_part({largest, second.round}, {1}, endless));
}

// proves: joined-epochs
TEST(JoinedEpochs, ThatWouldHaveTooLargeNumbersHaveARoundEachToo) {
  const EpochCount parts(largest / 4);
  EXPECT_EQ(first_part_of({3}, parts), Epoch{3 * (largest / 4)});
  const Epoch beyond = first_part_of({4}, parts);
  EXPECT_EQ(beyond.number, 0U);
  EXPECT_NE(beyond.round, 0U);
  EXPECT_TRUE(is_last_part({largest / 4 - 1, beyond.round}, {4}, parts));
}

TEST(Epoch, DrawsFromAnotherStreamInEachRound) {
  EXPECT_EQ((Epoch{5}.stream_of(17)), 17U);
  EXPECT_NE((Epoch{5, 1}.stream_of(17)), 17U);
  EXPECT_NE((Epoch{5, 1}.stream_of(17)), (Epoch{5, 2}.stream_of(17)));
}

}  // namespace
}  // namespace forebay_test
