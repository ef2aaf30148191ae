// SPDX-License-Identifier: MIT
//
// random_bits_test.cpp: the numbers equal the published ones on every platform, and no number below a bound is
// favoured.

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <limits>

#include "forebay/base/random_bits.hpp"

namespace forebay_test {
namespace {

using forebay::detail::RandomBits;

TEST(RandomBits, IsXoshiro256StarStarSeededBySplitMix64) {
  RandomBits bits(42);
  const std::array<std::uint64_t, 3> first = {bits(), bits(), bits()};
  EXPECT_EQ(first, (std::array<std::uint64_t, 3>{0x15780b2e0c2ec716, 0x6104d9866d113a7e, 0xae17533239e499a1}));
}

TEST(RandomBits, DrawsTheSameNumbersOnEveryPlatform) {
  RandomBits bits(42);
  const std::array<std::uint64_t, 3> drawn = {bits.below(10), bits.below(100), bits.below(1'000'000'000'000)};
  EXPECT_EQ(drawn, (std::array<std::uint64_t, 3>{0, 37, 680'043'411'028}));
}

TEST(RandomBits, DrawsBelowTheBound) {
  RandomBits bits(1);
  for (std::uint64_t bound = 1; bound < 200; ++bound) {
    for (int i = 0; i < 50; ++i) EXPECT_LT(bits.below(bound), bound);
  }
}

TEST(RandomBits, DrawsFairlyBelowTheLargestBoundsToo) {
  RandomBits bits(1);
  // Two thirds of all numbers: scaling down without redrawing would make every even number twice as frequent as its
  // neighbour.
  constexpr std::uint64_t bound = std::numeric_limits<std::uint64_t>::max() / 3 * 2 + 1;
  int even = 0;
  for (int i = 0; i < 10000; ++i) {
    const std::uint64_t drawn = bits.below(bound);
    ASSERT_LT(drawn, bound);
    if (drawn % 2 == 0) ++even;
  }
  EXPECT_NEAR(even, 5000, 200);
}

}  // namespace
}  // namespace forebay_test
