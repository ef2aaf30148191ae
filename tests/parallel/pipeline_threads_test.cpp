// SPDX-License-Identifier: MIT
//
// pipeline_threads_test.cpp: what threads() reports about a pipeline: which thread waits for what.

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <latch>
#include <optional>
#include <semaphore>
#include <string>
#include <thread>
#include <utility>

#include "forebay/dataset.hpp"
#include "forebay/from_queue.hpp"
#include "forebay/progress_watch.hpp"
#include "tests/support/activity_texts.hpp"
#include "tests/support/await.hpp"
#include "tests/support/background.hpp"
#include "tests/support/contains.hpp"
#include "tests/support/scaled_time.hpp"
#include "tests/support/thrown.hpp"

namespace forebay_test {
namespace {

using forebay::Dataset;
using forebay::Pipeline;
using forebay::range;

/// Runs in two threads beside the loop.
Dataset<int> decoded(
    const Dataset<int>& data, const std::function<int(int)>& decode = [](int i) { return i; }) {
  return data.map({.threads = 2, .ahead = 2, .chunk = 1, .loop_helps = false}, decode).named("decode");
}

/// Returns whether both threads of decoded() wait for room. A thread that was overtaken while it waited for its turn
/// still reports that.
bool decoders_wait(const Texts& texts) {
  const auto waits = [&](const std::string& decoder) {
    return texts.count(decoder + " waits for room ahead of decode") +
               texts.count(decoder + " waits for its turn at the input of decode") ==
           1;
  };
  return waits("decode-0") && waits("decode-1");
}

/// Returns whether one thread of decoded() waits for an element of the queue, and the other one for its turn.
bool decoders_wait_for_input(const Texts& texts, const std::string& queue) {
  const auto one_waits_for = [&](const std::string& awaited) {
    return texts.count("decode-0 waits for " + awaited) + texts.count("decode-1 waits for " + awaited) == 1;
  };
  return one_waits_for("dequeue of " + queue) && one_waits_for("its turn at the input of decode");
}

/// Takes all outputs, until the pipeline ends.
auto taking_all(Pipeline<int>& pipeline) {
  return [&] {
    int taken = 0;
    while (pipeline.next()) ++taken;
    return taken;
  };
}

TEST(PipelineThreads, WaitForRoomWhileTheLoopRuns) {
  Pipeline<int> pipeline(decoded(range(100)));
  EXPECT_TRUE(await([&] {
    const Texts texts = texts_of(pipeline.threads());
    return decoders_wait(texts) && texts.count("loop runs") == 1;
  }));
}

TEST(PipelineThreads, RunTheFunctionForWhichTheOthersWait) {
  std::latch released(1);
  Pipeline<int> pipeline(decoded(range(1), [&](int i) { return released.wait(), i; }));
  Background loop(taking_all(pipeline));
  EXPECT_TRUE(await([&] {
    const Texts texts = texts_of(pipeline.threads());
    return texts.count("decode-0 runs") + texts.count("decode-1 runs") == 1 &&
           texts.count("loop waits for an output of decode") == 1;
  }));
  released.count_down();
  EXPECT_EQ(loop.get(), 1);
}

// proves: thread-activity
TEST(PipelineThreads, WaitForTheirTurnAtAnInputThatDoesNotCome) {
  forebay::FIFOQueue<int> files(1);
  files.set_name("files");
  Pipeline<int> pipeline(decoded(from_queue(files)));
  Background loop(taking_all(pipeline));
  Background another(taking_all(pipeline));
  const auto read = [&](const char* reads, const char* waits) {
    return Texts{std::string(reads) + " waits for dequeue of files",
                 std::string(waits) + " waits for its turn at the input of decode",
                 "loop waits for an output of decode", "loop waits for its turn at the outputs of the pipeline"};
  };
  const Texts one = read("decode-0", "decode-1");
  const Texts other = read("decode-1", "decode-0");
  EXPECT_TRUE(await([&] {
    const Texts texts = texts_of(pipeline.threads());
    return texts == one || texts == other;
  }));
  pipeline.stop();
  static_cast<void>(loop.get());
  static_cast<void>(another.get());
}

TEST(PipelineThreads, OfAPipelineWithoutThreadsAreTheLoop) {
  forebay::FIFOQueue<int> files(1);
  Pipeline<int> pipeline(from_queue(files));
  EXPECT_EQ(texts_of(pipeline.threads()), Texts{"loop runs"});
  Background loop(taking_all(pipeline));
  EXPECT_TRUE(come_to(pipeline, {"loop waits for dequeue of FIFOQueue"}));
  files.close();
  EXPECT_EQ(loop.get(), 0);
}

TEST(PipelineThreads, OfAnInterleaveWaitForRoomAndTheLoopForAnInput) {
  forebay::FIFOQueue<int> files(1);
  const auto open = [&](int i) { return i == 0 ? from_queue(files) : range(100).take(100); };
  Pipeline<int> pipeline(range(2).interleave({.cycle = 2, .block = 1, .prefetch = 2}, open).named("read"));
  Background loop(taking_all(pipeline));
  EXPECT_TRUE(await([&] {
    const Texts texts = texts_of(pipeline.threads());
    return texts.count("loop waits for an input of read") == 1 &&
           texts.count("read-0 waits for room ahead of read") + texts.count("read-1 waits for room ahead of read") ==
               1;
  }));
  pipeline.stop();
  static_cast<void>(loop.get());
}

TEST(PipelineThreads, ThatHelpForEachWaitForRoomNoLongerThanUntilAStop) {
  std::latch known(1);
  std::latch released(1);
  std::thread::id loop_id;
  const auto decode = [&](int i) {
    known.wait();
    if (std::this_thread::get_id() != loop_id) released.wait();
    return i;
  };
  Pipeline<int> pipeline(range(100).repeat().map({.threads = 2, .ahead = 1, .chunk = 1}, decode));
  Background loop([&] {
    loop_id = std::this_thread::get_id();
    known.count_down();
    pipeline.for_each([](int) {});
    return true;
  });
  EXPECT_TRUE(come_to(pipeline, {"map-1 runs", "loop waits for room ahead of map"}));
  pipeline.stop();
  EXPECT_TRUE(loop.get()) << "while the function still runs";
  released.count_down();
}

TEST(PipelineThreads, ThatHelpForEachWorkOrWaitLikeTheOthers) {
  std::latch released(1);
  const auto decode = [&](int i) { return i < 2 ? (released.wait(), i) : i; };
  Pipeline<int> pipeline(range(2).map({.threads = 2, .chunk = 1}, decode));
  Background loop([&] {
    int steps = 0;
    pipeline.for_each([&](int) { ++steps; });
    return steps;
  });
  EXPECT_TRUE(come_to(pipeline, {"map-1 runs", "loop runs"}));
  released.count_down();
  EXPECT_EQ(loop.get(), 2);
}

TEST(PipelineThreads, TellTheLoopAsOneThatACoordinatorHasLaunched) {
  forebay::Coordinator coordinator;
  forebay::FIFOQueue<int> files(1);
  Pipeline<int> pipeline(decoded(from_queue(files)), coordinator);
  coordinator.launch("trainer", [&] { static_cast<void>(pipeline.next()); });
  EXPECT_TRUE(
      await([&] { return texts_of(coordinator.threads()) == Texts{"trainer waits for an output of decode"}; }));
  EXPECT_EQ(texts_of(pipeline.threads()).count("loop waits for an output of decode"), 1U);
  coordinator.request_stop();
  coordinator.join();
}

// proves: progress-watch
TEST(PipelineThreads, OfAQueueThatTheLoopItselfFillsAreADeadlockThatAWatchEnds) {
  forebay::FIFOQueue<int> images(4);
  images.set_name("images");
  ASSERT_EQ(images.enqueue(1), forebay::QueueStatus::ok);
  Pipeline<int> pipeline(decoded(from_queue(images)));
  Background watching([&] {
    EXPECT_TRUE(await([&] {
      const Texts texts = texts_of(pipeline.threads());
      return texts.count("loop waits for an output of decode") == 1 && decoders_wait_for_input(texts, "images") &&
             pipeline.position().number == 3;
    }));
    const forebay::ProgressWatch watch(
        pipeline, [](const forebay::Stall& stall) { throw Failure(to_string(stall)); }, short_time());
    return await([&] { return pipeline.should_stop(); });
  });
  int taken = 0;
  for (const int image : pipeline) {
    if (++taken < 3) static_cast<void>(images.enqueue(image));
  }
  EXPECT_EQ(taken, 3);
  EXPECT_TRUE(watching.get());
  const std::string message = message_of<Failure>([&] { pipeline.join(); });
  EXPECT_TRUE(contains(message, " waits for its turn at the input of decode ("));
  EXPECT_TRUE(contains(message, " waits for dequeue of images ("));
  EXPECT_TRUE(contains(message, "loop waits for an output of decode ("));
}

// ---- Progress, and a watch

/// Lets a function of a pipeline process one element at a time.
class Permits {
 public:
  /// Waits for a permit.
  void take() { permits_.acquire(); }
  void give(int count = 1) { permits_.release(count); }

