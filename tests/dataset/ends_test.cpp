// SPDX-License-Identifier: MIT
//
// ends_test.cpp: how a pipeline ends, and which calls report it: failures at every position, stops at every moment, and
// epochs that are left early.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "forebay/coordinator.hpp"
#include "forebay/dataset.hpp"
#include "forebay/fifo_queue.hpp"
#include "forebay/from_queue.hpp"
#include "forebay/monitored_session.hpp"
#include "tests/support/await.hpp"
#include "tests/support/background.hpp"
#include "tests/support/numbers.hpp"
#include "tests/support/thrown.hpp"
#include "tests/support/ways_to_run.hpp"

namespace forebay_test {
namespace {

using forebay::Context;
using forebay::Coordinator;
using forebay::Dataset;
using forebay::DatasetError;
using forebay::FIFOQueue;
using forebay::from_queue;
using forebay::MonitoredSession;
using forebay::no_wait;
using forebay::Out;
using forebay::Pipeline;
using forebay::QueueStatus;
using forebay::range;
using forebay::skip;
using forebay::zip;

using Ints = std::vector<int>;

template <class T>
struct Got {
  std::vector<T> outputs;
  std::exception_ptr failure;
};

/// Takes all outputs, and what follows them.
template <class T>
Got<T> got_from(Pipeline<T>& pipeline) {
  Got<T> got;
  got.failure = thrown_by([&] {
    for (T& output : pipeline) got.outputs.push_back(std::move(output));
    return 0;
  });
  return got;
}

auto failing_at(int number) {
  return [number](int i) { return i == number ? throw Failure("at " + std::to_string(i)) : i; };
}

class EndOf : public InEachWay {};
INSTANTIATE_TEST_SUITE_P(Ways, EndOf, ways_to_run(), name_of_way);

// ---- Failures

// proves: dataset-failure
TEST_P(EndOf, AFailureAtEachPlaceComesBehindAllOutputsBeforeIt) {
  for (int place = 0; place < 40; ++place) {
    auto of_map = range(40).map(options(), failing_at(place)).run();
    EXPECT_EQ(got_from(of_map).outputs, numbers(place));
    auto of_source = range(40).filter([=](int i) { return failing_at(place)(i) == i; });
    auto behind = of_source.map(options(), [](int i) { return i; }).run();
    const auto got = got_from(behind);
    EXPECT_EQ(got.outputs, numbers(place));
    EXPECT_NE(got.failure, nullptr);
  }
}

// proves: failure-drops
TEST_P(EndOf, AFailureAtEachPlaceComesBehindTheLastCompleteBatch) {
  for (int place = 0; place < 12; ++place) {
    auto pipeline = range(12).map(options(), failing_at(place)).batch(4).run();
    const auto got = got_from(pipeline);
    EXPECT_EQ(got.outputs.size(), static_cast<std::size_t>(place / 4));
    EXPECT_NE(got.failure, nullptr);
  }
}

// proves: failure-drops
TEST_P(EndOf, AFailureRightBehindACompleteBatchLosesItNot) {
  auto chunks_of_8 = options();
  chunks_of_8.chunk = 8;
  auto pipeline = range(12).map(chunks_of_8, failing_at(4)).batch(4).run();
  const auto got = got_from(pipeline);
  EXPECT_EQ(got.outputs, (std::vector<Ints>{{0, 1, 2, 3}}));
  EXPECT_NE(got.failure, nullptr);
}

TEST_P(EndOf, ABatchThatCannotBeMadeIsAFailureAndNoBatch) {
  const forebay::PaddingOptions<Ints> at_most_5{.shape = {5}};
  auto pipeline =
      range(12).map(options(), [](int i) { return Ints(i == 7 ? 9U : 3U, i); }).padded_batch(2, at_most_5).run();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(pipeline.next()->size(), 2U);
  EXPECT_THROW(static_cast<void>(pipeline.next()), DatasetError);
}

/// Emits five numbers in one call, and then fails.
struct FailsAtTheEnd {
  void operator()(int&& /*element*/, Out<int>& out) const {
    for (int i = 0; i < 5; ++i) out.emit(i);
    out.end();
  }
  static void finish(Out<int>& /*out*/) { throw Failure("at the end"); }
  [[nodiscard]] static std::string save() { return {}; }
  static void restore(std::string_view /*saved*/) {}
};

// proves: failure-drops
TEST_P(EndOf, AFailureBehindSeveralElementsOfOneCallLosesNoneOfThem) {
  const auto fives = range(1).apply(FailsAtTheEnd{});
  const auto outputs_of = [](const Dataset<int>& data, bool fails = true) {
    auto pipeline = data.map(options(), [](int i) { return i; }).run();
    const auto got = got_from(pipeline);
    EXPECT_EQ(got.failure != nullptr, fails);
    return got.outputs;
  };
  EXPECT_EQ(outputs_of(fives), numbers(5));
  EXPECT_EQ(outputs_of(fives.skip(2)), (Ints{2, 3, 4}));
  EXPECT_EQ(outputs_of(fives.skip(7)), Ints{});
  EXPECT_EQ(outputs_of(fives.take(6)), numbers(5));
  EXPECT_EQ(outputs_of(fives.take(5), false), numbers(5));
  EXPECT_EQ(outputs_of(fives.filter([](int i) { return i != 1; })), (Ints{0, 2, 3, 4}));
  EXPECT_EQ(outputs_of(fives.step_by(3)), (Ints{0, 3}));
  EXPECT_EQ(outputs_of(fives.batch(2).unbatch()), numbers(4));
  EXPECT_EQ(outputs_of(fives.batch(5).unbatch()), numbers(5));
  EXPECT_EQ(outputs_of(fives.repeat(2)), numbers(5));
  EXPECT_EQ(outputs_of(fives.repeat(2).seamless()), numbers(5));
  EXPECT_EQ(outputs_of(range(2).concatenate(fives)), (Ints{0, 1, 0, 1, 2, 3, 4}));
  EXPECT_EQ(outputs_of(range(2).flat_map([&](int /*i*/) { return Dataset<int>(fives); })), numbers(5));
  EXPECT_EQ(outputs_of(range(2).interleave(2, 1, [&](int /*i*/) { return Dataset<int>(fives); })),
            (Ints{0, 0, 1, 1, 2, 2, 3, 3, 4, 4}));
}

// proves: failure-drops
TEST_P(EndOf, AFailureBehindSeveralElementsOfOneCallLosesNoneOfThemInAResumedRun) {
  const auto data = range(1).apply(FailsAtTheEnd{}).map(options(), [](int i) { return i; });
  for (int place = 0; place < 5; ++place) {
    std::string checkpoint;
    Ints outputs;
    {
      auto pipeline = data.run();
      for (int i = 0; i < place; ++i) outputs.push_back(*pipeline.next());
      checkpoint = pipeline.checkpoint();
    }
    auto resumed = data.run(checkpoint);
    const auto got = got_from(resumed);
    outputs.insert(outputs.end(), got.outputs.begin(), got.outputs.end());
    EXPECT_EQ(outputs, numbers(5)) << place;
    EXPECT_NE(got.failure, nullptr);
  }
}

/// Leaves its first epoch after one batch.
struct LeavesTheFirstEpoch {
  void operator()(Ints&& batch, Out<Ints>& out) {
    out.emit(std::move(batch));
    if (std::exchange(*is_first, false)) out.end();
  }
  std::shared_ptr<bool> is_first = std::make_shared<bool>(true);  // shared by the copies of all epochs
};

TEST_P(EndOf, AFailureRightBehindACompleteBatchOfALaterEpochIsTold) {
  auto chunks_of_8 = options();
  chunks_of_8.chunk = 8;
  const auto data = range(12).map(chunks_of_8, [](int i, forebay::Context& context) {
    return failing_at(context.position().epoch == 1 ? 4 : -1)(i);
  });
  auto pipeline = data.batch(4).repeat(2).apply(LeavesTheFirstEpoch()).run();
  const auto got = got_from(pipeline);
  EXPECT_EQ(got.outputs, (std::vector<Ints>{{0, 1, 2, 3}, {0, 1, 2, 3}}));
  EXPECT_NE(got.failure, nullptr);
}

// proves: dataset-failure
TEST_P(EndOf, QueueErrorsThatAFunctionThrowsAreFailures) {
  const auto data = range(3).map(options(), [](int i) {
    if (i == 1) throw forebay::OutOfRangeError("of another queue");
    if (i == 2) throw forebay::CancelledError("of another queue");
    return i;
  });
  auto pipeline = data.run();
  EXPECT_EQ(pipeline.next().value(), 0);
  EXPECT_EQ(message_of<DatasetError>([&] { return pipeline.next(); }),
            "forebay: map, epoch 0, number 1: of another queue");
}

// proves: end-repeats
TEST_P(EndOf, AFailureIsToldToAllThreads) {
  auto pipeline = range(300).map(options(), failing_at(200)).run();
  std::mutex mutex;
  Ints all;
  std::atomic<int> failures = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 3; ++i) {
      threads.emplace_back([&] {
        const auto got = got_from(pipeline);
        if (got.failure != nullptr) ++failures;
        const std::scoped_lock lock(mutex);
        all.insert(all.end(), got.outputs.begin(), got.outputs.end());
      });
    }
  }
  std::sort(all.begin(), all.end());
  EXPECT_EQ(all, numbers(200));
  EXPECT_EQ(failures, 3);
}

