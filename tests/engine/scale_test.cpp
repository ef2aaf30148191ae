// SPDX-License-Identifier: MIT
//
// scale_test.cpp: ten thousand threads wait in one queue, and one call releases them all.

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <system_error>
#include <thread>
#include <vector>

#include "forebay/blocking_queue.hpp"
#include "forebay/queue_status.hpp"
#include "tests/support/await.hpp"
#include "tests/support/blocking_operations.hpp"
#include "tests/support/iterations.hpp"
#include "tests/support/queue_factories.hpp"

namespace forebay_test {
namespace {

using forebay::QueueStatus;

/// A sanitizer needs several megabytes for each thread, and ThreadSanitizer supports at most 8,000.
constexpr std::size_t many = sanitized ? 500 : 10'000;

template <class Factory>
class Scale : public testing::Test {
 protected:
  using Queue = typename Factory::template Queue<int>;

  /// Runs `call` in `many` threads; each call has to return `expected`. When `has_all` says that all of them wait,
  /// `let_go` releases them. That takes half a second on an idle machine; the watchdog reports if it does not end.
  template <class Call, class HasAll, class LetGo>
  void expect_all_to_be_let_go(Call call, QueueStatus expected, HasAll has_all, LetGo let_go) {
    std::atomic<std::size_t> returned = 0;
    std::vector<std::jthread> threads;
    try {
      threads.reserve(many);
      while (threads.size() < many) threads.emplace_back([&] { returned += call() == expected ? 1U : 0U; });
    } catch (const std::system_error& error) {
      let_go();
      GTEST_SKIP() << "this machine has room for " << threads.size() << " threads, not for " << many << ": "
                   << error.what();
    }
    const bool all_wait = await(has_all);
    let_go();
    ASSERT_TRUE(all_wait);
    for (std::jthread& thread : threads) thread.join();
    EXPECT_EQ(returned, many);
  }

  Queue queue_ = Factory::template make<int>(1);
  Queue large_queue_ = Factory::template make<int>(many);
};
TYPED_TEST_SUITE(Scale, QueueFactories, NameOfParameter);

// proves: many-waiters
TYPED_TEST(Scale, TenThousandConsumersAreReleasedByOneClose) {
  auto& queue = this->queue_;
  this->expect_all_to_be_let_go([&] { return queue.dequeue().status(); }, QueueStatus::closed,
                                [&] { return queue.waiting_consumers() == many; }, [&] { queue.close(); });
}

// proves: many-waiters
TYPED_TEST(Scale, TenThousandProducersAreReleasedByOneCancel) {
  auto& queue = this->queue_;
  ASSERT_EQ(queue.enqueue(0), QueueStatus::ok);
  this->expect_all_to_be_let_go([&] { return queue.enqueue(1); }, QueueStatus::closed,
                                [&] { return queue.waiting_producers() == many; },
                                [&] { queue.close(forebay::cancel_pending_enqueues); });
}

// proves: many-waiters
TYPED_TEST(Scale, TenThousandConsumersAreServedByOneEnqueueMany) {
  auto& queue = this->large_queue_;
  this->expect_all_to_be_let_go(
      [&] { return queue.dequeue().status(); }, QueueStatus::ok, [&] { return queue.waiting_consumers() == many; },
      [&] {
        EXPECT_EQ(queue.enqueue_many(numbers(static_cast<int>(many))).status, QueueStatus::ok);
        queue.close();
      });
}

// New calls must neither go through the line of waiting ones, nor line up for a lock whose holder has no core.
// proves: many-waiters
TYPED_TEST(Scale, ThousandsOfThreadsPassElementsThroughLittleRoom) {
  auto queue = TypeParam::template make<int>(16);
  constexpr std::size_t each = 20;
  constexpr std::size_t threads = many / 10;
  std::atomic<std::size_t> taken = 0;
  {
    std::vector<std::jthread> together;
    for (std::size_t i = 0; i < threads; ++i) {
      together.emplace_back([&] {
        for (std::size_t n = 0; n < each; ++n) EXPECT_EQ(queue.enqueue(1), QueueStatus::ok);
      });
      together.emplace_back([&] {
        for (std::size_t n = 0; n < each; ++n) taken += queue.dequeue() ? 1U : 0U;
      });
    }
  }
  EXPECT_EQ(taken, threads * each);
}

}  // namespace
}  // namespace forebay_test
