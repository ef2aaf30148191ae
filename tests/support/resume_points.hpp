// SPDX-License-Identifier: MIT
//
// resume_points.hpp: resumes a data set after every number of outputs.

#ifndef FOREBAY_TESTS_SUPPORT_RESUME_POINTS_HPP
#define FOREBAY_TESTS_SUPPORT_RESUME_POINTS_HPP

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "forebay/dataset.hpp"
#include "tests/support/pipeline_output.hpp"

namespace forebay_test {

/// Takes `count` outputs of a run, and returns a checkpoint.
template <class T>
std::string checkpoint_after(const forebay::Dataset<T>& data, std::size_t count) {
  auto run = data.run();
  for (std::size_t i = 0; i < count; ++i) EXPECT_TRUE(run.next());
  return run.checkpoint();
}

/// Checks that a run that resumes after any number of outputs returns exactly the remaining ones.
template <class T>
void check_every_resume_point(const forebay::Dataset<T>& data) {
  const std::vector<T> all = outputs_of(data);
  for (std::size_t count = 0; count <= all.size(); ++count) {
    const std::vector<T> rest = drained(data.run(checkpoint_after(data, count)));
    EXPECT_EQ(rest, std::vector<T>(all.begin() + static_cast<std::ptrdiff_t>(count), all.end()))
        << "resumed after " << count << " of " << all.size() << " outputs";
  }
}

}  // namespace forebay_test

#endif  // FOREBAY_TESTS_SUPPORT_RESUME_POINTS_HPP