// proves: failure-ahead
TEST_P(EndOf, AFailureBehindTheEndOfAShorterInputIsDropped) {
  auto pipeline = forebay::zip(range(5), range(20).map(options(), failing_at(5))).run();
  const auto got = got_from(pipeline);
  EXPECT_EQ(got.outputs.size(), 5U);
  EXPECT_EQ(got.failure, nullptr);
}

// proves: failure-ahead
TEST_P(EndOf, AFailureInAnEpochThatIsLeftIsDropped) {
  auto pipeline = range(20).map(options(), failing_at(5)).take(5).repeat(3).run();
  const auto got = got_from(pipeline);
  EXPECT_EQ(got.outputs.size(), 15U);
  EXPECT_EQ(got.failure, nullptr);
}

// proves: silent-input
TEST_P(EndOf, AFilterOfAnEndlessRepeatThatPassesNothingKeepsTheTimeLimit) {
  auto pipeline = mapped(3).repeat().filter([](int i) { return i > 5; }).run();
  EXPECT_TRUE(await([&] {
    EXPECT_EQ(pipeline.next(std::chrono::milliseconds(5)).status(), QueueStatus::timed_out);
    return pipeline.position().epoch > 0;
  })) << "it reads epoch after epoch";
}

// proves: silent-input
TEST_P(EndOf, AStopEndsALoopOverAnEndlessRepeatOfWhichNothingPasses) {
  auto pipeline = mapped(3).repeat().filter([](int i) { return i > 5; }).run();
  Background loop([&] { return got_from(pipeline).outputs.size(); });
  EXPECT_TRUE(await([&] { return pipeline.position().epoch > 10; }));
  pipeline.stop();
  EXPECT_EQ(loop.get(), 0U);
}

