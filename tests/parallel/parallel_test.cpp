// SPDX-License-Identifier: MIT
//
// parallel_test.cpp: concurrency in a pipeline: outputs in any order, several inputs read at once, work beside a loop
// that does not help. pipeline_test.cpp tests the guarantees common to all pipelines.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <latch>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "forebay/dataset.hpp"
#include "forebay/parallel/overtaking.hpp"
#include "tests/support/await.hpp"
#include "tests/support/background.hpp"
#include "tests/support/contains.hpp"
#include "tests/support/environment.hpp"
#include "tests/support/numbers.hpp"
#include "tests/support/pipeline_output.hpp"
#include "tests/support/plain_run.hpp"
#include "tests/support/thrown.hpp"

namespace forebay_test {
namespace {

using forebay::any_order;
using forebay::Context;
using forebay::MapOptions;
using forebay::range;
using forebay::skip;
using forebay::detail::Chunk;
using forebay::detail::End;

using Ints = std::vector<int>;

/// Returns the outputs before the failure, and expects that there is a failure.
Ints outputs_before_failure(const Dataset<int>& data) {
  Ints outputs;
  EXPECT_THROW(for (const int& output : data.run()) outputs.push_back(output), DatasetError);
  return outputs;
}

// ---- any_order

/// Reports which outputs leave, one after the other.
class Leaving {
 public:
  explicit Leaving(const std::vector<End>& ends) : overtaking_(ends.size()) {
    for (std::size_t i = 0; i < ends.size(); ++i) overtaking_.begin(i, ends[i]);
  }

  /// Returns the outputs that leave when the output of `sequence_number` is ready.
  Ints when_made(int sequence_number, End end = End::none) {
    auto output = std::make_unique<Chunk<int>>();
    output->push(int{sequence_number}, 0);
    output->end = end;
    Ints left;
    overtaking_.add(static_cast<std::uint64_t>(sequence_number), std::move(output),
                    [&left](std::unique_ptr<forebay::detail::AnyChunk> ready) {
                      left.push_back(static_cast<Chunk<int>&>(*ready)[0]);
                    });
    return left;
  }

