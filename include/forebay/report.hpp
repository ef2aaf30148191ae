// SPDX-License-Identifier: MIT
//
// report.hpp: what follows from the statistics of a pipeline: which stage limits it, and what would help.
//
//   std::cout << report(pipeline_statistics(reader, decoder));   // of two QueueRunners
//
//   decode limits: its 4 threads work 97 % of the time. One more would make it 1.29 times as fast, 10
//   threads 2.50 times. At 2.50 times as fast, the loop would limit.
//
//   stage                    threads            per second  cores  working  starved  blocked
//   read                           1        25120 elements    0.3     31 %      0 %     69 %
//   decode                         4        25120 elements    3.9     97 %      3 %      0 %  limits
//   loop                           1        25120 elements             40 %     60 %      0 %
//
// `cores` is how many cores the threads of a stage use on average, where the system tells it. Threads that work and use
// hardly a core wait in code of the user's: for a device, in which case more threads help, or for a lock.
//
// To look at the last second only: report(now.since(a_second_ago)).
//
// Thread safety: functions of values.

#ifndef FOREBAY_REPORT_HPP
#define FOREBAY_REPORT_HPP

#include <ostream>
#include <string>

#include "forebay/report/metrics.hpp"
#include "forebay/report/table.hpp"
#include "forebay/report/text.hpp"
#include "forebay/report/verdict.hpp"
#include "forebay/statistics.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI {

/// Says in a few sentences what limits: the loop; the last stage before it that hardly waits; the machine; or nothing
/// by itself, when work comes in bursts, or too little may be read ahead. What a change would gain follows from what
/// the other stages could do. It holds while an element costs as much as before. Threads that compute are advised up to
/// the number of usable cores. Threads that mostly wait in code of the user's, as their CPU time shows, may be more.
[[nodiscard]] inline std::string verdict(const PipelineStatistics& statistics) {
  return detail::Verdict(statistics).sentence();
}

/// The stage that limits, or the loop: a member of `statistics`. Null if nobody limits by himself.
[[nodiscard]] inline const StageStatistics* limiting_stage(const PipelineStatistics& statistics) {
  return detail::Verdict(statistics).limiting();
}
const StageStatistics* limiting_stage(PipelineStatistics&&) = delete;  // forebay: the statistics would be gone

/// The verdict, and a table of all stages. Lines have at most 100 columns, unless the name of a stage is longer.
[[nodiscard]] inline std::string report(const PipelineStatistics& statistics) {
  const detail::Verdict verdict(statistics);
  return detail::wrapped(verdict.sentence(), 100) + "\n\n" + detail::table_of(statistics, verdict.limiting());
}

/// Writes all of it in Prometheus' text format, version 0.0.4: counters by `stage`, which is the name, and `place`,
/// which begins with 0 at the source; the loop is the last.
inline void write_metrics(std::ostream& out, const PipelineStatistics& statistics) {
  out << detail::Metrics(statistics).text();
}

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_REPORT_HPP
