// SPDX-License-Identifier: MIT
//
// dequeue_any_test.cpp: dequeue_any takes one element from one of several queues and waits in all of them. It loses
// neither an element nor a wake-up.

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <latch>
#include <memory>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "forebay/coordinator.hpp"
#include "forebay/dequeue_any.hpp"
#include "forebay/fifo_queue.hpp"
#include "forebay/queue_ref.hpp"
#include "forebay/queue_status.hpp"
#include "forebay/random_shuffle_queue.hpp"
#include "tests/support/await.hpp"
#include "tests/support/background.hpp"
#include "tests/support/blocking_operations.hpp"
#include "tests/support/dice.hpp"
#include "tests/support/elements.hpp"
#include "tests/support/iterations.hpp"
#include "tests/support/manual_clock_sync.hpp"
#include "tests/support/queue_factories.hpp"
#include "tests/support/scaled_time.hpp"
#include "tests/support/tally.hpp"
#include "tests/support/threads.hpp"
#include "tests/support/thrown.hpp"

namespace forebay_test {
namespace {

using namespace std::chrono_literals;
using forebay::dequeue_any;
using forebay::Dequeued;
using forebay::ElementFrom;
using forebay::FIFOQueue;
using forebay::no_wait;
using forebay::QueueRef;
using forebay::RandomShuffleQueue;

template <class... Queues>
void expect_nobody_waits(const Queues&... queues) {
  EXPECT_EQ((queues.waiting_consumers() + ...), 0U);
  EXPECT_TRUE((queues.invariants_hold() && ...));
}

// ---- Forms of the call

class DequeueAnyForms : public testing::Test {
 protected:
  FIFOQueue<int> fifo_{4};
  RandomShuffleQueue<int> shuffled_{{.capacity = 4}};
  FIFOQueue<std::string> texts_{4};
};

TEST_F(DequeueAnyForms, QueuesOfOneTypeGiveTheElementAndItsQueue) {
  static_assert(std::is_same_v<decltype(dequeue_any(fifo_, shuffled_)), Dequeued<ElementFrom<int>>>);
  ASSERT_EQ(shuffled_.enqueue(7), QueueStatus::ok);
  const auto [index, element] = *dequeue_any(fifo_, shuffled_);
  EXPECT_EQ(index, 1U);
  EXPECT_EQ(element, 7);
}

TEST_F(DequeueAnyForms, QueuesOfDifferentTypesGiveAVariant) {
  using Either = std::variant<int, std::string, int>;
  static_assert(std::is_same_v<decltype(dequeue_any(fifo_, texts_, shuffled_)), Dequeued<Either>>);
  ASSERT_EQ(texts_.enqueue("seven"), QueueStatus::ok);
  EXPECT_EQ(dequeue_any(fifo_, texts_, shuffled_).value(), Either("seven"));
  ASSERT_EQ(shuffled_.enqueue(7), QueueStatus::ok);
  EXPECT_EQ(dequeue_any(fifo_, texts_, shuffled_).value(), Either(std::in_place_index<2>, 7));
}

TEST_F(DequeueAnyForms, TheWaitComesFirst) {
  forebay::Coordinator coordinator;
  EXPECT_EQ(dequeue_any(no_wait, fifo_, texts_).status(), QueueStatus::empty);
  EXPECT_EQ(dequeue_any(short_time(), fifo_, texts_).status(), QueueStatus::timed_out);
  EXPECT_EQ(dequeue_any({short_time(), coordinator}, fifo_, shuffled_).status(), QueueStatus::timed_out);
}

TEST_F(DequeueAnyForms, AListMadeAtRunTime) {
  const std::vector<QueueRef<int>> queues{fifo_, shuffled_};
  ASSERT_EQ(fifo_.enqueue(7), QueueStatus::ok);
  EXPECT_EQ(dequeue_any(queues)->index, 0U);
  EXPECT_EQ(dequeue_any(queues, short_time()).status(), QueueStatus::timed_out);
}

TEST_F(DequeueAnyForms, AListInBraces) {
  ASSERT_EQ(shuffled_.enqueue(7), QueueStatus::ok);
  EXPECT_EQ(dequeue_any<int>({fifo_, shuffled_})->element, 7);
  EXPECT_EQ(dequeue_any<int>({fifo_, shuffled_}, no_wait).status(), QueueStatus::empty);
}

TEST_F(DequeueAnyForms, QueueRefsAmongQueues) {
  const QueueRef ref = fifo_;
  ASSERT_EQ(fifo_.enqueue(7), QueueStatus::ok);
  EXPECT_EQ(dequeue_any(shuffled_, ref)->index, 1U);
  EXPECT_EQ(dequeue_any(no_wait, forebay::from_list<int>(1, {shuffled_, fifo_}), texts_).status(), QueueStatus::empty);
}

TEST_F(DequeueAnyForms, OneQueueIsAPlainDequeue) {
  ASSERT_EQ(fifo_.enqueue(7), QueueStatus::ok);
  EXPECT_EQ(dequeue_any(fifo_)->element, 7);
  EXPECT_EQ(dequeue_any(no_wait, fifo_).status(), QueueStatus::empty);
}

TEST_F(DequeueAnyForms, AnEmptyListIsRejected) {
  EXPECT_THROW(static_cast<void>(dequeue_any(std::vector<QueueRef<int>>())), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(dequeue_any<int>({}, no_wait)), std::invalid_argument);
}

TEST_F(DequeueAnyForms, ElementsThatCannotBeCopiedAreMoved) {
  Ledger ledger;
  FIFOQueue<MoveOnly> first(1);
  FIFOQueue<std::unique_ptr<int>> second(1);
  ASSERT_EQ(first.enqueue(MoveOnly(1, ledger)), QueueStatus::ok);
  EXPECT_EQ(std::get<0>(*dequeue_any(first, second)).number(), 1);
  ASSERT_EQ(second.enqueue(std::make_unique<int>(2)), QueueStatus::ok);
  EXPECT_EQ(*std::get<1>(*dequeue_any(first, second)), 2);
}

TEST_F(DequeueAnyForms, AnotherPolicysClockTimesItOut) {
  FIFOQueue<int, ManualClockSync> first(1);
  FIFOQueue<int, ManualClockSync> second(1);
  Background waiting([&] { return dequeue_any(1h, first, second).status(); });
  await_waiting_consumers(second, 1);
  ManualClockSync::advance(1h);
  EXPECT_EQ(waiting.get(), QueueStatus::timed_out);
}

// ---- Waiting: on every kind of queue

template <class Factory>
class DequeueAny : public testing::Test {
 protected:
  using Queue = typename Factory::template Queue<int>;

