// SPDX-License-Identifier: MIT
//
// queue_contract_test.cpp: what the contract says about elements, snapshots and values, for every kind of queue. The
// table of statuses is in operation_contract_test.cpp; enqueues, batches, closing and iteration have a file each; the
// order of elements is in the tests of each kind.

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <stop_token>
#include <type_traits>
#include <utility>

#include "forebay/blocking_queue.hpp"
#include "forebay/queue_status.hpp"
#include "forebay/wait.hpp"
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
