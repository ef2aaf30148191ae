// SPDX-License-Identifier: MIT
//
// dice.hpp: random decisions for a thread of a stress test, and the numbers that the thread enqueues.

#ifndef FOREBAY_TESTS_SUPPORT_DICE_HPP
#define FOREBAY_TESTS_SUPPORT_DICE_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "forebay/wait.hpp"

namespace forebay_test {

/// A thread's random number generator and the numbers it enqueues, which differ from those of all other threads.
class Dice {
 public:
  explicit Dice(int thread) : engine_(static_cast<std::uint32_t>(thread) + 1), next_(std::uint64_t(thread) << 32) {}

  /// Returns a number from 1 to `most`.
  std::size_t up_to(std::size_t most) { return std::uniform_int_distribution<std::size_t>(1, most)(engine_); }
  /// Returns a wait of no time, a very short time, or enough time.
  template <class Wait = forebay::Wait>
  Wait any_wait() {
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

}  // namespace forebay_test

#endif  // FOREBAY_TESTS_SUPPORT_DICE_HPP
