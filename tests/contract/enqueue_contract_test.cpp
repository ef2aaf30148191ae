// SPDX-License-Identifier: MIT
//
// enqueue_contract_test.cpp: the effect of enqueue and enqueue_many on their elements, for every kind of queue.
//
//   What goes in                 EnqueueMany*, Unbounded*
//   A failed enqueue             *LeavesArgumentUntouched, EnqueueManyLeavesRestUntouched*

#include <gtest/gtest.h>

#include <cstddef>
#include <iterator>
#include <list>
#include <memory>
#include <span>
#include <sstream>
#include <stop_token>
#include <string>
#include <utility>
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

/// A single-pass range of unknown length.
struct Words {
  std::istringstream& stream;
  [[nodiscard]] std::istream_iterator<int> begin() const { return std::istream_iterator<int>(stream); }
  [[nodiscard]] static std::istream_iterator<int> end() { return {}; }
};

template <class Factory>
class EnqueueContract : public QueueContractTest<Factory> {};
TYPED_TEST_SUITE(EnqueueContract, QueueFactories, NameOfParameter);

// ---- What goes in

TYPED_TEST(EnqueueContract, EnqueueManyTakesEveryKindOfRange) {
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

TYPED_TEST(EnqueueContract, EnqueueManyCopiesFromRangeThatIsKept) {
  auto queue = this->template make<std::string>(2);
  std::vector<std::string> kept = {"a word that is too long for the string itself"};
  ASSERT_EQ(queue.enqueue_many(kept).status, QueueStatus::ok);
  EXPECT_EQ(queue.dequeue().value(), kept.front());
}

TYPED_TEST(EnqueueContract, EnqueueManyMovesFromContainerThatIsGivenAway) {
  auto queue = this->template make<Pointer>(2);
  EXPECT_EQ(queue.enqueue_many(pointers(2)).count, 2U);
  EXPECT_EQ(queue.dequeue_many(2)->size(), 2U);
}

TYPED_TEST(EnqueueContract, EnqueueManyOfNothingSucceedsEvenWhenFullOrClosed) {
  auto queue = this->make(1);
  this->fill(queue, 1);
  EXPECT_EQ(queue.enqueue_many(std::vector<int>()).status, QueueStatus::ok);
  queue.close();
  const auto result = queue.enqueue_many(std::vector<int>());
  EXPECT_EQ(result.status, QueueStatus::ok);
  EXPECT_EQ(result.count, 0U);
}

TYPED_TEST(EnqueueContract, EnqueueManyLargerThanCapacityDeliversEverything) {
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

// ---- A failed enqueue leaves its arguments untouched

TYPED_TEST(EnqueueContract, EnqueueTurnedDownLeavesArgumentUntouched) {
  auto queue = this->template make<Pointer>(1);
  ASSERT_EQ(queue.enqueue(std::make_unique<int>(1)), QueueStatus::ok);
  Pointer element = std::make_unique<int>(7);
  EXPECT_EQ(queue.enqueue(std::move(element), no_wait), QueueStatus::full);
  ASSERT_NE(element, nullptr);
  EXPECT_EQ(queue.enqueue(std::move(element), short_time()), QueueStatus::timed_out);
  ASSERT_NE(element, nullptr);
  EXPECT_EQ(*element, 7);
}

TYPED_TEST(EnqueueContract, StoppedEnqueueLeavesArgumentUntouched) {
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

TYPED_TEST(EnqueueContract, EnqueueIntoClosedLeavesArgumentUntouched) {
  auto queue = this->template make<Pointer>(1);
  queue.close();
  Pointer element = std::make_unique<int>(7);
  EXPECT_EQ(queue.enqueue(std::move(element)), QueueStatus::closed);
  EXPECT_NE(element, nullptr);
}

// proves: ends-early
TYPED_TEST(EnqueueContract, CancelledEnqueueLeavesArgumentUntouched) {
  auto queue = this->template make<Pointer>(1);
  ASSERT_EQ(queue.enqueue(std::make_unique<int>(1)), QueueStatus::ok);
  Pointer element = std::make_unique<int>(7);
  Background put([&] { return queue.enqueue(std::move(element)); });
  ASSERT_TRUE(await_waiting_producers(queue, 1));
  queue.close(forebay::cancel_pending_enqueues);
  EXPECT_EQ(put.get(), QueueStatus::closed);
  EXPECT_NE(element, nullptr);
}

/// Expects that three of five elements went in, and that the others are untouched.
void expect_rest_untouched(const std::vector<Pointer>& range, std::size_t moved) {
  ASSERT_EQ(moved, 3U);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(range.at(i) != nullptr, i >= moved) << i;
}

TYPED_TEST(EnqueueContract, EnqueueManyLeavesRestUntouchedWhenItMayNotWait) {
  auto queue = this->template make<Pointer>(3);
  std::vector<Pointer> range = pointers(5);
  const auto result = queue.enqueue_many(std::move(range), no_wait);
  EXPECT_EQ(result.status, QueueStatus::full);
  expect_rest_untouched(range, result.count);
}

// proves: ends-early
TYPED_TEST(EnqueueContract, EnqueueManyLeavesRestUntouchedWhenItTimesOut) {
  auto queue = this->template make<Pointer>(3);
  std::vector<Pointer> range = pointers(5);
  const auto result = queue.enqueue_many(std::move(range), short_time());
  EXPECT_EQ(result.status, QueueStatus::timed_out);
  expect_rest_untouched(range, result.count);
}

TYPED_TEST(EnqueueContract, EnqueueManyLeavesRestUntouchedWhenItIsCancelled) {
  auto queue = this->template make<Pointer>(3);
  std::vector<Pointer> range = pointers(5);
  Background put([&] { return queue.enqueue_many(std::move(range)); });
  ASSERT_TRUE(await_waiting_producers(queue, 1));
  queue.close(forebay::cancel_pending_enqueues);
  const auto result = put.get();
  EXPECT_EQ(result.status, QueueStatus::closed);
  expect_rest_untouched(range, result.count);
}

TYPED_TEST(EnqueueContract, UnboundedNeverMakesAnEnqueueWait) {
  auto queue = this->make(forebay::unbounded);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(queue.enqueue(i, no_wait), QueueStatus::ok);
  EXPECT_EQ(queue.size(), 1000U);
  this->expect_elements(this->take_all(queue), numbers(1000));
}

}  // namespace
}  // namespace forebay_test
