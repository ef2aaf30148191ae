// SPDX-License-Identifier: MIT
//
// tally.hpp: what a stress test needs: threads, the numbers that they pass on, and the count of what went in and out.

#ifndef FOREBAY_TESTS_SUPPORT_TALLY_HPP
#define FOREBAY_TESTS_SUPPORT_TALLY_HPP

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <random>
#include <thread>
#include <vector>

#include "forebay/wait.hpp"

namespace forebay_test {

/// What passed a place, by any thread. Two tallies are equal if and only if, as good as certainly, the same numbers
/// passed.
class Tally {
 public:
  void add(std::uint64_t number) {
    count_ += 1;
    sum_ += number;
    xor_ ^= number * 0x9e3779b97f4a7c15;
  }
  template <class Range>
  void add_all(const Range& numbers_passed, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) add(numbers_passed[i]);
  }
  void add_all(const std::vector<std::uint64_t>& numbers_passed) { add_all(numbers_passed, numbers_passed.size()); }

  [[nodiscard]] std::size_t count() const { return count_; }

  friend void expect_equal(const Tally& a, const Tally& b) {
    EXPECT_EQ(a.count_, b.count_);
    EXPECT_EQ(a.sum_, b.sum_);
    EXPECT_EQ(a.xor_, b.xor_);
  }

 private:
  std::atomic<std::size_t> count_ = 0;
  std::atomic<std::uint64_t> sum_ = 0;
  std::atomic<std::uint64_t> xor_ = 0;
};

/// A number generator of a thread, and the numbers that it puts in: different ones in every thread.
class Dice {
 public:
  explicit Dice(int thread) : engine_(static_cast<std::uint32_t>(thread) + 1), next_(std::uint64_t(thread) << 32) {}

  /// From 1 to `most`.
  std::size_t up_to(std::size_t most) { return std::uniform_int_distribution<std::size_t>(1, most)(engine_); }
  /// No time at all, a very short one, or enough.
  forebay::Wait any_wait() {
    switch (up_to(4)) {
      case 1: return forebay::no_wait;
      case 2: return std::chrono::microseconds(up_to(200));
      case 3: return std::chrono::steady_clock::now() + std::chrono::microseconds(20);
      default: return std::chrono::milliseconds(2);
    }
  }
  std::uint64_t number() { return next_++; }
  std::vector<std::uint64_t> several(std::size_t count) {
    std::vector<std::uint64_t> made(count);
    for (auto& each : made) each = number();
    return made;
  }

 private:
  std::minstd_rand engine_;
  std::uint64_t next_;
};

/// Runs `body(0)` to `body(count - 1)`, each in a thread. Destruction waits for them.
template <class Body>
std::vector<std::jthread> start(int count, Body body) {
  std::vector<std::jthread> threads;
  for (int i = 0; i < count; ++i) threads.emplace_back([body, i] { body(i); });
  return threads;
}

}  // namespace forebay_test

#endif  // FOREBAY_TESTS_SUPPORT_TALLY_HPP
