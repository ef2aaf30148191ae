// SPDX-License-Identifier: MIT
//
// iteration_contract_test.cpp: range-for over a queue and over its batches, for every kind of queue.
//
//   for (element : queue)           RangeFor*
//   for (batch : queue.batches(n))  Batches*

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <stdexcept>
#include <utility>
#include <vector>

#include "forebay/blocking_queue.hpp"
#include "forebay/queue_status.hpp"
#include "tests/support/blocking_operations.hpp"
#include "tests/support/queue_contract.hpp"
#include "tests/support/queue_factories.hpp"
#include "tests/support/scaled_time.hpp"

namespace forebay_test {
namespace {

template <class Factory>
class IterationContract : public QueueContractTest<Factory> {};
TYPED_TEST_SUITE(IterationContract, QueueFactories, NameOfParameter);

TYPED_TEST(IterationContract, RangeForDeliversEverythingAndEnds) {
  auto queue = this->make(8);
  this->fill(queue, 5);
  queue.close();
  std::vector<int> all;
  for (const int element : queue) all.push_back(element);
  this->expect_elements(all, numbers(5));
}

TYPED_TEST(IterationContract, RangeForGivesItsElementsAway) {
  auto queue = this->template make<Pointer>(4);
  ASSERT_EQ(queue.enqueue_many(pointers(3)).status, QueueStatus::ok);
  queue.close();
  std::vector<Pointer> kept;
  for (auto&& element : queue) kept.push_back(std::move(element));
  EXPECT_EQ(kept.size(), 3U);
}

TYPED_TEST(IterationContract, RangeForThrowsTheCauseAfterTheLastElement) {
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

TYPED_TEST(IterationContract, BatchesDeliverAShortLastOne) {
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

TYPED_TEST(IterationContract, BatchesLeaveTheRemainderWhenToldToDropIt) {
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

TYPED_TEST(IterationContract, BatchesThrowTheCauseAfterTheLastOne) {
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

TYPED_TEST(IterationContract, BatchesEndWhenTheirTimeIsOver) {
  auto queue = this->make(8);
  this->fill(queue, 7);
  std::size_t batches = 0;
  for ([[maybe_unused]] const auto& batch : queue.batches(3, short_time())) ++batches;
  EXPECT_EQ(batches, 2U);
  EXPECT_EQ(queue.size(), 1U);
}

TYPED_TEST(IterationContract, BatchesMayBeTakenAway) {
  auto queue = this->template make<Pointer>(8);
  ASSERT_EQ(queue.enqueue_many(pointers(6)).status, QueueStatus::ok);
  queue.close();
  std::vector<std::vector<Pointer>> kept;
  for (auto&& batch : queue.batches(3)) kept.push_back(std::move(batch));
  ASSERT_EQ(kept.size(), 2U);
  EXPECT_EQ(kept[0].size() + kept[1].size(), 6U);
}

TYPED_TEST(IterationContract, BatchesOfNothingAreRejected) {
  auto queue = this->make(8);
  EXPECT_THROW(static_cast<void>(queue.batches(0)), std::invalid_argument);
}

}  // namespace
}  // namespace forebay_test
