// SPDX-License-Identifier: MIT
//
// iteration_contract_test.cpp: range-for over a queue and over its batches, for every kind of queue.
//
//   for (element : queue)           RangeFor*
//   for (batch : queue.batches(n))  Batches*
//   queue | std::views::take(n)     View*

#include <gtest/gtest.h>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <iterator>
#include <memory>
#include <ranges>
#include <stdexcept>
#include <utility>
#include <vector>

#include "forebay/blocking_queue.hpp"
#include "forebay/fifo_queue.hpp"
#include "forebay/queue_ref.hpp"
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

// proves: impossible-setting
TYPED_TEST(IterationContract, BatchesOfNothingAreRejected) {
  auto queue = this->make(8);
  EXPECT_THROW(static_cast<void>(queue.batches(0)), std::invalid_argument);
}

// ---- As a standard range: nothing is lost, and nothing is read twice

/// Returns the elements that an iteration delivers.
template <class Range>
std::vector<int> all_of(Range&& range) {
  std::vector<int> all;
  for (const int element : range) all.push_back(element);
  return all;
}

template <class Queue>
constexpr bool is_unsized_input_range = std::ranges::input_range<Queue> && !std::ranges::forward_range<Queue> &&
                                        !std::ranges::sized_range<Queue> && !std::ranges::common_range<Queue>;

/// A user-defined queue.
struct Mailbox : forebay::BlockingQueue<int, forebay::FirstInFirstOut> {
  Mailbox() : BlockingQueue(8) {}
};

// proves: early-loop-exit
TYPED_TEST(IterationContract, RangeForStopsWithoutTakingTheNextElement) {
  auto queue = this->make(8);
  this->fill(queue, 5);
  std::vector<int> all;
  for (const int element : queue) {
    all.push_back(element);
    if (all.size() == 3) break;
  }
  EXPECT_EQ(queue.size(), 2U);
  queue.close();
  for (const int element : queue) all.push_back(element);
  this->expect_elements(all, numbers(5));
}

TYPED_TEST(IterationContract, RangeHasNoSize) {
  using Kind = decltype(this->make(8));
  static_assert(is_unsized_input_range<Kind> && is_unsized_input_range<const forebay::QueueRef<int>>);
  static_assert(is_unsized_input_range<forebay::QueueRef<int>> && is_unsized_input_range<Mailbox>);
  static_assert(!std::ranges::sized_range<const Kind> && !std::ranges::sized_range<Kind&>);
  static_assert(std::ranges::view<typename Kind::Batches> && !std::ranges::sized_range<typename Kind::Batches>);
  static_assert(std::ranges::sized_range<std::vector<int>> && std::ranges::sized_range<int[3]>,
                "others are as before");
}

TYPED_TEST(IterationContract, RangeIteratorCannotBeCopied) {
  using Iterator = decltype(this->make(8).begin());
  using OfBatches = decltype(this->make(8).batches(1).begin());
  static_assert(std::movable<Iterator> && !std::copy_constructible<Iterator>);
  static_assert(std::movable<OfBatches> && !std::copy_constructible<OfBatches>);
  static_assert(!std::constructible_from<std::vector<int>, Iterator, std::default_sentinel_t>);
}

TYPED_TEST(IterationContract, RangeBeginTakesNothing) {
  auto queue = this->make(8);
  this->fill(queue, 2);
  auto iterator = queue.begin();
  EXPECT_EQ(queue.size(), 2U);
  EXPECT_FALSE(iterator == queue.end());
  EXPECT_FALSE(iterator == queue.end());
  const int first = *iterator;
  EXPECT_EQ(*iterator, first);
  EXPECT_EQ(queue.size(), 1U) << "compared and read as often as one likes, one element is taken";
  auto moved = std::move(iterator);
  EXPECT_EQ(*moved, first);
  EXPECT_EQ(queue.size(), 1U);
  ++moved;
  EXPECT_EQ(queue.size(), 1U);
  ++moved;
  EXPECT_EQ(queue.size(), 0U) << "an element that is passed over without a look is taken, too";
}

TYPED_TEST(IterationContract, RangeIteratorIsReplaced) {
  auto queue = this->make(8);
  this->fill(queue, 3);
  queue.close();
  auto iterator = queue.begin();
  auto other = queue.begin();
  std::vector<int> all{*iterator, *other};
  iterator = std::move(other);
  EXPECT_EQ(*iterator, all.back());
  ++iterator;
  all.push_back(*iterator);
  this->expect_elements(all, numbers(3));
}

