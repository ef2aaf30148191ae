// SPDX-License-Identifier: MIT
//
// pipeline_allocation_test.cpp: if an allocation fails in any thread of a pipeline, the loop reports it and receives no
// wrong output. A pipeline allocates nothing for each batch, and uses as much memory as describe() predicts.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "forebay/dataset.hpp"
#include "forebay/from_queue.hpp"
#include "tests/support/await.hpp"
#include "tests/support/contains.hpp"
#include "tests/support/counted_memory.hpp"
#include "tests/support/environment.hpp"
#include "tests/support/failing_allocation.hpp"
#include "tests/support/thrown.hpp"

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

/// Makes each allocation fail in turn. The loop receives either the first outputs and the failure, or all outputs.
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

const auto by_for_each = [](Pipeline<int>& pipeline, Ints& outputs) {
  pipeline.for_each([&outputs](int& output) { outputs.push_back(output); });
};

/// A data set with memory in each element, serial stages upstream and downstream, a window and several epochs.
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

// proves: pipeline-allocation
TEST_P(PipelineAllocation, ThatFailsIsToldToTheLoop) {
  expect_truth_for_any_failure(with_many_stages(options()), take_by_loop);
}

// proves: pipeline-allocation
TEST_P(PipelineAllocation, ThatFailsIsToldToForEach) {
  expect_truth_for_any_failure(with_many_stages(options()), by_for_each);
}

// proves: pipeline-allocation
TEST_P(PipelineAllocation, ThatFailsWhereEpochsAreLeftIsToldOrNotMissed) {
  const auto data = range(20)
                        .map(options(), [](int i) { return i; })
                        .take(3)
                        .repeat(3)
                        .map(options(), [](int i) { return i + 1; })
                        .prefetch(2);
  expect_truth_for_any_failure(data, take_by_loop);
}

// proves: pipeline-allocation
TEST_P(PipelineAllocation, ThatFailsInABatchIsTold) {
  const auto data = range(9)
                        .map(options(), [](int i) { return Ints(static_cast<std::size_t>(i % 4), i); })
                        .padded_batch(2)
                        .map([](const forebay::PaddedBatch<Ints>& batch) { return static_cast<int>(batch.size()); });
  expect_truth_for_any_failure(data, take_by_loop);
}

// proves: pipeline-allocation
TEST_P(PipelineAllocation, IsNoneForABatchWhoseStorageIsUsedAgain) {
  const auto data = range(1'000'000).map(options(), [](int i, int& into) { into = i; }).batch(32);
  auto pipeline = data.run();
  Ints batch;
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(pipeline.next(batch), forebay::QueueStatus::ok);
  const Count count;
  for (int i = 0; i < 1000; ++i) static_cast<void>(pipeline.next(batch));
  EXPECT_LE(Count::stop(), 100U);  // for 1,000 batches: storage that a thread needs for the first time
}

// proves: pipeline-allocation
TEST_P(PipelineAllocation, IsNoneForABatchWhoseRowsAreWrittenInPlace) {
  using Row = std::array<int, 100>;
  MapOptions whole = options();
  whole.chunk.reset();
  const auto write = [](int i, forebay::Row<Row>& into) { into.component<0>()[0] = i; };
  auto pipeline = range(1'000'000).stacked_batch<Row>(32, {}, whole, write).run();
  forebay::StackedBatch<Row> batch;
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(pipeline.next(batch), forebay::QueueStatus::ok);
  const Count count;
  for (int i = 0; i < 1000; ++i) static_cast<void>(pipeline.next(batch));
  EXPECT_LE(Count::stop(), 100U);  // for 1,000 batches: storage that a thread needs for the first time
}

// proves: pipeline-allocation
TEST_P(PipelineAllocation, ThatFailsInARowIsReported) {
  using Text = std::string;
  const auto write = [](int i, forebay::Row<Text>& into) { into.component<0>()[0] = static_cast<char>(i); };
  const auto data = range(7)
                        .padded_batch<Text>(2, {.shape = {40}}, {}, options(), write)
                        .map([](const forebay::PaddedBatch<Text>& batch) { return static_cast<int>(batch.size()); });
  expect_truth_for_any_failure(data, take_by_loop);
}

