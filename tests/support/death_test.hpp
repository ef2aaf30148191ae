// SPDX-License-Identifier: MIT
//
// death_test.hpp: the style of GoogleTest's death tests.

#ifndef FOREBAY_TESTS_SUPPORT_DEATH_TEST_HPP
#define FOREBAY_TESTS_SUPPORT_DEATH_TEST_HPP

#include <gtest/gtest.h>

namespace forebay_test {

/// To be called before EXPECT_DEATH. Its statement runs in a process of its own, and in one that was started afresh,
/// because this one has threads. An emulator would have to be started for that, which GoogleTest cannot do: there the
/// process is a mere copy.
inline void choose_death_test_style() {
#if defined(FOREBAY_TEST_EMULATED)
  testing::FLAGS_gtest_death_test_style = "fast";
#else
  testing::FLAGS_gtest_death_test_style = "threadsafe";
#endif
}

}  // namespace forebay_test

#endif  // FOREBAY_TESTS_SUPPORT_DEATH_TEST_HPP