TYPED_TEST(IterationContract, RangeElementBehindTheEndIsAnException) {
  auto queue = this->make(8);
  queue.close();
  EXPECT_THROW(static_cast<void>(*queue.begin()), forebay::OutOfRangeError);
  auto batches = queue.batches(2);
  EXPECT_THROW(static_cast<void>(*batches.begin()), forebay::OutOfRangeError);
}

TYPED_TEST(IterationContract, RangeIsCopiedOnce) {
  auto queue = this->make(8);
  this->fill(queue, 5);
  queue.close();
  std::vector<int> all;
  std::ranges::copy(queue, std::back_inserter(all));
  this->expect_elements(all, numbers(5));
  EXPECT_EQ(queue.size(), 0U);
}

// proves: early-loop-exit
TYPED_TEST(IterationContract, RangeCopiedByCountLeavesTheRest) {
  auto queue = this->make(8);
  this->fill(queue, 5);
  queue.close();
  std::vector<int> all;
  std::ranges::copy_n(queue.begin(), 3, std::back_inserter(all));
  EXPECT_EQ(queue.size(), 2U);
  std::ranges::copy(queue.begin(), queue.end(), std::back_inserter(all));
  this->expect_elements(all, numbers(5));
}

TYPED_TEST(IterationContract, RangeGoesIntoAnotherQueue) {
  auto queue = this->make(8);
  this->fill(queue, 5);
  queue.close();
  forebay::FIFOQueue<int> out(8);
  const auto moved = out.enqueue_many(queue);
  EXPECT_EQ(moved.status, QueueStatus::ok);
  EXPECT_EQ(moved.count, 5U);
  EXPECT_EQ(queue.size(), 0U);
  this->expect_elements(out.dequeue_many(5).value(), numbers(5));
  EXPECT_EQ(out.size(), 0U);
}

TYPED_TEST(IterationContract, RangeOfAnOpenQueueWaitsForTheNextElement) {
  auto queue = this->make(8);
  Background loop([&] { return all_of(queue); });
  await_waiting_consumers(queue, 1);
  this->fill(queue, 3);
  queue.close();
  this->expect_elements(loop.get(), numbers(3));
}

TYPED_TEST(IterationContract, RangeOfWhatCanOnlyBeMovedAndIsNotAssignable) {
  struct Constant {
    explicit Constant(int i) : number(std::make_unique<int>(i)) {}
    std::unique_ptr<int> number;
    const int unassignable = 0;
    bool operator<(const Constant& other) const { return *number < *other.number; }
  };
  auto queue = this->template make<Constant>(4);
  static_assert(is_unsized_input_range<decltype(queue)>);
  ASSERT_EQ(queue.enqueue(Constant(7)), QueueStatus::ok);
  queue.close();
  auto iterator = queue.begin();
  iterator = queue.begin();
  EXPECT_EQ(*(*iterator).number, 7);
}

// proves: early-loop-exit
TYPED_TEST(IterationContract, BatchesStopWithoutTakingTheNextOne) {
  auto queue = this->make(8);
  this->fill(queue, 7);
  queue.close();
  auto batches = queue.batches(2);
  std::vector<int> all;
  for (const auto& batch : batches) {
    std::ranges::copy(batch, std::back_inserter(all));
    if (all.size() == 4) break;
  }
  EXPECT_EQ(queue.size(), 3U);
  EXPECT_FALSE(batches.begin() == batches.end());
  EXPECT_EQ(queue.size(), 1U);
  for (const auto& batch : batches) std::ranges::copy(batch, std::back_inserter(all));
  this->expect_elements(all, numbers(7));
}

TYPED_TEST(IterationContract, BatchesThatEndedInTimeGoOn) {
  auto queue = this->make(8);
  auto batches = queue.batches(2, forebay::no_wait);
  EXPECT_TRUE(batches.begin() == batches.end());
  this->fill(queue, 3);
  std::size_t count = 0;
  for (const auto& batch : batches) count += batch.size();
  EXPECT_EQ(count, 2U);
  EXPECT_EQ(queue.size(), 1U);
}

#if !defined(__clang__) || __clang_major__ >= 16  // earlier versions cannot compile the views of libstdc++

