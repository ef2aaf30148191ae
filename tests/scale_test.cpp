// SPDX-License-Identifier: MIT
//
// scale_test.cpp: ten thousand threads wait in one queue, and one call lets them all go.

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <system_error>
#include <thread>
#include <vector>

#include "forebay/blocking_queue.hpp"
#include "forebay/queue_status.hpp"
#include "tests/support/await.hpp"
#include "tests/support/iterations.hpp"
#include "tests/support/queue_factories.hpp"

namespace forebay_test {
namespace {

using forebay::QueueStatus;

/// A sanitizer keeps several megabytes for each thread, and ThreadSanitizer has room for 8,000.
constexpr std::size_t many = sanitized ? 500 : 10'000;

template <class Factory>
class Scale : public testing::Test {
 protected:
  using Queue = typename Factory::template Queue<int>;

  /// `many` threads run `call`, of which each has to return `expected`, and `has_all` tells that all of them wait.
  /// Then `let_go` lets them go. That takes half a second where nothing else runs; the watchdog says when it does not
  /// end.
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
};
TYPED_TEST_SUITE(Scale, QueueFactories, NameOfParameter);

TYPED_TEST(Scale, TenThousandConsumersAreReleasedByOneClose) {
  auto& queue = this->queue_;
  this->expect_all_to_be_let_go([&] { return queue.dequeue().status(); }, QueueStatus::closed,
                                [&] { return queue.waiting_consumers() == many; }, [&] { queue.close(); });
}

TYPED_TEST(Scale, TenThousandProducersAreReleasedByOneCancel) {
  auto& queue = this->queue_;
  ASSERT_EQ(queue.enqueue(0), QueueStatus::ok);
  this->expect_all_to_be_let_go([&] { return queue.enqueue(1); }, QueueStatus::closed,
                                [&] { return queue.waiting_producers() == many; },
                                [&] { queue.close(forebay::cancel_pending_enqueues); });
}

}  // namespace
}  // namespace forebay_test
