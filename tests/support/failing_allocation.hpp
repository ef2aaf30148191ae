// SPDX-License-Identifier: MIT
//
// failing_allocation.hpp: runs a pipeline with one failing allocation. It replaces operator new, as counted_memory.hpp
// does.

#ifndef FOREBAY_TESTS_SUPPORT_FAILING_ALLOCATION_HPP
#define FOREBAY_TESTS_SUPPORT_FAILING_ALLOCATION_HPP

#include <cstddef>
#include <exception>
#include <vector>

#include "forebay/dataset.hpp"
#include "tests/support/counted_memory.hpp"

namespace forebay_test {

struct Outcome {
  std::vector<int> outputs;
  bool failed = false;
};

/// Runs `data` with the n-th allocation failing, or with none failing if n is 0. `take(pipeline, outputs)` takes all
/// outputs. A failed run does not fail the test.
template <class Take>
Outcome run_with_failure_at(std::size_t n, const forebay::Dataset<int>& data, Take take) {
  Outcome outcome;
  outcome.outputs.reserve(1000);
  until_failure = n;
  {
    const Count count;
    try {
      forebay::Pipeline<int> pipeline(data);
      take(pipeline, outcome.outputs);
    } catch (const std::exception&) {
      outcome.failed = true;
    }
  }
  until_failure = 0;
  return outcome;
}

inline void take_by_loop(forebay::Pipeline<int>& pipeline, std::vector<int>& outputs) {
  for (const int output : pipeline) outputs.push_back(output);
}

}  // namespace forebay_test

#endif  // FOREBAY_TESTS_SUPPORT_FAILING_ALLOCATION_HPP
