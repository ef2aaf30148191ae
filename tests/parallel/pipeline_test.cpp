// SPDX-License-Identifier: MIT
//
// pipeline_test.cpp: the guarantees of a Pipeline to its loop: ends, failures and stops, which it reports consistently;
// single epochs; several concurrent loops; for_each.

#include "forebay/pipeline.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <iterator>
#include <mutex>
#include <ranges>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "forebay/coordinator.hpp"
#include "forebay/dataset.hpp"
#include "forebay/fifo_queue.hpp"
#include "forebay/from_queue.hpp"
#include "tests/support/activity_texts.hpp"
#include "tests/support/await.hpp"
#include "tests/support/background.hpp"
#include "tests/support/death_test.hpp"
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
using forebay::from_callable;
using forebay::from_queue;
using forebay::no_wait;
using forebay::per_thread;
using forebay::Pipeline;
using forebay::Position;
using forebay::QueueStatus;
using forebay::range;
using forebay::redirect;
using forebay::skip;

using Ints = std::vector<int>;

Dataset<int> failing_at(int number, const forebay::MapOptions& options) {
  return range(100).map(options, [number](int i) {
    if (i == number) throw Failure("at " + std::to_string(i));
    return i;
  });
}

/// Each of these in all the ways in which a pipeline is run: in the loop's thread, with its help, beside it.
class PipelineOf : public InEachWay {};
INSTANTIATE_TEST_SUITE_P(Ways, PipelineOf, ways_to_run(), name_of_way);

// ---- The loop

TEST_P(PipelineOf, IsARangeOfItsOutputs) {
  auto pipeline = mapped(100).run();
  EXPECT_EQ(drained(pipeline), numbers(100));
}

TEST_P(PipelineOf, CanBeMadeWhereItStays) {
  Pipeline<int> pipeline(mapped(10));
  EXPECT_EQ(drained(pipeline), numbers(10));
}

TEST_P(PipelineOf, GivesBatchesWhoseStorageIsUsedAgain) {
  const auto data = range(10000).map(options(), [](int i, int& into) { into = i; }).batch(10);
  std::set<const int*> storage;
  int next = 0;
  for (Ints& batch : data.run()) {
    storage.insert(batch.data());
    for (const int i : batch) ASSERT_EQ(i, next++);
  }
  EXPECT_EQ(next, 10000);
  EXPECT_LT(storage.size(), 100U);
}

TEST_P(PipelineOf, KeepsOnWhereItsOutputsAreKept) {
  std::vector<Ints> batches;
  for (Ints& batch : mapped(1000).batch(10).run()) batches.push_back(std::move(batch));
  EXPECT_EQ(batches.size(), 100U);
  EXPECT_EQ(batches.back(), (Ints{990, 991, 992, 993, 994, 995, 996, 997, 998, 999}));
}

// proves: end-repeats
TEST_P(PipelineOf, TellsItsEndAgainAndAgain) {
  auto pipeline = mapped(1).run();
  EXPECT_EQ(pipeline.next().value(), 0);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(pipeline.next().status(), QueueStatus::closed);
  EXPECT_EQ(pipeline.next(no_wait).status(), QueueStatus::closed);
  pipeline.stop();
  EXPECT_EQ(pipeline.next().status(), QueueStatus::closed);
}

// ---- A second loop

// proves: second-loop
TEST_P(PipelineOf, ASecondLoopOfAThreadThrowsAndSaysWhatToWrite) {
  auto pipeline = mapped(3).run();
  EXPECT_EQ(drained(pipeline), numbers(3));
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(message_of<std::logic_error>([&] { return pipeline.begin(); }),
              "forebay: a loop of this thread has reached the end of the pipeline, so another one would be empty: run "
              "the data set again, or describe several epochs with repeat(n)");
  }
}

// proves: second-loop
TEST_P(PipelineOf, ASecondForEachIsASecondLoop) {
  auto pipeline = mapped(3).run();
  pipeline.for_each([](int&) {});
  EXPECT_THROW(pipeline.for_each([](int&) {}), std::logic_error);
  EXPECT_THROW(static_cast<void>(pipeline.begin()), std::logic_error);
  auto looped = mapped(3).run();
  EXPECT_EQ(drained(looped), numbers(3));
  EXPECT_THROW(looped.for_each([](int&) {}), std::logic_error);
}