TYPED_TEST(IterationContract, ViewTakesAsManyAsItIsToldTo) {
  auto queue = this->make(8);
  this->fill(queue, 5);
  EXPECT_TRUE(all_of(queue | std::views::take(0)).empty());
  EXPECT_EQ(queue.size(), 5U);
  std::vector<int> all = all_of(queue | std::views::take(3));
  EXPECT_EQ(all.size(), 3U);
  EXPECT_EQ(queue.size(), 2U) << "no fourth one";
  all.push_back(queue.dequeue().value());
  queue.close();
  std::ranges::copy(queue | std::views::take(8), std::back_inserter(all));
  this->expect_elements(all, numbers(5));
}

TYPED_TEST(IterationContract, ViewOfACountTakesThatMany) {
  auto queue = this->make(8);
  this->fill(queue, 5);
  std::vector<int> all = all_of(std::views::counted(queue.begin(), 2));
  EXPECT_EQ(all.size(), 2U);
  EXPECT_EQ(queue.size(), 3U);
}

TYPED_TEST(IterationContract, ViewDropsAndTakes) {
  auto queue = this->make(8);
  this->fill(queue, 6);
  EXPECT_EQ(all_of(queue | std::views::drop(2) | std::views::take(2)).size(), 2U);
  EXPECT_EQ(queue.size(), 2U);
}

TYPED_TEST(IterationContract, ViewTransformsEachOnce) {
  auto queue = this->make(8);
  this->fill(queue, 5);
  int calls = 0;
  const auto twice = [&](int element) {
    ++calls;
    return 2 * element;
  };
  std::vector<int> all = all_of(queue | std::views::transform(twice) | std::views::take(3));
  EXPECT_EQ(calls, 3);
  EXPECT_EQ(queue.size(), 2U);
  queue.close();
  std::ranges::copy(queue | std::views::transform(twice), std::back_inserter(all));
  for (int& element : all) element /= 2;
  this->expect_elements(all, numbers(5));
}

TYPED_TEST(IterationContract, ViewFiltersEverything) {
  auto queue = this->make(8);
  this->fill(queue, 7);
  queue.close();
  std::vector<int> seen;
  const auto is_odd = [&](int element) {
    seen.push_back(element);
    return element % 2 != 0;
  };
  EXPECT_EQ(all_of(queue | std::views::filter(is_odd)).size(), 3U);
  this->expect_elements(seen, numbers(7));
}

TYPED_TEST(IterationContract, ViewFiltersWhatATakeBeforeItLeaves) {
  auto queue = this->make(8);
  this->fill(queue, 7);
  const auto all = all_of(queue | std::views::take(4) | std::views::filter([](int) { return true; }));
  EXPECT_EQ(all.size(), 4U);
  EXPECT_EQ(queue.size(), 3U);
}

TYPED_TEST(IterationContract, ViewGoesIntoAnotherQueue) {
  auto queue = this->make(8);
  this->fill(queue, 6);
  queue.close();
  forebay::FIFOQueue<int> out(8);
  EXPECT_EQ(out.enqueue_many(queue | std::views::take(2)).count, 2U);
  EXPECT_EQ(queue.size(), 4U);
  EXPECT_EQ(out.enqueue_many(queue | std::views::filter([](int) { return true; })).count, 4U);
  this->expect_elements(out.dequeue_many(6).value(), numbers(6));
}

TYPED_TEST(IterationContract, ViewOfAQueueRefTakesAsManyAsItIsToldTo) {
  auto queue = this->make(8);
  this->fill(queue, 5);
  const forebay::QueueRef<int> ref = queue;
  std::vector<int> all = all_of(ref | std::views::take(3));
  EXPECT_EQ(queue.size(), 2U);
  forebay::FIFOQueue<int> out(8);
  queue.close();
  EXPECT_EQ(out.enqueue_many(ref).count, 2U);
  std::ranges::copy(out.dequeue_many(2).value(), std::back_inserter(all));
  this->expect_elements(all, numbers(5));
}

TYPED_TEST(IterationContract, ViewOfBatchesTakesAsManyAsItIsToldTo) {
  auto queue = this->make(8);
  this->fill(queue, 7);
  std::size_t count = 0;
  for (const auto& batch : queue.batches(2) | std::views::take(2)) count += batch.size();
  EXPECT_EQ(count, 4U);
  EXPECT_EQ(queue.size(), 3U);
}

#endif

}  // namespace
}  // namespace forebay_test
