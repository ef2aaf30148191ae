// SPDX-License-Identifier: MIT
//
// batch_contract_test.cpp: the elements of a batch, and those that a batch returns to the queue if it ends early, for
// every kind of queue.
//
//   How many elements            Dequeue*, *OfNothing*, *LargerThan*
//   Nothing is lost              *GivesBack*, *GivenBack*, Size*
//   Storage that is used again   *ReusedStorage*

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <stop_token>
#include <vector>

#include "forebay/blocking_queue.hpp"
#include "forebay/queue_status.hpp"
#include "forebay/wait.hpp"
#include "tests/support/await.hpp"
#include "tests/support/background.hpp"
#include "tests/support/blocking_operations.hpp"
#include "tests/support/queue_contract.hpp"
#include "tests/support/queue_factories.hpp"
#include "tests/support/scaled_time.hpp"

namespace forebay_test {
namespace {

using forebay::no_wait;

template <class Factory>
class BatchContract : public QueueContractTest<Factory> {};
TYPED_TEST_SUITE(BatchContract, QueueFactories, NameOfParameter);

// ---- How many

TYPED_TEST(BatchContract, DequeueManyReturnsExactlyAsManyAsAsked) {
  auto queue = this->make(8);
  this->fill(queue, 8);
  EXPECT_EQ(queue.dequeue_many(3)->size(), 3U);
  EXPECT_EQ(queue.size(), 5U);
}

TYPED_TEST(BatchContract, DequeueUpToReturnsExactlyAsManyAsAskedWhileOpen) {
  auto queue = this->make(8);
  this->fill(queue, 8);
  EXPECT_EQ(queue.dequeue_up_to(3)->size(), 3U);
  EXPECT_EQ(queue.size(), 5U);
}

TYPED_TEST(BatchContract, DequeueUpToReturnsWhatIsLeftAfterClose) {
  auto queue = this->make(8);
  this->fill(queue, 5);
  queue.close();
  this->expect_elements(queue.dequeue_up_to(8).value(), numbers(5));
}

TYPED_TEST(BatchContract, DequeueAvailableReturnsWhatIsThere) {
  auto queue = this->make(8);
  this->fill(queue, 5);
  this->expect_elements(queue.dequeue_available(8).value(), numbers(5));
}

TYPED_TEST(BatchContract, DequeueAvailableReturnsNoMoreThanAsked) {
  auto queue = this->make(8);
  this->fill(queue, 5);
  EXPECT_EQ(queue.dequeue_available(2)->size(), 2U);
  EXPECT_EQ(queue.size(), 3U);
}

// ---- Batches of nothing

TYPED_TEST(BatchContract, BatchOfNothingIsThereAtOnce) {
  auto queue = this->make(2);
  EXPECT_TRUE(queue.dequeue_many(0).value().empty());
  EXPECT_TRUE(queue.dequeue_up_to(0).value().empty());
  EXPECT_TRUE(queue.dequeue_available(0).value().empty());
}

TYPED_TEST(BatchContract, BatchOfNothingIsThereWhenClosed) {
  auto queue = this->make(2);
  queue.close(cause());
  EXPECT_EQ(queue.dequeue_many(0).status(), QueueStatus::ok);
  EXPECT_EQ(queue.dequeue_up_to(0).status(), QueueStatus::ok);
  EXPECT_EQ(queue.dequeue_available(0).status(), QueueStatus::ok);
}

TYPED_TEST(BatchContract, UnboundedServesABatchLargerThanItEverWas) {
  auto queue = this->make(forebay::unbounded);
  Background batch([&] { return queue.dequeue_many(500); });
  ASSERT_TRUE(await_waiting_consumers(queue, 1));
  for (int i = 0; i < 500; ++i) ASSERT_EQ(queue.enqueue(i), QueueStatus::ok);
  this->expect_elements(batch.get().value(), numbers(500));
}

// ---- Reused storage

TYPED_TEST(BatchContract, BatchThatFailsEmptiesReusedStorage) {
  auto queue = this->make(4);
  std::vector<int> batch = {1, 2, 3};
  EXPECT_EQ(queue.dequeue_many(2, batch, no_wait), QueueStatus::empty);
  EXPECT_TRUE(batch.empty());
}

TYPED_TEST(BatchContract, ReusedStorageIsKept) {
  auto queue = this->make(4);
  std::vector<int> batch;
  batch.reserve(16);
  const int* const storage = batch.data();
  this->fill(queue, 4);
  ASSERT_EQ(queue.dequeue_many(4, batch), QueueStatus::ok);
  EXPECT_EQ(batch.data(), storage);
  this->expect_elements(batch, numbers(4));
}

// ---- Larger than the capacity

template <class Factory>
class LargeBatchContract : public QueueContractTest<Factory> {};
TYPED_TEST_SUITE(LargeBatchContract, AccumulatingQueueFactories, NameOfParameter);

TYPED_TEST(LargeBatchContract, BatchLargerThanCapacityIsGathered) {
  auto queue = this->make(3);
  Background batch([&] { return queue.dequeue_many(10); });
  ASSERT_EQ(queue.enqueue_many(numbers(12)).status, QueueStatus::ok);
  auto gathered = this->elements_of(batch.get().value());
  EXPECT_EQ(gathered.size(), 10U);
  std::ranges::copy(this->take_all(queue), std::back_inserter(gathered));
  this->expect_elements(gathered, numbers(12));
}

TYPED_TEST(LargeBatchContract, BatchLargerThanCapacityReplacesReusedStorage) {
  auto queue = this->make(3);
  std::vector<int> batch = {100, 101};
  Background taken([&] { return queue.dequeue_many(7, batch); });
  ASSERT_EQ(queue.enqueue_many(numbers(7)).status, QueueStatus::ok);
  EXPECT_EQ(taken.get(), QueueStatus::ok);
  this->expect_elements(batch, numbers(7));
}

TYPED_TEST(LargeBatchContract, UpToLargerThanCapacityTakesWhatWasGatheredAtClose) {
  auto queue = this->make(3);
  Background batch([&] { return queue.dequeue_up_to(10); });
  ASSERT_EQ(queue.enqueue_many(numbers(5)).status, QueueStatus::ok);
  queue.close();
  this->expect_elements(batch.get().value(), numbers(5));
}

// ---- Elements that a call returns to the queue when it ends early

// proves: ends-early
TYPED_TEST(LargeBatchContract, TimedOutBatchGivesBackWhatItGathered) {
  auto queue = this->make(4);
  this->fill(queue, 4);
  EXPECT_EQ(queue.dequeue_many(6, short_time()).status(), QueueStatus::timed_out);
  EXPECT_EQ(queue.size(), 4U);
  this->expect_elements(this->take_all(queue), numbers(4));
}

// proves: ends-early
TYPED_TEST(LargeBatchContract, StoppedBatchGivesBackWhatItGatheredBeforeWhatCameLater) {
  auto queue = this->make(4);
  std::stop_source stop;
  Background batch([&] { return queue.dequeue_many(10, stop.get_token()).status(); });
  ASSERT_EQ(queue.enqueue_many(numbers(7)).status, QueueStatus::ok);
  stop.request_stop();
  EXPECT_EQ(batch.get(), QueueStatus::stopped);
  EXPECT_EQ(queue.size(), 7U);
  this->expect_elements(this->take_all(queue), numbers(7));
}

// proves: ends-early
TYPED_TEST(LargeBatchContract, BatchEndedByCloseGivesBackWhatItGathered) {
  auto queue = this->make(4);
  Background batch([&] { return queue.dequeue_many(10).status(); });
  ASSERT_EQ(queue.enqueue_many(numbers(7)).status, QueueStatus::ok);
  queue.close();
  EXPECT_EQ(batch.get(), QueueStatus::closed);
  this->expect_elements(this->take_all(queue), numbers(7));
}

TYPED_TEST(LargeBatchContract, BatchThatIsGivenBackTwiceIsStillComplete) {
  auto queue = this->make(4);
  this->fill(queue, 4);
  EXPECT_EQ(queue.dequeue_many(20, short_time()).status(), QueueStatus::timed_out);
  std::stop_source stop;
  Background batch([&] { return queue.dequeue_many(20, stop.get_token()).status(); });
  ASSERT_EQ(queue.enqueue_many(numbers(4, 4)).status, QueueStatus::ok);
  stop.request_stop();
  EXPECT_EQ(batch.get(), QueueStatus::stopped);
  EXPECT_EQ(queue.size(), 8U);
  this->expect_elements(this->take_all(queue), numbers(8));
}

/// A batch that has gathered 3,000 elements is stopped.
template <class Queue>
void give_back_more_than_is_gathered_at_once(Queue& queue) {
  std::stop_source stop;
  Background batch([&] { return queue.dequeue_many(5000, stop.get_token()).status(); });
  ASSERT_EQ(queue.enqueue_many(numbers(3000)).status, QueueStatus::ok);
  stop.request_stop();
  EXPECT_EQ(batch.get(), QueueStatus::stopped);
}

TYPED_TEST(LargeBatchContract, MoreThanIsGatheredAtOnceIsGivenBackTwice) {
  auto queue = this->make(4);
  give_back_more_than_is_gathered_at_once(queue);
  EXPECT_EQ(queue.dequeue_many(5000, no_wait).status(), QueueStatus::empty);
  EXPECT_EQ(queue.size(), 3000U);
  this->expect_elements(this->take_all(queue), numbers(3000));
}

TYPED_TEST(LargeBatchContract, MoreThanIsGatheredAtOnceCountsForTheNextBatch) {
  auto queue = this->make(4);
  give_back_more_than_is_gathered_at_once(queue);
  Background put([&] { return queue.enqueue_many(numbers(500, 3000)).status; });
  this->expect_elements(queue.dequeue_many(3500).value(), numbers(3500));
  EXPECT_EQ(put.get(), QueueStatus::ok);
}

TYPED_TEST(LargeBatchContract, WhatWasGivenBackTakesUpRoom) {
  auto queue = this->make(4);
  this->fill(queue, 4);
  ASSERT_EQ(queue.dequeue_many(6, short_time()).status(), QueueStatus::timed_out);
  EXPECT_EQ(queue.enqueue(4, no_wait), QueueStatus::full);
  ASSERT_TRUE(queue.dequeue());
  EXPECT_EQ(queue.enqueue(4, no_wait), QueueStatus::ok);
}

TYPED_TEST(LargeBatchContract, WhatWasGivenBackMakesRoomWhenItIsTaken) {
  auto queue = this->make(4);
  this->fill(queue, 4);
  ASSERT_EQ(queue.dequeue_many(6, short_time()).status(), QueueStatus::timed_out);
  Background put([&] { return queue.enqueue(4); });
  ASSERT_TRUE(await_waiting_producers(queue, 1));
  ASSERT_TRUE(queue.dequeue());
  EXPECT_EQ(put.get(), QueueStatus::ok);
}

TYPED_TEST(LargeBatchContract, WhatWasGivenBackCountsForTheNextBatch) {
  auto queue = this->make(4);
  this->fill(queue, 4);
  ASSERT_EQ(queue.dequeue_many(6, short_time()).status(), QueueStatus::timed_out);
  Background put([&] { return queue.enqueue_many(numbers(2, 4)).status; });
  this->expect_elements(queue.dequeue_many(6).value(), numbers(6));
  EXPECT_EQ(put.get(), QueueStatus::ok);
}

TYPED_TEST(LargeBatchContract, SizeCountsWhatAHalfServedBatchHolds) {
  auto queue = this->make(3);
  std::stop_source stop;
  Background batch([&] { return queue.dequeue_many(9, stop.get_token()).status(); });
  ASSERT_EQ(queue.enqueue_many(numbers(8)).status, QueueStatus::ok);
  EXPECT_EQ(queue.size(), 8U);
  stop.request_stop();
  EXPECT_EQ(batch.get(), QueueStatus::stopped);
  EXPECT_EQ(queue.size(), 8U);
}

}  // namespace
}  // namespace forebay_test
