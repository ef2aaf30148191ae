// SPDX-License-Identifier: MIT
//
// waits_test.cpp: a call that takes outputs keeps its deadline and sees a stop while no output arrives. It does so even
// if the stages run on without outputs, through empty epochs or dropped elements.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "forebay/coordinator.hpp"
#include "forebay/dataset.hpp"
#include "tests/support/await.hpp"
#include "tests/support/background.hpp"
#include "tests/support/stages.hpp"

namespace forebay_test {
namespace {

using forebay::Context;
using forebay::Coordinator;
using forebay::Dataset;
using forebay::drop;
using forebay::from_callable;
using forebay::MapOptions;
using forebay::no_wait;
using forebay::Out;
using forebay::per_epoch;
using forebay::QueueStatus;
using forebay::range;
using forebay::skip;
using forebay::zip;

using Ints = std::vector<int>;

constexpr int many = std::numeric_limits<int>::max();
constexpr auto epochs = static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max());

/// How often functions of these data sets were called. A global, because any thread calls them through references to
/// const.
std::atomic<std::size_t> calls = 0;

bool none(int /*i*/) {
  ++calls;
  return false;
}
bool all(int /*i*/) {
  ++calls;
  return true;
}
int same(int i) { return i; }
int fails(int /*i*/) {
  ++calls;
  throw std::runtime_error("it always fails");
}
Ints nothing(int /*i*/) {
  ++calls;
  return {};
}

struct EmitsNothing {
  using value_type = int;
  void operator()(int&& /*i*/, Out<int>& /*out*/) const { ++calls; }
};

/// Empty epochs, more than any test could go through.
Dataset<int> empty_epochs() {
  return from_callable(per_epoch([] {
           ++calls;
           return [] { return std::optional<int>(); };
         }))
      .repeat(epochs);
}

/// The same without calls of functions.
Dataset<int> silent_epochs() { return range(0).repeat(epochs); }

/// One epoch whose elements are dropped one by one.
Dataset<int> dropped() { return range(many).filter(none); }

int first_of(const Ints& batch) { return batch.front(); }
int first_of_pair(const std::tuple<int, int>& both) { return std::get<0>(both); }

struct Case {
  std::string name;
  Dataset<int> data;
};

/// Data sets that deliver no element within the time of a test.
std::vector<Case> endless_silence() {
  const auto empty_data = [](int /*i*/) {
    ++calls;
    return range(0);
  };
  const auto dropped_data = [](int /*i*/) { return dropped(); };
  const MapOptions two{.threads = 2};
  const MapOptions beside{.threads = 2, .loop_helps = false};
  const auto ignored = [](MapOptions options) {
    options.on_error = skip(many);
    return options;
  };
  std::vector<Case> cases{
      {"empty epochs", silent_epochs()},
      {"empty epochs of a reader", empty_epochs()},
      {"filter", dropped()},
      {"filter in each epoch", range(3).filter(none).repeat(epochs)},
      {"flat_map", range(many).flat_map(nothing)},
      {"flat_map of data sets", range(many).flat_map(empty_data)},
      {"flat_map of one data set", range(many).flat_map(dropped_data)},
      {"interleave", range(many).interleave(3, 2, nothing)},
      {"interleave of data sets", range(many).interleave(3, 2, dropped_data)},
      {"interleave with threads", range(many).interleave({.cycle = 3, .prefetch = 2}, nothing)},
      {"interleave of data sets with threads", range(many).interleave({.cycle = 2, .prefetch = 2}, dropped_data)},
      {"skip", range(many).filter(all).skip(many)},
      {"skip of all epochs", range(3).filter(all).repeat(epochs).skip(epochs)},
      {"take of nothing", range(3).filter(all).take(0).repeat(epochs)},
      {"repeats of repeats", silent_epochs().take(1).repeat(epochs)},
      {"shard", range(1).filter(all).shard(1, 2).repeat(epochs)},
      {"map that skips", range(many).map({.on_error = skip(many)}, fails)},
      {"map that skips with threads", range(many).map(ignored(two), fails)},
      {"map that skips with threads beside the loop", range(many).map(ignored(beside), fails)},
      {"apply", range(many).apply(EmitsNothing())},
      {"unbatch", range(many).map(nothing).unbatch()},
      {"batch, drop", range(1).filter(all).batch(2, {.remainder = drop}).repeat(epochs).map(first_of)},
      {"batch of empty epochs", empty_epochs().batch(2).map(first_of)},
      {"batch across epochs", empty_epochs().seamless().batch(2).map(first_of)},
      {"batch of what threads make", silent_epochs().map(2, same).batch(2).map(first_of)},
      {"bucket_by_length", range(1, many)
                               .bucket_by_length(same, {.batch_sizes = {2}, .max_length = 0, .too_long = skip(many)})
                               .map(first_of)},
      {"buckets of empty epochs", empty_epochs().bucket_by_length(same, {.batch_sizes = {2}}).map(first_of)},
      {"batch_by_cost", range(2, many).batch_by_cost(same, {.limit = 1, .too_costly = skip(many)}).map(first_of)},
      {"batches by cost of empty epochs", empty_epochs().batch_by_cost(same, {.limit = 2}).map(first_of)},
      {"shuffle across epochs", empty_epochs().seamless().shuffle(3)},
      {"concatenate", silent_epochs().concatenate(empty_epochs())},
      {"concatenate in epochs", range(0).concatenate(range(0).filter(all)).repeat(epochs)},
      {"mix", forebay::mix({empty_epochs(), silent_epochs()}, {1, 1})},
      {"mix that restarts", forebay::mix({.restart = true}, {empty_epochs(), silent_epochs()}, {1, 1})},
      {"zip whose first is empty", zip(silent_epochs(), range(3)).map(first_of_pair)},
      {"zip whose second is empty", zip(range(3), empty_epochs()).map(first_of_pair)},
      {"zip in epochs", zip(range(3), range(0)).map(first_of_pair).repeat(epochs)},
      {"zip of repeats", zip(range(3).repeat(2), range(0)).map(first_of_pair).repeat(epochs)},
      {"enumerate", empty_epochs().enumerate().map([](const std::tuple<std::uint64_t, int>&) { return 0; })},
      {"filter behind threads", range(many).map(2, same).filter(none)},
      {"filter behind threads beside the loop", range(many).map(beside, same).filter(none)},
      {"filter behind a prefetch", range(many).filter(all).prefetch(9).filter(none)},
      {"threads", dropped().map(2, same)},
      {"threads beside the loop", dropped().map(beside, same)},
      {"a thread beside the loop", dropped().map({.loop_helps = false}, same)},
      {"threads that read empty epochs", silent_epochs().map(2, same)},
      {"threads that read one element at a time", silent_epochs().map({.threads = 2, .ahead = 1, .chunk = 1}, same)},
      {"threads that fill chunks", range(many).filter(none).map(2, same).batch(4).map(first_of)},
      {"threads in any order", silent_epochs().map({.threads = 2, .order = forebay::any_order}, same)},
      {"prefetch of empty epochs", silent_epochs().prefetch(9)},
      {"threads behind threads", silent_epochs().map(2, same).map(2, same)},
  };
  for (const auto& stage : stages_with_count<int>()) {
    cases.push_back({stage.name + " of dropped elements", stage.add(dropped(), stage.usual)});
    cases.push_back({stage.name + " of many empty epochs", stage.add(empty_epochs(), stage.usual)});
  }
  return cases;
}

class EndlessSilence : public testing::TestWithParam<std::size_t> {
 protected:
  void SetUp() override { RecordProperty("what", its_.name); }
  [[nodiscard]] const Dataset<int>& data() const noexcept { return its_.data; }
  [[nodiscard]] const std::string& name() const noexcept { return its_.name; }

