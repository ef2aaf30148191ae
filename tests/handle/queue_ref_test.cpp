// SPDX-License-Identifier: MIT
//
// queue_ref_test.cpp: every member of QueueRef acts like the same member of each kind of queue; from_list selects one.

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "forebay/coordinator.hpp"
#include "forebay/fifo_queue.hpp"
#include "forebay/queue_ref.hpp"
#include "forebay/queue_runner.hpp"
#include "forebay/queue_status.hpp"
#include "forebay/random_shuffle_queue.hpp"
#include "tests/support/await.hpp"
#include "tests/support/background.hpp"
#include "tests/support/contains.hpp"
#include "tests/support/elements.hpp"
#include "tests/support/numbers.hpp"
#include "tests/support/queue_factories.hpp"
#include "tests/support/scaled_time.hpp"
#include "tests/support/thrown.hpp"

namespace forebay_test {
namespace {

using forebay::FIFOQueue;
using forebay::from_list;
using forebay::no_wait;
using forebay::QueueRef;
using forebay::QueueStatus;
using forebay::RandomShuffleQueue;
using Ints = std::vector<int>;

static_assert(std::is_trivially_copyable_v<QueueRef<int>> && sizeof(QueueRef<int>) == 2 * sizeof(void*));
static_assert(std::is_convertible_v<FIFOQueue<int>&, QueueRef<int>>);
static_assert(!std::is_convertible_v<FIFOQueue<int>&, QueueRef<long>>, "elements of another type");
static_assert(!std::is_convertible_v<const FIFOQueue<int>&, QueueRef<int>>, "a queue that may not be changed");
static_assert(!std::is_default_constructible_v<QueueRef<int>>, "it always refers to a queue");

template <class Factory>
class QueueRefTo : public testing::Test {
 protected:
  static constexpr std::size_t capacity = 4;
  typename Factory::template Queue<int> queue_ = Factory::template make<int>(capacity);
  const QueueRef<int> ref_ = queue_;
};
TYPED_TEST_SUITE(QueueRefTo, QueueFactories, NameOfParameter);

TYPED_TEST(QueueRefTo, EnqueuePutsOneElementIn) {
  const int copied = 1;
  EXPECT_EQ(this->ref_.enqueue(copied), QueueStatus::ok);
  EXPECT_EQ(this->ref_.enqueue(2), QueueStatus::ok);
  EXPECT_EQ(sorted(*this->queue_.dequeue_many(2)), (Ints{1, 2}));
}

TYPED_TEST(QueueRefTo, EnqueueTellsWhyItCannot) {
  ASSERT_EQ(this->ref_.enqueue_many({1, 2, 3, 4}).status, QueueStatus::ok);
  EXPECT_EQ(this->ref_.enqueue(5, no_wait), QueueStatus::full);
  EXPECT_EQ(this->ref_.enqueue(5, short_time()), QueueStatus::timed_out);
  this->ref_.close();
  EXPECT_EQ(this->ref_.enqueue(5), QueueStatus::closed);
}

TYPED_TEST(QueueRefTo, EnqueueManyTakesVectorsSpansAndLists) {
  const Ints kept{1};
  EXPECT_EQ(this->ref_.enqueue_many(kept).count, 1U);
  EXPECT_EQ(this->ref_.enqueue_many(Ints{2}).count, 1U);
  EXPECT_EQ(this->ref_.enqueue_many(std::array{3}).count, 1U);
  EXPECT_EQ(this->ref_.enqueue_many({4, 5}, no_wait).count, 1U);
  EXPECT_EQ(kept, Ints{1});
  EXPECT_EQ(sorted(*this->queue_.dequeue_many(4)), (Ints{1, 2, 3, 4}));
}

TYPED_TEST(QueueRefTo, DequeueTakesOneElement) {
  ASSERT_EQ(this->queue_.enqueue(7), QueueStatus::ok);
  EXPECT_EQ(this->ref_.dequeue().value(), 7);
  EXPECT_EQ(this->ref_.dequeue(no_wait).status(), QueueStatus::empty);
  EXPECT_EQ(this->ref_.dequeue(short_time()).status(), QueueStatus::timed_out);
}

TYPED_TEST(QueueRefTo, DequeueManyWaitsForAll) {
  Background batch([&] { return this->ref_.dequeue_many(3); });
  await_waiting_consumers(this->ref_, 1);
  ASSERT_EQ(this->queue_.enqueue_many({1, 2, 3}).status, QueueStatus::ok);
  EXPECT_EQ(sorted(*batch.get()), (Ints{1, 2, 3}));
}

TYPED_TEST(QueueRefTo, ABatchThatIsNotThereLeavesNothingBehind) {
  ASSERT_EQ(this->queue_.enqueue_many({1, 2}).status, QueueStatus::ok);
  Ints batch{9, 9};
  EXPECT_EQ(this->ref_.dequeue_many(3, batch, no_wait), QueueStatus::empty);
  EXPECT_TRUE(batch.empty());
  EXPECT_FALSE(this->ref_.dequeue_many(3, no_wait).has_value());
  EXPECT_EQ(this->ref_.size(), 2U);
}

TYPED_TEST(QueueRefTo, DequeueUpToTakesTheRestAtTheEnd) {
  ASSERT_EQ(this->queue_.enqueue_many({1, 2, 3}).status, QueueStatus::ok);
  EXPECT_EQ(this->ref_.dequeue_up_to(4, no_wait).status(), QueueStatus::empty);
  this->queue_.close();
  EXPECT_EQ(this->ref_.dequeue_up_to(2)->size(), 2U);
  Ints batch;
  EXPECT_EQ(this->ref_.dequeue_up_to(4, batch), QueueStatus::ok);
  EXPECT_EQ(batch.size(), 1U);
  EXPECT_EQ(this->ref_.dequeue_up_to(4, batch), QueueStatus::closed);
}

TYPED_TEST(QueueRefTo, DequeueAvailableTakesWhatIsThere) {
  ASSERT_EQ(this->queue_.enqueue_many({1, 2, 3}).status, QueueStatus::ok);
  EXPECT_EQ(this->ref_.dequeue_available(2)->size(), 2U);
  Ints batch;
  EXPECT_EQ(this->ref_.dequeue_available(9, batch), QueueStatus::ok);
  EXPECT_EQ(batch.size(), 1U);
  EXPECT_EQ(this->ref_.dequeue_available(9, batch, no_wait), QueueStatus::empty);
}

TYPED_TEST(QueueRefTo, CloseLetsEnqueuesThatWaitComplete) {
  ASSERT_EQ(this->queue_.enqueue_many({1, 2, 3, 4}).status, QueueStatus::ok);
  Background waiting([&] { return this->ref_.enqueue(5); });
  await_waiting_producers(this->ref_, 1);
  this->ref_.close();
  EXPECT_TRUE(this->queue_.is_closed());
  ASSERT_TRUE(this->queue_.dequeue());
  EXPECT_EQ(waiting.get(), QueueStatus::ok);
}

TYPED_TEST(QueueRefTo, CloseWithCancelTurnsThemAway) {
  ASSERT_EQ(this->queue_.enqueue_many({1, 2, 3, 4}).status, QueueStatus::ok);
  Background waiting([&] { return this->ref_.enqueue(5); });
  await_waiting_producers(this->ref_, 1);
  this->ref_.close(forebay::cancel_pending_enqueues);
  EXPECT_EQ(waiting.get(), QueueStatus::closed);
  EXPECT_EQ(this->ref_.size(), 4U);
}

TYPED_TEST(QueueRefTo, CloseWithACauseIsThrownAfterTheRest) {
  ASSERT_EQ(this->queue_.enqueue(1), QueueStatus::ok);
  const auto cause = failure();
  this->ref_.close(cause);
  EXPECT_TRUE(this->ref_.dequeue());
  EXPECT_EQ(thrown_by([&] { return this->ref_.dequeue(); }), cause);
}

TYPED_TEST(QueueRefTo, SnapshotsAreTheQueues) {
  EXPECT_EQ(this->ref_.capacity(), this->capacity);
  EXPECT_FALSE(this->ref_.is_closed());
  ASSERT_EQ(this->queue_.enqueue_many({1, 2}).status, QueueStatus::ok);
  EXPECT_EQ(this->ref_.size(), 2U);
  EXPECT_EQ(this->ref_.waiting_producers(), 0U);
  EXPECT_EQ(this->ref_.waiting_consumers(), 0U);
  EXPECT_EQ(this->ref_.statistics(), this->queue_.statistics());
  this->queue_.close();
  EXPECT_TRUE(this->ref_.is_closed());
}

TYPED_TEST(QueueRefTo, IterationEndsWhenTheQueueIsDrained) {
  ASSERT_EQ(this->queue_.enqueue_many({1, 2, 3}).status, QueueStatus::ok);
  this->queue_.close();
  int sum = 0;
  for (const int element : this->ref_) sum += element;
  EXPECT_EQ(sum, 6);
}

TYPED_TEST(QueueRefTo, BatchesDeliverTheShortOneUnlessToldToDropIt) {
  ASSERT_EQ(this->queue_.enqueue_many({1, 2, 3}).status, QueueStatus::ok);
  this->queue_.close();
  std::size_t batches = 0;
  for (const Ints& batch : this->ref_.batches(2, forebay::Remainder::drop)) batches += batch.size() == 2 ? 1U : 0U;
  EXPECT_EQ(batches, 1U);
  for (const Ints& batch : this->ref_.batches(2)) batches += batch.size();
  EXPECT_EQ(batches, 2U);
  EXPECT_THROW(static_cast<void>(this->ref_.batches(0)), std::invalid_argument);
}

TYPED_TEST(QueueRefTo, ALoopStaysAtItsQueue) {
  auto other = TypeParam::template make<int>(2);
  ASSERT_EQ(this->queue_.enqueue_many({1, 2}).status, QueueStatus::ok);
  this->queue_.close();
  int sum = 0;
  QueueRef<int> ref = this->queue_;
  for (const int element : ref) {
    sum += element;
    ref = other;
  }
  EXPECT_EQ(sum, 3);
}

TYPED_TEST(QueueRefTo, ALoopMayOutliveATemporaryReference) {
  ASSERT_EQ(this->queue_.enqueue_many({1, 2}).status, QueueStatus::ok);
  this->queue_.close();
  int sum = 0;
  auto batches = QueueRef<int>(this->queue_).batches(1);
  for (const Ints& batch : batches) sum += batch[0];
  EXPECT_EQ(sum, 3);
}

TYPED_TEST(QueueRefTo, ARunnerFillsTheQueueThroughIt) {
  int next = 0;
  forebay::QueueRunner runner(this->ref_, 1, [&next]() -> std::optional<int> {
    if (next == 100) return std::nullopt;
    return next++;
  });
  runner.start();
  int sum = 0;
  for (const int element : this->queue_) sum += element;
  runner.join();
  EXPECT_EQ(sum, 4950);
}

// proves: several-runners
TYPED_TEST(QueueRefTo, SeveralRunnersFeedTheQueueThroughIt) {
  Numbers none(0);
  Numbers numbers(100);
  forebay::QueueRunner first(this->queue_, 1, [&] { return none.next(); });
  forebay::QueueRunner second(this->ref_, 1, [&] { return numbers.next(); });
  first.start();
  first.join();
  EXPECT_FALSE(this->queue_.is_closed());
  second.start();
  EXPECT_EQ(drained(this->queue_).size(), 100U);
}

TYPED_TEST(QueueRefTo, ARunnersFailureClosesTheQueueThroughIt) {
  forebay::QueueRunner runner(this->ref_, 1, []() -> int { throw Failure("no such file"); });
  runner.start();
  EXPECT_THROW(static_cast<void>(this->queue_.dequeue()), Failure);
  EXPECT_THROW(runner.join(), Failure);
}

TYPED_TEST(QueueRefTo, ACoordinatorClosesTheQueueThroughIt) {
  auto attached = this->ref_;
  forebay::Coordinator coordinator;
  coordinator.attach(attached);
  EXPECT_EQ(this->ref_.dequeue(std::chrono::nanoseconds(-1)).status(), QueueStatus::timed_out);
  coordinator.request_stop();
  EXPECT_TRUE(this->queue_.is_closed());
  EXPECT_EQ(this->ref_.enqueue(1, coordinator), QueueStatus::closed);
}

// ---- Elements

TEST(QueueRef, TakesElementsThatCannotBeCopied) {
  Ledger ledger;
  FIFOQueue<MoveOnly> queue(2);
  const QueueRef ref = queue;
  MoveOnly kept(2, ledger);
  ASSERT_EQ(ref.enqueue(MoveOnly(1, ledger)), QueueStatus::ok);
  ASSERT_EQ(ref.enqueue(std::move(kept)), QueueStatus::ok);
  MoveOnly untouched(3, ledger);
  EXPECT_EQ(ref.enqueue(std::move(untouched), no_wait), QueueStatus::full);
  EXPECT_EQ(untouched.number(), 3);  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(ref.dequeue()->number(), 1);
  EXPECT_EQ(ref.dequeue()->number(), 2);
}

TEST(QueueRef, LeavesWhatDidNotGoInUntouched) {
  FIFOQueue<std::unique_ptr<int>> queue(1);
  const QueueRef ref = queue;
  std::vector<std::unique_ptr<int>> elements;
  elements.push_back(std::make_unique<int>(1));
  elements.push_back(std::make_unique<int>(2));
  const auto result = ref.enqueue_many(std::move(elements), no_wait);
  EXPECT_EQ(result.status, QueueStatus::full);
  EXPECT_EQ(result.count, 1U);
  EXPECT_EQ(elements[0], nullptr);  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(*elements[1], 2);
}

TEST(QueueRef, RefersToAnotherQueueAfterAssignment) {
  FIFOQueue<int> first(1);
  FIFOQueue<int> second(2);
  QueueRef ref = first;
  ref = second;
  EXPECT_EQ(ref.capacity(), 2U);
}

TEST(QueueRef, ARunnerFeedsTheQueueThatItRefersToAtTheStart) {
  const auto no_number = []() -> std::optional<int> { return std::nullopt; };
  FIFOQueue<int> first(1);
  FIFOQueue<int> second(1);
  QueueRef ref = first;
  forebay::QueueRunner runner(ref, 1, no_number);
  ref = second;
  runner.start();
  runner.join();
  EXPECT_TRUE(second.is_closed());
  EXPECT_FALSE(first.is_closed());
  forebay::QueueRunner other(first, 1, no_number);
  other.start();
  other.join();
  EXPECT_TRUE(first.is_closed()) << "the first runner no longer holds it open";
}

// proves: producer-handles, consumer-handles
TYPED_TEST(QueueRefTo, HandlesCloseTheQueue) {
  auto queue = TypeParam::template make<int>(2);
  auto other = TypeParam::template make<int>(2);
  QueueRef<int> ref = queue;
  {
    auto producer = ref.producer();
    const auto consumer = ref.consumer();
    ref = other;
    ASSERT_EQ(producer.enqueue(1), QueueStatus::ok) << "the handle refers to the queue that it was created for";
    ASSERT_EQ(producer.enqueue_many(std::vector{2}).status, QueueStatus::ok);
    producer.finish();
    EXPECT_TRUE(queue.is_closed());
    EXPECT_EQ(consumer.dequeue_many(2)->size(), 2U);
    std::vector<int> batch;
    EXPECT_EQ(consumer.dequeue_up_to(2, batch), QueueStatus::closed);
  }
  ASSERT_EQ(ref.enqueue(7), QueueStatus::ok);
  for (const int element : ref.consumer()) {
    EXPECT_EQ(element, 7);
    break;
  }
  EXPECT_TRUE(other.is_closed());
}

TEST(QueueRef, KeepsTheReserveOfAShuffleQueue) {
  RandomShuffleQueue<std::string> queue({.capacity = 2, .min_after_dequeue = 1, .seed = 1});
  const QueueRef ref = queue;
  ASSERT_EQ(ref.enqueue("one"), QueueStatus::ok);
  EXPECT_EQ(ref.dequeue(no_wait).status(), QueueStatus::empty) << "one has to stay";
  ASSERT_EQ(ref.enqueue("two"), QueueStatus::ok);
  EXPECT_EQ(ref.dequeue_many(1)->front().size(), 3U);
}

// ---- from_list

class FromList : public testing::Test {
 protected:
  FIFOQueue<int> fifo_{1};
  RandomShuffleQueue<int> shuffled_{{.capacity = 2}};
  FIFOQueue<int> endless_{forebay::unbounded};
};

TEST_F(FromList, ChoosesByPosition) {
  EXPECT_EQ(from_list<int>(0, {fifo_, shuffled_, endless_}).capacity(), 1U);
  EXPECT_EQ(from_list<int>(1U, {fifo_, shuffled_, endless_}).capacity(), 2U);
  EXPECT_EQ(from_list<int>(std::size_t{2}, {fifo_, shuffled_, endless_}).capacity(), forebay::unbounded);
  EXPECT_EQ(from_list<int>(true, {fifo_, shuffled_}).capacity(), 2U);
}

TEST_F(FromList, TheChoiceIsTheQueue) {
  ASSERT_EQ(from_list<int>(1, {fifo_, shuffled_}).enqueue(7), QueueStatus::ok);
  EXPECT_EQ(shuffled_.dequeue(no_wait).value(), 7);
}

TEST_F(FromList, ChoosesFromAListMadeAtRunTime) {
  const std::vector<QueueRef<int>> queues{fifo_, shuffled_};
  EXPECT_EQ(from_list(1, queues).capacity(), 2U);
  EXPECT_EQ(from_list(0, std::span(queues).subspan(1)).capacity(), 2U);
  EXPECT_EQ(from_list(0, std::array{QueueRef(endless_)}).capacity(), forebay::unbounded);
}

TEST_F(FromList, APositionOutsideOfTheListIsRejectedByItsNumber) {
  const auto beyond = message_of<std::out_of_range>([&] { return from_list<int>(2, {fifo_, shuffled_}); });
  EXPECT_TRUE(contains(beyond, "index 2 "));
  EXPECT_TRUE(contains(beyond, "2 queues"));
  const auto negative = message_of<std::out_of_range>([&] {
    return from_list<int>(-1, {fifo_, shuffled_, endless_});
  });
  EXPECT_TRUE(contains(negative, "index -1 "));
  EXPECT_TRUE(contains(negative, "3 queues"));
}

TEST_F(FromList, AnEmptyListIsRejected) {
  const auto empty = message_of<std::invalid_argument>([&] { return from_list<int>(0, {}); });
  EXPECT_TRUE(contains(empty, "not 0"));
  EXPECT_THROW(static_cast<void>(from_list(0, std::vector<QueueRef<int>>())), std::invalid_argument);
}

}  // namespace
}  // namespace forebay_test
