// SPDX-License-Identifier: MIT
//
// scaled_time.hpp: the times that tests use, all of them multiples of one constant, so that a slow machine or a
// sanitizer needs one setting: FOREBAY_TEST_TIME_SCALE in the environment.

#ifndef FOREBAY_TESTS_SUPPORT_SCALED_TIME_HPP
#define FOREBAY_TESTS_SUPPORT_SCALED_TIME_HPP

#include <chrono>

#include "tests/support/environment.hpp"

namespace forebay_test {

/// FOREBAY_TEST_TIME_SCALE, or 1.
inline double time_scale() {
  static const double scale = factor_from_environment("FOREBAY_TEST_TIME_SCALE");
  return scale;
}

inline std::chrono::nanoseconds scaled(std::chrono::nanoseconds time) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(time * time_scale());
}

/// A time that is expected to pass.
inline std::chrono::nanoseconds short_time() { return scaled(std::chrono::milliseconds(10)); }

/// A time that is never expected to pass.
inline std::chrono::nanoseconds long_time() { return scaled(std::chrono::seconds(30)); }

/// How long one test may run before the watchdog ends it.
inline std::chrono::nanoseconds watchdog_time() { return scaled(std::chrono::seconds(60)); }

}  // namespace forebay_test

#endif  // FOREBAY_TESTS_SUPPORT_SCALED_TIME_HPP
