// SPDX-License-Identifier: MIT
//
// reader_test.cpp: what a reader may do besides reading, in every place where readers are: take a Context.

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "forebay/dataset.hpp"
#include "forebay/fifo_queue.hpp"
#include "tests/support/await.hpp"
#include "tests/support/background.hpp"

#if __has_include(<poll.h>)
#include <poll.h>
#include <unistd.h>
#endif

namespace forebay_test {
namespace {

using forebay::Context;
using forebay::Dataset;
using forebay::FIFOQueue;
using forebay::from_callable;
using forebay::from_slices;
using forebay::per_epoch;
using forebay::Position;
using forebay::QueueStatus;

using Ints = std::vector<int>;
using Positions = std::vector<Position>;

template <class T>
std::vector<T> outputs_of(const Dataset<T>& data) {
  std::vector<T> outputs;
  for (T& output : data.run()) outputs.push_back(std::move(output));
  return outputs;
}

const auto same = [](int number) { return number; };

// ---- A reader with a Context learns of a stop

/// Waits in a queue until there is something, or the pipeline stops.
struct OfQueue {
  FIFOQueue<int>* queue;
  [[nodiscard]] auto operator()(const Context& context) const { return queue->dequeue(context.until_stop()); }
};

struct Blocking {
  const char* name;
  Dataset<int> (*data)(FIFOQueue<int>& queue);
};

class BlockingReader : public testing::TestWithParam<Blocking> {};

INSTANTIATE_TEST_SUITE_P(
    Places, BlockingReader,
    testing::Values(Blocking{"Returning",
                             [](FIFOQueue<int>& queue) -> Dataset<int> { return from_callable(OfQueue{&queue}); }},
                    Blocking{"Filling",
                             [](FIFOQueue<int>& queue) -> Dataset<int> {
                               return from_callable([&queue](int& into, Context& context) {
                                 const auto element = queue.dequeue(context.until_stop());
                                 if (element) into = *element;
                                 return element.has_value();
                               });
                             }},
                    Blocking{"MadePerEpoch",
                             [](FIFOQueue<int>& queue) -> Dataset<int> {
                               return from_callable(per_epoch([&queue] { return OfQueue{&queue}; }));
                             }},
                    Blocking{"OfFlatMap",
                             [](FIFOQueue<int>& queue) -> Dataset<int> {
                               return from_slices({0}).flat_map([&queue](int) { return OfQueue{&queue}; });
                             }},
                    Blocking{"OfInterleave",
                             [](FIFOQueue<int>& queue) -> Dataset<int> {
                               return from_slices({0, 1}).interleave(2, 1, [&queue](int) { return OfQueue{&queue}; });
                             }},
                    Blocking{"OfInterleaveWithThreads",
                             [](FIFOQueue<int>& queue) -> Dataset<int> {
                               return from_slices({0, 1}).interleave({.cycle = 2, .block = 1, .prefetch = 4},
                                                                     [&queue](int) { return OfQueue{&queue}; });
                             }}),
    [](const auto& test) { return std::string(test.param.name); });

TEST_P(BlockingReader, DoesNotHoldUpTheEndOfAPipeline) {
  FIFOQueue<int> queue(1);
  for (const int threads : {1, 3}) {
    const auto run = GetParam().data(queue).map({.threads = threads, .loop_helps = false}, same).run();
    ASSERT_TRUE(await([&] { return queue.waiting_consumers() > 0; }));
  }
  EXPECT_EQ(queue.waiting_consumers(), 0U);
}

TEST_P(BlockingReader, LetsTheLoopThatReadsSeeAStop) {
  FIFOQueue<int> queue(1);
  auto run = GetParam().data(queue).run();
  Background next([&] { return run.next().status(); });
  EXPECT_TRUE(await([&] { return queue.waiting_consumers() > 0; }));
  run.stop();
  EXPECT_EQ(next.get(), QueueStatus::stopped);
}

TEST_P(BlockingReader, ReadsUntilItsEnd) {
  FIFOQueue<int> queue(3);
  static_cast<void>(queue.enqueue_many({4, 4, 4}));
  queue.close();
  EXPECT_EQ(outputs_of(GetParam().data(queue)), (Ints{4, 4, 4}));
}

#if __has_include(<poll.h>)
/// Reads single bytes.
class PipeReader {
 public:
  PipeReader(int file, std::atomic<int>& polls) noexcept : file_(file), polls_(polls) {}

  std::optional<char> operator()(const Context& context) const {
    pollfd wanted{file_, POLLIN, 0};
    while (!context.should_stop()) {
      ++polls_;
      if (poll(&wanted, 1, 20) <= 0) continue;
      char byte = 0;
      return read(file_, &byte, 1) == 1 ? std::optional(byte) : std::nullopt;
    }
    return std::nullopt;
  }

 private:
  int file_;
  std::atomic<int>& polls_;
};

TEST(ReaderWithContext, OfAPipeThatIsNeverWrittenLetsThePipelineEnd) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  std::atomic<int> polls{0};
  {
    const auto run = from_callable(PipeReader(ends[0], polls)).map(2, [](char byte) { return byte; }).run();
    EXPECT_TRUE(await([&] { return polls > 0; }));
  }
  close(ends[1]);
  EXPECT_EQ(outputs_of(from_callable(PipeReader(ends[0], polls))), std::vector<char>());
  close(ends[0]);
}
#endif

// ---- What it returns then is neither an end nor a failure

/// 0, 1, 2, 3. Waits before 2 until it is told to stop, if `waits`.
struct Hesitating {
  FIFOQueue<int>* queue;
  bool waits;
  bool throws = false;
  int next = 0;

