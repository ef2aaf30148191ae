// SPDX-License-Identifier: MIT
//
// barging_test.cpp: what can happen between a notification and the next action of the woken thread. The tests hold the
// thread there.

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <vector>

#include "forebay/coordinator.hpp"
#include "forebay/dequeue_any.hpp"
#include "forebay/fifo_queue.hpp"
#include "forebay/queue_status.hpp"
#include "tests/support/await.hpp"
#include "tests/support/background.hpp"
#include "tests/support/held_sync.hpp"

namespace forebay_test {
namespace {

using forebay::dequeue_any;
using forebay::no_wait;
using forebay::QueueStatus;
using Fifo = forebay::FIFOQueue<int, HeldSync>;
using Coordinator = forebay::BasicCoordinator<HeldSync>;

constexpr int too_many = 100;

/// Returns how often the waiting call is overtaken before newcomers line up after it. `supply` adds what it waits for;
/// `overtake` takes that and returns whether it could.
template <class Supply, class Overtake>
int overtakings(Supply supply, Overtake overtake) {
  const HeldSync::Hold hold;
  for (int count = 0; count < too_many; ++count) {
    if (!await([] { return HeldSync::parked_threads == 1; })) return too_many;
    supply();
    if (!await([] { return HeldSync::held_threads == 1; })) return too_many;
    if (!overtake()) return count;
    HeldSync::Hold::let_go();
  }
  return too_many;
}

int overtakings_of_a_consumer() {
  Fifo queue(1);
  Background waiting([&] { return queue.dequeue().status(); });
  const int count = overtakings([&] { EXPECT_EQ(queue.enqueue(1), QueueStatus::ok); },
                                [&] { return queue.dequeue(no_wait).has_value(); });
  queue.close();
  EXPECT_EQ(waiting.get(), QueueStatus::ok);
  return count;
}

int overtakings_of_a_producer() {
  Fifo queue(1);
  EXPECT_EQ(queue.enqueue(1), QueueStatus::ok);
  Background waiting([&] { return queue.enqueue(2); });
  const int count =
      overtakings([&] { EXPECT_TRUE(queue.dequeue()); }, [&] { return queue.enqueue(1, no_wait) == QueueStatus::ok; });
  if (count == too_many) queue.close(forebay::cancel_pending_enqueues);
  EXPECT_EQ(waiting.get(), QueueStatus::ok);
  return count;
}

int overtakings_of_dequeue_any() {
  Fifo queue(1);
  Fifo other(1);
  Background waiting([&] { return dequeue_any(queue, other).status(); });
  const int count = overtakings([&] { EXPECT_EQ(queue.enqueue(1), QueueStatus::ok); },
                                [&] { return queue.dequeue(no_wait).has_value(); });
  queue.close();
  other.close();
  EXPECT_EQ(waiting.get(), QueueStatus::ok);
  return count;
}

TEST(Overtaking, OfAConsumerHappensAFewTimes) { EXPECT_EQ(overtakings_of_a_consumer(), 8); }

TEST(Overtaking, OfAProducerIsBoundedLikeThatOfAConsumer) {
  EXPECT_EQ(overtakings_of_a_producer(), overtakings_of_a_consumer());
}

TEST(Overtaking, OfDequeueAnyIsBoundedLikeThatOfAConsumer) {
  EXPECT_EQ(overtakings_of_dequeue_any(), overtakings_of_a_consumer());
}

TEST(Overtaking, DequeueAnyThatHadTheTurnInAQueueThatEndedLooksAtItAgain) {
  Fifo queue(1);
  Fifo other(1);
  const int times = overtakings_of_a_consumer();
  Background waiting([&] { return dequeue_any(queue, other).status(); });
  int left = times;
  overtakings([&] { EXPECT_EQ(left > 0 ? queue.enqueue(1) : other.enqueue(1), QueueStatus::ok); },
              [&] {
                const bool in_first = left-- > 0;
                return (in_first ? queue : other).dequeue(no_wait).has_value() && in_first;
              });
  ASSERT_EQ(left, -1) << "it has the turn in the first queue by now";
  queue.close();
  ASSERT_TRUE(await([&] { return queue.waiting_consumers() == 0 && other.waiting_consumers() == 1; }));
  other.close();
  EXPECT_EQ(waiting.get(), QueueStatus::closed);
  EXPECT_TRUE(queue.invariants_hold());
  EXPECT_TRUE(other.invariants_hold());
}

TEST(Line, WhatIsLeftAtCloseGoesToWhoWaitedFirstAndTheNextOneWaitsForThat) {
  for (int left = 1; left <= 3; ++left) {
    Fifo queue(8);
    for (int i = 0; i < left; ++i) ASSERT_EQ(queue.enqueue(i), QueueStatus::ok);
    Background first([&] { return queue.dequeue_up_to(4).status(); });
    await([] { return HeldSync::parked_threads == 1; });
    Background second([&] { return queue.dequeue_up_to(4).status(); });
    await([] { return HeldSync::parked_threads == 2; });
    auto hold = std::make_unique<HeldSync::Hold>();
    queue.close();
    await([] { return HeldSync::held_threads == 1; });
    EXPECT_EQ(queue.waiting_consumers(), 2U) << left;
    hold.reset();
    EXPECT_EQ(first.get(), QueueStatus::ok) << left;
    EXPECT_EQ(second.get(), QueueStatus::closed) << left;
  }
}

TEST(Line, SecondLargeBatchDoesNotBeginBeforeTheFirstThoughItLooksFirst) {
  const auto take_five = [](Fifo& queue) {
    std::vector<int> batch;
    EXPECT_EQ(queue.dequeue_many(5, batch), QueueStatus::ok);
    return batch;
  };
  Fifo queue(2);
  Background first([&] { return take_five(queue); });
  await([] { return HeldSync::parked_threads == 1; });
  auto hold = std::make_unique<HeldSync::Hold>();
  ASSERT_EQ(queue.enqueue_many({0, 1}).status, QueueStatus::ok);
  await([] { return HeldSync::held_threads == 1; });
  Background second([&] { return take_five(queue); });
  await([] { return HeldSync::parked_threads == 1; });
  hold.reset();
  EXPECT_EQ(queue.enqueue_many({2, 3, 4, 5, 6, 7, 8, 9}).status, QueueStatus::ok);
  EXPECT_EQ(first.get(), (std::vector<int>{0, 1, 2, 3, 4}));
  EXPECT_EQ(second.get(), (std::vector<int>{5, 6, 7, 8, 9}));
}

TEST(Notification, ComesWhenItsReasonIsThere) {
  std::atomic<int> notifications = 0;
  std::atomic<int> without_reason = 0;
  Fifo queue(1);
  Background waiting([&] { return queue.dequeue().status(); });
  {
    const HeldSync::Hold hold([&](bool there) { ++(there ? notifications : without_reason); });
    await([] { return HeldSync::parked_threads == 1; });
    EXPECT_EQ(queue.enqueue(1), QueueStatus::ok);
    await([] { return HeldSync::held_threads == 1; });
  }
  EXPECT_EQ(waiting.get(), QueueStatus::ok);
  EXPECT_EQ(notifications, 1);
  EXPECT_EQ(without_reason, 0);
}

TEST(Notification, OfAStopComesWhenTheStopCanBeSeen) {
  std::atomic<int> seen = 0;
  std::atomic<int> not_seen = 0;
  Fifo queue(1);
  Coordinator coordinator;
  Background one([&] { return queue.dequeue(coordinator).status(); });
  Background two([&] { return queue.dequeue(coordinator).status(); });
  {
    const HeldSync::Hold hold([&](bool) { ++(coordinator.should_stop() ? seen : not_seen); });
    await([] { return HeldSync::parked_threads == 2; });
    coordinator.request_stop();
    await([] { return HeldSync::held_threads == 2; });
  }
  EXPECT_EQ(one.get(), QueueStatus::stopped);
  EXPECT_EQ(two.get(), QueueStatus::stopped);
  EXPECT_EQ(seen, 2);
  EXPECT_EQ(not_seen, 0);
}

}  // namespace
}  // namespace forebay_test
