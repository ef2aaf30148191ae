// SPDX-License-Identifier: MIT
//
// iterations.hpp: how often a stress test repeats. Under a sanitizer an iteration costs several times as much, and the
// quick test has little time.

#ifndef FOREBAY_TESTS_SUPPORT_ITERATIONS_HPP
#define FOREBAY_TESTS_SUPPORT_ITERATIONS_HPP

#include <algorithm>

namespace forebay_test {

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
inline constexpr bool sanitized = true;
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif
#else
inline constexpr bool sanitized = false;
#endif

#if defined(FOREBAY_TEST_QUICK)
inline constexpr int divisor = 5;
#else
inline constexpr int divisor = sanitized ? 4 : 1;
#endif

/// Returns `count`, or a part of it under a sanitizer and in the quick test.
constexpr int iterations(int count) { return std::max(count / divisor, 1); }

}  // namespace forebay_test

#endif  // FOREBAY_TESTS_SUPPORT_ITERATIONS_HPP
