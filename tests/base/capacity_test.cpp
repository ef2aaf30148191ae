// SPDX-License-Identifier: MIT
//
// capacity_test.cpp: which capacities a queue can have, and what the others are answered.

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>

#include "forebay/count.hpp"
#include "forebay/fifo_queue.hpp"
#include "forebay/queue_status.hpp"
#include "tests/support/contains.hpp"
#include "tests/support/elements.hpp"
#include "tests/support/thrown.hpp"

namespace forebay_test {
namespace {

using forebay::Capacity;

template <class Integer>
std::string complaint_about(Integer elements) {
  return rejection([elements] { return Capacity(elements); });
}

TEST(Capacity, IsAnyIntegerFromOne) {
  EXPECT_EQ(Capacity(1).elements(), 1U);
  EXPECT_EQ(Capacity(std::size_t{50}).elements(), 50U);
  EXPECT_EQ(Capacity(std::int8_t{127}).elements(), 127U);
  EXPECT_EQ(Capacity(std::numeric_limits<std::int64_t>::max()).elements(),
            std::size_t{std::numeric_limits<std::int64_t>::max()});
  EXPECT_FALSE(Capacity(1).is_unbounded());
}

TEST(Capacity, IsKnownWhileCompiling) {
  static_assert(Capacity(7).elements() == 7);
  static_assert(Capacity(forebay::unbounded).is_unbounded());
}

// proves: impossible-setting
TEST(Capacity, RejectsZero) { EXPECT_TRUE(contains(complaint_about(0), "not 0")); }

// proves: impossible-setting
TEST(Capacity, RejectsNegativeNumbersByTheirOwnName) {
  EXPECT_TRUE(contains(complaint_about(-1), "not -1"));
  constexpr auto least = std::numeric_limits<std::int64_t>::min();
  EXPECT_TRUE(contains(complaint_about(least), std::to_string(least)));
}

TEST(Capacity, UnboundedIsTheLargestNumber) {
  EXPECT_TRUE(Capacity(forebay::unbounded).is_unbounded());
  EXPECT_EQ(Capacity(forebay::unbounded).elements(), std::numeric_limits<std::size_t>::max());
  EXPECT_FALSE(Capacity(std::numeric_limits<std::size_t>::max()).is_unbounded()) << "only `unbounded` is";
}

TEST(Capacity, QueueRejectsWhatIsRejected) {
  EXPECT_THROW(forebay::FIFOQueue<int>(0), std::invalid_argument);
  EXPECT_THROW(forebay::FIFOQueue<int>(-1), std::invalid_argument);
}

// proves: impossible-setting
TEST(Capacity, QueueRejectsMoreThanTheAddressSpaceHolds) {
  constexpr std::size_t too_many = std::numeric_limits<std::size_t>::max() / 2;
  EXPECT_THROW(forebay::FIFOQueue<Large>{too_many}, std::invalid_argument);
  EXPECT_THROW(forebay::FIFOQueue<char>(std::numeric_limits<std::size_t>::max() - 1), std::invalid_argument);
  EXPECT_THROW(forebay::FIFOQueue<char>{std::numeric_limits<std::size_t>::max()}, std::invalid_argument);  // a number
  try {
    const forebay::FIFOQueue<Large> queue(too_many);
  } catch (const std::invalid_argument& error) {
    EXPECT_TRUE(contains(error.what(), std::to_string(too_many)));
  }
}

TEST(Capacity, OneIsEnough) {
  forebay::FIFOQueue<int> queue(1);
  EXPECT_EQ(queue.enqueue(1, forebay::no_wait), forebay::QueueStatus::ok);
  EXPECT_EQ(queue.enqueue(2, forebay::no_wait), forebay::QueueStatus::full);
  EXPECT_EQ(queue.dequeue().value(), 1);
}

}  // namespace
}  // namespace forebay_test
