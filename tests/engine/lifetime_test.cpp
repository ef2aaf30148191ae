// SPDX-License-Identifier: MIT
//
// lifetime_test.cpp: every element is destroyed exactly once, as the ledger of the elements checks. An object that is
// destroyed while a thread waits in it reports that.

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <exception>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include "forebay/fifo_queue.hpp"
#include "forebay/queue_status.hpp"
#include "tests/support/await.hpp"
#include "tests/support/background.hpp"
#include "tests/support/blocking_operations.hpp"
#include "tests/support/death_test.hpp"
#include "tests/support/elements.hpp"
#include "tests/support/iterations.hpp"
#include "tests/support/queue_factories.hpp"
#include "tests/support/scaled_time.hpp"

namespace forebay_test {
namespace {

using forebay::no_wait;

template <class Factory>
class Lifetime : public testing::Test {
 protected:
  static auto make(forebay::Capacity capacity) { return Factory::template make<MoveOnly>(capacity); }

  std::vector<MoveOnly> elements(int count) { return numbered<MoveOnly>(count, 0, ledger_); }

  template <class Queue>
  void fill(Queue& queue, int count) {
    ASSERT_EQ(queue.enqueue_many(elements(count), no_wait).status, QueueStatus::ok);
  }

  Ledger ledger_;
};
TYPED_TEST_SUITE(Lifetime, QueueFactories, NameOfParameter);

template <class Factory>
class AccumulatingLifetime : public Lifetime<Factory> {};
TYPED_TEST_SUITE(AccumulatingLifetime, AccumulatingQueueFactories, NameOfParameter);

TYPED_TEST(Lifetime, QueueThatWasNeverUsedMakesNoElements) {
  { const auto queue = this->make(10); }
  EXPECT_EQ(this->ledger_.destroyed(), 0U);
}

TYPED_TEST(Lifetime, QueueDestroysWhatIsStored) {
  for (int start = 0; start < 5; ++start) {
    auto queue = this->make(4);
    for (int i = 0; i < start; ++i) {
      ASSERT_EQ(queue.enqueue(MoveOnly(i, this->ledger_)), QueueStatus::ok);
      ASSERT_TRUE(queue.dequeue());
    }
    this->fill(queue, 3);
    EXPECT_EQ(this->ledger_.alive(), 3U);
  }
  EXPECT_EQ(this->ledger_.alive(), 0U);
}

TYPED_TEST(Lifetime, ClosedQueueDestroysWhatIsStored) {
  {
    auto queue = this->make(4);
    this->fill(queue, 3);
    queue.close(forebay::cancel_pending_enqueues);
    EXPECT_EQ(this->ledger_.alive(), 3U);
  }
  EXPECT_EQ(this->ledger_.alive(), 0U);
}

TYPED_TEST(AccumulatingLifetime, QueueDestroysWhatWasGivenBack) {
  {
    auto queue = this->make(4);
    this->fill(queue, 4);
    EXPECT_EQ(queue.dequeue_many(9, short_time()).status(), QueueStatus::timed_out);
    EXPECT_TRUE(queue.dequeue());
    EXPECT_EQ(queue.size(), 3U);
  }
  EXPECT_EQ(this->ledger_.alive(), 0U);
}

TYPED_TEST(AccumulatingLifetime, WhatWasGivenBackIsGoneWhenItWasTaken) {
  auto queue = this->make(4);
  this->fill(queue, 4);
  EXPECT_EQ(queue.dequeue_many(9, short_time()).status(), QueueStatus::timed_out);
  EXPECT_TRUE(queue.dequeue_many(4));
  EXPECT_EQ(this->ledger_.alive(), 0U);
}

TYPED_TEST(Lifetime, GrowthKeepsWhatIsStored) {
  {
    auto queue = this->make(forebay::unbounded);
    for (int i = 0; i < 10; ++i) this->fill(queue, 50);
    EXPECT_EQ(this->ledger_.alive(), 500U);
  }
  EXPECT_EQ(this->ledger_.alive(), 0U);
}

TYPED_TEST(Lifetime, QueueKeepsNothingOfWhatWasTaken) {
  auto queue = this->make(4);
  this->fill(queue, 4);
  { const auto batch = queue.dequeue_many(3); }
  EXPECT_EQ(this->ledger_.alive(), 1U);
  { const auto element = queue.dequeue(); }
  EXPECT_EQ(this->ledger_.alive(), 0U);
}

TYPED_TEST(Lifetime, ReusedStorageDestroysItsOldContent) {
  auto queue = this->make(4);
  this->fill(queue, 4);
  std::vector<MoveOnly> batch = this->elements(3);
  EXPECT_EQ(queue.dequeue_many(2, batch), QueueStatus::ok);
  EXPECT_EQ(this->ledger_.alive(), 4U);
}

TYPED_TEST(Lifetime, LoopThatIsLeftKeepsTheRestInTheQueue) {
  auto queue = this->make(4);
  this->fill(queue, 4);
  for ([[maybe_unused]] const auto& element : queue) break;
  EXPECT_EQ(queue.size(), 3U);
  EXPECT_EQ(this->ledger_.alive(), 3U);
}

TYPED_TEST(Lifetime, EnqueueManyThatIsCancelledLeavesEachElementInOnePlace) {
  auto queue = this->make(2);
  auto range = this->elements(5);
  Background put([&] { return queue.enqueue_many(std::move(range)).count; });
  ASSERT_TRUE(await_waiting_producers(queue, 1));
  queue.close(forebay::cancel_pending_enqueues);
  EXPECT_EQ(put.get(), 2U);
  EXPECT_EQ(this->ledger_.alive(), 7U);  // five in the range, two of them moved from, and two in the queue
}

TYPED_TEST(Lifetime, EnqueueTakesOneMoveAndDequeueAnother) {
  auto queue = this->make(2);
  ASSERT_EQ(queue.enqueue(MoveOnly(1, this->ledger_)), QueueStatus::ok);
  EXPECT_EQ(this->ledger_.moved(), 1U);
  const auto element = queue.dequeue();
  EXPECT_EQ(this->ledger_.moved(), 2U);
  EXPECT_EQ(this->ledger_.copied(), 0U);
}

TYPED_TEST(Lifetime, ManyThreadsLoseNoElementAndDestroyNoneTwice) {
  auto queue = this->make(3);
  const int each = iterations(1000);
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 2; ++thread) {
      threads.emplace_back([&] {
        for (int i = 0; i < each; ++i) ASSERT_EQ(queue.enqueue(MoveOnly(i, this->ledger_)), QueueStatus::ok);
      });
      threads.emplace_back([&, thread] {
        std::vector<MoveOnly> batch;
        for (int i = 0; i < each / 2; ++i) {
          if (thread == 0) {
            ASSERT_EQ(queue.dequeue_many(2, batch), QueueStatus::ok);
            continue;
          }
          ASSERT_TRUE(queue.dequeue());
          ASSERT_TRUE(queue.dequeue());
        }
      });
    }
  }
  EXPECT_EQ(queue.size(), 0U);
  EXPECT_EQ(this->ledger_.alive(), 0U);
  EXPECT_EQ(this->ledger_.constructed(), static_cast<std::size_t>(2 * each));
}

