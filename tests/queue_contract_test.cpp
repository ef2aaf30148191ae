// SPDX-License-Identifier: MIT
//
// queue_contract_test.cpp: what the contract says about elements, closing and iteration, for every kind of queue. The
// table of statuses is in operation_contract_test.cpp, the order of elements in the tests of each kind.
//
//   Nothing is lost              *GivesBack*, *LeavesArgumentUntouched, EnqueueManyLeavesRestUntouched*
//   Batches of any size          *OfNothing*, *LargerThanCapacity*, *ReusesStorage*
//   close                        Close*, *Cause*, Consumer*
//   size, capacity               Size*, Capacity*
//   iteration                    RangeFor*, Batches*

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <exception>
#include <iterator>
#include <list>
#include <memory>
#include <span>
#include <sstream>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "forebay/blocking_queue.hpp"
#include "forebay/queue_status.hpp"
#include "tests/support/await.hpp"
#include "tests/support/background.hpp"
#include "tests/support/blocking_operations.hpp"
#include "tests/support/elements.hpp"
#include "tests/support/queue_factories.hpp"
#include "tests/support/scaled_time.hpp"

namespace forebay_test {
namespace {

using forebay::no_wait;
using Pointer = std::unique_ptr<int>;

struct Cause : std::runtime_error {
  using std::runtime_error::runtime_error;
};

std::exception_ptr cause(const char* text = "why the queue was closed") {
  return std::make_exception_ptr(Cause(text));
}

std::vector<Pointer> pointers(int count) {
  std::vector<Pointer> made;
  for (int i = 0; i < count; ++i) made.push_back(std::make_unique<int>(i));
  return made;
}

/// A range that can be read once and whose length is not known before.
struct Words {
  std::istringstream& stream;
  [[nodiscard]] std::istream_iterator<int> begin() const { return std::istream_iterator<int>(stream); }
  [[nodiscard]] static std::istream_iterator<int> end() { return {}; }
};

template <class Factory>
class QueueContract : public testing::Test {
 protected:
  template <class T>
  using Queue = typename Factory::template Queue<T>;

  template <class T = int>
  static Queue<T> make(forebay::Capacity capacity) {
    return Factory::template make<T>(capacity);
  }

  /// The same elements, in the same order if this kind of queue keeps it.
  static void expect_elements(std::vector<int> actual, std::vector<int> expected) {
    if (!Factory::keeps_order) {
      std::ranges::sort(actual);
      std::ranges::sort(expected);
    }
    EXPECT_EQ(actual, expected);
  }

  static std::vector<int> take_all(Queue<int>& queue) {
    std::vector<int> all;
    while (const auto element = queue.dequeue(no_wait)) all.push_back(*element);
    return all;
  }