// proves: endless-repeat
TEST_P(EndOf, AnEndlessRepeatOfNothingFailsAtItsPlace) {
  auto filtered = mapped(5).filter([](int) { return false; }).repeat().run();
  EXPECT_THROW(static_cast<void>(filtered.next()), DatasetError);
  auto lenient = options();
  lenient.on_error = skip(5);
  auto skipped = range(5).map(lenient, [](int i) -> int { throw Failure(std::to_string(i)); }).repeat().run();
  EXPECT_THROW(static_cast<void>(skipped.next()), DatasetError);
}

// ---- Stops

// proves: wait-of-next
TEST_P(EndOf, AStopInAWaitLosesAgainstAReadyOutput) {
  Coordinator stopped;
  stopped.request_stop();
  auto pipeline = mapped(100).run();
  EXPECT_TRUE(await([&] { return pipeline.next(stopped).status() == QueueStatus::ok; }));
  EXPECT_EQ(pipeline.next().value(), 1);
}

// proves: pipeline-stop
TEST_P(EndOf, WorkLooksAtTheStopBetweenElements) {
  std::atomic<bool> runs = false;
  std::atomic<bool> goes_on = false;
  std::atomic<int> calls = 0;
  auto one_chunk = options();
  one_chunk.chunk = 1000;
  const auto data = range(1000).map(one_chunk, [&](int i) {
    ++calls;
    runs = true;
    while (!goes_on) std::this_thread::yield();
    return i;
  });
  auto pipeline = data.run();
  Background waiting([&] { return pipeline.next().status(); });
  await([&] { return runs.load(); });
  pipeline.stop();
  goes_on = true;
  EXPECT_EQ(waiting.get(), QueueStatus::stopped);
  pipeline.join();
  EXPECT_EQ(calls, 1);
}