 private:
  forebay::detail::Overtaking overtaking_;
};

TEST(Overtaking, ElementsLeaveAsTheyAreMade) {
  Leaving outputs({End::none, End::none, End::none});
  EXPECT_EQ(outputs.when_made(2), Ints{2});
  EXPECT_EQ(outputs.when_made(0), Ints{0});
  EXPECT_EQ(outputs.when_made(1), Ints{1});
}

// proves: any-order
TEST(Overtaking, AnEndWaitsForAllBeforeIt) {
  Leaving outputs({End::none, End::none, End::epoch});
  EXPECT_EQ(outputs.when_made(2, End::epoch), Ints());
  EXPECT_EQ(outputs.when_made(1), Ints{1});
  EXPECT_EQ(outputs.when_made(0), (Ints{0, 2}));
}

// proves: any-order
TEST(Overtaking, AnEndLetsNothingPass) {
  Leaving outputs({End::none, End::epoch, End::none, End::none});
  EXPECT_EQ(outputs.when_made(2), Ints());
  EXPECT_EQ(outputs.when_made(0), Ints{0});
  EXPECT_EQ(outputs.when_made(1, End::epoch), (Ints{1, 2}));
  EXPECT_EQ(outputs.when_made(3), Ints{3});
}

// proves: any-order
TEST(Overtaking, AFailureOfTheWorkWaitsAndLetsNothingPassToo) {
  Leaving outputs({End::none, End::none, End::none});
  EXPECT_EQ(outputs.when_made(1, End::failure), Ints());
  EXPECT_EQ(outputs.when_made(2), Ints());
  EXPECT_EQ(outputs.when_made(0), (Ints{0, 1, 2}));
}

constexpr std::size_t several = 3;

MapOptions in_any_order() { return {.threads = several, .order = any_order, .ahead = 4, .chunk = 2}; }

// proves: any-order
TEST(AnyOrder, ASlowElementHoldsUpNoOthers) {
  std::atomic<bool> goes_on = false;
  const auto data = range(1000).map({.threads = 2, .order = any_order, .ahead = 2, .chunk = 1}, [&goes_on](int i) {
    while (i == 0 && !goes_on) std::this_thread::yield();
    return i;
  });
  auto pipeline = data.run();
  Ints outputs;
  for (int i = 1; i < 1000; ++i) outputs.push_back(pipeline.next().value());
  goes_on = true;
  EXPECT_EQ(pipeline.next().value(), 0);
  EXPECT_EQ(pipeline.next().status(), forebay::QueueStatus::closed);
  outputs.push_back(0);
  EXPECT_EQ(sorted(outputs), numbers(1000));
}

// proves: any-order
TEST(AnyOrder, NorTheLastOnesOfItsEpoch) {
  std::atomic<bool> goes_on = false;
  const auto data = range(3).map({.threads = 2, .order = any_order, .ahead = 4, .chunk = 2}, [&goes_on](int i) {
    while (i == 0 && !goes_on) std::this_thread::yield();
    return i;
  });
  auto pipeline = data.run();
  EXPECT_EQ(pipeline.next().value(), 2);
  goes_on = true;
  EXPECT_EQ(pipeline.next().value(), 0);
}

// proves: any-order
TEST(AnyOrder, IsOneWithinAnEpoch) {
  auto pipeline = range(37).repeat(20).map(in_any_order(), [](int i) { return i; }).run();
  const auto epochs = epochs_by(pipeline, [](auto epoch, Ints& outputs) {
    for (const int& output : epoch) outputs.push_back(output);
  });
  EXPECT_EQ(epochs.size(), 20U);
  for (const Ints& epoch : epochs) EXPECT_EQ(sorted(epoch), numbers(37));
}

// proves: any-order
TEST(AnyOrder, KeepsPositions) {
  const auto data = range(100).map(in_any_order(), [](int i) { return i; }).map([](int i, Context& context) {
    return context.position().number == static_cast<std::uint64_t>(i);
  });
  for (const bool& right : data.run()) EXPECT_TRUE(right);
}

// proves: any-order
TEST(AnyOrder, AFailureComesBehindAllBeforeIt) {
  const auto data = range(100).map(in_any_order(), [](int i) {
    if (i == 50) throw Failure("fifty");
    if (i % 7 == 0) std::this_thread::yield();
    return i;
  });
  for (int runs = 0; runs < 20; ++runs) {
    const Ints outputs = sorted(outputs_before_failure(data));
    ASSERT_GE(outputs.size(), 50U);
    EXPECT_EQ(Ints(outputs.begin(), outputs.begin() + 50), numbers(50));
    EXPECT_FALSE(std::binary_search(outputs.begin(), outputs.end(), 50));
  }
}

// proves: any-order
TEST(AnyOrder, SkipsUpToALimit) {
  auto lenient = in_any_order();
  const auto fail_often = [](int i) { return i % 4 == 3 ? throw Failure("fourth") : i; };
  lenient.on_error = skip(10);
  EXPECT_EQ(range(40).map(lenient, fail_often).collect().size(), 30U);
  lenient.on_error = skip(9);
  EXPECT_LT(outputs_before_failure(range(40).map(lenient, fail_often)).size(), 31U);
}

// proves: skip
TEST(Parallel, SkipsNoFailureOfItsSource) {
  const auto source =
      forebay::from_indexed(6, [](std::size_t i) { return i == 3 ? throw Failure("damaged") : static_cast<int>(i); });
  for (const int threads : {1, 2}) {
    for (const bool loop_helps : {false, true}) {
      const forebay::MapOptions options{.threads = threads, .on_error = skip(10), .loop_helps = loop_helps};
      auto pipeline = source.map(options, [](int i) { return i; }).run();
      Ints outputs;
      const std::string message = message_of<DatasetError>([&] {
        for (const int output : pipeline) outputs.push_back(output);
      });
      EXPECT_EQ(message, "forebay: from_indexed, epoch 0, number 3: damaged");
      EXPECT_EQ(outputs, (Ints{0, 1, 2}));
    }
  }
}

/// The first failure comes last.
// proves: any-order, skip
TEST(AnyOrder, CountsFailuresInTheOrderOfTheElements) {
  std::latch goes_on(1);
  const forebay::MapOptions options{.threads = 2, .order = any_order, .ahead = 8, .chunk = 1, .on_error = skip(1)};
  const auto data = range(8).map(options, [&](int i) {
    if (i == 1) goes_on.wait();
    return i % 2 == 1 && i < 4 ? throw Failure("damaged") : i;
  });
  auto pipeline = data.run();
  Ints outputs;
  for (int taken = 0; taken < 6; ++taken) outputs.push_back(pipeline.next().value());
  EXPECT_EQ(sorted(outputs), (Ints{0, 2, 4, 5, 6, 7}));
  goes_on.count_down();
  EXPECT_TRUE(contains(message_of<DatasetError>([&] { static_cast<void>(pipeline.next()); }), "number 3"));
}

// proves: any-order
TEST(AnyOrder, AnEpochMayBeLeft) {
  auto pipeline = range(1000).map(in_any_order(), [](int i) { return i; }).take(3).repeat(50).run();
  const auto epochs = epochs_by(pipeline, [](auto epoch, Ints& outputs) {
    for (const int& output : epoch) outputs.push_back(output);
  });
  EXPECT_EQ(epochs.size(), 50U);
  for (const Ints& epoch : epochs) EXPECT_EQ(std::set<int>(epoch.begin(), epoch.end()).size(), 3U);
}

TEST(AnyOrder, OfOneThreadIsThatOfTheElements) {
  EXPECT_EQ(elements_of(range(10).map({.order = any_order}, [](int i) { return i; })), numbers(10));
}

// ---- interleave, with a thread for each open input

using forebay::InterleaveOptions;

/// Reads `number` `count` times.
struct Copies {
  int number;
  int count = 3;
  bool operator()(int& into) {
    into = number;
    return count-- > 0;
  }
};

// proves: interleave-slow
TEST(ParallelInterleave, OpensAllAtOnceAndReadsThemAtOnce) {
  std::atomic<int> opened = 0;
  std::atomic<int> read = 0;
  const auto data = range(4).interleave({.cycle = 4, .block = 100, .prefetch = 2}, [&](int i) {
    ++opened;
    await([&] { return opened == 4; });
    return [&read, copies = Copies{i}](int& into) mutable {
      ++read;
      await([&] { return read >= 4; });
      return copies(into);
    };
  });
  EXPECT_EQ(data.collect().size(), 12U);
}

TEST(ParallelInterleave, OpensWhatFollowsBeforeItsTurnComes) {
  std::atomic<int> opened = 0;
  const auto data = range(100).interleave({.cycle = 2, .prefetch = 10}, [&opened](int i) {
    ++opened;
    return Copies{i};
  });
  auto pipeline = data.run();
  await([&] { return opened == 2; });  // none of their elements was taken
  EXPECT_EQ(pipeline.next().value(), 0);
  await([&] { return opened == 3; });
}

// proves: interleave-slow
TEST(ParallelInterleave, ReadsNoFurtherAheadThanItIsTold) {
  for (const int prefetch : {1, 2, 3, 8}) {
    std::atomic<int> read = 0;
    std::atomic<int> most = 0;
    int taken = 0;
    const auto data = range(1).interleave({.cycle = 1, .prefetch = prefetch}, [&](int i) {
      return [&, copies = Copies{i, 50}](int& into) mutable {
        ++read;
        return copies(into);
      };
    });
    for ([[maybe_unused]] const int& output : data.run()) {
      ++taken;
      for (int i = 0; i < 5; ++i) std::this_thread::yield();
      most = std::max(most.load(), read.load() - taken);
    }
    EXPECT_EQ(taken, 50);
    EXPECT_LE(most, prefetch);
  }
}

/// Makes a file of each element: some cannot be opened, some fail in the middle, some are empty.
auto files(std::uint64_t salt) {
  return [salt](int i) {
    const auto kind = static_cast<int>((static_cast<std::uint64_t>(i) * 7 + salt) % 5);
    if (kind == 4) throw Failure("cannot open " + std::to_string(i));
    return [i, kind, read = 0]() mutable -> std::optional<int> {
      if (++read == 3 && kind == 3) throw Failure("cannot read " + std::to_string(i));
      return read <= 2 * kind ? std::optional(i) : std::nullopt;
    };
  };
}

// proves: interleave-failure
TEST(ParallelInterleave, IsTheSameAsWithoutThreadsWhateverFails) {
  for (std::uint64_t salt = 0; salt < 60; ++salt) {
    std::vector<Position> redirected;
    const auto note = [&](Position at, const std::exception_ptr& /*failure*/) { redirected.push_back(at); };
    InterleaveOptions options{.cycle = 1 + salt % 4, .block = 1 + salt % 3, .prefetch = 1 + salt % 5};
    if (salt % 3 == 1) options.on_error = skip(salt % 6);
    if (salt % 3 == 2) options.on_error = forebay::redirect(note);
    const auto data = range(12).interleave(options, files(salt)).repeat(2);
    const auto serial = output_of(data);
    const auto redirected_by_serial = std::exchange(redirected, {});
    auto pipeline = data.run();
    std::string failure;
    const auto epochs = epochs_by(pipeline, [&failure](auto epoch, Ints& outputs) {
      failure = message_of<DatasetError>([&] {
        for (const int& output : epoch) outputs.push_back(output);
        return 0;
      });
    });
    EXPECT_EQ(epochs, serial.epochs) << salt;
    EXPECT_EQ(failure, serial.failure.empty() ? "nothing was thrown" : serial.failure) << salt;
    EXPECT_EQ(redirected, redirected_by_serial) << salt;
  }
}

TEST(ParallelInterleave, NobodyKeepsWhatOthersNeedToOpenTheNextInput) {
  const auto length = [](int i) { return i < 4 ? 1 : i < 16 ? 5 + i : 200; };
  const auto data = range(48).interleave({.cycle = 16, .prefetch = 1}, [length](int i) {
    return Copies{i, length(i)};
  });
  auto pipeline = data.run();
  Ints outputs;
  for (const int& output : pipeline) outputs.push_back(output);
  EXPECT_EQ(outputs, elements_of(data));
}

// proves: epoch-left
TEST(ParallelInterleave, AnEpochMayBeLeft) {
  const auto data = range(1000).interleave({.cycle = 3, .prefetch = 4}, [](int i) { return Copies{i, 1000}; });
  auto pipeline = data.take(7).repeat(30).run();
  const auto epochs = epochs_by(pipeline, [](auto epoch, Ints& outputs) {
    for (const int& output : epoch) outputs.push_back(output);
  });
  EXPECT_EQ(epochs, std::vector<Ints>(30, Ints{0, 1, 2, 0, 1, 2, 0}));
}

// proves: interleave-slow
TEST(ParallelInterleave, GetsOnWithoutWaitingWhileAnInputBlocks) {
  std::atomic<bool> goes_on = false;
  const auto data = range(2).interleave({.cycle = 2, .block = 2, .prefetch = 4}, [&goes_on](int i) {
    return [&goes_on, copies = Copies{i, 2}](int& into) mutable {
      while (copies.number == 1 && !goes_on) std::this_thread::yield();
      return copies(into);
    };
  });
  auto pipeline = data.run();
  Ints outputs;
  const auto take = [&] {
    if (auto output = pipeline.next(forebay::no_wait)) outputs.push_back(*output);
    return outputs.size();
  };
  await([&] { return take() == 2; });
  EXPECT_EQ(pipeline.next(forebay::no_wait).status(), forebay::QueueStatus::empty);
  EXPECT_EQ(pipeline.next(std::chrono::milliseconds(1)).status(), forebay::QueueStatus::timed_out);
  goes_on = true;
  await([&] { return take() == 4; });
  EXPECT_EQ(outputs, (Ints{0, 0, 1, 1}));
}

// proves: interleave-slow
TEST(ParallelInterleave, AStopEndsWhoWaitsForAnInput) {
  std::atomic<int> reading = 0;
  const auto data = range(3).interleave({.cycle = 2, .prefetch = 4}, [&reading](int, Context& context) {
    return [&]() -> std::optional<int> {
      ++reading;
      while (!context.should_stop()) std::this_thread::yield();
      return std::nullopt;
    };
  });
  auto pipeline = data.run();
  Background waiting([&] { return pipeline.next().status(); });
  await([&] { return reading == 2; });
  pipeline.stop();
  EXPECT_EQ(waiting.get(), forebay::QueueStatus::stopped);
}

// proves: interleave-slow
TEST(ParallelInterleave, AStopEndsReadersThatWaitForRoom) {
  std::atomic<int> read = 0;
  const auto data = range(2).interleave({.cycle = 2, .prefetch = 1}, [&read](int i) {
    return [&read, copies = Copies{i, 1000}](int& into) mutable {
      ++read;
      return copies(into);
    };
  });
  auto pipeline = data.run();
  await([&] { return read == 2; });
  EXPECT_EQ(pipeline.next().value(), 0);
}

TEST(ParallelInterleave, StandsBeforeOtherStagesAndBehindThem) {
  const auto data =
      range(20)
          .map(2, [](int i) { return i; })
          .interleave({.cycle = 4, .prefetch = 2}, [](int i) { return range(i).map([i](int) { return i; }); })
          .map(2, [](int i) { return i + 1; });
  const auto expected = elements_of(data);
  EXPECT_EQ(data.batch(190).collect()[0], expected);
  EXPECT_EQ(expected.size(), 190U);
}

TEST(ParallelInterleave, OfElementsThatCanOnlyBeMoved) {
  const auto data = range(3)
                        .map([](int i) { return std::make_unique<int>(i); })
                        .interleave({.cycle = 2, .prefetch = 2}, [](const std::unique_ptr<int>& pointer) {
                          return [&pointer, left = 2]() mutable -> std::optional<std::unique_ptr<int>> {
                            if (left-- == 0) return std::nullopt;
                            return std::make_unique<int>(*pointer);
                          };
                        });
  Ints outputs;
  for (const std::unique_ptr<int>& output : data.run()) outputs.push_back(*output);
  EXPECT_EQ(outputs, (Ints{0, 1, 0, 1, 2, 2}));
}

// ---- loop_helps

/// The threads in which a function has run.
class Threads {
 public:
  int operator()(int i) {
    const std::scoped_lock lock(mutex_);
    threads_.insert(std::this_thread::get_id());
    return i;
  }
  [[nodiscard]] bool have_this_one() const { return threads_.contains(std::this_thread::get_id()); }

