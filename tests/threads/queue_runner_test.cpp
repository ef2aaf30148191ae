// SPDX-License-Identifier: MIT
//
// queue_runner_test.cpp: the promises of the contract about one QueueRunner.
//
//   The end of input  EndOf*
//   ... on demand     EndInput*
//   Failures          Failure*, Cancelled*, ExceptionsRaised*
//   Stop              Stop*
//   Start and join    Start*, Join*, Thread*
//
// The forms of an op, and construction, are in queue_runner_ops_test.cpp; destruction, and several runners together,
// in queue_runner_group_test.cpp.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <chrono>
#include <cstddef>
#include <exception>
#include <future>
#include <latch>
#include <numeric>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "forebay/coordinator.hpp"
#include "forebay/count.hpp"
#include "forebay/fifo_queue.hpp"
#include "forebay/queue_runner.hpp"
#include "forebay/queue_status.hpp"
#include "tests/support/await.hpp"
#include "tests/support/background.hpp"
#include "tests/support/contains.hpp"
#include "tests/support/iterations.hpp"
#include "tests/support/numbers.hpp"
#include "tests/support/parking_sync.hpp"
#include "tests/support/scaled_time.hpp"
#include "tests/support/this_thread.hpp"
#include "tests/support/thrown.hpp"

namespace forebay_test {
namespace {

using forebay::CancelledError;
using forebay::Coordinator;
using forebay::FIFOQueue;
using forebay::QueueRunner;
using forebay::QueueStatus;
using Ints = std::vector<int>;
using MaybeInt = std::optional<int>;

// ---- The end of input

TEST(QueueRunner, EndOfOneOpDoesNotStopTheOthers) {
  constexpr int count = iterations(20000);  // enough that the first op ends among them
  FIFOQueue<int> queue(1);
  Numbers numbers(count);
  std::latch ended(1);
  QueueRunner runner(queue, {[&]() -> MaybeInt { return ended.count_down(), std::nullopt; },
                             [&] { return ended.wait(), numbers.next(); }});
  runner.start();
  EXPECT_EQ(drained(queue).size(), static_cast<std::size_t>(count));
  runner.join();
}

TEST(QueueRunner, EndOfTheLastOpClosesTheQueueAndItDrains) {
  FIFOQueue<int> queue(10);
  Coordinator coordinator;
  Numbers numbers(10);
  QueueRunner runner(queue, 2, [&] { return numbers.next(); });
  runner.start(coordinator);
  runner.join();
  EXPECT_TRUE(queue.is_closed());
  EXPECT_EQ(queue.size(), 10U);
  EXPECT_EQ(drained(queue).size(), 10U);
  EXPECT_EQ(queue.dequeue().status(), QueueStatus::closed);
}

/// Counts the launched threads that are about to do their work.
struct StartingSync : ParkingSync {
  static void name_this_thread(const char* /*name*/) noexcept { ++started_threads; }