  void await_that_one_waits_in_both() {
    await_waiting_consumers(first_, 1);
    await_waiting_consumers(second_, 1);
  }

  Queue first_ = Factory::template make<int>(2);
  Queue second_ = Factory::template make<int>(2);
};
TYPED_TEST_SUITE(DequeueAny, QueueFactories, NameOfParameter);

TYPED_TEST(DequeueAny, WaitsInAllAndIsWokenByAny) {
  for (auto* const queue : {&this->first_, &this->second_}) {
    Background waiting([&] { return dequeue_any(this->first_, this->second_); });
    this->await_that_one_waits_in_both();
    ASSERT_EQ(queue->enqueue(7), QueueStatus::ok);
    const auto taken = waiting.get();
    ASSERT_TRUE(taken);
    EXPECT_EQ(taken->index, queue == &this->first_ ? 0U : 1U);
    EXPECT_EQ(taken->element, 7);
    expect_nobody_waits(this->first_, this->second_);
  }
}

TYPED_TEST(DequeueAny, TakesOneElementFromOneQueue) {
  Background waiting([&] { return dequeue_any(this->first_, this->second_); });
  this->await_that_one_waits_in_both();
  ASSERT_EQ(this->first_.enqueue(1), QueueStatus::ok);
  ASSERT_EQ(this->second_.enqueue(2), QueueStatus::ok);
  ASSERT_TRUE(waiting.get());
  EXPECT_EQ(this->first_.size() + this->second_.size(), 1U);
  expect_nobody_waits(this->first_, this->second_);
}

TYPED_TEST(DequeueAny, AnElementThatIsThereWinsOverEveryEnd) {
  forebay::Coordinator coordinator;
  coordinator.request_stop();
  ASSERT_EQ(this->second_.enqueue_many({1, 2, 3}, no_wait).count, 2U);
  EXPECT_EQ(dequeue_any(coordinator, this->first_, this->second_)->index, 1U);
  EXPECT_EQ(dequeue_any(-1s, this->first_, this->second_)->index, 1U);
  EXPECT_EQ(dequeue_any(coordinator, this->first_, this->second_).status(), QueueStatus::stopped);
  EXPECT_EQ(dequeue_any(-1s, this->first_, this->second_).status(), QueueStatus::timed_out);
}

TYPED_TEST(DequeueAny, ACoordinatorStopsIt) {
  forebay::Coordinator coordinator;
  Background waiting([&] { return dequeue_any({long_time(), coordinator}, this->first_, this->second_).status(); });
  this->await_that_one_waits_in_both();
  coordinator.request_stop();
  EXPECT_EQ(waiting.get(), QueueStatus::stopped);
  expect_nobody_waits(this->first_, this->second_);
}

TYPED_TEST(DequeueAny, AStopTokenStopsIt) {
  std::stop_source source;
  Background waiting([&] { return dequeue_any(source.get_token(), this->first_, this->second_).status(); });
  this->await_that_one_waits_in_both();
  source.request_stop();
  EXPECT_EQ(waiting.get(), QueueStatus::stopped);
  expect_nobody_waits(this->first_, this->second_);
}

TYPED_TEST(DequeueAny, LeavesTheLinesWhenItsTimeHasPassed) {
  EXPECT_EQ(dequeue_any(short_time(), this->first_, this->second_).status(), QueueStatus::timed_out);
  expect_nobody_waits(this->first_, this->second_);
}

TYPED_TEST(DequeueAny, AQueueMayBeListedTwice) {
  Background waiting([&] { return dequeue_any(this->first_, this->first_, this->second_); });
  await_waiting_consumers(this->first_, 2);
  await_waiting_consumers(this->second_, 1);
  ASSERT_EQ(this->first_.enqueue_many({1, 2}).status, QueueStatus::ok);
  EXPECT_LT(waiting.get()->index, 2U);
  EXPECT_EQ(this->first_.size(), 1U);
  this->first_.close();
  EXPECT_LT(dequeue_any(this->first_, this->second_, this->first_)->index, 3U);
  this->second_.close();
  EXPECT_EQ(dequeue_any(this->first_, this->second_, this->first_).status(), QueueStatus::closed);
  expect_nobody_waits(this->first_, this->second_);
}

// ---- Closed queues

TYPED_TEST(DequeueAny, IsClosedWhenAllAreClosedAndDrained) {
  ASSERT_EQ(this->first_.enqueue(1), QueueStatus::ok);
  ASSERT_EQ(this->second_.enqueue(2), QueueStatus::ok);
  this->first_.close();
  this->second_.close();
  EXPECT_TRUE(dequeue_any(this->first_, this->second_));
  EXPECT_TRUE(dequeue_any(no_wait, this->first_, this->second_));
  EXPECT_EQ(dequeue_any(this->first_, this->second_).status(), QueueStatus::closed);
  EXPECT_EQ(dequeue_any(no_wait, this->first_, this->second_).status(), QueueStatus::closed);
}

TYPED_TEST(DequeueAny, PassesOverAClosedQueueWhileAnotherIsOpen) {
  this->first_.close();
  EXPECT_EQ(dequeue_any(no_wait, this->first_, this->second_).status(), QueueStatus::empty);
  ASSERT_EQ(this->second_.enqueue(2), QueueStatus::ok);
  EXPECT_EQ(dequeue_any(this->first_, this->second_)->index, 1U);
  Background waiting([&] { return dequeue_any(this->first_, this->second_); });
  await_waiting_consumers(this->second_, 1);
  ASSERT_EQ(this->second_.enqueue(3), QueueStatus::ok);
  EXPECT_EQ(waiting.get()->element, 3);
}

TYPED_TEST(DequeueAny, LeavesTheLineOfAQueueThatCloses) {
  Background waiting([&] { return dequeue_any(this->first_, this->second_).status(); });
  this->await_that_one_waits_in_both();
  this->first_.close();
  await_waiting_consumers(this->first_, 0);
  EXPECT_EQ(this->second_.waiting_consumers(), 1U);
  this->second_.close();
  EXPECT_EQ(waiting.get(), QueueStatus::closed);
  expect_nobody_waits(this->first_, this->second_);
}

TYPED_TEST(DequeueAny, TakesWhatAWaitingEnqueueStillBringsAfterClose) {
  ASSERT_EQ(this->first_.enqueue_many({1, 2}).status, QueueStatus::ok);
  Background enqueue([&] { return this->first_.enqueue(3); });
  await_waiting_producers(this->first_, 1);
  this->first_.close();
  this->second_.close();
  int sum = 0;
  while (const auto taken = dequeue_any(this->first_, this->second_)) sum += taken->element;
  EXPECT_EQ(enqueue.get(), QueueStatus::ok);
  EXPECT_EQ(sum, 6);
}

TYPED_TEST(DequeueAny, TakesWhatALargeBatchGivesBackAtTheEnd) {
  if constexpr (!TypeParam::accumulates) GTEST_SKIP() << "its batches are never larger than the capacity";
  Background batch([&] { return this->first_.dequeue_many(5).status(); });
  await_waiting_consumers(this->first_, 1);
  Background waiting([&] { return dequeue_any(this->first_, this->second_); });
  await_waiting_consumers(this->first_, 2);
  ASSERT_EQ(this->first_.enqueue_many({1, 2, 3, 4}).status, QueueStatus::ok);
  EXPECT_EQ(this->first_.waiting_consumers(), 2U) << "the batch goes before it";
  this->first_.close();
  EXPECT_EQ(batch.get(), QueueStatus::closed);
  EXPECT_EQ(waiting.get()->index, 0U);
  EXPECT_EQ(this->first_.size(), 3U);
}

TYPED_TEST(DequeueAny, ACauseIsThrownBeforeItWouldWait) {
  const auto cause = failure();
  ASSERT_EQ(this->second_.enqueue(1), QueueStatus::ok);
  this->first_.close(cause);
  EXPECT_EQ(dequeue_any(this->first_, this->second_)->index, 1U) << "what is there comes first";
  EXPECT_EQ(thrown_by([&] { return dequeue_any(this->first_, this->second_); }), cause);
  EXPECT_EQ(thrown_by([&] { return dequeue_any(no_wait, this->first_, this->second_); }), cause);
  ASSERT_EQ(this->second_.enqueue(2), QueueStatus::ok);
  EXPECT_EQ(dequeue_any(this->first_, this->second_)->element, 2) << "nothing is lost";
  expect_nobody_waits(this->first_, this->second_);
}

TYPED_TEST(DequeueAny, ACauseIsThrownOnlyWhenItsQueueIsDrained) {
  const auto cause = failure();
  ASSERT_EQ(this->first_.enqueue(1), QueueStatus::ok);
  this->first_.close(cause);
  EXPECT_EQ(dequeue_any(this->first_, this->second_)->element, 1);
  EXPECT_EQ(thrown_by([&] { return dequeue_any(this->first_, this->second_); }), cause);
}

TYPED_TEST(DequeueAny, ACauseWakesIt) {
  const auto cause = failure();
  Background waiting([&] { return dequeue_any(this->first_, this->second_).status(); });
  this->await_that_one_waits_in_both();
  this->second_.close(cause);
  EXPECT_EQ(thrown_by([&] { return waiting.get(); }), cause);
  expect_nobody_waits(this->first_, this->second_);
}

// ---- Several closed queues: the queue at which a call begins depends on how many elements have passed

constexpr int starts = 40;

/// Passes one more element through `queue`, so that the next call begins at another queue.
template <class Queue>
void let_one_pass(Queue& queue) {
  ASSERT_EQ(queue.enqueue(0), QueueStatus::ok);
  ASSERT_TRUE(queue.dequeue());
}

// proves: dequeue-any-causes
TYPED_TEST(DequeueAny, ACauseIsToldBesideAQueueThatHasJustEnded) {
  const auto cause = failure();
  for (int start = 0; start < starts; ++start) {
    auto failed = TypeParam::template make<int>(2);
    auto ended = TypeParam::template make<int>(2);
    for (int i = 0; i < start; ++i) let_one_pass(ended);
    failed.close(cause);
    ended.close();
    EXPECT_EQ(thrown_by([&] { return dequeue_any(failed, ended); }), cause) << start;
    EXPECT_EQ(thrown_by([&] { return dequeue_any(ended, failed); }), cause) << start;
    EXPECT_EQ(thrown_by([&] { return dequeue_any(no_wait, failed, ended); }), cause) << start;
    EXPECT_EQ(thrown_by([&] { return dequeue_any(no_wait, ended, failed); }), cause) << start;
    EXPECT_EQ(thrown_by([&] { return dequeue_any(ended, failed, ended); }), cause) << start;
  }
}

// proves: dequeue-any-causes
TYPED_TEST(DequeueAny, ACauseIsToldBesideAnEndedAndAnOpenQueue) {
  const auto cause = failure();
  for (int start = 0; start < starts; ++start) {
    auto failed = TypeParam::template make<int>(2);
    auto ended = TypeParam::template make<int>(2);
    for (int i = 0; i < start; ++i) let_one_pass(this->first_);
    failed.close(cause);
    ended.close();
    EXPECT_EQ(thrown_by([&] { return dequeue_any(short_time(), failed, ended, this->first_); }), cause) << start;
    EXPECT_EQ(thrown_by([&] { return dequeue_any(short_time(), this->first_, ended, failed); }), cause) << start;
    EXPECT_EQ(thrown_by([&] { return dequeue_any(no_wait, ended, this->first_, failed); }), cause) << start;
    EXPECT_EQ(thrown_by([&] { return dequeue_any(-1s, ended, failed, this->first_); }), cause) << start;
  }
  expect_nobody_waits(this->first_);
}

// proves: dequeue-any-causes
TYPED_TEST(DequeueAny, OfSeveralCausesThatOfTheFirstListedIsTold) {
  const auto cause = failure("first");
  const auto other = failure("second");
  this->first_.close(cause);
  this->second_.close(other);
  for (int start = 0; start < starts; ++start) {
    auto open = TypeParam::template make<int>(2);
    for (int i = 0; i < start; ++i) let_one_pass(open);
    EXPECT_EQ(thrown_by([&] { return dequeue_any(this->first_, open, this->second_); }), cause) << start;
    EXPECT_EQ(thrown_by([&] { return dequeue_any(this->second_, open, this->first_); }), other) << start;
  }
}

// proves: dequeue-any-causes
TYPED_TEST(DequeueAny, AnElementWinsOverEveryCause) {
  for (int start = 0; start < starts; ++start) {
    auto failed = TypeParam::template make<int>(2);
    auto ended = TypeParam::template make<int>(2);
    for (int i = 0; i < start; ++i) let_one_pass(this->first_);
    failed.close(failure());
    ended.close();
    ASSERT_EQ(this->first_.enqueue(7), QueueStatus::ok);
    EXPECT_EQ(dequeue_any(failed, ended, this->first_)->element, 7) << start;
  }
}

TYPED_TEST(DequeueAny, ACauseIsToldOfAQueueThatEndedWithoutOneBefore) {
  const auto cause = failure();
  Background waiting([&] { return dequeue_any(this->first_, this->second_).status(); });
  this->await_that_one_waits_in_both();
  this->first_.close();
  await_waiting_consumers(this->first_, 0);
  this->first_.close(cause);
  this->second_.close();
  EXPECT_EQ(thrown_by([&] { return waiting.get(); }), cause);
  expect_nobody_waits(this->first_, this->second_);
}

// ---- Elements that a queue retains

TEST(DequeueAnyOfShuffleQueues, LeavesTheReserveThere) {
  RandomShuffleQueue<int> queue({.capacity = 4, .min_after_dequeue = 2, .seed = 1});
  FIFOQueue<int> other(1);
  ASSERT_EQ(queue.enqueue_many({1, 2}).status, QueueStatus::ok);
  EXPECT_EQ(dequeue_any(no_wait, queue, other).status(), QueueStatus::empty);
  Background waiting([&] { return dequeue_any(queue, other); });
  await_waiting_consumers(queue, 1);
  ASSERT_EQ(queue.enqueue(3), QueueStatus::ok);
  EXPECT_EQ(waiting.get()->index, 0U);
  EXPECT_EQ(dequeue_any(no_wait, queue, other).status(), QueueStatus::empty);
  queue.close();
  EXPECT_TRUE(dequeue_any(queue, other)) << "waived at close";
}

// ---- Fairness

/// Counts how many of 1000 elements come from each of two queues that are never empty. `between` runs after each
/// element.
template <class Between>
std::array<int, 2> taken_from_full_queues(FIFOQueue<int>& first, FIFOQueue<int>& second, Between between) {
  std::array<int, 2> taken{};
  for (int i = 0; i < 1000; ++i) {
    while (first.enqueue(1, no_wait) == QueueStatus::ok) {
    }
    while (second.enqueue(2, no_wait) == QueueStatus::ok) {
    }
    ++taken[dequeue_any(first, second)->index];
    between();
  }
  return taken;
}

TEST(DequeueAnyFairness, AQueueThatIsNeverEmptyDoesNotStarveTheOther) {
  FIFOQueue<int> first(2);
  FIFOQueue<int> second(2);
  const auto taken = taken_from_full_queues(first, second, [] {});
  EXPECT_GT(taken[0], 400);
  EXPECT_GT(taken[1], 400);
}

TEST(DequeueAnyFairness, NorDoesItInStepWithOtherConsumers) {
  FIFOQueue<int> first(2);
  FIFOQueue<int> second(2);
  const auto taken = taken_from_full_queues(first, second, [&] { ASSERT_TRUE(first.dequeue(no_wait)); });
  EXPECT_GT(taken[0], 400);
  EXPECT_GT(taken[1], 400);
}

TEST(DequeueAnyFairness, OvertakingIsBounded) {
  FIFOQueue<int> first(1);
  FIFOQueue<int> second(1);
  std::atomic<bool> served = false;
  Background waiting([&] {
    const auto taken = dequeue_any(first, second);
    served = true;
    return taken->element;
  });
  await_waiting_consumers(second, 1);
  await_waiting_consumers(first, 1);
  // When the other thread has been overtaken a few times, this one finds nothing to take.
  EXPECT_TRUE(await([&] {
    std::ignore = first.enqueue(1, no_wait);
    std::ignore = first.dequeue(no_wait);
    return served.load();
  }));
  EXPECT_EQ(waiting.get(), 1);
}

TEST(DequeueAnyFairness, WhoWaitedLongerInAQueueIsServedFirst) {
  FIFOQueue<int> first(2);
  FIFOQueue<int> second(2);
  Background earlier([&] { return dequeue_any(first, second).has_value(); });
  await_waiting_consumers(second, 1);
  await_waiting_consumers(first, 1);
  Background later([&] { return first.dequeue().has_value(); });
  await_waiting_consumers(first, 2);
  ASSERT_EQ(first.enqueue(1), QueueStatus::ok);
  EXPECT_TRUE(earlier.get());
  EXPECT_EQ(first.waiting_consumers(), 1U);
  ASSERT_EQ(first.enqueue(2), QueueStatus::ok);
  EXPECT_TRUE(later.get());
}

// ---- Served by two queues at once

/// A barrier at which an element stops the thread that takes it out.
struct Barrier {
  std::latch reached{1};
  std::latch open{1};
};

/// An element whose second move, the one out of the queue, waits at a barrier.
class Stopping {
 public:
  explicit Stopping(Barrier* barrier = nullptr) : barrier_(barrier) {}
  Stopping(Stopping&& other) noexcept : barrier_(other.barrier_), moves_(other.moves_ + 1) {
    if (barrier_ == nullptr || moves_ != 2) return;
    barrier_->reached.count_down();
    barrier_->open.wait();
  }
  Stopping& operator=(Stopping&&) = delete;
  Stopping(const Stopping&) = delete;
  Stopping& operator=(const Stopping&) = delete;
  ~Stopping() = default;

