// SPDX-License-Identifier: MIT
//
// table.hpp: the statistics of all stages as a table of at most 100 columns.

#ifndef FOREBAY_REPORT_TABLE_HPP
#define FOREBAY_REPORT_TABLE_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "forebay/report/shares.hpp"
#include "forebay/report/text.hpp"
#include "forebay/statistics.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

inline constexpr std::size_t name_columns = 24;
inline constexpr std::size_t short_name_columns = 19;  // if the table has a column for threads without a core

/// Returns the first bytes of a text, without splitting a UTF-8 character.
[[nodiscard]] inline std::string cell_of_name(const std::string& stage, std::size_t columns) {
  std::string name = in_one_line(stage);
  std::size_t end = std::min(name.size(), columns);
  while (end > 0 && end < name.size() && (static_cast<unsigned char>(name[end]) & 0xC0U) == 0x80U) --end;
  name.resize(end);
  return name + std::string(columns - end, ' ');
}

[[nodiscard]] inline std::string right_aligned(const std::string& text, std::size_t columns) {
  return std::string(columns - std::min(columns, text.size()), ' ') + text;
}

// The cells of a stage that the table and the HTML report have in common. `time` is that of the pipeline, in seconds.

[[nodiscard]] inline std::string threads_of(const StageStatistics& stage) {
  return stage.is_serial ? "serial" : std::to_string(stage.threads);
}
[[nodiscard]] inline std::string rate_of(const StageStatistics& stage, double time) {
  return rate_text(time > 0 ? static_cast<double>(stage.elements) / time : 0);
}
[[nodiscard]] inline std::string cores_of(const StageStatistics& stage, double time) {
  return stage.processor_time && time > 0 ? decimal(seconds(*stage.processor_time) / time, 1) : "";
}

[[nodiscard]] inline std::string row_of(const StageStatistics& stage, double time, bool limits, bool has_no_core) {
  const Shares shares(stage);
  const std::string unit = cell_of_name(stage.unit, 8);
  return cell_of_name(stage.name, has_no_core ? short_name_columns : name_columns) +
         right_aligned(threads_of(stage), 8) + right_aligned(rate_of(stage, time) + " " + unit, 22) +
         right_aligned(cores_of(stage, time), 7) + right_aligned(percent(shares.working), 9) +
         (has_no_core ? right_aligned(percent(shares.without_core), 9) : "") +
         right_aligned(percent(shares.starved), 9) + right_aligned(percent(shares.blocked), 9) +
         (limits ? "  limits\n" : "\n");
}

/// Returns whether threads of the stage had no core for so long that a reader should see it.
[[nodiscard]] inline bool shows_no_core(const StageStatistics& stage) {
  constexpr double least = 0.01;
  return Shares(stage).without_core >= least;
}

/// Marks the stage `limiting`, unless it is null. Has a column for threads without a core if there were any.
[[nodiscard]] inline std::string table_of(const PipelineStatistics& statistics, const StageStatistics* limiting) {
  const auto& stages = statistics.stages;
  const bool has_no_core = shows_no_core(statistics.loop) || std::any_of(stages.begin(), stages.end(), shows_no_core);
  std::string table = cell_of_name("stage", has_no_core ? short_name_columns : name_columns) +
                      " threads            per second  cores  working" + (has_no_core ? "  no core" : "") +
                      "  starved  blocked\n";
  const double time = seconds(statistics.time);
  for (const StageStatistics& stage : stages) table += row_of(stage, time, &stage == limiting, has_no_core);
  return table + row_of(statistics.loop, time, &statistics.loop == limiting, has_no_core);
}

/// Returns a list such as "1, 7".
[[nodiscard]] inline std::string listed(const std::vector<std::uint64_t>& counts) {
  std::string list;
  for (const std::uint64_t count : counts) list += (list.empty() ? "" : ", ") + std::to_string(count);
  return list;
}

/// Returns a line such as "decode: 500 of 501 elements; 1 failed, first: decode, epoch 0, number 3: truncated", or
/// "loop: inputs of mix ended 1, 7 times"; an empty text if the stage has left out nothing and no mix has restarted an
/// input. `is_loop` says whether it is the entry of the loop.
[[nodiscard]] inline std::string line_of_left_out(const StageStatistics& stage, bool is_loop) {
  if (stage.failed + stage.left_out == 0 && stage.passes.empty()) return {};
  std::string parts;
  const auto add = [&parts](const std::string& part) { parts += (parts.empty() ? " " : "; ") + part; };
  // Only a map counts what it leaves out in the same unit as its elements: the others are entries of several stages.
  const bool is_map = !is_loop && !stage.is_serial && stage.unit != "inputs";
  if (is_map && stage.elements >= stage.failed) {
    add(std::to_string(stage.elements - stage.failed) + " of " + std::to_string(stage.elements) + " " + stage.unit);
  }
  const std::string first = stage.first_failure.empty() ? "" : ", first: " + in_one_line(stage.first_failure);
  if (stage.failed > 0) add(std::to_string(stage.failed) + " failed" + first);
  if (stage.left_out > 0) add(std::to_string(stage.left_out) + " left out");
  if (!stage.passes.empty()) add("inputs of mix ended " + listed(stage.passes) + " times");
  return wrapped(in_one_line(stage.name) + ":" + parts, 100) + "\n";
}

/// Returns the lines of all stages that have left out something, after an empty line.
[[nodiscard]] inline std::string lines_of_left_out(const PipelineStatistics& statistics) {
  std::string lines;
  for (const StageStatistics& stage : statistics.stages) lines += line_of_left_out(stage, false);
  lines += line_of_left_out(statistics.loop, true);
  return lines.empty() ? lines : "\n" + lines;
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_REPORT_TABLE_HPP