 private:
  const Case its_ = endless_silence()[GetParam()];
};
INSTANTIATE_TEST_SUITE_P(Ways, EndlessSilence, testing::Range<std::size_t>(0, endless_silence().size()),
                         [](const auto& instance) {
                           std::string name = endless_silence()[instance.param].name;
                           for (char& letter : name) {
                             if (letter == ' ' || letter == ',') letter = '_';
                           }
                           return name;
                         });

// proves: silent-input
TEST_P(EndlessSilence, LetsACallThatDoesNotWaitReturn) {
  auto pipeline = data().run();
  int output = 0;
  for (int i = 0; i < 100; ++i) {
    ASSERT_EQ(pipeline.next(no_wait).status(), QueueStatus::empty) << name();
    ASSERT_EQ(pipeline.next(output, no_wait), QueueStatus::empty) << name();
  }
}

// proves: silent-input
TEST_P(EndlessSilence, LetsACallWhoseTimeIsOverReturn) {
  auto pipeline = data().run();
  for (int i = 0; i < 100; ++i) {
    ASSERT_EQ(pipeline.next(std::chrono::steady_clock::time_point()).status(), QueueStatus::timed_out) << name();
  }
  EXPECT_EQ(pipeline.next(std::chrono::milliseconds(3)).status(), QueueStatus::timed_out) << name();
}

// proves: silent-input
TEST_P(EndlessSilence, LetsACallSeeTheStopOfItsWait) {
  Coordinator stop;
  auto pipeline = data().run();
  {
    Background taken([&] { return pipeline.next(stop).status(); });
    EXPECT_EQ(pipeline.next(std::chrono::milliseconds(3)).status(), QueueStatus::timed_out) << name();
    stop.request_stop();
    EXPECT_EQ(taken.get(), QueueStatus::stopped) << name();
  }
  EXPECT_EQ(pipeline.next(stop).status(), QueueStatus::stopped) << name();
  EXPECT_EQ(pipeline.next(no_wait).status(), QueueStatus::empty) << name() << ": the pipeline goes on";
}

// proves: silent-input
TEST_P(EndlessSilence, LetsACallAndALoopSeeTheStopOfThePipeline) {
  {
    auto pipeline = data().run();
    Background taken([&] { return pipeline.next().status(); });
    pipeline.stop();
    EXPECT_EQ(taken.get(), QueueStatus::stopped) << name();
  }
  {
    auto pipeline = data().run();
    Background looped([&] {
      for ([[maybe_unused]] const int output : pipeline.one_epoch()) {
      }
      return true;
    });
    pipeline.stop();
    EXPECT_TRUE(looped.get()) << name();
  }
  {
    auto pipeline = data().run();
    Background stepped([&] {
      pipeline.for_each([](int) {});
      return true;
    });
    pipeline.stop();
    EXPECT_TRUE(stepped.get()) << name();
  }
}

/// Returns the most calls of functions before next(no_wait) returns.
std::size_t most_calls_of_a_poll(const Dataset<int>& data) {
  auto pipeline = data.run();
  std::size_t most = 0;
  for (int i = 0; i < 100; ++i) {
    const std::size_t before = calls;
    EXPECT_EQ(pipeline.next(no_wait).status(), QueueStatus::empty);
    most = std::max<std::size_t>(most, calls - before);
  }
  EXPECT_GT(most, 0U) << "it has to get on";
  return most;
}

// proves: silent-input
TEST(APoll, GoesOnByOneElementOrEpoch) {
  const auto empty_data = [](int /*i*/) {
    ++calls;
    return range(0);
  };
  EXPECT_LE(most_calls_of_a_poll(empty_epochs()), 2U);
  EXPECT_LE(most_calls_of_a_poll(dropped()), 1U);
  EXPECT_LE(most_calls_of_a_poll(range(many).flat_map(nothing)), 1U);
  EXPECT_LE(most_calls_of_a_poll(range(many).flat_map(empty_data)), 1U);
  EXPECT_LE(most_calls_of_a_poll(range(many).interleave(3, 2, nothing)), 1U);
  EXPECT_LE(most_calls_of_a_poll(range(many).map({.on_error = skip(many)}, fails)), 1U);
  EXPECT_LE(most_calls_of_a_poll(range(many).apply(EmitsNothing())), 1U);
  EXPECT_LE(most_calls_of_a_poll(empty_epochs().take(1)), 2U);
  EXPECT_LE(most_calls_of_a_poll(empty_epochs().shuffle(3)), 2U);
  EXPECT_LE(most_calls_of_a_poll(empty_epochs().batch(3).map(first_of)), 2U);
  EXPECT_LE(most_calls_of_a_poll(empty_epochs().concatenate(empty_epochs())), 2U);
  EXPECT_LE(most_calls_of_a_poll(range(0).concatenate(empty_epochs()).repeat(3)), 2U);
  EXPECT_LE(most_calls_of_a_poll(forebay::mix({empty_epochs(), empty_epochs()}, {1, 1})), 2U);
  EXPECT_LE(most_calls_of_a_poll(forebay::mix({.restart = true}, {empty_epochs(), empty_epochs()}, {1, 1})), 2U);
  EXPECT_LE(most_calls_of_a_poll(zip(range(3), empty_epochs()).map(first_of_pair)), 2U);
  EXPECT_LE(most_calls_of_a_poll(zip(empty_epochs(), range(3)).map(first_of_pair)), 2U);
}

/// Takes all outputs with calls that do not wait.
template <class T>
std::vector<T> polled(const Dataset<T>& data) {
  auto pipeline = data.run();
  std::vector<T> found;
  for (;;) {
    auto output = pipeline.next(no_wait);
    if (output) found.push_back(*output);
    if (output.status() == QueueStatus::closed) return found;
  }
}

// proves: silent-input
TEST(APoll, GetsTheSameOutputsBetweenEmptyEpochs) {
  const auto some = [](int i) { return Ints(static_cast<std::size_t>(i % 3 == 0 ? 2 : 0), i); };
  const auto data = range(30).flat_map(some).batch(3, {.remainder = drop}).repeat(2).unbatch();
  const Ints expected = [&] {
    Ints found;
    for (const int output : data.run()) found.push_back(output);
    return found;
  }();
  EXPECT_EQ(polled(data), expected);
  EXPECT_EQ(polled(data.map({.threads = 2, .chunk = 1}, same)), expected);
  const auto sparse = range(0).repeat(50).concatenate(range(3)).concatenate(range(0).repeat(50)).repeat(3);
  EXPECT_EQ(polled(sparse), (Ints{0, 1, 2, 0, 1, 2, 0, 1, 2}));
}

/// Reads the numbers from 0, and cannot seek.
struct Counting {
  std::optional<int> operator()() {
    ++calls;
    return next++;
  }
  int next = 0;
};

// proves: silent-input
TEST(APoll, ReadsOneElementAgainBehindACheckpoint) {
  const auto counting = [](int /*i*/) { return Counting(); };
  const auto twice = range(2).concatenate(range(2));
  for (const Dataset<int>& data :
       {twice.flat_map(counting), twice.interleave({.cycle = 1, .prefetch = 1}, counting)}) {
    auto first = data.run();
    for (int i = 0; i < 1000; ++i) ASSERT_EQ(*first.next(), i);
    auto second = data.run(first.checkpoint());
    int polls = 0;
    auto output = second.next(no_wait);
    for (; !output; ++polls) output = second.next(no_wait);
    EXPECT_EQ(*output, 1000);
    EXPECT_GE(polls, 1000);
  }
}

// proves: silent-input
TEST(APoll, KeepsThePlaceOfACheckpointWhileItReadsAgain) {
  const auto data = range(2).flat_map([](int) { return Counting(); });
  auto first = data.run();
  for (int i = 0; i < 100; ++i) ASSERT_EQ(*first.next(), i);
  auto second = data.run(first.checkpoint());
  for (int i = 0; i < 50; ++i) ASSERT_FALSE(second.next(no_wait));
  EXPECT_EQ(second.checkpoint(), first.checkpoint());
  EXPECT_EQ(*data.run(second.checkpoint()).next(), 100);
}

/// Two inputs. The second one delivers one element, and then none in the time of a test.
// proves: silent-input
TEST(ParallelInterleaveThatIsLeft, TakesItsThreadsFromInputsWhereNothingComes) {
  const auto inputs = [](int i) {
    return i == 0 ? range(1).filter(all) : range(many).filter([](int j) { return j == 0; });
  };
  auto pipeline = range(2).interleave({.cycle = 2, .prefetch = 4}, inputs).take(2).repeat(5).run();
  std::size_t outputs = 0;
  for ([[maybe_unused]] const int output : pipeline) ++outputs;
  EXPECT_EQ(outputs, 10U);
}

// ---- A thread that takes outputs and helps meanwhile

/// Waits until a claiming thread finds nothing, which shows as repeated calls of its predicate.
bool someone_finds_nothing(std::size_t calls_before) {
  return await([=] { return calls > calls_before + 100; });
}

// proves: silent-input
TEST(ACallThatHelps, SeesTheStopOfItsWaitWhileItFindsNothing) {
  for (int attempt = 0; attempt < 20; ++attempt) {  // the caller itself may take the only element
    const std::size_t calls_before = calls;
    std::atomic<bool> is_released = false;
    std::atomic<std::thread::id> caller;
    const auto wait_for_silence = [&](int i) {
      EXPECT_TRUE(someone_finds_nothing(calls_before));
      EXPECT_TRUE(await([&] { return is_released || caller.load() == std::this_thread::get_id(); }));
      return i;
    };
    auto pipeline = range(many)
                        .filter([](int i) { return none(i) || i == 0; })
                        .map({.threads = 2, .chunk = 1}, wait_for_silence)
                        .run();
    Coordinator stop;
    Background taken([&] {
      caller = std::this_thread::get_id();
      return pipeline.next(stop).status();
    });
    EXPECT_TRUE(someone_finds_nothing(calls_before));
    stop.request_stop();
    const QueueStatus status = taken.get();
    EXPECT_TRUE(status == QueueStatus::stopped || status == QueueStatus::ok);
    is_released = true;
  }
}

/// An epoch of three elements, then one that does not end.
Dataset<int> silence_behind_an_epoch() {
  return range(3).repeat(epochs).flat_map(
      [](int i, Context& context) { return context.position().epoch == 0 ? range(i, i + 1).filter(all) : dropped(); });
}

// proves: silent-input
TEST(ForEachOfAnEpoch, EndsWhileItsThreadFindsNothingInTheNextOne) {
  for (int attempt = 0; attempt < 20; ++attempt) {  // the caller itself may take the last element
    const std::size_t calls_before = calls;
    const auto wait_at_last = [&](int i) { return i < 2 || someone_finds_nothing(calls_before) ? i : -1; };
    auto pipeline = silence_behind_an_epoch().map({.threads = 2, .chunk = 1}, wait_at_last).run();
    std::atomic<int> sum = 0;
    pipeline.one_epoch().for_each([&](int i) { sum += i; });
    ASSERT_EQ(sum, 3);
  }
}

// proves: silent-input
TEST(ForEach, EndsIfAStepThrowsWhileItsThreadFindsNothing) {
  for (int attempt = 0; attempt < 20; ++attempt) {
    const std::size_t calls_before = calls;
    const auto wait_at_last = [&](int i) { return i < 2 || someone_finds_nothing(calls_before) ? i : -1; };
    auto pipeline = silence_behind_an_epoch().map({.threads = 2, .chunk = 1}, wait_at_last).run();
    const auto step = [](int i) {
      if (i == 2) throw std::runtime_error("the last step");
    };
    ASSERT_THROW(pipeline.for_each(step), std::runtime_error);
  }
}

}  // namespace
}  // namespace forebay_test