 private:
  Barrier* barrier_;
  int moves_ = 0;
};

class DequeueAnyChosenTwice : public testing::Test {
 protected:
  /// Starts a thread that waits in both queues. It stops while it takes an element from the first one.
  auto stop_in_the_first() {
    return std::make_unique<Background<bool>>([this] { return dequeue_any(first_, second_).has_value(); });
  }
  void supply_the_first() {
    ASSERT_EQ(first_.enqueue(Stopping(&barrier_)), QueueStatus::ok);
    barrier_.reached.wait();
  }

  Barrier barrier_;
  FIFOQueue<Stopping> first_{2};
  FIFOQueue<Stopping> second_{2};
};

TEST_F(DequeueAnyChosenTwice, WhatItDoesNotTakeWakesTheNextInLine) {
  const auto waiting = stop_in_the_first();
  await_waiting_consumers(first_, 1);
  await_waiting_consumers(second_, 1);
  Background behind([&] { return second_.dequeue().has_value(); });
  await_waiting_consumers(second_, 2);
  supply_the_first();
  // The thread that takes from the first queue is also first in line at the second one, so that queue chooses it, too.
  ASSERT_EQ(second_.enqueue(Stopping()), QueueStatus::ok);
  barrier_.open.count_down();
  EXPECT_TRUE(waiting->get());
  EXPECT_TRUE(behind.get());
  expect_nobody_waits(first_, second_);
  EXPECT_EQ(first_.size() + second_.size(), 0U);
}

TEST_F(DequeueAnyChosenTwice, WhatItDoesNotTakeWakesAnotherThatWaitsInBoth) {
  const auto waiting = stop_in_the_first();
  await_waiting_consumers(first_, 1);
  await_waiting_consumers(second_, 1);
  Background behind([&] { return dequeue_any(second_, first_)->index; });
  await_waiting_consumers(first_, 2);
  await_waiting_consumers(second_, 2);
  supply_the_first();
  ASSERT_EQ(second_.enqueue(Stopping()), QueueStatus::ok);
  barrier_.open.count_down();
  EXPECT_TRUE(waiting->get());
  EXPECT_EQ(behind.get(), 0U);
  expect_nobody_waits(first_, second_);
}

TEST_F(DequeueAnyChosenTwice, WhatItDoesNotTakeStaysIfNobodyElseWaits) {
  const auto waiting = stop_in_the_first();
  await_waiting_consumers(first_, 1);
  await_waiting_consumers(second_, 1);
  supply_the_first();
  ASSERT_EQ(second_.enqueue(Stopping()), QueueStatus::ok);
  barrier_.open.count_down();
  EXPECT_TRUE(waiting->get());
  EXPECT_EQ(second_.size(), 1U);
  EXPECT_TRUE(second_.dequeue(no_wait));
  expect_nobody_waits(first_, second_);
}

// ---- Elements that fail

template <class Element>
class DequeueAnyOfFailing : public testing::Test {
 protected:
  Ledger ledger_;
  FIFOQueue<Element> first_{2};
  FIFOQueue<int> second_{2};
};
using FailingElements = testing::Types<ThrowingMove, ThrowingMoveOnly>;
TYPED_TEST_SUITE(DequeueAnyOfFailing, FailingElements);

TYPED_TEST(DequeueAnyOfFailing, AnElementThatCannotBeTakenStays) {
  ASSERT_EQ(this->first_.enqueue(TypeParam(7, this->ledger_)), QueueStatus::ok);
  this->ledger_.fail_at(1);
  EXPECT_THROW(static_cast<void>(dequeue_any(this->first_, this->second_)), ElementFailure);
  expect_nobody_waits(this->first_, this->second_);
  EXPECT_EQ(std::get<0>(*dequeue_any(this->first_, this->second_)).number(), 7);
}

TYPED_TEST(DequeueAnyOfFailing, WhoWaitedForItLeavesAllLinesAndTheNextOneIsServed) {
  TypeParam element(7, this->ledger_);
  Background waiting([&] { return dequeue_any(this->first_, this->second_).has_value(); });
  await_waiting_consumers(this->second_, 1);
  await_waiting_consumers(this->first_, 1);
  Background behind([&] { return this->first_.dequeue()->number(); });
  await_waiting_consumers(this->first_, 2);
  this->ledger_.fail_at(2);  // the first move is the enqueue's
  ASSERT_EQ(this->first_.enqueue(std::move(element)), QueueStatus::ok);
  EXPECT_THROW(static_cast<void>(waiting.get()), ElementFailure);
  EXPECT_EQ(behind.get(), 7);
  expect_nobody_waits(this->first_, this->second_);
}

// ---- Many threads

/// Three queues of capacity 1, with tallies of their inputs and outputs.
template <class Factory>
class DequeueAnyStress : public testing::Test {
 protected:
  using Queue = typename Factory::template Queue<std::uint64_t>;

