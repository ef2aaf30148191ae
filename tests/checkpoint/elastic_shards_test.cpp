// SPDX-License-Identifier: MIT
//
// elastic_shards_test.cpp: a checkpoint of one shard resumes with any other number of shards. From the saved position
// on, each delivers exactly the batches of an uninterrupted run.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "forebay/base/random_bits.hpp"
#include "forebay/dataset.hpp"
#include "tests/support/described_data.hpp"
#include "tests/support/iterations.hpp"

namespace forebay_test {
namespace {

using forebay::BatchOptions;
using forebay::Context;
using forebay::Even;
using forebay::Position;
using forebay::range;
using forebay::detail::RandomBits;

using Batch = std::vector<Number>;
using Batches = Dataset<Batch>;

struct Rank {
  std::size_t index;
  std::size_t count;
};

/// How many epochs of a random description are read, also if its repeat is endless.
constexpr std::uint64_t epochs = 3;

struct SeekingReader {
  std::optional<Number> operator()() { return next < count ? std::optional(next++) : std::nullopt; }
  [[nodiscard]] Number cursor() const { return next; }
  void seek(Number cursor) { next = cursor; }

  Number count;
  Number next = 0;
};

struct SkippingReader : SeekingReader {
  Number skip(Number wanted) {
    const Number skipped = std::min(wanted, count - next);
    next += skipped;
    return skipped;
  }
};

Number drawing(Number number, Context& context) { return number * 1000 + context.draw().below(1000); }
bool most(Number number) { return number % 5 != 3; }
bool none_excluded(Number /*number*/) { return true; }

/// The random choices of a description, except the number of shards and the settings that must not affect outputs.
struct Choices {
  explicit Choices(RandomBits& bits)
      : source(bits.below(13)),
        size(bits.below(4) == 0 ? 13 + bits.below(100) : 13 + bits.below(30)),
        even(static_cast<int>(bits.below(3))),
        upstream_of_batch{bits.below(7), bits.below(7)},
        downstream_of_batch{bits.below(6), bits.below(6)},
        drops(bits.below(2) == 0),
        global_batch(bits.below(2) == 0 ? 12 : 4) {
    constexpr Number enough = 20;  // so that no epoch of an endless repeat is empty
    if (size < enough) std::replace(upstream_of_batch.begin(), upstream_of_batch.end(), 4U, 3U);
    if (size < enough) std::replace(downstream_of_batch.begin(), downstream_of_batch.end(), 4U, 3U);
  }

  [[nodiscard]] std::vector<std::size_t> counts_of_shards() const {
    return global_batch == 12 ? std::vector<std::size_t>{1, 2, 3, 4, 6} : std::vector<std::size_t>{1, 2, 4};
  }

  std::uint64_t source;
  Number size;
  int even;
  std::vector<std::uint64_t> upstream_of_batch;
  std::vector<std::uint64_t> downstream_of_batch;
  bool drops;
  std::size_t global_batch;
};

Settings random_settings(RandomBits& bits) {
  return {std::size_t{1} + bits.below(3), 1 + bits.below(6), bits.below(7), bits.below(2) == 0, bits.below(4) == 0};
}

Data sharded(const auto& data, Rank rank, int even) {
  if (even == 0) return data.shard(rank.index, rank.count);
  return data.shard(rank.index, rank.count, even == 1 ? Even::drop : Even::repeat);
}

Data shard_of_source(const Choices& choices, Rank rank, const Settings& settings) {
  const auto shard = [&](const auto& data) { return sharded(data, rank, choices.even); };
  const auto numbers = range<Number>(0, choices.size);
  switch (choices.source) {
    case 0: return shard(numbers);
    case 1: return shard(numbers.shuffle());
    case 2: return shard(numbers.filter(most));
    case 3: return shard(forebay::from_callable(SeekingReader{choices.size}));
    case 4: return shard(forebay::from_callable(SkippingReader{{choices.size}}));
    case 5: return shard(numbers.shuffle(5));
    case 6: return shard(numbers.repeat(2).seamless().shuffle(3));
    case 7: return shard(numbers.filter(most).map(settings.options(), drawing));
    case 8: return shard(numbers.batch(3).unbatch());
    case 9: return shard(numbers.filter(none_excluded).prefetch(3));
    case 10: return shard(numbers.concatenate(numbers.shuffle(4)));
    case 11: return shard(numbers.shuffle_pages(4));
    default: return shard(numbers.shuffle().filter(most).repeat(2));
  }
}

template <class T>
Dataset<T> with_stage(const Dataset<T>& data, std::uint64_t kind, const Settings& settings) {
  using Function = std::function<T(T)>;
  const Function same = [settings](T value) {
    settings.delay(1);
    return value;
  };
  switch (kind) {
    case 0: return data.map(same);
    case 1: return data.map(settings.options(), same);
    case 2: return data.prefetch(1 + settings.ahead);
    case 3: return data.repeat(2);
    case 4: return data.repeat();
    default: return data;
  }
}

Batches described(const Choices& choices, Rank rank, const Settings& settings) {
  Data data = shard_of_source(choices, rank, settings);
  for (const std::uint64_t kind : choices.upstream_of_batch) {
    data = kind == 6 ? Data(data.map(settings.options(), drawing)) : with_stage(data, kind, settings);
  }
  const auto remainder = choices.drops ? BatchOptions{.remainder = forebay::drop} : BatchOptions{};
  Batches batches = data.batch(choices.global_batch / rank.count, remainder);
  for (const std::uint64_t kind : choices.downstream_of_batch) batches = with_stage(batches, kind, settings);
  return batches;
}

struct Output {
  Position position;
  Batch batch;