// proves: pipeline-stop
TEST_P(EndOf, AStopEndsAClaimThatBlocks) {
  FIFOQueue<int> queue(1);
  auto pipeline = from_queue(queue).map(options(), [](int i) { return i; }).run();
  Background waiting([&] { return pipeline.next().status(); });
  await_waiting_consumers(queue, 1);
  pipeline.stop();
  EXPECT_EQ(waiting.get(), QueueStatus::stopped);
  pipeline.join();
  EXPECT_EQ(queue.waiting_consumers(), 0U);
}

// proves: pipeline-stop
TEST_P(EndOf, AQueueThatIsClosedEndsAClaimThatBlocksInIt) {
  FIFOQueue<int> queue(1);
  auto pipeline = from_queue(queue).map(options(), [](int i) { return i; }).run();
  Background waiting([&] { return pipeline.next().status(); });
  await_waiting_consumers(queue, 1);
  queue.close();
  EXPECT_EQ(waiting.get(), QueueStatus::closed);
}

// proves: pipeline-stop
TEST_P(EndOf, AQueueThatIsClosedWithACauseEndsAClaimThatBlocksInIt) {
  FIFOQueue<int> queue(1);
  auto pipeline = from_queue(queue).map(options(), [](int i) { return i; }).run();
  Background waiting([&] { return pipeline.next().status(); });
  await_waiting_consumers(queue, 1);
  queue.close(failure("outer"));
  EXPECT_THROW(static_cast<void>(waiting.get()), DatasetError);
}

TEST_P(EndOf, AStopEndsAClaimThatBlocksInADataSetInside) {
  FIFOQueue<int> queue(1);
  Dataset<int> inside = from_queue(queue);
  auto pipeline =
      forebay::range(1).flat_map([&inside](int) { return inside; }).map(options(), [](int i) { return i; }).run();
  Background waiting([&] { return pipeline.next().status(); });
  await_waiting_consumers(queue, 1);
  pipeline.stop();
  EXPECT_EQ(waiting.get(), QueueStatus::stopped);
}

// proves: pipeline-stop
TEST_P(EndOf, AStopIsToldToAllThreads) {
  FIFOQueue<int> queue(1);
  auto pipeline = from_queue(queue).map(options(), [](int i) { return i; }).run();
  Background one([&] { return pipeline.next().status(); });
  Background other([&] { return pipeline.next().status(); });
  await_waiting_consumers(queue, 1);
  pipeline.stop();
  EXPECT_EQ(one.get(), QueueStatus::stopped);
  EXPECT_EQ(other.get(), QueueStatus::stopped);
}