  Queue& at(std::size_t i) { return *std::array{&a_, &b_, &c_}[i % 3]; }

  /// Takes an element from any queue. Each thread lists the queues in a different order.
  auto take(int thread, const Wait& wait = Wait::forever) {
    const auto i = static_cast<std::size_t>(thread);
    if (thread % 2 == 0) return dequeue_any(wait, at(i), at(i + 1), at(i + 2));
    return dequeue_any(std::vector<QueueRef<std::uint64_t>>{at(i), at(i + 1), at(i + 2)}, wait);
  }

  void close_all() {
    for (std::size_t i = 0; i < 3; ++i) at(i).close();
  }

  void drain() {
    while (const auto taken = take(0, no_wait)) out_.add(taken->element);
  }

  void expect_all_came_out() {
    EXPECT_EQ(in_, out_);
    expect_nobody_waits(a_, b_, c_);
    EXPECT_EQ(a_.waiting_producers() + b_.waiting_producers() + c_.waiting_producers(), 0U);
    EXPECT_EQ(a_.size() + b_.size() + c_.size(), 0U);
  }

  Queue a_ = Factory::template make<std::uint64_t>(1);
  Queue b_ = Factory::template make<std::uint64_t>(1);
  Queue c_ = Factory::template make<std::uint64_t>(1);
  Tally in_;
  Tally out_;
};
TYPED_TEST_SUITE(DequeueAnyStress, QueueFactories, NameOfParameter);

TYPED_TEST(DequeueAnyStress, ServesManyThreadsWithoutClose) {
  const int each = iterations(4000);
  {
    const auto producers = start(6, [&](int thread) {
      Dice dice(thread);
      for (int i = 0; i < each; ++i) {
        const std::uint64_t number = dice.number();
        ASSERT_EQ(this->at(static_cast<std::size_t>(thread)).enqueue(number), QueueStatus::ok);
        this->in_.add(number);
      }
    });
    const auto consumers = start(6, [&](int thread) {
      for (int i = 0; i < each; ++i) this->out_.add(this->take(thread).value().element);
    });
  }
  this->expect_all_came_out();
}

TYPED_TEST(DequeueAnyStress, SharesQueuesWithOtherConsumersUntilTheyClose) {
  const int each = iterations(4000);
  {
    const auto consumers = start(7, [&](int thread) {
      if (thread < 4) {
        while (const auto taken = this->take(thread)) this->out_.add(taken->element);
      } else if (thread < 6) {
        while (const auto taken = dequeue_any(this->at(static_cast<std::size_t>(thread)), this->a_)) {
          this->out_.add(taken->element);
        }
      } else {
        for (const std::uint64_t number : this->b_) this->out_.add(number);
      }
    });
    {
      const auto producers = start(5, [&](int thread) {
        Dice dice(thread);
        for (int i = 0; i < each; ++i) {
          const std::vector<std::uint64_t> several = dice.several(dice.up_to(3));
          const auto result = this->at(dice.up_to(3)).enqueue_many(several);
          ASSERT_EQ(result.status, QueueStatus::ok);
          this->in_.add_all(several);
        }
      });
    }
    this->close_all();
  }
  this->expect_all_came_out();
}

TYPED_TEST(DequeueAnyStress, LargeBatchesAndQueuesThatCloseOneAfterTheOther) {
  constexpr std::size_t batch_of = TypeParam::accumulates ? 3 : 1;
  const int rounds = iterations(400);
  for (int round = 0; round < rounds; ++round) {
    auto first = TypeParam::template make<int>(1);
    auto second = TypeParam::template make<int>(1);
    std::atomic<int> taken = 0;
    {
      const auto consumers = start(3, [&](int thread) {
        if (thread == 2) {
          while (const auto batch = first.dequeue_up_to(batch_of)) taken += static_cast<int>(batch->size());
        } else {
          while (const auto element = dequeue_any(first, second)) taken += static_cast<int>(element.has_value());
        }
      });
      const auto producers = start(2, [&](int thread) {
        auto& queue = thread == 0 ? first : second;
        for (int i = 0; i < 7; ++i) ASSERT_EQ(queue.enqueue(i), QueueStatus::ok);
        queue.close();
      });
    }
    ASSERT_EQ(taken, 14);
    ASSERT_TRUE(first.invariants_hold() && second.invariants_hold());
  }
}

TYPED_TEST(DequeueAnyStress, TimeoutsThatRaceSuppliesLoseNothing) {
  const std::size_t total = static_cast<std::size_t>(iterations(20000));
  std::atomic<int> producing = 4;
  {
    const auto producers = start(4, [&](int thread) {
      Dice dice(thread);
      while (this->in_.count() < total) {
        const std::uint64_t number = dice.number();
        const QueueStatus status = this->at(dice.up_to(3)).enqueue(number, dice.any_wait());
        if (status == QueueStatus::ok) this->in_.add(number);
      }
      --producing;
    });
    const auto consumers = start(5, [&](int thread) {
      Dice dice(thread + 100);
      while (producing > 0) {
        if (const auto taken = this->take(thread, dice.any_wait())) this->out_.add(taken->element);
      }
    });
  }
  this->drain();
  this->expect_all_came_out();
}

TYPED_TEST(DequeueAnyStress, StopsThatRaceSuppliesLoseNothing) {
  const int rounds = iterations(1000);
  for (int round = 0; round < rounds; ++round) {
    forebay::Coordinator coordinator;
    const auto number = static_cast<std::uint64_t>(round);
    Background one([&] { return this->take(0, coordinator); });
    Background another([&] { return this->take(1, coordinator); });
    Background supply([&] { return this->at(number).enqueue(number); });
    coordinator.request_stop();
    ASSERT_EQ(supply.get(), QueueStatus::ok);
    this->in_.add(number);
    if (const auto taken = one.get()) this->out_.add(taken->element);
    if (const auto taken = another.get()) this->out_.add(taken->element);
    this->drain();
  }
  this->expect_all_came_out();
}

// A queue may be destroyed as soon as the call that took its last element has returned.
TYPED_TEST(DequeueAnyStress, DestructionRightAfterTheLastElementIsSafe) {
  const int rounds = iterations(1000);
  for (int round = 0; round < rounds; ++round) {
    std::optional<std::jthread> producer;
    {
      auto first = TypeParam::template make<int>(1);
      auto second = TypeParam::template make<int>(1);
      producer.emplace([&queue = round % 2 == 0 ? first : second] { ASSERT_EQ(queue.enqueue(7), QueueStatus::ok); });
      ASSERT_EQ(dequeue_any(first, second)->element, 7);
    }
  }
}

}  // namespace
}  // namespace forebay_test
