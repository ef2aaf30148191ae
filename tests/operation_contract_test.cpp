// SPDX-License-Identifier: MIT
//
// operation_contract_test.cpp: the table of the contract, cell by cell, for every operation of every kind of queue.
//
//   open, possible now     PossibleOperation
//   open, not possible     WaitingOperation: for ever, no_wait, times, stops, a time and a stop together
//   after close()          ClosedEnqueue, ClosedDequeue: a new call, and one that was waiting
//   after close(cancel)    the same
//   after close(cause)     the same
//
// What becomes of the elements is in queue_contract_test.cpp.

#include <gtest/gtest.h>

#include <chrono>
#include <exception>
#include <stdexcept>
#include <stop_token>

#include "forebay/blocking_queue.hpp"
#include "forebay/coordinator.hpp"
#include "forebay/queue_status.hpp"
#include "forebay/wait.hpp"
#include "tests/support/await.hpp"
#include "tests/support/background.hpp"
#include "tests/support/blocking_operations.hpp"
#include "tests/support/queue_factories.hpp"
#include "tests/support/scaled_time.hpp"

namespace forebay_test {
namespace {

using Clock = std::chrono::steady_clock;

struct Cause : std::runtime_error {
  Cause() : std::runtime_error("why the queue was closed") {}
};

/// A queue of a kind, and an operation on it.
template <class Parameter>
class OperationTest : public testing::Test {
 protected:
  using Factory = typename Parameter::Factory;
  using Operation = typename Parameter::Operation;

  void TearDown() override {
    EXPECT_TRUE(queue_.invariants_hold());
    EXPECT_EQ(queue_.waiting_producers(), 0U);
    EXPECT_EQ(queue_.waiting_consumers(), 0U);
  }

  void store(int count) {
    for (int i = 0; i < count; ++i) ASSERT_EQ(queue_.enqueue(i, forebay::no_wait), QueueStatus::ok);
  }
  void make_possible() { store(Operation::produces ? tested_capacity - batch_size : batch_size); }
  void make_impossible() { store(Operation::stored_before); }

  QueueStatus run(const Wait& wait = {}) { return Operation::run(queue_, wait); }

  /// The operation in a thread of its own, which is seen to wait.
  Background<QueueStatus> run_waiting(const Wait& wait = {}) {
    return Background<QueueStatus>([this, wait] { return run(wait); });
  }
  void await_waiting() {
    ASSERT_TRUE(Operation::produces ? await_waiting_producers(queue_, 1) : await_waiting_consumers(queue_, 1));
  }

  /// Provides what a waiting operation lacks.
  void provide() {
    for (int i = 0; i < Operation::missing; ++i) {
      if constexpr (Operation::produces) {
        ASSERT_EQ(queue_.dequeue(long_time()).status(), QueueStatus::ok);
      } else {
        ASSERT_EQ(queue_.enqueue(100 + i, long_time()), QueueStatus::ok);
      }
    }
  }

