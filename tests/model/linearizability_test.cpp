// SPDX-License-Identifier: MIT
//
// The check of histories accepts exactly the histories that the contract allows.

#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

#include "forebay/queue_status.hpp"
#include "tests/model/history.hpp"
#include "tests/model/linearizability.hpp"
#include "tests/model/queue_kinds.hpp"

namespace forebay_model {
namespace {

using forebay::QueueStatus;

constexpr QueueLimits fifo_of_one{1, 0, &FifoKind::may_leave};
constexpr QueueLimits fifo_of_two{2, 0, &FifoKind::may_leave};

struct During {
  std::size_t called;
  std::size_t returned;
};

Call enqueue(int value, During during, QueueStatus status = QueueStatus::ok) {
  Call call;
  call.action = Call::Action::enqueue;
  call.values = {value};
  call.status = status;
  call.called = during.called;
  call.returned = during.returned;
  return call;
}

Call dequeue(const std::vector<int>& values, During during, QueueStatus status = QueueStatus::ok,
             std::size_t count = 1) {
  Call call;
  call.action = Call::Action::dequeue;
  call.values = values;
  call.status = status;
  call.least = call.most = call.least_at_end = count;
  call.called = during.called;
  call.returned = during.returned;
  return call;
}

/// An enqueue that never waits.
Call enqueue_or_drop_oldest(int value, const std::vector<int>& dropped, During during,
                            QueueStatus status = QueueStatus::ok) {
  Call call = enqueue(value, during, status);
  call.drops = Call::Drops::oldest;
  call.dropped = dropped;
  return call;
}

Call of_a_handle(Call::Action action, During during, bool consumes = false) {
  Call call;
  call.action = action;
  call.cancels = consumes;
  call.called = during.called;
  call.returned = during.returned;
  return call;
}

Call close(During during, bool cancels = false) {
  Call call;
  call.cancels = cancels;
  call.called = during.called;
  call.returned = during.returned;
  return call;
}

bool is_right(const std::vector<Call>& calls, const QueueLimits& limits = fifo_of_one) {
  return Linearizability(calls, limits).holds();
}

TEST(Linearizability, OverlappingCallsMayHappenInEitherOrder) {
  EXPECT_TRUE(is_right({enqueue(1, {0, 3}), dequeue({1}, {1, 2})}));
  EXPECT_TRUE(is_right({enqueue(1, {0, 3}), dequeue({}, {1, 2}, QueueStatus::empty)}));
}

TEST(Linearizability, AnElementDoesNotLeaveBeforeItIsPutIn) {
  EXPECT_FALSE(is_right({dequeue({1}, {0, 1}), enqueue(1, {2, 3})}));
}

TEST(Linearizability, AnElementLeavesOnce) {
  EXPECT_FALSE(is_right({enqueue(1, {0, 1}), dequeue({1}, {2, 5}), dequeue({1}, {3, 4})}));
}

TEST(Linearizability, AnElementThatIsThereIsNotOverlooked) {
  EXPECT_FALSE(is_right({enqueue(1, {0, 1}), dequeue({}, {2, 3}, QueueStatus::empty)}));
}

TEST(Linearizability, TheOrderOfAFifoQueueIsKept) {
  const std::vector<Call> both_in = {enqueue(1, {0, 1}), enqueue(2, {2, 3})};
  std::vector<Call> right = both_in;
  right.push_back(dequeue({1}, {4, 5}));
  EXPECT_TRUE(is_right(right, fifo_of_two));
  std::vector<Call> wrong = both_in;
  wrong.push_back(dequeue({2}, {4, 5}));
  EXPECT_FALSE(is_right(wrong, fifo_of_two));
  EXPECT_TRUE(is_right(wrong, {2, 0, &RandomShuffleKind::may_leave}));
}

TEST(Linearizability, OnlyTheOldestElementIsDropped) {
  const std::vector<Call> full = {enqueue(1, {0, 1}), enqueue(2, {2, 3})};
  const auto dropping = [&](int dropped) {
    std::vector<Call> calls = full;
    calls.push_back(enqueue_or_drop_oldest(3, {dropped}, {4, 5}));
    return calls;
  };
  EXPECT_TRUE(is_right(dropping(1), fifo_of_two));
  EXPECT_FALSE(is_right(dropping(2), fifo_of_two));
  EXPECT_FALSE(is_right(dropping(1), {3, 0, &FifoKind::may_leave})) << "there was room";
}

TEST(Linearizability, DropOldestIsFullOnlyBesideABatch) {
  const Call full = enqueue_or_drop_oldest(2, {}, {2, 4}, QueueStatus::full);
  EXPECT_FALSE(is_right({enqueue(1, {0, 1}), full}));
  EXPECT_TRUE(is_right({enqueue(1, {0, 1}), full, dequeue({}, {3, 5}, QueueStatus::empty, 2)}));
}

TEST(Linearizability, ElementsOfABatchThatGathersAreNotDropped) {
  const Call batch = dequeue({1, 3}, {0, 7}, QueueStatus::ok, 2);
  EXPECT_TRUE(is_right({batch, enqueue(1, {1, 2}), enqueue(2, {3, 4}), enqueue_or_drop_oldest(3, {2}, {5, 6})}));
}

TEST(Linearizability, TheLastHandleOfASideCloses) {
  using Action = Call::Action;
  const std::vector<Call> held = {of_a_handle(Action::hold, {0, 1}), of_a_handle(Action::hold, {2, 3}),
                                  of_a_handle(Action::release, {4, 5})};
  std::vector<Call> calls = held;
  calls.push_back(dequeue({}, {8, 9}, QueueStatus::closed));
  EXPECT_FALSE(is_right(calls));
  calls.push_back(of_a_handle(Action::release, {6, 7}));
  EXPECT_TRUE(is_right(calls));
  calls.push_back(enqueue(1, {10, 11}));
  EXPECT_FALSE(is_right(calls)) << "the queue is closed";
}

TEST(Linearizability, TheCapacityIsKept) {
  EXPECT_FALSE(is_right({enqueue(1, {0, 1}), enqueue(2, {2, 3})}));
  EXPECT_FALSE(is_right({enqueue(1, {0, 1}, QueueStatus::full)}));
}

TEST(Linearizability, ALargeBatchMakesRoomWhileItWaits) {
  EXPECT_TRUE(is_right({dequeue({1, 2}, {0, 5}, QueueStatus::ok, 2), enqueue(1, {1, 2}), enqueue(2, {3, 4})}));
  EXPECT_FALSE(is_right({enqueue(1, {1, 2}), enqueue(2, {3, 4}), dequeue({1, 2}, {5, 6}, QueueStatus::ok, 2)}));
}

TEST(Linearizability, MinAfterDequeueStaysUntilTheQueueIsClosed) {
  const QueueLimits limits{2, 1, &RandomShuffleKind::may_leave};
  EXPECT_FALSE(is_right({enqueue(1, {0, 1}), dequeue({1}, {2, 3})}, limits));
  EXPECT_TRUE(is_right({enqueue(1, {0, 1}), close({2, 3}), dequeue({1}, {4, 5})}, limits));
}

TEST(Linearizability, NothingGoesInAfterClose) {
  EXPECT_FALSE(is_right({close({0, 1}), enqueue(1, {2, 3})}));
  EXPECT_TRUE(is_right({close({0, 1}), enqueue(1, {2, 3}, QueueStatus::closed)}));
  EXPECT_FALSE(is_right({enqueue(1, {0, 1}, QueueStatus::closed), close({2, 3})}));
}

TEST(Linearizability, AnEnqueueThatWaitedCompletesAfterCloseButNotAfterCancel) {
  const std::vector<Call> before = {enqueue(1, {0, 1}), enqueue(2, {2, 7})};
  std::vector<Call> closed = before;
  closed.insert(closed.end(), {close({3, 4}), dequeue({1}, {5, 6}), dequeue({2}, {8, 9})});
  EXPECT_TRUE(is_right(closed));
  closed[2].cancels = true;
  EXPECT_FALSE(is_right(closed));
}

TEST(Linearizability, NobodyIsToldTheEndBeforeTheLastElementIsIn) {
  EXPECT_FALSE(
      is_right({enqueue(1, {0, 7}), close({1, 2}), dequeue({}, {3, 4}, QueueStatus::closed), dequeue({1}, {8, 9})}));
}

TEST(Linearizability, ABatchStaysTogether) {
  std::vector<Call> calls = {enqueue(1, {0, 9}), enqueue(2, {0, 9}), enqueue(3, {1, 8})};
  calls[1].after = 0;
  std::vector<Call> together = calls;
  together.push_back(dequeue({1, 2, 3}, {10, 11}, QueueStatus::ok, 3));
  EXPECT_TRUE(is_right(together, {3, 0, &FifoKind::may_leave}));
  std::vector<Call> mixed = calls;
  mixed.push_back(dequeue({1, 3, 2}, {10, 11}, QueueStatus::ok, 3));
  EXPECT_FALSE(is_right(mixed, {3, 0, &FifoKind::may_leave}));
}

}  // namespace
}  // namespace forebay_model
