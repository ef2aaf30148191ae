// SPDX-License-Identifier: MIT

/// @file
/// Defines write_html_report(), which writes the report on a pipeline as a page for a browser.
///
/// @code
/// auto batches = images.traced().run();
/// for (auto& batch : batches) train(batch);
/// std::ofstream file("report.html");
/// forebay::write_html_report(batches, file);
/// @endcode
///
/// The page shows the verdict; the stages as a diagram, with how the threads of each have spent their time; the figures
/// of report(); and, if the data set is traced(), how many outputs of each parallel stage were ready over time. It is
/// one file that needs no network, and follows the browser's light or dark mode.
///
/// No other header includes this one, so programs that do not include it pay nothing.
///
/// When to use: to keep or send the report of a run. In a terminal, use report(); for every event, use
/// Pipeline::write_trace().
///
/// Thread safety: any number of threads may call these functions, each with its own stream.

#ifndef FOREBAY_HTML_REPORT_HPP
#define FOREBAY_HTML_REPORT_HPP

#include <ostream>

#include "forebay/html/html_page.hpp"
#include "forebay/html/ready_outputs.hpp"
#include "forebay/pipeline.hpp"
#include "forebay/statistics.hpp"
#include "forebay/trace/trace_record.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI {

/// Writes the report on `pipeline` since its start. May be called at any time, also while it runs.
///
/// The charts have the last 100,000 events of the trace, up to a moment after the figures. The page has about 5 kB, 1
/// kB for each map, and 3 kB for each chart. Throws what the stream throws; check a stream without exceptions
/// afterwards.
template <class T>
void write_html_report(const Pipeline<T>& pipeline, std::ostream& out) {
  const PipelineStatistics statistics = pipeline.statistics();
  const detail::TraceRecord trace = pipeline.loop_.trace_record().value_or(detail::TraceRecord());
  detail::HtmlPage(statistics, detail::ReadyOutputsOf(trace).result()).write_to(out);
}

/// Writes the report on `statistics`, such as those of the last minute (PipelineStatistics::since) or of queue runners.
inline void write_html_report(const PipelineStatistics& statistics, std::ostream& out) {
  detail::HtmlPage(statistics, {}).write_to(out);
}

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_HTML_REPORT_HPP