// proves: pipeline-close
TEST_P(EndOf, ACoordinatorsStopEndsAClaimThatBlocks) {
  FIFOQueue<int> queue(1);
  Coordinator coordinator;
  auto pipeline = from_queue(queue).map(options(), [](int i) { return i; }).run(coordinator);
  Background waiting([&] { return pipeline.next().status(); });
  await_waiting_consumers(queue, 1);
  coordinator.request_stop(failure("outer"));
  EXPECT_EQ(waiting.get(), QueueStatus::stopped);
  EXPECT_THROW(pipeline.join(), Failure);
}

// proves: pipeline-close
TEST_P(EndOf, ACoordinatorThatHasStoppedStopsItAtOnce) {
  Coordinator coordinator;
  coordinator.request_stop();
  auto pipeline = mapped(10).run(coordinator);
  EXPECT_EQ(pipeline.next().status(), QueueStatus::stopped);
  EXPECT_NO_THROW(pipeline.join());
}

// proves: pipeline-coordinator
TEST_P(EndOf, AFailureThatIsHandedOutStopsTheOtherPipelinesOfTheCoordinator) {
  Coordinator coordinator;
  auto failing = range(10).map(options(), failing_at(0)).run(coordinator);
  auto other = mapped(10).run(coordinator);
  EXPECT_EQ(other.next().value(), 0);
  EXPECT_THROW(static_cast<void>(failing.next()), DatasetError);
  EXPECT_EQ(other.next().status(), QueueStatus::stopped);
  EXPECT_THROW(other.join(), DatasetError);
}

// proves: failure-drops
TEST_P(EndOf, AFailureThatNobodyCameToIsToldToNoCoordinator) {
  Coordinator coordinator;
  {
    auto pipeline = range(10).map(options(), failing_at(5)).run(coordinator);
    EXPECT_EQ(pipeline.next().value(), 0);
    pipeline.join();
  }
  EXPECT_FALSE(coordinator.should_stop());
}

// proves: pipeline-coordinator
TEST_P(EndOf, WhatAStepThrowsStopsThisPipelineOnly) {
  Coordinator coordinator;
  auto pipeline = mapped(10).run(coordinator);
  EXPECT_THROW(pipeline.for_each([](int&) { throw Failure("step"); }), Failure);
  EXPECT_FALSE(coordinator.should_stop());
  int steps = 0;
  pipeline.for_each([&steps](int&) { ++steps; });
  EXPECT_EQ(steps, 0);
  EXPECT_NO_THROW(pipeline.join());
}

// proves: pipeline-stop
TEST_P(EndOf, JoinStopsAPipelineThatRuns) {
  auto pipeline = mapped(1'000'000).run();
  EXPECT_EQ(pipeline.next().value(), 0);
  EXPECT_NO_THROW(pipeline.join());
  EXPECT_EQ(pipeline.next().status(), QueueStatus::stopped);
}

TEST_P(EndOf, JoinAfterTheEndChangesNothing) {
  auto pipeline = mapped(3).run();
  EXPECT_EQ(got_from(pipeline).outputs, numbers(3));
  EXPECT_NO_THROW(pipeline.join());
  EXPECT_NO_THROW(pipeline.join());
  EXPECT_EQ(pipeline.next().status(), QueueStatus::closed);
}

// proves: failure-drops
TEST_P(EndOf, LeavingALoopIsNoFailure) {
  Coordinator coordinator;
  auto pipeline = range(100).map(options(), failing_at(50)).run(coordinator);
  for (const int& output : pipeline) {
    if (output == 10) break;
  }
  EXPECT_NO_THROW(pipeline.join());
  EXPECT_FALSE(coordinator.should_stop());
}

// ---- User code in a pipeline that calls the pipeline

