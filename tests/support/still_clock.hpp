// SPDX-License-Identifier: MIT
//
// still_clock.hpp: a clock that moves only when a test moves it, for the policies of single-threaded tests.

#ifndef FOREBAY_TESTS_SUPPORT_STILL_CLOCK_HPP
#define FOREBAY_TESTS_SUPPORT_STILL_CLOCK_HPP

#include "tests/support/nanosecond_clock.hpp"

namespace forebay_test {

struct StillClock : NanosecondClock<StillClock> {
  static time_point now() noexcept { return time; }
  inline static time_point time{};
};

}  // namespace forebay_test

#endif  // FOREBAY_TESTS_SUPPORT_STILL_CLOCK_HPP
