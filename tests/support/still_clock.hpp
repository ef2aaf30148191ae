// SPDX-License-Identifier: MIT
//
// still_clock.hpp: a clock that stands still until somebody moves it, for the policies of tests with one thread.

#ifndef FOREBAY_TESTS_SUPPORT_STILL_CLOCK_HPP
#define FOREBAY_TESTS_SUPPORT_STILL_CLOCK_HPP

#include <chrono>

namespace forebay_test {

struct StillClock {
  using duration = std::chrono::nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<StillClock>;
  static constexpr bool is_steady = true;

  static time_point now() noexcept { return time; }
  inline static time_point time{};
};

}  // namespace forebay_test

#endif  // FOREBAY_TESTS_SUPPORT_STILL_CLOCK_HPP
