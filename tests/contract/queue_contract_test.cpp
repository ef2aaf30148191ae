// SPDX-License-Identifier: MIT
//
// queue_contract_test.cpp: the promises of the contract about elements, snapshots and values, for every kind of queue.
// The table of statuses is in operation_contract_test.cpp; enqueues, batches, closing and iteration have a file each.
// The tests of each kind check the order of elements.

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <stop_token>
#include <type_traits>
#include <utility>

#include "forebay/blocking_queue.hpp"
#include "forebay/queue_status.hpp"
#include "forebay/statistics.hpp"
#include "forebay/wait.hpp"
#include "tests/support/await.hpp"
#include "tests/support/background.hpp"
#include "tests/support/blocking_operations.hpp"
#include "tests/support/elements.hpp"
#include "tests/support/queue_contract.hpp"
#include "tests/support/queue_factories.hpp"
#include "tests/support/scaled_time.hpp"

namespace forebay_test {
namespace {

using forebay::no_wait;

template <class Factory>
class QueueContract : public QueueContractTest<Factory> {};
TYPED_TEST_SUITE(QueueContract, QueueFactories, NameOfParameter);

TYPED_TEST(QueueContract, DequeuedElementIsTheOneThatWasEnqueued) {
  auto queue = this->template make<Pointer>(2);
  Pointer element = std::make_unique<int>(7);
  const int* const address = element.get();
  ASSERT_EQ(queue.enqueue(std::move(element)), QueueStatus::ok);
  EXPECT_EQ(queue.dequeue().value().get(), address);
}

// ---- Snapshots

TYPED_TEST(QueueContract, CapacityIsWhatWasAskedFor) {
  EXPECT_EQ(this->make(7).capacity(), 7U);
  EXPECT_EQ(this->make(forebay::unbounded).capacity(), static_cast<std::size_t>(forebay::unbounded));
}

TYPED_TEST(QueueContract, SizeCountsWhatIsStored) {
  auto queue = this->make(4);
  EXPECT_EQ(queue.size(), 0U);
  this->fill(queue, 3);
  EXPECT_EQ(queue.size(), 3U);
  static_cast<void>(queue.dequeue());
  EXPECT_EQ(queue.size(), 2U);
}

TYPED_TEST(QueueContract, StatisticsCountWhatWentThrough) {
  auto queue = this->make(4);
  EXPECT_EQ(queue.statistics(), forebay::QueueStatistics());
  this->fill(queue, 3);
  static_cast<void>(queue.dequeue_many(2));
  const auto statistics = queue.statistics();
  EXPECT_EQ(statistics.producers.elements, 3U);
  EXPECT_EQ(statistics.consumers.elements, 2U);
  EXPECT_EQ(statistics.producers.waits + statistics.consumers.waits, 0U);
}

TYPED_TEST(QueueContract, StatisticsCountConsumersThatWait) {
  auto queue = this->make(4);
  Background consumer([&] { return queue.dequeue().status(); });
  ASSERT_TRUE(await_waiting_consumers(queue, 1));
  EXPECT_EQ(queue.statistics().consumers.waiting, 1U);
  EXPECT_EQ(queue.statistics().consumers.waits, 0U);
  ASSERT_EQ(queue.enqueue(1), QueueStatus::ok);
  EXPECT_EQ(consumer.get(), QueueStatus::ok);
  const auto consumers = queue.statistics().consumers;
  EXPECT_EQ(consumers.elements, 1U);
  EXPECT_EQ(consumers.waits, 1U);
  EXPECT_EQ(consumers.waiting, 0U);
  EXPECT_GT(consumers.waited.count(), 0);
  EXPECT_EQ(consumers.waited, consumers.longest_wait);
}

// proves: queue-statistics
TYPED_TEST(QueueContract, StatisticsCountProducersThatWait) {
  auto queue = this->make(4);
  this->fill(queue, 4);
  Background producer([&] { return queue.enqueue(4); });
  ASSERT_TRUE(await_waiting_producers(queue, 1));
  EXPECT_EQ(queue.statistics().producers.waiting, 1U);
  EXPECT_EQ(queue.statistics().producers.elements, 4U);
  queue.close(forebay::cancel_pending_enqueues);
  EXPECT_EQ(producer.get(), QueueStatus::closed);
  EXPECT_EQ(queue.statistics().producers.waits, 1U);
  static_cast<void>(queue.dequeue_many(3));
  EXPECT_EQ(queue.statistics().high_water, 4U);
}

// proves: queue-statistics
TYPED_TEST(QueueContract, StatisticsCountNoCallThatDoesNotWait) {
  auto queue = this->make(1);
  EXPECT_FALSE(queue.dequeue(no_wait));
  this->fill(queue, 1);
  EXPECT_EQ(queue.enqueue(1, no_wait), QueueStatus::full);
  queue.close();
  EXPECT_EQ(queue.enqueue(1), QueueStatus::closed);
  static_cast<void>(queue.dequeue());
  EXPECT_EQ(queue.dequeue().status(), QueueStatus::closed);
  const auto statistics = queue.statistics();
  EXPECT_EQ(statistics.producers.waits + statistics.consumers.waits, 0U);
}

// proves: queue-statistics
TYPED_TEST(QueueContract, StatisticsDoNotCountWhatABatchGivesBack) {
  if (!TypeParam::accumulates) GTEST_SKIP() << "a batch of this kind of queue does not exceed its capacity";
  auto queue = this->make(2);
  std::stop_source stop;
  Background batch([&] { return queue.dequeue_many(9, stop.get_token()).status(); });
  ASSERT_EQ(queue.enqueue_many(numbers(6)).status, QueueStatus::ok);
  EXPECT_EQ(queue.statistics().consumers.elements, 0U);
  stop.request_stop();
  EXPECT_EQ(batch.get(), QueueStatus::stopped);
  const auto statistics = queue.statistics();
  EXPECT_EQ(statistics.producers.elements, 6U);
  EXPECT_EQ(statistics.consumers.elements, 0U);
  EXPECT_EQ(statistics.high_water, 6U);
}

// proves: queue-statistics
TYPED_TEST(QueueContract, StatisticsKeepWhatABatchHasGatheredAboveTheCapacity) {
  if (!TypeParam::accumulates) GTEST_SKIP() << "a batch of this kind of queue does not exceed its capacity";
  auto queue = this->make(2);
  Background batch([&] { return queue.dequeue_many(9).status(); });
  ASSERT_EQ(queue.enqueue_many(numbers(6)).status, QueueStatus::ok);
  queue.close();
  EXPECT_EQ(batch.get(), QueueStatus::closed);
  static_cast<void>(queue.dequeue_many(6));
  EXPECT_EQ(queue.statistics().high_water, 6U);
}

// proves: queue-statistics
TYPED_TEST(QueueContract, StatisticsShowThatACallFoundTheQueueFull) {
  auto queue = this->make(3);
  this->fill(queue, 3);
  EXPECT_EQ(queue.enqueue(3, no_wait), QueueStatus::full);
  ASSERT_TRUE(queue.dequeue_many(3));
  EXPECT_EQ(queue.statistics().high_water, 3U);
}

TYPED_TEST(QueueContract, IsNeitherCopyableNorMovable) {
  using Tested = typename TestFixture::template Queue<int>;
  static_assert(!std::is_copy_constructible_v<Tested> && !std::is_copy_assignable_v<Tested>);
  static_assert(!std::is_move_constructible_v<Tested> && !std::is_move_assignable_v<Tested>);
}

// ---- Dequeued::value()

TYPED_TEST(QueueContract, ValueThrowsWhatWentWrong) {
  auto queue = this->make(2);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(static_cast<void>(queue.dequeue(no_wait).value()), forebay::DeadlineExceededError);
  EXPECT_THROW(static_cast<void>(queue.dequeue_many(2, short_time()).value()), forebay::DeadlineExceededError);
  EXPECT_THROW(static_cast<void>(queue.dequeue(stop.get_token()).value()), forebay::CancelledError);
  queue.close();
  EXPECT_THROW(static_cast<void>(queue.dequeue().value()), forebay::OutOfRangeError);
  EXPECT_THROW(static_cast<void>(queue.dequeue_up_to(2).value()), forebay::OutOfRangeError);
}

// ---- Elements of every kind

TYPED_TEST(QueueContract, HoldsElementsThatCanOnlyBeMoved) {
  Ledger ledger;
  auto queue = this->template make<MoveOnly>(2);
  ASSERT_EQ(queue.enqueue(MoveOnly(7, ledger)), QueueStatus::ok);
  ASSERT_EQ(queue.enqueue(MoveOnly(7, ledger)), QueueStatus::ok);
  EXPECT_EQ(queue.dequeue()->number(), 7);
  const auto batch = queue.dequeue_many(1).value();
  EXPECT_EQ(batch.front().number(), 7);
}

TYPED_TEST(QueueContract, KeepsTheAlignmentOfElements) {
  auto queue = this->template make<OverAligned>(3);
  for (int i = 0; i < 3; ++i) ASSERT_EQ(queue.enqueue({.number = 7}), QueueStatus::ok);
  const auto element = queue.dequeue();
  EXPECT_TRUE(element->is_aligned());
  EXPECT_EQ(element->number, 7);
  std::vector<OverAligned> batch;
  ASSERT_EQ(queue.dequeue_many(2, batch), QueueStatus::ok);
  for (const auto& each : batch) EXPECT_TRUE(each.is_aligned());
}

TYPED_TEST(QueueContract, HoldsLargeElements) {
  auto queue = this->template make<Large>(3);
  ASSERT_EQ(queue.enqueue({.number = 7, .payload = {}}), QueueStatus::ok);
  EXPECT_EQ(queue.dequeue()->number, 7);
}

}  // namespace
}  // namespace forebay_test
