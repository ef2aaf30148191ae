// SPDX-License-Identifier: MIT
//
// coordinator_test.cpp: the promises of the contract about Coordinator, sentence by sentence.
//
//   Stopping          Stop*, WaitForStop*, Clear*
//   Failures          *Failure*, *CleanStop*, Raise*, StopOnException*
//   Attached queues   Attach*, Detach*
//
// Its threads are in coordinator_threads_test.cpp.

#include <gtest/gtest.h>

#include <array>
#include <barrier>
#include <chrono>
#include <cstddef>
#include <exception>
#include <iterator>
#include <latch>
#include <list>
#include <memory>
#include <stop_token>
#include <thread>
#include <vector>

#include "forebay/coordinator.hpp"
#include "forebay/fifo_queue.hpp"
#include "forebay/queue_status.hpp"
#include "forebay/wait.hpp"
#include "tests/support/await.hpp"
#include "tests/support/background.hpp"
#include "tests/support/iterations.hpp"
#include "tests/support/parking_sync.hpp"
#include "tests/support/scaled_time.hpp"
#include "tests/support/thrown.hpp"

namespace forebay_test {
namespace {

using forebay::Coordinator;
using forebay::FIFOQueue;
using forebay::no_wait;
using forebay::OutOfRangeError;
using forebay::QueueStatus;
using std::chrono::nanoseconds;

struct EndOfFile : std::exception {};
struct EndOfTape : EndOfFile {};

// ---- Stopping

TEST(Coordinator, StopIsNotRequestedAtFirst) {
  const Coordinator coordinator;
  EXPECT_FALSE(coordinator.should_stop());
  EXPECT_FALSE(coordinator.joined());
  EXPECT_EQ(coordinator.failure(), nullptr);
  EXPECT_TRUE(coordinator.failures().empty());
}

// proves: stop-anywhere
TEST(Coordinator, StopMayBeRequestedAgain) {
  Coordinator coordinator;
  coordinator.request_stop();
  coordinator.request_stop();
  EXPECT_TRUE(coordinator.should_stop());
  EXPECT_EQ(thrown_by_join(coordinator), nullptr);
}

TEST(Coordinator, StopShowsWhatWasDoneBefore) {
  for (int i = 0; i < iterations(200); ++i) {
    Coordinator coordinator;
    int written = 0;
    coordinator.launch("writer", [&] {
      written = 1;
      coordinator.request_stop();
    });
    while (!coordinator.should_stop()) std::this_thread::yield();
    EXPECT_EQ(written, 1);
  }
}

TEST(Coordinator, StopShowsWhatWasDoneBeforeToWaitsThatItEnds) {
  for (int i = 0; i < iterations(200); ++i) {
    FIFOQueue<int> queue(1);
    Coordinator coordinator;
    int written = 0;
    coordinator.launch("writer", [&] {
      written = 1;
      coordinator.request_stop();
    });
    EXPECT_EQ(queue.dequeue(coordinator).status(), QueueStatus::stopped);
    EXPECT_EQ(written, 1);
  }
}

TEST(Coordinator, StopEndsADequeueThatWaits) {
  Coordinator coordinator;
  FIFOQueue<int> queue(1);
  Background waiting([&] { return queue.dequeue(coordinator).status(); });
  await_waiting_consumers(queue, 1);
  coordinator.request_stop();
  EXPECT_EQ(waiting.get(), QueueStatus::stopped);
  EXPECT_FALSE(queue.is_closed());
}

TEST(Coordinator, StopEndsAnEnqueueThatWaits) {
  Coordinator coordinator;
  FIFOQueue<int> queue(1);
  ASSERT_EQ(queue.enqueue(1), QueueStatus::ok);
  Background waiting([&] { return queue.enqueue(2, coordinator); });
  await_waiting_producers(queue, 1);
  coordinator.request_stop();
  EXPECT_EQ(waiting.get(), QueueStatus::stopped);
  EXPECT_EQ(queue.size(), 1U);
}

TEST(Coordinator, StopEndsABatchThatWaits) {
  Coordinator coordinator;
  FIFOQueue<int> queue(4);
  ASSERT_EQ(queue.enqueue(1), QueueStatus::ok);
  Background waiting([&] { return queue.dequeue_many(2, coordinator).status(); });
  await_waiting_consumers(queue, 1);
  coordinator.request_stop();
  EXPECT_EQ(waiting.get(), QueueStatus::stopped);
  EXPECT_EQ(*queue.dequeue(no_wait), 1);
}

TEST(Coordinator, StopEndsAWaitThatHasATimeToo) {
  Coordinator coordinator;
  FIFOQueue<int> queue(1);
  Background until([&] {
    return queue.dequeue({std::chrono::steady_clock::now() + std::chrono::hours(1), coordinator}).status();
  });
  Background lasting([&] { return queue.dequeue({std::chrono::hours(1), coordinator}).status(); });
  await_waiting_consumers(queue, 2);
  coordinator.request_stop();
  EXPECT_EQ(until.get(), QueueStatus::stopped);
  EXPECT_EQ(lasting.get(), QueueStatus::stopped);
}

TEST(Coordinator, StopDoesNotEndAWaitThatWasNotGivenTheCoordinator) {
  Coordinator coordinator;
  FIFOQueue<int> queue(1);
  Background waiting([&] { return queue.dequeue().status(); });
  await_waiting_consumers(queue, 1);
  coordinator.request_stop();
  EXPECT_EQ(queue.waiting_consumers(), 1U);
  ASSERT_EQ(queue.enqueue(1), QueueStatus::ok);
  EXPECT_EQ(waiting.get(), QueueStatus::ok);
}

// proves: stop-anywhere
TEST(Coordinator, StopMayBeRequestedByALaunchedThread) {
  Coordinator coordinator;
  FIFOQueue<int> queue(1);
  coordinator.launch("waiting", [&] { EXPECT_EQ(queue.dequeue(coordinator).status(), QueueStatus::stopped); });
  coordinator.launch("stopping", [&] {
    await_waiting_consumers(queue, 1);
    coordinator.request_stop();
  });
  EXPECT_EQ(thrown_by_join(coordinator), nullptr);
  EXPECT_TRUE(coordinator.should_stop());
}

// proves: stop-anywhere
TEST(Coordinator, StopMayBeRequestedByAStopCallback) {
  Coordinator coordinator;
  FIFOQueue<int> queue(1);
  std::stop_source source;
  const std::stop_callback pass_on(source.get_token(), [&] { coordinator.request_stop(); });
  coordinator.launch("waiting", [&] { EXPECT_EQ(queue.dequeue(coordinator).status(), QueueStatus::stopped); });
  await_waiting_consumers(queue, 1);
  source.request_stop();
  EXPECT_EQ(thrown_by_join(coordinator), nullptr);
}

TEST(Coordinator, WaitForStopReturnsWhenAStopIsRequested) {
  for (int i = 0; i < iterations(500); ++i) {
    Coordinator coordinator;
    Background waiting([&] { return coordinator.wait_for_stop(); });
    if (i % 2 == 0) std::this_thread::yield();
    coordinator.request_stop();
    EXPECT_TRUE(waiting.get());
  }
}

TEST(Coordinator, WaitForStopReturnsAtOnceAfterAStop) {
  Coordinator coordinator;
  coordinator.request_stop();
  EXPECT_TRUE(coordinator.wait_for_stop());
  EXPECT_TRUE(coordinator.wait_for_stop(no_wait));
  EXPECT_TRUE(coordinator.wait_for_stop(nanoseconds(0)));
}

TEST(Coordinator, WaitForStopWithoutWaitingTellsThatThereIsNone) {
  Coordinator coordinator;
  EXPECT_FALSE(coordinator.wait_for_stop(no_wait));
}

TEST(Coordinator, WaitForStopGivesUpAfterItsTime) {
  Coordinator coordinator;
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_FALSE(coordinator.wait_for_stop(short_time()));
  EXPECT_GE(std::chrono::steady_clock::now() - begin, short_time());
}

TEST(Coordinator, WaitForStopEndsWithAStopToken) {
  Coordinator coordinator;
  for (int i = 0; i < iterations(500); ++i) {
    std::stop_source source;
    Background waiting([&] { return coordinator.wait_for_stop(source.get_token()); });
    if (i % 2 == 0) std::this_thread::yield();
    source.request_stop();
    EXPECT_FALSE(waiting.get());
  }
}

/// Waits for a stop that does not arrive. Awaits that the wait is parked, then `end_it` has to end it.
template <class EndIt>
void expect_end_of_parked_wait(forebay::BasicCoordinator<ParkingSync>& coordinator,
                               const forebay::BasicWait<ParkingSync>& wait, EndIt end_it, bool stopped) {
  Background waiting([&] { return coordinator.wait_for_stop(wait); });
  ASSERT_TRUE(await_parked_threads(1));
  end_it();
  if (!await_parked_threads(0)) coordinator.request_stop();  // otherwise this test would hang
  EXPECT_EQ(waiting.get(), stopped);
}

TEST(Coordinator, WaitForStopThatIsParkedEndsWhenAStopIsRequested) {
  forebay::BasicCoordinator<ParkingSync> coordinator;
  expect_end_of_parked_wait(
      coordinator, {}, [&] { coordinator.request_stop(); }, true);
}

TEST(Coordinator, WaitForStopThatIsParkedEndsWithAStopToken) {
  forebay::BasicCoordinator<ParkingSync> coordinator;
  std::stop_source source;
  expect_end_of_parked_wait(
      coordinator, source.get_token(), [&] { source.request_stop(); }, false);
}

TEST(Coordinator, WaitForStopThatIsParkedEndsWithAnotherCoordinator) {
  forebay::BasicCoordinator<ParkingSync> coordinator;
  forebay::BasicCoordinator<ParkingSync> another;
  expect_end_of_parked_wait(
      coordinator, another, [&] { another.request_stop(); }, false);
}

// proves: wait-over
TEST(Coordinator, WaitForStopEndsAtOnceWithAStopTokenThatWasRequested) {
  Coordinator coordinator;
  std::stop_source source;
  source.request_stop();
  EXPECT_FALSE(coordinator.wait_for_stop(source.get_token()));
}

TEST(Coordinator, ClearStopForgetsEverythingAndMakesItUsableAgain) {
  Coordinator coordinator;
  coordinator.request_stop(failure());
  EXPECT_NE(thrown_by_join(coordinator), nullptr);
  coordinator.clear_stop();
  EXPECT_FALSE(coordinator.should_stop());
  EXPECT_FALSE(coordinator.joined());
  EXPECT_EQ(coordinator.failure(), nullptr);

  FIFOQueue<int> queue(1);
  coordinator.launch("waiting", [&] { EXPECT_EQ(queue.dequeue(coordinator).status(), QueueStatus::stopped); });
  await_waiting_consumers(queue, 1);
  const std::exception_ptr another = failure();
  coordinator.request_stop(another);
  EXPECT_EQ(thrown_by_join(coordinator), another);
}

// ---- Failures

TEST(Coordinator, FirstFailureWins) {
  Coordinator coordinator;
  const std::exception_ptr first = failure("first");
  const std::exception_ptr second = failure("second");
  coordinator.request_stop(first);
  coordinator.request_stop(second);
  EXPECT_EQ(coordinator.failure(), first);
  EXPECT_EQ(thrown_by_join(coordinator), first);
}

TEST(Coordinator, FirstFailureWinsEvenAfterACleanStop) {
  Coordinator coordinator;
  const std::exception_ptr first = failure();
  coordinator.request_stop();
  coordinator.request_stop(std::make_exception_ptr(OutOfRangeError()));
  coordinator.request_stop(first);
  EXPECT_EQ(thrown_by_join(coordinator), first);
}

TEST(Coordinator, FailureOfAThreadThatEndsAfterACleanStopComesOutOfJoin) {
  Coordinator coordinator;
  coordinator.launch("cleaner", [&] {
    static_cast<void>(coordinator.wait_for_stop());
    throw Failure("while cleaning up");
  });
  coordinator.request_stop();
  EXPECT_THROW(coordinator.join(), Failure);
}

TEST(Coordinator, LaterFailuresAreKeptInTheirOrder) {
  Coordinator coordinator;
  const std::vector reported = {failure("first"), failure("second"), failure("third")};
  for (const std::exception_ptr& each : reported) coordinator.request_stop(each);
  EXPECT_EQ(coordinator.failures(), reported);
}

TEST(Coordinator, SameFailureIsListedOnce) {
  Coordinator coordinator;
  const std::exception_ptr once = failure("once");
  const std::exception_ptr other = failure("other");
  for (const std::exception_ptr& each : {once, other, once, other}) coordinator.request_stop(each);
  EXPECT_EQ(coordinator.failures(), (std::vector{once, other}));
}

TEST(Coordinator, FailureThatIsNullIsACleanStop) {
  Coordinator coordinator;
  coordinator.request_stop(std::exception_ptr());
  EXPECT_TRUE(coordinator.should_stop());
  EXPECT_TRUE(coordinator.failures().empty());
}

TEST(Coordinator, EndOfInputIsACleanStop) {
  Coordinator coordinator;
  coordinator.launch("reader", [] { throw OutOfRangeError(); });
  EXPECT_EQ(thrown_by_join(coordinator), nullptr);
  EXPECT_TRUE(coordinator.should_stop());
  EXPECT_TRUE(coordinator.failures().empty());
}

TEST(Coordinator, CleanStopTypesCanBeChosen) {
  Coordinator coordinator(forebay::clean_stop_types<OutOfRangeError, EndOfFile>);
  coordinator.request_stop(std::make_exception_ptr(OutOfRangeError()));
  coordinator.request_stop(std::make_exception_ptr(EndOfFile()));
  coordinator.request_stop(std::make_exception_ptr(EndOfTape()));
  EXPECT_EQ(thrown_by_join(coordinator), nullptr);
}

TEST(Coordinator, CleanStopTypesThatAreChosenReplaceTheDefault) {
  Coordinator coordinator(forebay::clean_stop_types<EndOfFile>);
  coordinator.request_stop(std::make_exception_ptr(OutOfRangeError()));
  EXPECT_THROW(coordinator.join(), OutOfRangeError);
}

TEST(Coordinator, CleanStopTypesMayBeNone) {
  Coordinator coordinator(forebay::clean_stop_types<>);
  const std::exception_ptr end = std::make_exception_ptr(OutOfRangeError());
  EXPECT_FALSE(coordinator.is_clean_stop(end));
  coordinator.request_stop(end);
  EXPECT_EQ(thrown_by_join(coordinator), end);
}

TEST(Coordinator, RaiseRequestedExceptionThrowsTheFirstFailureEachTime) {
  Coordinator coordinator;
  EXPECT_NO_THROW(coordinator.raise_requested_exception());
  coordinator.request_stop();
  EXPECT_NO_THROW(coordinator.raise_requested_exception());
  coordinator.request_stop(failure());
  EXPECT_THROW(coordinator.raise_requested_exception(), Failure);
  EXPECT_THROW(coordinator.raise_requested_exception(), Failure);
}

TEST(Coordinator, StopOnExceptionReportsWhatEscapes) {
  Coordinator coordinator;
  EXPECT_FALSE(coordinator.stop_on_exception([] { throw Failure("escapes"); }));
  EXPECT_TRUE(coordinator.should_stop());
  EXPECT_THROW(coordinator.join(), Failure);
}

TEST(Coordinator, StopOnExceptionReportsWhatIsNoStandardException) {
  Coordinator coordinator;
  EXPECT_FALSE(coordinator.stop_on_exception([] { throw 42; }));
  EXPECT_THROW(coordinator.join(), int);
}

TEST(Coordinator, StopOnExceptionLetsABodyRunToItsEnd) {
  Coordinator coordinator;
  bool ran = false;
  EXPECT_TRUE(coordinator.stop_on_exception([&] { ran = true; }));
  EXPECT_TRUE(ran);
  EXPECT_FALSE(coordinator.should_stop());
}

// proves: failures-listed
TEST(Coordinator, FailuresOfManyThreadsAtOnceAreAllListedAndOneIsRethrown) {
  constexpr int count = 64;
  Coordinator coordinator;
  std::barrier together(count);
  for (int i = 0; i < count; ++i) {
    coordinator.launch("failing", [&together, i] {
      together.arrive_and_wait();
      throw i;
    });
  }
  const std::exception_ptr rethrown = thrown_by_join(coordinator);
  const auto failures = coordinator.failures();
  ASSERT_EQ(failures.size(), static_cast<std::size_t>(count));
  EXPECT_EQ(rethrown, failures.front());
  std::array<int, count> seen{};
  for (const std::exception_ptr& each : failures) {
    try {
      std::rethrow_exception(each);
    } catch (int number) {
      ++seen.at(static_cast<std::size_t>(number));
    }
  }
  for (const int times : seen) EXPECT_EQ(times, 1);
}

// ---- Attached queues

/// A closable object that is not a queue.
struct Channel {
  void close() noexcept { ++closed; }
  int closed = 0;
};

TEST(Coordinator, AttachedQueueIsClosedByAStopAndDrains) {
  FIFOQueue<int> queue(1);
  Coordinator coordinator;
  coordinator.attach(queue);
  ASSERT_EQ(queue.enqueue(1), QueueStatus::ok);
  Background waiting([&] { return queue.enqueue(2); });
  await_waiting_producers(queue, 1);
  coordinator.request_stop();
  EXPECT_EQ(waiting.get(), QueueStatus::closed);
  EXPECT_EQ(queue.enqueue(3), QueueStatus::closed);
  EXPECT_EQ(*queue.dequeue(), 1);
  EXPECT_EQ(queue.dequeue().status(), QueueStatus::closed);
}

TEST(Coordinator, AttachedQueueIsClosedWithTheFirstFailureAsItsCause) {
  FIFOQueue<int> queue(1);
  Coordinator coordinator;
  coordinator.attach(queue);
  Background waiting([&] { return thrown_by([&] { return queue.dequeue(); }); });
  await_waiting_consumers(queue, 1);
  const std::exception_ptr first = failure("first");
  coordinator.request_stop(first);
  coordinator.request_stop(failure("second"));
  EXPECT_EQ(waiting.get(), first);
  EXPECT_EQ(thrown_by([&] { return queue.dequeue(); }), first);
}

TEST(Coordinator, AttachedQueueGetsTheCauseOfAFailureThatComesAfterACleanStop) {
  FIFOQueue<int> queue(1);
  Coordinator coordinator;
  coordinator.attach(queue);
  coordinator.request_stop();
  EXPECT_EQ(queue.dequeue().status(), QueueStatus::closed);
  const std::exception_ptr first = failure();
  coordinator.request_stop(first);
  EXPECT_EQ(thrown_by([&] { return queue.dequeue(); }), first);
}

TEST(Coordinator, AttachClosesAtOnceWhenTheStopWasRequestedBefore) {
  FIFOQueue<int> queue(1);
  Coordinator coordinator;
  const std::exception_ptr first = failure();
  coordinator.request_stop(first);
  coordinator.attach(queue);
  EXPECT_TRUE(queue.is_closed());
  EXPECT_EQ(thrown_by([&] { return queue.dequeue(); }), first);
}

TEST(Coordinator, AttachedQueuesWakeEveryStageOfAChain) {
  constexpr std::size_t depth = 3;
  std::list<FIFOQueue<int>> queues;
  Coordinator coordinator;
  for (std::size_t i = 0; i <= depth; ++i) coordinator.attach(queues.emplace_back(1));
  for (auto from = queues.begin(), to = std::next(from); to != queues.end(); ++from, ++to) {
    coordinator.launch("stage", [&in = *from, &out = *to] {
      for (const int element : in) {
        if (out.enqueue(element) != QueueStatus::ok) return;
      }
    });
  }
  for (FIFOQueue<int>& queue : queues) {
    if (&queue != &queues.back()) await_waiting_consumers(queue, 1);
  }
  const std::exception_ptr first = failure();
  coordinator.request_stop(first);
  EXPECT_EQ(thrown_by_join(coordinator), first);
  EXPECT_EQ(coordinator.failures().size(), 1U) << "the cause came back through every stage";
  EXPECT_EQ(thrown_by([&] { return queues.back().dequeue(); }), first);
}

TEST(Coordinator, AttachTakesWhateverHasACloseWithoutCause) {
  Channel channel;
  Coordinator coordinator;
  coordinator.attach(channel);
  EXPECT_EQ(channel.closed, 0);
  coordinator.request_stop(failure());
  EXPECT_EQ(channel.closed, 1);
}

TEST(Coordinator, DetachedIsNotClosed) {
  Channel detached;
  FIFOQueue<int> attached(1);
  Coordinator coordinator;
  coordinator.attach(detached);
  coordinator.attach(attached);
  coordinator.detach(detached);
  coordinator.request_stop();
  EXPECT_EQ(detached.closed, 0);
  EXPECT_TRUE(attached.is_closed());
}

TEST(Coordinator, DetachWaitsForACloseUnderWay) {
  for (int i = 0; i < iterations(500); ++i) {
    Coordinator coordinator;
    auto queue = std::make_unique<FIFOQueue<int>>(1);
    coordinator.attach(*queue);
    std::latch together(2);
    coordinator.launch("stopping", [&] {
      together.arrive_and_wait();
      coordinator.request_stop();
    });
    together.arrive_and_wait();
    coordinator.detach(*queue);
    queue.reset();
    coordinator.join();
  }
}

}  // namespace
}  // namespace forebay_test