// proves: second-loop
TEST_P(PipelineOf, ALoopAfterALoopThatWasLeftGoesOn) {
  auto pipeline = mapped(5).run();
  for (const int output : pipeline) {
    if (output == 2) break;
  }
  EXPECT_EQ(drained(pipeline), (Ints{3, 4}));
}

// proves: second-loop
TEST_P(PipelineOf, ALoopAfterNextHasReachedTheEndIsEmpty) {
  auto pipeline = mapped(1).run();
  EXPECT_EQ(pipeline.next().value(), 0);
  EXPECT_EQ(pipeline.next().status(), QueueStatus::closed);
  EXPECT_EQ(drained(pipeline), Ints());
}

// proves: second-loop
TEST_P(PipelineOf, LoopsAfterAStopAreEmpty) {
  auto pipeline = mapped(1000).run();
  EXPECT_EQ(pipeline.next().value(), 0);
  pipeline.stop();
  for (int i = 0; i < 2; ++i) EXPECT_EQ(drained(pipeline), Ints());
  pipeline.for_each([](int&) { ADD_FAILURE(); });
  EXPECT_EQ(drained(pipeline), Ints());
}

// proves: second-loop
TEST_P(PipelineOf, LoopsOfOtherThreadsAfterTheEndAreEmpty) {
  auto pipeline = mapped(3).run();
  EXPECT_EQ(drained(pipeline), numbers(3));
  for (int i = 0; i < 10; ++i) {  // the system may give each of these threads the same id
    std::jthread([&] { EXPECT_EQ(drained(pipeline), Ints()); }).join();
  }
}

// proves: second-loop
TEST_P(PipelineOf, LoopsAfterAFailureThrowItAgain) {
  auto pipeline = failing_at(2, options()).run();
  for (int i = 0; i < 2; ++i) EXPECT_THROW(drained(pipeline), DatasetError);
  for (int i = 0; i < 2; ++i) EXPECT_THROW(pipeline.for_each([](int&) {}), DatasetError);
}

// proves: second-loop
TEST_P(PipelineOf, LoopsOverEpochsAfterTheLastOneAreEmpty) {
  auto pipeline = mapped(2).repeat(2).run();
  for (int i = 0; i < 2; ++i) EXPECT_EQ(drained(pipeline.one_epoch()), numbers(2));
  for (int i = 0; i < 2; ++i) EXPECT_EQ(drained(pipeline.one_epoch()), Ints());
  for (int i = 0; i < 2; ++i) pipeline.one_epoch().for_each([](int&) { ADD_FAILURE(); });
  EXPECT_EQ(drained(pipeline), Ints());
  EXPECT_EQ(drained(pipeline.one_epoch()), Ints());
}

// proves: second-loop
TEST_P(PipelineOf, ALoopOfARunResumedAtItsEndIsEmpty) {
  const auto data = mapped(3);
  auto first = data.run();
  EXPECT_EQ(drained(first), numbers(3));
  auto resumed = data.run(first.checkpoint());
  EXPECT_EQ(drained(resumed), Ints());
}

// ---- What next() returns

TEST_P(PipelineOf, TheValueOfNextAtTheEndThrowsWithoutSpeakingOfAQueue) {
  auto pipeline = mapped(0).run();
  EXPECT_EQ(message_of<forebay::OutOfRangeError>([&] { return pipeline.next().value(); }),
            "forebay: the input has ended: it is closed and has insufficient elements");
  auto stopped = mapped(1).run();
  stopped.stop();
  EXPECT_EQ(message_of<forebay::CancelledError>([&] { return stopped.next().value(); }),
            "forebay: a stop was requested before the call could complete");
}

#if !defined(NDEBUG) && GTEST_HAS_DEATH_TEST
// proves: missing-element
TEST(PipelineDeathTest, ReadingAnOutputAfterAStopSaysSo) {
  choose_death_test_style();
  auto pipeline = range(5).run();
  pipeline.stop();
  EXPECT_DEATH(static_cast<void>(*pipeline.next()), "the result has no element");
}
#endif

TEST_P(PipelineOf, SwapsABatchWithTheCallers) {
  auto pipeline = mapped(4).batch(2).run();
  Ints batch{7};
  EXPECT_EQ(pipeline.next(batch), QueueStatus::ok);
  EXPECT_EQ(batch, (Ints{0, 1}));
  EXPECT_EQ(pipeline.next(batch), QueueStatus::ok);
  EXPECT_EQ(pipeline.next(batch), QueueStatus::closed);
  EXPECT_EQ(batch, (Ints{2, 3}));
}