  inline static std::atomic<int> started_threads = 0;
};

TEST(QueueRunner, EndOfTheLastOpWakesTheCloser) {
  StartingSync::started_threads = 0;
  FIFOQueue<int> queue(1);
  forebay::BasicQueueRunner<StartingSync> runner(queue, 1, []() -> MaybeInt {
    await([] { return StartingSync::started_threads == 2; });
    await_parked_threads(1);  // the closer
    return std::nullopt;
  });
  runner.start();
  EXPECT_TRUE(await([&] { return queue.is_closed(); }));
}

TEST(QueueRunner, EndOfInputLetsTheCoordinatorJoinThoughNobodyRequestedAStop) {
  for (int i = 0; i < iterations(200); ++i) {
    FIFOQueue<int> queue(10);
    Coordinator coordinator;
    Numbers numbers(5);
    QueueRunner runner(queue, 2, [&] { return numbers.next(); });
    runner.start(coordinator);
    coordinator.join();
    EXPECT_FALSE(coordinator.should_stop());
    EXPECT_TRUE(queue.is_closed());
  }
}

TEST(QueueRunner, EndOfInputIsNoFailureWhateverTheCoordinatorTakesForClean) {
  FIFOQueue<int> queue(10);
  Coordinator coordinator(forebay::clean_stop_types<>);
  Numbers numbers(5);
  QueueRunner runner(queue, 2, [&] { return numbers.next_or_throw(); });
  runner.start(coordinator);
  EXPECT_NO_THROW(coordinator.join());
  EXPECT_TRUE(runner.exceptions_raised().empty());
}

// proves: op-clean-stop
TEST(QueueRunner, AnOutOfRangeErrorEndsItsThreadAndRequestsNoStopThoughItIsACleanStopType) {
  FIFOQueue<int> queue(10);
  Coordinator coordinator(forebay::clean_stop_types<forebay::OutOfRangeError>);
  std::atomic<bool> has_thrown = false;
  Numbers numbers(5);
  QueueRunner runner(queue, {[&]() -> int {
                               has_thrown = true;
                               throw forebay::OutOfRangeError("the end");
                             },
                             [&]() -> int {
                               await([&] { return has_thrown.load(); });
                               return numbers.next_or_throw();
                             }});
  runner.start(coordinator);
  EXPECT_NO_THROW(coordinator.join());
  EXPECT_FALSE(coordinator.should_stop());
  EXPECT_EQ(drained(queue).size(), 5U);
}

// ---- The end of input on demand

// proves: end-input
TEST(QueueRunner, EndInputLetsTheQueueDrainAndRequestsNoStop) {
  FIFOQueue<int> queue(4);
  Coordinator coordinator;
  std::atomic<int> made = 0;
  QueueRunner runner(queue, 3, [&] { return made++; });
  runner.start(coordinator);
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(queue.dequeue());
  runner.end_input();
  const std::size_t rest = drained(queue).size();
  EXPECT_EQ(rest, static_cast<std::size_t>(made - 100));
  EXPECT_NO_THROW(coordinator.join());
  EXPECT_FALSE(coordinator.should_stop());
}

// proves: end-input
TEST(QueueRunner, EndInputLosesNoElementThatWaitsForRoom) {
  FIFOQueue<int> queue(1);
  int made = 0;
  QueueRunner runner(queue, {[&] { return made++; }});
  runner.start();
  await_waiting_producers(queue, 1);
  runner.end_input();
  EXPECT_EQ(drained(queue), (Ints{0, 1})) << "and the op is not called again";
  EXPECT_NO_THROW(runner.join());
}

// proves: end-input
TEST(QueueRunner, EndInputLosesNoElementThatAnOpIsAboutToReturn) {
  FIFOQueue<int> queue(1);
  std::latch begun(1);
  std::latch ended(1);
  QueueRunner runner(queue, 1, [&] { return begun.count_down(), ended.wait(), 7; });
  runner.start();
  begun.wait();
  runner.end_input();
  EXPECT_FALSE(queue.is_closed());
  ended.count_down();
  EXPECT_EQ(drained(queue), Ints{7}) << "and the op is not called again";
}

// proves: end-input
TEST(QueueRunner, EndInputDoesNotHoldUpAStop) {
  FIFOQueue<int> queue(1);
  Coordinator coordinator;
  QueueRunner runner(queue, 1, [] { return 1; });
  runner.start(coordinator);
  await_waiting_producers(queue, 1);
  runner.end_input();
  coordinator.request_stop();
  EXPECT_NO_THROW(coordinator.join());
  EXPECT_EQ(drained(queue), Ints{1});
}

// proves: end-input
TEST(QueueRunner, EndInputAppliesToTheRunUnderWayOnly) {
  FIFOQueue<int> queue(4);
  const QueueRunner holds_the_queue_open(queue, 1, [] { return 1; });
  int calls = 0;
  QueueRunner* self = nullptr;
  QueueRunner runner(queue, 1, [&]() -> MaybeInt {
    if (++calls == 2) self->end_input();
    return calls < 5 ? MaybeInt(calls) : std::nullopt;
  });
  self = &runner;
  runner.end_input();
  runner.start();
  runner.join();
  EXPECT_EQ(calls, 2) << "it was not running before";
  runner.end_input();
  runner.start();
  runner.join();
  EXPECT_EQ(calls, 5) << "it was a run of its own";
  EXPECT_EQ(queue.size(), 4U);
}

// proves: end-input
TEST(QueueRunner, EndInputMayBeCalledByAnOp) {
  FIFOQueue<int> queue(4);
  QueueRunner* self = nullptr;
  QueueRunner runner(queue, 1, [&] { return self->end_input(), 7; });
  self = &runner;
  runner.start();
  EXPECT_EQ(drained(queue), Ints{7});
}

// ---- Failures

/// An op that returns the numbers 0, 1, 2 and then fails with `cause`.
auto fails_after_three(const std::exception_ptr& cause) {
  return [cause, i = 0]() mutable {
    if (i == 3) std::rethrow_exception(cause);
    return i++;
  };
}

// proves: op-throws
TEST(QueueRunner, FailureIsToldToConsumersAfterWhatIsStoredAndToTheCoordinator) {
  FIFOQueue<int> queue(10);
  Coordinator coordinator;
  const std::exception_ptr cause = failure();
  QueueRunner runner(queue, {fails_after_three(cause)});
  runner.start(coordinator);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(*queue.dequeue(), i);
  EXPECT_EQ(thrown_by([&] { return queue.dequeue(); }), cause);
  EXPECT_EQ(thrown_by_join(coordinator), cause);
  EXPECT_TRUE(coordinator.should_stop());
  EXPECT_EQ(coordinator.failures(), std::vector{cause});
  EXPECT_EQ(runner.exceptions_raised(), std::vector{cause});
}

// proves: op-throws
TEST(QueueRunner, FailureWithoutCoordinatorIsToldToConsumersAndComesOutOfJoin) {
  FIFOQueue<int> queue(10);
  const std::exception_ptr cause = failure();
  QueueRunner runner(queue, {fails_after_three(cause)});
  runner.start();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(*queue.dequeue(), i);
  EXPECT_EQ(thrown_by([&] { return queue.dequeue(); }), cause);
  EXPECT_EQ(thrown_by_join(runner), cause);
  EXPECT_EQ(runner.exceptions_raised(), std::vector{cause});
}

TEST(QueueRunner, FailureWakesAConsumerThatWaits) {
  FIFOQueue<int> queue(1);
  const std::exception_ptr cause = failure();
  Background consumer([&] { return thrown_by([&] { return queue.dequeue(); }); });
  await_waiting_consumers(queue, 1);
  QueueRunner runner(queue, 1, [&] { std::rethrow_exception(cause); });
  runner.start();
  EXPECT_EQ(consumer.get(), cause);
  EXPECT_EQ(thrown_by_join(runner), cause);
}

TEST(QueueRunner, FailureOfTheLastOpAfterTheEndOfTheOthersIsToldToConsumers) {
  for (const bool coordinated : {false, true}) {
    FIFOQueue<int> queue(1);
    Coordinator coordinator;
    const std::exception_ptr cause = failure();
    std::latch ended(1);
    QueueRunner runner(queue, {[&]() -> MaybeInt { return ended.count_down(), std::nullopt; },
                               [&] { ended.wait(), std::rethrow_exception(cause); }});
    if (coordinated) {
      runner.start(coordinator);
    } else {
      runner.start();
    }
    EXPECT_EQ(thrown_by([&] { return queue.dequeue(); }), cause);
    EXPECT_EQ(thrown_by_join(runner), cause);
    EXPECT_TRUE(queue.is_closed());
  }
}

// proves: op-throws
TEST(QueueRunner, FailureOfOneOpEndsTheOthers) {
  FIFOQueue<int> queue(1);
  const std::exception_ptr cause = failure();
  QueueRunner runner(queue, {[] { return 1; }, [] { return 1; },
                             [&] {
                               await_waiting_producers(queue, 2);
                               std::rethrow_exception(cause);
                             }});
  runner.start();
  EXPECT_EQ(thrown_by_join(runner), cause);
  EXPECT_EQ(*queue.dequeue(), 1);
  EXPECT_EQ(thrown_by([&] { return queue.dequeue(); }), cause);
}

/// Takes long to close, so that a stop has been requested long before everything is closed.
struct SlowToClose {
  void close() noexcept { keep_busy(short_time()); }
};

TEST(QueueRunner, FailureSomewhereElseIsNotTakenForTheEndOfInput) {
  FIFOQueue<int> queue(10);
  SlowToClose slow;
  Coordinator coordinator;
  coordinator.attach(slow);
  const std::exception_ptr cause = failure();
  std::atomic<bool> runs = false;
  QueueRunner runner(queue, 1, [&]() -> MaybeInt {
    runs = true;
    return coordinator.wait_for_stop() ? 1 : 0;
  });
  runner.start(coordinator);
  await([&] { return runs.load(); });
  Background consumer([&] { return thrown_by([&] { return drained(queue); }); });
  coordinator.request_stop(cause);
  EXPECT_EQ(consumer.get(), cause);
  EXPECT_EQ(thrown_by_join(coordinator), cause);
}

// proves: op-throws
TEST(QueueRunner, FailureAfterACleanStopIsToldToConsumers) {
  FIFOQueue<int> queue(10);
  Coordinator coordinator;
  const std::exception_ptr cause = failure();
  QueueRunner runner(queue, 1, [&] {
    coordinator.request_stop();
    await([&] { return queue.is_closed(); });
    std::rethrow_exception(cause);
  });
  runner.start(coordinator);
  EXPECT_EQ(thrown_by_join(coordinator), cause);
  EXPECT_EQ(thrown_by([&] { return queue.dequeue(); }), cause);
}

struct EndOfFile {};

// proves: op-clean-stop
TEST(QueueRunner, FailureOfACleanStopTypeStopsWithoutFailure) {
  FIFOQueue<int> queue(10);
  Coordinator coordinator(forebay::clean_stop_types<EndOfFile>);
  QueueRunner runner(queue, {fails_after_three(std::make_exception_ptr(EndOfFile()))});
  runner.start(coordinator);
  EXPECT_NO_THROW(coordinator.join());
  EXPECT_TRUE(coordinator.should_stop());
  EXPECT_TRUE(runner.exceptions_raised().empty());
  EXPECT_EQ(drained(queue), (Ints{0, 1, 2}));
}

// proves: op-clean-stop
TEST(QueueRunner, FailureOfACleanStopTypeLosesNoElementOfTheOtherOps) {
  FIFOQueue<int> queue(1);
  Coordinator coordinator(forebay::clean_stop_types<EndOfFile>);
  std::atomic<int> made = 0;
  QueueRunner runner(queue, {[&] { return made++; }, [&] { return made++; },
                             [&] {
                               await_waiting_producers(queue, 2);
                               throw EndOfFile();
                             }});
  runner.start(coordinator);
  await([&] { return queue.waiting_producers() == 2; });
  const Ints elements = sorted(drained(queue));
  EXPECT_NO_THROW(coordinator.join());
  EXPECT_TRUE(coordinator.should_stop());
  EXPECT_GE(made, 3);
  Ints all(static_cast<std::size_t>(made));
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(elements, all);
}

// proves: op-clean-stop
TEST(QueueRunner, FailureOfACleanStopTypeLosesNoElementThatAnotherOpIsAboutToReturn) {
  FIFOQueue<int> queue(1);
  Coordinator coordinator(forebay::clean_stop_types<EndOfFile>);
  std::latch begun(1);
  std::latch thrown(1);
  QueueRunner runner(queue, {[&] { return begun.count_down(), thrown.wait(), 7; },
                             [&] {
                               begun.wait();
                               throw EndOfFile();
                             }});
  runner.start(coordinator);
  // A stop would usually arrive within this time.
  EXPECT_FALSE(coordinator.wait_for_stop(short_time()));
  thrown.count_down();
  EXPECT_EQ(drained(queue), Ints{7}) << "and it is not called again";
  EXPECT_NO_THROW(coordinator.join());
}

// proves: op-clean-stop
TEST(QueueRunner, FailureOfACleanStopTypeDoesNotHoldUpAStop) {
  FIFOQueue<int> queue(1);
  Coordinator coordinator(forebay::clean_stop_types<EndOfFile>);
  std::latch other_waits(1);
  QueueRunner runner(queue, {[] { return 1; },
                             [&] {
                               await_waiting_producers(queue, 1);
                               other_waits.count_down();
                               throw EndOfFile();
                             }});
  runner.start(coordinator);
  other_waits.wait();
  coordinator.request_stop();
  EXPECT_NO_THROW(coordinator.join());
  EXPECT_EQ(drained(queue), Ints{1});
}

// proves: op-throws
TEST(QueueRunner, FailureWithoutCoordinatorLetsTheOtherOpsRunNoMore) {
  FIFOQueue<int> queue(forebay::unbounded);
  const std::exception_ptr cause = failure();
  std::latch begun(1);
  std::atomic<bool> called = false;
  QueueRunner runner(queue, {[&] {
                               if (!called.exchange(true)) begun.count_down();
                               keep_busy(std::chrono::microseconds(10));
                             },
                             [&] { begun.wait(), std::rethrow_exception(cause); }});
  runner.start();
  EXPECT_EQ(thrown_by_join(runner), cause) << "the other op would go on for ever";
}

// proves: failures-listed
TEST(QueueRunner, ExceptionsRaisedListsTheFailureOfEachOp) {
  constexpr int threads = 64;
  for (int i = 0; i < iterations(20); ++i) {
    FIFOQueue<int> queue(1);
    Coordinator coordinator;
    std::barrier together(threads);
    QueueRunner runner(queue, threads, [&] {
      together.arrive_and_wait();
      throw Failure("all at once");
    });
    runner.start(coordinator);
    const std::exception_ptr rethrown = thrown_by_join(runner);
    const auto raised = runner.exceptions_raised();
    ASSERT_EQ(raised.size(), 64U);
    EXPECT_EQ(rethrown, raised.front());
    EXPECT_EQ(thrown_by_join(coordinator), coordinator.failure());
    EXPECT_TRUE(std::ranges::is_permutation(coordinator.failures(), raised));
  }
}

TEST(QueueRunner, CancelledByAStopIsNoFailure) {
  FIFOQueue<int> queue(1);
  FIFOQueue<int> upstream(1);
  Coordinator coordinator;
  QueueRunner runner(queue, 2, [&] { return upstream.dequeue(coordinator).value(); });
  runner.start(coordinator);
  await_waiting_consumers(upstream, 2);
  coordinator.request_stop();
  EXPECT_NO_THROW(coordinator.join());
  EXPECT_NO_THROW(runner.join());
  EXPECT_TRUE(coordinator.failures().empty());
  EXPECT_TRUE(runner.exceptions_raised().empty());
}

TEST(QueueRunner, CancelledWithoutAStopIsAFailure) {
  FIFOQueue<int> queue(1);
  Coordinator coordinator;
  QueueRunner runner(queue, 1, [] { throw CancelledError(); });
  runner.start(coordinator);
  EXPECT_THROW(coordinator.join(), CancelledError);
  EXPECT_THROW(static_cast<void>(queue.dequeue()), CancelledError);
}

// ---- Stop

TEST(QueueRunner, StopCancelsTheQueueAndWakesOpsThatWaitInIt) {
  FIFOQueue<int> queue(1);
  Coordinator coordinator;
  QueueRunner runner(queue, 3, [] { return 1; });
  runner.start(coordinator);
  await_waiting_producers(queue, 3);
  coordinator.request_stop();
  EXPECT_NO_THROW(coordinator.join());
  EXPECT_EQ(drained(queue), Ints{1});
}

TEST(QueueRunner, StopEndsOpsThatDoNotWaitAnywhere) {
  FIFOQueue<int> queue(forebay::unbounded);
  Coordinator coordinator;
  QueueRunner runner(queue, 2, [] { return 1; });
  runner.start(coordinator);
  await([&] { return queue.size() > 0; });
  coordinator.request_stop();
  EXPECT_NO_THROW(coordinator.join());
  EXPECT_TRUE(queue.is_closed());
}

TEST(QueueRunner, StopBeforeTheStartLetsNoOpRun) {
  FIFOQueue<int> queue(1);
  Coordinator coordinator;
  coordinator.request_stop();
  std::atomic<int> calls = 0;
  QueueRunner runner(queue, 2, [&] { return ++calls; });
  runner.start(coordinator);
  coordinator.join();
  EXPECT_EQ(calls, 0);
  EXPECT_TRUE(queue.is_closed());
}

TEST(QueueRunner, StopDuringTheStartIsNotMissed) {
  for (int i = 0; i < iterations(500); ++i) {
    FIFOQueue<int> queue(1);
    Coordinator coordinator;
    QueueRunner runner(queue, 2, [] { return 1; });
    std::latch together(2);
    std::jthread stopping([&] {
      together.arrive_and_wait();
      coordinator.request_stop();
    });
    together.arrive_and_wait();
    runner.start(coordinator);
    EXPECT_NO_THROW(coordinator.join());
    EXPECT_TRUE(queue.is_closed());
  }
}

// ---- Start and join

TEST(QueueRunner, StartWhileItRunsThrowsAndChangesNothing) {
  FIFOQueue<int> queue(1);
  Coordinator coordinator;
  Coordinator another;
  QueueRunner runner(
      queue, 1, [] { return 1; }, "reader");
  runner.start(coordinator);
  await_waiting_producers(queue, 1);
  EXPECT_THROW(runner.start(coordinator), std::logic_error);
  EXPECT_THROW(runner.start(another), std::logic_error);
  EXPECT_THROW(runner.start(), std::logic_error);
  EXPECT_FALSE(queue.is_closed());
  EXPECT_EQ(*queue.dequeue(), 1);
  EXPECT_EQ(*queue.dequeue(), 1);
}

TEST(QueueRunner, StartByTwoThreadsAtOnceSucceedsForOneOfThem) {
  for (int i = 0; i < iterations(500); ++i) {
    FIFOQueue<int> queue(1);
    QueueRunner runner(queue, 1, [] { return 1; });
    std::latch together(2);
    const auto started = [&] {
      together.arrive_and_wait();
      return thrown_by([&] { runner.start(); }) == nullptr;
    };
    Background other(started);
    const bool mine = started();
    EXPECT_NE(other.get(), mine);
  }
}

TEST(QueueRunner, StartAgainAfterTheEndForgetsWhatWasRaised) {
  FIFOQueue<int> queue(10);
  int starts = 0;
  QueueRunner runner(queue, 1, [&]() -> MaybeInt {
    if (++starts == 1) throw Failure("only the first time");
    return std::nullopt;
  });
  runner.start();
  EXPECT_THROW(runner.join(), Failure);
  EXPECT_EQ(runner.exceptions_raised().size(), 1U);
  runner.start();
  EXPECT_NO_THROW(runner.join());
  EXPECT_TRUE(runner.exceptions_raised().empty());
  EXPECT_EQ(starts, 2);
}

TEST(QueueRunner, StartAgainEndsByItselfWhenTheQueueIsClosed) {
  FIFOQueue<int> queue(10);
  Coordinator coordinator;
  Numbers numbers(3);
  QueueRunner runner(queue, 2, [&] { return numbers.next(); });
  for (int i = 0; i < 3; ++i) {
    runner.start(coordinator);
    EXPECT_NO_THROW(runner.join());
    EXPECT_NO_THROW(coordinator.join());
  }
  EXPECT_EQ(drained(queue).size(), 3U);
}

TEST(QueueRunner, JoinBeforeAnyStartReturnsAtOnce) {
  FIFOQueue<int> queue(1);
  QueueRunner runner(queue, 1, [] { return 1; });
  EXPECT_NO_THROW(runner.join());
  EXPECT_FALSE(queue.is_closed());
}

TEST(QueueRunner, JoinWithoutCoordinatorWaitsForTheThreads) {
  FIFOQueue<int> queue(1);
  int result = 0;
  QueueRunner runner(queue, 1, [&]() -> MaybeInt {
    keep_busy(short_time());
    result = 1;
    return std::nullopt;
  });
  runner.start();
  runner.join();
  EXPECT_EQ(result, 1);
}

// proves: join-inside
TEST(QueueRunner, JoinByAnOpThrowsInsteadOfDeadlocking) {
  for (const bool coordinated : {false, true}) {
    FIFOQueue<int> queue(1);
    Coordinator coordinator;
    QueueRunner* self = nullptr;
    std::atomic<bool> reported = false;
    QueueRunner runner(queue, 1, [&]() -> MaybeInt {
      reported = reports_deadlock([&] { self->join(); });
      return std::nullopt;
    });
    self = &runner;
    coordinated ? runner.start(coordinator) : runner.start();
    EXPECT_NO_THROW(runner.join());
    EXPECT_TRUE(reported);
  }
}

TEST(QueueRunner, JoinByAnotherThreadOfTheCoordinatorIsAllowed) {
  FIFOQueue<int> queue(1);
  Coordinator coordinator;
  QueueRunner runner(queue, 1, [] { return 1; });
  runner.start(coordinator);
  await_waiting_producers(queue, 1);
  coordinator.launch("waits for the runner", [&] { runner.join(); });
  coordinator.launch("closes the queue", [&] { queue.close(forebay::cancel_pending_enqueues); });
  EXPECT_NO_THROW(coordinator.join());
}

TEST(QueueRunner, JoinShowsWhatTheOpsDid) {
  for (int i = 0; i < iterations(200); ++i) {
    FIFOQueue<int> queue(1);
    int written = 0;
    QueueRunner runner(queue, 1, [&]() -> MaybeInt { return written = 1, std::nullopt; });
    runner.start();
    runner.join();
    EXPECT_EQ(written, 1);
  }
}

#if defined(__linux__)
TEST(QueueRunner, ThreadsCarryNames) {
  using Names = std::multiset<std::string>;
  const auto names_in = [](auto... name) {
    FIFOQueue<std::string> queue(2);
    std::barrier together(2);
    std::atomic<int> calls = 0;
    const auto op = [&]() -> std::optional<std::string> {
      if (++calls > 2) return std::nullopt;
      together.arrive_and_wait();
      return name_of_this_thread();
    };
    QueueRunner runner(queue, 2, op, name...);
    runner.start();
    const std::vector<std::string> names = drained(queue);
    return Names(names.begin(), names.end());
  };
  EXPECT_EQ(names_in("reader"), (Names{"reader-0", "reader-1"}));
  EXPECT_EQ(names_in(), (Names{"QueueRunner-0", "QueueRunner-1"}));
}
#endif

TEST(QueueRunner, ThreadsAreNamedInStragglerReports) {
  FIFOQueue<int> queue(1);
  Coordinator coordinator;
  std::promise<void> release;
  std::atomic<bool> runs = false;
  const auto op = [&runs, released = release.get_future().share()] {
    runs = true;
    released.wait();
  };
  QueueRunner runner(queue, 1, op, "a rather slow reader");
  runner.start(coordinator);
  await([&] { return runs.load(); });
  coordinator.request_stop();
  try {
    coordinator.join(std::chrono::nanoseconds(0));
    ADD_FAILURE() << "join returned while a thread runs";
  } catch (const forebay::StragglersError& error) {
    EXPECT_TRUE(contains(error.what(), "a rather slow reader-0")) << error.what();
  }
  release.set_value();
}

}  // namespace
}  // namespace forebay_test