  typename Factory::template Queue<int> queue_ = Factory::template make<int>(tested_capacity);
};

// ---- Open, possible now

template <class Parameter>
class PossibleOperation : public OperationTest<Parameter> {};
using PossibleOperations = OnEveryQueue<Enqueue, EnqueueMany, Dequeue, DequeueMany, DequeueManyReused, DequeueUpTo,
                                        DequeueUpToReused, DequeueAvailable, DequeueAvailableReused>;
TYPED_TEST_SUITE(PossibleOperation, PossibleOperations, NameOfParameter);

TYPED_TEST(PossibleOperation, IsDone) {
  this->make_possible();
  EXPECT_EQ(this->run(), QueueStatus::ok);
}

TYPED_TEST(PossibleOperation, IsDoneWhenItMayNotWait) {
  this->make_possible();
  EXPECT_EQ(this->run(forebay::no_wait), QueueStatus::ok);
}

TYPED_TEST(PossibleOperation, WinsOverDurationOfZero) {
  this->make_possible();
  EXPECT_EQ(this->run(std::chrono::seconds(0)), QueueStatus::ok);
}

TYPED_TEST(PossibleOperation, WinsOverDeadlineThatHasPassed) {
  this->make_possible();
  EXPECT_EQ(this->run(Clock::now() - std::chrono::hours(1)), QueueStatus::ok);
}

TYPED_TEST(PossibleOperation, WinsOverStopTokenThatWasRequested) {
  std::stop_source source;
  source.request_stop();
  this->make_possible();
  EXPECT_EQ(this->run(source.get_token()), QueueStatus::ok);
}

TYPED_TEST(PossibleOperation, WinsOverCoordinatorThatWasStopped) {
  forebay::Coordinator coordinator;
  coordinator.request_stop();
  this->make_possible();
  EXPECT_EQ(this->run(coordinator), QueueStatus::ok);
}

// ---- Open, not possible

template <class Parameter>
class WaitingOperation : public OperationTest<Parameter> {};
using WaitingOperations =
    OnEveryQueue<Enqueue, EnqueueMany, EnqueueManyIntoFull, EnqueueManyLargerThanCapacity, Dequeue, DequeueMany,
                 DequeueManyReused, DequeueManyLargerThanCapacity, DequeueUpTo, DequeueUpToReused,
                 DequeueUpToLargerThanCapacity, DequeueAvailable, DequeueAvailableReused>;
TYPED_TEST_SUITE(WaitingOperation, WaitingOperations, NameOfParameter);

TYPED_TEST(WaitingOperation, CompletesWhenItBecomesPossible) {
  this->make_impossible();
  auto call = this->run_waiting();
  this->await_waiting();
  this->provide();
  EXPECT_EQ(call.get(), QueueStatus::ok);
}

TYPED_TEST(WaitingOperation, CompletesBeforeItsTimeIsOver) {
  this->make_impossible();
  auto call = this->run_waiting(long_time());
  this->await_waiting();
  this->provide();
  EXPECT_EQ(call.get(), QueueStatus::ok);
}

TYPED_TEST(WaitingOperation, CompletesWhenNoStopIsRequested) {
  forebay::Coordinator coordinator;
  this->make_impossible();
  auto call = this->run_waiting(coordinator);
  this->await_waiting();
  this->provide();
  EXPECT_EQ(call.get(), QueueStatus::ok);
}

TYPED_TEST(WaitingOperation, IsTurnedDownAtOnceWhenItMayNotWait) {
  this->make_impossible();
  EXPECT_EQ(this->run(forebay::no_wait), TestFixture::Operation::not_now);
}

TYPED_TEST(WaitingOperation, TimesOutAfterDuration) {
  this->make_impossible();
  const auto before = Clock::now();
  EXPECT_EQ(this->run(short_time()), QueueStatus::timed_out);
  EXPECT_GE(Clock::now() - before, short_time());
}

TYPED_TEST(WaitingOperation, TimesOutAtTimePoint) {
  this->make_impossible();
  const auto deadline = Clock::now() + short_time();
  EXPECT_EQ(this->run(deadline), QueueStatus::timed_out);
  EXPECT_GE(Clock::now(), deadline);
}

TYPED_TEST(WaitingOperation, TimesOutAtOnceWhenTimePointHasPassed) {
  this->make_impossible();
  EXPECT_EQ(this->run(Clock::now() - std::chrono::hours(1)), QueueStatus::timed_out);
}

TYPED_TEST(WaitingOperation, EndsWhenStopTokenIsRequested) {
  std::stop_source source;
  this->make_impossible();
  auto call = this->run_waiting(source.get_token());
  this->await_waiting();
  source.request_stop();
  EXPECT_EQ(call.get(), QueueStatus::stopped);
}

TYPED_TEST(WaitingOperation, EndsAtOnceWhenStopTokenWasRequested) {
  std::stop_source source;
  source.request_stop();
  this->make_impossible();
  EXPECT_EQ(this->run(source.get_token()), QueueStatus::stopped);
}

TYPED_TEST(WaitingOperation, EndsWhenCoordinatorIsStopped) {
  forebay::Coordinator coordinator;
  this->make_impossible();
  auto call = this->run_waiting(coordinator);
  this->await_waiting();
  coordinator.request_stop();
  EXPECT_EQ(call.get(), QueueStatus::stopped);
}

TYPED_TEST(WaitingOperation, EndsAtOnceWhenCoordinatorWasStopped) {
  forebay::Coordinator coordinator;
  coordinator.request_stop();
  this->make_impossible();
  EXPECT_EQ(this->run(coordinator), QueueStatus::stopped);
}

TYPED_TEST(WaitingOperation, EndsWhenStopTokenIsRequestedBeforeItsTimeIsOver) {
  std::stop_source source;
  this->make_impossible();
  auto call = this->run_waiting({long_time(), source.get_token()});
  this->await_waiting();
  source.request_stop();
  EXPECT_EQ(call.get(), QueueStatus::stopped);
}

TYPED_TEST(WaitingOperation, EndsWhenCoordinatorIsStoppedBeforeItsDeadline) {
  forebay::Coordinator coordinator;
  this->make_impossible();
  auto call = this->run_waiting({Clock::now() + long_time(), coordinator});
  this->await_waiting();
  coordinator.request_stop();
  EXPECT_EQ(call.get(), QueueStatus::stopped);
}

TYPED_TEST(WaitingOperation, TimesOutWhenNoStopIsRequestedBefore) {
  std::stop_source source;
  forebay::Coordinator coordinator;
  this->make_impossible();
  EXPECT_EQ(this->run({short_time(), source.get_token()}), QueueStatus::timed_out);
  EXPECT_EQ(this->run({Clock::now() + short_time(), coordinator}), QueueStatus::timed_out);
}

TYPED_TEST(WaitingOperation, CanBeDoneAfterItTimedOut) {
  this->make_impossible();
  ASSERT_EQ(this->run(short_time()), QueueStatus::timed_out);
  auto call = this->run_waiting();
  this->await_waiting();
  if constexpr (TestFixture::Operation::produces) {
    // The first call has left there what fitted.
    await([this] {
      static_cast<void>(this->queue_.dequeue(forebay::no_wait));
      return this->queue_.waiting_producers() == 0;
    });
  } else {
    this->provide();
  }
  EXPECT_EQ(call.get(), QueueStatus::ok);
}

// ---- Closed: enqueues

template <class Parameter>
class ClosedEnqueue : public OperationTest<Parameter> {};
using ClosedEnqueues = OnEveryQueue<Enqueue, EnqueueMany, EnqueueManyIntoFull, EnqueueManyLargerThanCapacity>;
TYPED_TEST_SUITE(ClosedEnqueue, ClosedEnqueues, NameOfParameter);

TYPED_TEST(ClosedEnqueue, IsTurnedAway) {
  this->queue_.close();
  EXPECT_EQ(this->run(), QueueStatus::closed);
  EXPECT_EQ(this->run(forebay::no_wait), QueueStatus::closed);
  EXPECT_EQ(this->queue_.size(), 0U);
}

TYPED_TEST(ClosedEnqueue, IsTurnedAwayFromFullQueue) {
  this->make_impossible();
  this->queue_.close();
  EXPECT_EQ(this->run(), QueueStatus::closed);
  EXPECT_EQ(this->run(forebay::no_wait), QueueStatus::closed);
}

TYPED_TEST(ClosedEnqueue, IsTurnedAwayAfterCancel) {
  this->queue_.close(forebay::cancel_pending_enqueues);
  EXPECT_EQ(this->run(), QueueStatus::closed);
}

TYPED_TEST(ClosedEnqueue, IsTurnedAwayAfterFailure) {
  this->queue_.close(std::make_exception_ptr(Cause()));
  EXPECT_EQ(this->run(), QueueStatus::closed);
}

TYPED_TEST(ClosedEnqueue, CompletesWhenItWasWaiting) {
  this->make_impossible();
  auto call = this->run_waiting();
  this->await_waiting();
  this->queue_.close();
  EXPECT_EQ(this->queue_.waiting_producers(), 1U);
  this->provide();
  EXPECT_EQ(call.get(), QueueStatus::ok);
}

TYPED_TEST(ClosedEnqueue, CanTimeOutWhenItWasWaiting) {
  this->make_impossible();
  auto call = this->run_waiting(scaled(std::chrono::milliseconds(150)));
  this->await_waiting();
  this->queue_.close();
  EXPECT_EQ(call.get(), QueueStatus::timed_out);
}

TYPED_TEST(ClosedEnqueue, IsCancelledWhenItWasWaiting) {
  this->make_impossible();
  auto call = this->run_waiting();
  this->await_waiting();
  this->queue_.close(forebay::cancel_pending_enqueues);
  EXPECT_EQ(call.get(), QueueStatus::closed);
}

TYPED_TEST(ClosedEnqueue, IsCancelledByFailureWhenItWasWaiting) {
  this->make_impossible();
  auto call = this->run_waiting();
  this->await_waiting();
  this->queue_.close(std::make_exception_ptr(Cause()));
  EXPECT_EQ(call.get(), QueueStatus::closed);
}

TYPED_TEST(ClosedEnqueue, IsCancelledAfterItWasFirstLeftToComplete) {
  this->make_impossible();
  auto call = this->run_waiting();
  this->await_waiting();
  this->queue_.close();
  this->queue_.close(forebay::cancel_pending_enqueues);
  EXPECT_EQ(call.get(), QueueStatus::closed);
}

// ---- Closed: dequeues

template <class Parameter>
class ClosedDequeue : public OperationTest<Parameter> {
 protected:
  using Operation = typename OperationTest<Parameter>::Operation;

