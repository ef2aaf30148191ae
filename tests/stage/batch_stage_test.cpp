// SPDX-License-Identifier: MIT
//
// batch_stage_test.cpp: batch, padded_batch and stacked_batch of a data set: what is in them, at the end of an epoch
// and across it, and that their storage is used again.

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "forebay/dataset.hpp"
#include "tests/support/plain_run.hpp"
#include "tests/support/thrown.hpp"

namespace forebay_test {
namespace {

using forebay::drop;
using forebay::from_slices;
using forebay::no_wait;
using forebay::range;
using forebay::straddle;

using Ints = std::vector<int>;
using Batches = std::vector<std::vector<Ints>>;

TEST(BatchStage, HasSoManyElementsAndTheRestAtTheEndOfAnEpoch) {
  EXPECT_EQ(epochs_of(range(5).batch(2).repeat(2)), (Batches{{{0, 1}, {2, 3}, {4}}, {{0, 1}, {2, 3}, {4}}}));
  EXPECT_EQ(epochs_of(range(5).repeat(2).batch(2)), (Batches{{{0, 1}, {2, 3}, {4}}, {{0, 1}, {2, 3}, {4}}}));
  EXPECT_EQ(epochs_of(range(4).batch(2)), (Batches{{{0, 1}, {2, 3}}}));
  EXPECT_EQ(epochs_of(range(0).batch(2)), Batches{{}});
}

TEST(BatchStage, MayDropTheRest) {
  EXPECT_EQ(epochs_of(range(5).repeat(2).batch(2, {.remainder = drop})),
            (Batches{{{0, 1}, {2, 3}}, {{0, 1}, {2, 3}}}));
}

TEST(BatchStage, MayGoAcrossEpochs) {
  EXPECT_EQ(epochs_of(range(3).repeat(3).batch(2, {.epochs = straddle})),
            (Batches{{{0, 1}, {2, 0}}, {{1, 2}}, {{0, 1}, {2}}}));
  EXPECT_EQ(epochs_of(range(3).repeat(3).batch(2, {.remainder = drop, .epochs = straddle})),
            (Batches{{{0, 1}, {2, 0}}, {{1, 2}}, {{0, 1}}}));
}

TEST(BatchStage, ThatIsLargerThanAnEpochGoesAcrossSeveral) {
  EXPECT_EQ(epochs_of(range(2).repeat(5).batch(7, {.epochs = straddle})),
            (Batches{{{0, 1, 0, 1, 0, 1, 0}}, {}, {}, {{1, 0, 1}}, {}}));
}

TEST(BatchStage, NumbersBatches) {
  const auto output = output_of(range(5).skip(1).batch(2).repeat(2));
  EXPECT_EQ(output.positions[1][1], (Position{1, 1}));
}

TEST(BatchStage, HoldsTruthValues) {
  const auto data = range(3).map([](int i) { return i == 1; }).batch(2);
  EXPECT_EQ(elements_of(data), (std::vector<std::vector<bool>>{{false, true}, {false}}));
}

TEST(BatchStage, OfNothingIsRefused) {
  EXPECT_EQ(rejection([] { return range(5).batch(0); }), "forebay: batch(0): a batch needs at least 1 element");
  EXPECT_EQ(rejection([] { return range(5).stacked_batch(0); }),
            "forebay: stacked_batch(0): a batch needs at least 1 element");
  EXPECT_NE(rejection([] { return range(5).batch(-1); }), "nothing was thrown");
}

TEST(BatchStage, DropsWhatIsNotCompleteAtAFailure) {
  const auto output = output_of(range(10)
                                    .map([](int i) {
                                      if (i == 5) throw Failure("broken");
                                      return i;
                                    })
                                    .batch(2));
  EXPECT_EQ(output.all(), (std::vector<Ints>{{0, 1}, {2, 3}}));
  EXPECT_EQ(output.failed_at, (Position{0, 5}));
}

TEST(BatchStage, StaysFullWhereElementsAreSkipped) {
  const auto data = range(10).map({.on_error = forebay::skip(10)}, [](int i) {
    if (i % 3 == 0) throw Failure("three");
    return i;
  });
  EXPECT_EQ(elements_of(data.batch(4)), (std::vector<Ints>{{1, 2, 4, 5}, {7, 8}}));
}

TEST(BatchStage, UsesStorageAgain) {
  PlainRun run(range(100).batch(4));
  ASSERT_EQ(run.pull(1), Answer::more);
  const int* const first = run.chunk()[0].data();
  ASSERT_EQ(run.pull(1), Answer::more);
  const int* const second = run.chunk()[0].data();
  for (int i = 0; i < 4; ++i) {
    ASSERT_EQ(run.pull(1), Answer::more);
    EXPECT_TRUE(run.chunk()[0].data() == first || run.chunk()[0].data() == second);
  }
}

TEST(BatchStage, KeepsWhatItHasGatheredWhenTheWaitEnds) {
  PlainRun run(range(5).batch(3));
  int calls = 1;
  while (run.pull(1, no_wait) == Answer::not_now) ++calls;
  EXPECT_EQ(run.chunk()[0], (Ints{0, 1, 2}));
  EXPECT_EQ(calls, 3);
}

TEST(PaddedBatchStage, PadsToTheLongest) {
  const auto data = from_slices(std::vector<Ints>{{1}, {2, 3}, {4, 5, 6}}).padded_batch(2, {.pad_value = -1});
  PlainRun run(data);
  ASSERT_EQ(run.pull(1), Answer::more);
  auto& batch = run.chunk()[0];
  EXPECT_EQ(batch.size(), 2U);
  EXPECT_EQ(Ints(batch.values().begin(), batch.values().end()), (Ints{1, -1, 2, 3}));
  EXPECT_EQ(run.pull(1), Answer::epoch_ended);
  EXPECT_EQ(run.chunk()[0].values().size(), 3U);
}

TEST(PaddedBatchStage, FailsAtWhatIsTooLong) {
  const auto data = from_slices(std::vector<Ints>{{1}, {2, 3, 4}}).padded_batch(1, {.shape = {2}});
  const auto output = output_of(data);
  EXPECT_EQ(output.epochs.at(0).size(), 1U);
  EXPECT_EQ(output.failed_stage, "padded_batch");
  EXPECT_EQ(output.failed_at, (Position{0, 1}));
}

TEST(StackedBatchStage, HasOneBufferForEachComponent) {
  struct Example {
    std::array<float, 2> pixels;
    int label;
  };
  const auto data = range(3).map([](int i) { return Example{{static_cast<float>(i), 0}, i}; }).stacked_batch(2);
  PlainRun run(data);
  ASSERT_EQ(run.pull(1), Answer::more);
  auto& batch = run.chunk()[0];
  EXPECT_EQ(batch.component<&Example::pixels>().values().size(), 4U);
  EXPECT_EQ(batch.component<1>().values()[1], 1);
}

}  // namespace
}  // namespace forebay_test