  static void fill(Queue<int>& queue, int count) {
    ASSERT_EQ(queue.enqueue_many(numbers(count), no_wait).status, QueueStatus::ok);
  }
};
TYPED_TEST_SUITE(QueueContract, QueueFactories, NameOfParameter);

// ---- Elements

TYPED_TEST(QueueContract, DequeuedElementIsTheOneThatWasEnqueued) {
  auto queue = this->template make<Pointer>(2);
  Pointer element = std::make_unique<int>(7);
  const int* const address = element.get();
  ASSERT_EQ(queue.enqueue(std::move(element)), QueueStatus::ok);
  EXPECT_EQ(queue.dequeue().value().get(), address);
}

TYPED_TEST(QueueContract, DequeueManyReturnsExactlyAsManyAsAsked) {
  auto queue = this->make(8);
  this->fill(queue, 8);
  EXPECT_EQ(queue.dequeue_many(3)->size(), 3U);
  EXPECT_EQ(queue.size(), 5U);
}

TYPED_TEST(QueueContract, DequeueUpToReturnsExactlyAsManyAsAskedWhileOpen) {
  auto queue = this->make(8);
  this->fill(queue, 8);
  EXPECT_EQ(queue.dequeue_up_to(3)->size(), 3U);
  EXPECT_EQ(queue.size(), 5U);
}

TYPED_TEST(QueueContract, DequeueUpToReturnsWhatIsLeftAfterClose) {
  auto queue = this->make(8);
  this->fill(queue, 5);
  queue.close();
  this->expect_elements(queue.dequeue_up_to(8).value(), numbers(5));
}

TYPED_TEST(QueueContract, DequeueAvailableReturnsWhatIsThere) {
  auto queue = this->make(8);
  this->fill(queue, 5);
  this->expect_elements(queue.dequeue_available(8).value(), numbers(5));
}

TYPED_TEST(QueueContract, DequeueAvailableReturnsNoMoreThanAsked) {
  auto queue = this->make(8);
  this->fill(queue, 5);
  EXPECT_EQ(queue.dequeue_available(2)->size(), 2U);
  EXPECT_EQ(queue.size(), 3U);
}

TYPED_TEST(QueueContract, EnqueueManyTakesEveryKindOfRange) {
  auto queue = this->make(forebay::unbounded);
  const std::list<int> stored = {0, 1};
  const std::vector<int> borrowed = {2, 3};
  std::istringstream words("5 6");
  EXPECT_EQ(queue.enqueue_many(stored).count, 2U);
  EXPECT_EQ(queue.enqueue_many(std::span(borrowed)).count, 2U);
  EXPECT_EQ(queue.enqueue_many({4}).count, 1U);
  EXPECT_EQ(queue.enqueue_many(Words{words}).count, 2U);
  this->expect_elements(this->take_all(queue), numbers(7));
}

TYPED_TEST(QueueContract, EnqueueManyCopiesFromRangeThatIsKept) {
  auto queue = this->template make<std::string>(2);
  std::vector<std::string> kept = {"a word that is too long for the string itself"};
  ASSERT_EQ(queue.enqueue_many(kept).status, QueueStatus::ok);
  EXPECT_EQ(queue.dequeue().value(), kept.front());
}

TYPED_TEST(QueueContract, EnqueueManyMovesFromContainerThatIsGivenAway) {
  auto queue = this->template make<Pointer>(2);
  EXPECT_EQ(queue.enqueue_many(pointers(2)).count, 2U);
  EXPECT_EQ(queue.dequeue_many(2)->size(), 2U);
}

// ---- Batches of nothing

TYPED_TEST(QueueContract, BatchOfNothingIsThereAtOnce) {
  auto queue = this->make(2);
  EXPECT_TRUE(queue.dequeue_many(0).value().empty());
  EXPECT_TRUE(queue.dequeue_up_to(0).value().empty());
  EXPECT_TRUE(queue.dequeue_available(0).value().empty());
}

TYPED_TEST(QueueContract, BatchOfNothingIsThereWhenClosed) {
  auto queue = this->make(2);
  queue.close(cause());
  EXPECT_EQ(queue.dequeue_many(0).status(), QueueStatus::ok);
  EXPECT_EQ(queue.dequeue_up_to(0).status(), QueueStatus::ok);
  EXPECT_EQ(queue.dequeue_available(0).status(), QueueStatus::ok);
}

TYPED_TEST(QueueContract, EnqueueManyOfNothingSucceedsEvenWhenFullOrClosed) {
  auto queue = this->make(1);
  this->fill(queue, 1);
  EXPECT_EQ(queue.enqueue_many(std::vector<int>()).status, QueueStatus::ok);
  queue.close();
  const auto result = queue.enqueue_many(std::vector<int>());
  EXPECT_EQ(result.status, QueueStatus::ok);
  EXPECT_EQ(result.count, 0U);
}

// ---- Batches larger than the capacity

TYPED_TEST(QueueContract, BatchLargerThanCapacityIsGathered) {
  auto queue = this->make(3);
  Background batch([&] { return queue.dequeue_many(10); });
  ASSERT_EQ(queue.enqueue_many(numbers(12)).status, QueueStatus::ok);
  auto gathered = batch.get().value();
  EXPECT_EQ(gathered.size(), 10U);
  std::ranges::copy(this->take_all(queue), std::back_inserter(gathered));
  this->expect_elements(gathered, numbers(12));
}

TYPED_TEST(QueueContract, BatchLargerThanCapacityReplacesReusedStorage) {
  auto queue = this->make(3);
  std::vector<int> batch = {100, 101};
  Background taken([&] { return queue.dequeue_many(7, batch); });
  ASSERT_EQ(queue.enqueue_many(numbers(7)).status, QueueStatus::ok);
  EXPECT_EQ(taken.get(), QueueStatus::ok);
  this->expect_elements(batch, numbers(7));
}

TYPED_TEST(QueueContract, UpToLargerThanCapacityTakesWhatWasGatheredAtClose) {
  auto queue = this->make(3);
  Background batch([&] { return queue.dequeue_up_to(10); });
  ASSERT_EQ(queue.enqueue_many(numbers(5)).status, QueueStatus::ok);
  queue.close();
  this->expect_elements(batch.get().value(), numbers(5));
}

TYPED_TEST(QueueContract, EnqueueManyLargerThanCapacityDeliversEverything) {
  auto queue = this->make(3);
  Background put([&] {
    const auto result = queue.enqueue_many(numbers(100));
    queue.close();
    return result;
  });
  std::vector<int> all;
  for (const int element : queue) all.push_back(element);
  EXPECT_EQ(put.get().count, 100U);
  this->expect_elements(all, numbers(100));
}

// ---- What a call that ends early gives back

TYPED_TEST(QueueContract, TimedOutBatchGivesBackWhatItGathered) {
  auto queue = this->make(4);
  this->fill(queue, 4);
  EXPECT_EQ(queue.dequeue_many(6, short_time()).status(), QueueStatus::timed_out);
  EXPECT_EQ(queue.size(), 4U);
  this->expect_elements(this->take_all(queue), numbers(4));
}

TYPED_TEST(QueueContract, StoppedBatchGivesBackWhatItGatheredBeforeWhatCameLater) {
  auto queue = this->make(4);
  std::stop_source stop;
  Background batch([&] { return queue.dequeue_many(10, stop.get_token()).status(); });
  ASSERT_EQ(queue.enqueue_many(numbers(7)).status, QueueStatus::ok);
  stop.request_stop();
  EXPECT_EQ(batch.get(), QueueStatus::stopped);
  EXPECT_EQ(queue.size(), 7U);
  this->expect_elements(this->take_all(queue), numbers(7));
}

TYPED_TEST(QueueContract, BatchEndedByCloseGivesBackWhatItGathered) {
  auto queue = this->make(4);
  Background batch([&] { return queue.dequeue_many(10).status(); });
  ASSERT_EQ(queue.enqueue_many(numbers(7)).status, QueueStatus::ok);
  queue.close();
  EXPECT_EQ(batch.get(), QueueStatus::closed);
  this->expect_elements(this->take_all(queue), numbers(7));
}

TYPED_TEST(QueueContract, BatchThatIsGivenBackTwiceIsStillComplete) {
  auto queue = this->make(4);
  this->fill(queue, 4);
  EXPECT_EQ(queue.dequeue_many(20, short_time()).status(), QueueStatus::timed_out);
  std::stop_source stop;
  Background batch([&] { return queue.dequeue_many(20, stop.get_token()).status(); });
  ASSERT_EQ(queue.enqueue_many(numbers(4, 4)).status, QueueStatus::ok);
  stop.request_stop();
  EXPECT_EQ(batch.get(), QueueStatus::stopped);
  EXPECT_EQ(queue.size(), 8U);
  this->expect_elements(this->take_all(queue), numbers(8));
}

TYPED_TEST(QueueContract, WhatWasGivenBackTakesUpRoom) {
  auto queue = this->make(4);
  this->fill(queue, 4);
  ASSERT_EQ(queue.dequeue_many(6, short_time()).status(), QueueStatus::timed_out);
  EXPECT_EQ(queue.enqueue(4, no_wait), QueueStatus::full);
  ASSERT_TRUE(queue.dequeue());
  EXPECT_EQ(queue.enqueue(4, no_wait), QueueStatus::ok);
}

TYPED_TEST(QueueContract, WhatWasGivenBackCountsForTheNextBatch) {
  auto queue = this->make(4);
  this->fill(queue, 4);
  ASSERT_EQ(queue.dequeue_many(6, short_time()).status(), QueueStatus::timed_out);
  Background put([&] { return queue.enqueue_many(numbers(2, 4)).status; });
  this->expect_elements(queue.dequeue_many(6).value(), numbers(6));
  EXPECT_EQ(put.get(), QueueStatus::ok);
}

TYPED_TEST(QueueContract, BatchThatFailsEmptiesReusedStorage) {
  auto queue = this->make(4);
  std::vector<int> batch = {1, 2, 3};
  EXPECT_EQ(queue.dequeue_many(2, batch, no_wait), QueueStatus::empty);
  EXPECT_TRUE(batch.empty());
}

TYPED_TEST(QueueContract, ReusedStorageIsKept) {
  auto queue = this->make(4);
  std::vector<int> batch;
  batch.reserve(16);
  const int* const storage = batch.data();
  this->fill(queue, 4);
  ASSERT_EQ(queue.dequeue_many(4, batch), QueueStatus::ok);
  EXPECT_EQ(batch.data(), storage);
  this->expect_elements(batch, numbers(4));
}

// ---- What a failed enqueue leaves untouched

TYPED_TEST(QueueContract, EnqueueTurnedDownLeavesArgumentUntouched) {
  auto queue = this->template make<Pointer>(1);
  ASSERT_EQ(queue.enqueue(std::make_unique<int>(1)), QueueStatus::ok);
  Pointer element = std::make_unique<int>(7);
  EXPECT_EQ(queue.enqueue(std::move(element), no_wait), QueueStatus::full);
  ASSERT_NE(element, nullptr);
  EXPECT_EQ(queue.enqueue(std::move(element), short_time()), QueueStatus::timed_out);
  ASSERT_NE(element, nullptr);
  EXPECT_EQ(*element, 7);
}

TYPED_TEST(QueueContract, StoppedEnqueueLeavesArgumentUntouched) {
  auto queue = this->template make<Pointer>(1);
  ASSERT_EQ(queue.enqueue(std::make_unique<int>(1)), QueueStatus::ok);
  Pointer element = std::make_unique<int>(7);
  std::stop_source stop;
  Background put([&] { return queue.enqueue(std::move(element), stop.get_token()); });
  ASSERT_TRUE(await_waiting_producers(queue, 1));
  stop.request_stop();
  EXPECT_EQ(put.get(), QueueStatus::stopped);
  EXPECT_NE(element, nullptr);
}

TYPED_TEST(QueueContract, EnqueueIntoClosedLeavesArgumentUntouched) {
  auto queue = this->template make<Pointer>(1);
  queue.close();
  Pointer element = std::make_unique<int>(7);
  EXPECT_EQ(queue.enqueue(std::move(element)), QueueStatus::closed);
  EXPECT_NE(element, nullptr);
}

TYPED_TEST(QueueContract, CancelledEnqueueLeavesArgumentUntouched) {
  auto queue = this->template make<Pointer>(1);
  ASSERT_EQ(queue.enqueue(std::make_unique<int>(1)), QueueStatus::ok);
  Pointer element = std::make_unique<int>(7);
  Background put([&] { return queue.enqueue(std::move(element)); });
  ASSERT_TRUE(await_waiting_producers(queue, 1));
  queue.close(forebay::cancel_pending_enqueues);
  EXPECT_EQ(put.get(), QueueStatus::closed);
  EXPECT_NE(element, nullptr);
}

TYPED_TEST(QueueContract, EnqueueManyLeavesRestUntouchedWhenItMayNotWait) {
  auto queue = this->template make<Pointer>(3);
  std::vector<Pointer> range = pointers(5);
  const auto result = queue.enqueue_many(std::move(range), no_wait);
  EXPECT_EQ(result.status, QueueStatus::full);
  ASSERT_EQ(result.count, 3U);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(range[i] != nullptr, i >= 3) << i;
}

TYPED_TEST(QueueContract, EnqueueManyLeavesRestUntouchedWhenItTimesOut) {
  auto queue = this->template make<Pointer>(3);
  std::vector<Pointer> range = pointers(5);
  const auto result = queue.enqueue_many(std::move(range), short_time());
  EXPECT_EQ(result.status, QueueStatus::timed_out);
  ASSERT_EQ(result.count, 3U);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(range[i] != nullptr, i >= 3) << i;
}

TYPED_TEST(QueueContract, EnqueueManyLeavesRestUntouchedWhenItIsCancelled) {
  auto queue = this->template make<Pointer>(3);
  std::vector<Pointer> range = pointers(5);
  Background put([&] { return queue.enqueue_many(std::move(range)); });
  ASSERT_TRUE(await_waiting_producers(queue, 1));
  queue.close(forebay::cancel_pending_enqueues);
  const auto result = put.get();
  EXPECT_EQ(result.status, QueueStatus::closed);
  ASSERT_EQ(result.count, 3U);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(range[i] != nullptr, i >= 3) << i;
}

// ---- Close

TYPED_TEST(QueueContract, CloseIsIdempotentAndDoesNotThrow) {
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

TYPED_TEST(QueueContract, CloseDoesNotWaitForWaitingEnqueues) {
  auto queue = this->make(1);
  this->fill(queue, 1);
  Background put([&] { return queue.enqueue(1); });
  ASSERT_TRUE(await_waiting_producers(queue, 1));
  queue.close();
  EXPECT_TRUE(queue.is_closed());
  EXPECT_EQ(queue.enqueue(2, no_wait), QueueStatus::closed);
  this->expect_elements(queue.dequeue_many(2).value(), {0, 1});
  EXPECT_EQ(put.get(), QueueStatus::ok);
}

TYPED_TEST(QueueContract, CloseWakesEveryBlockedConsumer) {
  auto queue = this->make(2);
  Background one([&] { return queue.dequeue().status(); });
  Background many([&] { return queue.dequeue_many(2).status(); });
  Background larger([&] { return queue.dequeue_many(9).status(); });
  Background up_to([&] { return queue.dequeue_up_to(2).status(); });
  ASSERT_TRUE(await_waiting_consumers(queue, 4));
  queue.close();
  EXPECT_EQ(one.get(), QueueStatus::closed);
  EXPECT_EQ(many.get(), QueueStatus::closed);
  EXPECT_EQ(larger.get(), QueueStatus::closed);
  EXPECT_EQ(up_to.get(), QueueStatus::closed);
}

TYPED_TEST(QueueContract, CloseSharesWhatIsLeftAmongWaitingConsumers) {
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

TYPED_TEST(QueueContract, CancelWakesEveryBlockedProducer) {
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

TYPED_TEST(QueueContract, FirstCauseStays) {
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

TYPED_TEST(QueueContract, CauseMayComeAfterPlainClose) {
  auto queue = this->make(1);
  queue.close();
  queue.close(cause());
  EXPECT_THROW(static_cast<void>(queue.dequeue()), Cause);
}

TYPED_TEST(QueueContract, CauseThatIsNullCancelsOnly) {
  auto queue = this->make(1);
  this->fill(queue, 1);
  Background put([&] { return queue.enqueue(1); });
  ASSERT_TRUE(await_waiting_producers(queue, 1));
  queue.close(std::exception_ptr());
  EXPECT_EQ(put.get(), QueueStatus::closed);
  EXPECT_EQ(queue.dequeue().status(), QueueStatus::ok);
  EXPECT_EQ(queue.dequeue().status(), QueueStatus::closed);
}

TYPED_TEST(QueueContract, ConsumerIsNotToldClosedWhileAnAcceptedEnqueueWaits) {
  auto queue = this->make(1);
  this->fill(queue, 1);
  Background put([&] { return queue.enqueue(1, scaled(std::chrono::milliseconds(150))); });
  ASSERT_TRUE(await_waiting_producers(queue, 1));
  queue.close();
  EXPECT_EQ(queue.dequeue_many(3, no_wait).status(), QueueStatus::empty);
  Background batch([&] { return queue.dequeue_up_to(3); });
  this->expect_elements(batch.get().value(), {0, 1});
  EXPECT_EQ(put.get(), QueueStatus::ok);
  EXPECT_EQ(queue.dequeue().status(), QueueStatus::closed);
}

TYPED_TEST(QueueContract, ConsumerIsToldClosedWhenTheLastAcceptedEnqueueGivesUp) {
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

TYPED_TEST(QueueContract, SizeCountsWhatAHalfServedBatchHolds) {
  auto queue = this->make(3);
  std::stop_source stop;
  Background batch([&] { return queue.dequeue_many(9, stop.get_token()).status(); });
  ASSERT_EQ(queue.enqueue_many(numbers(8)).status, QueueStatus::ok);
  EXPECT_EQ(queue.size(), 8U);
  stop.request_stop();
  EXPECT_EQ(batch.get(), QueueStatus::stopped);
  EXPECT_EQ(queue.size(), 8U);
}

TYPED_TEST(QueueContract, UnboundedNeverMakesAnEnqueueWait) {
  auto queue = this->make(forebay::unbounded);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(queue.enqueue(i, no_wait), QueueStatus::ok);
  EXPECT_EQ(queue.size(), 1000U);
  this->expect_elements(this->take_all(queue), numbers(1000));
}

TYPED_TEST(QueueContract, UnboundedServesABatchLargerThanItEverWas) {
  auto queue = this->make(forebay::unbounded);
  Background batch([&] { return queue.dequeue_many(500); });
  ASSERT_TRUE(await_waiting_consumers(queue, 1));
  for (int i = 0; i < 500; ++i) ASSERT_EQ(queue.enqueue(i), QueueStatus::ok);
  this->expect_elements(batch.get().value(), numbers(500));
}

TYPED_TEST(QueueContract, IsNeitherCopyableNorMovable) {
  using Tested = typename TestFixture::template Queue<int>;
  static_assert(!std::is_copy_constructible_v<Tested> && !std::is_copy_assignable_v<Tested>);
  static_assert(!std::is_move_constructible_v<Tested> && !std::is_move_assignable_v<Tested>);
}

// ---- Iteration

TYPED_TEST(QueueContract, RangeForDeliversEverythingAndEnds) {
  auto queue = this->make(8);
  this->fill(queue, 5);
  queue.close();
  std::vector<int> all;
  for (const int element : queue) all.push_back(element);
  this->expect_elements(all, numbers(5));
}

TYPED_TEST(QueueContract, RangeForGivesItsElementsAway) {
  auto queue = this->template make<Pointer>(4);
  ASSERT_EQ(queue.enqueue_many(pointers(3)).status, QueueStatus::ok);
  queue.close();
  std::vector<Pointer> kept;
  for (auto&& element : queue) kept.push_back(std::move(element));
  EXPECT_EQ(kept.size(), 3U);
}

TYPED_TEST(QueueContract, RangeForThrowsTheCauseAfterTheLastElement) {
  auto queue = this->make(4);
  this->fill(queue, 2);
  queue.close(cause());
  std::vector<int> all;
  EXPECT_THROW(
      {
        for (const int element : queue) all.push_back(element);
      },
      Cause);
  this->expect_elements(all, numbers(2));
}

TYPED_TEST(QueueContract, BatchesDeliverAShortLastOne) {
  auto queue = this->make(8);
  this->fill(queue, 7);
  queue.close();
  std::vector<std::size_t> sizes;
  std::vector<int> all;
  for (const auto& batch : queue.batches(3)) {
    sizes.push_back(batch.size());
    std::ranges::copy(batch, std::back_inserter(all));
  }
  EXPECT_EQ(sizes, (std::vector<std::size_t>{3, 3, 1}));
  this->expect_elements(all, numbers(7));
}

TYPED_TEST(QueueContract, BatchesLeaveTheRemainderWhenToldToDropIt) {
  auto queue = this->make(8);
  this->fill(queue, 7);
  queue.close();
  std::size_t batches = 0;
  for (const auto& batch : queue.batches(3, forebay::Remainder::drop)) {
    EXPECT_EQ(batch.size(), 3U);
    ++batches;
  }
  EXPECT_EQ(batches, 2U);
  EXPECT_EQ(queue.size(), 1U);
}

TYPED_TEST(QueueContract, BatchesThrowTheCauseAfterTheLastOne) {
  auto queue = this->make(8);
  this->fill(queue, 4);
  queue.close(cause());
  std::size_t batches = 0;
  EXPECT_THROW(
      {
        for ([[maybe_unused]] const auto& batch : queue.batches(3)) ++batches;
      },
      Cause);
  EXPECT_EQ(batches, 2U);
}

TYPED_TEST(QueueContract, BatchesEndWhenTheirTimeIsOver) {
  auto queue = this->make(8);
  this->fill(queue, 7);
  std::size_t batches = 0;
  for ([[maybe_unused]] const auto& batch : queue.batches(3, short_time())) ++batches;
  EXPECT_EQ(batches, 2U);
  EXPECT_EQ(queue.size(), 1U);
}

TYPED_TEST(QueueContract, BatchesMayBeTakenAway) {
  auto queue = this->template make<Pointer>(8);
  ASSERT_EQ(queue.enqueue_many(pointers(6)).status, QueueStatus::ok);
  queue.close();
  std::vector<std::vector<Pointer>> kept;
  for (auto&& batch : queue.batches(3)) kept.push_back(std::move(batch));
  ASSERT_EQ(kept.size(), 2U);
  EXPECT_EQ(kept[0].size() + kept[1].size(), 6U);
}

TYPED_TEST(QueueContract, BatchesOfNothingAreRejected) {
  auto queue = this->make(8);
  EXPECT_THROW(static_cast<void>(queue.batches(0)), std::invalid_argument);
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
  const auto batch = queue.dequeue_many(2);
  for (const auto& each : *batch) EXPECT_TRUE(each.is_aligned());
}

TYPED_TEST(QueueContract, HoldsLargeElements) {
  auto queue = this->template make<Large>(3);
  ASSERT_EQ(queue.enqueue({.number = 7, .payload = {}}), QueueStatus::ok);
  EXPECT_EQ(queue.dequeue()->number, 7);
}

}  // namespace
}  // namespace forebay_test