/// The beginning of an epoch resets a stage, but keeps its storage. The notes of its position keep theirs, too.
TEST(EndOfAnEpoch, AllocatesNothingThroughAHundredStages) {
  Dataset<int> data = range(3);
  for (int i = 0; i < 25; ++i) data = data.filter([](int) { return true; }).shuffle(2).take(3).skip(0);
  auto pipeline = data.repeat().run();
  for (int i = 0; i < 3000; ++i) ASSERT_TRUE(pipeline.next());
  const Count count;
  for (int i = 0; i < 3000; ++i) static_cast<void>(pipeline.next());
  EXPECT_LE(Count::stop(), 100U);  // for 1,000 epochs: storage for a saved state larger than all earlier ones
}

// ---- What describe() predicts

using Bytes = std::vector<char>;
using Told = std::map<std::string, forebay::Count>;

using Array = std::array<char, 2000>;

// Few functions, because each one compiles another map.
Bytes bytes(int /*number*/) { return Bytes(2000); }
Array array(int /*number*/) { return {}; }
Bytes bytes_of(const Array& of) { return {of.begin(), of.end()}; }
Bytes same(Bytes&& some) { return std::move(some); }
Bytes merged(std::vector<Bytes>&& some) { return std::move(some.front()); }
constexpr std::size_t bytes_each = sizeof(Bytes) + 2000;

forebay::StageDescription stage(const forebay::DatasetDescription& described, const std::string& name) {
  for (const forebay::StageDescription& each : described.stages) {
    if (each.name == name) return each;
  }
  ADD_FAILURE() << "there is no " << name;
  return {};
}

// proves: describe
TEST(Describe, RefusesTheNameOfNoStage) {
  const auto data = range(5).map(2, bytes).named("decode");
  EXPECT_EQ(rejection([&] {
              return data.describe({{"decoed", 100}});
            }),
            "forebay: describe: there is no stage 'decoed'");
  EXPECT_THROW(static_cast<void>(data.describe({{"map", 100}})), std::invalid_argument) << "it has another name";
  EXPECT_THROW(static_cast<void>(data.describe({{"decode", -1}})), std::invalid_argument);
}

// proves: describe
TEST(Describe, CallsNoFunctionAndUsesNothingUp) {
  forebay::FIFOQueue<int> queue(1);
  int calls = 0;
  const auto data = from_queue(queue)
                        .filter([&calls](int) { return ++calls > 0; })
                        .map({.threads = 2}, [&calls](int i) { return i + ++calls; })
                        .interleave({.cycle = 2, .prefetch = 2}, [&calls](int) { return Ints{++calls}; });
  static_cast<void>(data.describe());
  EXPECT_EQ(calls, 0);
  queue.close();
  EXPECT_FALSE(data.run().next()) << "it can be run once, still";
}

TEST(Describe, TellsAllStagesInTheirOrder) {
  const EnvironmentVariable cores("FOREBAY_CORES", "4");
  const auto data = range(1000).seed(7).shuffle().repeat(10).shuffle(100).map(4, array).named("decode").batch(50);
  EXPECT_EQ(data.describe().text(),
            "stage                            threads        ahead    inputs   outputs      memory\n"
            "range 1000\n"
            "shuffle\n"
            "repeat 10\n"
            "shuffle 100                                                 132                0.5 kB\n"
            "decode: map                            4      16 x 50       350      1050      2.1 MB\n"
            "batch 50                                                     50              100.0 kB\n"
            "loop                                                                    2    200.0 kB\n"
            "all                                                                            2.4 MB\n");
  EXPECT_EQ(data.describe(), data.describe());
}

// proves: usable-cores
TEST(Describe, TellsWhenThreadsShareCores) {
  const EnvironmentVariable cores("FOREBAY_CORES", "4");
  const auto described = range(9).map(5, bytes).describe();
  EXPECT_EQ(described.cores, 4U);
  EXPECT_EQ(described.threads(), 5U);
  EXPECT_TRUE(
      contains(described.text(), "5 threads share 4 cores. Only threads that wait most of the time gain from that.\n"))
      << described.text();
}

TEST(Describe, TellsAllBranches) {
  const auto images = range(10).map(2, bytes).named("images");
  const auto labels = range(10).named("labels");
  const auto described = zip(images, labels).describe({{"images", bytes_each}});
  ASSERT_EQ(described.stages.size(), 5U);
  EXPECT_EQ(described.stages[2].name, "labels");
  EXPECT_EQ(described.stages[3].what, "zip");
  EXPECT_EQ(stage(described, "images").bytes, 11U * 32U * bytes_each);
}

