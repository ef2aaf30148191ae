// SPDX-License-Identifier: MIT
//
// shuffle_test.cpp: the order of shuffle(), shuffle_pages(page) and shuffle(window): random, counter-based, and
// independent in each epoch.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "forebay/coordinator.hpp"
#include "forebay/dataset.hpp"
#include "tests/support/numbers.hpp"
#include "tests/support/plain_run.hpp"
#include "tests/support/thrown.hpp"

namespace forebay_test {
namespace {

using forebay::Context;
using forebay::Dataset;
using forebay::from_callable;
using forebay::range;

using Ints = std::vector<int>;
using Epochs = std::vector<Ints>;

// ---- The whole epoch

TEST(Shuffle, HasAllElementsInAnotherOrderEachEpoch) {
  const auto epochs = epochs_of(range(100).shuffle().repeat(3));
  for (const Ints& epoch : epochs) {
    EXPECT_EQ(sorted(epoch), numbers(100));
    EXPECT_NE(epoch, numbers(100));
  }
  EXPECT_NE(epochs[0], epochs[1]);
  EXPECT_NE(epochs[1], epochs[2]);
}

TEST(Shuffle, IsTheSameInEachRunAndAnotherOneForAnotherSeed) {
  const auto data = range(100);
  EXPECT_EQ(elements_of(data.shuffle()), elements_of(data.shuffle()));
  EXPECT_EQ(elements_of(data.shuffle()), elements_of(data.seed(0).shuffle()));
  EXPECT_NE(elements_of(data.seed(1).shuffle()), elements_of(data.seed(2).shuffle()));
}

TEST(Shuffle, TheSeedIsThatOfTheStagesBehindIt) {
  EXPECT_EQ(elements_of(range(100).shuffle().seed(3)), elements_of(range(100).shuffle()));
  EXPECT_NE(elements_of(range(100).shuffle().seed(3).shuffle()), elements_of(range(100).shuffle().shuffle()));
}

TEST(Shuffle, TwoOfThemAreTwo) {
  EXPECT_NE(elements_of(range(100).shuffle().shuffle()), numbers(100));
  EXPECT_NE(elements_of(range(100).shuffle().shuffle()), elements_of(range(100).shuffle()));
}

TEST(Shuffle, KeepsNumbers) {
  const auto output = output_of(range(100).shuffle());
  for (std::size_t i = 0; i < 100; ++i) {
    EXPECT_EQ(output.positions[0][i].number, static_cast<std::uint64_t>(output.epochs[0][i]));
  }
}

TEST(Shuffle, OfBranchesDiffers) {
  const auto data = range(100).shuffle();
  const auto pairs = elements_of(forebay::zip(data, data));
  EXPECT_TRUE(
      std::any_of(pairs.begin(), pairs.end(), [](auto pair) { return std::get<0>(pair) != std::get<1>(pair); }));
}

TEST(Shuffle, StaysTheSameWhenStagesAreAddedBehindIt) {
  const auto data = range(100).shuffle();
  const auto mapped = data.shuffle(1).map([](int i, forebay::Context&) { return i; });
  EXPECT_EQ(elements_of(data), elements_of(mapped));
}

// ---- Pages

/// Expects that pages of `page` numbers stay together.
void expect_pages(const Ints& elements, int page) {
  Ints pages;
  for (const int element : elements) {
    if (pages.empty() || pages.back() != element / page) pages.push_back(element / page);
  }
  const std::size_t count = pages.size();
  pages = sorted(pages);
  pages.erase(std::unique(pages.begin(), pages.end()), pages.end());
  EXPECT_EQ(pages.size(), count);
}

TEST(PageShuffle, KeepsPagesTogetherInAnotherOrderEachEpoch) {
  const auto epochs = epochs_of(range(100).shuffle_pages(8).repeat(3));
  ASSERT_EQ(epochs.size(), 3U);
  for (const Ints& epoch : epochs) {
    EXPECT_EQ(sorted(epoch), numbers(100));
    EXPECT_NE(epoch, numbers(100));
    expect_pages(epoch, 8);
  }
  EXPECT_NE(epochs[0], epochs[1]);
  EXPECT_NE(epochs[1], epochs[2]);
}

TEST(PageShuffle, IsTheSameInEachRunAndAnotherOneForAnotherSeed) {
  const auto data = range(100);
  EXPECT_EQ(elements_of(data.shuffle_pages(8)), elements_of(data.seed(0).shuffle_pages(8)));
  EXPECT_NE(elements_of(data.seed(1).shuffle_pages(8)), elements_of(data.seed(2).shuffle_pages(8)));
  EXPECT_NE(elements_of(data.shuffle_pages(8)), elements_of(data.shuffle_pages(9)));
}

TEST(PageShuffle, OfOneElementOrOfAllIsAShuffle) {
  const auto shuffled = epochs_of(range(100).shuffle().repeat(2));
  for (const int page : {1, 100, 101}) EXPECT_EQ(epochs_of(range(100).shuffle_pages(page).repeat(2)), shuffled);
}

TEST(PageShuffle, KeepsNumbers) {
  const auto output = output_of(range(100).shuffle_pages(8));
  for (std::size_t i = 0; i < 100; ++i) {
    EXPECT_EQ(output.positions[0][i].number, static_cast<std::uint64_t>(output.epochs[0][i]));
  }
}

TEST(PageShuffle, HasTheSameOrderWithAndWithoutRandomAccess) {
  for (int size = 0; size < 14; ++size) {
    for (int page = 1; page < 6; ++page) {
      const auto pages = range(size).shuffle_pages(page);
      const auto part = pages.skip(1).step_by(2).take(5);
      Ints elements;
      for (std::size_t i = 0; i < part.size(); ++i) elements.push_back(part[i]);
      EXPECT_EQ(elements, elements_of(part)) << size << ' ' << page;
      EXPECT_EQ(elements, elements_of(Dataset<int>(pages).skip(1).step_by(2).take(5))) << size << ' ' << page;
    }
  }
}

TEST(PageShuffle, OfAShuffleHasAllElements) {
  const auto epochs = epochs_of(range(50).shuffle().shuffle_pages(7).shuffle_pages(4).repeat(2));
  for (const Ints& epoch : epochs) EXPECT_EQ(sorted(epoch), numbers(50));
}

TEST(PageShuffle, OfBranchesDiffers) {
  const auto data = range(100).shuffle_pages(8);
  const auto pairs = elements_of(forebay::zip(data, data));
  EXPECT_TRUE(
      std::any_of(pairs.begin(), pairs.end(), [](auto pair) { return std::get<0>(pair) != std::get<1>(pair); }));
}

TEST(PageShuffle, ShardsTogetherAreTheWhole) {
  const auto whole = epochs_of(range(50).shuffle_pages(6).repeat(2));
  for (int index = 0; index < 3; ++index) {
    const auto part = epochs_of(range(50).shuffle_pages(6).shard(index, 3).repeat(2));
    for (std::size_t epoch = 0; epoch < 2; ++epoch) {
      for (std::size_t i = 0; i < part[epoch].size(); ++i) {
        EXPECT_EQ(part[epoch][i], whole[epoch][i * 3 + static_cast<std::size_t>(index)]);
      }
    }
  }
}

// ---- How well they mix

struct Mixing {
  double distance = 0;    // of an element to its place in the data, as a share of the size
  double neighbours = 0;  // the share of outputs that follow one of their two neighbours
  double classes = 0;     // in a batch of 32, if the data are sorted into 100 classes
};

Mixing mixing_of(const Dataset<int>& data) {
  constexpr std::size_t size = 100'000;
  const Ints elements = elements_of(data);
  Mixing found;
  std::size_t batches = 0;
  for (std::size_t i = 0; i < size; ++i) {
    found.distance += std::abs(elements.at(i) - static_cast<double>(i)) / size / size;
    if (i > 0 && std::abs(elements[i] - elements[i - 1]) == 1) found.neighbours += 1.0 / size;
    if (i % 32 > 0 || size - i < 32) continue;
    std::set<int> classes;
    for (std::size_t k = i; k < i + 32; ++k) classes.insert(elements[k] / 1000);
    found.classes += static_cast<double>(classes.size());
    ++batches;
  }
  found.classes /= static_cast<double>(batches);
  return found;
}

/// Checks the table of the guide, shuffle_batch_epochs.md.
TEST(Mixing, IsWhatTheGuideSays) {
  const auto expect = [](const Dataset<int>& data, double distance, double neighbours, double classes) {
    SCOPED_TRACE(data.node()->properties().description);
    const Mixing found = mixing_of(data);
    EXPECT_NEAR(100 * found.distance, distance, 0.05);
    EXPECT_NEAR(100 * found.neighbours, neighbours, 0.005);
    EXPECT_NEAR(found.classes, classes, 0.05);
  };
  const auto sorted_data = range(100'000);
  expect(sorted_data.shuffle(), 33.3, 0.00, 27.5);
  expect(sorted_data.shuffle(1000), 0.7, 0.09, 4.5);
  expect(sorted_data.shuffle(10'000), 6.9, 0.01, 17.3);
  expect(sorted_data.shuffle_pages(100), 33.6, 2.05, 1.3);
  expect(sorted_data.shuffle_pages(1000), 33.9, 0.20, 1.0);
  expect(sorted_data.shuffle_pages(100).shuffle(1000), 33.6, 0.10, 16.6);
  expect(sorted_data.shuffle_pages(100).shuffle(10'000), 33.5, 0.01, 26.2);
}

// ---- A window

// proves: epoch-end
TEST(WindowShuffle, HasAllElementsOfEachEpochAndNoneOfAnother) {
  const auto epochs = epochs_of(range(100).shuffle(16).repeat(3));
  ASSERT_EQ(epochs.size(), 3U);
  for (const Ints& epoch : epochs) EXPECT_EQ(sorted(epoch), numbers(100));
  EXPECT_NE(epochs[0], epochs[1]);
}

TEST(WindowShuffle, NeverReachesBeyondItsWindow) {
  const auto elements = elements_of(range(1000).shuffle(16));
  for (std::size_t i = 0; i < elements.size(); ++i) EXPECT_LT(elements[i], static_cast<int>(i) + 16);
}

TEST(WindowShuffle, OfOneElementChangesNothing) { EXPECT_EQ(elements_of(range(10).shuffle(1)), numbers(10)); }

TEST(WindowShuffle, LargerThanTheEpochIsAShuffleOfAllOfIt) {
  const auto elements = elements_of(range(10).shuffle(1000));
  EXPECT_EQ(sorted(elements), numbers(10));
  EXPECT_NE(elements, numbers(10));
}

TEST(WindowShuffle, DoesNotDependOnHowMuchIsPulledAtATime) {
  const auto data = range(100).shuffle(16).repeat(2);
  const auto expected = output_of(data, 1).epochs;
  for (const std::size_t most : {2U, 7U, 33U, 1000U}) EXPECT_EQ(output_of(data, most).epochs, expected);
}

TEST(WindowShuffle, DoesNotDependOnWaits) {
  const auto data = range(100).shuffle(16).repeat(2);
  PlainRun run(data);
  Ints elements;
  while (!run.is_over()) {
    static_cast<void>(run.pull(7, forebay::no_wait));
    for (std::size_t i = 0; i < run.chunk().size(); ++i) elements.push_back(run.chunk()[i]);
  }
  EXPECT_EQ(elements, elements_of(data));
}

TEST(WindowShuffle, PutsEveryElementAtEveryPlace) {
  std::vector<double> seen(64);
  constexpr int seeds = 2000;
  for (int seed = 0; seed < seeds; ++seed) {
    const auto elements = elements_of(range(8).seed(static_cast<std::uint64_t>(seed)).shuffle(8));
    for (std::size_t i = 0; i < 8; ++i) seen[i * 8 + static_cast<std::size_t>(elements[i])] += 1;
  }
  double chi_square = 0;
  for (const double times : seen) chi_square += (times - seeds / 8.0) * (times - seeds / 8.0) / (seeds / 8.0);
  EXPECT_LT(chi_square, 49 + 5 * 9.9);
}

TEST(WindowShuffle, ReadsTheNextEpochWhileOneComesToItsEnd) {
  std::vector<int> read;
  const auto data = from_callable([&read, next = 0]() mutable -> std::optional<int> {
    if (next == 10) return std::nullopt;
    read.push_back(next);
    return next++;
  });
  PlainRun run(data.repeat(2).shuffle(4));
  while (!PlainRun<int>::is_end(run.pull(1))) {
  }
  EXPECT_GE(read.size(), 14U);
}

// proves: failure-ahead
TEST(WindowShuffle, WhatFailsInTheNextEpochWaitsForIt) {
  const auto data = range(10).repeat(2).map([](int i, Context& context) {
    if (context.position() == Position{1, 1}) throw Failure("broken");  // while epoch 0 is in the window
    return i;
  });
  const auto output = output_of(data.shuffle(4));
  ASSERT_EQ(output.epochs.size(), 1U);
  EXPECT_EQ(sorted(output.epochs[0]), numbers(10));
  EXPECT_EQ(output.failure, "forebay: map, epoch 1, number 1: broken");
}

// proves: failure-drops
TEST(WindowShuffle, DropsWhatItHoldsWhenWhatItReadsFails) {
  const auto data = range(100).map([](int i) {
    if (i == 50) throw Failure("broken");
    return i;
  });
  const auto output = output_of(data.shuffle(16));
  EXPECT_EQ(output.all().size(), 50U - 15U);
  EXPECT_EQ(output.failed_at, (Position{0, 50}));
}

TEST(WindowShuffle, KeepsEveryByteOfLargeElements) {
  using Record = std::array<std::uint8_t, 785>;
  const auto record = [](std::size_t i) {
    Record made{};
    for (std::size_t k = 0; k < made.size(); ++k) made[k] = static_cast<std::uint8_t>(i + k);
    return made;
  };
  std::vector<Record> expected;
  for (std::size_t i = 0; i < 100; ++i) expected.push_back(record(i));
  auto shuffled = elements_of(forebay::from_indexed(100, record).shuffle(16));
  std::sort(shuffled.begin(), shuffled.end());
  EXPECT_EQ(shuffled, expected);
}

TEST(WindowShuffle, LooksAtTheWaitBeforeEachElement) {
  struct StopsWhenMoved {
    StopsWhenMoved() = default;
    StopsWhenMoved(const StopsWhenMoved&) = default;
    StopsWhenMoved(StopsWhenMoved&&) noexcept = default;
    StopsWhenMoved& operator=(const StopsWhenMoved&) = default;
    StopsWhenMoved& operator=(StopsWhenMoved&& /*other*/) noexcept {
      stopped->request_stop();
      return *this;
    }

    forebay::Coordinator* stopped = nullptr;
  };
  forebay::Coordinator stopped;
  PlainRun run(from_callable([&stopped](StopsWhenMoved& into) {
                 into.stopped = &stopped;
                 return true;
               }).shuffle(4));
  EXPECT_EQ(run.pull(32, stopped), PullResult::more);
  EXPECT_LT(run.chunk().size(), 4U);
}

/// An element that is filled in place and counts its moves; and a data set of `count` of them.
struct Large {
  Large() = default;
  Large(const Large&) = default;
  Large(Large&& other) noexcept : number(other.number) { ++moves; }
  Large& operator=(const Large&) = default;
  Large& operator=(Large&& other) noexcept {
    number = other.number;
    ++moves;
    return *this;
  }

  int number = 0;
  std::array<char, 1000> rest{};

  static int moves;
};
int Large::moves = 0;

Dataset<Large> large_elements(int count) {
  return from_callable([i = 0, count](Large& into) mutable {
    into.number = i;
    return i++ < count;
  });
}

TEST(WindowShuffle, LeavesLargeElementsWhereTheyAre) {
  const auto data = large_elements(10000).filter([](const Large& each) { return each.number % 3 != 0; });
  const auto numbers = data.shuffle(100).map([](const Large& each) { return each.number; });
  Large::moves = 0;
  EXPECT_EQ(elements_of(numbers).size(), 6666U);
  EXPECT_LT(Large::moves, 1000) << "as many as are made at first, and not of each";
}

TEST(WindowShuffle, MakesLargeElementsOnceForAllEpochs) {
  const auto numbers = large_elements(200).repeat(100).shuffle(50).map([](const Large& each) { return each.number; });
  Large::moves = 0;
  EXPECT_EQ(elements_of(numbers).size(), 20000U);
  EXPECT_LT(Large::moves, 1000);
}

TEST(WindowShuffle, LaysLargeElementsOfABatchSideBySide) {
  Ints shuffled;
  for (const auto& batch : elements_of(large_elements(100).shuffle(10).batch(7))) {
    for (const Large& each : batch) shuffled.push_back(each.number);
  }
  EXPECT_EQ(sorted(shuffled), numbers(100));
}

// ---- A window across epochs

// proves: joined-epochs
TEST(SeamlessShuffle, MixesNeighbouringEpochs) {
  const auto data = range(100)
                        .repeat(3)
                        .map([](int i, Context& context) { return i + 1000 * int(context.position().epoch); })
                        .seamless();
  const auto elements = elements_of(data.shuffle(16));
  EXPECT_FALSE(std::is_partitioned(elements.begin(), elements.end(), [](int i) { return i < 1000; }));
  EXPECT_EQ(sorted(elements), sorted(elements_of(data)));
}

TEST(SeamlessShuffle, OfOneElementChangesNothing) {
  EXPECT_EQ(epochs_of(range(3).repeat(2).seamless().shuffle(1)), (Epochs{{0, 1, 2, 0, 1, 2}}));
}

TEST(SeamlessShuffle, BeginsAnewWithARepeatBehindIt) {
  const auto epochs = epochs_of(range(10).repeat(2).seamless().shuffle(4).repeat(2));
  ASSERT_EQ(epochs.size(), 2U);
  EXPECT_EQ(epochs[0].size(), 20U);
  EXPECT_NE(epochs[0], epochs[1]);
  EXPECT_EQ(sorted(epochs[0]), sorted(epochs[1]));
}

TEST(WindowShuffle, HasEmptyEpochsToo) {
  const auto data = range(0).repeat(3).concatenate(range(0)).repeat(2).shuffle(4);
  EXPECT_EQ(epochs_of(data), (Epochs{{}, {}}));
  EXPECT_EQ(epochs_of(range(0).repeat(2).shuffle(4)), (Epochs{{}, {}}));
}

TEST(WindowShuffle, OfNothingIsRefused) {
  EXPECT_EQ(rejection([] { return range(10).shuffle(0); }), "forebay: shuffle: window must be at least 1, not 0");
  EXPECT_NE(rejection([] { return range(10).shuffle(-1); }), "nothing was thrown");
}

}  // namespace
}  // namespace forebay_test
