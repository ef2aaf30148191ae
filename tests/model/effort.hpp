// SPDX-License-Identifier: MIT
//
// effort.hpp: how much to explore: little under a sanitizer, much at night. expect_right and its variants explore.

#ifndef FOREBAY_TESTS_MODEL_EFFORT_HPP
#define FOREBAY_TESTS_MODEL_EFFORT_HPP

#include <cstddef>
#include <iostream>
#include <string>

#include <gtest/gtest.h>

#include "tests/model/explore.hpp"
#include "tests/support/environment.hpp"
#include "tests/support/iterations.hpp"

namespace forebay_model {

/// Returns FOREBAY_MODEL_EFFORT, or 1.
inline double effort_wanted() {
  static const double factor = forebay_test::factor_from_environment("FOREBAY_MODEL_EFFORT");
  return factor;
}

/// Returns whether there is time for tests that take minutes.
inline bool at_night() { return effort_wanted() >= 10.0; }

/// Returns the number of executions of a scenario, where `executions` is the number for the usual effort.
inline std::size_t effort(std::size_t executions) {
  const double slowness = forebay_test::sanitized ? 50.0 : 1.0;
  return static_cast<std::size_t>(static_cast<double>(executions) * effort_wanted() / slowness) + 1;
}

/// The number of executions in this program so far, for its last line.
inline std::size_t executions_so_far = 0;

inline Report counted(Report report) {
  executions_so_far += report.executions;
  testing::Test::RecordProperty("executions", std::to_string(report.executions));
  EXPECT_FALSE(report.violation) << report;
  return report;
}

/// Explores everything, and fails if it cannot. Under a sanitizer the beginning is enough.
inline void expect_right_in_every_interleaving(const Scenario& scenario, const Model& model = {}) {
  const Report report =
      counted(explore_completely(scenario, model, forebay_test::sanitized ? effort(50'000) : no_limit));
  EXPECT_TRUE(report.complete || report.violation || forebay_test::sanitized) << report;
}

/// Explores everything if that is little, otherwise a part in each of three ways. The random ways spin as the real
/// locks do.
inline void expect_right(const Scenario& scenario, Model model = {}, std::size_t executions = 5'000) {
  const Report report = counted(explore_completely(scenario, model, effort(executions)));
  if (report.complete || report.violation) return;
  model.hints_are_steps = true;
  model.spin_locks_block = false;
  model.spurious_wakeups += 1;
  counted(explore_at_random(scenario, effort(executions), model));
  counted(explore_by_priorities(scenario, effort(executions), model));
}

/// At the end of a program, prints how much was explored, and fails if that is less than `at_least`. Does not fail
/// under a sanitizer, with less than the usual effort, or if only some of the tests ran.
class ExecutionCount : public testing::Environment {
 public:
  explicit ExecutionCount(std::size_t at_least) : at_least_(at_least) {}

  void TearDown() override {
    std::cout << executions_so_far << " schedules explored\n";
    const auto& program = *testing::UnitTest::GetInstance();
    const bool all_were_run = program.test_to_run_count() == program.total_test_count();
    if (forebay_test::sanitized || !all_were_run || effort_wanted() < 1.0) return;
    EXPECT_GE(executions_so_far, at_least_);
  }

 private:
  const std::size_t at_least_;
};

}  // namespace forebay_model

#endif  // FOREBAY_TESTS_MODEL_EFFORT_HPP
