// SPDX-License-Identifier: MIT
//
// left_out_test.cpp: the statistics of a pipeline count each element that its stages leave out once, whatever threads
// run the stages.

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <ostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "forebay/dataset.hpp"
#include "tests/support/contains.hpp"

namespace forebay_test {
namespace {

using forebay::Dataset;
using forebay::drop;
using forebay::MapOptions;
using forebay::PipelineStatistics;
using forebay::Position;
using forebay::range;
using forebay::redirect;
using forebay::skip;
using forebay::StageStatistics;

using Ints = std::vector<int>;

bool is_odd(int i) { return i % 2 == 1; }
int same(int i) { return i; }

/// Throws for 3, 103, 203 ...
int truncated(int i) { return i % 100 == 3 ? throw std::runtime_error("truncated") : i; }

/// Returns the entry with the given name.
StageStatistics entry(const PipelineStatistics& statistics, const std::string& name) {
  if (name == "loop") return statistics.loop;
  for (const StageStatistics& stage : statistics.stages) {
    if (stage.name == name) return stage;
  }
  ADD_FAILURE() << "there is no " << name;
  return {};
}

/// Returns the statistics of a run that has ended.
template <class T>
PipelineStatistics statistics_of(const Dataset<T>& data) {
  auto pipeline = data.run();
  while (pipeline.next()) continue;
  return pipeline.statistics();
}

struct Counts {
  std::uint64_t failed;
  std::uint64_t left_out;
  friend bool operator==(const Counts&, const Counts&) = default;
};
std::ostream& operator<<(std::ostream& out, const Counts& counts) {
  return out << counts.failed << " failed, " << counts.left_out << " left out";
}

Counts counts_of(const StageStatistics& stage) { return {stage.failed, stage.left_out}; }

/// Returns the sums over all entries.
Counts all_of(const PipelineStatistics& statistics) {
  Counts sum = counts_of(statistics.loop);
  for (const StageStatistics& stage : statistics.stages) {
    sum.failed += stage.failed;
    sum.left_out += stage.left_out;
  }
  return sum;
}

/// Expects these counts of a run of `data` and of the same data with threads and reads ahead at several places.
template <class T>
void expect_counts(const Dataset<T>& data, const Counts& expected) {
  const auto map = [](T element) { return element; };
  EXPECT_EQ(all_of(statistics_of(data)), expected) << "in the thread of the loop";
  EXPECT_EQ(all_of(statistics_of(data.prefetch(10))), expected) << "upstream of a prefetch";
  EXPECT_EQ(all_of(statistics_of(data.map({.threads = 2}, map))), expected) << "upstream of a map";
  EXPECT_EQ(all_of(statistics_of(data.map({.threads = 2}, map).prefetch(5).map({.threads = 3}, map))), expected)
      << "upstream of two maps";
}

// ---- What is counted

// proves: left-out
TEST(LeftOut, CountsWhatAFilterRejects) {
  expect_counts(range(501).map(same).filter(is_odd), {0, 251});
  expect_counts(range(501).map({.threads = 2}, same).filter(is_odd), {0, 251});
  expect_counts(range(501).map(same).filter([](int) { return true; }), {0, 0});
}

// proves: left-out
TEST(LeftOut, CountsTheFailuresOfAMap) {
  for (const std::size_t threads : {1U, 2U}) {
    const MapOptions options{.threads = threads, .chunk = 7, .on_error = skip(5)};
    expect_counts(range(501).map(options, truncated), {5, 0});
    expect_counts(range(501).map(options, truncated).repeat(2), {10, 0});
  }
}

// proves: left-out
TEST(LeftOut, CountsRedirectedFailures) {
  std::size_t redirected = 0;
  const auto note = [&redirected](Position, const std::exception_ptr&) { ++redirected; };
  const auto data = range(501).map({.threads = 2, .on_error = redirect(note)}, truncated);
  EXPECT_EQ(all_of(statistics_of(data)), (Counts{5, 0}));
  EXPECT_EQ(redirected, 5U);
}

// proves: left-out
TEST(LeftOut, DoesNotCountAFailureThatTheLoopReceives) {
  const auto run = [](const forebay::OnError& on_error) {
    auto pipeline = range(501).map({.threads = 2, .on_error = on_error}, truncated).run();
    EXPECT_THROW(while (pipeline.next()) continue, forebay::DatasetError);
    return all_of(pipeline.statistics());
  };
  EXPECT_EQ(run({}), (Counts{0, 0}));
  EXPECT_EQ(run(skip(2)), (Counts{2, 0}));
  EXPECT_EQ(run(redirect([](Position position, const std::exception_ptr&) {
              if (position.number > 100) throw std::runtime_error("the function of redirect");
            })),
            (Counts{1, 0}));
}

// proves: left-out
TEST(LeftOut, CountsTheRemaindersOfBatchesInEachEpoch) {
  const auto numbers = range(50).map(same).repeat(3);
  expect_counts(numbers.batch(8, {.remainder = drop}), {0, 3 * 2});
  expect_counts(numbers.batch(10, {.remainder = drop}), {0, 0});
  expect_counts(numbers.batch(8), {0, 0});
  expect_counts(range(50).map({.threads = 2}, same).repeat(3).batch(8, {.remainder = drop}), {0, 3 * 2});
  expect_counts(range(50).map({.threads = 2}, same).batch(8, {.remainder = drop}).repeat(3), {0, 3 * 2});
}

// proves: left-out
TEST(LeftOut, CountsTheRemaindersOfBuckets) {
  const forebay::BucketOptions options{.boundaries = {25}, .batch_sizes = {8, 7}, .remainder = drop};
  const auto numbers = range(50).map(same).repeat(3);
  expect_counts(numbers.bucket_by_length([](int i) { return i; }, options), {0, 3 * (25 % 8 + 25 % 7)});
}

// proves: left-out
TEST(LeftOut, CountsRemaindersAndElementsThatAreTooCostlyOfBatchesByCost) {
  const auto numbers = range(1, 51).map(same).repeat(3);
  const auto one = [](int) { return 1; };
  expect_counts(numbers.batch_by_cost(one, {.limit = 8, .remainder = drop}), {0, 3 * (50 % 8)});
  expect_counts(numbers.batch_by_cost(one, {.limit = 8, .sort_window = 20, .remainder = drop}), {0, 3 * (50 % 8)});
  expect_counts(numbers.batch_by_cost([](int i) { return i; }, {.limit = 46, .too_costly = skip(100)}), {3 * 4, 0});
}

// proves: left-out
TEST(LeftOut, CountsElementsThatAreTooLongForAllBuckets) {
  const forebay::BucketOptions options{
      .boundaries = {25}, .batch_sizes = {8, 8}, .max_length = 45, .too_long = skip(100)};
  const auto numbers = range(50).map(same);
  expect_counts(numbers.bucket_by_length([](int i) { return i; }, options), {4, 0});
}

// proves: left-out
TEST(LeftOut, CountsWhatASourceCannotRead) {
  const auto counter = [i = 0]() mutable -> std::optional<int> {
    if (i == 500) return std::nullopt;
    return truncated(i++ == 3 ? 3 : 0);
  };
  const auto read = [&] { return forebay::from_callable(counter, {.on_error = skip(1)}); };
  EXPECT_EQ(all_of(statistics_of(read())), (Counts{1, 0}));
  EXPECT_EQ(all_of(statistics_of(read().map(2, same))), (Counts{1, 0}));
}

// ---- Stages with several inputs

/// The inputs that cannot be opened, and the inner data sets that leave elements out.
Dataset<int> inner(int i) {
  if (i == 5) throw std::runtime_error("gone");
  return range(10).map({.on_error = skip(2)}, [i](int j) { return i == 2 ? truncated(j) : j; }).filter(is_odd);
}

// proves: left-out
TEST(LeftOut, CountsTheInputsOfAFlatMapAndWhatTheyLeaveOut) {
  const std::uint64_t filtered = 8 * 5;
  expect_counts(range(9).flat_map({.on_error = skip(1)}, inner), {2, filtered});
}

// proves: left-out
TEST(LeftOut, CountsTheInputsOfAnInterleaveAndWhatTheyLeaveOut) {
  const std::uint64_t filtered = 8 * 5;
  expect_counts(range(9).interleave({.cycle = 3, .on_error = skip(1)}, inner), {2, filtered});
  expect_counts(range(9).interleave({.cycle = 3, .prefetch = 4, .on_error = skip(1)}, inner), {2, filtered});
  expect_counts(
      range(18).filter(is_odd).interleave({.cycle = 3, .prefetch = 4}, [](std::int64_t) { return range(2); }), {0, 9});
}

// proves: left-out
TEST(LeftOut, CountsInAllBranches) {
  const auto odd = range(100).map(same).filter(is_odd);
  const auto decoded = range(100).map({.threads = 2, .on_error = skip(1)}, truncated);
  expect_counts(odd.concatenate(decoded), {1, 50});
  expect_counts(zip(odd, odd), {0, 100});
  const auto second_half = range(100).map(same).filter([](int i) { return i >= 50; });
  expect_counts(forebay::mix({second_half, second_half}, {0.5, 0.5}), {0, 100});
}

/// Adds up the passes that each entry has counted.
std::vector<std::uint64_t> passes_of(const forebay::PipelineStatistics& statistics) {
  std::vector<std::uint64_t> passes = statistics.loop.passes;
  for (const auto& stage : statistics.stages) passes.insert(passes.end(), stage.passes.begin(), stage.passes.end());
  return passes;
}

TEST(PassesOfAMix, AreCountedForEachInputInOneEntry) {
  using Passes = std::vector<std::uint64_t>;
  const auto mixed = forebay::mix({.restart = true}, {range(3), range(50), range(7)}, {0, 1, 1});
  for (const auto& data : {mixed, mixed.prefetch(2), mixed.map(2, same).batch(2).unbatch()}) {
    auto pipeline = data.repeat(2).run();
    const auto begun = pipeline.statistics();  // threads may have begun to read
    while (pipeline.next()) continue;
    const auto passes = passes_of(pipeline.statistics());
    ASSERT_EQ(passes.size(), 3U);
    EXPECT_EQ(passes[0], 0U);
    EXPECT_EQ(passes[1], 2U);  // one in each epoch
    EXPECT_GE(passes[2], 8U);
    const auto before = passes_of(begun);
    const auto since = passes_of(pipeline.statistics().since(begun));
    for (std::size_t i = 0; i < passes.size(); ++i) EXPECT_EQ(before[i] + since[i], passes[i]);
    EXPECT_EQ(passes_of(pipeline.statistics().since(pipeline.statistics())), Passes(3, 0));
  }
  auto pipeline = forebay::mix({range(3), range(3)}, {1, 1}).run();
  while (pipeline.next()) continue;
  EXPECT_EQ(passes_of(pipeline.statistics()), Passes());
}

// ---- Where it is counted

// proves: left-out
TEST(LeftOut, IsCountedByTheStageWithThreadsThatRunsTheFilter) {
  const auto data = range(501).filter(is_odd).map({.threads = 2, .on_error = skip(5)}, truncated).named("decode");
  const PipelineStatistics statistics = statistics_of(data.batch(32, {.remainder = drop}));
  EXPECT_EQ(counts_of(entry(statistics, "before decode")), (Counts{0, 251}));
  EXPECT_EQ(counts_of(entry(statistics, "decode")), (Counts{5, 0}));
  EXPECT_EQ(counts_of(entry(statistics, "loop")), (Counts{0, 245 % 32}));
}

// proves: left-out
TEST(LeftOut, IsCountedByTheLoopDownstreamOfTheLastStageWithThreads) {
  const auto mapped = range(9).map({.threads = 2}, same);
  EXPECT_EQ(counts_of(statistics_of(mapped.flat_map({.on_error = skip(1)}, inner)).loop), (Counts{2, 8 * 5}));
  EXPECT_EQ(counts_of(statistics_of(mapped.map({.on_error = skip(1)}, truncated)).loop), (Counts{1, 0}));
  EXPECT_EQ(counts_of(statistics_of(mapped.filter(is_odd)).loop), (Counts{0, 5}));
  EXPECT_EQ(counts_of(statistics_of(mapped.batch(4, {.remainder = drop})).loop), (Counts{0, 1}));
  const auto read = range(9).interleave({.cycle = 2, .prefetch = 2}, [](int) { return range(2); });
  EXPECT_EQ(counts_of(statistics_of(read.filter(is_odd)).loop), (Counts{0, 9}));
}

// proves: left-out
TEST(LeftOut, IsCountedByThePrefetchThatRunsTheFilter) {
  const PipelineStatistics statistics = statistics_of(range(501).map(same).filter(is_odd).prefetch(4));
  EXPECT_EQ(counts_of(entry(statistics, "before prefetch")), (Counts{0, 251}));
  EXPECT_EQ(all_of(statistics), (Counts{0, 251})) << "and by nothing else";
}

// proves: left-out
TEST(LeftOut, IsCountedByAllStagesIfThereAreNoThreads) {
  const PipelineStatistics statistics = statistics_of(range(501).filter(is_odd));
  EXPECT_EQ(counts_of(entry(statistics, "all stages")), (Counts{0, 251}));
  EXPECT_EQ(counts_of(statistics.loop), (Counts{0, 0}));
}

// proves: left-out
TEST(LeftOut, IsCountedByTheInterleaveWhoseThreadsReadTheInputs) {
  const auto data = range(18).filter(is_odd).map(same).interleave({.cycle = 3, .prefetch = 4, .on_error = skip(1)},
                                                                  [](int i) { return inner(i); });
  const PipelineStatistics statistics = statistics_of(data);
  EXPECT_EQ(counts_of(entry(statistics, "before interleave")), (Counts{0, 9}));
  EXPECT_EQ(counts_of(entry(statistics, "interleave")), (Counts{1, 8 * 5}));
}

// ---- The first failure, differences and reports

// proves: left-out
TEST(LeftOut, NamesTheFirstFailure) {
  for (const std::size_t threads : {1U, 4U}) {
    const auto data = range(501).map({.threads = threads, .chunk = 1, .on_error = skip(5)}, truncated).named("decode");
    const PipelineStatistics statistics = statistics_of(data.prefetch(50));
    const StageStatistics& stage = threads == 1 ? statistics.stages.front() : statistics.stages.back();
    EXPECT_EQ(stage.first_failure, "decode, epoch 0, number 3: truncated");
  }
}

// proves: pipeline-statistics
TEST(LeftOut, IsNeverNegativeInADifference) {
  auto pipeline = range(400).map({.threads = 2, .ahead = 100, .on_error = skip(4)}, truncated).run();
  PipelineStatistics earlier = pipeline.statistics();
  while (pipeline.next()) {
    const PipelineStatistics now = pipeline.statistics();
    const StageStatistics since = now.since(earlier).stages.back();
    EXPECT_LE(since.elements, 400U);
    EXPECT_LE(since.failed, 4U);
    earlier = now;
  }
}

// proves: left-out
TEST(LeftOut, IsShownInTheReportAndInTheMetrics) {
  const auto data = range(501).filter(is_odd).map({.threads = 2, .on_error = skip(5)}, truncated).named("decode");
  auto pipeline = data.run();
  while (pipeline.next()) continue;
  EXPECT_TRUE(contains(pipeline.report(),
                       "\n\nbefore decode: 251 left out\n"
                       "decode: 245 of 250 elements; 5 failed, first: decode, epoch 0, number 3: truncated\n"));
  std::ostringstream metrics;
  pipeline.write_metrics(metrics);
  EXPECT_TRUE(contains(metrics.str(), "forebay_stage_failed_total{stage=\"decode\",place=\"1\"} 5\n"));
  EXPECT_TRUE(contains(metrics.str(), "forebay_stage_left_out_total{stage=\"before decode\",place=\"0\"} 251\n"));
}

}  // namespace
}  // namespace forebay_test
