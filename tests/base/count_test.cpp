// SPDX-License-Identifier: MIT
//
// count_test.cpp: which types are counts, and that every function of a queue rejects a negative count.

#include "forebay/count.hpp"

#include <gtest/gtest.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "forebay/blocking_queue.hpp"
#include "forebay/fifo_queue.hpp"
#include "forebay/priority_queue.hpp"
#include "forebay/queue_ref.hpp"
#include "forebay/random_shuffle_queue.hpp"
#include "forebay/wait.hpp"
#include "tests/support/thrown.hpp"

namespace forebay_test {
namespace {

using forebay::Count;
using forebay::no_wait;

TEST(Count, IsAnyIntegerFromZero) {
  EXPECT_EQ(Count(0), 0U);
  EXPECT_EQ(Count(std::int8_t{127}), 127U);
  EXPECT_EQ(Count(std::numeric_limits<std::size_t>::max()), std::numeric_limits<std::size_t>::max());
}

TEST(Count, IsWhatAnEnumeratorOrAConstantStandsFor) {
  enum { batch_size = 32 };
  EXPECT_EQ(Count(batch_size), 32U);
  EXPECT_EQ(Count(std::integral_constant<int, 32>()), 32U);
  EXPECT_EQ(Count(forebay::unbounded), std::numeric_limits<std::size_t>::max());
}

TEST(Count, IsNoFractionAndNoPointer) {
  static_assert(!std::convertible_to<double, Count>);
  static_assert(!std::convertible_to<const char*, Count>);
  static_assert(!std::default_initializable<Count>);
}

TEST(Count, IsKnownWhileCompiling) { static_assert(Count(7) == 7U); }

// proves: impossible-setting
TEST(Count, RejectsNegativeNumbersByTheirOwnName) {
  EXPECT_EQ(rejection([] { return std::size_t{Count(-1)}; }), "forebay: a count must be at least 0, not -1");
  constexpr auto least = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(rejection([] { return std::size_t{Count(least)}; }),
            "forebay: a count must be at least 0, not " + std::to_string(least));
}

// proves: impossible-setting
TEST(Count, RejectsByTheNameOfTheParameterAndTheLeastThatItMayBe) {
  EXPECT_EQ(Count(1).at_least(1, "threads"), 1U);
  EXPECT_EQ(rejection([] { return Count(0).at_least(1, "threads"); }), "forebay: threads must be at least 1, not 0");
  EXPECT_EQ(rejection([] { return Count(-1).at_least(0, "steps"); }), "forebay: steps must be at least 0, not -1");
}

TEST(Count, RejectsMoreThanAStdSizeTCanBe) {
  constexpr auto most = std::numeric_limits<unsigned long long>::max();
  if (most == std::numeric_limits<std::size_t>::max()) GTEST_SKIP() << "there is no such number";
  EXPECT_EQ(rejection([] { return Count(most).at_least(0, "threads"); }),
            "forebay: threads must be at most " + std::to_string(std::numeric_limits<std::size_t>::max()) + ", not " +
                std::to_string(most));
}

/// Expects that each member of a queue or of a QueueRef that takes a count rejects -1 by its name. Uses `no_wait`
/// because a member that does not reject it would wait forever.
template <class Queue>
void expect_that_each_member_rejects_a_negative_count(Queue& queue) {
  const auto expected = [](const std::string& member, int least) {
    return "forebay: " + member + ": count must be at least " + std::to_string(least) + ", not -1";
  };
  const int minus_one = -1;
  std::vector<int> batch;
  const std::string many = expected("dequeue_many", 0);
  EXPECT_EQ(rejection([&] { return queue.dequeue_many(minus_one, no_wait); }), many);
  EXPECT_EQ(rejection([&] { return queue.dequeue_many(minus_one, batch, no_wait); }), many);
  const std::string up_to = expected("dequeue_up_to", 0);
  EXPECT_EQ(rejection([&] { return queue.dequeue_up_to(minus_one, no_wait); }), up_to);
  EXPECT_EQ(rejection([&] { return queue.dequeue_up_to(minus_one, batch, no_wait); }), up_to);
  const std::string available = expected("dequeue_available", 0);
  EXPECT_EQ(rejection([&] { return queue.dequeue_available(minus_one, no_wait); }), available);
  EXPECT_EQ(rejection([&] { return queue.dequeue_available(minus_one, batch, no_wait); }), available);
  const std::string batches = expected("batches", 1);
  EXPECT_EQ(rejection([&] { return queue.batches(minus_one); }), batches);
  EXPECT_EQ(rejection([&] { return queue.batches(minus_one, forebay::Remainder::drop); }), batches);
}

// proves: impossible-setting
TEST(NegativeCount, IsRejectedByEachMemberOfAQueue) {
  forebay::FIFOQueue<int> fifo(2);
  expect_that_each_member_rejects_a_negative_count(fifo);
  forebay::PriorityQueue<int> smallest_first(2);
  expect_that_each_member_rejects_a_negative_count(smallest_first);
}

// proves: impossible-setting
TEST(NegativeCount, IsRejectedByEachMemberOfAQueueRef) {
  forebay::FIFOQueue<int> fifo(2);
  const forebay::QueueRef<int> queue(fifo);
  expect_that_each_member_rejects_a_negative_count(queue);
}

// proves: impossible-setting
TEST(NegativeCount, OfElementsThatHaveToStayIsRejected) {
  EXPECT_EQ(rejection([minus_one = -1] {
              forebay::RandomShuffleQueue<int> queue({.capacity = 10, .min_after_dequeue = minus_one});
              return queue.size();
            }),
            "forebay: min_after_dequeue must be at least 0, not -1");
}

// proves: impossible-setting
TEST(NegativeCount, OfElementsToDrawAmongIsRejected) {
  EXPECT_EQ(rejection([minus_one = -1] {
              forebay::RandomShuffleQueue<int> queue({.capacity = 10, .window = minus_one});
              return queue.size();
            }),
            "forebay: window must be at least 1, not -1");
}

}  // namespace
}  // namespace forebay_test
