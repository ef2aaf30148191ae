// SPDX-License-Identifier: MIT
//
// iterations.hpp: how often a stress test repeats. Under a sanitizer an iteration costs several times as much.

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

/// Returns `count`, or a quarter of it under a sanitizer.
constexpr int iterations(int count) { return sanitized ? std::max(count / 4, 1) : count; }

}  // namespace forebay_test

#endif  // FOREBAY_TESTS_SUPPORT_ITERATIONS_HPP
