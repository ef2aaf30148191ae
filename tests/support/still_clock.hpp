// SPDX-License-Identifier: MIT
//
// still_clock.hpp: a clock that moves only when a test moves it, for the policies of single-threaded tests, and a
// policy that has it.

#ifndef FOREBAY_TESTS_SUPPORT_STILL_CLOCK_HPP
#define FOREBAY_TESTS_SUPPORT_STILL_CLOCK_HPP

#include "forebay/sync.hpp"
#include "tests/support/nanosecond_clock.hpp"

namespace forebay_test {

struct StillClock : NanosecondClock<StillClock> {
  static time_point now() noexcept { return time; }
  inline static time_point time{};
};

struct StillSync : forebay::StdSync {
  using clock = StillClock;
};

}  // namespace forebay_test

#endif  // FOREBAY_TESTS_SUPPORT_STILL_CLOCK_HPP
