// SPDX-License-Identifier: MIT
//
// batch_stage_test.cpp: batch, padded_batch, stacked_batch and bucket_by_length of a data set. Tests their contents at
// the end of an epoch and across it, and the reuse of storage.

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "forebay/dataset.hpp"
#include "forebay/from_queue.hpp"
#include "tests/support/contains.hpp"
#include "tests/support/plain_run.hpp"
#include "tests/support/thrown.hpp"

namespace forebay_test {
namespace {

using forebay::BucketOptions;
using forebay::drop;
using forebay::from_slices;
using forebay::no_wait;
using forebay::range;

using Ints = std::vector<int>;
using Batches = std::vector<std::vector<Ints>>;

// proves: epoch-end
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

// proves: joined-epochs
TEST(BatchStage, GoesAcrossTheEpochsThatSeamlessJoins) {
  EXPECT_EQ(epochs_of(range(3).repeat(3).seamless().batch(2)), (Batches{{{0, 1}, {2, 0}, {1, 2}, {0, 1}, {2}}}));
  EXPECT_EQ(epochs_of(range(3).repeat(3).seamless().batch(2, {.remainder = drop})),
            (Batches{{{0, 1}, {2, 0}, {1, 2}, {0, 1}}}));
}

TEST(BatchStage, ThatIsLargerThanAnEpochGoesAcrossSeveral) {
  EXPECT_EQ(epochs_of(range(2).repeat(5).seamless().batch(7)), (Batches{{{0, 1, 0, 1, 0, 1, 0}, {1, 0, 1}}}));
}

// proves: joined-epochs
TEST(BatchStage, ThatGoesAcrossEpochsBeginsAnewWithARepeatBehindIt) {
  const auto data = range(3).repeat(2).seamless().batch(4).repeat(2);
  EXPECT_EQ(epochs_of(data), (Batches{{{0, 1, 2, 0}, {1, 2}}, {{0, 1, 2, 0}, {1, 2}}}));
}

// proves: joined-epochs
TEST(BatchStage, ThatGoesAcrossEpochsIsLeftEarly) {
  const auto one_of_each = [](Ints&& batch, forebay::Out<Ints>& out) {
    out.emit(std::move(batch));
    out.end();
  };
  const auto data = range(10).repeat(3).seamless().batch(4).repeat(2);
  EXPECT_EQ(epochs_of(data.apply(one_of_each)), (Batches{{{0, 1, 2, 3}}, {{0, 1, 2, 3}}}));
  EXPECT_EQ(epochs_of(data.prefetch(5).apply(one_of_each)), epochs_of(data.apply(one_of_each)));
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
  EXPECT_EQ(rejection([] { return range(5).batch(0); }), "forebay: batch: size must be at least 1, not 0");
  EXPECT_EQ(rejection([] { return range(5).stacked_batch(0); }),
            "forebay: stacked_batch: size must be at least 1, not 0");
  EXPECT_NE(rejection([] { return range(5).batch(-1); }), "nothing was thrown");
}

// proves: failure-drops
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
  ASSERT_EQ(run.pull(1), PullResult::more);
  const int* const first = run.chunk()[0].data();
  ASSERT_EQ(run.pull(1), PullResult::more);
  const int* const second = run.chunk()[0].data();
  for (int i = 0; i < 4; ++i) {
    ASSERT_EQ(run.pull(1), PullResult::more);
    EXPECT_TRUE(run.chunk()[0].data() == first || run.chunk()[0].data() == second);
  }
}

TEST(BatchStage, KeepsWhatItHasGatheredWhenTheWaitEnds) {
  PlainRun run(range(5).batch(3));
  int calls = 1;
  while (run.pull(1, no_wait) == PullResult::not_now) ++calls;
  EXPECT_EQ(run.chunk()[0], (Ints{0, 1, 2}));
  EXPECT_EQ(calls, 3);
}

// ---- bucket_by_length

/// For numbers, each of which is its own length.
const auto as_it_is = [](int number) { return number; };

BucketOptions buckets() { return {.boundaries = {4, 8}, .batch_sizes = {2, 3, 4}}; }

TEST(BucketByLength, PutsTogetherWhatIsOfSimilarLength) {
  EXPECT_EQ(epochs_of(from_slices({0, 9, 3, 4, 7, 8, 5, 2}).bucket_by_length(as_it_is, buckets())),
            (Batches{{{0, 3}, {4, 7, 5}, {2}, {9, 8}}}));
}

TEST(BucketByLength, BeginsABucketAtEachBoundary) {
  for (int length = 0; length < 12; ++length) {
    const std::size_t size = length < 4 ? 2 : length < 8 ? 3 : 4;
    const auto data = from_slices(Ints(12, length)).bucket_by_length(as_it_is, buckets());
    EXPECT_EQ(epochs_of(data)[0].size(), 12 / size) << length;
  }
}

TEST(BucketByLength, DeliversTheRestInTheOrderOfTheBuckets) {
  const auto data = from_slices({8, 5, 1});
  EXPECT_EQ(epochs_of(data.bucket_by_length(as_it_is, buckets()).repeat(2)),
            (Batches{{{1}, {5}, {8}}, {{1}, {5}, {8}}}));
  EXPECT_EQ(epochs_of(data.repeat(2).bucket_by_length(as_it_is, buckets())),
            (Batches{{{1}, {5}, {8}}, {{1}, {5}, {8}}}));
  EXPECT_EQ(epochs_of(range(0).bucket_by_length(as_it_is, buckets())), Batches{{}});
}

TEST(BucketByLength, MayDropTheRest) {
  BucketOptions options = buckets();
  options.remainder = drop;
  EXPECT_EQ(epochs_of(from_slices({8, 5, 1, 2}).repeat(2).bucket_by_length(as_it_is, options)),
            (Batches{{{1, 2}}, {{1, 2}}}));
}

// proves: joined-epochs
TEST(BucketByLength, GoesAcrossTheEpochsThatSeamlessJoins) {
  EXPECT_EQ(epochs_of(from_slices({5, 1, 2}).repeat(4).seamless().bucket_by_length(as_it_is, buckets())),
            (Batches{{{1, 2}, {1, 2}, {5, 5, 5}, {1, 2}, {1, 2}, {5}}}));
}

TEST(BucketByLength, NumbersBatchesAnew) {
  const auto output = output_of(from_slices({8, 5, 1}).bucket_by_length(as_it_is, buckets()).repeat(2));
  EXPECT_EQ(output.positions[1], (std::vector<Position>{{1, 0}, {1, 1}, {1, 2}}));
}

// proves: bucket-too-long
TEST(BucketByLength, FailsAtWhatIsTooLong) {
  BucketOptions options = buckets();
  options.max_length = 9;
  const auto output = output_of(from_slices({1, 9, 2, 10, 3}).bucket_by_length(as_it_is, options));
  EXPECT_EQ(output.all(), (std::vector<Ints>{{1, 2}}));
  EXPECT_EQ(output.failure, "forebay: bucket_by_length, epoch 0, number 3: a length of 10 is above .max_length, 9");
}

// proves: bucket-too-long
TEST(BucketByLength, LeavesOutWhatIsTooLongUpToALimitInEachEpoch) {
  BucketOptions options{.batch_sizes = {2}, .max_length = 9, .too_long = forebay::skip(2)};
  const auto data = from_slices({10, 1, 11, 2}).repeat(2).bucket_by_length(as_it_is, options);
  EXPECT_EQ(epochs_of(data), (Batches{{{1, 2}}, {{1, 2}}}));
  options.too_long = forebay::skip(1);
  EXPECT_EQ(output_of(from_slices({10, 1, 11, 2}).bucket_by_length(as_it_is, options)).failed_at, (Position{0, 2}));
}

// proves: bucket-too-long
TEST(BucketByLength, HandsOverWhatIsTooLong) {
  std::vector<Position> redirected;
  const BucketOptions options{.batch_sizes = {2},
                              .max_length = 9,
                              .too_long = forebay::redirect([&](Position position, const std::exception_ptr&) {
                                redirected.push_back(position);
                              })};
  EXPECT_EQ(elements_of(from_slices({10, 1, 11, 2}).bucket_by_length(as_it_is, options)), (std::vector<Ints>{{1, 2}}));
  EXPECT_EQ(redirected, (std::vector<Position>{{0, 0}, {0, 2}}));
}

// proves: bucket-too-long
TEST(BucketByLength, AFailureOfTheLengthIsNotSkipped) {
  const auto broken = [](int number) { return number == 2 ? throw Failure("broken") : number; };
  const BucketOptions options{.batch_sizes = {1}, .max_length = 9, .too_long = forebay::skip(9)};
  EXPECT_EQ(output_of(range(4).bucket_by_length(broken, options)).failure,
            "forebay: bucket_by_length, epoch 0, number 2: broken");
  const auto negative = [](int number) { return number - 1; };
  EXPECT_TRUE(contains(output_of(range(4).bucket_by_length(negative, options)).failure, "not -1"));
}

TEST(BucketByLength, IsLeftEarly) {
  const auto data = from_slices({8, 5, 1, 2, 3}).bucket_by_length(as_it_is, buckets());
  EXPECT_EQ(epochs_of(data.take(1).repeat(2)), (Batches{{{1, 2}}, {{1, 2}}}));
  EXPECT_EQ(epochs_of(data.take(2).repeat(2)), (Batches{{{1, 2}, {3}}, {{1, 2}, {3}}}));
  const auto with_a_rest = from_slices({1, 9, 9, 9, 9, 2}).bucket_by_length(as_it_is, buckets());
  EXPECT_EQ(epochs_of(with_a_rest.take(1).repeat(2)), (Batches{{{9, 9, 9, 9}}, {{9, 9, 9, 9}}}));
}

TEST(BucketByLength, PadsTheBatchesOfABucket) {
  const auto data = from_slices(std::vector<Ints>{{1}, {2, 3, 4, 5}, {6, 7}, {8}})
                        .bucket_by_length(&Ints::size, {.boundaries = std::vector<int>{3}, .batch_sizes = {2, 2}},
                                          {.pad_value = -1});
  PlainRun run(data);
  ASSERT_EQ(run.pull(1), PullResult::more);
  EXPECT_EQ(Ints(run.chunk()[0].values().begin(), run.chunk()[0].values().end()), (Ints{1, -1, 6, 7}));
  ASSERT_EQ(run.pull(1), PullResult::more);
  EXPECT_EQ(run.chunk()[0].values().size(), 1U);
}

TEST(BucketByLength, KeepsWhatItHasGatheredWhenTheWaitEnds) {
  forebay::FIFOQueue<int> queue(10);
  auto pipeline = forebay::from_queue(queue).bucket_by_length(as_it_is, buckets()).run();
  for (const int number : {1, 5, 2}) ASSERT_EQ(queue.enqueue(number), forebay::QueueStatus::ok);
  while (!pipeline.next(no_wait)) {
  }
  queue.close();
  EXPECT_EQ(*pipeline.next(), Ints{5});
}

TEST(BucketByLength, OfImpossibleBucketsIsRefused) {
  const auto of_options = [](const BucketOptions& options) {
    return rejection([&] { return range(5).bucket_by_length(as_it_is, options); });
  };
  EXPECT_EQ(of_options({.boundaries = {4, 8}, .batch_sizes = {2, 3}}),
            "forebay: bucket_by_length: 2 .boundaries make 3 buckets, but there are 2 .batch_sizes");
  EXPECT_EQ(of_options({.boundaries = {8, 8}, .batch_sizes = {2, 3, 4}}),
            "forebay: bucket_by_length: .boundaries must be positive and increasing, but 8 follows 8");
  EXPECT_NE(of_options({.boundaries = {0}, .batch_sizes = {2, 3}}), "nothing was thrown");
  EXPECT_EQ(of_options({.boundaries = {8}, .batch_sizes = {2, 0}}),
            "forebay: bucket_by_length: each of batch_sizes must be at least 1, not 0");
  EXPECT_EQ(of_options({.boundaries = {8}, .batch_sizes = {2, 3}, .max_length = 7}),
            "forebay: bucket_by_length: a .max_length of 7 is below the boundary 8");
  EXPECT_EQ(of_options({.boundaries = Ints{-1}, .batch_sizes = {2, 3}}),
            "forebay: bucket_by_length: each of boundaries must be at least 0, not -1");
}

TEST(PaddedBatchStage, PadsToTheLongest) {
  const auto data = from_slices(std::vector<Ints>{{1}, {2, 3}, {4, 5, 6}}).padded_batch(2, {.pad_value = -1});
  PlainRun run(data);
  ASSERT_EQ(run.pull(1), PullResult::more);
  auto& batch = run.chunk()[0];
  EXPECT_EQ(batch.size(), 2U);
  EXPECT_EQ(Ints(batch.values().begin(), batch.values().end()), (Ints{1, -1, 2, 3}));
  EXPECT_EQ(run.pull(1), PullResult::last);
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
  ASSERT_EQ(run.pull(1), PullResult::more);
  auto& batch = run.chunk()[0];
  EXPECT_EQ(batch.component<&Example::pixels>().values().size(), 4U);
  EXPECT_EQ(batch.component<1>().values()[1], 1);
}

}  // namespace
}  // namespace forebay_test
