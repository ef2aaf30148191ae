// SPDX-License-Identifier: MIT
//
// operation_contract_test.cpp: the table of the contract, for every operation of every kind of queue; and promises of
// single operations that no cell contains.
//
// The tests of each kind and batch_contract_test.cpp check which elements, and in which order.

#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <stop_token>
#include <string_view>

#include "forebay/blocking_queue.hpp"
#include "forebay/queue_status.hpp"
#include "tests/support/await.hpp"
#include "tests/support/background.hpp"
#include "tests/support/blocking_operations.hpp"
#include "tests/support/contract_table.hpp"
#include "tests/support/operation_contract.hpp"
#include "tests/support/queue_contract.hpp"
#include "tests/support/queue_factories.hpp"
#include "tests/support/scaled_time.hpp"

namespace forebay_test {
namespace {

template <class... Lists>
using JoinedLists = typename Joined<Lists...>::type;

using EveryOperation = JoinedLists<
    OnEveryQueue<Enqueue, EnqueueMany, EnqueueManyIntoFull, EnqueueManyLargerThanCapacity, Dequeue, DequeueMany,
                 DequeueManyReused, DequeueUpTo, DequeueUpToReused, DequeueAvailable, DequeueAvailableReused>,
    OnEveryDroppingQueue<EnqueueOrDropNewest, EnqueueOrDropOldest>,
    OnEveryAccumulatingQueue<DequeueManyLargerThanCapacity, DequeueUpToLargerThanCapacity>>;

// proves: wait-over
INSTANTIATE_TYPED_TEST_SUITE_P(EveryQueue, OperationContract, EveryOperation, NameOfParameter);

template <class... Parameters>
std::set<std::string_view> signatures_of(testing::Types<Parameters...> /*operations*/) {
  return {Parameters::Operation::signature...};
}

TEST(ContractTable, HasNoRowThatIsNotRun) {
  for (const Operation& operation : contract_table()) {
    EXPECT_TRUE(signatures_of(EveryOperation()).contains(operation.signature)) << operation.signature;
  }
}

// ---- Promises that no cell of the table contains

/// Several calls on one queue, one after the other.
template <class Parameter>
class OperationSequence : public QueueContractTest<Parameter> {};
TYPED_TEST_SUITE(OperationSequence, QueueFactories, NameOfParameter);

TYPED_TEST(OperationSequence, DequeueCanBeDoneAfterItTimedOut) {
  auto queue = this->make(1);
  ASSERT_EQ(queue.dequeue(short_time()).status(), QueueStatus::timed_out);
  Background call([&] { return queue.dequeue().status(); });
  ASSERT_TRUE(await_waiting_consumers(queue, 1));
  ASSERT_EQ(queue.enqueue(1), QueueStatus::ok);
  EXPECT_EQ(call.get(), QueueStatus::ok);
}

TYPED_TEST(OperationSequence, EnqueueCanBeDoneAfterItTimedOut) {
  auto queue = this->make(1);
  this->fill(queue, 1);
  ASSERT_EQ(queue.enqueue(1, short_time()), QueueStatus::timed_out);
  Background call([&] { return queue.enqueue(1); });
  ASSERT_TRUE(await_waiting_producers(queue, 1));
  ASSERT_TRUE(queue.dequeue());
  EXPECT_EQ(call.get(), QueueStatus::ok);
}

TYPED_TEST(OperationSequence, EnqueueThatCloseLeftWaitingCanTimeOut) {
  bool was_left = false;
  for (auto time = short_time(); !was_left && time < long_time(); time *= 2) {  // it may pass before the close
    auto queue = this->make(1);
    this->fill(queue, 1);
    std::stop_source stop;
    std::atomic<bool> is_over = false;
    Background call([&] {
      const QueueStatus status = queue.enqueue(1, {time, stop.get_token()});
      is_over = true;
      return status;
    });
    ASSERT_TRUE(await([&] { return is_over || queue.waiting_producers() == 1; }));
    queue.close();
    was_left = queue.waiting_producers() == 1;
    EXPECT_EQ(call.get(), QueueStatus::timed_out);
  }
  EXPECT_TRUE(was_left);
}

TYPED_TEST(OperationSequence, EnqueueThatCloseLeftWaitingCanBeStopped) {
  auto queue = this->make(1);
  this->fill(queue, 1);
  std::stop_source stop;
  Background call([&] { return queue.enqueue(1, stop.get_token()); });
  ASSERT_TRUE(await_waiting_producers(queue, 1));
  queue.close();
  stop.request_stop();
  EXPECT_EQ(call.get(), QueueStatus::stopped);
}

TYPED_TEST(OperationSequence, EnqueueThatCloseLeftWaitingCanBeCancelled) {
  auto queue = this->make(1);
  this->fill(queue, 1);
  Background call([&] { return queue.enqueue(1); });
  ASSERT_TRUE(await_waiting_producers(queue, 1));
  queue.close();
  queue.close(forebay::cancel_pending_enqueues);
  EXPECT_EQ(call.get(), QueueStatus::closed);
}

}  // namespace
}  // namespace forebay_test