  std::optional<int> operator()(Context& context) {
    if (next == 2 && waits) {
      static_cast<void>(queue->dequeue(context.until_stop()));
      if (throws) throw std::runtime_error("it was stopped");
      return std::nullopt;
    }
    return next < 4 ? std::optional(next++) : std::nullopt;
  }
  [[nodiscard]] int cursor() const { return next; }
  void seek(int cursor) { next = cursor; }
};

/// Takes two outputs of a run whose reader then waits, stops it, and resumes.
template <class Data>
Ints outputs_after_stop(const Data& data) {
  FIFOQueue<int> queue(1);
  std::string checkpoint;
  {
    auto run = data(Hesitating{&queue, true}).run();
    EXPECT_TRUE(run.next());
    EXPECT_TRUE(run.next());
    Background next([&] { return run.next().status(); });
    EXPECT_TRUE(await([&] { return queue.waiting_consumers() > 0; }));
    run.stop();
    EXPECT_EQ(next.get(), QueueStatus::stopped);
    checkpoint = run.checkpoint();
  }
  Ints outputs;
  for (const int output : data(Hesitating{&queue, false}).run(checkpoint)) outputs.push_back(output);
  return outputs;
}

TEST(ReaderWithContext, IsNotAtItsEndWhenItReturnsNothingAfterAStop) {
  EXPECT_EQ(outputs_after_stop([](auto reader) { return from_callable(reader); }), (Ints{2, 3}));
  EXPECT_EQ(
      outputs_after_stop([](auto reader) { return from_callable(reader).map({.threads = 2, .chunk = 1}, same); }),
      (Ints{2, 3}));
}

TEST(ReaderWithContext, OfAnInputIsNotAtItsEndWhenItReturnsNothingAfterAStop) {
  EXPECT_EQ(outputs_after_stop([](auto reader) { return from_slices({0}).flat_map([=](int) { return reader; }); }),
            (Ints{2, 3}));
  const auto with_thread = [](auto reader) {
    return from_slices({0}).interleave({.cycle = 1, .block = 1, .prefetch = 4}, [=](int) { return reader; });
  };
  EXPECT_EQ(outputs_after_stop(with_thread), (Ints{2, 3}));
}

TEST(ReaderWithContext, HasNotFailedWhenItThrowsAfterAStop) {
  FIFOQueue<int> queue(1);
  auto run = from_callable(Hesitating{&queue, true, true, 2}).run();
  Background next([&] { return run.next().status(); });
  EXPECT_TRUE(await([&] { return queue.waiting_consumers() > 0; }));
  run.stop();
  EXPECT_EQ(next.get(), QueueStatus::stopped);
}

// ---- Positions and draws

/// `last` elements: what it draws, and the position it is told.
struct Drawing {
  int last;
  int next = 0;

  std::optional<std::pair<Position, std::uint64_t>> operator()(Context& context) {
    if (next == last) return std::nullopt;
    ++next;
    return std::pair(context.position(), context.draw()());
  }
  [[nodiscard]] int cursor() const { return next; }
  void seek(int cursor) { next = cursor; }
};

TEST(ReaderWithContext, IsToldThePositionsOfItsElements) {
  Positions positions;
  for (const auto& [position, drawn] : outputs_of(from_callable(Drawing{2}).repeat(2))) positions.push_back(position);
  EXPECT_EQ(positions, (Positions{{0, 0}, {0, 1}, {1, 0}, {1, 1}}));
}

TEST(ReaderWithContext, OfAnInputIsToldHowManyOfItsElementsItHasRead) {
  Positions positions;
  const auto data = from_slices({2, 1}).flat_map([](int count) { return Drawing{count}; });
  for (const auto& [position, drawn] : outputs_of(data)) positions.push_back(position);
  EXPECT_EQ(positions, (Positions{{0, 0}, {0, 1}, {0, 0}}));
}

TEST(ReaderWithContext, DrawsTheSameInEveryRunAndOtherwiseInEveryElement) {
  const auto inputs = from_slices({3, 3}).seed(7);
  const auto open = [](int count) { return Drawing{count}; };
  const auto check = [](const auto& data) {
    const auto outputs = outputs_of(data);
    EXPECT_EQ(outputs, outputs_of(data));
    std::set<std::uint64_t> drawn;
    for (const auto& output : outputs) drawn.insert(output.second);
    EXPECT_EQ(drawn.size(), outputs.size());
  };
  check(from_callable(Drawing{4}).repeat(2));
  check(inputs.flat_map(open).repeat(2));
  EXPECT_EQ(outputs_of(inputs.interleave(2, 1, open)),
            outputs_of(inputs.interleave({.cycle = 2, .block = 1, .prefetch = 4}, open)));
}

TEST(ReaderWithContext, DrawsTheSameAfterAResume) {
  const auto check = [](const auto& data) {
    auto outputs = outputs_of(data);
    std::optional<std::string> checkpoint;
    for (const auto& output : outputs) {
      auto run = data.run(checkpoint);
      EXPECT_EQ(run.next().value(), output);
      checkpoint = run.checkpoint();
    }
  };
  check(from_callable(Drawing{2}).repeat(2));
  check(from_slices({3, 3}).flat_map([](int count) { return Drawing{count}; }));
}

}  // namespace
}  // namespace forebay_test
