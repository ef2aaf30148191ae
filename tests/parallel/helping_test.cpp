// SPDX-License-Identifier: MIT
//
// helping_test.cpp: the loop's thread and the workers of a parallel stage share chunks. Tests which thread claims,
// which one works, and what a call returns when its wait ends.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <latch>
#include <optional>
#include <string>
#include <stdexcept>
#include <thread>
#include <vector>

#include "forebay/coordinator.hpp"
#include "forebay/dataset.hpp"
#include "tests/support/activity_texts.hpp"
#include "tests/support/await.hpp"
#include "tests/support/background.hpp"
#include "tests/support/numbers.hpp"
#include "tests/support/this_thread.hpp"

namespace forebay_test {
namespace {

using forebay::Context;
using forebay::Coordinator;
using forebay::from_callable;
using forebay::from_slices;
using forebay::MapOptions;
using forebay::no_wait;
using forebay::per_epoch;
using forebay::Pipeline;
using forebay::QueueStatus;
using forebay::range;

using Ints = std::vector<int>;

/// Waits until a thread that takes outputs waits for an output of the stage "map".
bool loop_waits(const Pipeline<int>& pipeline) {
  return await([&] { return texts_of(pipeline.threads()).count("loop waits for an output of map") == 1; });
}

bool is_this_thread(std::thread::id id) { return std::this_thread::get_id() == id; }

/// A reader without cursor and seek. It returns the numbers from 0, and calls `before` with each number first.
template <class Before>
auto plain_reader(int count, const Before& before) {
  return [count, &before, next = 0]() mutable -> std::optional<int> {
    before(next);
    return next < count ? std::optional(next++) : std::nullopt;
  };
}

// ---- Claiming and working

TEST(APlainReader, HasTheHelpOfTheLoopButIsNeverReadByIt) {
  const auto loop = std::this_thread::get_id();
  std::latch loop_is_there(1);
  std::atomic<int> read_by_loop = 0;
  std::atomic<int> made_by_loop = 0;
  const auto before = [&](int /*next*/) {
    loop_is_there.wait();
    if (is_this_thread(loop)) ++read_by_loop;
  };
  const auto work = [&](int i) {
    if (is_this_thread(loop)) ++made_by_loop;
    EXPECT_TRUE(await([&] { return made_by_loop > 0; })) << "chunks are claimed for the loop";
    return i;
  };
  auto pipeline = from_callable(plain_reader(400, before)).map(2, work).run();
  Background watcher([&] {
    const bool waits = loop_waits(pipeline);
    loop_is_there.count_down();
    return waits;
  });
  EXPECT_EQ(drained(pipeline), numbers(400));
  EXPECT_TRUE(watcher.get());
  EXPECT_EQ(read_by_loop, 0);
}

TEST(APlainReader, IsNotReadByTheLoopOfForEachEither) {
  const auto loop = std::this_thread::get_id();
  std::atomic<int> read_by_loop = 0;
  const auto before = [&](int /*next*/) {
    if (is_this_thread(loop)) ++read_by_loop;
  };
  const auto data = from_callable(plain_reader(400, before)).map({.threads = 3, .chunk = 4}, [](int i) { return i; });
  Ints outputs;
  auto pipeline = data.run();
  pipeline.for_each([&](int i) { outputs.push_back(i); });
  EXPECT_EQ(outputs, numbers(400));
  EXPECT_EQ(read_by_loop, 0);
}

// Each chunk is claimed while the loop's thread waits for one, so the other thread must claim another one for itself.
TEST(APlainReader, HasTheHelpOfTheLoopOfForEachWithEachChunk) {
  const auto loop = std::this_thread::get_id();
  std::atomic<const Pipeline<int>*> running = nullptr;
  std::atomic<int> made_by_loop = 0;
  const auto before = [&](int next) {
    if (next > 0) return;
    EXPECT_TRUE(await([&] { return running != nullptr; }));
    const std::string waits = "loop waits for a chunk to work on of map";
    EXPECT_TRUE(await([&] { return texts_of(running.load()->threads()).count(waits) == 1; }));
  };
  const auto work = [&](int i) {
    if (is_this_thread(loop)) ++made_by_loop;
    EXPECT_TRUE(await([&] { return made_by_loop > 0; })) << "chunks are claimed for the loop";
    return i;
  };
  auto pipeline = from_callable(plain_reader(400, before)).map(2, work).run();
  running = &pipeline;
  Ints outputs;
  pipeline.for_each([&](int i) { outputs.push_back(i); });
  EXPECT_EQ(outputs, numbers(400));
}

/// Returns the numbers below `last`. Waits before 3 until it is `released`. Can seek.
struct WaitsBeforeThree {
  std::thread::id loop;
  std::latch* released;
  int last;
  int next = 0;