 private:
  std::counting_semaphore<> permits_{0};
};

/// Returns whether each of `count` permits makes progress() grow.
template <class Watched>
bool grows_with_each(const Watched& watched, Permits& permits, int count) {
  for (int i = 0; i < count; ++i) {
    const std::uint64_t before = watched.progress();
    permits.give();
    if (!await([&] { return watched.progress() > before; })) return false;
  }
  return true;
}

// proves: watch-silent
TEST(PipelineThreads, MakeProgressWithEachElementOfAChunk) {
  Permits permits;
  const auto decode = [&](int i) { return permits.take(), i; };
  Pipeline<int> pipeline(range(100).map({.threads = 1, .chunk = 100, .loop_helps = false}, decode));
  EXPECT_TRUE(grows_with_each(pipeline, permits, 50));
  permits.give(100);
}

// proves: watch-silent
TEST(PipelineThreads, MakeProgressWithEachElementThatIsRead) {
  Permits permits;
  const auto read = [&, i = 0]() mutable -> std::optional<int> { return permits.take(), i++; };
  Pipeline<int> pipeline(
      forebay::from_callable(read).map({.threads = 1, .chunk = 100, .loop_helps = false}, [](int i) { return i; }));
  EXPECT_TRUE(grows_with_each(pipeline, permits, 50));
  pipeline.stop();
  permits.give(100);
}

// proves: watch-silent
TEST(PipelineThreads, MakeProgressWithEachElementThatIsReadOfAnInputOfAnInterleave) {
  Permits permits;
  const auto open = [&](int) {
    return forebay::from_callable([&, i = 0]() mutable -> std::optional<int> { return permits.take(), i++; });
  };
  Pipeline<int> pipeline(range(1).interleave({.cycle = 1, .block = 1, .prefetch = 100}, open));
  EXPECT_TRUE(grows_with_each(pipeline, permits, 20));
  pipeline.stop();
  permits.give(200);
}

// proves: watch-silent
TEST(PipelineThreads, MakeProgressWhereTheLoopTakesWhatIsReady) {
  forebay::Coordinator coordinator;
  Pipeline<int> pipeline(decoded(range(2)), coordinator);
  EXPECT_TRUE(await([&] { return pipeline.statistics().stages.back().elements == 2; }));
  std::uint64_t before = pipeline.progress();
  EXPECT_TRUE(await([&] { return before == std::exchange(before, pipeline.progress()); }));
  ASSERT_TRUE(pipeline.next());
  EXPECT_GT(pipeline.progress(), before);
  before = pipeline.progress();
  EXPECT_GE(coordinator.progress(), before) << "it is attached";
}

// proves: progress-watch
TEST(PipelineThreads, MakeNoProgressWhereTheLoopAsksAgainAndAgain) {
  forebay::FIFOQueue<int> files(1);
  Pipeline<int> pipeline(decoded(from_queue(files)));
  EXPECT_TRUE(await([&] { return decoders_wait_for_input(texts_of(pipeline.threads()), "FIFOQueue"); }));
  const std::uint64_t before = pipeline.progress();
  for (int i = 0; i < 10; ++i) {
    EXPECT_FALSE(pipeline.next(std::chrono::microseconds(1)));
    EXPECT_FALSE(pipeline.next(forebay::no_wait));
    EXPECT_EQ(pipeline.progress(), before);
  }
}

/// What a watch reports about a pipeline in which nothing moves from now on. It stops the pipeline.
class Report {
 public:
  template <class Watched>
  explicit Report(Watched& watched)
      : watch_(
            watched,
            [this, &watched](const forebay::Stall& stall) {
              stall_ = stall;
              watched.stop();  // first, because a loop that continues after the report must find the end
              reported_.count_down();
            },
            short_time()) {}

