// SPDX-License-Identifier: MIT
//
// batch_by_cost_test.cpp: the stage batch_by_cost.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "forebay/base/random_bits.hpp"
#include "forebay/dataset.hpp"
#include "tests/support/contains.hpp"
#include "tests/support/pipeline_output.hpp"
#include "tests/support/plain_run.hpp"
#include "tests/support/resume_points.hpp"

namespace forebay_test {
namespace {

using forebay::CostOptions;
using forebay::drop;
using forebay::from_slices;
using forebay::range;
using forebay::skip;

using Number = std::uint64_t;
using Batch = std::vector<Number>;
using Batches = std::vector<Batch>;

Number itself(Number number) { return number; }

Batches batched(const Batch& costs, const CostOptions& options) {
  return elements_of(from_slices(costs).batch_by_cost(itself, options));
}

// ---- Without sorting

TEST(BatchByCost, EndsABatchBeforeTheElementThatDoesNotFit) {
  EXPECT_EQ(batched({3, 4, 5, 6, 1, 1, 9, 2}, {.limit = 9}), (Batches{{3, 4}, {5}, {6, 1, 1}, {9}, {2}}));
  EXPECT_EQ(batched({3, 4, 2, 5}, {.limit = 9}), (Batches{{3, 4, 2}, {5}}));
  EXPECT_EQ(batched({}, {.limit = 9}), Batches());
}

TEST(BatchByCost, MayCountEveryElementLikeTheLargest) {
  EXPECT_EQ(batched({1, 3, 2, 4, 4, 1}, {.limit = 9, .count_times_largest = true}), (Batches{{1, 3, 2}, {4, 4}, {1}}));
}

TEST(BatchByCost, MayLimitTheNumberOfElements) {
  EXPECT_EQ(batched({1, 1, 1, 7, 1, 1, 1}, {.limit = 8, .most_elements = 2}), (Batches{{1, 1}, {1, 7}, {1, 1}, {1}}));
  EXPECT_EQ(batched({1, 1, 8}, {.limit = 8, .most_elements = 1}), (Batches{{1}, {1}, {8}}));
}

TEST(BatchByCost, MayDropTheLastBatchIfItHasRoomLeft) {
  EXPECT_EQ(batched({3, 4, 5}, {.limit = 9, .remainder = drop}), (Batches{{3, 4}}));
  EXPECT_EQ(batched({3, 6, 4, 5}, {.limit = 9, .remainder = drop}), (Batches{{3, 6}, {4, 5}})) << "it is full";
  EXPECT_EQ(batched({3, 4}, {.limit = 9, .remainder = drop}), Batches());
}

TEST(BatchByCost, EndsABatchWithTheEpoch) {
  EXPECT_EQ(epochs_of(from_slices(Batch{3, 4, 5}).batch_by_cost(itself, {.limit = 9}).repeat(2)),
            (std::vector<Batches>{{{3, 4}, {5}}, {{3, 4}, {5}}}));
}

TEST(BatchByCost, CountsCostsWithoutOverflow) {
  const Number huge = std::numeric_limits<Number>::max();
  EXPECT_EQ(batched({huge, 1, huge}, {.limit = huge}), (Batches{{huge}, {1}, {huge}}));
  EXPECT_EQ(batched({huge, 1, huge}, {.limit = huge, .count_times_largest = true}), (Batches{{huge}, {1}, {huge}}));
  EXPECT_EQ(batched({huge, 1, huge}, {.limit = huge, .sort_window = huge, .shuffle_batches = false}),
            (Batches{{1}, {huge}, {huge}}));
}

// ---- Elements that are too costly

TEST(BatchByCost, OfAnElementAboveTheLimitFails) {
  const auto output = output_of(from_slices(Batch{3, 10, 2}).batch_by_cost(itself, {.limit = 9}));
  EXPECT_EQ(output.failure, "forebay: batch_by_cost, epoch 0, number 1: a cost of 10 is above the limit, 9");
  EXPECT_EQ(output.epochs, std::vector<Batches>()) << "the batch that the failure interrupts is incomplete";
}

TEST(BatchByCost, OfACostBelow1Fails) {
  const std::string failure = output_of(range<Number>(0, 3).batch_by_cost(itself, {.limit = 9})).failure;
  EXPECT_TRUE(contains(failure, "number 0")) << failure;
  EXPECT_TRUE(contains(failure, "a cost must be at least 1, not 0")) << failure;
  const auto negative = [](Number) { return -1; };
  EXPECT_TRUE(contains(output_of(range<Number>(0, 3).batch_by_cost(negative, {.limit = 9})).failure, "not -1"));
}

TEST(BatchByCost, MaySkipElementsAboveTheLimit) {
  EXPECT_EQ(batched({3, 10, 2, 11, 5}, {.limit = 9, .too_costly = skip(2)}), (Batches{{3, 2}, {5}}));
  const auto output = output_of(from_slices(Batch{10, 11}).batch_by_cost(itself, {.limit = 9, .too_costly = skip(1)}));
  EXPECT_TRUE(contains(output.failure, "a cost of 11")) << output.failure;
}

TEST(BatchByCost, MayGiveElementsAboveTheLimitABatchOfTheirOwn) {
  EXPECT_EQ(batched({3, 10, 2, 4}, {.limit = 9, .too_costly_alone = true}), (Batches{{3}, {10}, {2, 4}}));
  EXPECT_EQ(batched({10, 10, 1}, {.limit = 9, .too_costly_alone = true}), (Batches{{10}, {10}, {1}}));
  EXPECT_EQ(batched({3, 10, 2, 4}, {.limit = 9, .sort_window = 4, .too_costly_alone = true}).size(), 2U);
}

// ---- Sorted windows

TEST(BatchByCost, SortsWindowsByTurnsAndCarriesOverWhatFillsNoBatch) {
  const CostOptions options{.limit = 10, .sort_window = 4, .shuffle_batches = false};
  // {1, 2, 6}, and 7 is carried over. Then 9 8 7 5 3: {9}, {8}, {7}, and 5 and 3 are carried over. Then 1 3 5.
  EXPECT_EQ(batched({7, 2, 1, 6, 3, 8, 9, 5, 1}, options), (Batches{{1, 2, 6}, {9}, {8}, {7}, {1, 3, 5}}));
}

TEST(BatchByCost, MayHaveWindowsThatFillNoBatch) {
  const CostOptions options{.limit = 10, .sort_window = 2, .shuffle_batches = false};
  EXPECT_EQ(batched({3, 1, 2, 1, 1, 1, 9, 1}, options), (Batches{{9}, {3, 2, 1, 1, 1, 1, 1}}));
}

TEST(BatchByCost, KeepsTheOrderOfElementsOfTheSameCost) {
  const auto cost = [](Number number) { return number % 10; };
  const CostOptions options{.limit = 4, .sort_window = 6, .shuffle_batches = false};
  EXPECT_EQ(elements_of(from_slices(Batch{11, 22, 31, 42, 51, 61}).batch_by_cost(cost, options)),
            (Batches{{11, 31, 51, 61}, {22, 42}}));
}

/// Costs like the lengths of sentences.
Number length(Number number) {
  const double uniform = static_cast<double>(forebay::detail::splitmix64(number) % 1000) / 1000;
  return 3 + static_cast<Number>(20 * uniform + 60 * uniform * uniform * uniform * uniform);
}

Number cost_of(const Batch& batch, bool count_times_largest) {
  Number sum = 0;
  Number largest = 0;
  for (const Number number : batch) {
    sum += length(number);
    largest = std::max(largest, length(number));
  }
  return count_times_largest ? batch.size() * largest : sum;
}

class BatchesOfSentences : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Costs, BatchesOfSentences, testing::Bool());

TEST_P(BatchesOfSentences, AreFullAndHaveEachElementOnceAnEpoch) {
  const CostOptions options{.limit = 2'000, .count_times_largest = GetParam(), .sort_window = 1'000};
  const auto epochs = epochs_of(range<Number>(0, 10'000).batch_by_cost(length, options).repeat(2));
  ASSERT_EQ(epochs.size(), 2U);
  EXPECT_NE(epochs[0], epochs[1]) << "the order of the batches differs";
  for (const Batches& batches : epochs) {
    std::set<Number> seen;
    Number sum = 0;
    std::size_t small = 0;
    for (const Batch& batch : batches) {
      const Number cost = cost_of(batch, GetParam());
      EXPECT_LE(cost, 2'000U);
      sum += cost;
      if (cost < 1'800) ++small;
      seen.insert(batch.begin(), batch.end());
    }
    EXPECT_EQ(seen.size(), 10'000U);
    EXPECT_GE(sum, batches.size() * 1'900);
    EXPECT_LE(small, 3U) << "only the last batch, and few of the longest sentences";
  }
}

TEST_P(BatchesOfSentences, AreTheSameWithThreadsAndInEachRun) {
  const CostOptions options{.limit = 300, .count_times_largest = GetParam(), .sort_window = 100};
  const auto data = range<Number>(0, 1'000).batch_by_cost(length, options);
  const Batches batches = elements_of(data);
  EXPECT_EQ(elements_of(range<Number>(0, 1'000).map(2, itself).batch_by_cost(length, options)), batches);
  EXPECT_EQ(outputs_of(range<Number>(0, 1'000).map(2, itself).batch_by_cost(length, options).prefetch(2)), batches);
  EXPECT_NE(elements_of(range<Number>(0, 1'000).seed(1).batch_by_cost(length, options)), batches);
}

TEST(BatchByCost, ShufflesOnlyTheBatches) {
  CostOptions options{.limit = 100, .sort_window = 200};
  const Batches shuffled = elements_of(range<Number>(0, 200).batch_by_cost(length, options));
  options.shuffle_batches = false;
  Batches sorted = elements_of(range<Number>(0, 200).batch_by_cost(length, options));
  EXPECT_NE(shuffled, sorted);
  std::multiset<Batch> some(shuffled.begin(), shuffled.end());
  EXPECT_EQ(some, std::multiset<Batch>(sorted.begin(), sorted.end()));
}

TEST(BatchByCost, MovesWhatCannotBeCopied) {
  const auto data = range<Number>(1, 9)
                        .map([](Number number) { return std::make_unique<Number>(number); })
                        .batch_by_cost([](const std::unique_ptr<Number>& number) { return *number; },
                                       {.limit = 10, .sort_window = 3});
  Number sum = 0;
  for (const auto& batch : data.run()) {
    for (const auto& number : batch) sum += *number;
  }
  EXPECT_EQ(sum, 36U);
}

// ---- Resuming

// proves: checkpoint
TEST(BatchByCost, ResumesAtEveryPlace) {
  for (const bool drops : {false, true}) {
    for (const std::size_t window : {0U, 1U, 7U, 40U}) {
      CostOptions options{.limit = 100, .count_times_largest = drops, .sort_window = window};
      if (drops) options.remainder = drop;
      check_every_resume_point(range<Number>(0, 120).batch_by_cost(length, options).repeat(2));
      check_every_resume_point(range<Number>(0, 60).repeat(2).seamless().shuffle(9).batch_by_cost(length, options));
    }
  }
}

TEST(BatchByCost, SaysWhatItDoes) {
  const auto data = range<Number>(1, 9).batch_by_cost(
      itself, {.limit = 10, .count_times_largest = true, .most_elements = 3, .sort_window = 5, .remainder = drop});
  EXPECT_TRUE(contains(data.describe().text(), "batch_by_cost 10 of the largest")) << data.describe().text();
}

}  // namespace
}  // namespace forebay_test
