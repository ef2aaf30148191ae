// SPDX-License-Identifier: MIT
//
// extreme_counts_test.cpp: every count of a data set with the largest numbers. Each works like a smaller one, or is
// rejected by name.

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "forebay/dataset.hpp"
#include "forebay/fifo_queue.hpp"
#include "forebay/from_queue.hpp"
#include "forebay/priority_queue.hpp"
#include "forebay/random_shuffle_queue.hpp"
#include "tests/support/await.hpp"
#include "tests/support/contains.hpp"
#include "tests/support/stages.hpp"
#include "tests/support/thrown.hpp"

namespace forebay_test {
namespace {

using forebay::any_order;
using forebay::Dataset;
using forebay::drop;
using forebay::Even;
using forebay::from_indexed;
using forebay::MapOptions;
using forebay::range;

using Ints = std::vector<int>;

constexpr std::size_t largest = std::numeric_limits<std::size_t>::max();
constexpr std::size_t large = 1000;

Ints flat(int output) { return {output}; }
Ints flat(const Ints& batch) { return batch; }
Ints flat(const forebay::PaddedBatch<int>& batch) { return {batch.values().begin(), batch.values().end()}; }
Ints flat(const forebay::PaddedBatch<Ints>& batch) { return {batch.values().begin(), batch.values().end()}; }

void append(Ints& to, const Ints& more) { to.insert(to.end(), more.begin(), more.end()); }

/// Returns the first outputs, taken in two runs. The second run resumes where the first one stopped.
template <class T>
Ints outputs(const Dataset<T>& data) {
  constexpr std::size_t most = 50;
  static_cast<void>(data.describe().text());
  Ints found;
  std::optional<std::string> checkpoint;
  const auto take = [&](std::size_t count) {
    auto run = data.run(checkpoint);
    while (found.size() < count) {
      auto output = run.next();
      if (!output) break;
      append(found, flat(*output));
    }
    static_cast<void>(run.report());
    if (data.node()->properties().cannot_resume.empty()) checkpoint = run.checkpoint();
  };
  take(most / 5);
  if (checkpoint) take(most);
  return found;
}

/// A count that is passed as a parameter. If it is rejected, the message names `parameter`.
struct Case {
  std::string name;
  std::function<Ints(std::size_t)> outputs_with;
  const char* parameter = "it is never rejected";
};

int next(int i) { return i + 1; }
bool always(int /*i*/) { return true; }
Ints three(int i) { return {i, i, i}; }
int length(int i) { return i; }
int cost(int i) { return 1 + i % 5; }
void write_row(int i, forebay::Row<int>& into) { into.component<0>() = i; }

/// A data set of three epochs that is not indexed.
Dataset<int> stream() { return range(20).filter(always).repeat(3); }
Dataset<int> epoch() { return range(20).filter(always); }

std::vector<Case> sources_and_selections() {
  using Size = std::size_t;
  return {
      {"range", [](Size n) { return outputs(range(n).take(30).map([](Size i) { return static_cast<int>(i); })); }},
      {"a shuffled range", [](Size n) { return outputs(range(n).shuffle().take(30).map([](Size) { return 1; })); }},
      {"shuffled pages of a range",
       [](Size n) { return outputs(range(n).shuffle_pages(n / 2 + 1).take(30).map([](Size) { return 1; })); }},
      {"the step of a range", [](Size n) { return outputs(range<Size>(0, 1, n).map([](Size) { return 1; })); }},
      {"from_indexed",
       [](Size n) { return outputs(from_indexed(n, [](Size i) { return static_cast<int>(i % 1000); }).take(30)); }},
      {"repeat", [](Size n) { return outputs(range(3).repeat(n)); }},
      {"repeat of repeats", [](Size n) { return outputs(range(3).repeat(n).take(2).repeat(n).repeat(n)); }},
      {"repeat with a window across epochs", [](Size n) { return outputs(range(3).repeat(n).seamless().shuffle(7)); }},
      {"repeat below a zip",
       [](Size n) {
         return outputs(zip(range(3).repeat(n), range(4).repeat(n)).map([](const std::tuple<int, int>& both) {
           return std::get<0>(both) * 10 + std::get<1>(both);
         }));
       }},
      {"repeat below a concatenate",
       [](Size n) { return outputs(range(3).concatenate(range(4).repeat(n)).repeat(n)); }},
      {"take of each epoch", [](Size n) { return outputs(epoch().take(n).repeat(2)); }},
      {"take of an indexed data set", [](Size n) { return outputs(range(20).take(n)); }},
      {"skip of an indexed data set", [](Size n) { return outputs(range(20).skip(n)); }},
      {"step_by of an indexed data set", [](Size n) { return outputs(range(20).step_by(n)); }},
      {"shard", [](Size n) { return outputs(stream().shard(3, n)); }},
      {"the last shard", [](Size n) { return outputs(stream().shard(n - 1, n)); }},
      {"shard, drop", [](Size n) { return outputs(stream().shard(3, n, Even::drop)); }},
      {"shard, repeat", [](Size n) { return outputs(stream().shard(3, n, Even::repeat)); }},
      {"shard of an indexed data set", [](Size n) { return outputs(range(20).shard(3, n)); }},
      {"shard of an indexed data set, repeat", [](Size n) { return outputs(range(5).shard(7, n, Even::repeat)); }},
      {"batches of a shard", [](Size n) { return outputs(epoch().shard(3, n).batch(2).repeat(3)); }},
      {"batches of a shard, repeat",
       [](Size n) { return outputs(epoch().shard(3, n, Even::repeat).batch(n).repeat(3)); }},
  };
}

std::vector<Case> windows_and_batches() {
  using Size = std::size_t;
  return {
      {"shuffle_pages", [](Size n) { return outputs(range(20).shuffle_pages(n)); }},
      {"shuffle across epochs", [](Size n) { return outputs(stream().seamless().shuffle(n)); }},
      {"batch", [](Size n) { return outputs(stream().batch(n)); }},
      {"batch, drop", [](Size n) { return outputs(stream().batch(n, {.remainder = drop})); }},
      {"batch across epochs", [](Size n) { return outputs(stream().seamless().batch(n)); }},
      {"batch behind threads", [](Size n) { return outputs(stream().map(2, next).batch(n)); }},
      {"batch of batches behind threads",
       [](Size n) { return outputs(stream().map(2, next).batch(n).map([](Ints&& one) { return one; }).prefetch(3)); }},
      {"batch of a queue",
       [](Size n) {
         forebay::FIFOQueue<int> queue(10);
         static_cast<void>(queue.enqueue_many(Ints{1, 2, 3}));
         queue.close();
         return outputs(forebay::from_queue(queue).batch(n));
       }},
      {"padded_batch", [](Size n) { return outputs(epoch().map(three).padded_batch(n).repeat(2)); }},
      {"padded_batch behind threads", [](Size n) { return outputs(epoch().map(2, three).padded_batch(n).repeat(2)); }},
      {"stacked_batch", [](Size n) { return outputs(stream().stacked_batch(n)); }},
      {"stacked_batch of rows", [](Size n) { return outputs(stream().stacked_batch<int>(n, 2, write_row)); }},
      {"bucket_by_length, .batch_sizes",
       [](Size n) {
         return outputs(stream().bucket_by_length(length, {.boundaries = {5}, .batch_sizes = {n, n}}));
       }},
      {"bucket_by_length, .boundaries",
       [](Size n) {
         return outputs(stream().bucket_by_length(length, {.boundaries = {5, n}, .batch_sizes = {2, 3, 4}}));
       }},
      {"bucket_by_length, .max_length",
       [](Size n) {
         return outputs(
             stream().bucket_by_length(length, {.boundaries = {5}, .batch_sizes = {2, 3}, .max_length = n}));
       }},
      {"bucket_by_length, .too_long",
       [](Size n) {
         return outputs(stream().bucket_by_length(
             length, {.boundaries = {5}, .batch_sizes = {2, 3}, .max_length = 7, .too_long = forebay::skip(n)}));
       }},
      {"batch_by_cost, .limit",
       [](Size n) { return outputs(stream().batch_by_cost(cost, {.limit = n, .too_costly_alone = true})); }},
      {"batch_by_cost, .count_times_largest",
       [](Size n) {
         return outputs(
             stream().batch_by_cost(cost, {.limit = n, .count_times_largest = true, .too_costly_alone = true}));
       }},
      {"batch_by_cost, .most_elements",
       [](Size n) { return outputs(stream().batch_by_cost(cost, {.limit = 20, .most_elements = n})); }},
      {"batch_by_cost, .sort_window",
       [](Size n) {
         return outputs(stream().batch_by_cost(cost, {.limit = 20, .sort_window = n, .shuffle_batches = false}));
       }},
      {"batch_by_cost, .too_costly",
       [](Size n) { return outputs(stream().batch_by_cost(cost, {.limit = 3, .too_costly = forebay::skip(n)})); }},
  };
}

std::vector<Case> threads_and_read_ahead() {
  using Size = std::size_t;
  const auto fails = [](int i) {
    if (i % 3 == 1) throw std::runtime_error("one that fails");
    return i;
  };
  const auto mapped = [](const MapOptions& options) { return outputs(stream().map(options, next)); };
  const auto interleaved = [](const forebay::InterleaveOptions& options) {
    return outputs(stream().interleave(options, three));
  };
  return {
      {"map, threads", [](Size n) { return outputs(stream().map(n, next)); }, "map: threads"},
      {"map, .threads", [=](Size n) { return mapped({.threads = n, .ahead = 2}); }, "map: threads"},
      {"map, .ahead", [=](Size n) { return mapped({.threads = 2, .ahead = n}); }},
      {"map, .chunk", [=](Size n) { return mapped({.threads = 2, .chunk = n}); }},
      {"map, .ahead and .chunk", [=](Size n) { return mapped({.threads = 2, .ahead = n, .chunk = n}); }},
      {"map, .ahead, where the loop is no thread",
       [=](Size n) { return mapped({.threads = 2, .ahead = n, .loop_helps = false}); }},
      {"map, .ahead, in any order",
       [=](Size n) {
         Ints found = mapped({.threads = 2, .order = any_order, .ahead = n, .chunk = 64});
         return Ints{found.empty() ? 0 : 1};
       }},
      {"map, .ahead, without threads", [=](Size n) { return mapped({.ahead = n, .chunk = n}); }},
      {"map, .on_error", [=](Size n) { return outputs(stream().map({.on_error = forebay::skip(n)}, fails)); }},
      {"map, .on_error, with threads",
       [=](Size n) { return outputs(stream().map({.threads = 2, .on_error = forebay::skip(n)}, fails)); }},
      {"flat_map, .on_error",
       [=](Size n) {
         return outputs(stream().flat_map({.on_error = forebay::skip(n)}, [=](int i) { return Ints{fails(i)}; }));
       }},
      {"from_callable, .on_error",
       [=](Size n) {
         return outputs(forebay::from_callable(
                            [=, i = 0]() mutable -> std::optional<int> {
                              if (i == 20) return std::nullopt;
                              return fails(i++);
                            },
                            {.on_error = forebay::skip(n)})
                            .repeat(2));
       }},
      {"prefetch behind a prefetch", [](Size n) { return outputs(stream().prefetch(n).prefetch(n)); }},
      {"prefetch, a little less", [](Size n) { return outputs(stream().prefetch(n - 30)); }},
      {"prefetch of batches", [](Size n) { return outputs(stream().batch(3).prefetch(n)); }},
      {"prefetch of large batches", [](Size n) { return outputs(stream().batch(n).prefetch(n)); }},
      {"prefetch behind threads", [](Size n) { return outputs(stream().map(2, next).prefetch(n)); }},
      {"prefetch behind threads and batches",
       [](Size n) { return outputs(stream().map({.threads = 2, .chunk = 2}, next).batch(n).prefetch(n)); }},
      {"prefetch behind batches that threads make",
       [](Size n) { return outputs(stream().map(2, next).batch(n).prefetch(n)); }},
      {"interleave, .cycle", [=](Size n) { return interleaved({.cycle = n}); }},
      {"interleave, .block", [=](Size n) { return interleaved({.cycle = 2, .block = n}); }},
      {"interleave, .cycle and .prefetch", [=](Size n) { return interleaved({.cycle = n, .prefetch = 2}); },
       "interleave: cycle"},
      {"interleave, .block and .prefetch",
       [=](Size n) { return interleaved({.cycle = 2, .block = n, .prefetch = 2}); }},
      {"interleave, .prefetch", [=](Size n) { return interleaved({.cycle = 2, .prefetch = n}); }},
      {"interleave, .on_error",
       [=](Size n) {
         return outputs(
             stream().interleave({.cycle = 2, .on_error = forebay::skip(n)}, [=](int i) { return Ints{fails(i)}; }));
       }},
  };
}

/// Returns all extreme counts that fit into a std::size_t.
std::vector<std::size_t> extremes() {
  std::vector<std::size_t> found{largest, largest - 1, largest / 2 + 1};
  if constexpr (sizeof(std::size_t) > 4) found.push_back(static_cast<std::size_t>(std::uint64_t{1} << 32));
  return found;
}

void expect_as_large_or_rejected(const Case& its) {
  for (const std::size_t count : extremes()) {
    SCOPED_TRACE(its.name + (" with " + std::to_string(count)));
    try {
      const Ints found = its.outputs_with(count);
      EXPECT_EQ(found, its.outputs_with(large));
    } catch (const std::invalid_argument& rejected) {
      const std::string message = rejected.what();
      EXPECT_TRUE(contains(message, its.parameter));
      EXPECT_TRUE(contains(message, std::to_string(count)));
    } catch (const std::exception& failure) {
      ADD_FAILURE() << failure.what();
    }
  }
}

// proves: extreme-counts
TEST(ExtremeCounts, OfEachStageAreCountsLikeOthers) {
  for (const auto& stage : stages_with_count<int>()) {
    expect_as_large_or_rejected({stage.name, [&](std::size_t n) { return outputs(stage.add(stream(), n)); }});
  }
}
// proves: extreme-counts
TEST(ExtremeCounts, OfSourcesAndSelectionsAreCountsLikeOthers) {
  for (const Case& each : sources_and_selections()) expect_as_large_or_rejected(each);
}
// proves: extreme-counts
TEST(ExtremeCounts, OfWindowsAndBatchesAreCountsLikeOthers) {
  for (const Case& each : windows_and_batches()) expect_as_large_or_rejected(each);
}
// proves: extreme-counts
TEST(ExtremeCounts, OfReadAheadAreCountsLikeOthersAndOfThreadsAreRejected) {
  for (const Case& each : threads_and_read_ahead()) expect_as_large_or_rejected(each);
}

/// Delays the first element until `others` more have been processed.
Dataset<int> one_slow_element(const MapOptions& options, std::size_t others) {
  auto done = std::make_shared<std::atomic<std::size_t>>(0);
  return range(static_cast<int>(others) + 1).map(options, [done, others](int i) {
    if (i == 0 && !await([&] { return *done == others; })) throw std::runtime_error("not so far ahead");
    if (i > 0) ++*done;
    return i;
  });
}

// proves: extreme-counts
TEST(ExtremeCounts, OfReadAheadKeepTheOrderOfWhatIsReadFarAhead) {
  const MapOptions options{.threads = 2, .ahead = largest, .chunk = 1, .loop_helps = false};
  int expected = 0;
  for (const int output : one_slow_element(options, 5000).run()) ASSERT_EQ(output, expected++);
  EXPECT_EQ(expected, 5001);
}

// proves: extreme-counts
TEST(ExtremeCounts, OfReadAheadLoseNothingInAnyOrder) {
  const MapOptions options{.threads = 2, .order = any_order, .ahead = largest, .chunk = 1};
  int outputs = 0;
  int ahead_of_slow = 0;
  for (const int output : one_slow_element(options, 5000).run()) {
    if (output == 0) ahead_of_slow = outputs;
    ++outputs;
  }
  EXPECT_EQ(outputs, 5001);
  EXPECT_GE(ahead_of_slow, 4999) << "all others overtake it, or all but the one that the other thread just processed";
}

// proves: extreme-counts
TEST(ExtremeWeights, OfAMixDrawAsOthersInTheSameProportion) {
  const auto mixed = [](double one, double other) {
    return outputs(forebay::mix({range(100).filter(always), range(100, 200).filter(always)}, {one, other}));
  };
  const double most = std::numeric_limits<double>::max();
  EXPECT_EQ(mixed(most, most / 4), mixed(4, 1));
  EXPECT_EQ(mixed(most / 8, most), mixed(1, 8));
  const double least = std::numeric_limits<double>::denorm_min();
  EXPECT_EQ(mixed(least, 3 * least), mixed(1, 3));
}

// proves: extreme-counts
TEST(ExtremeCounts, OfQueuesAreRejectedIfNoMemoryHasThatSize) {
  for (const std::size_t count : {largest, largest - 1, largest / 2 + 1}) {
    const std::string number = std::to_string(count);
    EXPECT_TRUE(contains(rejection([&] { return forebay::FIFOQueue<int>(count).size(); }), number));
    EXPECT_TRUE(contains(rejection([&] { return forebay::PriorityQueue<int>(count).size(); }), number));
    EXPECT_TRUE(
        contains(rejection([&] { return forebay::RandomShuffleQueue<int>({.capacity = count}).size(); }), number));
  }
  EXPECT_TRUE(contains(
      rejection([&] {
        return forebay::RandomShuffleQueue<int>({.capacity = forebay::unbounded, .min_after_dequeue = largest}).size();
      }),
      std::to_string(largest)));
}

// proves: extreme-counts
TEST(ExtremeCounts, OfWindowsAndBatchesOfQueuesAreCountsLikeOthers) {
  for (const std::size_t count : extremes()) {
    SCOPED_TRACE(count);
    forebay::RandomShuffleQueue<int> kept({.capacity = forebay::unbounded, .min_after_dequeue = count - 1});
    forebay::RandomShuffleQueue<int> drawn({.capacity = forebay::unbounded, .seed = 7, .window = count});
    for (forebay::RandomShuffleQueue<int>* const queue : {&kept, &drawn}) {
      ASSERT_EQ(queue->enqueue_many(Ints(20, 5)).count, 20U);
      EXPECT_EQ(queue->dequeue(forebay::no_wait).status(), forebay::QueueStatus::empty);
      EXPECT_EQ(queue->dequeue_many(count, forebay::no_wait).status(), forebay::QueueStatus::empty);
      queue->close();
      EXPECT_EQ(queue->dequeue_many(count).status(), forebay::QueueStatus::closed);
      EXPECT_EQ(queue->dequeue_available(count)->size(), 20U);
    }
  }
}

}  // namespace
}  // namespace forebay_test