// proves: wait-of-next
TEST_P(PipelineOf, GetsOnWithoutWaiting) {
  auto pipeline = mapped(10).run();
  Ints outputs;
  for (;;) {
    auto output = pipeline.next(no_wait);
    if (output.status() == QueueStatus::closed) break;
    if (output) outputs.push_back(*output);
  }
  EXPECT_EQ(outputs, numbers(10));
}

// proves: failure-drops
TEST_P(PipelineOf, IsLeftEarlyWithoutHarm) {
  for (int outputs = 0; outputs < 5; ++outputs) {
    auto pipeline = mapped(100000).run();
    for (int i = 0; i < outputs; ++i) EXPECT_EQ(pipeline.next().value(), i);
  }
}

TEST_P(PipelineOf, SharesItsOutputsAmongThreads) {
  auto pipeline = mapped(1000).run();
  std::mutex mutex;
  Ints all;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 3; ++i) {
      threads.emplace_back([&] {
        Ints own;
        for (const int& output : pipeline) own.push_back(output);
        EXPECT_TRUE(std::is_sorted(own.begin(), own.end()));
        const std::scoped_lock lock(mutex);
        all.insert(all.end(), own.begin(), own.end());
      });
    }
  }
  std::sort(all.begin(), all.end());
  EXPECT_EQ(all, numbers(1000));
}

TEST_P(PipelineOf, ReadsNoFurtherAheadThanItIsTold) {
  std::atomic<int> read = 0;
  const auto data = from_callable([&read, next = 0]() mutable {
                      ++read;
                      return std::optional(next++);
                    }).map({.threads = 2, .ahead = 3, .chunk = 1, .loop_helps = false}, [](int i) { return i; });
  auto pipeline = data.run();
  EXPECT_TRUE(await([&] { return read == 3; }));
  EXPECT_EQ(pipeline.next().value(), 0);
  EXPECT_TRUE(await([&] { return read == 4; }));
  EXPECT_EQ(read, 4);
}

// ---- Epochs

// proves: epoch-end
TEST_P(PipelineOf, HasEpochsThatCanBeTakenOneByOne) {
  auto pipeline = mapped(5).repeat(3).run();
  for (std::uint64_t epoch = 0; epoch < 3; ++epoch) {
    EXPECT_EQ(pipeline.position(), (Position{epoch, 0}));
    Ints outputs;
    for (const int& output : pipeline.one_epoch()) outputs.push_back(output);
    EXPECT_EQ(outputs, numbers(5));
  }
  for (const int& output : pipeline.one_epoch()) ADD_FAILURE() << output;
  EXPECT_EQ(pipeline.next(no_wait).status(), QueueStatus::closed);
}

// proves: epoch-end
TEST_P(PipelineOf, AnEmptyLoopIsAnEmptyEpoch) {
  const auto negative_at_first = [](int i, Context& context) { return context.position().epoch == 0 ? -1 : i; };
  const auto data = range(4).repeat(2).map(negative_at_first).filter([](int i) { return i >= 0; });
  auto pipeline = data.map(options(), [](int i) { return i; }).run();
  for (const int& output : pipeline.one_epoch()) ADD_FAILURE() << output;
  int outputs = 0;
  for ([[maybe_unused]] const int& output : pipeline.one_epoch()) ++outputs;
  EXPECT_EQ(outputs, 4);
}

// proves: epoch-end
TEST_P(PipelineOf, BehindTheLastOutputOfAnEpochTheNextOneIsNext) {
  auto pipeline = mapped(3).repeat(2).run();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(pipeline.next().value(), i);
  Ints outputs;
  for (const int& output : pipeline.one_epoch()) outputs.push_back(output);
  EXPECT_EQ(outputs, numbers(3));
}

TEST_P(PipelineOf, GoesOnInTheMiddleOfAnEpoch) {
  auto pipeline = mapped(5).repeat(2).run();
  for (const int& output : pipeline.one_epoch()) {
    if (output == 2) break;
  }
  Ints outputs;
  for (const int& output : pipeline.one_epoch()) outputs.push_back(output);
  EXPECT_EQ(outputs, (Ints{3, 4}));
  EXPECT_EQ(pipeline.position(), (Position{1, 0}));
}