  [[nodiscard]] Texts in_user_code() { return wait(), texts_of(stall_.in_user_code); }
  [[nodiscard]] Texts waiting() { return wait(), texts_of(stall_.waiting); }
  void wait() { reported_.wait(); }

 private:
  std::latch reported_{1};
  forebay::Stall stall_;
  forebay::ProgressWatch watch_;
};

// proves: progress-watch
TEST(PipelineThreads, OfAFunctionThatHangsAreReportedByAWatch) {
  std::latch hangs(1);
  std::latch released(1);
  const auto decode = [&](int i) {
    if (i == 7) hangs.count_down(), released.wait();
    return i;
  };
  Pipeline<int> pipeline(range(100).map({.threads = 1, .chunk = 1, .loop_helps = false}, decode).named("decode"));
  Background loop(taking_all(pipeline));
  hangs.wait();
  EXPECT_TRUE(come_to(pipeline, {"decode-0 runs", "loop waits for an output of decode"}));
  Report report(pipeline);
  EXPECT_EQ(report.in_user_code(), Texts{"decode-0 runs"});
  EXPECT_EQ(report.waiting(), Texts{"loop waits for an output of decode"});
  released.count_down();
  EXPECT_EQ(loop.get(), 7);
}

// proves: progress-watch
TEST(PipelineThreads, OfAReaderThatHangsAreReportedByAWatch) {
  std::latch hangs(1);
  std::latch released(1);
  const auto read = [&]() -> std::optional<int> { return hangs.count_down(), released.wait(), std::nullopt; };
  Pipeline<int> pipeline(
      forebay::from_callable(read).map({.threads = 1, .loop_helps = false}, [](int i) { return i; }));
  Background loop(taking_all(pipeline));
  hangs.wait();
  EXPECT_TRUE(come_to(pipeline, {"map-0 runs", "loop waits for an output of map"}));
  Report report(pipeline);
  EXPECT_EQ(report.in_user_code(), Texts{"map-0 runs"});
  released.count_down();
  EXPECT_EQ(loop.get(), 0);
}

// proves: progress-watch
TEST(PipelineThreads, OfALoopWhoseStepHangsAreReportedByAWatch) {
  Pipeline<int> pipeline(decoded(range(100)));
  std::optional<Report> report;
  for (const int output : pipeline) {
    if (output < 3) continue;
    EXPECT_TRUE(await([&] { return decoders_wait(texts_of(pipeline.threads())); }));
    report.emplace(pipeline);
    report->wait();
  }
  EXPECT_EQ(report->in_user_code(), Texts{"loop runs"});
  EXPECT_TRUE(decoders_wait(report->waiting()));
}

// proves: progress-watch
TEST(PipelineThreads, OfALoopWhoseLastStepHangsAreReportedByAWatch) {
  Pipeline<int> pipeline(range(3));
  std::optional<Report> report;
  for (const int output : pipeline) {
    if (output < 2) continue;
    report.emplace(pipeline);
    report->wait();
  }
  EXPECT_EQ(report->in_user_code(), Texts{"loop runs"});
}

// proves: progress-watch
TEST(PipelineThreads, OfAForEachWhoseStepHangsAreReportedByAWatch) {
  std::latch hangs(1);
  std::latch released(1);
  Pipeline<int> pipeline(range(100));
  Background loop([&] {
    pipeline.for_each([&](int i) {
      if (i == 3) hangs.count_down(), released.wait();
    });
    return true;
  });
  hangs.wait();
  Report report(pipeline);
  EXPECT_EQ(report.in_user_code(), Texts{"loop runs"});
  released.count_down();
  EXPECT_TRUE(loop.get());
}

// proves: progress-watch
TEST(PipelineThreads, OfALoopThatPollsAreReportedByAWatch) {
  forebay::FIFOQueue<int> files(1);
  Pipeline<int> pipeline(from_queue(files));
  Report report(pipeline);
  while (!pipeline.should_stop()) static_cast<void>(pipeline.next(std::chrono::milliseconds(1)));
  report.wait();
}

// proves: progress-watch
TEST(PipelineThreads, OfAPipelineThatHasEndedAreNone) {
  Pipeline<int> pipeline(range(3));
  while (pipeline.next()) {
  }
  EXPECT_EQ(texts_of(pipeline.threads()), Texts());
}

// proves: thread-activity
TEST(PipelineThreads, MayBeAskedForWhileItRunsAndByWhatRunsInIt) {
  std::optional<Pipeline<int>> pipeline;
  pipeline.emplace(decoded(range(500), [&](int i) { return i; }));
  std::latch over(1);
  Background asking([&] {
    std::size_t seen = 0;
    while (!over.try_wait()) {
      seen += to_string(pipeline->threads()).size() + pipeline->progress();
      std::this_thread::yield();
    }
    return seen;
  });
  pipeline->for_each([&](int i) {
    if (i % 100 == 0) {
      EXPECT_GE(pipeline->threads().size(), 2U);
    }
  });
  over.count_down();
  static_cast<void>(asking.get());
}

}  // namespace
}  // namespace forebay_test