  friend bool operator==(const Output&, const Output&) = default;
  friend std::ostream& operator<<(std::ostream& to, const Output& output) {
    return to << output.position.epoch << '.' << output.position.number << ": "
              << testing::PrintToString(output.batch);
  }
};
using Outputs = std::vector<Output>;

/// Takes `most` outputs and appends them to `to`. Returns false if there are fewer.
template <class Pipeline>
bool take(Pipeline& pipeline, std::size_t most, Outputs& to) {
  for (std::size_t taken = 0; taken < most; ++taken) {
    auto batch = pipeline.next();
    if (!batch) return false;
    const Position behind = pipeline.position();
    if (behind.epoch >= epochs) return false;
    to.push_back({{behind.epoch, behind.number - 1}, std::move(*batch)});
  }
  return true;
}

Outputs outputs_of(const Batches& data, const std::optional<std::string>& checkpoint = {}) {
  Outputs outputs;
  auto pipeline = data.run(checkpoint);
  take(pipeline, 10'000, outputs);
  return outputs;
}

Outputs from_position(const Outputs& all, Position first) {
  const auto is_before = [](const Output& output, Position position) {
    return std::tie(output.position.epoch, output.position.number) < std::tie(position.epoch, position.number);
  };
  return Outputs(std::lower_bound(all.begin(), all.end(), first, is_before), all.end());
}

/// Runs a shard, stops it anywhere, and resumes as any shard of any number of shards, `resumes` times.
void expect_exact_resumes(const Choices& choices, std::size_t resumes, RandomBits& bits) {
  const std::vector<std::size_t> counts = choices.counts_of_shards();
  std::optional<std::string> checkpoint;
  Position position;
  for (std::size_t i = 0; i <= resumes; ++i) {
    const std::size_t count = counts[bits.below(counts.size())];
    const Rank rank{static_cast<std::size_t>(bits.below(count)), count};
    const Outputs expected = from_position(outputs_of(described(choices, rank, random_settings(bits))), position);
    SCOPED_TRACE("shard " + std::to_string(rank.index) + " of " + std::to_string(count) + " after " +
                 checkpoint.value_or("nothing"));
    const Batches data = described(choices, rank, random_settings(bits));
    ASSERT_NO_THROW(ASSERT_EQ(outputs_of(data, checkpoint), expected));
    auto pipeline = data.run(checkpoint);
    EXPECT_EQ(pipeline.position(), position);
    Outputs outputs;
    take(pipeline, bits.below(2 + expected.size()), outputs);
    checkpoint = pipeline.checkpoint();
    position = pipeline.position();
    if (position.epoch >= epochs) return;
  }
}

// proves: checkpoint
TEST(ElasticShards, ResumeExactlyWithAnyOtherNumberOfThem) {
  RandomBits bits(17);
  for (int number = 0; number < iterations(400); ++number) {
    const Choices choices(bits);
    const Batches whole = described(choices, {0, 1}, one_thread);
    if (!whole.node()->properties().is_elastic()) continue;
    SCOPED_TRACE(std::to_string(number) + ": " + whole.node()->properties().description);
    expect_exact_resumes(choices, 1 + bits.below(3), bits);
    ASSERT_FALSE(testing::Test::HasFailure());
  }
}

// ---- Cases that the random test found

/// Returns the outputs of each shard of `make(shard)`, from `checkpoint` on.
template <class Make>
std::vector<Outputs> shards_of(const Make& make, std::size_t count,
                               const std::optional<std::string>& checkpoint = {}) {
  std::vector<Outputs> outputs;
  for (std::size_t index = 0; index < count; ++index) outputs.push_back(outputs_of(make({index, count}), checkpoint));
  return outputs;
}

/// Returns the checkpoints of shard 0 of `count` after 0, 1, 2, ... batches.
template <class Make>
std::vector<std::string> checkpoints_of(const Make& make, std::size_t count) {
  std::vector<std::string> checkpoints;
  auto pipeline = make({0, count}).run();
  do checkpoints.push_back(pipeline.checkpoint());
  while (pipeline.next() && pipeline.position().epoch < epochs);
  return checkpoints;
}

/// Expects that a checkpoint taken with any number of shards resumes with any other. `make` makes a shard.
template <class Make>
void expect_elastic(const Make& make) {
  for (const std::size_t before : {1U, 2U, 4U}) {
    for (const std::string& checkpoint : checkpoints_of(make, before)) {
      const Position position = make({0, before}).run(checkpoint).position();
      for (const std::size_t after : {1U, 2U, 4U}) {
        std::vector<Outputs> expected = shards_of(make, after);
        for (Outputs& each : expected) each = from_position(each, position);
        ASSERT_EQ(shards_of(make, after, checkpoint), expected) << "with " << after << " shards from " << checkpoint;
      }
    }
  }
}

// proves: checkpoint
TEST(ElasticShards, ResumeBelowAnEndlessRepeat) {
  expect_elastic([](Rank rank) {
    const Data shard = range<Number>(0, 22).filter(none_excluded).shard(rank.index, rank.count, Even::repeat);
    return shard.repeat().batch(4 / rank.count);
  });
}

// proves: checkpoint
TEST(ElasticShards, ResumeBehindAShortLastBatch) {
  for (const Number size : {17U, 18U, 19U, 20U}) {
    expect_elastic([size](Rank rank) {
      const Data shard = range<Number>(0, size).filter(none_excluded).shard(rank.index, rank.count);
      return shard.map(drawing).repeat(2).batch(8 / rank.count);
    });
  }
}

// proves: checkpoint
TEST(ElasticShards, ResumeFromACheckpointThatIsSavedAtOnceBySomeOtherNumberOfThem) {
  const auto make = [](Rank rank) {
    return range<Number>(0, 41).filter(most).shard(rank.index, rank.count).prefetch(2).batch(12 / rank.count);
  };
  for (const std::string& first : checkpoints_of(make, 4)) {
    const std::string second = make({2, 3}).run(first).checkpoint();
    const auto expected = from_position(outputs_of(make({5, 6})), make({5, 6}).run(first).position());
    EXPECT_EQ(outputs_of(make({5, 6}), second), expected) << first;
  }
}

// proves: checkpoint
TEST(ElasticShards, CallNoFunctionForBatchesThatWereDelivered) {
  std::atomic<Number> calls{0};
  const auto make = [&calls](Rank rank) {
    const Data shard = range<Number>(0, 48).filter(none_excluded).shard(rank.index, rank.count, Even::repeat);
    return shard.map([&calls](Number number) { return ++calls, number; }).batch(8 / rank.count);
  };
  const std::string checkpoint = checkpoints_of(make, 4)[5];
  calls = 0;
  EXPECT_EQ(outputs_of(make({1, 2}), checkpoint), (Outputs{{{0, 5}, {41, 43, 45, 47}}}));
  EXPECT_EQ(calls, 4U);
}

}  // namespace
}  // namespace forebay_test