  std::optional<int> operator()(const Context& /*context*/) {
    EXPECT_FALSE(is_this_thread(loop));
    if (next == 3) released->wait();
    return next < last ? std::optional(next++) : std::nullopt;
  }
  [[nodiscard]] int cursor() const { return next; }
  void seek(int cursor) { next = cursor; }
};

TEST(AReaderWithContext, IsNotReadByTheLoopEvenIfItCanSeek) {
  const auto loop = std::this_thread::get_id();
  const auto check = [](const auto& data, std::latch& released) {
    auto pipeline = data.map({.threads = 2, .chunk = 1}, [](int i) { return i; }).run();
    for (int i = 0; i < 3; ++i) ASSERT_EQ(pipeline.next().value(), i);
    released.count_down();
    EXPECT_EQ(drained(pipeline), (Ints{3, 4}));
  };
  std::latch source_released(1);
  check(from_callable(WaitsBeforeThree{loop, &source_released, 5}), source_released);
  std::latch inner_released(1);
  const auto open = [&](int last) { return WaitsBeforeThree{loop, &inner_released, last}; };
  check(from_slices({5}).flat_map(open), inner_released);
}

TEST(APlainReader, ThatBlocksHoldsUpNoOutputThatIsReady) {
  std::latch released(1);
  const auto before = [&](int next) {
    if (next == 8) released.wait();
  };
  auto pipeline =
      from_callable(plain_reader(12, before)).map({.threads = 2, .chunk = 2}, [](int i) { return i; }).run();
  for (int i = 0; i < 8; ++i) ASSERT_EQ(pipeline.next().value(), i);
  released.count_down();
  EXPECT_EQ(drained(pipeline), (Ints{8, 9, 10, 11}));
}

// ---- Stops

/// The loop works on a chunk of four elements when `stop` ends its wait; the other thread's chunk stays unfinished.
/// Returns how many elements the loop made before it returned.
template <class Stop, class Request>
int made_after_stop(const Stop& stop, const Request& request) {
  const auto loop = std::this_thread::get_id();
  std::latch released(1);
  std::atomic<int> made_by_loop = 0;
  const auto work = [&](int i) {
    if (!is_this_thread(loop)) {
      released.wait();
    } else {
      ++made_by_loop;
      request();
    }
    return i;
  };
  // The batch after it makes the map fill its chunks, however slow the claim is.
  auto pipeline = range(40).map({.threads = 2, .chunk = 4}, work).batch(4).unbatch().run();
  EXPECT_EQ(pipeline.next(stop).status(), QueueStatus::stopped);
  const int made = made_by_loop;
  released.count_down();
  EXPECT_EQ(drained(pipeline), numbers(40)) << "others go on with what the loop has begun";
  return made;
}

TEST(ACallThatHelps, ReturnsWhenACoordinatorStopsBetweenTwoElements) {
  Coordinator stop;
  EXPECT_EQ(made_after_stop(stop, [&] { stop.request_stop(); }), 1);
}

#if defined(__cpp_lib_jthread)
TEST(ACallThatHelps, ReturnsWhenAStopTokenStopsBetweenTwoElements) {
  std::stop_source stop;
  EXPECT_EQ(made_after_stop(stop.get_token(), [&] { stop.request_stop(); }), 1);
}
#endif

TEST(ACallThatHelps, LeavesAChunkFromWhichPollsGoOn) {
  const auto loop = std::this_thread::get_id();
  std::latch loop_is_there(1);
  std::latch reader_blocks(1);
  std::latch released(1);
  Coordinator stop;
  const auto before = [&](int next) {
    loop_is_there.wait();
    if (next != 4) return;
    reader_blocks.count_down();
    released.wait();
  };
  std::atomic<int> made_by_others = 0;
  const auto work = [&](int i) {
    if (!is_this_thread(loop)) ++made_by_others;
    reader_blocks.wait();
    stop.request_stop();
    return i;
  };
  const auto data = from_callable(plain_reader(6, before)).map({.threads = 2, .ahead = 8, .chunk = 2}, work);
  auto pipeline = data.batch(2).unbatch().run();  // the batch makes the map fill its chunks
  Background watcher([&] {
    const bool waits = loop_waits(pipeline);
    loop_is_there.count_down();
    return waits;
  });
  EXPECT_EQ(pipeline.next(stop).status(), QueueStatus::stopped);
  Ints outputs;
  EXPECT_TRUE(await([&] {
    if (const auto output = pipeline.next(no_wait)) outputs.push_back(*output);
    return outputs.size() == 4;
  }));
  EXPECT_EQ(outputs, numbers(4));
  EXPECT_EQ(made_by_others, 0) << "the only other thread waits in the reader";
  released.count_down();
  EXPECT_TRUE(watcher.get());
  EXPECT_EQ(drained(pipeline), (Ints{4, 5}));
}

// ---- Latency

/// Reads the numbers from 0 slowly: the second one is ready only after the first one was taken.
template <class Options>
void expect_first_output_at_once(const Options& options) {
  const auto loop = std::this_thread::get_id();
  std::latch taken(1);
  std::atomic<const Pipeline<int>*> running = nullptr;
  bool loop_has_first = false;
  const auto before = [&](int next) {
    if (next == 0) {
      loop_has_first = is_this_thread(loop);
      EXPECT_TRUE(await([&] { return running != nullptr; }));
      EXPECT_TRUE(loop_has_first || loop_waits(*running));
      keep_busy(std::chrono::milliseconds(2));  // longer than a fast reader needs
    }
    if (next == 1 && !is_this_thread(loop)) taken.wait();
    // While another thread works on the first output, the loop may read the second element.
    EXPECT_TRUE(next != 1 || taken.try_wait() || !loop_has_first) << "the loop reads on, instead of taking the first";
  };
  struct Reader {
    std::function<void(int)> before;
    int next = 0;
    std::optional<int> operator()() {
      before(next);
      return next < 40 ? std::optional(next++) : std::nullopt;
    }
    [[nodiscard]] std::uint64_t cursor() const { return static_cast<std::uint64_t>(next); }
    void seek(std::uint64_t cursor) { next = static_cast<int>(cursor); }
  };
  auto pipeline = from_callable(Reader{before}).map(options, [](int i) { return i; }).run();
  running = &pipeline;
  EXPECT_EQ(pipeline.next().value(), 0);
  taken.count_down();
  Ints outputs = drained(pipeline);
  outputs.push_back(0);
  std::sort(outputs.begin(), outputs.end());
  EXPECT_EQ(outputs, numbers(40));
}

TEST(AnUnfilledChunk, IsPassedOnToALoopThatWaits) {
  expect_first_output_at_once(MapOptions{.threads = 2, .loop_helps = false});
}

TEST(AnUnfilledChunk, IsPassedOnToALoopThatHelps) { expect_first_output_at_once(MapOptions{.threads = 2}); }

TEST(AnUnfilledChunk, IsPassedOnInAnyOrder) {
  expect_first_output_at_once(MapOptions{.threads = 2, .order = forebay::any_order});
}

// ---- Epochs: pitfalls of claims that are ahead of the consumer

/// Fails at the beginning of epoch 1, after `consumer_left()` has returned.
struct FailsInSecondEpoch {
  std::function<void()> consumer_left;
  int epoch;
  int next = 0;
  std::optional<int> operator()() {
    if (epoch == 1) {
      consumer_left();
      throw std::runtime_error("epoch 1");
    }
    return next < 3 ? std::optional(next++) : std::nullopt;
  }
};

TEST(AFailureMetWhileReadingAhead, ComesBehindTheEpochBeforeIt) {
  std::latch failed(1);
  int epochs = 0;
  const auto open = [&] { return FailsInSecondEpoch{[&] { failed.count_down(); }, epochs++}; };
  auto pipeline = from_callable(per_epoch(open))
                      .repeat(2)
                      .map({.threads = 2, .chunk = 1, .loop_helps = false}, [](int i) { return i; })
                      .run();
  failed.wait();  // in the second epoch, before the consumer has taken any output of the first
  for (int i = 0; i < 3; ++i) ASSERT_EQ(pipeline.next().value(), i);
  EXPECT_THROW(static_cast<void>(pipeline.next()), forebay::DatasetError);
}

TEST(AClaimThatFails, EndsNoClaimsIfTheConsumerHasLeftItsEpochMeanwhile) {
  std::latch is_left(1);
  int epochs = 0;
  struct Reader {
    std::latch& is_left;
    int epoch;
    int next = 0;
    std::optional<int> operator()() {
      if (next == 2 && epoch == 0) {
        is_left.wait();
        throw std::runtime_error("behind what is wanted");
      }
      return next < 3 ? std::optional(10 * epoch + next++) : std::nullopt;
    }
  };
  const auto open = [&] { return Reader{is_left, epochs++}; };
  const auto same = [](int i) { return i; };
  auto pipeline = from_callable(per_epoch(open))
                      .map({.threads = 1, .chunk = 1, .loop_helps = false}, same)
                      .take(2)
                      .repeat(2)
                      .run();
  EXPECT_EQ(pipeline.next().value(), 0);
  EXPECT_EQ(pipeline.next().value(), 1);
  Background rest([&] { return drained(pipeline); });
  EXPECT_TRUE(loop_waits(pipeline));
  is_left.count_down();
  EXPECT_EQ(rest.get(), (Ints{10, 11}));
}

}  // namespace
}  // namespace forebay_test