  /// What is left after an operation that found the end: all if it was not enough, nothing if it took what there was.
  static constexpr std::size_t left_at_end =
      Operation::at_end == QueueStatus::ok ? 0 : std::size_t{Operation::stored_before};
};
using ClosedDequeues =
    OnEveryQueue<Dequeue, DequeueMany, DequeueManyReused, DequeueManyLargerThanCapacity, DequeueUpTo,
                 DequeueUpToReused, DequeueUpToLargerThanCapacity, DequeueAvailable, DequeueAvailableReused>;
TYPED_TEST_SUITE(ClosedDequeue, ClosedDequeues, NameOfParameter);

TYPED_TEST(ClosedDequeue, TakesWhatIsLeft) {
  this->make_impossible();
  this->queue_.close();
  EXPECT_EQ(this->run(), TestFixture::Operation::at_end);
  EXPECT_EQ(this->queue_.size(), this->left_at_end);
}

TYPED_TEST(ClosedDequeue, TakesWhatIsLeftWhenItMayNotWait) {
  this->make_impossible();
  this->queue_.close();
  EXPECT_EQ(this->run(forebay::no_wait), TestFixture::Operation::at_end);
  EXPECT_EQ(this->queue_.size(), this->left_at_end);
}

TYPED_TEST(ClosedDequeue, TakesWhatIsLeftAfterCancel) {
  this->make_impossible();
  this->queue_.close(forebay::cancel_pending_enqueues);
  EXPECT_EQ(this->run(), TestFixture::Operation::at_end);
  EXPECT_EQ(this->queue_.size(), this->left_at_end);
}

TYPED_TEST(ClosedDequeue, TakesWhatIsThereAfterFailure) {
  this->store(tested_capacity);
  this->queue_.close(std::make_exception_ptr(Cause()));
  if (TestFixture::Operation::missing <= 1) {
    EXPECT_EQ(this->run(), QueueStatus::ok);
  }
}

TYPED_TEST(ClosedDequeue, FindsDrainedQueueClosed) {
  this->queue_.close();
  EXPECT_EQ(this->run(), QueueStatus::closed);
  EXPECT_EQ(this->run(forebay::no_wait), QueueStatus::closed);
  EXPECT_EQ(this->run(Clock::now() - std::chrono::hours(1)), QueueStatus::closed);
}

TYPED_TEST(ClosedDequeue, ThrowsCauseWhenDrained) {
  this->queue_.close(std::make_exception_ptr(Cause()));
  EXPECT_THROW(static_cast<void>(this->run()), Cause);
  EXPECT_THROW(static_cast<void>(this->run(forebay::no_wait)), Cause);
}

TYPED_TEST(ClosedDequeue, ThrowsCauseInsteadOfClosed) {
  this->make_impossible();
  this->queue_.close(std::make_exception_ptr(Cause()));
  if (TestFixture::Operation::at_end == QueueStatus::ok) {
    EXPECT_EQ(this->run(), QueueStatus::ok);
  }
  EXPECT_THROW(static_cast<void>(this->run()), Cause);
  EXPECT_EQ(this->queue_.size(), this->left_at_end);
}

TYPED_TEST(ClosedDequeue, IsWokenByClose) {
  this->make_impossible();
  auto call = this->run_waiting();
  this->await_waiting();
  this->queue_.close();
  EXPECT_EQ(call.get(), TestFixture::Operation::at_end);
  EXPECT_EQ(this->queue_.size(), this->left_at_end);
}

TYPED_TEST(ClosedDequeue, IsWokenByCancel) {
  this->make_impossible();
  auto call = this->run_waiting();
  this->await_waiting();
  this->queue_.close(forebay::cancel_pending_enqueues);
  EXPECT_EQ(call.get(), TestFixture::Operation::at_end);
  EXPECT_EQ(this->queue_.size(), this->left_at_end);
}

TYPED_TEST(ClosedDequeue, IsWokenByFailure) {
  this->make_impossible();
  auto call = this->run_waiting();
  this->await_waiting();
  this->queue_.close(std::make_exception_ptr(Cause()));
  if (TestFixture::Operation::at_end == QueueStatus::ok) {
    EXPECT_EQ(call.get(), QueueStatus::ok);
  } else {
    EXPECT_THROW(static_cast<void>(call.get()), Cause);
  }
  EXPECT_EQ(this->queue_.size(), this->left_at_end);
}

}  // namespace
}  // namespace forebay_test
