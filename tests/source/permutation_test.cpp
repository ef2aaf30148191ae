// SPDX-License-Identifier: MIT
//
// permutation_test.cpp: a Permutation is a bijection, also for the sizes at which published ones fail. It looks like a
// random one, and its numbers are the same on every platform.

#include "forebay/source/permutation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tests/support/iterations.hpp"

namespace forebay_test {
namespace {

using forebay::detail::Permutation;

constexpr std::uint64_t key = 0x5eed;

std::vector<std::uint64_t> order(std::uint64_t count, std::uint64_t with_key) {
  const Permutation permutation(count, with_key);
  std::vector<std::uint64_t> numbers;
  for (std::uint64_t i = 0; i < count; ++i) numbers.push_back(permutation.at(i));
  return numbers;
}

bool is_bijection(std::uint64_t count) {
  const Permutation permutation(count, key + count);
  std::vector<bool> seen(static_cast<std::size_t>(count));
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t number = permutation.at(i);
    if (number >= count || seen[static_cast<std::size_t>(number)] || permutation.place_of(number) != i) return false;
    seen[static_cast<std::size_t>(number)] = true;
  }
  return true;
}

TEST(Permutation, IsABijectionForEverySizeUpTo4096) {
  const std::uint64_t step = sanitized ? 7 : 1;
  for (std::uint64_t count = 1; count <= 4096; count += step) ASSERT_TRUE(is_bijection(count)) << count;
}

TEST(Permutation, IsABijectionAroundPowersOfTwo) {
  for (int bits = 13; bits <= 17; ++bits) {
    const std::uint64_t power = std::uint64_t{1} << bits;
    for (const std::uint64_t count : {power - 1, power, power + 1}) ASSERT_TRUE(is_bijection(count)) << count;
  }
}

/// Large permutations are sampled: inverting a number's position returns the number.
TEST(Permutation, CanBeInvertedAroundEveryPowerOfTwoUpTo2To33) {
  for (int bits = 12; bits <= 33; ++bits) {
    const std::uint64_t power = std::uint64_t{1} << bits;
    for (const std::uint64_t count : {power - 1, power, power + 1}) {
      const Permutation permutation(count, key);
      for (std::uint64_t i = 0; i < 2000; ++i) {
        const std::uint64_t place = i % 2 == 0 ? i : count - i;
        ASSERT_LT(permutation.at(place), count);
        ASSERT_EQ(permutation.place_of(permutation.at(place)), place) << count;
      }
    }
  }
}

TEST(Permutation, HasTheSameNumbersOnEveryPlatform) {
  EXPECT_EQ(order(7, 7), (std::vector<std::uint64_t>{6, 0, 2, 3, 4, 5, 1}));
  const Permutation permutation(1000003, 7);
  std::uint64_t digest = 0;
  for (std::uint64_t i = 0; i < 1000; ++i) digest = digest * 31 + permutation.at(i);
  EXPECT_EQ(digest, 3670828669046412242U);
}

/// Each number should be at each position equally often. The chi-square statistic with (count - 1)^2 degrees of freedom
/// is within five standard deviations of its mean.
TEST(Permutation, PutsEveryNumberAtEveryPlaceEquallyOften) {
  for (const std::uint64_t count : {2U, 3U, 5U, 8U, 16U, 31U, 65U, 100U, 129U}) {
    const auto size = static_cast<std::size_t>(count);
    const std::uint64_t keys = 200 * count;
    std::vector<double> seen(size * size);
    for (std::uint64_t k = 0; k < keys; ++k) {
      const Permutation permutation(count, k);
      for (std::uint64_t i = 0; i < count; ++i) seen[static_cast<std::size_t>(i * count + permutation.at(i))] += 1;
    }
    const double expected = static_cast<double>(keys) / static_cast<double>(count);
    double chi_square = 0;
    for (const double times : seen) chi_square += (times - expected) * (times - expected) / expected;
    const double freedom = static_cast<double>((count - 1) * (count - 1));
    EXPECT_LT(std::abs(chi_square - freedom), 5 * std::sqrt(2 * freedom) + 5) << count;
  }
}

/// All orders of a few numbers occur about equally often.
TEST(Permutation, HasAllOrdersOfFewNumbers) {
  constexpr int keys = 24000;
  std::vector<double> seen(256);
  for (std::uint64_t k = 0; k < keys; ++k) {
    const auto numbers = order(4, k);
    seen[static_cast<std::size_t>(numbers[0] * 64 + numbers[1] * 16 + numbers[2] * 4 + numbers[3])] += 1;
  }
  int orders = 0;
  for (const double times : seen) {
    if (times == 0) continue;
    ++orders;
    EXPECT_NEAR(times, keys / 24.0, 6 * std::sqrt(keys / 24.0));
  }
  EXPECT_EQ(orders, 24);
}

struct Statistics {
  double inversions = 0;  // as a share of all pairs
  double fixed_points = 0;
  double neighbours = 0;  // adjacent positions with adjacent numbers
};

Statistics statistics(std::uint64_t count, std::uint64_t with_key) {
  const auto numbers = order(count, with_key);
  Statistics found;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] == i) ++found.fixed_points;
    if (i > 0 && (numbers[i] == numbers[i - 1] + 1 || numbers[i] + 1 == numbers[i - 1])) ++found.neighbours;
    for (std::size_t j = 0; j < i; ++j) {
      if (numbers[j] > numbers[i]) ++found.inversions;
    }
  }
  found.inversions /= static_cast<double>(count * (count - 1)) / 2;
  return found;
}

/// A random permutation has on average one fixed point, two neighbours, and half of all pairs inverted.
TEST(Permutation, HasInversionsFixedPointsAndNeighboursAsManyAsARandomOne) {
  for (const std::uint64_t count : {70U, 255U, 257U, 600U}) {
    constexpr int keys = 400;
    Statistics sum;
    for (std::uint64_t k = 0; k < keys; ++k) {
      const Statistics one = statistics(count, k * 977 + 1);
      sum.inversions += one.inversions / keys;
      sum.fixed_points += one.fixed_points / keys;
      sum.neighbours += one.neighbours / keys;
    }
    const double deviation = 1 / (3 * std::sqrt(static_cast<double>(count)) * std::sqrt(keys));
    EXPECT_NEAR(sum.inversions, 0.5, 5 * deviation) << count;
    EXPECT_NEAR(sum.fixed_points, 1, 5 / std::sqrt(keys)) << count;
    EXPECT_NEAR(sum.neighbours, 2 - 2.0 / static_cast<double>(count), 5 * std::sqrt(2.0 / keys)) << count;
  }
}

/// The orders of two adjacent keys agree in as few positions as those of any two keys.
TEST(Permutation, OfNeighbouringKeysIsAnotherOne) {
  for (const std::uint64_t count : {64U, 1000U, 70000U}) {
    double agreements = 0;
    constexpr int keys = 50;
    for (std::uint64_t k = 0; k < keys; ++k) {
      const Permutation one(count, k);
      const Permutation other(count, k + 1);
      for (std::uint64_t i = 0; i < count; ++i) agreements += one.at(i) == other.at(i) ? 1 : 0;
    }
    EXPECT_NEAR(agreements / keys, 1, 5 / std::sqrt(keys)) << count;
  }
}

}  // namespace
}  // namespace forebay_test
