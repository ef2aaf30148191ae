// SPDX-License-Identifier: MIT
//
// require.hpp: require(), which reports a violation to the fuzzer.

#ifndef FOREBAY_TESTS_FUZZ_REQUIRE_HPP
#define FOREBAY_TESTS_FUZZ_REQUIRE_HPP

#include <cstdio>
#include <cstdlib>

namespace forebay_fuzz {

/// How many operations of the input have been performed.
inline int steps_done = 0;

/// Ends the program. libFuzzer reports that as a finding.
[[noreturn]] inline void fail(const char* what) noexcept {
  std::fprintf(stderr, "after %d operations: %s\n", steps_done, what);
  std::abort();
}
inline void require(bool holds, const char* otherwise) noexcept {
  if (!holds) fail(otherwise);
}

}  // namespace forebay_fuzz

#endif  // FOREBAY_TESTS_FUZZ_REQUIRE_HPP
