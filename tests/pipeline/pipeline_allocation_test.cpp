// SPDX-License-Identifier: MIT
//
// pipeline_allocation_test.cpp: what becomes of a pipeline when an allocation fails, in whatever thread: the loop is
// told, and gets nothing that it should not. And what a pipeline allocates for each batch: nothing.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "forebay/dataset.hpp"
#include "tests/support/counted_memory.hpp"

namespace forebay_test {
namespace {

using forebay::Dataset;
using forebay::MapOptions;
using forebay::Pipeline;
using forebay::range;

using Ints = std::vector<int>;

class PipelineAllocation : public testing::TestWithParam<MapOptions> {
 protected:
  static MapOptions options() { return GetParam(); }
};
INSTANTIATE_TEST_SUITE_P(Ways, PipelineAllocation,
                         testing::Values(MapOptions{.chunk = 2}, MapOptions{.threads = 2, .ahead = 2, .chunk = 2},
                                         MapOptions{.threads = 2, .ahead = 3, .chunk = 2, .loop_helps = false}),
                         [](const auto& instance) { return "way" + std::to_string(instance.index); });

struct Outcome {
  Ints outputs;
  bool failed = false;
};

/// Takes all outputs. That it fails is no failure of the test.
template <class Take>
Outcome run_with_failure_at(std::size_t n, const Dataset<int>& data, Take take) {
  Outcome outcome;
  outcome.outputs.reserve(1000);
  until_failure = n;
  {
    const Count count;
    try {
      Pipeline<int> pipeline(data);
      take(pipeline, outcome.outputs);
    } catch (const std::exception&) {
      outcome.failed = true;
    }
  }
  until_failure = 0;
  return outcome;
}

/// Lets each allocation fail in turn. Either the loop is told, and has got the first outputs, or it has got them all.
template <class Take>
void expect_truth_for_any_failure(const Dataset<int>& data, Take take) {
  const Ints expected = run_with_failure_at(0, data, take).outputs;
  const std::size_t last = allocations + 3;
  ASSERT_FALSE(expected.empty());
  const std::size_t alive = allocations_alive;
  for (std::size_t n = 1; n <= last; ++n) {
    const Outcome outcome = run_with_failure_at(n, data, take);
    if (!outcome.failed) {
      ASSERT_EQ(outcome.outputs, expected) << "nothing was told of allocation " << n;
    }
    Ints before = expected;
    before.resize(std::min(outcome.outputs.size(), expected.size()));
    ASSERT_EQ(outcome.outputs, before) << "allocation " << n;
  }
  EXPECT_LE(allocations_alive, alive + 4) << "memory is left";
}

const auto by_loop = [](Pipeline<int>& pipeline, Ints& outputs) {
  for (const int& output : pipeline) outputs.push_back(output);
};
const auto by_for_each = [](Pipeline<int>& pipeline, Ints& outputs) {
  pipeline.for_each([&outputs](int& output) { outputs.push_back(output); });
};

/// With memory in each element, serial stages before and behind, a window and several epochs.
Dataset<int> with_many_stages(const MapOptions& options) {
  return range(6)
      .shuffle(3)
      .map(options, [](int i) { return Ints(static_cast<std::size_t>(i) + 20, i); })
      .filter([](const Ints& some) { return some.front() != 2; })
      .flat_map([](const Ints& some) { return Ints(some.begin(), some.begin() + 2); })
      .repeat(2)
      .batch(3)
      .map([](const Ints& batch) { return batch.front() * 100 + static_cast<int>(batch.size()); });
}

TEST_P(PipelineAllocation, ThatFailsIsToldToTheLoop) {
  expect_truth_for_any_failure(with_many_stages(options()), by_loop);
}

TEST_P(PipelineAllocation, ThatFailsIsToldToForEach) {
  expect_truth_for_any_failure(with_many_stages(options()), by_for_each);
}

TEST_P(PipelineAllocation, ThatFailsWhereEpochsAreLeftIsToldOrNotMissed) {
  const auto data = range(20)
                        .map(options(), [](int i) { return i; })
                        .take(3)
                        .repeat(3)
                        .map(options(), [](int i) { return i + 1; })
                        .prefetch(2);
  expect_truth_for_any_failure(data, by_loop);
}

TEST_P(PipelineAllocation, ThatFailsInABatchIsTold) {
  const auto data = range(9)
                        .map(options(), [](int i) { return Ints(static_cast<std::size_t>(i % 4), i); })
                        .padded_batch(2)
                        .map([](const forebay::PaddedBatch<Ints>& batch) { return static_cast<int>(batch.size()); });
  expect_truth_for_any_failure(data, by_loop);
}

TEST_P(PipelineAllocation, IsNoneForABatchWhoseStorageIsUsedAgain) {
  const auto data = range(1'000'000).map(options(), [](int i, int& into) { into = i; }).batch(32);
  auto pipeline = data.run();
  Ints batch;
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(pipeline.next(batch), forebay::QueueStatus::ok);
  const Count count;
  for (int i = 0; i < 1000; ++i) static_cast<void>(pipeline.next(batch));
  EXPECT_LE(Count::stop(), 20U);  // storage that a thread has not needed before
}

}  // namespace
}  // namespace forebay_test