// proves: own-pipeline
TEST_P(EndOf, AFunctionMayStopAndAskButNotWait) {
  Pipeline<int>* running = nullptr;
  std::atomic<bool> is_there = false;
  std::atomic<int> refused = 0;
  const auto refuses = [&refused](auto call) {
    try {
      call();
    } catch (const std::logic_error&) {
      ++refused;
    }
  };
  const auto function = [&](int i) {
    while (!is_there) std::this_thread::yield();
    refuses([&] { static_cast<void>(running->next()); });
    refuses([&] { static_cast<void>(running->next(no_wait)); });
    refuses([&] { running->join(); });
    refuses([&] { static_cast<void>(running->one_epoch()); });
    refuses([&] { running->for_each([](int&) {}); });
    EXPECT_EQ(running->position().epoch, 0U);
    running->stop();
    return i;
  };
  const auto data = range(1).filter([&](int i) { return function(i) == 0; }).map(options(), [](int i) { return i; });
  auto pipeline = data.run();
  running = &pipeline;
  is_there = true;
  EXPECT_EQ(pipeline.next().status(), QueueStatus::stopped);
  EXPECT_EQ(refused, 5);
}

// proves: own-pipeline
TEST_P(EndOf, AStageMayCloseItWithACause) {
  Pipeline<int>* running = nullptr;
  std::atomic<bool> is_there = false;
  const auto data = mapped(10).apply([&](int&& i, Out<int>& out) {
    while (!is_there) std::this_thread::yield();
    if (i == 3) running->close(failure("enough"));
    out.emit(i);
  });
  auto pipeline = data.run();
  running = &pipeline;
  is_there = true;
  EXPECT_LE(got_from(pipeline).outputs.size(), 3U);
  EXPECT_THROW(pipeline.join(), Failure);
}

// ---- Epochs

// proves: epoch-left
TEST_P(EndOf, AnEpochThatIsLeftIsReadNoFurther) {
  std::atomic<int> calls = 0;
  const auto data = range(1'000'000).map(options(), [&calls](int i) {
    ++calls;
    return i;
  });
  auto pipeline = data.take(3).repeat(3).run();
  EXPECT_EQ(got_from(pipeline).outputs, (Ints{0, 1, 2, 0, 1, 2, 0, 1, 2}));
  EXPECT_LT(calls, 20'000);
}

TEST_P(EndOf, AnEpochThatIsLeftIsFollowedByTheSameOneHoweverFarIsReadAhead) {
  std::atomic<int> calls = 0;
  auto far_ahead = options();
  far_ahead.ahead = 32;
  far_ahead.chunk = 4;
  const auto data = range(10).repeat(3).take(5).repeat(2).map(far_ahead, [&calls](int i) {
    ++calls;
    return i;
  });
  auto pipeline = data.take(3).repeat(2).run();
  if (GetParam().threads > 1 || !GetParam().loop_helps) await([&] { return calls >= 10; });
  EXPECT_EQ(got_from(pipeline).outputs, (Ints{0, 1, 2, 0, 1, 2}));
  EXPECT_EQ(pipeline.position().epoch, 2U);
}

// proves: epoch-end
TEST_P(EndOf, OneEpochEndsForEachThread) {
  auto pipeline = mapped(100).repeat(2).run();
  std::atomic<int> outputs = 0;
  const auto epoch = pipeline.one_epoch();
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 3; ++i) {
      threads.emplace_back([&] {
        for ([[maybe_unused]] const int& output : epoch) ++outputs;
      });
    }
  }
  EXPECT_EQ(outputs, 100);
  EXPECT_EQ(pipeline.next().value(), 0);
}

/// Counts elements within its epoch.
struct Counting {
  using value_type = int;
  void operator()(std::tuple<std::uint64_t, int>&& element, Out<int>& out) {
    out.emit(static_cast<int>(std::get<0>(element)) * 100 + count++);
  }
  int count = 0;
};

// proves: epoch-end
TEST_P(EndOf, AStageBeginsAnewInEachEpochOnWhicheverSideOfTheRepeatItIs) {
  auto pipeline = mapped(3).enumerate().repeat(2).apply(Counting()).run();
  EXPECT_EQ(got_from(pipeline).outputs, (Ints{0, 101, 202, 0, 101, 202}));
}

// ---- A session

