// SPDX-License-Identifier: MIT
//
// described_memory_test.cpp: a run never holds more elements than describe() says.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "forebay/dataset.hpp"
#include "forebay/dataset_options.hpp"
#include "forebay/pipeline.hpp"
#include "forebay/sources.hpp"

namespace forebay_test {
namespace {

using forebay::Dataset;
using forebay::Pipeline;
using forebay::range;

std::atomic<int> held = 0;
std::atomic<int> most_held = 0;

/// A number with memory that its move passes on, counted in `held`.
class Counted {
 public:
  Counted() = default;
  explicit Counted(int number) : number_(number) { hold(true); }
  Counted(const Counted& other) : number_(other.number_) { hold(other.holds_); }
  Counted(Counted&& other) noexcept : number_(other.number_) {
    hold(other.holds_);
    other.hold(false);
  }
  Counted& operator=(const Counted& other) {
    number_ = other.number_;
    hold(other.holds_);
    return *this;
  }
  Counted& operator=(Counted&& other) noexcept {
    const bool holds = other.holds_;
    other.hold(false);
    number_ = other.number_;
    hold(holds);
    return *this;
  }
  ~Counted() { hold(false); }

  [[nodiscard]] int number() const noexcept { return number_; }

 private:
  void hold(bool holds) noexcept {
    if (holds_ == holds) return;
    holds_ = holds;
    const int now = holds ? ++held : --held;
    for (int most = most_held; now > most && !most_held.compare_exchange_weak(most, now);) {
    }
  }

  int number_ = 0;
  bool holds_ = false;
};

constexpr int bytes = 1'000'000;
using Told = std::map<std::string, forebay::Count>;

/// Runs the data set with a fast loop and with one that is slow at first. The stages "made" must be those that make the
/// elements.
template <class T>
void expect_memory(const char* name, const Dataset<T>& data, const Told& told = {{"made", bytes}}) {
  const forebay::DatasetDescription described = data.describe(told);
  const std::uint64_t on_their_way = described.stages.size();  // one a stage
  const std::uint64_t said = described.bytes() / bytes + on_their_way;
  for (const int yields : {0, 100}) {
    most_held = 0;
    {
      Pipeline<T> pipeline(data);
      int outputs = 0;
      for ([[maybe_unused]] const T& output : pipeline) {
        // Only a while: on a busy machine, a call takes milliseconds.
        for (int i = 0; i < yields && outputs < 30; ++i) std::this_thread::yield();
        if (++outputs == 300) break;
      }
    }
    EXPECT_LE(static_cast<std::uint64_t>(most_held), said) << name << ":\n" << described.text();
    EXPECT_EQ(held, 0) << name;
  }
}

Counted made(int number) { return Counted(number); }
Counted copied(const Counted& element) { return element; }

// proves: describe
TEST(DescribedMemory, IsAnUpperBoundForEveryStage) {
  const auto numbers = range(2000);
  const auto serial = numbers.map(made).named("made");
  const forebay::MapOptions options{.threads = 3, .ahead = 3, .chunk = 5};
  const auto threads = numbers.map(options, made).named("made");
  for (const Dataset<Counted>& data : {Dataset<Counted>(serial), Dataset<Counted>(threads),
                                       Dataset<Counted>(numbers.map(2, made).named("made")), serial.shuffle(100)}) {
    const std::string after = data.describe().stages.back().what;
    expect_memory("nothing", data);
    expect_memory("map", data.map(copied));
    expect_memory("map with threads", data.map(options, copied));
    expect_memory("map with one chunk ahead", data.map({.threads = 2, .ahead = 1, .chunk = 1}, copied));
    expect_memory("map in any order", data.map({.threads = 2, .order = forebay::any_order}, copied));
    expect_memory("filter", data.filter([](const Counted& element) { return element.number() % 3 == 0; }));
    expect_memory("take and skip", data.skip(10).take(100));
    expect_memory("step_by", data.step_by(3));
    expect_memory("shard", data.shard(1, 3));
    expect_memory("shard that drops", data.shard(1, 30, forebay::Even::drop));
    expect_memory("shard that repeats", data.take(100).shard(1, 30, forebay::Even::repeat));
    expect_memory("shuffle", data.shuffle(50));
    expect_memory("shuffle of a batch", data.batch(10).shuffle(5));
    expect_memory("batch", data.batch(7));
    expect_memory("large batch", data.batch(100));
    expect_memory("unbatch", data.batch(10).unbatch());
    expect_memory("prefetch", data.prefetch(40));
    expect_memory("prefetch of batches", data.batch(10).prefetch(3));
    expect_memory("map of batches", data.batch(10).map(2, [](std::vector<Counted> batch) { return batch; }));
    expect_memory("repeat", data.repeat(3));
    expect_memory("seamless", data.repeat(3).seamless().batch(20));
    expect_memory("enumerate", data.enumerate());
    expect_memory("concatenate", data.concatenate(data));
    expect_memory("mix", forebay::mix({data, data}, {0.5, 0.5}));
    const auto zipped = forebay::zip(data, numbers, data);
    const Told two_each{{"made", bytes}, {"zip", 2 * bytes}};
    expect_memory("zip", zipped, two_each);
    expect_memory("shuffle of a zip", zipped.shuffle(40), two_each);
    expect_memory("shuffle of a mix", forebay::mix({data, data, data}, {1, 1, 1}).shuffle(40));
    expect_memory("buckets", data.bucket_by_length([](const Counted& element) { return element.number() % 7; },
                                                   {.boundaries = {3}, .batch_sizes = {4, 8}}));
    const auto cost = [](const Counted& element) { return 1 + element.number() % 7; };
    expect_memory("batches by cost", data.batch_by_cost(cost, {.limit = 20}));
    expect_memory("sorted batches by cost", data.batch_by_cost(cost, {.limit = 20, .sort_window = 15}));
    expect_memory("two maps with threads", data.map(options, copied).map({.threads = 2, .chunk = 3}, copied));
  }
}

// proves: describe
TEST(DescribedMemory, OfBatchesLargerThanTheChunksOfAMapIsThatOfTheBatches) {
  const auto data = range(2000).map({.threads = 3, .ahead = 8, .chunk = 5}, made).named("made");
  for (const int size : {3, 5, 6, 40, 200}) expect_memory("batch", data.batch(size));
}

// proves: describe
TEST(DescribedMemory, OfAnInterleaveWithThreadsIsAnUpperBound) {
  const auto read = [](int first) {
    return forebay::from_callable([number = first, last = first + 20]() mutable -> std::optional<Counted> {
      if (number == last) return std::nullopt;
      return Counted(number++);
    });
  };
  expect_memory("interleave", range(100).interleave({.cycle = 3, .prefetch = 10}, read).named("made"));
  expect_memory("batches", range(100).interleave({.cycle = 3, .prefetch = 10}, read).named("made").batch(40));
  expect_memory("one after the other", range(100).flat_map(read).named("made"));
}

}  // namespace
}  // namespace forebay_test
