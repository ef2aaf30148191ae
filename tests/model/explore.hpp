// SPDX-License-Identifier: MIT
//
// explore.hpp: runs a scenario in many interleavings. A scenario is a function that makes its objects, creates threads
// (ModelSync::thread), joins them, and checks the outcome (check, fail). It must do the same each time: no real time,
// no real threads, no addresses.

#ifndef FOREBAY_TESTS_MODEL_EXPLORE_HPP
#define FOREBAY_TESTS_MODEL_EXPLORE_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "tests/model/depth_first.hpp"
#include "tests/model/scheduler.hpp"

namespace forebay_model {

using Scenario = std::function<void()>;

/// The result of an exploration.
struct Report {
  std::size_t executions = 0;
  std::size_t redundant = 0;  ///< how many were equivalent to earlier ones
  std::size_t steps = 0;
  bool complete = false;  ///< whether nothing is left to explore (within the bound)
  std::optional<Violation> violation;
};

inline constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();

/// Explores every interleaving that makes a difference, until the first violation or the limit of executions.
[[nodiscard]] Report explore_completely(const Scenario& scenario, const Model& model = {},
                                        std::size_t most_executions = no_limit,
                                        Reduction reduction = Reduction::partial_order);

/// Explores every interleaving without preemptions, then with one, and so on. A violation is found with as few as
/// possible.
[[nodiscard]] Report explore_with_preemptions(const Scenario& scenario, std::size_t most_preemptions,
                                              const Model& model = {}, std::size_t most_executions = no_limit);

/// Explores random interleavings.
[[nodiscard]] Report explore_at_random(const Scenario& scenario, std::size_t executions, const Model& model = {},
                                       std::uint64_t seed = 1);

/// Explores interleavings by random priorities (random_strategies.hpp).
[[nodiscard]] Report explore_by_priorities(const Scenario& scenario, std::size_t executions, const Model& model = {},
                                           std::size_t depth = 4, std::uint64_t seed = 1);

/// Runs the interleaving that a schedule string describes. Throws std::invalid_argument if the string is not a
/// schedule.
[[nodiscard]] Report replay(const Scenario& scenario, std::string_view schedule, const Model& model = {});

/// Prints the figures, and the violation with its schedule and its trace.
std::ostream& operator<<(std::ostream& out, const Report& report);

}  // namespace forebay_model

#endif  // FOREBAY_TESTS_MODEL_EXPLORE_HPP
