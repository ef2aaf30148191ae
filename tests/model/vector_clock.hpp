// SPDX-License-Identifier: MIT
//
// vector_clock.hpp: VectorClock, which determines whether one event happened before another.

#ifndef FOREBAY_TESTS_MODEL_VECTOR_CLOCK_HPP
#define FOREBAY_TESTS_MODEL_VECTOR_CLOCK_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace forebay_model {

/// The most threads of one execution.
inline constexpr std::size_t most_threads = 24;

/// What is known about each thread's past: how many of its releases happened before now.
class VectorClock {
 public:
  [[nodiscard]] std::uint16_t operator[](std::size_t thread) const noexcept { return times_[thread]; }

  void set(std::size_t thread, std::uint16_t time) noexcept { times_[thread] = time; }
  void advance(std::size_t thread) noexcept { ++times_[thread]; }

  /// Returns whether all of this happened before `now`.
  [[nodiscard]] bool happened_before(const VectorClock& now) const noexcept {
    bool known = true;
    for (std::size_t i = 0; i < most_threads; ++i) known &= times_[i] <= now.times_[i];
    return known;
  }

  /// From now on, everything that happened before `other` happened before this, too.
  void join(const VectorClock& other) noexcept {
    for (std::size_t i = 0; i < most_threads; ++i) times_[i] = std::max(times_[i], other.times_[i]);
  }

 private:
  std::array<std::uint16_t, most_threads> times_{};
};

}  // namespace forebay_model

#endif  // FOREBAY_TESTS_MODEL_VECTOR_CLOCK_HPP
