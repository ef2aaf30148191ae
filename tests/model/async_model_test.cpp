// SPDX-License-Identifier: MIT
//
// Coroutines that await the calls of each kind of queue, in the interleavings of the scenarios of blocking calls, and
// in scenarios of their own.

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "forebay/queue_status.hpp"
#include "tests/model/async_scenarios.hpp"
#include "tests/model/effort.hpp"
#include "tests/model/explore.hpp"
#include "tests/model/model_sync.hpp"
#include "tests/model/observed_queue.hpp"
#include "tests/model/queue_kinds.hpp"
#include "tests/model/queue_scenarios.hpp"
#include "tests/support/awaited_queue.hpp"

namespace forebay_model {
namespace {

/// A kind of queue whose calls are awaited.
template <class QueueKind, class Sync = ModelSync>
struct Awaited : QueueKind {
  using Queue = forebay_test::AwaitedQueue<typename QueueKind::Queue, Sync>;
};

/// A kind of queue whose dequeues are awaited. Its enqueues block their threads.
template <class QueueKind>
struct HalfAwaited : QueueKind {
  class Queue : public Awaited<QueueKind>::Queue {
   public:
    using typename Awaited<QueueKind>::Queue::Wait;
    template <class Option>
    explicit Queue(const Option& option) : Awaited<QueueKind>::Queue(option) {}

    forebay::QueueStatus enqueue(Element&& element, const Wait& wait = {}) {
      return this->blocking().enqueue(std::move(element), wait.wait);
    }
    forebay::EnqueueManyResult enqueue_many(std::vector<Element>&& elements, const Wait& wait = {}) {
      return this->blocking().enqueue_many(std::move(elements), wait.wait);
    }
  };
};

template <class QueueKind>
class AsyncModel : public testing::Test {
 public:
  using Scenarios = AsyncScenarios<QueueKind>;
  using AllAwaited = QueueScenarios<Awaited<QueueKind>>;
  using DequeuesAwaited = QueueScenarios<HalfAwaited<QueueKind>>;

