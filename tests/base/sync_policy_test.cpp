// SPDX-License-Identifier: MIT
//
// The seam: every synchronising type runs on another policy than StdSync, and asks nobody else.

#include <chrono>
#include <future>
#include <optional>
#include <stdexcept>

#include <gtest/gtest.h>

#include "forebay/queues.hpp"
#include "tests/support/await.hpp"
#include "tests/support/manual_clock_sync.hpp"

namespace forebay_test {
namespace {

using namespace std::chrono_literals;
using forebay::QueueStatus;

using Fifo = forebay::FIFOQueue<int, ManualClockSync>;
using Shuffle = forebay::RandomShuffleQueue<int, ManualClockSync>;
using Coordinator = forebay::BasicCoordinator<ManualClockSync>;
using QueueRunner = forebay::BasicQueueRunner<ManualClockSync>;

// proves: wait-saturates, queue-statistics
TEST(SyncPolicy, AnHourOfThePolicysClockTimesADequeueOut) {
  Fifo queue(1);
  auto dequeued = std::async(std::launch::async, [&] { return queue.dequeue(1h).status(); });
  await_waiting_consumers(queue, 1);
  ManualClockSync::advance(59min);
  EXPECT_EQ(queue.waiting_consumers(), 1U);
  EXPECT_EQ(queue.statistics().consumers.waited, 59min);
  EXPECT_EQ(queue.statistics().consumers.waits, 0U);
  ManualClockSync::advance(1min);
  EXPECT_EQ(dequeued.get(), QueueStatus::timed_out);
  const forebay::QueueStatistics::Side consumers = queue.statistics().consumers;
  EXPECT_EQ(consumers.waits, 1U);
  EXPECT_EQ(consumers.longest_wait, 1h);
  EXPECT_EQ(consumers.waited, 1h);
}

TEST(SyncPolicy, TheLongestWaitIsKept) {
  Fifo queue(1);
  for (const auto time : {3h, 2h}) {
    auto dequeued = std::async(std::launch::async, [&] { return queue.dequeue(time).status(); });
    await_waiting_consumers(queue, 1);
    ManualClockSync::advance(time);
    EXPECT_EQ(dequeued.get(), QueueStatus::timed_out);
  }
  const forebay::QueueStatistics::Side consumers = queue.statistics().consumers;
  EXPECT_EQ(consumers.waits, 2U);
  EXPECT_EQ(consumers.longest_wait, 3h);
  EXPECT_EQ(consumers.waited, 5h);
}

TEST(SyncPolicy, ACoordinatorStopsAQueueOfItsPolicy) {
  Fifo queue(1);
  Coordinator coordinator;
  auto dequeued = std::async(std::launch::async, [&] { return queue.dequeue({1h, coordinator}).status(); });
  await_waiting_consumers(queue, 1);
  coordinator.request_stop();
  EXPECT_EQ(dequeued.get(), QueueStatus::stopped);
}

TEST(SyncPolicy, ARunnerFillsAShuffleQueueOfItsPolicy) {
  Shuffle queue({.capacity = 4, .min_after_dequeue = 2, .seed = 1});
  Coordinator coordinator;
  int next = 0;
  QueueRunner runner(queue, 1, [&]() -> std::optional<int> {
    if (next == 100) return std::nullopt;
    return next++;
  });
  runner.start(coordinator);
  int sum = 0;
  for (const int element : queue) sum += element;
  coordinator.join();
  EXPECT_EQ(sum, 4950);
}

TEST(SyncPolicy, AFailureReachesJoinOnItsPolicy) {
  Fifo queue(1);
  QueueRunner runner(queue, 2, []() -> int { throw std::runtime_error("no such file"); });
  runner.start();
  EXPECT_THROW(runner.join(), std::runtime_error);
  EXPECT_THROW(static_cast<void>(queue.dequeue()), std::runtime_error);
}

TEST(SyncPolicy, LocksGoThroughThePolicy) {
  Fifo queue(1);
  const std::size_t exchanges = ManualClockSync::atomic_exchanges;
  ASSERT_EQ(queue.enqueue(1), QueueStatus::ok);
  ASSERT_TRUE(queue.dequeue());
  EXPECT_EQ(ManualClockSync::atomic_exchanges, exchanges + 2) << "one locked instruction for each operation";

  const std::size_t locks = ManualClockSync::mutex_locks;
  Coordinator().request_stop();
  EXPECT_GT(ManualClockSync::mutex_locks, locks);
}

}  // namespace
}  // namespace forebay_test