TYPED_TEST(Lifetime, QueueReleasesItsCause) {
  auto released = std::make_shared<int>(1);
  const std::weak_ptr<int> watched = released;
  struct Cause : std::runtime_error {
    explicit Cause(std::shared_ptr<int> its) : std::runtime_error("cause"), held(std::move(its)) {}
    std::shared_ptr<int> held;
  };
  {
    auto queue = this->make(1);
    queue.close(std::make_exception_ptr(Cause(std::move(released))));
    EXPECT_FALSE(watched.expired());
  }
  EXPECT_TRUE(watched.expired());
}

#if !defined(NDEBUG) && GTEST_HAS_DEATH_TEST
TEST(LifetimeDeathTest, QueueThatIsDestroyedWhileAThreadWaitsInItSaysSo) {
  if (sanitized) GTEST_SKIP() << "a sanitizer does not like processes that are left this way";
  choose_death_test_style();
  EXPECT_DEATH(
      {
        auto* const queue = new forebay::FIFOQueue<int>(1);
        std::thread([queue] { static_cast<void>(queue->dequeue()); }).detach();
        await_waiting_consumers(*queue, 1);
        delete queue;
      },
      "a queue is destroyed while threads wait in it");
}
#endif

}  // namespace
}  // namespace forebay_test