/// Runs the loop of TensorFlow's MonitoredSession over a pipeline that outlives the session. Returns the outputs.
Ints steps_of(MonitoredSession& session, Pipeline<int>& pipeline) {
  Ints outputs;
  while (!session.should_stop()) session.run([&] { outputs.push_back(pipeline.next().value()); });
  return outputs;
}

// proves: session-step
TEST_P(EndOf, ASessionEndsAtTheEndOfItsPipeline) {
  auto pipeline = mapped(10).run();
  MonitoredSession session(pipeline);
  EXPECT_EQ(steps_of(session, pipeline), numbers(10));
  EXPECT_EQ(session.steps(), 10U);
  session.close();
}

// proves: session-scope
TEST_P(EndOf, ASessionStopsItsPipelineOnly) {
  Coordinator coordinator;
  auto training = mapped(1000).run(coordinator);
  auto validation = mapped(3).run(coordinator);
  {
    MonitoredSession session(training, {forebay::stop_at_step(5)});
    EXPECT_EQ(steps_of(session, training), numbers(5));
  }
  EXPECT_EQ(training.next().status(), QueueStatus::stopped);
  EXPECT_FALSE(coordinator.should_stop());
  EXPECT_EQ(got_from(validation).outputs, numbers(3));
}

// proves: session-step
TEST_P(EndOf, ASessionIsToldAFailureOnce) {
  int ends = 0;
  auto pipeline = mapped(10).map(GetParam(), failing_at(4)).run();
  MonitoredSession session(pipeline, {forebay::SessionRunHook{.end = [&](MonitoredSession&) { ++ends; }}});
  EXPECT_THROW(steps_of(session, pipeline), DatasetError);
  EXPECT_EQ(session.steps(), 4U);
  EXPECT_TRUE(session.should_stop());
  EXPECT_THROW(session.close(), DatasetError);
  EXPECT_EQ(ends, 0);
}

// proves: joined-inputs
TEST_P(EndOf, ARoundOfALaterInputIsTheSameHoweverFarItWasReadAhead) {
  std::atomic<int> read{0};
  const auto epoch_of = [&read](int, Context& context) {
    ++read;
    return static_cast<int>(context.position().epoch);
  };
  const auto later = range(4).repeat(5).take(7).map(GetParam(), epoch_of).prefetch(1000);
  auto pipeline = zip(range(9), later).repeat(3).run();
  Ints epochs;
  for (const auto& [number, epoch] : pipeline) {
    epochs.push_back(epoch);
    await([&read] { return read >= 3 * 7; });
  }
  EXPECT_EQ(epochs, (Ints{0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2}));
}

TEST_P(EndOf, ASessionDoesNotSeeAFailureThatNobodyCameTo) {
  int ends = 0;
  auto pipeline = mapped(10).map(GetParam(), failing_at(4)).run();
  MonitoredSession session(
      pipeline, {forebay::stop_at_step(4), forebay::SessionRunHook{.end = [&](MonitoredSession&) { ++ends; }}});
  EXPECT_EQ(steps_of(session, pipeline), numbers(4));
  session.close();
  EXPECT_EQ(ends, 1);
}

TEST_P(EndOf, ASessionEndsWithTheStopOfItsPipeline) {
  auto pipeline = mapped(10).run();
  MonitoredSession session(pipeline);
  EXPECT_FALSE(session.should_stop());
  pipeline.stop();
  EXPECT_TRUE(session.should_stop());
  EXPECT_FALSE(session.run([&] { static_cast<void>(pipeline.next().value()); }));  // a CancelledError
}

TEST_P(EndOf, ASessionThrowsTheCauseThatItsPipelineWasClosedWith) {
  auto pipeline = mapped(10).run();
  MonitoredSession session(pipeline);
  pipeline.close(failure("the disk is full"));
  EXPECT_TRUE(session.should_stop());
  EXPECT_EQ(message_of<Failure>([&] { session.close(); }), "the disk is full");
}

}  // namespace
}  // namespace forebay_test
