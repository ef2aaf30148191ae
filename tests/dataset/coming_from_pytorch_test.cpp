// SPDX-License-Identifier: MIT
//
// coming_from_pytorch_test.cpp: runs each line of examples/coming_from_pytorch.md, copied word for word (style.snippets
// compares them). Checks that each line behaves like the argument or class it replaces.

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "forebay/dataset.hpp"
#include "tests/support/numbers.hpp"
#include "tests/support/pipeline_output.hpp"

namespace forebay_test {
namespace {

using namespace std::chrono_literals;
using forebay::any_order;
using forebay::Context;
using forebay::Dataset;
using forebay::drop;
using forebay::equal;
using forebay::Even;
using forebay::from_callable;
using forebay::from_indexed;
using forebay::from_slices;
using forebay::mix;
using forebay::per_epoch;
using forebay::per_thread;
using forebay::QueueStatus;
using forebay::range;
using forebay::zip;

using Index = std::size_t;
using Indices = std::vector<Index>;
using Ints = std::vector<int>;
using Batch = std::vector<int>;
using Batches = std::vector<Batch>;

template <class Elements>
Indices sizes_of(const std::vector<Elements>& batches) {
  Indices sizes;
  for (const Elements& batch : batches) sizes.push_back(batch.size());
  return sizes;
}

// ---- Definitions for the lines: __getitem__ of a data set of 100

constexpr Index count = 100;
int load(Index index) { return static_cast<int>(index) * 2; }

// ---- Data sets

TEST(FromPyTorch, MapStyleDataset) {
  const auto dataset = from_indexed(count, load);
  EXPECT_EQ(dataset.size(), count);
  EXPECT_EQ(dataset[7], 14);
}

TEST(FromPyTorch, IterableDataset) {
  const auto lines = [n = 0]() mutable { return n < 3 ? std::optional(n++) : std::nullopt; };
  EXPECT_EQ(outputs_of(from_callable(lines)), (Ints{0, 1, 2}));
  EXPECT_EQ(outputs_of(from_callable(per_epoch([=] { return lines; })).repeat(2)), (Ints{0, 1, 2, 0, 1, 2}));
}

TEST(FromPyTorch, TensorDataset) {
  const Ints images{1, 2};
  const Ints labels{3, 4};
  EXPECT_EQ(outputs_of(from_slices(images, labels)), (std::vector<std::tuple<int, int>>{{1, 3}, {2, 4}}));
}

TEST(FromPyTorch, StackDataset) {
  EXPECT_EQ(outputs_of(zip({.lengths = equal}, range(2), range(3, 5))),
            (std::vector<std::tuple<int, int>>{{0, 3}, {1, 4}}));
}

TEST(FromPyTorch, MaxTokenBucketize) {
  const auto sentences =
      range(500).map([](Index i) { return std::string(static_cast<std::size_t>(1 + i % 40), 'a'); });
  const auto length = [](const std::string& sentence) { return sentence.size(); };
  const auto batches =
      outputs_of(sentences.batch_by_cost(length, {.limit = 100, .count_times_largest = true, .sort_window = 1'000}));
  std::size_t batched = 0;
  for (const auto& batch : batches) {
    std::size_t longest = 0;
    for (const std::string& sentence : batch) longest = std::max(longest, sentence.size());
    EXPECT_LE(batch.size() * longest, 100U);
    batched += batch.size();
  }
  EXPECT_EQ(batched, 500U);
}

TEST(FromPyTorch, Subset) {
  const Indices indices{5, 3};
  EXPECT_EQ(outputs_of(from_slices(indices).map(load)), (Ints{10, 6}));
}

TEST(FromPyTorch, ConcatDataset) {
  const auto a = range(2);
  const auto b = range(7, 9);
  EXPECT_EQ(outputs_of(a.concatenate(b)), (Ints{0, 1, 7, 8}));
}

TEST(FromPyTorch, RandomSplit) {
  const auto indices = range(count).seed(7).shuffle().collect();  // collected, so the same in each epoch
  const auto training = indices.take(80).shuffle().map(4, load);
  const auto validation = indices.skip(80).map(4, load);

  const auto epochs = outputs_of(training.repeat(2));
  const std::set<int> seen(epochs.begin(), epochs.end());
  EXPECT_EQ(seen.size(), 80U);
  for (const int element : outputs_of(validation)) EXPECT_FALSE(seen.contains(element));
}

// ---- Samplers

TEST(FromPyTorch, Shuffle) {
  const auto epochs = outputs_of(range(count).shuffle().repeat(2).map(4, load));
  const Ints first(epochs.begin(), epochs.begin() + 100);
  const Ints second(epochs.begin() + 100, epochs.end());
  EXPECT_NE(first, second);
  EXPECT_EQ(sorted(first), sorted(second));
}

TEST(FromPyTorch, Generator) {
  EXPECT_EQ(outputs_of(range(count).seed(7).shuffle()), outputs_of(range(count).seed(7).shuffle()));
  EXPECT_NE(outputs_of(range(count).seed(7).shuffle()), outputs_of(range(count).seed(8).shuffle()));
}

TEST(FromPyTorch, Sampler) {
  const auto every_third = [n = Index{0}]() mutable {
    return n < 9 ? std::optional(std::exchange(n, n + 3)) : std::nullopt;
  };
  const auto sampler = from_callable(every_third);
  EXPECT_EQ(outputs_of(sampler.map(4, load)), (Ints{0, 6, 12}));
}

TEST(FromPyTorch, SubsetRandomSampler) {
  const Indices indices{5, 3, 8};
  EXPECT_EQ(sorted(outputs_of(from_slices(indices).shuffle().map(4, load))), (Ints{6, 10, 16}));
}

TEST(FromPyTorch, RandomSamplerWithReplacement) {
  const Index num_samples = 1000;
  const auto draw = [](Index, Context& context) { return static_cast<Index>(context.draw().below(count)); };
  const auto outputs = outputs_of(range(num_samples).map(draw).map(4, load));
  EXPECT_EQ(outputs.size(), num_samples);
  EXPECT_GT(std::set(outputs.begin(), outputs.end()).size(), 90U);
}

/// Draws indices with probabilities proportional to their weights.
class Weighted {
 public:
  explicit Weighted(const std::vector<double>& weights) : sums_(weights.size()) {
    std::partial_sum(weights.begin(), weights.end(), sums_.begin());
  }

  std::size_t operator()(std::size_t /*number*/, forebay::Context& context) const {
    const double drawn = context.draw().uniform() * sums_.back();
    return static_cast<std::size_t>(std::ranges::upper_bound(sums_, drawn) - sums_.begin());
  }

 private:
  std::vector<double> sums_;
};

TEST(FromPyTorch, WeightedRandomSampler) {
  const std::vector<double> weights{3, 0, 1};
  const Index num_samples = 4000;
  const auto outputs = outputs_of(range(num_samples).map(Weighted(weights)).map(4, load));
  EXPECT_NEAR(static_cast<double>(std::ranges::count(outputs, load(0))), 3000, 150);
  EXPECT_EQ(std::ranges::count(outputs, load(1)), 0);
  EXPECT_EQ(outputs.size(), num_samples);
}

TEST(FromPyTorch, MultiNodeWeightedSampler) {
  const Dataset<int> a = range(70);
  const Dataset<int> b = range(1000, 1003);
  const auto outputs = outputs_of(mix({.restart = true}, {a, b}, {0.7, 0.3}));
  EXPECT_EQ(std::set(outputs.begin(), outputs.end()).size(), 73U);
  EXPECT_GT(outputs.size(), 80U);
}

TEST(FromPyTorch, BatchSampler) {
  const auto load_batch = [](const Indices& batch) {
    Batch loaded;
    for (const Index index : batch) loaded.push_back(load(index));
    return loaded;
  };
  const std::vector<Indices> batches{{1, 2}, {3}};
  EXPECT_EQ(outputs_of(from_slices(batches).shuffle().map(4, load_batch)).size(), 2U);
  EXPECT_EQ(outputs_of(from_slices(batches).map(4, load_batch)), (Batches{{2, 4}, {6}}));
}

TEST(FromPyTorch, DistributedSampler) {
  const Index replicas = 3;
  std::multiset<int> together;
  for (Index rank = 0; rank < replicas; ++rank) {
    const auto elements = outputs_of(range(count).seed(7).shuffle().shard(rank, replicas, Even::repeat).map(4, load));
    EXPECT_EQ(elements.size(), 34U);
    together.insert(elements.begin(), elements.end());
    EXPECT_EQ(outputs_of(range(count).seed(7).shuffle().shard(rank, replicas, Even::drop)).size(), 33U);
  }
  EXPECT_EQ(std::set(together.begin(), together.end()).size(), count) << "each element is somebody's";
}

// ---- Arguments of DataLoader

TEST(FromPyTorch, BatchSize) {
  EXPECT_EQ(sizes_of(outputs_of(range(count).map(4, load).batch(32))), (Indices{32, 32, 32, 4}));
}

TEST(FromPyTorch, DropLast) {
  EXPECT_EQ(sizes_of(outputs_of(range(count).map(4, load).batch(32, {.remainder = drop}))), (Indices{32, 32, 32}));
}

TEST(FromPyTorch, Len) {
  const Index batches = (range(count).size() + 31) / 32;
  EXPECT_EQ(batches, 4U);
}

TEST(FromPyTorch, NumWorkersOfNone) {
  EXPECT_EQ(outputs_of(range(count).map(load)), outputs_of(range(count).map(4, load)));
}

TEST(FromPyTorch, NumWorkersForALoopThatFeedsADevice) {
  const auto loaded = range(count).map({.threads = 4, .loop_helps = false}, load).batch(32);
  EXPECT_EQ(sizes_of(outputs_of(loaded)), (Indices{32, 32, 32, 4}));
}

TEST(FromPyTorch, PrefetchFactor) {
  const auto loaded = range(count).map({.threads = 4, .ahead = 8}, load).batch(32);
  EXPECT_EQ(sizes_of(outputs_of(loaded)), (Indices{32, 32, 32, 4}));
}

TEST(FromPyTorch, InOrderOfFalse) {
  const auto outputs = outputs_of(range(count).map({.threads = 4, .order = any_order}, load));
  EXPECT_EQ(sorted(outputs), outputs_of(range(count).map(load)));
}

TEST(FromPyTorch, CollateFn) {
  const auto collate = [](const Batch& batch) { return std::accumulate(batch.begin(), batch.end(), 0); };
  EXPECT_EQ(outputs_of(range(Index{3}).map(load).batch(2).map(4, collate)), (Ints{2, 4}));
}

TEST(FromPyTorch, DefaultCollate) {
  for (const auto& batch : range(Index{4}).map(load).stacked_batch(4).run()) {
    EXPECT_EQ(Ints(batch.values().begin(), batch.values().end()), (Ints{0, 2, 4, 6}));
  }
}

TEST(FromPyTorch, PadSequence) {
  const auto sequence = [](Index length) { return Ints(length, 7); };
  for (const auto& batch : range(Index{3}).map(4, sequence).padded_batch(3).run()) {
    EXPECT_EQ(Ints(batch.values().begin(), batch.values().end()), (Ints{0, 0, 7, 0, 7, 7}));
  }
}

/// Memory that a device could read. It is allocated rarely and reused.
struct Pinned {
  std::vector<int> values;
};

TEST(FromPyTorch, PinMemory) {
  const auto allocate_pinned = [] { return Pinned{Ints(32)}; };
  const auto copy = [](const Batch& batch, Pinned& into) { into.values.assign(batch.begin(), batch.end()); };
  const auto pinned = range(count).map(4, load).batch(32).map({.threads = 2, .make = allocate_pinned}, copy);
  Index elements = 0;
  for (const Pinned& batch : pinned.run()) elements += batch.values.size();
  EXPECT_EQ(elements, count);
}

TEST(FromPyTorch, Timeout) {
  auto batches = range(count).map(4, load).batch(32).run();
  const auto batch = batches.next(5s);
  EXPECT_TRUE(batch || batch.status() == QueueStatus::timed_out) << "nothing is lost: ask again";
}

TEST(FromPyTorch, WorkerInitFn) {
  const auto open_archive = [] { return [reads = 0](Index index) mutable { return ++reads, load(index); }; };
  const auto loaded = range(count).map(4, per_thread(open_archive)).batch(32);
  EXPECT_EQ(sizes_of(outputs_of(loaded)), (Indices{32, 32, 32, 4}));
}

TEST(FromPyTorch, PersistentWorkers) {
  const int epochs = 3;
  int passed = 0;
  auto batches = range(count).shuffle().repeat(epochs).map(4, load).batch(32).run();
  for (int epoch = 0; epoch < epochs; ++epoch) {
    for (const Batch& batch : batches.one_epoch()) passed += static_cast<int>(batch.size());
  }
  EXPECT_EQ(passed, 300);
}

TEST(FromPyTorch, RandomNumbersOfATransform) {
  const auto augment = [](Index index, Context& context) {
    return load(index) + (context.draw().uniform() < 0.5 ? 1 : 0);
  };
  EXPECT_EQ(outputs_of(range(count).map(4, augment)), outputs_of(range(count).map(1, augment)));
}

}  // namespace
}  // namespace forebay_test
