// SPDX-License-Identifier: MIT
//
// selection_test.cpp: filter, take, skip, step_by, shard and repeat: which elements they keep, in which epochs, at
// which positions.

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "forebay/dataset.hpp"
#include "tests/support/contains.hpp"
#include "tests/support/plain_run.hpp"
#include "tests/support/thrown.hpp"

namespace forebay_test {
namespace {

using forebay::Even;
using forebay::from_callable;
using forebay::from_slices;
using forebay::no_wait;
using forebay::range;

using Ints = std::vector<int>;
using Epochs = std::vector<Ints>;

/// A data set without random access.
Dataset<int> numbers(int count) {
  return range(count).filter([](int) { return true; });
}

bool is_odd(const int& number) { return number % 2 != 0; }

std::vector<std::uint64_t> numbers_of(const std::vector<Position>& positions) {
  std::vector<std::uint64_t> numbers;
  for (const Position& position : positions) numbers.push_back(position.number);
  return numbers;
}

// ---- repeat

TEST(Repeat, RunsWhatStandsBeforeItAnew) {
  EXPECT_EQ(epochs_of(range(2).repeat(3)), (Epochs{{0, 1}, {0, 1}, {0, 1}}));
}

TEST(Repeat, WithoutACountIsEndless) {
  EXPECT_EQ(epochs_of(range(2).repeat(), 4), (Epochs{{0, 1}, {0, 1}, {0, 1}, {0, 1}}));
}

TEST(Repeat, OfRepeatsNumbersTheEpochsThrough) {
  const auto output = output_of(range(1).repeat(2).repeat(3));
  ASSERT_EQ(output.positions.size(), 6U);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(output.positions[i].at(0), (Position{i, 0}));
}

TEST(Repeat, OfNothingIsRefused) {
  EXPECT_EQ(rejection([] { return range(2).repeat(0); }), "forebay: repeat: count must be at least 1, not 0");
  EXPECT_NE(rejection([] { return range(2).repeat(-1); }), "nothing was thrown");
}

// proves: endless-repeat
TEST(Repeat, AnEndlessOneOfNoElementsIsRefusedByRun) {
  const auto data = range(0).repeat();
  EXPECT_EQ(rejection([&] { return elements_of(data); }), "forebay: an endless repeat of an empty data set");
  EXPECT_EQ(rejection([&] { return elements_of(range(5).take(0).repeat().take(1)); }),
            "forebay: an endless repeat of an empty data set");
}

// proves: endless-repeat
TEST(Repeat, AnEndlessOneOfNoElementsIsAFailureWhereThatIsFound) {
  const auto nothing = range(5).filter([](int) { return false; });
  const auto output = output_of(nothing.repeat());
  EXPECT_EQ(output.failure, "forebay: repeat, epoch 0, number 0: an endless repeat received an empty epoch");
  EXPECT_EQ(output.failed_stage, "repeat");
}

// proves: endless-repeat
TEST(Repeat, AnEndlessOneOfElementsThatAreAllSkippedIsAFailureToo) {
  const auto nothing = range(5).map({.on_error = forebay::skip(100)}, [](int) -> int { throw Failure("each"); });
  EXPECT_EQ(output_of(nothing.repeat()).failed_stage, "repeat");
}

TEST(Repeat, AFiniteOneOfNoElementsHasEmptyEpochs) { EXPECT_EQ(epochs_of(range(0).repeat(2)), (Epochs{{}, {}})); }

// ---- filter

TEST(Filter, KeepsWhatThePredicateHoldsFor) {
  EXPECT_EQ(epochs_of(range(6).filter(is_odd).repeat(2)), (Epochs{{1, 3, 5}, {1, 3, 5}}));
}

TEST(Filter, KeepsNumbers) {
  EXPECT_EQ(numbers_of(output_of(range(6).filter(is_odd)).positions.at(0)), (std::vector<std::uint64_t>{1, 3, 5}));
}

TEST(Filter, DoesNotMoveWhatItLooksAt) {
  const auto data = from_slices(std::vector<std::string>{"long enough to be on the heap, and so to be moved"})
                        .filter([](const std::string& text) { return !text.empty(); });
  EXPECT_FALSE(elements_of(data).at(0).empty());
}

TEST(Filter, FailsAtItsPlace) {
  const auto output = output_of(range(6).filter([](int i) {
    if (i == 4) throw Failure("odd");
    return i % 2 == 0;
  }));
  EXPECT_EQ(output.all(), (Ints{0, 2}));
  EXPECT_EQ(output.failure, "forebay: filter, epoch 0, number 4: odd");
}

// ---- take and skip

// ---- split

TEST(Split, HasEachElementInOnePart) {
  const auto [first, second, third] = range(1'000).split([](int i) { return i; }, {6, 3, 1});
  std::vector<Ints> parts{elements_of(first), elements_of(second), elements_of(third)};
  EXPECT_NEAR(static_cast<double>(parts[0].size()), 600, 50);
  EXPECT_NEAR(static_cast<double>(parts[1].size()), 300, 50);
  Ints all;
  for (const Ints& part : parts) {
    EXPECT_TRUE(std::is_sorted(part.begin(), part.end()));
    all.insert(all.end(), part.begin(), part.end());
  }
  std::sort(all.begin(), all.end());
  EXPECT_EQ(all, elements_of(range(1'000)));
}

TEST(Split, IsTheSameInEveryVersion) {
  const auto [of_numbers, _] = range(-10, 30).split([](int i) { return i; }, {0.3, 0.7});
  EXPECT_EQ(elements_of(of_numbers), (Ints{-5, -4, -2, -1, 6, 7, 9, 11, 12, 13, 16, 21, 27}));
  const auto [of_texts, others] = range(40).split([](int i) { return "file" + std::to_string(i); }, {0.3, 0.7});
  EXPECT_EQ(elements_of(of_texts), (Ints{0, 1, 3, 4, 5, 14, 17, 18, 20, 23, 30, 33, 34, 35, 37, 39}));
}

TEST(Split, HasTheSameElementsInEveryEpochAndOrder) {
  const auto key = [](int i) { return i / 3; };
  const Ints part = elements_of(range(90).split(key, {0.5, 0.5})[1]);
  for (Ints epoch : epochs_of(range(90).shuffle().repeat(3).split(key, {0.5, 0.5})[1])) {
    EXPECT_NE(epoch, part);
    std::sort(epoch.begin(), epoch.end());
    EXPECT_EQ(epoch, part);
  }
  EXPECT_EQ(elements_of(range(90).map(2, [](int i) { return i; }).split(key, {1, 1})[1]), part);
  for (const int i : part)
    EXPECT_EQ(std::count_if(part.begin(), part.end(), [&](int j) { return j / 3 == i / 3; }), 3);
}

TEST(Split, MayHaveAnEmptyPart) {
  const auto [none, all] = range(20).split([](int i) { return i; }, {0, 5});
  EXPECT_EQ(elements_of(none), Ints());
  EXPECT_EQ(elements_of(all).size(), 20U);
}

TEST(Split, KeepsNumbersAndMovesElements) {
  const auto part =
      range(20).map([](int i) { return std::make_unique<int>(i); }).split([](const auto& i) { return *i; }, {1, 1})[0];
  const auto output = output_of(part);
  for (std::size_t i = 0; i < output.epochs[0].size(); ++i) {
    EXPECT_EQ(output.positions[0][i].number, static_cast<std::uint64_t>(*output.epochs[0][i]));
  }
}

TEST(Split, FailsAtTheElementWhoseKeyFails) {
  const auto part = range(5).split([](int i) { return i == 3 ? throw std::runtime_error("no key") : i; }, {1, 1})[0];
  EXPECT_EQ(output_of(part).failure, "forebay: split, epoch 0, number 3: no key");
}

TEST(Split, RejectsImpossibleShares) {
  const auto of_shares = [](double first, double second) {
    return message_of<std::invalid_argument>([&] {
      static_cast<void>(range(5).split([](int i) { return i; }, {first, second}));
    });
  };
  EXPECT_EQ(of_shares(1, -0.5), "forebay: split: a share must be finite and at least 0, not -0.500000");
  EXPECT_EQ(of_shares(std::numeric_limits<double>::infinity(), 1),
            "forebay: split: a share must be finite and at least 0, not inf");
  EXPECT_EQ(of_shares(0, 0), "forebay: split: no share is above 0");
}

TEST(Take, HasTheFirstOfEachEpoch) {
  EXPECT_EQ(epochs_of(numbers(5).take(2).repeat(2)), (Epochs{{0, 1}, {0, 1}}));
  EXPECT_EQ(epochs_of(range(5).take(2).repeat(2)), (Epochs{{0, 1}, {0, 1}}));
  EXPECT_EQ(epochs_of(numbers(5).take(9)), (Epochs{{0, 1, 2, 3, 4}}));
  EXPECT_EQ(epochs_of(numbers(5).take(0)), Epochs{{}});
}

// proves: joined-epochs
TEST(Take, BehindARepeatHasOneEpoch) {
  EXPECT_EQ(epochs_of(range(3).repeat(4).take(7)), (Epochs{{0, 1, 2, 0, 1, 2, 0}}));
  EXPECT_EQ(epochs_of(range(3).repeat().take(4)), (Epochs{{0, 1, 2, 0}}));
  EXPECT_EQ(epochs_of(range(3).repeat(2).take(9)), (Epochs{{0, 1, 2, 0, 1, 2}}));
}

TEST(Take, EndsWhereAnEpochEndsWithoutAnEmptyOne) {
  EXPECT_EQ(epochs_of(range(3).repeat().take(6)), (Epochs{{0, 1, 2, 0, 1, 2}}));
}

TEST(Take, StartsAgainBehindARepeatOfItself) {
  EXPECT_EQ(epochs_of(range(3).repeat().take(4).repeat(2)), (Epochs{{0, 1, 2, 0}, {0, 1, 2, 0}}));
  EXPECT_EQ(epochs_of(range(3).repeat(2).take(4).repeat(2)), (Epochs{{0, 1, 2, 0}, {0, 1, 2, 0}}));
}

// proves: joined-epochs
TEST(Take, BehindARepeatNumbersElementsOfItsEpochAnew) {
  const auto output = output_of(range(3).repeat().take(4).repeat(2));
  for (std::size_t epoch = 0; epoch < 2; ++epoch) {
    EXPECT_EQ(output.positions.at(epoch), (std::vector<Position>{{epoch, 0}, {epoch, 1}, {epoch, 2}, {epoch, 3}}));
  }
}

TEST(Take, HasTheSameEpochsHoweverFarAStageInFrontOfItReadsAhead) {
  const auto data = numbers(30).repeat().take(50).shuffle(6).take(9).repeat(4);
  for (const std::size_t most : {1U, 7U, 100U})
    EXPECT_EQ(output_of(data, most).positions, output_of(data, 3).positions);
  const auto of_rounds = numbers(10).repeat(3).take(5).repeat(2).shuffle(4).take(3).repeat(2);
  for (const std::size_t most : {1U, 7U, 100U}) EXPECT_EQ(output_of(of_rounds, most).epochs.size(), 2U);
}

// proves: epoch-left
TEST(Take, DoesNotReadWhatItDoesNotNeed) {
  int read = 0;
  const auto data = from_callable([&read, next = 0]() mutable {
    ++read;
    return std::optional(next++);
  });
  EXPECT_EQ(elements_of(data.take(3)), (Ints{0, 1, 2}));
  EXPECT_EQ(read, 3);
}

TEST(Skip, LeavesOutTheFirstOfEachEpoch) {
  EXPECT_EQ(epochs_of(numbers(4).skip(2).repeat(2)), (Epochs{{2, 3}, {2, 3}}));
  EXPECT_EQ(epochs_of(range(4).skip(2).repeat(2)), (Epochs{{2, 3}, {2, 3}}));
  EXPECT_EQ(epochs_of(numbers(4).skip(9)), Epochs{{}});
  EXPECT_EQ(epochs_of(range(4).skip(9)), Epochs{{}});
  EXPECT_EQ(elements_of(numbers(1000).skip(998)), (Ints{998, 999}));
}

// proves: failure-drops
TEST(Skip, LeavesThemOutAlsoBeforeAFailure) {
  const auto failing = [](int at) {
    return range(9).filter([at](int i) { return i == at ? throw Failure("at") : true; });
  };
  EXPECT_EQ(output_of(failing(3).skip(5)).epochs, Epochs());
  EXPECT_EQ(output_of(failing(7).skip(5)).epochs, (Epochs{{5, 6}}));
  EXPECT_EQ(output_of(failing(7).skip(5)).failed_at, (Position{0, 7}));
}

// proves: joined-epochs
TEST(Skip, BehindARepeatHasOneEpoch) {
  EXPECT_EQ(epochs_of(range(3).repeat(3).skip(4)), (Epochs{{1, 2, 0, 1, 2}}));
  EXPECT_EQ(epochs_of(range(3).repeat(2).skip(4).repeat(2)), (Epochs{{1, 2}, {1, 2}}));
}

TEST(TakeAndSkip, KeepNumbers) {
  EXPECT_EQ(numbers_of(output_of(numbers(9).skip(3).take(2)).positions.at(0)), (std::vector<std::uint64_t>{3, 4}));
  EXPECT_EQ(numbers_of(output_of(range(9).skip(3).take(2)).positions.at(0)), (std::vector<std::uint64_t>{3, 4}));
}

TEST(TakeAndSkip, RefuseNegativeCounts) {
  EXPECT_NE(rejection([] { return range(3).take(-1); }), "nothing was thrown");
  EXPECT_NE(rejection([] { return numbers(3).skip(-1); }), "nothing was thrown");
}

// ---- step_by

TEST(StepBy, HasTheFirstOfEveryFew) {
  EXPECT_EQ(elements_of(numbers(8).step_by(3)), (Ints{0, 3, 6}));
  EXPECT_EQ(elements_of(numbers(7).step_by(3)), (Ints{0, 3, 6}));
  EXPECT_EQ(elements_of(numbers(6).step_by(3)), (Ints{0, 3}));
  EXPECT_EQ(elements_of(numbers(3).step_by(9)), (Ints{0}));
}

TEST(StepBy, OfOneHasAll) { EXPECT_EQ(elements_of(numbers(3).step_by(1)), (Ints{0, 1, 2})); }

TEST(StepBy, StartsAnewInEachEpoch) {
  EXPECT_EQ(epochs_of(numbers(5).step_by(3).repeat(2)), (Epochs{{0, 3}, {0, 3}}));
  EXPECT_EQ(epochs_of(numbers(5).repeat(2).step_by(3)), (Epochs{{0, 3}, {0, 3}}));
  EXPECT_EQ(epochs_of(range(5).repeat(2).step_by(3)), (Epochs{{0, 3}, {0, 3}}));
}

TEST(StepBy, HasEmptyEpochsOfEmptyEpochs) {
  EXPECT_EQ(epochs_of(numbers(0).repeat(2).step_by(3)), (Epochs{{}, {}}));
  EXPECT_EQ(epochs_of(range(0).step_by(3).repeat(2)), (Epochs{{}, {}}));
}

TEST(StepBy, CountsOnThroughEpochsThatAreJoined) {
  EXPECT_EQ(epochs_of(numbers(4).repeat(2).seamless().step_by(3)), (Epochs{{0, 3, 2}}));
}

TEST(StepBy, KeepsNumbers) {
  EXPECT_EQ(numbers_of(output_of(numbers(9).step_by(4)).positions.at(0)), (std::vector<std::uint64_t>{0, 4, 8}));
  EXPECT_EQ(numbers_of(output_of(range(9).step_by(4)).positions.at(0)), (std::vector<std::uint64_t>{0, 4, 8}));
}

TEST(StepBy, FailsWhereAnElementFailsThatItLeavesOut) {
  const auto failing = range(9).filter([](int i) { return i == 4 ? throw Failure("at") : true; });
  EXPECT_EQ(output_of(failing.step_by(3)).epochs, (Epochs{{0, 3}}));
  EXPECT_EQ(output_of(failing.step_by(3)).failed_at, (Position{0, 4}));
}

TEST(StepBy, OfADataSetWithRandomAccessHasIt) {
  for (int size = 0; size < 10; ++size) {
    for (int step = 1; step < 12; ++step) {
      const auto stepped = range(size).step_by(step);
      Ints elements;
      for (std::size_t i = 0; i < stepped.size(); ++i) elements.push_back(stepped[i]);
      EXPECT_EQ(elements, elements_of(numbers(size).step_by(step))) << size << ' ' << step;
      EXPECT_EQ(elements_of(stepped), elements) << size << ' ' << step;
    }
  }
}

TEST(StepBy, HasTheSameOrderOfAShuffleWithAndWithoutRandomAccess) {
  const auto shuffled = range(10).shuffle();
  EXPECT_EQ(epochs_of(shuffled.step_by(3).repeat(3)), epochs_of(Dataset<int>(shuffled).step_by(3).repeat(3)));
}

// ---- shard

TEST(Shard, HasEveryCountthElement) {
  EXPECT_EQ(elements_of(range(8).shard(1, 3)), (Ints{1, 4, 7}));
  EXPECT_EQ(elements_of(numbers(8).shard(1, 3)), (Ints{1, 4, 7}));
  EXPECT_EQ(epochs_of(numbers(8).shard(2, 3).repeat(2)), (Epochs{{2, 5}, {2, 5}}));
}

TEST(Shard, KnowsItsSize) {
  for (int size = 0; size < 10; ++size) {
    for (int index = 0; index < 4; ++index) {
      for (const auto& data : {range(size).shard(index, 4), range(size).shard(index, 4, Even::drop),
                               range(size).shard(index, 4, Even::repeat)}) {
        EXPECT_EQ(elements_of(data).size(), data.size()) << size;
      }
    }
  }
}

/// Compares shards with and without random access, even or not.
TEST(Shard, IsTheSameWithAndWithoutRandomAccess) {
  for (int size = 0; size < 10; ++size) {
    for (int index = 0; index < 4; ++index) {
      EXPECT_EQ(epochs_of(range(size).shard(index, 4).repeat(2)), epochs_of(numbers(size).shard(index, 4).repeat(2)));
      for (const Even even : {Even::drop, Even::repeat}) {
        EXPECT_EQ(epochs_of(range(size).shard(index, 4, even).repeat(2)),
                  epochs_of(numbers(size).shard(index, 4, even).repeat(2)))
            << size << ' ' << index;
      }
    }
  }
}

TEST(Shard, MayLeaveOutWhatIsNotForAll) { EXPECT_EQ(elements_of(numbers(8).shard(0, 3, Even::drop)), (Ints{0, 3})); }

TEST(Shard, MayRepeatTheEpochsFirstElements) {
  EXPECT_EQ(elements_of(numbers(7).shard(2, 3, Even::repeat)), (Ints{2, 5, 1}));
  EXPECT_EQ(elements_of(range(2).shard(2, 5, Even::repeat)), (Ints{0}));
  EXPECT_EQ(elements_of(numbers(2).shard(4, 5, Even::repeat)), (Ints{0}));
}

TEST(Shard, RepeatsElementsOfItsOwnEpochAfterAnEpochThatWasLeft) {
  const auto data = range(7).seed(1).shuffle().filter([](int) { return true; }).repeat(2);
  const Epochs all = output_of(data).epochs;
  ASSERT_NE(all[0][0], all[1][0]);
  PlainRun run(data.shard(1, 2, Even::repeat));
  ASSERT_EQ(run.pull(1), PullResult::more);
  run.begin({1});
  Ints elements;
  while (!run.is_over()) {
    static_cast<void>(run.pull(1));
    for (std::size_t i = 0; i < run.chunk().size(); ++i) elements.push_back(run.chunk()[i]);
  }
  EXPECT_EQ(elements, (Ints{all[1][1], all[1][3], all[1][5], all[1][0]}));
}

TEST(Shard, AllOfThemTogetherAreTheWhole) {
  const auto whole = output_of(range(100).shuffle().repeat(2));
  for (std::size_t epoch = 0; epoch < 2; ++epoch) {
    for (int index = 0; index < 3; ++index) {
      const auto part = output_of(range(100).shuffle().shard(index, 3).repeat(2));
      for (std::size_t i = 0; i < part.epochs.at(epoch).size(); ++i) {
        const std::size_t place = i * 3 + static_cast<std::size_t>(index);
        EXPECT_EQ(part.epochs[epoch][i], whole.epochs[epoch].at(place));
        EXPECT_EQ(part.positions[epoch][i], whole.positions[epoch].at(place));
      }
    }
  }
}

TEST(Shard, RefusesAnIndexThatIsNoneAndNamesTheOtherOrder) {
  EXPECT_EQ(
      rejection([] { return range(8).shard(4, 1); }),
      "forebay: shard(4, 1): the index must be less than the number of shards; the order is shard(index, count), "
      "unlike in TensorFlow");
  EXPECT_EQ(rejection([] { return numbers(8).shard(0, 0); }), "forebay: shard: count must be at least 1, not 0");
  EXPECT_NE(rejection([] { return numbers(8).shard(-1, 2); }), "nothing was thrown");
}

TEST(Shard, CannotRepeatWhatCannotBeCopied) {
  const auto data = range(3).map([](int i) { return std::make_unique<int>(i); });
  EXPECT_TRUE(contains(rejection([&] { return data.shard(0, 2, Even::repeat); }), "cannot be copied"));
  EXPECT_EQ(output_of(data.shard(0, 2, Even::drop)).epochs.at(0).size(), 1U);
}

// ---- The wait

TEST(Selection, GetsOnWithoutWaiting) {
  PlainRun run(range(100).filter([](int i) { return i == 50 || i == 60; }));
  int calls = 0;
  while (run.pull(7, no_wait) == PullResult::not_now) ++calls;
  EXPECT_EQ(calls, 50);
  EXPECT_EQ(run.chunk()[0], 50);
}

}  // namespace
}  // namespace forebay_test
