// SPDX-License-Identifier: MIT
//
// death_test.hpp: chooses the style of GoogleTest's death tests.

#ifndef FOREBAY_TESTS_SUPPORT_DEATH_TEST_HPP
#define FOREBAY_TESTS_SUPPORT_DEATH_TEST_HPP

#include <gtest/gtest.h>

namespace forebay_test {

/// Call this before EXPECT_DEATH. The statement then runs in a newly started process, because this one has threads.
/// Under an emulator GoogleTest cannot start one, so the process is a fork.
inline void choose_death_test_style() {
#if defined(FOREBAY_TEST_EMULATED)
  testing::FLAGS_gtest_death_test_style = "fast";
#else
  testing::FLAGS_gtest_death_test_style = "threadsafe";
#endif
}

}  // namespace forebay_test

#endif  // FOREBAY_TESTS_SUPPORT_DEATH_TEST_HPP