// ---- for_each

TEST_P(PipelineOf, StepsThroughAllOutputsInOrderOneAtATime) {
  Ints outputs;  // no lock: what one step did is visible to the next
  mapped(1000).run().for_each([&outputs](int& output) { outputs.push_back(output); });
  EXPECT_EQ(outputs, numbers(1000));
}

TEST(ForEach, CallsAMemberOfTheOutput) {
  struct Cell {
    int* sum;
    void add() const { ++*sum; }
  };
  int sum = 0;
  range(10).map(2, [&sum](int) { return Cell{&sum}; }).run().for_each(&Cell::add);
  EXPECT_EQ(sum, 10);
}

TEST_P(PipelineOf, StepsThroughOneEpoch) {
  auto pipeline = mapped(50).repeat(2).run();
  int outputs = 0;
  pipeline.one_epoch().for_each([&outputs](int&) { ++outputs; });
  EXPECT_EQ(outputs, 50);
  EXPECT_EQ(pipeline.position(), (Position{1, 0}));
  pipeline.for_each([&outputs](int&) { ++outputs; });
  EXPECT_EQ(outputs, 100);
}

// proves: for-each
TEST_P(PipelineOf, ThrowsWhatAStepThrowsAndStops) {
  auto pipeline = mapped(100).run();
  int steps = 0;
  EXPECT_THROW(pipeline.for_each([&steps](int& output) {
    ++steps;
    if (output == 5) throw Failure("step");
  }),
               Failure);
  EXPECT_EQ(steps, 6);
  EXPECT_EQ(pipeline.next().status(), QueueStatus::stopped);
}

// proves: for-each
TEST_P(PipelineOf, StepsThroughWhatStagesBehindTheMapMakeOfTheLastChunk) {
  const auto failing = range(100).filter([](int i) { return i == 60 ? throw Failure("source") : true; });
  auto many = options();
  many.chunk = 100;
  auto pipeline = failing.map(many, [](int i) { return i; }).filter([](int i) { return i % 50 == 1; }).run();
  Ints outputs;
  EXPECT_THROW(pipeline.for_each([&outputs](int& output) { outputs.push_back(output); }), DatasetError);
  EXPECT_EQ(outputs, (Ints{1, 51}));
}

// proves: for-each
TEST_P(PipelineOf, MayBeStoppedByAStep) {
  auto pipeline = mapped(100).run();
  int steps = 0;
  pipeline.for_each([&](int& output) {
    ++steps;
    if (output == 5) pipeline.stop();
  });
  EXPECT_EQ(steps, 6);
}

// proves: own-pipeline
TEST_P(PipelineOf, AStepMayNotWaitForItsPipeline) {
  auto pipeline = mapped(100).run();
  pipeline.for_each([&](int&) {
    EXPECT_THROW(static_cast<void>(pipeline.next()), std::logic_error);
    EXPECT_THROW(pipeline.join(), std::logic_error);
    EXPECT_THROW(static_cast<void>(pipeline.one_epoch()), std::logic_error);
    EXPECT_THROW(pipeline.for_each([](int&) {}), std::logic_error);
    EXPECT_GT(pipeline.position().number, 0U);
  });
}

// proves: own-pipeline
TEST_P(PipelineOf, NorMayAnotherThreadTakeOutputsBetweenTheSteps) {
  auto pipeline = mapped(100).run();
  std::atomic<bool> steps = false;
  std::atomic<bool> goes_on = false;
  Background stepping([&] {
    pipeline.for_each([&](int&) {
      steps = true;
      while (!goes_on) std::this_thread::yield();
    });
    return true;
  });
  await([&] { return steps.load(); });
  EXPECT_THROW(static_cast<void>(pipeline.next()), std::logic_error);
  EXPECT_THROW(static_cast<void>(pipeline.next(no_wait)), std::logic_error);
  EXPECT_THROW(pipeline.for_each([](int&) {}), std::logic_error);
  goes_on = true;
  EXPECT_TRUE(stepping.get());
  EXPECT_EQ(pipeline.next().status(), QueueStatus::closed);
}