// proves: describe
TEST(Describe, KnowsWhatIsAheadAsItIsWhenItRuns) {
  const auto check = [](const auto& data, const char* name) {
    const forebay::StageStatistics runs = data.run().statistics().stages.back();
    const forebay::StageDescription described = stage(data.describe(), name);
    EXPECT_EQ(described.ahead, runs.ahead) << data.describe().text();
    EXPECT_EQ(described.threads, runs.threads);
  };
  check(range(9).map(3, bytes), "map");
  check(range(9).map({.threads = 2, .ahead = 5}, bytes).prefetch(33), "map");
  check(range(9).map({.threads = 2, .chunk = 3}, bytes).named("decode").batch(4).prefetch(5), "decode");
  check(range(9).map(2, bytes).batch(4).prefetch(5).repeat(2), "map");
  check(range(9).map(bytes).named("one").batch(4).map(2, merged), "map");
  check(range(9).map(bytes).prefetch(100), "prefetch");
  check(range(9).map(bytes).batch(4).prefetch(5), "prefetch");
}

// proves: describe
TEST(Describe, KnowsWhichChunkIsABatch) {
  const auto chunk = [](const auto& data) { return stage(data.describe(), "map").chunk; };
  EXPECT_EQ(chunk(range(9).map(2, bytes)), 32U);
  EXPECT_EQ(chunk(range(9).map(2, bytes).batch(5)), 5U);
  EXPECT_EQ(chunk(range(9).map(2, bytes).padded_batch(5)), 5U);
  EXPECT_EQ(chunk(range(9).map({.threads = 2, .chunk = 3}, bytes).batch(5)), 3U);
  EXPECT_EQ(chunk(range(9).map(2, bytes).repeat(2).batch(5)), 32U) << "an end of an epoch is between them";
  EXPECT_EQ(chunk(range(9).map(2, bytes).seamless().batch(5)), 32U);
  EXPECT_EQ(chunk(range(9).map(bytes).named("one").batch(5).map(2, merged)), 1U);
}

// proves: describe
TEST(Describe, TakesWhatItIsToldForAllOfTheSameType) {
  const auto data = range(9).map(bytes).named("decode").shuffle(100).map(same);
  EXPECT_EQ(stage(data.describe(), "shuffle").bytes, 132U * sizeof(Bytes));
  EXPECT_EQ(stage(data.describe({{"decode", 5000}}), "shuffle").bytes, 132U * 5000U);
  EXPECT_EQ(stage(data.describe({{"decode", 5000}}), "loop").bytes, 2U * 5000U);
  EXPECT_EQ(stage(data.describe({{"decode", 5000}, {"map", 70}}), "loop").bytes, 2U * 70U);
  EXPECT_EQ(stage(data.batch(10).describe({{"map", 70}}), "loop").bytes, 2U * (700U + sizeof(std::vector<Bytes>)));
}

TEST(Describe, KnowsTheInputsThatAreReadAheadAndTheBuckets) {
  const auto read = range(9).interleave({.cycle = 4, .prefetch = 10}, [](int) { return Ints(9); });
  EXPECT_EQ(stage(read.describe(), "interleave").outputs, 4U * 15U);
  EXPECT_EQ(stage(read.describe(), "interleave").threads, 4U);
  const auto buckets = range(9).bucket_by_length([](int i) { return i; }, {.boundaries = {5}, .batch_sizes = {8, 4}});
  EXPECT_EQ(stage(buckets.describe(), "bucket_by_length").inputs, 12U + 32U);
  EXPECT_EQ(stage(buckets.describe(), "loop").bytes, 2U * (sizeof(Ints) + 8U * sizeof(int)));
}

