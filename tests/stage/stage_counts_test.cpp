// SPDX-License-Identifier: MIT
//
// stage_counts_test.cpp: each count of a stage, of a source or of their options is rejected by its name if it is
// impossible.

#include <gtest/gtest.h>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include "forebay/dataset.hpp"
#include "tests/support/stages.hpp"
#include "tests/support/thrown.hpp"

namespace forebay_test {
namespace {

using forebay::BucketOptions;
using forebay::CostOptions;
using forebay::range;

using Ints = std::vector<int>;

int same(int i) { return i; }
bool keeps(int /*i*/) { return true; }
Ints one(int i) { return {i}; }

/// Expects that `call(count)` names the parameter when it rejects a count less than `least`.
template <class Call>
void expect_that_it_names(const std::string& parameter, int least, Call call) {
  const std::string expected = "forebay: " + parameter + " must be at least " + std::to_string(least) + ", not ";
  EXPECT_EQ(rejection([&] { return call(-1); }), expected + "-1");
  if (least == 0) return;
  EXPECT_EQ(rejection([&] { return call(0); }), expected + "0");
}

// proves: impossible-setting
TEST(ImpossibleCount, OfAStageIsRejectedByItsName) {
  const auto read = range(3).filter(keeps);  // not indexed
  for (const auto& stage : stages_with_count<int>()) {
    expect_that_it_names(stage.name + ": " + stage.parameter, stage.least, [&](int n) { return stage.add(read, n); });
  }
  expect_that_it_names("shard: index", 0, [&](int n) { return read.shard(n, 1); });
  expect_that_it_names("shard: count", 1, [&](int n) { return read.shard(0, n, forebay::Even::drop); });
  expect_that_it_names("map: threads", 1, [&](int n) { return read.map(n, same); });
  expect_that_it_names("interleave: cycle", 1, [&](int n) { return read.interleave(n, 1, one); });
  expect_that_it_names("interleave: block", 1, [&](int n) { return read.interleave(1, n, one); });
  expect_that_it_names("padded_batch: size", 1, [&](int n) { return read.map(one).padded_batch(n); });
  expect_that_it_names("stacked_batch: size", 1, [&](int n) { return read.stacked_batch(n); });
}

// proves: impossible-setting
TEST(ImpossibleCount, OfAnIndexedDatasetIsRejectedByItsName) {
  expect_that_it_names("from_indexed: count", 0, [](int n) { return forebay::from_indexed(n, keeps); });
  expect_that_it_names("operator[]: place", 0, [](int n) { return range(3)[n]; });
  expect_that_it_names("take: count", 0, [](int n) { return range(3).take(n); });
  expect_that_it_names("skip: count", 0, [](int n) { return range(3).skip(n); });
  expect_that_it_names("step_by: step", 1, [](int n) { return range(3).step_by(n); });
  expect_that_it_names("shuffle_pages: page", 1, [](int n) { return range(3).shuffle_pages(n); });
  expect_that_it_names("shard: index", 0, [](int n) { return range(3).shard(n, 1); });
  expect_that_it_names("shard: count", 1, [](int n) { return range(3).shard(0, n, forebay::Even::drop); });
}

// proves: impossible-setting
TEST(ImpossibleCount, InOptionsIsRejectedByItsName) {
  const auto buckets = [](const BucketOptions& options) { return range(3).bucket_by_length(same, options); };
  expect_that_it_names("map: threads", 1, [](int n) { return range(3).map({.threads = n}, same); });
  expect_that_it_names("map: ahead", 1, [](int n) { return range(3).map({.ahead = n}, same); });
  expect_that_it_names("map: chunk", 1, [](int n) { return range(3).map({.chunk = n}, same); });
  expect_that_it_names("interleave: cycle", 1, [](int n) { return range(3).interleave({.cycle = n}, one); });
  expect_that_it_names("interleave: block", 1, [](int n) { return range(3).interleave({.block = n}, one); });
  expect_that_it_names("interleave: prefetch", 1, [](int n) { return range(3).interleave({.prefetch = n}, one); });
  expect_that_it_names("skip: limit", 0, [](int n) { return forebay::skip(n).limit().has_value(); });
  expect_that_it_names("bucket_by_length: each of boundaries", 0, [&](int n) {
    return buckets({.boundaries = {n}, .batch_sizes = {1, 1}});
  });
  expect_that_it_names("bucket_by_length: each of batch_sizes", 1, [&](int n) {
    return buckets({.boundaries = {1}, .batch_sizes = Ints{1, n}});
  });
  expect_that_it_names("bucket_by_length: max_length", 0,
                       [&](int n) { return buckets({.batch_sizes = {1}, .max_length = n}); });
  const auto costs = [](const CostOptions& options) { return range(3).batch_by_cost(same, options); };
  expect_that_it_names("batch_by_cost: limit", 1, [&](int n) { return costs({.limit = n}); });
  expect_that_it_names("batch_by_cost: most_elements", 1,
                       [&](int n) { return costs({.limit = 1, .most_elements = n}); });
  expect_that_it_names("batch_by_cost: sort_window", 0, [&](int n) { return costs({.limit = 1, .sort_window = n}); });
}

// proves: impossible-setting
TEST(ImpossibleCount, OutsideOfStagesIsRejectedByItsName) {
  expect_that_it_names("describe: bytes", 0, [](int n) { return range(3).describe({{"range", n}}); });
  expect_that_it_names("stop_at_step: steps", 0, [](int n) { return forebay::stop_at_step(n); });
  expect_that_it_names("every_n_steps: steps", 1,
                       [](int n) { return forebay::every_n_steps(n, [](forebay::MonitoredSession&) {}); });
}

}  // namespace
}  // namespace forebay_test
