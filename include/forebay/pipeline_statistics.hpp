// SPDX-License-Identifier: MIT
//
// pipeline_statistics.hpp: PipelineStatistics, what all stages have done so far. What follows from it: report.hpp.

#ifndef FOREBAY_PIPELINE_STATISTICS_HPP
#define FOREBAY_PIPELINE_STATISTICS_HPP

#include <chrono>
#include <cstddef>
#include <iosfwd>
#include <string>
#include <vector>

#include "forebay/base/reject.hpp"
#include "forebay/base/text.hpp"
#include "forebay/stage_statistics.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI {

/// A value, true when it was taken.
struct PipelineStatistics {
  /// From the source to the last one before the loop.
  std::vector<StageStatistics> stages;
  /// What takes the outputs: it works in its body, and is starved while it waits for an output.
  StageStatistics loop{.name = "loop"};
  /// Since it was started.
  std::chrono::nanoseconds time{};
  /// CPU time that the whole process has used since then, on all cores.
  std::chrono::nanoseconds processor_time{};
  /// CPU time that all programs have used together since then; 0 if the system does not tell, or if this program may
  /// not use all cores.
  std::chrono::nanoseconds machine_time{};
  /// Time since then in which a CPU quota stopped threads of this program's control groups (cgroups), added up over the
  /// cores; 0 if there is no quota.
  std::chrono::nanoseconds throttled_time{};
  /// How many cores this program could use when the pipeline was made, as usable_cores() counts them; 0 if unknown.
  std::size_t cores = 0;

  /// What has been done since `earlier`, which is of the same pipeline. Throws std::invalid_argument if that has
  /// another number of stages.
  [[nodiscard]] PipelineStatistics since(const PipelineStatistics& earlier) const {
    if (stages.size() != earlier.stages.size()) {
      detail::reject({"statistics of ", stages.size(), " stages, compared with those of ", earlier.stages.size()});
    }
    PipelineStatistics difference = *this;
    for (std::size_t i = 0; i < stages.size(); ++i) subtract(difference.stages[i], earlier.stages[i]);
    subtract(difference.loop, earlier.loop);
    difference.time -= earlier.time;
    difference.processor_time = after(processor_time, earlier.processor_time);
    difference.machine_time = after(machine_time, earlier.machine_time);
    difference.throttled_time = after(throttled_time, earlier.throttled_time);
    return difference;
  }

  /// Returns one line: "in 12.500 s, 30.200 s of processor time, 41.000 s of the machine's, 4 cores", and then the text
  /// of each stage and of the loop behind a semicolon each. What the system does not tell is left out. What follows
  /// from it, as sentences and a table: report().
  [[nodiscard]] std::string text() const {
    std::string line =
        "in " + detail::text_of(time) + ", " + detail::text_of(processor_time) + " of processor time" +
        (machine_time.count() > 0 ? ", " + detail::text_of(machine_time) + " of the machine's" : std::string()) +
        (cores > 0 ? ", " + detail::counted(cores, "core") : std::string());
    for (const StageStatistics& stage : stages) line += "; " + stage.text();
    return line + "; " + loop.text();
  }

  friend bool operator==(const PipelineStatistics&, const PipelineStatistics&) = default;
  template <class Traits>
  friend std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out,
                                                      const PipelineStatistics& statistics) {
    return out << statistics.text().c_str();
  }

 private:
  static void subtract(StageStatistics& stage, const StageStatistics& earlier) {
    stage.elements -= earlier.elements;
    stage.working = after(stage.working, earlier.working);
    stage.starved = after(stage.starved, earlier.starved);
    stage.blocked = after(stage.blocked, earlier.blocked);
    if (stage.processor_time) {
      stage.processor_time = after(*stage.processor_time, earlier.processor_time.value_or(std::chrono::nanoseconds()));
    }
  }

  /// What is reckoned as the rest of other times may be a moment less than before.
  static std::chrono::nanoseconds after(std::chrono::nanoseconds time, std::chrono::nanoseconds earlier) noexcept {
    return time > earlier ? time - earlier : std::chrono::nanoseconds(0);
  }
};

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_PIPELINE_STATISTICS_HPP