// proves: describe
TEST(Describe, OfWindowsBeyondAllMemoryIsTheLargestNumber) {
  if (sizeof(std::size_t) < sizeof(std::uint64_t)) GTEST_SKIP() << "there are none";
  const std::size_t huge = std::numeric_limits<std::size_t>::max() / 2 + 1;
  const auto described = range(9).map(2, bytes).shuffle(huge).prefetch(huge).describe({{"map", huge}});
  EXPECT_EQ(stage(described, "shuffle").bytes, std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(described.bytes(), std::numeric_limits<std::uint64_t>::max());
  EXPECT_TRUE(contains(described.text(), "all "));
}

#if defined(__GLIBC__)
/// Compares the predicted memory with the maximum in use, which includes what is not predicted: an element a stage, and
/// what the library needs. The loop waits at each output until the read-ahead is complete. Each output takes `elements`
/// elements of the last stage with threads.
template <class T>
void expect_memory(const Dataset<T>& data, std::size_t elements, const Told& told) {
  const forebay::DatasetDescription described = data.describe(told);
  forebay::StageDescription last;
  for (const auto& each : described.stages) last = each.ahead > 0 ? each : last;
  const std::size_t before = bytes_alive;
  most_bytes_alive = before;
  {
    Pipeline<T> pipeline(data);
    const auto read = [&pipeline] {
      const auto stages = pipeline.statistics().stages;
      return stages[stages.size() - 2].elements;
    };
    ASSERT_TRUE(await([&] { return read() == last.ahead * last.chunk; }));
    std::uint64_t taken = 0;
    for ([[maybe_unused]] const T& output : pipeline) {
      taken += elements;
      const std::uint64_t late = (last.ahead / 4 + 2) * last.chunk;  // claims read several chunks at once
      ASSERT_TRUE(await([&] { return read() + late >= taken + last.ahead * last.chunk; }));
      if (taken > 3 * last.ahead * last.chunk) break;
    }
  }
  const auto used = static_cast<double>(most_bytes_alive - before);
  const auto told_bytes = static_cast<double>(described.bytes());
  EXPECT_GE(told_bytes, 0.95 * used) << described.text();
  EXPECT_LE(told_bytes, 1.3 * used) << described.text();
}

// proves: describe
TEST(Describe, TellsTheMemoryThatIsUsed) {
  const auto numbers = range(1'000'000);
  const Told told{{"map", bytes_each}};
  expect_memory(numbers.map(array).shuffle(1000).map(2, bytes_of).named("decode").batch(32), 32,
                {{"decode", bytes_each}});
  expect_memory(numbers.map(2, bytes).batch(32).prefetch(6), 32, told);
  expect_memory(numbers.map(2, bytes).padded_batch(32), 32, told);
  expect_memory(numbers.map(bytes).prefetch(400), 1, told);
  expect_memory(numbers.map(bytes).batch(16).prefetch(20), 1, told);
}

/// Returns the maximum memory in use during a run of `data`.
template <class T>
std::size_t most_memory_of(const Dataset<T>& data) {
  const std::size_t before = bytes_alive;
  most_bytes_alive = before;
  for ([[maybe_unused]] const T& output : data.run()) {
  }
  return most_bytes_alive - before;
}

// proves: extreme-counts
TEST(PipelineMemory, FollowsWhatIsStoredWhateverCountsAreAllowed) {
  constexpr std::size_t billion = 1'000'000'000;
  const auto numbers = range(100).filter([](int i) { return i >= 0; });
  const auto plus_one = [](int i) { return i + 1; };
  const auto twice = [](int i) { return Ints{i, i}; };
  const auto length = [](int i) { return i; };
  const Dataset<int> ints[] = {
      numbers.prefetch(billion),
      numbers.map({.threads = 2, .ahead = billion}, plus_one),
      numbers.map({.threads = 2, .order = forebay::any_order, .ahead = billion}, plus_one),
      numbers.map({.threads = 2, .chunk = billion}, plus_one),
      numbers.map(2, plus_one).prefetch(billion),
      numbers.shuffle(billion),
      numbers.interleave(billion, billion, twice),
      numbers.interleave({.cycle = 2, .prefetch = billion}, twice),
  };
  for (const auto& each : ints) EXPECT_LT(most_memory_of(each), 1'000'000U) << each.describe().text();
  const Dataset<Ints> batches[] = {
      numbers.batch(billion),
      numbers.map(2, plus_one).batch(billion).prefetch(billion),
      numbers.bucket_by_length(length, {.boundaries = {50}, .batch_sizes = {billion, billion}}),
  };
  for (const auto& each : batches) EXPECT_LT(most_memory_of(each), 1'000'000U) << each.describe().text();
}
#endif

}  // namespace
}  // namespace forebay_test