// proves: own-pipeline
TEST_P(PipelineOf, NorMayAFunctionInIt) {
  Pipeline<int>* running = nullptr;
  std::atomic<int> refused = 0;
  std::atomic<bool> is_there = false;
  const auto data = range(10).map(options(), [&](int i) {
    while (!is_there) std::this_thread::yield();
    try {
      static_cast<void>(running->next());
    } catch (const std::logic_error&) {
      ++refused;
    }
    return i;
  });
  auto pipeline = data.run();
  running = &pipeline;
  is_there = true;
  EXPECT_EQ(drained(pipeline), numbers(10));
  EXPECT_EQ(refused, 10);
}

// ---- Failures

// proves: dataset-failure
TEST_P(PipelineOf, DeliversWhatIsBeforeAFailureAndNothingBehind) {
  auto pipeline = failing_at(50, options()).run();
  Ints outputs;
  try {
    for (const int& output : pipeline) outputs.push_back(output);
    ADD_FAILURE() << "no failure";
  } catch (const DatasetError& error) {
    EXPECT_EQ(std::string(error.what()), "forebay: map, epoch 0, number 50: at 50");
    EXPECT_THROW(error.rethrow_nested(), Failure);
  }
  EXPECT_EQ(outputs, numbers(50));
}

// proves: end-repeats
TEST_P(PipelineOf, TellsTheSameFailureAgain) {
  auto pipeline = failing_at(0, options()).run();
  const auto first = thrown_by([&] { return pipeline.next(); });
  EXPECT_NE(first, nullptr);
  EXPECT_EQ(thrown_by([&] { return pipeline.next(no_wait); }), first);
  EXPECT_EQ(thrown_by([&] {
              pipeline.join();
              return 0;
            }),
            first);
}

TEST_P(PipelineOf, DropsABatchThatIsNotComplete) {
  auto pipeline = failing_at(50, options()).batch(20).run();
  EXPECT_EQ(pipeline.next().value().size(), 20U);
  EXPECT_EQ(pipeline.next().value().size(), 20U);
  EXPECT_THROW(static_cast<void>(pipeline.next()), DatasetError);
}

// proves: skip
TEST_P(PipelineOf, SkipsInOrderUpToALimit) {
  auto with_limit = options();
  with_limit.on_error = skip(3);
  const auto data = range(20).map(with_limit, [](int i) {
    if (i % 5 == 4) throw Failure("fourth");
    return i;
  });
  auto pipeline = data.run();
  Ints outputs;
  EXPECT_THROW(for (const int& output : pipeline) outputs.push_back(output), DatasetError);
  EXPECT_EQ(outputs, (Ints{0, 1, 2, 3, 5, 6, 7, 8, 10, 11, 12, 13, 15, 16, 17, 18}));
}

// proves: redirect
TEST_P(PipelineOf, RedirectsInOrder) {
  Ints failed;
  auto redirected = options();
  redirected.on_error = redirect([&failed](Position position, const std::exception_ptr& /*failure*/) {
    failed.push_back(static_cast<int>(position.number));
    if (failed.size() == 4) throw Failure("too many");
  });
  auto pipeline = range(100).map(redirected, [](int i) { return i % 5 == 4 ? throw Failure("fourth") : i; }).run();
  Ints outputs;
  EXPECT_THROW(for (const int& output : pipeline) outputs.push_back(output), DatasetError);
  EXPECT_EQ(outputs, (Ints{0, 1, 2, 3, 5, 6, 7, 8, 10, 11, 12, 13, 15, 16, 17, 18}));
  EXPECT_EQ(failed, (Ints{4, 9, 14, 19}));
}

// proves: failure-drops
TEST_P(PipelineOf, AFailureThatNobodyCameToIsDropped) {
  auto pipeline = failing_at(50, options()).run();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(pipeline.next().value(), i);
  EXPECT_NO_THROW(pipeline.join());
}

// proves: dataset-failure
TEST_P(PipelineOf, FailsWithTheSourceAndWithAFactory) {
  const auto source = range(10)
                          .filter([](int i) {
                            if (i == 5) throw Failure("filter");
                            return true;
                          })
                          .map(options(), [](int i) { return i; });
  auto of_source = source.run();
  for (int i = 0; i < 5; ++i) EXPECT_EQ(of_source.next().value(), i);
  EXPECT_THROW(static_cast<void>(of_source.next()), DatasetError);
  auto of_factory = range(10).map(options(), per_thread([]() -> int (*)(int) { throw Failure("factory"); })).run();
  EXPECT_THROW(static_cast<void>(of_factory.next()), DatasetError);
}

// ---- Stops

