// SPDX-License-Identifier: MIT
//
// attending_test.cpp: a half-done batch continues without a wake-up as long as other threads supply it, and still ends
// on a stop. The test runs the other threads in the pauses of the batch. So the batch never parks, and everything is
// deterministic.

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <stop_token>
#include <utility>
#include <vector>

#include "forebay/fifo_queue.hpp"
#include "forebay/queue_status.hpp"
#include "forebay/sync.hpp"
#include "tests/support/blocking_operations.hpp"
#include "tests/support/still_clock.hpp"

namespace forebay_test {
namespace {

using forebay::no_wait;
using namespace std::chrono_literals;

/// StdSync whose pauses run `in_each_pause`. Time passes only when that function says so.
struct PausingSync : forebay::StdSync {
  using clock = StillClock;

  static void pause() noexcept { in_each_pause(); }
  static void yield() noexcept { in_each_pause(); }

  inline static std::function<void()> in_each_pause;
};
using Fifo = forebay::FIFOQueue<int, PausingSync>;

constexpr std::size_t capacity = 2;
constexpr std::size_t stopped_at = 1000;  // pauses
constexpr int all = 100'000;

struct Attending : testing::Test {
  /// Makes each pause run `help`, and one of them request the stop.
  void set_pauses(std::function<void()> help) {
    PausingSync::in_each_pause = [this, help = std::move(help)] {
      help();
      if (++pauses == stopped_at) stop.request_stop();
    };
  }
  void TearDown() override { PausingSync::in_each_pause = nullptr; }

  Fifo queue{capacity};
  std::stop_source stop;
  std::size_t pauses = 0;
};

TEST_F(Attending, EnqueueManyThatGoesOnAndOnIsStopped) {
  std::size_t taken = 0;
  set_pauses([&] {
    if (queue.dequeue(no_wait)) ++taken;
  });
  const auto result = queue.enqueue_many(numbers(all), stop.get_token());
  EXPECT_EQ(result.status, QueueStatus::stopped);
  EXPECT_EQ(result.count, taken + queue.size());
  EXPECT_LE(result.count, stopped_at + capacity);
  EXPECT_TRUE(queue.invariants_hold());
}

TEST_F(Attending, LargeBatchThatGoesOnAndOnIsStopped) {
  int next = 0;
  set_pauses([&] {
    if (queue.enqueue(next, no_wait) == QueueStatus::ok) ++next;
  });
  EXPECT_EQ(queue.dequeue_many(all, stop.get_token()).status(), QueueStatus::stopped);
  EXPECT_EQ(queue.size(), static_cast<std::size_t>(next));
  EXPECT_LE(queue.size(), stopped_at + capacity);
  for (int i = 0; i < next; ++i) ASSERT_EQ(queue.dequeue().value(), i);
}

// proves: batch-deadline
TEST_F(Attending, EnqueueManyThatGoesOnAndOnKeepsItsDeadline) {
  set_pauses([&] {
    PausingSync::clock::time += 1us;
    static_cast<void>(queue.dequeue(no_wait));
  });
  const auto result = queue.enqueue_many(numbers(all), 500us);  // before the stop
  EXPECT_EQ(result.status, QueueStatus::timed_out);
  EXPECT_LE(result.count, 500 + 2 * capacity);
}

// proves: batch-deadline
TEST_F(Attending, LargeBatchThatGoesOnAndOnKeepsItsDeadline) {
  int next = 0;
  set_pauses([&] {
    PausingSync::clock::time += 1us;
    if (queue.enqueue(next, no_wait) == QueueStatus::ok) ++next;
  });
  EXPECT_EQ(queue.dequeue_many(all, 500us).status(), QueueStatus::timed_out);
  EXPECT_EQ(queue.size(), static_cast<std::size_t>(next));
  EXPECT_LE(queue.size(), 500 + 2 * capacity);
}

TEST_F(Attending, GoesOnToTheEndUnlessItIsStopped) {
  std::vector<int> taken;
  set_pauses([&] {
    if (const auto element = queue.dequeue(no_wait)) taken.push_back(*element);
  });
  EXPECT_EQ(queue.enqueue_many(numbers(all)).status, QueueStatus::ok);
  while (const auto element = queue.dequeue(no_wait)) taken.push_back(*element);
  EXPECT_TRUE(taken == numbers(all));
}

}  // namespace
}  // namespace forebay_test
