// SPDX-License-Identifier: MIT
//
// nanosecond_clock.hpp: the member types of a clock, for test clocks. A derived clock adds now().

#ifndef FOREBAY_TESTS_SUPPORT_NANOSECOND_CLOCK_HPP
#define FOREBAY_TESTS_SUPPORT_NANOSECOND_CLOCK_HPP

#include <chrono>

namespace forebay_test {

template <class Clock>
struct NanosecondClock {
  using duration = std::chrono::nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<Clock, duration>;
  static constexpr bool is_steady = true;
};

}  // namespace forebay_test

#endif  // FOREBAY_TESTS_SUPPORT_NANOSECOND_CLOCK_HPP