// proves: end-repeats, pipeline-stop
TEST_P(PipelineOf, HandsOutNothingAfterAStop) {
  auto pipeline = mapped(100).run();
  EXPECT_EQ(pipeline.next().value(), 0);
  pipeline.stop();
  EXPECT_EQ(pipeline.next().status(), QueueStatus::stopped);
  EXPECT_EQ(drained(pipeline), Ints());
  EXPECT_NO_THROW(pipeline.join());
  EXPECT_EQ(pipeline.next().status(), QueueStatus::stopped);
}

// proves: pipeline-close
TEST_P(PipelineOf, JoinThrowsTheCauseOfAClose) {
  auto pipeline = mapped(100).run();
  pipeline.close(failure("closed"));
  EXPECT_EQ(pipeline.next().status(), QueueStatus::stopped);
  EXPECT_THROW(pipeline.join(), Failure);
}

// proves: pipeline-close
TEST_P(PipelineOf, IsStoppedByACoordinatorWithItsCause) {
  Coordinator coordinator;
  auto pipeline = mapped(100).run(coordinator);
  coordinator.request_stop(failure("outer"));
  EXPECT_EQ(pipeline.next().status(), QueueStatus::stopped);
  EXPECT_THROW(pipeline.join(), Failure);
}

// proves: pipeline-coordinator
TEST_P(PipelineOf, ReportsAFailureToItsCoordinatorWhenItIsHandedOut) {
  Coordinator coordinator;
  auto pipeline = failing_at(2, options()).run(coordinator);
  EXPECT_EQ(pipeline.next().value(), 0);
  EXPECT_EQ(pipeline.next().value(), 1);
  EXPECT_FALSE(coordinator.should_stop());
  EXPECT_THROW(static_cast<void>(pipeline.next()), DatasetError);
  EXPECT_TRUE(coordinator.should_stop());
  EXPECT_THROW(coordinator.raise_requested_exception(), DatasetError);
}

// proves: pipeline-coordinator
TEST_P(PipelineOf, ItsEndAndItsScopeStopNoCoordinator) {
  Coordinator coordinator;
  {
    auto whole = mapped(10).run(coordinator);
    EXPECT_EQ(drained(whole).size(), 10U);
    auto part = mapped(10).run(coordinator);
    EXPECT_EQ(part.next().value(), 0);
    part.stop();
  }
  EXPECT_FALSE(coordinator.should_stop());
}

// proves: wait-of-next
TEST_P(PipelineOf, AQueueThatIsEmptyHoldsUpNeitherDeadlineNorStop) {
  FIFOQueue<int> queue(1);
  const auto data = from_queue(queue).map(options(), [](int i) { return i; });
  auto pipeline = data.run();
  EXPECT_EQ(pipeline.next(std::chrono::milliseconds(1)).status(), QueueStatus::timed_out);
  EXPECT_EQ(pipeline.next(no_wait).status(), QueueStatus::empty);
  Coordinator other;
  other.request_stop();
  EXPECT_EQ(pipeline.next(other).status(), QueueStatus::stopped);
  static_cast<void>(queue.enqueue(7));
  EXPECT_EQ(pipeline.next().value(), 7);
  Background waiting([&] { return pipeline.next().status(); });
  await_waiting_consumers(queue, 1);
  pipeline.stop();
  EXPECT_EQ(waiting.get(), QueueStatus::stopped);
}

TEST_P(PipelineOf, HandsOutWhatAQueueHasWithoutWaitingForMore) {
  FIFOQueue<int> queue(10);
  auto pipeline = from_queue(queue).map(options(), [](int i) { return i; }).run();
  for (int i = 0; i < 10; ++i) {
    static_cast<void>(queue.enqueue(i));
    EXPECT_EQ(pipeline.next().value(), i);
  }
}

// proves: pipeline-stop
TEST_P(PipelineOf, WorkMaySeeThatItIsToStop) {
  std::atomic<bool> runs = false;
  const auto data = range(10).map(options(), [&runs](int i, Context& context) {
    runs = true;
    while (!context.should_stop()) std::this_thread::yield();
    return i;
  });
  auto pipeline = data.run();
  Background waiting([&] { return pipeline.next().status(); });
  await([&] { return runs.load(); });
  pipeline.stop();
  EXPECT_EQ(waiting.get(), QueueStatus::stopped);
}

// ---- Descriptions

