// SPDX-License-Identifier: MIT
//
// contains.hpp: checks that a text contains another, and prints both if it does not.

#ifndef FOREBAY_TESTS_SUPPORT_CONTAINS_HPP
#define FOREBAY_TESTS_SUPPORT_CONTAINS_HPP

#include <gtest/gtest.h>

#include <string_view>

namespace forebay_test {

/// For use in EXPECT_TRUE and EXPECT_FALSE.
inline testing::AssertionResult contains(std::string_view text, std::string_view part) {
  const bool found = text.find(part) != std::string_view::npos;
  return testing::AssertionResult(found) << '"' << part << (found ? "\" is in \"" : "\" is not in \"") << text << '"';
}

}  // namespace forebay_test

#endif  // FOREBAY_TESTS_SUPPORT_CONTAINS_HPP
