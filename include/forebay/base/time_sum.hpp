// SPDX-License-Identifier: MIT
//
// time_sum.hpp: TimeSum, the total duration of an activity that begins and ends several times and may overlap with
// itself.

#ifndef FOREBAY_BASE_TIME_SUM_HPP
#define FOREBAY_BASE_TIME_SUM_HPP

#include <chrono>
#include <cstdint>

#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Algorithm: subtracts each start, adds each end, and adds the current time once for each unfinished activity when the
/// sum is read.
template <class Clock>
class TimeSum {
 public:
  using Time = typename Clock::time_point;

  void begin(Time now) noexcept {
    ++under_way_;
    sum_ -= ticks(now);
  }
  void end(Time now) noexcept {
    --under_way_;
    sum_ += ticks(now);
  }

  /// Returns the sum up to now. Reads the clock only if an activity has not ended.
  [[nodiscard]] std::chrono::nanoseconds so_far() const noexcept {
    const std::uint64_t sum = under_way_ > 0 ? sum_ + under_way_ * ticks(Clock::now()) : sum_;
    return std::chrono::duration_cast<std::chrono::nanoseconds>(typename Clock::duration(sum));
  }

 private:
  static std::uint64_t ticks(Time time) noexcept {
    return static_cast<std::uint64_t>(time.time_since_epoch().count());
  }

  std::uint64_t under_way_ = 0;
  std::uint64_t sum_ = 0;  // in ticks, minus the starts of unfinished activities: it may wrap
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_BASE_TIME_SUM_HPP
