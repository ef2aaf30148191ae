// SPDX-License-Identifier: MIT
//
// ways_to_run.hpp: the ways to run a map of a pipeline: in the loop's thread, with the loop's help, beside the loop.

#ifndef FOREBAY_TESTS_SUPPORT_WAYS_TO_RUN_HPP
#define FOREBAY_TESTS_SUPPORT_WAYS_TO_RUN_HPP

#include <gtest/gtest.h>

#include <string>

#include "forebay/dataset.hpp"
#include "forebay/dataset_options.hpp"

namespace forebay_test {

inline auto ways_to_run() {
  using forebay::MapOptions;
  return testing::Values(MapOptions{}, MapOptions{.threads = 3}, MapOptions{.threads = 2, .ahead = 1, .chunk = 1},
                         MapOptions{.threads = 3, .loop_helps = false},
                         MapOptions{.threads = 1, .ahead = 1, .loop_helps = false});
}

inline std::string name_of_way(const testing::TestParamInfo<forebay::MapOptions>& instance) {
  return "way" + std::to_string(instance.index);
}

/// The fixture of tests that run in each way: `INSTANTIATE_TEST_SUITE_P(Ways, Suite, ways_to_run(), name_of_way);`
class InEachWay : public testing::TestWithParam<forebay::MapOptions> {
 protected:
  static forebay::MapOptions options() { return GetParam(); }

  /// Maps the numbers 0 to count - 1.
  static forebay::Dataset<int> mapped(int count) {
    return forebay::range(count).map(options(), [](int i) { return i; });
  }
};

}  // namespace forebay_test

#endif  // FOREBAY_TESTS_SUPPORT_WAYS_TO_RUN_HPP
