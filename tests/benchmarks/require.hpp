// SPDX-License-Identifier: MIT

#ifndef FOREBAY_BENCHMARK_REQUIRE_HPP
#define FOREBAY_BENCHMARK_REQUIRE_HPP

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace forebay_benchmark {

// Ends the process immediately if a queue broke its guarantee: other threads may wait forever for a lost element.
inline void require(bool held, std::string_view reason) {
  if (held) return;
  std::fflush(stdout);
  std::fprintf(stderr, "forebay_benchmark: %.*s\n", static_cast<int>(reason.size()), reason.data());
  std::_Exit(EXIT_FAILURE);
}

}  // namespace forebay_benchmark

#endif  // FOREBAY_BENCHMARK_REQUIRE_HPP
