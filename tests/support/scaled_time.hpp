// SPDX-License-Identifier: MIT
//
// scaled_time.hpp: the durations that tests use. All of them are multiples of FOREBAY_TEST_TIME_SCALE in the
// environment, so a slow machine or a sanitizer needs only one setting.

#ifndef FOREBAY_TESTS_SUPPORT_SCALED_TIME_HPP
#define FOREBAY_TESTS_SUPPORT_SCALED_TIME_HPP

#include <chrono>

#include "tests/support/environment.hpp"

namespace forebay_test {

/// Returns FOREBAY_TEST_TIME_SCALE, or 1.
inline double time_scale() {
  static const double scale = factor_from_environment("FOREBAY_TEST_TIME_SCALE");
  return scale;
}

inline std::chrono::nanoseconds scaled(std::chrono::nanoseconds time) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(time * time_scale());
}

/// A duration that is expected to pass.
inline std::chrono::nanoseconds short_time() { return scaled(std::chrono::milliseconds(10)); }

/// A duration that is never expected to pass.
inline std::chrono::nanoseconds long_time() { return scaled(std::chrono::seconds(30)); }

/// The duration after which the watchdog ends a test.
inline std::chrono::nanoseconds watchdog_time() { return scaled(std::chrono::seconds(60)); }

}  // namespace forebay_test

#endif  // FOREBAY_TESTS_SUPPORT_SCALED_TIME_HPP
