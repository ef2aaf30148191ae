// SPDX-License-Identifier: MIT
//
// pipeline_statistics.hpp: PipelineStatistics, what all stages have done so far. What follows from it: report.hpp.

#ifndef FOREBAY_PIPELINE_STATISTICS_HPP
#define FOREBAY_PIPELINE_STATISTICS_HPP

#include <chrono>
#include <cstddef>
#include <vector>

#include "forebay/base/reject.hpp"
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
  /// That the whole process has used since then, on all cores.
  std::chrono::nanoseconds processor_time{};
  /// That all programs have used together since then; 0 if the system does not tell.
  std::chrono::nanoseconds machine_time{};
  /// How many cores there are; 0 if nobody knows.
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
    difference.processor_time -= earlier.processor_time;
    difference.machine_time -= earlier.machine_time;
    return difference;
  }

  friend bool operator==(const PipelineStatistics&, const PipelineStatistics&) = default;

 private:
  static void subtract(StageStatistics& stage, const StageStatistics& earlier) {
    stage.elements -= earlier.elements;
    stage.working = after(stage.working, earlier.working);
    stage.starved = after(stage.starved, earlier.starved);
    stage.blocked = after(stage.blocked, earlier.blocked);
  }

  /// What is reckoned as the rest of other times may be a moment less than before.
  static std::chrono::nanoseconds after(std::chrono::nanoseconds time, std::chrono::nanoseconds earlier) noexcept {
    return time > earlier ? time - earlier : std::chrono::nanoseconds(0);
  }
};

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_PIPELINE_STATISTICS_HPP
