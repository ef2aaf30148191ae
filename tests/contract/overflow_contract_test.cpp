// SPDX-License-Identifier: MIT
//
// overflow_contract_test.cpp: enqueues that drop an element instead of waiting, for every kind of queue that has them.
// The table of the contract has the statuses.
//
//   drop_newest                  DropNewest*
//   drop_oldest                  DropOldest*
//   Beside calls that wait       *Beside*

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "forebay/blocking_queue.hpp"
#include "forebay/overflow.hpp"
#include "forebay/padding_fifo_queue.hpp"
#include "forebay/queue_status.hpp"
#include "tests/support/await.hpp"
#include "tests/support/background.hpp"
#include "tests/support/blocking_operations.hpp"
#include "tests/support/elements.hpp"
#include "tests/support/queue_contract.hpp"
#include "tests/support/queue_factories.hpp"

namespace forebay_test {
namespace {

using forebay::drop_newest;
using forebay::drop_oldest;
using forebay::no_wait;

template <class Factory>
class OverflowContract : public QueueContractTest<Factory> {};
TYPED_TEST_SUITE(OverflowContract, DroppingQueueFactories, NameOfParameter);

// ---- drop_newest

// proves: overflow
TYPED_TEST(OverflowContract, DropNewestKeepsWhatIsStored) {
  auto queue = this->make(2);
  EXPECT_EQ(queue.enqueue(0, drop_newest), QueueStatus::ok);
  EXPECT_EQ(queue.enqueue(1, drop_newest), QueueStatus::ok);
  EXPECT_EQ(queue.enqueue(2, drop_newest), QueueStatus::full);
  EXPECT_EQ(this->take_all(queue), numbers(2));
}

TYPED_TEST(OverflowContract, DropNewestTakesCopiesAndElementsThatOnlyMove) {
  auto words = this->template make<std::string>(1);
  const std::string word = "a word that is too long for the string itself";
  EXPECT_EQ(words.enqueue(word, drop_newest), QueueStatus::ok);
  EXPECT_EQ(words.enqueue(word, drop_newest), QueueStatus::full);
  EXPECT_EQ(words.dequeue().value(), word);

  auto queue = this->template make<Pointer>(1);
  ASSERT_EQ(queue.enqueue(std::make_unique<int>(1), drop_newest), QueueStatus::ok);
  Pointer element = std::make_unique<int>(7);
  EXPECT_EQ(queue.enqueue(std::move(element), drop_newest), QueueStatus::full);
  ASSERT_NE(element, nullptr);
  EXPECT_EQ(*element, 7);
}

TYPED_TEST(OverflowContract, DropNewestBesideAWaitingProducerLeavesItsPlace) {
  auto queue = this->make(1);
  this->fill(queue, 1);
  Background put([&] { return queue.enqueue(1); });
  ASSERT_TRUE(await_waiting_producers(queue, 1));
  EXPECT_EQ(queue.enqueue(9, drop_newest), QueueStatus::full);
  EXPECT_EQ(queue.dequeue().value(), 0);
  EXPECT_EQ(put.get(), QueueStatus::ok);
  EXPECT_EQ(queue.dequeue().value(), 1);
}

// ---- drop_oldest

// proves: overflow
TYPED_TEST(OverflowContract, DropOldestKeepsTheLatestElements) {
  auto queue = this->make(3);
  for (const int number : numbers(10)) ASSERT_EQ(queue.enqueue(number, drop_oldest), QueueStatus::ok);
  EXPECT_EQ(queue.size(), 3U);
  EXPECT_TRUE(queue.invariants_hold());
  EXPECT_EQ(this->take_all(queue), (std::vector{7, 8, 9}));
}

// proves: overflow
TYPED_TEST(OverflowContract, DropOldestReturnsWhatItDrops) {
  auto queue = this->template make<Pointer>(1);
  std::optional<Pointer> dropped = std::make_unique<int>(0);
  ASSERT_EQ(queue.enqueue(std::make_unique<int>(1), drop_oldest, dropped), QueueStatus::ok);
  EXPECT_FALSE(dropped.has_value()) << "there was room";
  ASSERT_EQ(queue.enqueue(std::make_unique<int>(2), drop_oldest, dropped), QueueStatus::ok);
  ASSERT_TRUE(dropped.has_value());
  EXPECT_EQ(**dropped, 1);
  EXPECT_EQ(*queue.dequeue().value(), 2);
}

TYPED_TEST(OverflowContract, DropOldestOfACopyLeavesTheOriginal) {
  auto queue = this->template make<std::string>(1);
  const std::string word = "a word that is too long for the string itself";
  std::optional<std::string> dropped;
  ASSERT_EQ(queue.enqueue(word, drop_oldest), QueueStatus::ok);
  ASSERT_EQ(queue.enqueue(word, drop_oldest, dropped), QueueStatus::ok);
  EXPECT_EQ(dropped, word);
}

TYPED_TEST(OverflowContract, DropOldestIntoAClosedQueueDropsNothing) {
  auto queue = this->template make<Pointer>(1);
  ASSERT_EQ(queue.enqueue(std::make_unique<int>(1)), QueueStatus::ok);
  queue.close();
  Pointer element = std::make_unique<int>(7);
  std::optional<Pointer> dropped;
  EXPECT_EQ(queue.enqueue(std::move(element), drop_oldest, dropped), QueueStatus::closed);
  EXPECT_NE(element, nullptr);
  EXPECT_FALSE(dropped.has_value());
  EXPECT_EQ(queue.statistics().dropped, 0U);
  EXPECT_EQ(queue.size(), 1U);
}

TYPED_TEST(OverflowContract, AnUnboundedQueueDropsNothing) {
  auto queue = this->make(forebay::unbounded);
  for (const int number : numbers(5000))
    ASSERT_EQ(number % 2 == 0 ? queue.enqueue(number, drop_oldest) : queue.enqueue(number, drop_newest),
              QueueStatus::ok);
  EXPECT_EQ(queue.statistics().dropped, 0U);
  EXPECT_EQ(this->take_all(queue), numbers(5000));
}

/// Calls a function when it is destroyed, unless it was moved from.
struct CallsAtItsEnd {
  explicit CallsAtItsEnd(const std::function<void()>& call) : call_(&call) {}
  CallsAtItsEnd(CallsAtItsEnd&& other) noexcept : call_(std::exchange(other.call_, nullptr)) {}
  CallsAtItsEnd& operator=(CallsAtItsEnd&&) = delete;
  ~CallsAtItsEnd() {
    if (call_ != nullptr) (*call_)();
  }

