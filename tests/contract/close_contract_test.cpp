// SPDX-License-Identifier: MIT
//
// close_contract_test.cpp: the effect of close, its cause and its cancellation on waiting calls, for every kind of
// queue.
//
//   close                        Close*
//   close(cancel)                Cancel*
//   close(cause)                 *Cause*
//   Closed and drained           Consumer*

#include <gtest/gtest.h>

#include <exception>
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
class CloseContract : public QueueContractTest<Factory> {};
TYPED_TEST_SUITE(CloseContract, QueueFactories, NameOfParameter);

// proves: close-any-moment
TYPED_TEST(CloseContract, CloseIsIdempotentAndDoesNotThrow) {
  auto queue = this->make(2);
  static_assert(noexcept(queue.close()));
  static_assert(noexcept(queue.close(forebay::cancel_pending_enqueues)));
  static_assert(noexcept(queue.close(std::exception_ptr())));
  EXPECT_FALSE(queue.is_closed());
  queue.close();
  EXPECT_TRUE(queue.is_closed());
  queue.close();
  queue.close(forebay::cancel_pending_enqueues);
  EXPECT_TRUE(queue.is_closed());
  EXPECT_EQ(queue.dequeue().status(), QueueStatus::closed);
}

TYPED_TEST(CloseContract, CloseDoesNotWaitForWaitingEnqueues) {
  auto queue = this->make(1);
  this->fill(queue, 1);
  Background put([&] { return queue.enqueue(1); });
  ASSERT_TRUE(await_waiting_producers(queue, 1));
  queue.close();
  EXPECT_TRUE(queue.is_closed());
  EXPECT_EQ(queue.enqueue(2, no_wait), QueueStatus::closed);
  this->expect_elements(std::vector{queue.dequeue().value(), queue.dequeue().value()}, {0, 1});
  EXPECT_EQ(put.get(), QueueStatus::ok);
}

TYPED_TEST(CloseContract, CloseWakesEveryBlockedConsumer) {
  auto queue = this->make(2);
  Background one([&] { return queue.dequeue().status(); });
  Background many([&] { return queue.dequeue_many(2).status(); });
  Background larger([&] { return queue.dequeue_many(TypeParam::accumulates ? 9 : 2).status(); });
  Background up_to([&] { return queue.dequeue_up_to(2).status(); });
  ASSERT_TRUE(await_waiting_consumers(queue, 4));
  queue.close();
  EXPECT_EQ(one.get(), QueueStatus::closed);
  EXPECT_EQ(many.get(), QueueStatus::closed);
  EXPECT_EQ(larger.get(), QueueStatus::closed);
  EXPECT_EQ(up_to.get(), QueueStatus::closed);
}

TYPED_TEST(CloseContract, CloseSharesWhatIsLeftAmongWaitingConsumers) {
  auto queue = this->make(4);
  this->fill(queue, 1);
  Background many([&] { return queue.dequeue_many(2).status(); });
  ASSERT_TRUE(await_waiting_consumers(queue, 1));
  Background up_to([&] { return queue.dequeue_up_to(2).status(); });
  ASSERT_TRUE(await_waiting_consumers(queue, 2));
  queue.close();
  EXPECT_EQ(many.get(), QueueStatus::closed);
  EXPECT_EQ(up_to.get(), QueueStatus::ok);
}

TYPED_TEST(CloseContract, CancelWakesEveryBlockedProducer) {
  auto queue = this->make(1);
  this->fill(queue, 1);
  Background one([&] { return queue.enqueue(1); });
  Background two([&] { return queue.enqueue(2); });
  Background many([&] { return queue.enqueue_many(numbers(3)).status; });
  ASSERT_TRUE(await_waiting_producers(queue, 3));
  queue.close(forebay::cancel_pending_enqueues);
  EXPECT_EQ(one.get(), QueueStatus::closed);
  EXPECT_EQ(two.get(), QueueStatus::closed);
  EXPECT_EQ(many.get(), QueueStatus::closed);
}

TYPED_TEST(CloseContract, FirstCauseStays) {
  auto queue = this->make(1);
  queue.close(cause("the first"));
  queue.close(cause("the second"));
  queue.close();
  try {
    static_cast<void>(queue.dequeue());
    FAIL() << "the cause is not thrown";
  } catch (const Cause& thrown) {
    EXPECT_STREQ(thrown.what(), "the first");
  }
}

TYPED_TEST(CloseContract, CauseMayComeAfterPlainClose) {
  auto queue = this->make(1);
  queue.close();
  queue.close(cause());
  EXPECT_THROW(static_cast<void>(queue.dequeue()), Cause);
}

TYPED_TEST(CloseContract, CauseThatIsNullCancelsOnly) {
  auto queue = this->make(1);
  this->fill(queue, 1);
  Background put([&] { return queue.enqueue(1); });
  ASSERT_TRUE(await_waiting_producers(queue, 1));
  queue.close(std::exception_ptr());
  EXPECT_EQ(put.get(), QueueStatus::closed);
  EXPECT_EQ(queue.dequeue().status(), QueueStatus::ok);
  EXPECT_EQ(queue.dequeue().status(), QueueStatus::closed);
}

// ---- Closed and drained: only a batch larger than the capacity lacks elements while an enqueue waits

template <class Factory>
class ClosedLargeBatchContract : public QueueContractTest<Factory> {};
TYPED_TEST_SUITE(ClosedLargeBatchContract, AccumulatingQueueFactories, NameOfParameter);

TYPED_TEST(ClosedLargeBatchContract, ConsumerIsNotToldClosedWhileAnAcceptedEnqueueWaits) {
  auto queue = this->make(1);
  this->fill(queue, 1);
  Background put([&] { return queue.enqueue(1, long_time()); });
  ASSERT_TRUE(await_waiting_producers(queue, 1));
  queue.close();
  EXPECT_EQ(queue.dequeue_many(3, no_wait).status(), QueueStatus::empty);
  Background batch([&] { return queue.dequeue_up_to(3); });
  this->expect_elements(batch.get().value(), {0, 1});
  EXPECT_EQ(put.get(), QueueStatus::ok);
  EXPECT_EQ(queue.dequeue().status(), QueueStatus::closed);
}

TYPED_TEST(ClosedLargeBatchContract, ConsumerIsToldClosedWhenTheLastAcceptedEnqueueGivesUp) {
  auto queue = this->make(2);
  this->fill(queue, 2);
  std::stop_source stop;
  Background put([&] { return queue.enqueue(2, stop.get_token()); });
  ASSERT_TRUE(await_waiting_producers(queue, 1));
  queue.close();
  stop.request_stop();
  EXPECT_EQ(put.get(), QueueStatus::stopped);
  EXPECT_EQ(queue.dequeue_many(3).status(), QueueStatus::closed);
}

}  // namespace
}  // namespace forebay_test
