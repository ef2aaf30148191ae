// SPDX-License-Identifier: MIT

/// @file
/// Defines report(), which says which stage limits a pipeline and what would help, and functions for parts of it.
///
/// @code
/// std::cout << report(pipeline_statistics(reader, decoder));   // of two QueueRunners
/// @endcode
/// @code{.unparsed}
/// decode limits: its 4 threads work 97 % of the time. One more would make it 1.29 times as fast, 10
/// threads 2.50 times. At 2.50 times as fast, the loop would limit.
///
/// stage                    threads            per second  cores  working  starved  blocked
/// read                           1        25120 elements    0.3     31 %      0 %     69 %
/// decode                         4        25120 elements    3.9     97 %      3 %      0 %  limits
/// loop                           1        25120 elements             40 %     60 %      0 %
/// @endcode
///
/// `cores` is the average number of cores that the threads of a stage use, if the system reports it. Threads that work
/// but use little of a core wait inside your code: for a device, in which case more threads help, or for a lock.
///
/// If other threads or programs keep the cores busy, a column `no core` shows in which share of the time the threads of
/// a stage could have worked, but had no core, and the sentence names the machine. Linux reports this time.
///
/// If elements were left out, lines such as "decode: 500 of 501 elements; 1 failed, first: decode, epoch 0, number 3:
/// truncated" and "before decode: 20 left out" follow. Serial stages belong to the next stage with threads, or to the
/// loop.
///
/// When to use: to find out why a pipeline is slow. For the last second only: report(now.since(a_second_ago)).
///
/// Thread safety: any number of threads may call these functions.

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

/// Returns a few sentences that say what limits the pipeline, and what a change would gain.
///
/// The limit is the loop, the last stage upstream of it that hardly waits, or the machine. Nothing limits by itself if
/// work comes in bursts, or if the read-ahead is too small.
///
/// The gain of a change follows from what the other stages could do, if an element costs as much as before. The advice
/// is at most as many computing threads as there are usable cores. It may be more for threads that mostly wait inside
/// your code, as their CPU time shows.
[[nodiscard]] inline std::string verdict(const PipelineStatistics& statistics) {
  return detail::Verdict(statistics).sentence();
}

/// Returns the stage that limits the pipeline, or the loop: a pointer into `statistics`. Returns null if nothing limits
/// by itself.
[[nodiscard]] inline const StageStatistics* limiting_stage(const PipelineStatistics& statistics) {
  return detail::Verdict(statistics).limiting();
}
const StageStatistics* limiting_stage(PipelineStatistics&&) = delete;  // forebay: the statistics would be gone

/// Returns the verdict, a table of all stages, and a line for each entry whose stages have left out elements, with the
/// first failure. Lines have at most 100 columns, unless they contain a longer word.
[[nodiscard]] inline std::string report(const PipelineStatistics& statistics) {
  const detail::Verdict verdict(statistics);
  return detail::wrapped(verdict.sentence(), 100) + "\n\n" + detail::table_of(statistics, verdict.limiting()) +
         detail::lines_of_left_out(statistics);
}

/// Writes the statistics in Prometheus' text format, version 0.0.4.
///
/// The counters have the labels `stage`, the name, and `place`, the index: the source has 0, and the loop comes last.
inline void write_metrics(std::ostream& out, const PipelineStatistics& statistics) {
  out << detail::Metrics(statistics).text();
}

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_REPORT_HPP
