// SPDX-License-Identifier: MIT
//
// fifo_queue_test.cpp: the order in which elements leave a FIFOQueue, and the order in which waiting calls are served.
// The order of elements shows which call went first, so this file tests the turns for every kind of queue.

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include "forebay/fifo_queue.hpp"
#include "forebay/queue_status.hpp"
#include "tests/support/await.hpp"
#include "tests/support/background.hpp"
#include "tests/support/blocking_operations.hpp"
#include "tests/support/counted_cells_sync.hpp"
#include "tests/support/iterations.hpp"
#include "tests/support/manual_clock_sync.hpp"
#include "tests/support/scaled_time.hpp"

namespace forebay_test {
namespace {

using forebay::FIFOQueue;
using forebay::no_wait;

// ---- Elements

TEST(FIFOQueue, DeliversInTheOrderOfAcceptance) {
  FIFOQueue<int> queue(10);
  for (const int number : numbers(10)) ASSERT_EQ(queue.enqueue(number), QueueStatus::ok);
  for (const int number : numbers(10)) EXPECT_EQ(queue.dequeue().value(), number);
}

TEST(FIFOQueue, KeepsOrderAcrossOperationsOfEveryKind) {
  FIFOQueue<int> queue(10);
  ASSERT_EQ(queue.enqueue(0), QueueStatus::ok);
  ASSERT_EQ(queue.enqueue_many(numbers(8, 1)).status, QueueStatus::ok);
  EXPECT_EQ(queue.dequeue_many(3).value(), numbers(3));
  EXPECT_EQ(queue.dequeue().value(), 3);
  EXPECT_EQ(queue.dequeue_up_to(2).value(), numbers(2, 4));
  EXPECT_EQ(queue.dequeue_available(9).value(), numbers(3, 6));
}

TEST(FIFOQueue, KeepsOrderWhereverTheRingStarts) {
  for (std::size_t capacity = 1; capacity <= 5; ++capacity) {
    for (std::size_t start = 0; start < 2 * capacity; ++start) {
      FIFOQueue<int> queue(capacity);
      for (std::size_t i = 0; i < start; ++i) {
        ASSERT_EQ(queue.enqueue(-1), QueueStatus::ok);
        ASSERT_TRUE(queue.dequeue());
      }
      const auto expected = numbers(static_cast<int>(capacity));
      ASSERT_EQ(queue.enqueue_many(expected, no_wait).count, capacity);
      EXPECT_EQ(queue.enqueue(-1, no_wait), QueueStatus::full) << capacity << " from " << start;
      EXPECT_TRUE(queue.invariants_hold());
      EXPECT_EQ(queue.dequeue_many(capacity).value(), expected) << capacity << " from " << start;
      EXPECT_EQ(queue.dequeue(no_wait).status(), QueueStatus::empty);
    }
  }
}

TEST(FIFOQueue, KeepsOrderWhenItGrowsWhereverTheRingStarts) {
  for (int start = 0; start < 70; ++start) {
    FIFOQueue<int, CountedCellsSync> queue(forebay::unbounded);  // in small blocks
    for (int i = 0; i < start; ++i) {
      ASSERT_EQ(queue.enqueue(-1), QueueStatus::ok);
      ASSERT_TRUE(queue.dequeue());
    }
    for (const int number : numbers(300)) ASSERT_EQ(queue.enqueue(number), QueueStatus::ok);
    EXPECT_EQ(queue.dequeue_many(300).value(), numbers(300)) << "from " << start;
  }
}

TEST(FIFOQueue, EnqueueManyPutsInNoMoreThanFits) {
  FIFOQueue<int> queue(4);
  ASSERT_EQ(queue.enqueue_many(numbers(3)).status, QueueStatus::ok);
  const auto put = queue.enqueue_many(numbers(2, 3), no_wait);
  EXPECT_EQ(put.status, QueueStatus::full);
  EXPECT_EQ(put.count, 1U);
  EXPECT_EQ(queue.size(), 4U);
  EXPECT_EQ(queue.dequeue_available(9).value(), numbers(4));
}

TEST(FIFOQueue, KeepsTheOrderOfEachOfManyProducers) {
  constexpr int producers = 4;
  constexpr int each = iterations(5000);
  FIFOQueue<std::pair<int, int>> queue(3);
  std::vector<std::jthread> threads;
  for (int producer = 0; producer < producers; ++producer) {
    threads.emplace_back([&queue, producer] {
      for (int i = 0; i < each; ++i) ASSERT_EQ(queue.enqueue({producer, i}), QueueStatus::ok);
    });
  }
  std::vector<int> next(producers, 0);
  for (int i = 0; i < producers * each; ++i) {
    const auto [producer, number] = queue.dequeue().value();
    ASSERT_EQ(number, next[static_cast<std::size_t>(producer)]++);
  }
}

TEST(FIFOQueue, GivesABatchBackInFrontOfWhatCameLater) {
  FIFOQueue<int> queue(2);
  std::stop_source stop;
  Background batch([&] { return queue.dequeue_many(9, stop.get_token()).status(); });
  ASSERT_EQ(queue.enqueue_many(numbers(6)).status, QueueStatus::ok);
  stop.request_stop();
  EXPECT_EQ(batch.get(), QueueStatus::stopped);
  EXPECT_EQ(queue.dequeue_many(2).value(), numbers(2));
  EXPECT_EQ(queue.dequeue().value(), 2);
  EXPECT_EQ(queue.dequeue_available(9).value(), numbers(3, 3));
}

// ---- Turns of producers

TEST(FIFOQueue, EnqueueManyIsNotInterleavedWithEnqueuesThatWait) {
  FIFOQueue<int> queue(2);
  Background many([&] { return queue.enqueue_many(numbers(5)).status; });
  ASSERT_TRUE(await_waiting_producers(queue, 1));
  Background one([&] { return queue.enqueue(99); });
  ASSERT_TRUE(await_waiting_producers(queue, 2));
  for (const int expected : {0, 1, 2, 3, 4, 99}) EXPECT_EQ(queue.dequeue().value(), expected);
  EXPECT_EQ(many.get(), QueueStatus::ok);
  EXPECT_EQ(one.get(), QueueStatus::ok);
}

TEST(FIFOQueue, EnqueueManyIsNotInterleavedWithAnotherOne) {
  constexpr int run_length = 7;
  constexpr int runs = iterations(400);
  FIFOQueue<std::pair<int, int>> queue(3);
  const auto produce = [&](int producer) {
    for (int run = 0; run < runs; ++run) {
      std::vector<std::pair<int, int>> elements;
      for (int i = 0; i < run_length; ++i) elements.emplace_back(producer, i);
      ASSERT_EQ(queue.enqueue_many(elements).status, QueueStatus::ok);
    }
  };
  std::jthread first(produce, 1);
  std::jthread second(produce, 2);
  for (int run = 0; run < 2 * runs; ++run) {
    const int producer = queue.dequeue().value().first;
    for (int i = 1; i < run_length; ++i) ASSERT_EQ(queue.dequeue().value(), std::pair(producer, i));
  }
}

TEST(FIFOQueue, NewcomerDoesNotGoAheadOfAHalfDoneEnqueueMany) {
  FIFOQueue<int> queue(2);
  Background many([&] { return queue.enqueue_many(numbers(8)).status; });
  ASSERT_TRUE(await_waiting_producers(queue, 1));
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(queue.dequeue().value(), i);
    if (i < 5) {
      EXPECT_EQ(queue.enqueue(99, no_wait), QueueStatus::full);
    }
  }
  EXPECT_EQ(many.get(), QueueStatus::ok);
}

TEST(FIFOQueue, HalfDoneEnqueueManyThatGivesUpLetsThoseBehindItBeServed) {
  FIFOQueue<int> queue(2);
  std::stop_source stop;
  Background many([&] { return queue.enqueue_many(numbers(5), stop.get_token()).count; });
  ASSERT_TRUE(await_waiting_producers(queue, 1));
  Background one([&] { return queue.enqueue(99); });
  ASSERT_TRUE(await_waiting_producers(queue, 2));
  stop.request_stop();
  EXPECT_EQ(many.get(), 2U);
  for (const int expected : {0, 1, 99}) EXPECT_EQ(queue.dequeue().value(), expected);
  EXPECT_EQ(one.get(), QueueStatus::ok);
}

TEST(FIFOQueue, WaitingEnqueueIsNotStarvedByAStreamOfOthers) {
  FIFOQueue<int> queue(1);
  ASSERT_EQ(queue.enqueue(0), QueueStatus::ok);
  Background waiting([&] { return queue.enqueue(99); });
  ASSERT_TRUE(await_waiting_producers(queue, 1));
  // Each round frees the room and immediately takes it again, until a call has to line up.
  const bool served = await([&] {
    const bool is_it = queue.dequeue().value() == 99;
    static_cast<void>(queue.enqueue(0, is_it ? Wait(no_wait) : Wait(short_time())));
    return is_it;
  });
  if (!served) queue.close(forebay::cancel_pending_enqueues);
  EXPECT_EQ(waiting.get(), QueueStatus::ok);
}

// ---- Turns of consumers

/// The waiting batch must be served although other consumers take every element as soon as it arrives.
void expect_not_starved_by_single_dequeues(FIFOQueue<int>& queue, std::size_t batch_size) {
  Background batch([&] { return queue.dequeue_many(batch_size).status(); });
  ASSERT_TRUE(await_waiting_consumers(queue, 1));
  EXPECT_TRUE(await([&] {
    static_cast<void>(queue.enqueue(1, no_wait));  // the batch may be served and leave a full queue
    static_cast<void>(queue.dequeue(no_wait));
    return queue.waiting_consumers() == 0;
  })) << "the batch is starved";
  queue.close();
  EXPECT_EQ(batch.get(), QueueStatus::ok);
}

TEST(FIFOQueue, WaitingBatchIsNotStarvedByAStreamOfSingleDequeues) {
  FIFOQueue<int> queue(8);
  expect_not_starved_by_single_dequeues(queue, 4);
}

TEST(FIFOQueue, WaitingBatchLargerThanCapacityIsNotStarvedByAStreamOfSingleDequeues) {
  FIFOQueue<int> queue(4);
  expect_not_starved_by_single_dequeues(queue, 9);
}

TEST(FIFOQueue, NewcomerDoesNotGoAheadOfAHalfServedBatch) {
  FIFOQueue<int> queue(4);
  Background batch([&] { return queue.dequeue_many(7); });
  // The batch gathers four elements, and does not look at the other two before three more have arrived.
  ASSERT_EQ(queue.enqueue_many(numbers(6)).status, QueueStatus::ok);
  EXPECT_EQ(queue.dequeue(no_wait).status(), QueueStatus::empty);
  EXPECT_EQ(queue.dequeue(short_time()).status(), QueueStatus::timed_out);
  ASSERT_EQ(queue.enqueue(6), QueueStatus::ok);
  EXPECT_EQ(batch.get().value(), numbers(7));
}

TEST(FIFOQueue, ConsumersBehindAHalfServedBatchGetWhatComesAfterIt) {
  FIFOQueue<int> queue(2);
  Background batch([&] { return queue.dequeue_many(5); });
  ASSERT_EQ(queue.enqueue_many(numbers(4)).status, QueueStatus::ok);
  Background one([&] { return queue.dequeue(); });
  ASSERT_TRUE(await_waiting_consumers(queue, 2));
  ASSERT_EQ(queue.enqueue_many(numbers(2, 4)).status, QueueStatus::ok);
  EXPECT_EQ(batch.get().value(), numbers(5));
  EXPECT_EQ(one.get().value(), 5);
}

TEST(FIFOQueue, TwoBatchesLargerThanCapacityAreServedOneAfterTheOther) {
  FIFOQueue<int> queue(2);
  Background first([&] { return queue.dequeue_many(5); });
  ASSERT_TRUE(await_waiting_consumers(queue, 1));
  Background second([&] { return queue.dequeue_many(5); });
  ASSERT_TRUE(await_waiting_consumers(queue, 2));
  ASSERT_EQ(queue.enqueue_many(numbers(10)).status, QueueStatus::ok);
  EXPECT_EQ(first.get().value(), numbers(5));
  EXPECT_EQ(second.get().value(), numbers(5, 5));
}

using ManualClockQueue = FIFOQueue<int, ManualClockSync>;

/// The first of two waiting consumers leaves. The second one must get the elements that are there.
template <class Queue = FIFOQueue<int>, class Leave>
void expect_second_served_when_first_leaves(std::size_t first_wants, const typename Queue::Wait& wait, Leave leave) {
  Queue queue(4);
  Background first([&] { return queue.dequeue_many(first_wants, wait).status(); });
  ASSERT_TRUE(await_waiting_consumers(queue, 1));
  Background second([&] { return queue.dequeue(); });
  ASSERT_TRUE(await_waiting_consumers(queue, 2));
  ASSERT_EQ(queue.enqueue(7), QueueStatus::ok);
  leave();
  EXPECT_NE(first.get(), QueueStatus::ok);
  EXPECT_EQ(second.get().value(), 7);
}

TEST(FIFOQueue, BatchThatIsStoppedLetsThoseBehindItBeServed) {
  std::stop_source stop;
  expect_second_served_when_first_leaves(3, stop.get_token(), [&] { stop.request_stop(); });
}

TEST(FIFOQueue, BatchThatTimesOutLetsThoseBehindItBeServed) {
  constexpr auto time = std::chrono::hours(1);
  expect_second_served_when_first_leaves<ManualClockQueue>(3, time, [=] { ManualClockSync::advance(time); });
}

TEST(FIFOQueue, GatheringBatchThatIsStoppedLetsThoseBehindItBeServed) {
  std::stop_source stop;
  expect_second_served_when_first_leaves(9, stop.get_token(), [&] { stop.request_stop(); });
}

TEST(FIFOQueue, EnqueueThatTimesOutLetsThoseBehindItBeServed) {
  constexpr auto time = std::chrono::hours(1);
  ManualClockQueue queue(1);
  ASSERT_EQ(queue.enqueue(0), QueueStatus::ok);
  Background first([&] { return queue.enqueue(1, time); });
  ASSERT_TRUE(await_waiting_producers(queue, 1));
  Background second([&] { return queue.enqueue(2); });
  ASSERT_TRUE(await_waiting_producers(queue, 2));
  ManualClockSync::advance(time);
  EXPECT_EQ(first.get(), QueueStatus::timed_out);
  EXPECT_EQ(queue.dequeue().value(), 0);
  EXPECT_EQ(queue.dequeue().value(), 2);
  EXPECT_EQ(second.get(), QueueStatus::ok);
}

TEST(FIFOQueue, WhatIsLeftAtCloseGoesToWhoWaitedFirst) {
  for (int round = 0; round < iterations(100); ++round) {
    FIFOQueue<int> queue(8);
    ASSERT_EQ(queue.enqueue_many(numbers(3)).status, QueueStatus::ok);
    Background first([&] { return queue.dequeue_up_to(4).status(); });
    ASSERT_TRUE(await_waiting_consumers(queue, 1));
    Background second([&] { return queue.dequeue_up_to(4).status(); });
    ASSERT_TRUE(await_waiting_consumers(queue, 2));
    queue.close();
    EXPECT_EQ(first.get(), QueueStatus::ok);
    EXPECT_EQ(second.get(), QueueStatus::closed);
  }
}

TEST(FIFOQueue, ConsumersThatWaitAreServedByOneEnqueueMany) {
  FIFOQueue<int> queue(8);
  Background one([&] { return queue.dequeue().status(); });
  Background two([&] { return queue.dequeue_many(2).status(); });
  Background three([&] { return queue.dequeue_many(3).status(); });
  ASSERT_TRUE(await_waiting_consumers(queue, 3));
  ASSERT_EQ(queue.enqueue_many(numbers(6)).status, QueueStatus::ok);
  EXPECT_EQ(one.get(), QueueStatus::ok);
  EXPECT_EQ(two.get(), QueueStatus::ok);
  EXPECT_EQ(three.get(), QueueStatus::ok);
}

TEST(FIFOQueue, BatchThatFindsAPartOfItIsWokenByTheRest) {
  FIFOQueue<int> queue(8);
  ASSERT_EQ(queue.enqueue_many(numbers(2)).status, QueueStatus::ok);
  Background batch([&] { return queue.dequeue_many(4); });
  ASSERT_TRUE(await_waiting_consumers(queue, 1));
  ASSERT_EQ(queue.enqueue(2), QueueStatus::ok);
  ASSERT_EQ(queue.enqueue(3), QueueStatus::ok);
  EXPECT_EQ(batch.get().value(), numbers(4));
}

TEST(FIFOQueue, ProducersThatWaitAreServedByOneDequeueMany) {
  FIFOQueue<int> queue(3);
  ASSERT_EQ(queue.enqueue_many(numbers(3)).status, QueueStatus::ok);
  Background one([&] { return queue.enqueue(3); });
  Background two([&] { return queue.enqueue(4); });
  Background three([&] { return queue.enqueue(5); });
  ASSERT_TRUE(await_waiting_producers(queue, 3));
  EXPECT_EQ(queue.dequeue_many(3).value(), numbers(3));
  EXPECT_EQ(one.get(), QueueStatus::ok);
  EXPECT_EQ(two.get(), QueueStatus::ok);
  EXPECT_EQ(three.get(), QueueStatus::ok);
}

}  // namespace
}  // namespace forebay_test