TEST(Pipeline, OfAnImpossibleDescriptionIsRefused) {
  EXPECT_NE(rejection([] { return range(0).map(2, [](int i) { return i; }).repeat().run(); }), "nothing was thrown");
}

TEST(Pipeline, OfOneDescriptionMayRunSeveralTimesAtOnce) {
  const auto data = range(1000).shuffle().map(2, [](int i) { return i; });
  auto one = data.run();
  auto other = data.run();
  while (auto output = one.next()) EXPECT_EQ(*output, other.next().value());
}

TEST(Pipeline, KeepsADescriptionAliveOnlyWhileItRuns) {
  auto pipeline = range(10).map(2, [](int i) { return i; }).run();
  EXPECT_EQ(drained(pipeline), numbers(10));
}

TEST(Pipeline, EachThreadHasItsOwnObjectOfAPerThread) {
  std::atomic<int> made = 0;
  const auto data =
      range(1000).map({.threads = 3, .loop_helps = false}, per_thread([&made] {
                        ++made;
                        return [id = std::this_thread::get_id()](int) { return id == std::this_thread::get_id(); };
                      }));
  for (const bool& own : data.run()) EXPECT_TRUE(own);
  EXPECT_LE(made, 3);
}

TEST(Pipeline, AReadyOutputDoesNotWaitBehindASourceThatBlocks) {
  FIFOQueue<int> queue(1);
  std::atomic<bool> goes_on = false;
  const auto data = from_queue(queue).map(2, [&goes_on](int i) {
    while (!goes_on) std::this_thread::yield();
    return i;
  });
  auto pipeline = data.run();
  Background taking([&] { return pipeline.next().value(); });
  // Otherwise the stage's own thread might work on the first element, and read no second one.
  EXPECT_TRUE(come_to(pipeline, {"loop waits for an output of map", "map-1 waits for dequeue of FIFOQueue"}));
  static_cast<void>(queue.enqueue(7));
  EXPECT_TRUE(come_to(pipeline, {"loop runs", "map-1 waits for dequeue of FIFOQueue"}));
  goes_on = true;
  EXPECT_EQ(taking.get(), 7);
}

TEST(Pipeline, ReadsIndexedSourcesInItsWork) {
  std::mutex mutex;
  std::set<std::thread::id> threads;
  const auto data = forebay::from_indexed(200,
                                          [&](std::size_t i) {
                                            const std::scoped_lock lock(mutex);
                                            threads.insert(std::this_thread::get_id());
                                            return static_cast<int>(i);
                                          })
                        .shuffle()
                        .repeat(2)
                        .map({.threads = 2, .chunk = 1, .loop_helps = false}, [](int i) { return i; });
  auto pipeline = data.run();
  EXPECT_EQ(drained(pipeline).size(), 400U);
  EXPECT_FALSE(threads.contains(std::this_thread::get_id()));
}

TEST(Prefetch, HandsOverWhatThereIs) {
  FIFOQueue<int> queue(10);
  auto pipeline = from_queue(queue).map([](int i) { return i + 1; }).prefetch(8).run();
  for (int i = 0; i < 10; ++i) {
    static_cast<void>(queue.enqueue(i));
    EXPECT_EQ(pipeline.next().value(), i + 1);
  }
}

TEST(Prefetch, OfNothingIsRefused) {
  EXPECT_EQ(rejection([] { return range(3).prefetch(0); }), "forebay: prefetch: count must be at least 1, not 0");
}

TEST(Collect, KeepsAllElementsWithRandomAccess) {
  const auto data = range(10).filter([](int i) { return i % 2 == 0; }).map(2, [](int i) { return i; }).repeat(2);
  const auto collected = data.collect();
  EXPECT_EQ(collected.size(), 10U);
  EXPECT_EQ(collected[5], 0);
  auto pipeline = collected.run();
  EXPECT_EQ(drained(pipeline), (Ints{0, 2, 4, 6, 8, 0, 2, 4, 6, 8}));
}

TEST(Collect, ThrowsWhatFailsAndRefusesWhatHasNoEnd) {
  EXPECT_THROW(static_cast<void>(failing_at(3, {}).collect()), DatasetError);
  EXPECT_EQ(rejection([] { return range(3).repeat().collect(); }),
            "forebay: collect: the data set repeats indefinitely");
  EXPECT_EQ(range(3).repeat().take(5).collect().size(), 5U);
}

}  // namespace
}  // namespace forebay_test
