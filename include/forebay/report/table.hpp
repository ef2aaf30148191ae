// SPDX-License-Identifier: MIT
//
// table.hpp: the statistics of all stages as a table of at most 100 columns.

#ifndef FOREBAY_REPORT_TABLE_HPP
#define FOREBAY_REPORT_TABLE_HPP

#include <algorithm>
#include <cstddef>
#include <string>

#include "forebay/report/shares.hpp"
#include "forebay/report/text.hpp"
#include "forebay/statistics.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

inline constexpr std::size_t name_columns = 24;

/// The first bytes of it, no character of UTF-8 cut in two.
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

[[nodiscard]] inline std::string row_of(const StageStatistics& stage, double time, bool limits) {
  const Shares shares(stage);
  const double rate = time > 0 ? static_cast<double>(stage.elements) / time : 0;
  const std::string threads = stage.is_serial ? "serial" : std::to_string(stage.threads);
  const std::string unit = cell_of_name(stage.unit, 8);
  const std::string cores = stage.processor_time && time > 0 ? decimal(seconds(*stage.processor_time) / time, 1) : "";
  return cell_of_name(stage.name, name_columns) + right_aligned(threads, 8) +
         right_aligned(decimal(rate, rate < 100 ? 1 : 0) + " " + unit, 22) + right_aligned(cores, 7) +
         right_aligned(percent(shares.working), 9) + right_aligned(percent(shares.starved), 9) +
         right_aligned(percent(shares.blocked), 9) + (limits ? "  limits\n" : "\n");
}

/// `limiting`, one of them, is marked, if it is not null.
[[nodiscard]] inline std::string table_of(const PipelineStatistics& statistics, const StageStatistics* limiting) {
  std::string table =
      cell_of_name("stage", name_columns) + " threads            per second  cores  working  starved  blocked\n";
  for (const StageStatistics& stage : statistics.stages) {
    table += row_of(stage, seconds(statistics.time), &stage == limiting);
  }
  return table + row_of(statistics.loop, seconds(statistics.time), &statistics.loop == limiting);
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_REPORT_TABLE_HPP
