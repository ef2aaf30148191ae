// SPDX-License-Identifier: MIT
//
// paged_permutation_test.cpp: a PagedPermutation is a bijection that keeps pages together. Pages, also the shorter last
// one, and the numbers within them are in a random order, which is the same on every platform.

#include "forebay/source/paged_permutation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "forebay/source/permutation.hpp"
#include "tests/support/iterations.hpp"

namespace forebay_test {
namespace {

using forebay::detail::PagedPermutation;
using forebay::detail::Permutation;

using Number = std::uint64_t;
using Numbers = std::vector<Number>;

constexpr Number key = 0x5eed;

Numbers order(Number count, Number page, Number with_key) {
  PagedPermutation permutation(count, page, with_key);
  Numbers numbers;
  for (Number i = 0; i < count; ++i) numbers.push_back(permutation.at(i));
  return numbers;
}

Numbers sorted(Numbers numbers) {
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

Numbers from_zero(Number count) {
  Numbers numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), Number{0});
  return numbers;
}

/// Returns the pages in the order in which they occur. Expects that the numbers of each page are adjacent.
Numbers pages_of(const Numbers& numbers, Number page) {
  Numbers pages;
  for (const Number number : numbers) {
    if (pages.empty() || pages.back() != number / page) pages.push_back(number / page);
  }
  EXPECT_EQ(std::set<Number>(pages.begin(), pages.end()).size(), pages.size()) << "a page occurs twice";
  return pages;
}

TEST(PagedPermutation, HasEachNumberOnceAndPagesTogetherForEverySizeUpTo100) {
  for (Number count = 0; count <= 100; ++count) {
    for (Number page = 1; page <= count + 2; ++page) {
      const Numbers numbers = order(count, page, key + count);
      ASSERT_EQ(sorted(numbers), from_zero(count)) << count << ' ' << page;
      if (page == 1) continue;
      ASSERT_EQ(pages_of(numbers, page).size(), (count + page - 1) / page) << count << ' ' << page;
    }
  }
}

TEST(PagedPermutation, HasEachNumberOnceInLargePages) {
  for (const Number page : {63U, 64U, 65U, 1000U, 1023U, 4096U, 9999U}) {
    ASSERT_EQ(sorted(order(10'000, page, key)), from_zero(10'000)) << page;
  }
}

TEST(PagedPermutation, OfOnePageOrOfPagesOfOneNumberIsThePlainPermutation) {
  for (const Number count : {1U, 7U, 64U, 65U, 300U}) {
    Numbers plain;
    const Permutation permutation(count, key);
    for (Number i = 0; i < count; ++i) plain.push_back(permutation.at(i));
    for (const Number page : {Number{1}, count, count + 1, std::numeric_limits<Number>::max()}) {
      EXPECT_EQ(order(count, page, key), plain) << count << ' ' << page;
    }
  }
}

TEST(PagedPermutation, HasTheSameNumbersInWhateverOrderItIsAsked) {
  for (const Number page : {2U, 7U, 30U, 99U}) {
    const Numbers numbers = order(100, page, key);
    PagedPermutation permutation(100, page, key);
    for (const Number place : order(100, 1, page)) {
      ASSERT_EQ(permutation.at(place), numbers[static_cast<std::size_t>(place)]) << page;
    }
  }
}

/// The last page, which is shorter, is at each place equally often, and so is every other one.
TEST(PagedPermutation, PutsEveryPageAtEveryPlaceEquallyOften) {
  constexpr Number page = 4;
  constexpr Number keys = 4000;
  for (const Number count : {5U, 14U, 19U, 25U, 32U}) {
    const Number pages = (count + page - 1) / page;
    std::map<std::pair<Number, Number>, double> seen;
    for (Number k = 0; k < keys; ++k) {
      const Numbers found = pages_of(order(count, page, k), page);
      for (Number place = 0; place < pages; ++place) ++seen[{place, found[static_cast<std::size_t>(place)]}];
    }
    ASSERT_EQ(seen.size(), pages * pages);
    const double expected = static_cast<double>(keys) / static_cast<double>(pages);
    for (const auto& [where, times] : seen) {
      EXPECT_NEAR(times, expected, 5 * std::sqrt(expected))
          << count << ": page " << where.second << " at " << where.first;
    }
  }
}

/// Within a page, each number is at each place equally often, and all orders of a few numbers occur.
TEST(PagedPermutation, PutsEveryNumberAtEveryPlaceOfItsPage) {
  constexpr Number keys = 6000;
  std::map<Numbers, double> orders;
  for (Number k = 0; k < keys; ++k) {
    Numbers of_a_page;
    for (const Number number : order(11, 3, k)) {
      if (number / 3 == 1) of_a_page.push_back(number);
    }
    ++orders[of_a_page];
  }
  ASSERT_EQ(orders.size(), 6U);
  for (const auto& [numbers, times] : orders) EXPECT_NEAR(times, keys / 6.0, 5 * std::sqrt(keys / 6.0));
}

TEST(PagedPermutation, ShufflesEachPageInAnotherWay) {
  std::set<Numbers> orders;
  PagedPermutation permutation(1000, 20, key);
  for (Number page = 0; page < 50; ++page) {
    Numbers within;
    for (Number i = 0; i < 20; ++i) within.push_back(permutation.at(page * 20 + i) % 20);
    orders.insert(within);
  }
  EXPECT_EQ(orders.size(), 50U);
}

TEST(PagedPermutation, CountsAsFarAsNumbersGo) {
  constexpr Number largest = std::numeric_limits<Number>::max();
  for (const Number page : {Number{2}, Number{1000}, largest / 2, largest / 2 + 1, largest - 1}) {
    PagedPermutation permutation(largest, page, key);
    std::set<Number> numbers;
    for (Number i = 0; i < 1000; ++i) {
      numbers.insert(permutation.at(i));
      numbers.insert(permutation.at(largest - 1 - i));
    }
    EXPECT_EQ(numbers.size(), 2000U) << page;
    EXPECT_LT(*numbers.rbegin(), largest) << page;
  }
}

TEST(PagedPermutation, HasTheSameNumbersOnEveryPlatform) {
  EXPECT_EQ(order(11, 4, 7), (Numbers{4, 6, 5, 7, 0, 3, 1, 2, 10, 9, 8}));
  PagedPermutation permutation(1'000'003, 1000, 7);
  Number digest = 0;
  for (Number i = 0; i < 3000; ++i) digest = digest * 31 + permutation.at(i);
  EXPECT_EQ(digest, 18376859212055744548U);
}

}  // namespace
}  // namespace forebay_test
