// SPDX-License-Identifier: MIT

#include "tests/model/explore.hpp"

#include <csignal>
#include <cstdio>
#include <ostream>
#include <utility>

#include "tests/model/random_strategies.hpp"
#include "tests/model/schedule_string.hpp"

namespace forebay_model {
namespace {

/// Reports to the scheduler that the code under test aborts, as a failed assertion does.
class AbortTeller {
 public:
  explicit AbortTeller(const Scheduler& scheduler) : before_(std::signal(SIGABRT, tell)) { watched = &scheduler; }
  ~AbortTeller() { std::signal(SIGABRT, before_); }
  AbortTeller(const AbortTeller&) = delete;
  AbortTeller& operator=(const AbortTeller&) = delete;

 private:
  static void tell(int /*signal*/) {
    std::fprintf(stderr, "aborted in the schedule: %s\n", to_string(watched->schedule()).c_str());
  }

  static inline const Scheduler* watched = nullptr;
  void (*before_)(int);
};

void explore(const Scenario& scenario, const Model& model, Strategy& strategy, std::size_t most_executions,
             Report& report) {
  Scheduler scheduler(model);
  const AbortTeller teller(scheduler);
  while (report.executions < most_executions) {
    report.violation = scheduler.run(scenario, strategy);
    ++report.executions;
    report.steps += scheduler.schedule().size();
    if (report.violation) {
      Replay again(report.violation->schedule);
      if (auto traced = scheduler.run(scenario, again, true)) report.violation = std::move(traced);
      return;
    }
    if (!strategy.next(scheduler.schedule().size(), scheduler.last_footprint())) {
      report.complete = true;
      return;
    }
  }
}

}  // namespace

Report explore_completely(const Scenario& scenario, const Model& model, std::size_t most_executions,
                          Reduction reduction) {
  Report report;
  DepthFirst strategy(reduction);
  explore(scenario, model, strategy, most_executions, report);
  report.redundant = strategy.redundant();
  return report;
}

Report explore_with_preemptions(const Scenario& scenario, std::size_t most_preemptions, const Model& model,
                                std::size_t most_executions) {
  Report report;
  for (std::size_t bound = 0; bound <= most_preemptions; ++bound) {
    DepthFirst strategy = DepthFirst::with_preemptions(bound);
    report.complete = false;
    explore(scenario, model, strategy, most_executions, report);
    if (report.violation || !report.complete) break;
  }
  return report;
}

Report explore_at_random(const Scenario& scenario, std::size_t executions, const Model& model, std::uint64_t seed) {
  Report report;
  RandomWalk strategy(seed);
  explore(scenario, model, strategy, executions, report);
  return report;
}

Report explore_by_priorities(const Scenario& scenario, std::size_t executions, const Model& model, std::size_t depth,
                             std::uint64_t seed) {
  Report report;
  RandomPriorities strategy(seed, depth);
  explore(scenario, model, strategy, executions, report);
  return report;
}

Report replay(const Scenario& scenario, std::string_view schedule, const Model& model) {
  Report report;
  Replay strategy(schedule_from(schedule));
  explore(scenario, model, strategy, 1, report);
  return report;
}

std::ostream& operator<<(std::ostream& out, const Report& report) {
  out << report.executions << " executions (" << report.redundant << " redundant), " << report.steps << " steps, "
      << (report.complete ? "complete" : "not complete");
  if (!report.violation) return out;
  return out << "\nviolation: " << report.violation->what << "\nschedule: " << to_string(report.violation->schedule)
             << "\ntrace:\n"
             << report.violation->trace;
}

}  // namespace forebay_model