 private:
  std::mutex mutex_;
  std::set<std::thread::id> threads_;
};

TEST(LoopThatDoesNotHelp, RunsNoFunctionHoweverItTakesOutputs) {
  for (const std::size_t count : {1U, 2U}) {
    Threads threads;
    const auto data = range(200).map({.threads = count, .ahead = 2, .chunk = 1, .loop_helps = false},
                                     [&](int i) { return threads(i); });
    auto by_next = data.run();
    while (by_next.next()) continue;
    auto by_step = data.run();
    by_step.for_each([](int) {});
    for ([[maybe_unused]] const Ints& batch : data.batch(7).run()) continue;
    EXPECT_FALSE(threads.have_this_one());
  }
}

TEST(LoopThatDoesNotHelp, HasAllThreadsBesideIt) {
  std::atomic<int> there = 0;
  const auto data = range(2).map({.threads = 2, .chunk = 1, .loop_helps = false}, [&there](int i) {
    ++there;
    await([&] { return there == 2; });
    return i;
  });
  auto pipeline = data.run();
  await([&] { return there == 2; });  // although no thread asks for an output
  EXPECT_EQ(pipeline.next().value(), 0);
}

TEST(LoopThatDoesNotHelp, HasNoFunctionOfAnotherMapEither) {
  Threads threads;
  const auto data = range(100)
                        .map({.threads = 2, .loop_helps = false}, [&](int i) { return threads(i); })
                        .map({.threads = 2}, [&](int i) { return threads(i); });
  for ([[maybe_unused]] const int& output : data.run()) continue;
  EXPECT_FALSE(threads.have_this_one());
}

// ---- Statistics

/// Waits until the verdict says so. A lasting state eventually outweighs the earlier ones.
template <class T>
bool comes_to(const forebay::Pipeline<T>& pipeline, const std::string& who_waits) {
  return await([&] {
    const std::string verdict = forebay::verdict(pipeline.statistics());
    return verdict.size() > who_waits.size() && verdict.substr(verdict.size() - who_waits.size()) == who_waits;
  });
}

/// The verdict on threads that wait in a function, where their CPU time is known.
const std::string wait_in_a_function =
    forebay::detail::HasThreadClock<forebay::StdSync> ? "waits in your code" : "works";

MapOptions two_threads() { return {.threads = 2, .loop_helps = false}; }

// proves: pipeline-statistics
TEST(PipelineStatistics, SayThatTheSourceHoldsUpTheRest) {
  std::latch gate(1);
  const auto data = range(4).filter([&](int /*element*/) {
    gate.wait();
    return true;
  });
  auto pipeline = data.map(two_threads(), [](int element) { return element; }).run();
  Background loop([&] { return pipeline.next().status(); });
  EXPECT_TRUE(comes_to(pipeline, "before map works, map waits for input, the loop waits for input."));
  gate.count_down();
  static_cast<void>(loop.get());
}

TEST(PipelineStatistics, TakeNoWaitForTheSourceForAPull) {
  std::latch gate(1);
  const auto data = range(4).filter([&](int /*element*/) {
    gate.wait();
    return true;
  });
  const auto same = [](int element) { return element; };
  auto pipeline = data.map({.threads = 4, .chunk = 1, .loop_helps = false}, same).run();
  await([&] {
    const auto threads = pipeline.threads();
    return std::count_if(threads.begin(), threads.end(), [](const forebay::ThreadActivity& thread) {
             return thread.operation == "its turn at the input" && thread.time > std::chrono::milliseconds(20);
           }) == 3;
  });
  gate.count_down();
  while (pipeline.next()) continue;
  const forebay::PipelineStatistics statistics = pipeline.statistics();
  EXPECT_EQ(statistics.stages.front().elements, 4U);
  EXPECT_LE(statistics.stages.front().working, statistics.time);
}

// proves: pipeline-statistics
TEST(PipelineStatistics, SayThatTheWorkHoldsUpTheRest) {
  for (const bool loop_helps : {false, true}) {
    std::latch gate(1);
    const auto work = [&](int element) {
      gate.wait();
      return element;
    };
    auto pipeline = range(400).map({.threads = 2, .loop_helps = loop_helps}, work).run();
    Background loop([&] { return pipeline.next().status(); });
    EXPECT_TRUE(
        comes_to(pipeline, "before map waits for room, map " + wait_in_a_function + ", the loop waits for input."));
    gate.count_down();
    static_cast<void>(loop.get());
  }
}

// proves: pipeline-statistics
TEST(PipelineStatistics, SayThatTheLoopHoldsUpTheRest) {
  auto pipeline = range(4000).map(two_threads(), [](int element) { return element; }).prefetch(1).run();
  EXPECT_TRUE(comes_to(pipeline, "before map waits for room, map waits for room, the loop works."));
}

// proves: pipeline-statistics
TEST(PipelineStatistics, SayThatReadersHaveReadFarEnough) {
  auto pipeline = range(4).interleave({.cycle = 2, .block = 1, .prefetch = 2}, [](int) { return range(100); }).run();
  EXPECT_TRUE(comes_to(pipeline, "before interleave waits for room, interleave waits for room, the loop works."));
}

// proves: pipeline-statistics
TEST(PipelineStatistics, CountTheStepsOfForEachAsTheLoop) {
  auto pipeline = range(640).map(2, [](int element) { return element; }).run();
  std::latch gate(1);
  std::atomic<bool> steps = false;
  Background loop([&] {
    pipeline.for_each([&](int /*element*/) {
      steps = true;
      gate.wait();
    });
    return true;
  });
  ASSERT_TRUE(await([&] { return steps.load(); }));
  const auto before = pipeline.statistics().time;  // counts as the loop's work, too
  ASSERT_TRUE(await([&] { return pipeline.statistics().time > 4 * before; }));
  EXPECT_TRUE(await([&] { return verdict(pipeline.statistics()).find("The loop limits") == 0; }));
  gate.count_down();
  static_cast<void>(loop.get());
  EXPECT_EQ(pipeline.statistics().loop.elements, 640U);
}

// proves: pipeline-statistics
TEST(PipelineStatistics, CountTheWaitsOfForEachInALoopThatDoesNotHelp) {
  std::latch gate(1);
  const auto counter = [next = 0]() mutable { return next < 4 ? std::optional(next++) : std::nullopt; };
  auto pipeline = forebay::from_callable(counter)
                      .map({.threads = 2, .chunk = 1, .loop_helps = false},
                           [&](int element) {
                             gate.wait();
                             return element;
                           })
                      .run();
  Background loop([&] {
    pipeline.for_each([](int /*element*/) {});
    return true;
  });
  EXPECT_TRUE(comes_to(pipeline, "the loop waits for input."));
  gate.count_down();
  static_cast<void>(loop.get());
}

// proves: verdict
TEST(PipelineStatistics, HaveTheCpuTimeOfTheThreadsOfAMap) {
  if (!forebay::detail::HasThreadClock<forebay::StdSync>) GTEST_SKIP() << "there is no clock of threads";
  for (const bool loop_helps : {false, true}) {
    auto pipeline = range(8).map({.threads = 2, .chunk = 1, .loop_helps = loop_helps}, [](int i) { return i; }).run();
    while (pipeline.next()) continue;
    pipeline.join();
    const forebay::StageStatistics map = pipeline.statistics().stages.back();
    ASSERT_TRUE(map.processor_time.has_value());
    EXPECT_GE(map.processor_time->count(), 0);
  }
}

// proves: pipeline-statistics
TEST(PipelineStatistics, SayWhatTheyCount) {
  const auto units = [](const auto& data) {
    const forebay::PipelineStatistics statistics = data.run().statistics();
    std::vector<std::string> found;
    for (const forebay::StageStatistics& stage : statistics.stages) found.push_back(stage.unit);
    found.push_back(statistics.loop.unit);
    return found;
  };
  const auto numbers = range(9).map(2, [](int i) { return i; });
  EXPECT_EQ(units(range(9)), (std::vector<std::string>{"elements", "elements"}));
  EXPECT_EQ(units(range(9).batch(3)), (std::vector<std::string>{"batches", "batches"}));
  EXPECT_EQ(units(numbers.batch(3)), (std::vector<std::string>{"elements", "elements", "batches"}));
  EXPECT_EQ(units(range(9).batch(3).map(2, [](const Ints& batch) { return batch; })),
            (std::vector<std::string>{"batches", "batches", "batches"}));
  EXPECT_EQ(units(range(9).batch(3).prefetch(2).unbatch()),
            (std::vector<std::string>{"batches", "batches", "elements"}));
  EXPECT_EQ(units(range(9).batch(3).flat_map([](const Ints& batch) { return batch; })),
            (std::vector<std::string>{"elements", "elements"}));
  EXPECT_EQ(units(range(9).interleave({.cycle = 2, .prefetch = 2}, [](int) { return range(3); })),
            (std::vector<std::string>{"inputs", "inputs", "elements"}));
}

// proves: usable-cores
TEST(PipelineStatistics, HaveTheCoresThatTheProgramMayUse) {
  const EnvironmentVariable cores("FOREBAY_CORES", "37");
  EXPECT_EQ(range(3).run().statistics().cores, 37U);
}

// proves: pipeline-statistics
TEST(PipelineStatistics, OfOneThreadAreThoseOfAllStagesAndTheLoop) {
  auto pipeline = range(3).run();
  for (const int& element : pipeline) static_cast<void>(element);
  const forebay::PipelineStatistics found = pipeline.statistics();
  ASSERT_EQ(found.stages.size(), 1U);
  EXPECT_EQ(found.stages[0].elements, 3U);
  EXPECT_GT(found.stages[0].working.count(), 0);
  EXPECT_EQ(found.loop.starved + found.loop.working + found.loop.without_core, found.time);
  EXPECT_TRUE(contains(pipeline.report(), "\nall stages "));
}

}  // namespace
}  // namespace forebay_test