  // In each of the three ways to close, generic in the observed queue.
  static constexpr auto close = [](auto& queue) { queue.close(); };
  static constexpr auto close_and_cancel = [](auto& queue) { queue.close_and_cancel(); };
  static constexpr auto close_with_cause = [](auto& queue) { queue.close_with_cause(); };
};
TYPED_TEST_SUITE(AsyncModel, QueueKinds, forebay_test::NameOfParameter);

// ---- The scenarios of blocking calls

TYPED_TEST(AsyncModel, TwoByTwo) { expect_right(TestFixture::AllAwaited::two_by_two()); }

TYPED_TEST(AsyncModel, TwoByTwoTwice) { expect_right(TestFixture::AllAwaited::two_by_two_twice()); }

TYPED_TEST(AsyncModel, CoroutinesBesideThreads) { expect_right(TestFixture::DequeuesAwaited::two_by_two_twice()); }

TYPED_TEST(AsyncModel, TwoByTwoAndClose) { expect_right(TestFixture::AllAwaited::two_by_two_and(TestFixture::close)); }

TYPED_TEST(AsyncModel, TwoByTwoAndCloseWithCancel) {
  expect_right(TestFixture::AllAwaited::two_by_two_and(TestFixture::close_and_cancel));
}

TYPED_TEST(AsyncModel, TwoByTwoAndCloseWithACause) {
  expect_right(TestFixture::AllAwaited::two_by_two_and(TestFixture::close_with_cause));
}

TYPED_TEST(AsyncModel, OneDequeueServesAProducer) {
  expect_right(TestFixture::AllAwaited::one_dequeue_serves_a_producer());
}

TYPED_TEST(AsyncModel, OneBatchServesTwoProducers) {
  expect_right(TestFixture::AllAwaited::one_batch_serves_two_producers());
}

TYPED_TEST(AsyncModel, OneBatchServesTwoConsumers) {
  expect_right(TestFixture::DequeuesAwaited::one_batch_serves_two_consumers());
}

TYPED_TEST(AsyncModel, CloseWhileProducersWait) {
  expect_right(TestFixture::AllAwaited::close_while_producers_wait());
}

TYPED_TEST(AsyncModel, DequeueManyAgainstSingleDequeues) {
  expect_right(TestFixture::AllAwaited::many_against_single());
}

TYPED_TEST(AsyncModel, DequeueManyExceedsTheCapacity) {
  if (!TypeParam::accumulates) GTEST_SKIP() << "a batch may not exceed the capacity";
  expect_right(TestFixture::DequeuesAwaited::many_exceeds_capacity());
}

TYPED_TEST(AsyncModel, TwoLargeBatchesAreGatheredOneAfterTheOther) {
  if (!TypeParam::accumulates) GTEST_SKIP() << "a batch may not exceed the capacity";
  expect_right(TestFixture::AllAwaited::two_large_batches());
}

TYPED_TEST(AsyncModel, CloseCutsALargeBatchOff) {
  if (!TypeParam::accumulates) GTEST_SKIP() << "a batch may not exceed the capacity";
  expect_right(TestFixture::AllAwaited::large_batch_is_cut_off_by_close());
}

TYPED_TEST(AsyncModel, EnqueuedBatchesStayTogether) { expect_right(TestFixture::AllAwaited::batches_stay_together()); }

TYPED_TEST(AsyncModel, SeveralWaitersWithDifferentNeeds) { expect_right(TestFixture::AllAwaited::different_needs()); }

TYPED_TEST(AsyncModel, DequeueUpToTakesWhatIsLeft) {
  expect_right(TestFixture::AllAwaited::up_to_takes_what_is_left());
}

TYPED_TEST(AsyncModel, DequeueIsStopped) { expect_right(TestFixture::AllAwaited::dequeue_is_stopped()); }

TYPED_TEST(AsyncModel, LargeBatchIsStoppedInTheMiddle) {
  if (!TypeParam::accumulates) GTEST_SKIP() << "a batch may not exceed the capacity";
  expect_right(TestFixture::AllAwaited::large_batch_is_stopped());
}

TYPED_TEST(AsyncModel, CoordinatorStopsBothSides) {
  if (!TypeParam::accumulates) GTEST_SKIP() << "a batch may not exceed the capacity";
  expect_right(TestFixture::AllAwaited::coordinator_stops_both_sides());
}

TYPED_TEST(AsyncModel, MinAfterDequeueStays) {
  if (!TypeParam::has_min_after_dequeue) GTEST_SKIP() << "there is no min_after_dequeue";
  expect_right(TestFixture::AllAwaited::min_after_dequeue());
}

TYPED_TEST(AsyncModel, IsDestroyedAfterTheLastDequeue) {
  expect_right(TestFixture::AllAwaited::destroyed_after_the_last_dequeue());
}

// ---- Batches in steps

template <class QueueKind>
class SteppedAsyncModel : public testing::Test {
 public:
  using Scenarios = QueueScenarios<Awaited<QueueKind, SteppedModelSync>>;
};
TYPED_TEST_SUITE(SteppedAsyncModel, SteppedQueueKinds, forebay_test::NameOfParameter);

TYPED_TEST(SteppedAsyncModel, EnqueueManyStaysTogether) {
  expect_right(TestFixture::Scenarios::enqueue_many_in_steps());
}

TYPED_TEST(SteppedAsyncModel, DequeueManyBesideAProducerAndAConsumer) {
  expect_right(TestFixture::Scenarios::dequeue_many_in_steps());
}

TYPED_TEST(SteppedAsyncModel, TwoDequeueManys) { expect_right(TestFixture::Scenarios::two_dequeue_manys_in_steps()); }

TYPED_TEST(SteppedAsyncModel, DequeueManyExceedsTheCapacity) {
  if (!TypeParam::accumulates) GTEST_SKIP() << "a batch may not exceed the capacity";
  expect_right(TestFixture::Scenarios::large_batch_in_steps());
}

TYPED_TEST(SteppedAsyncModel, EnqueueManyAndCloseWithCancel) {
  expect_right(TestFixture::Scenarios::enqueue_many_in_steps_and([](auto& queue) { queue.close_and_cancel(); }));
}

TYPED_TEST(SteppedAsyncModel, DequeueUpToAndCloseWithACause) {
  expect_right(TestFixture::Scenarios::dequeue_many_in_steps_and([](auto& queue) { queue.close_with_cause(); }));
}

// ---- Coroutines

TYPED_TEST(AsyncModel, DestroyedBeforeItsBatchIsComplete) {
  expect_right(TestFixture::Scenarios::destroyed_before_its_batch_is_complete);
}

TYPED_TEST(AsyncModel, DestroyedWhileItGathers) {
  if (!TypeParam::accumulates) GTEST_SKIP() << "a batch may not exceed the capacity";
  if constexpr (TypeParam::accumulates) expect_right(TestFixture::Scenarios::destroyed_while_it_gathers);
}

TYPED_TEST(AsyncModel, DestroyedWhileItEnqueues) { expect_right(TestFixture::Scenarios::destroyed_while_it_enqueues); }

TYPED_TEST(AsyncModel, ResumesWithoutALock) { expect_right(TestFixture::Scenarios::resumes_without_a_lock); }

TYPED_TEST(AsyncModel, DestroysTheQueue) { expect_right(TestFixture::Scenarios::destroys_the_queue); }

TYPED_TEST(AsyncModel, StoppedWhileAnElementArrives) {
  expect_right(TestFixture::Scenarios::stopped_while_an_element_arrives);
}

TYPED_TEST(AsyncModel, StoppedByACoordinator) { expect_right(TestFixture::Scenarios::stopped_by_a_coordinator); }

TYPED_TEST(AsyncModel, ContinuesInAPool) { expect_right(TestFixture::Scenarios::continues_in_a_pool); }

// proves: awaited-stop
TYPED_TEST(AsyncModel, StopsEndEachOthersWaits) { expect_right(TestFixture::Scenarios::stops_end_each_others_waits); }

// proves: awaited-resumption
TYPED_TEST(AsyncModel, OwnCallbacksEndEachOthersWaitsThroughAPool) {
  expect_right(TestFixture::Scenarios::own_callbacks_end_each_others_waits);
}

}  // namespace
}  // namespace forebay_model
