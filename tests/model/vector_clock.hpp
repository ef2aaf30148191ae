// SPDX-License-Identifier: MIT
//
// vector_clock.hpp: VectorClock, which tells whether one event happened before another.

#ifndef FOREBAY_TESTS_MODEL_VECTOR_CLOCK_HPP
#define FOREBAY_TESTS_MODEL_VECTOR_CLOCK_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace forebay_model {

/// How many threads one execution may have.
inline constexpr std::size_t most_threads = 24;

/// What is known of each thread's past: how many of its releases happened before now.
class VectorClock {
 public:
  [[nodiscard]] std::uint16_t operator[](std::size_t thread) const noexcept { return times_[thread]; }

  void set(std::size_t thread, std::uint16_t time) noexcept { times_[thread] = time; }
  void advance(std::size_t thread) noexcept { ++times_[thread]; }

  /// Whether a thread with the clock `now` knows of all this.
  [[nodiscard]] bool happened_before(const VectorClock& now) const noexcept {
    bool known = true;
    for (std::size_t i = 0; i < most_threads; ++i) known &= times_[i] <= now.times_[i];
    return known;
  }

  /// From now on, what happened before `other` happened before this.
  void join(const VectorClock& other) noexcept {
    for (std::size_t i = 0; i < most_threads; ++i) times_[i] = std::max(times_[i], other.times_[i]);
  }

 private:
  std::array<std::uint16_t, most_threads> times_{};
};

}  // namespace forebay_model

#endif  // FOREBAY_TESTS_MODEL_VECTOR_CLOCK_HPP
