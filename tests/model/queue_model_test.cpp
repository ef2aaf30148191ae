// SPDX-License-Identifier: MIT
//
// Every kind of queue in the interleavings of each scenario. Every call returns, nothing is lost or duplicated, the
// invariants hold, and there is no data race. A sequential queue could have given the same results.

#include <gtest/gtest.h>

#include <cstddef>

#include "tests/model/effort.hpp"
#include "tests/model/queue_kinds.hpp"
#include "tests/model/queue_scenarios.hpp"
#include "tests/model/random_calls.hpp"

namespace forebay_model {
namespace {

template <class QueueKind>
class QueueModel : public testing::Test {
 public:
  using Scenarios = QueueScenarios<QueueKind>;
  using Observed = ObservedQueue<QueueKind>;

  static void close(Observed& queue) { queue.close(); }
  static void close_and_cancel(Observed& queue) { queue.close_and_cancel(); }
  static void close_with_cause(Observed& queue) { queue.close_with_cause(); }
};
TYPED_TEST_SUITE(QueueModel, QueueKinds, forebay_test::NameOfParameter);

constexpr Model with_a_tick{.ticks = 1};
/// With a fifth thread, exploring the order of calls and results takes forty times as many executions.
Model real_time_at_night() { return {.real_time = at_night()}; }

// GoogleTest owns it.
[[maybe_unused]] const testing::Environment* const count =
    testing::AddGlobalTestEnvironment(new ExecutionCount(1'000'000));

// ---- Two by two

TYPED_TEST(QueueModel, TwoByTwo) { expect_right_in_every_interleaving(TestFixture::Scenarios::two_by_two()); }

TYPED_TEST(QueueModel, TwoByTwoWithRoomForTwo) {
  expect_right_in_every_interleaving(TestFixture::Scenarios::two_by_two(2));
}

TYPED_TEST(QueueModel, TwoByTwoAndClose) {
  const Scenario scenario = TestFixture::Scenarios::two_by_two_and(TestFixture::close);
  expect_right_in_every_interleaving(scenario, real_time_at_night());
  expect_right(scenario);
}

TYPED_TEST(QueueModel, TwoByTwoAndCloseWithCancel) {
  const Scenario scenario = TestFixture::Scenarios::two_by_two_and(TestFixture::close_and_cancel);
  expect_right_in_every_interleaving(scenario, real_time_at_night());
  expect_right(scenario);
}

TYPED_TEST(QueueModel, TwoByTwoAndCloseWithACause) {
  const Scenario scenario = TestFixture::Scenarios::two_by_two_and(TestFixture::close_with_cause);
  expect_right_in_every_interleaving(scenario, real_time_at_night());
  expect_right(scenario);
}

TYPED_TEST(QueueModel, OneDequeueServesAProducer) {
  expect_right_in_every_interleaving(TestFixture::Scenarios::one_dequeue_serves_a_producer());
}

TYPED_TEST(QueueModel, OneBatchServesTwoProducers) {
  expect_right_in_every_interleaving(TestFixture::Scenarios::one_batch_serves_two_producers());
}

TYPED_TEST(QueueModel, OneBatchServesTwoConsumers) {
  expect_right_in_every_interleaving(TestFixture::Scenarios::one_batch_serves_two_consumers());
}

TYPED_TEST(QueueModel, TwoByTwoTwice) { expect_right(TestFixture::Scenarios::two_by_two_twice()); }

TYPED_TEST(QueueModel, TwoByTwoTwiceWithRoomForTwo) { expect_right(TestFixture::Scenarios::two_by_two_twice(2)); }

// ---- Close

TYPED_TEST(QueueModel, CloseWhileProducersWait) { expect_right(TestFixture::Scenarios::close_while_producers_wait()); }

TYPED_TEST(QueueModel, CloseWhileConsumersWait) {
  if (!TypeParam::accumulates) GTEST_SKIP() << "a batch may not exceed the capacity";
  expect_right(TestFixture::Scenarios::consumers_wait_and(TestFixture::close));
}

TYPED_TEST(QueueModel, CloseWithACauseWhileConsumersWait) {
  if (!TypeParam::accumulates) GTEST_SKIP() << "a batch may not exceed the capacity";
  expect_right(TestFixture::Scenarios::consumers_wait_and(TestFixture::close_with_cause));
}

// ---- Batches

TYPED_TEST(QueueModel, DequeueManyAgainstSingleDequeues) {
  expect_right(TestFixture::Scenarios::many_against_single());
}

TYPED_TEST(QueueModel, DequeueManyExceedsTheCapacity) {
  if (!TypeParam::accumulates) GTEST_SKIP() << "a batch may not exceed the capacity";
  expect_right(TestFixture::Scenarios::many_exceeds_capacity());
}

TYPED_TEST(QueueModel, TwoLargeBatchesAreGatheredOneAfterTheOther) {
  if (!TypeParam::accumulates) GTEST_SKIP() << "a batch may not exceed the capacity";
  expect_right(TestFixture::Scenarios::two_large_batches());
}

TYPED_TEST(QueueModel, CloseCutsALargeBatchOff) {
  if (!TypeParam::accumulates) GTEST_SKIP() << "a batch may not exceed the capacity";
  expect_right(TestFixture::Scenarios::large_batch_is_cut_off_by_close());
}

TYPED_TEST(QueueModel, EnqueuedBatchesStayTogether) { expect_right(TestFixture::Scenarios::batches_stay_together()); }

TYPED_TEST(QueueModel, SeveralWaitersWithDifferentNeeds) { expect_right(TestFixture::Scenarios::different_needs()); }

TYPED_TEST(QueueModel, DequeueUpToTakesWhatIsLeft) {
  expect_right(TestFixture::Scenarios::up_to_takes_what_is_left());
}

// ---- Batches in steps

template <class QueueKind>
class SteppedQueueModel : public QueueModel<QueueKind> {};
TYPED_TEST_SUITE(SteppedQueueModel, SteppedQueueKinds, forebay_test::NameOfParameter);

TYPED_TEST(SteppedQueueModel, EnqueueManyStaysTogether) {
  expect_right(TestFixture::Scenarios::enqueue_many_in_steps());
}

TYPED_TEST(SteppedQueueModel, DequeueManyBesideAProducerAndAConsumer) {
  expect_right(TestFixture::Scenarios::dequeue_many_in_steps());
}

TYPED_TEST(SteppedQueueModel, TwoDequeueManys) { expect_right(TestFixture::Scenarios::two_dequeue_manys_in_steps()); }

TYPED_TEST(SteppedQueueModel, DequeueManyExceedsTheCapacity) {
  if (!TypeParam::accumulates) GTEST_SKIP() << "a batch may not exceed the capacity";
  expect_right(TestFixture::Scenarios::large_batch_in_steps());
}

TYPED_TEST(SteppedQueueModel, DequeueAvailableThatDoesNotWait) {
  expect_right(TestFixture::Scenarios::available_in_steps_without_waiting());
}

TYPED_TEST(SteppedQueueModel, EnqueueManyThatDoesNotWait) {
  expect_right(TestFixture::Scenarios::enqueue_many_in_steps_without_waiting());
}

TYPED_TEST(SteppedQueueModel, EnqueueManyTimesOutInTheMiddle) {
  expect_right(TestFixture::Scenarios::enqueue_many_in_steps_times_out(), with_a_tick);
}

TYPED_TEST(SteppedQueueModel, EnqueueManyAndClose) {
  expect_right(TestFixture::Scenarios::enqueue_many_in_steps_and(TestFixture::close));
}

TYPED_TEST(SteppedQueueModel, EnqueueManyAndCloseWithCancel) {
  expect_right(TestFixture::Scenarios::enqueue_many_in_steps_and(TestFixture::close_and_cancel));
}

TYPED_TEST(SteppedQueueModel, DequeueUpToAndClose) {
  expect_right(TestFixture::Scenarios::dequeue_many_in_steps_and(TestFixture::close));
}

TYPED_TEST(SteppedQueueModel, DequeueUpToAndCloseWithACause) {
  expect_right(TestFixture::Scenarios::dequeue_many_in_steps_and(TestFixture::close_with_cause));
}

// ---- Calls that give up

TYPED_TEST(QueueModel, CallsThatDoNotWait) { expect_right(TestFixture::Scenarios::calls_that_do_not_wait()); }

TYPED_TEST(QueueModel, DequeueTimesOut) { expect_right(TestFixture::Scenarios::dequeue_times_out(), with_a_tick); }

TYPED_TEST(QueueModel, EnqueueTimesOut) { expect_right(TestFixture::Scenarios::enqueue_times_out(), with_a_tick); }

TYPED_TEST(QueueModel, EnqueueManyTimesOutInTheMiddle) {
  expect_right(TestFixture::Scenarios::enqueue_many_times_out(), with_a_tick);
}

TYPED_TEST(QueueModel, LargeBatchTimesOutInTheMiddle) {
  if (!TypeParam::accumulates) GTEST_SKIP() << "a batch may not exceed the capacity";
  expect_right(TestFixture::Scenarios::large_batch_times_out(), with_a_tick);
}

TYPED_TEST(QueueModel, DequeueIsStopped) { expect_right(TestFixture::Scenarios::dequeue_is_stopped()); }

TYPED_TEST(QueueModel, LargeBatchIsStoppedInTheMiddle) {
  if (!TypeParam::accumulates) GTEST_SKIP() << "a batch may not exceed the capacity";
  expect_right(TestFixture::Scenarios::large_batch_is_stopped());
}

TYPED_TEST(QueueModel, CoordinatorStopsBothSides) {
  if (!TypeParam::accumulates) GTEST_SKIP() << "a batch may not exceed the capacity";
  expect_right(TestFixture::Scenarios::coordinator_stops_both_sides());
}

// ---- Handles

// proves: producer-handles
TYPED_TEST(QueueModel, TheLastProducerEndsWhileConsumersWait) {
  expect_right(TestFixture::Scenarios::last_producer_ends_while_consumers_wait());
}

// proves: consumer-handles
TYPED_TEST(QueueModel, TheLastConsumerEndsWhileProducersWait) {
  expect_right(TestFixture::Scenarios::last_consumer_ends_while_producers_wait());
}

TYPED_TEST(QueueModel, HandlesOfBothSidesEnd) {
  expect_right_in_every_interleaving(TestFixture::Scenarios::handles_of_both_sides_end());
}

// proves: producer-handles
TYPED_TEST(QueueModel, IsDestroyedAfterTheLastProducerEnded) {
  expect_right(TestFixture::Scenarios::destroyed_after_the_last_producer_ended());
}

// proves: producer-handles
TYPED_TEST(QueueModel, AProducerIsCreatedWhileTheLastOneEnds) {
  expect_right_in_every_interleaving(TestFixture::Scenarios::producer_is_created_while_the_last_one_ends());
}

// ---- Overflow

template <class QueueKind>
class DroppingQueueModel : public QueueModel<QueueKind> {};
TYPED_TEST_SUITE(DroppingQueueModel, DroppingQueueKinds, forebay_test::NameOfParameter);

// proves: overflow
TYPED_TEST(DroppingQueueModel, DropOldestBesideDequeues) {
  expect_right_in_every_interleaving(TestFixture::Scenarios::drop_oldest_beside_dequeues());
}

TYPED_TEST(DroppingQueueModel, DropNewestBesideDequeues) {
  expect_right_in_every_interleaving(TestFixture::Scenarios::drop_newest_beside_dequeues());
}

TYPED_TEST(DroppingQueueModel, DropOldestBesideAWaitingProducer) {
  expect_right(TestFixture::Scenarios::drop_oldest_beside_a_waiting_producer());
}

// proves: overflow
TYPED_TEST(DroppingQueueModel, DropOldestBesideABatch) {
  expect_right(TestFixture::Scenarios::drop_oldest_beside_a_batch(2, 2));
}

// proves: overflow
TYPED_TEST(DroppingQueueModel, DropOldestBesideABatchThatExceedsTheCapacity) {
  expect_right(TestFixture::Scenarios::drop_oldest_beside_a_batch(3, 1));
}

// proves: overflow
TYPED_TEST(DroppingQueueModel, DropOldestBesideABatchThatTimesOut) {
  expect_right(TestFixture::Scenarios::drop_oldest_beside_a_batch_that_times_out(), with_a_tick);
}

TYPED_TEST(DroppingQueueModel, DropOldestBesideAnEnqueueMany) {
  expect_right(TestFixture::Scenarios::drop_oldest_beside_an_enqueue_many());
}

TYPED_TEST(DroppingQueueModel, DropOldestAndClose) { expect_right(TestFixture::Scenarios::drop_oldest_and_close()); }

template <class QueueKind>
class SteppedDroppingQueueModel : public QueueModel<QueueKind> {};
TYPED_TEST_SUITE(SteppedDroppingQueueModel, SteppedDroppingQueueKinds, forebay_test::NameOfParameter);

// proves: overflow
TYPED_TEST(SteppedDroppingQueueModel, DropOldestBesideABatchThatMoves) {
  expect_right(TestFixture::Scenarios::drop_oldest_beside_a_batch_in_steps());
}

TYPED_TEST(SteppedDroppingQueueModel, DropOldestBesideALargeBatch) {
  expect_right(TestFixture::Scenarios::drop_oldest_beside_a_batch(3, 2));
}

// proves: overflow
TYPED_TEST(SteppedDroppingQueueModel, DropOldestBesideABatchThatGathersWhatAnotherGaveBack) {
  expect_right(TestFixture::Scenarios::drop_oldest_beside_a_second_batch_that_times_out(), with_a_tick);
}

TYPED_TEST(SteppedDroppingQueueModel, DropOldestBesideAnEnqueueMany) {
  expect_right(TestFixture::Scenarios::drop_oldest_beside_an_enqueue_many());
}

// ---- Random calls

template <class QueueKind>
class RandomCallsModel : public testing::Test {};
TYPED_TEST_SUITE(RandomCallsModel, SteppedQueueKinds, forebay_test::NameOfParameter);

// proves: ends-early, large-batch, overflow
TYPED_TEST(RandomCallsModel, AreRight) {
  for (int seed = 0; seed < 300; ++seed) {
    for (const std::size_t capacity : {1U, 2U, 3U}) {
      const Scenario scenario = random_calls<TypeParam>(seed, capacity);
      counted(explore_at_random(scenario, effort(50), with_a_tick));
      counted(explore_by_priorities(scenario, effort(50), with_a_tick));
      ASSERT_FALSE(testing::Test::HasFailure()) << "seed " << seed << ", capacity " << capacity;
    }
  }
}

// ---- Order and the end

TYPED_TEST(QueueModel, MinAfterDequeueStays) {
  if (!TypeParam::has_min_after_dequeue) GTEST_SKIP() << "there is no min_after_dequeue";
  expect_right(TestFixture::Scenarios::min_after_dequeue());
}

TYPED_TEST(QueueModel, CloseWaivesMinAfterDequeue) {
  if (!TypeParam::has_min_after_dequeue) GTEST_SKIP() << "there is no min_after_dequeue";
  expect_right(TestFixture::Scenarios::close_waives_min_after_dequeue());
}

TYPED_TEST(QueueModel, AWindowHasOneOrder) {
  if constexpr (TypeParam::has_min_after_dequeue) {
    expect_right(TestFixture::Scenarios::one_order_in_a_window());
  } else {
    GTEST_SKIP() << "there is no window";
  }
}

TYPED_TEST(QueueModel, IsDestroyedAfterTheLastDequeue) {
  expect_right(TestFixture::Scenarios::destroyed_after_the_last_dequeue());
}

}  // namespace
}  // namespace forebay_model