 private:
  const std::function<void()>* call_;
};

// proves: overflow
TYPED_TEST(OverflowContract, DropOldestDestroysTheElementWithoutALock) {
  auto queue = this->template make<CallsAtItsEnd>(1);
  int calls = 0;
  const std::function<void()> call = [&] {
    EXPECT_LE(queue.size(), 1U);  // takes both locks
    ++calls;
  };
  std::optional<CallsAtItsEnd> dropped;
  ASSERT_EQ(queue.enqueue(CallsAtItsEnd(call)), QueueStatus::ok);
  ASSERT_EQ(queue.enqueue(CallsAtItsEnd(call), drop_oldest), QueueStatus::ok);
  EXPECT_EQ(calls, 1);
  ASSERT_EQ(queue.enqueue(CallsAtItsEnd(call), drop_oldest, dropped), QueueStatus::ok);
  EXPECT_EQ(calls, 1);
  ASSERT_EQ(queue.enqueue(CallsAtItsEnd(call), drop_oldest, dropped), QueueStatus::ok);
  EXPECT_EQ(calls, 2);
  ASSERT_TRUE(queue.dequeue());
}

// ---- Beside calls that wait

// proves: overflow
TYPED_TEST(OverflowContract, DropOldestBesideAWaitingProducerLeavesItsPlace) {
  auto queue = this->make(1);
  this->fill(queue, 1);
  Background put([&] { return queue.enqueue(1); });
  ASSERT_TRUE(await_waiting_producers(queue, 1));
  for (const int number : {5, 6, 7}) ASSERT_EQ(queue.enqueue(number, drop_oldest), QueueStatus::ok);
  EXPECT_EQ(queue.waiting_producers(), 1U);
  EXPECT_EQ(queue.dequeue().value(), 7);
  EXPECT_EQ(put.get(), QueueStatus::ok);
  EXPECT_EQ(queue.dequeue().value(), 1);
}

TYPED_TEST(OverflowContract, DropOldestBesideAWaitingConsumerWakesIt) {
  auto queue = this->make(2);
  Background take([&] { return queue.dequeue_many(2); });
  ASSERT_TRUE(await_waiting_consumers(queue, 1));
  ASSERT_EQ(queue.enqueue(0, drop_oldest), QueueStatus::ok);
  ASSERT_EQ(queue.enqueue(1, drop_oldest), QueueStatus::ok);
  EXPECT_EQ(this->elements_of(take.get().value()), numbers(2));
}

// proves: overflow
TYPED_TEST(OverflowContract, DropOldestBesideALargeBatchDropsNothingThatItHasGathered) {
  auto queue = this->make(2);
  Background take([&] { return queue.dequeue_many(5); });
  ASSERT_TRUE(await_waiting_consumers(queue, 1));
  ASSERT_EQ(queue.enqueue_many({0, 1, 2, 3}).count, 4U);  // the last two fit, so the first two are gathered
  int number = 4;
  await([&] {
    std::optional<int> dropped;
    EXPECT_EQ(queue.enqueue(number++, drop_oldest, dropped), QueueStatus::ok);
    EXPECT_GE(dropped.value_or(2), 2);
    return queue.waiting_consumers() == 0;
  });
  const auto batch = this->elements_of(take.get().value());
  EXPECT_EQ(std::vector(batch.begin(), batch.begin() + 2), numbers(2));
}

// proves: overflow
TYPED_TEST(OverflowContract, DropOldestAfterALargeBatchGaveUpDropsOneElementOnly) {
  auto queue = this->make(2);
  std::stop_source stop;
  Background take([&] { return queue.dequeue_many(50, stop.get_token()).status(); });
  ASSERT_TRUE(await_waiting_consumers(queue, 1));
  ASSERT_EQ(queue.enqueue_many(numbers(9)).count, 9U);
  stop.request_stop();
  ASSERT_EQ(take.get(), QueueStatus::stopped);
  ASSERT_EQ(queue.size(), 9U) << "the batch has returned its elements, which exceed the capacity";

  for (const int number : numbers(4)) {
    std::optional<int> dropped;
    ASSERT_EQ(queue.enqueue(10 + number, drop_oldest, dropped), QueueStatus::ok);
    EXPECT_EQ(dropped, number);
    EXPECT_EQ(queue.size(), 9U);
    EXPECT_TRUE(queue.invariants_hold());
  }
  EXPECT_EQ(this->take_all(queue), (std::vector{4, 5, 6, 7, 8, 10, 11, 12, 13}));
}

TYPED_TEST(OverflowContract, DropOldestIntoAHalfDoneBatchOfAnotherProducerDropsItself) {
  auto queue = this->template make<int>(1);
  Background batch([&] { return queue.enqueue_many(numbers(3)).count; });
  ASSERT_TRUE(await_waiting_producers(queue, 1));
  EXPECT_EQ(queue.enqueue(9, drop_oldest), QueueStatus::full);
  EXPECT_EQ(queue.statistics().dropped, 1U);
  for (const int number : numbers(3)) EXPECT_EQ(queue.dequeue().value(), number);
  EXPECT_EQ(batch.get(), 3U);
}

// proves: overflow
TYPED_TEST(OverflowContract, DropOldestBesideAllOtherCallsLosesNothing) {
  constexpr int each = 2000;
  auto queue = this->make(4);
  std::vector<std::vector<int>> parts(4);  // what each thread got
  const auto drop = [&](std::vector<int>& out, int first) {
    std::optional<int> dropped;
    for (int number = first; number < first + each; ++number) {
      const QueueStatus status = queue.enqueue(number, drop_oldest, dropped);
      if (dropped) out.push_back(*dropped);
      if (status != QueueStatus::ok) out.push_back(number);
    }
  };
  const auto take_batches = [&](std::vector<int>& out, int count) {
    for (const auto& batch : queue.batches(count)) out.insert(out.end(), batch.begin(), batch.end());
  };
  {
    std::jthread one([&] { take_batches(parts[0], 3); });
    std::jthread other([&] { take_batches(parts[1], 10); });
    {
      std::jthread first([&] { drop(parts[2], 0); });
      std::jthread second([&] { drop(parts[3], each); });
      std::jthread waiting([&] {
        for (int number = 2 * each; number < 3 * each; number += 2)
          EXPECT_EQ(queue.enqueue_many({number, number + 1}).count, 2U);
      });
    }
    queue.close();
  }
  std::vector<int> all;
  for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
  std::ranges::sort(all);
  EXPECT_EQ(all, numbers(3 * each));
  const auto statistics = queue.statistics();
  EXPECT_EQ(statistics.dropped, parts[2].size() + parts[3].size());
  EXPECT_EQ(statistics.consumers.elements, parts[0].size() + parts[1].size());
}

// ---- Elements that throw

// proves: overflow
TYPED_TEST(OverflowContract, DropOldestWhoseMoveThrowsLosesNoElementButTheOldest) {
  Ledger ledger;
  auto queue = this->template make<ThrowingMoveOnly>(2);
  for (const int number : numbers(2)) ASSERT_EQ(queue.enqueue(ThrowingMoveOnly(number, ledger)), QueueStatus::ok);
  ThrowingMoveOnly element(2, ledger);
  std::optional<ThrowingMoveOnly> dropped;

  ledger.fail_at(1);  // the move out of the queue
  EXPECT_THROW(static_cast<void>(queue.enqueue(std::move(element), drop_oldest, dropped)), ElementFailure);
  EXPECT_FALSE(dropped.has_value());
  EXPECT_EQ(queue.size(), 2U);

  ledger.fail_at(2);  // the move into the queue
  EXPECT_THROW(static_cast<void>(queue.enqueue(std::move(element), drop_oldest, dropped)), ElementFailure);
  ASSERT_TRUE(dropped.has_value());
  EXPECT_EQ(dropped->number(), 0);
  EXPECT_EQ(queue.size(), 1U);
  EXPECT_TRUE(queue.invariants_hold());
  EXPECT_EQ(queue.dequeue()->number(), 1);
}

TEST(Overflow, RejectsAnElementBeforeItDropsAnother) {
  forebay::PaddingFIFOQueue<std::vector<int>> queue(1, {.pad_value = 0, .shape = {2}});
  ASSERT_EQ(queue.enqueue({1, 2}), QueueStatus::ok);
  std::optional<std::vector<int>> dropped;
  EXPECT_THROW(static_cast<void>(queue.enqueue({1, 2, 3}, drop_oldest, dropped)), std::invalid_argument);
  EXPECT_FALSE(dropped.has_value());
  EXPECT_EQ(queue.dequeue().value(), (std::vector{1, 2}));
}

// ---- Statistics

// proves: overflow
TYPED_TEST(OverflowContract, StatisticsCountDrops) {
  auto queue = this->make(1);
  this->fill(queue, 1);
  ASSERT_EQ(queue.enqueue(1, no_wait), QueueStatus::full);
  EXPECT_EQ(queue.statistics().dropped, 0U) << "the caller keeps the element";
  ASSERT_EQ(queue.enqueue(2, drop_newest), QueueStatus::full);
  ASSERT_EQ(queue.enqueue(3, drop_oldest), QueueStatus::ok);
  ASSERT_EQ(queue.enqueue(4, drop_oldest), QueueStatus::ok);
  ASSERT_TRUE(queue.dequeue());
  const auto statistics = queue.statistics();
  EXPECT_EQ(statistics.dropped, 3U);
  EXPECT_EQ(statistics.producers.elements, 3U);
  EXPECT_EQ(statistics.consumers.elements, 1U);
  EXPECT_EQ(statistics.high_water, 1U);
}

}  // namespace
}  // namespace forebay_test
