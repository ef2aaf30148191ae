// SPDX-License-Identifier: MIT
//
// ready_outputs.hpp: ReadyOutputs, how many outputs of a stage were ready in the course of time.

#ifndef FOREBAY_HTML_READY_OUTPUTS_HPP
#define FOREBAY_HTML_READY_OUTPUTS_HPP

#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "forebay/trace/trace_record.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

struct ReadyOutputs {
  static constexpr std::size_t intervals = 240;

  std::string stage;
  double begin = 0;  // seconds since the creation of the pipeline
  double end = 0;
  std::array<double, intervals> mean{};  // number of outputs, for equal parts of the time

  [[nodiscard]] double most() const noexcept { return *std::max_element(mean.begin(), mean.end()); }
};

/// Returns the averages of each stage of a trace that has outputs, from the first event of the stage to its last.
class ReadyOutputsOf {
 public:
  explicit ReadyOutputsOf(const TraceRecord& record) : record_(record), moments_(record.stages.size()) {
    for (const TraceEvent& event : record.events) {
      const bool counts = event.kind == TraceKind::ready || event.kind == TraceKind::taken;
      std::vector<Moment>& moments = moments_[event.stage];
      if (counts) moments.push_back({event.begin, moments.size(), event.count});
    }
  }

  [[nodiscard]] std::vector<ReadyOutputs> result() {
    std::vector<ReadyOutputs> stages;
    for (std::size_t i = 0; i < moments_.size(); ++i) {
      std::vector<Moment>& moments = moments_[i];
      std::sort(moments.begin(), moments.end());
      if (moments.empty() || moments.back().time == moments.front().time) continue;
      stages.push_back(averages(record_.stages[i], moments));
    }
    return stages;
  }

 private:
  struct Moment {
    std::int64_t time;
    std::size_t index;    // orders moments of the same time
    std::uint32_t count;  // of outputs, from this time on

    friend auto operator<=>(const Moment&, const Moment&) = default;
  };

  static ReadyOutputs averages(const std::string& stage, const std::vector<Moment>& moments) {
    const auto begin = static_cast<double>(moments.front().time);
    const auto end = static_cast<double>(moments.back().time);
    const double interval = (end - begin) / static_cast<double>(ReadyOutputs::intervals);
    ReadyOutputs made{stage, begin / 1e9, end / 1e9};
    for (std::size_t i = 0; i + 1 < moments.size(); ++i) {
      double from = (static_cast<double>(moments[i].time) - begin) / interval;
      const double to = (static_cast<double>(moments[i + 1].time) - begin) / interval;
      while (from < to) {  // for each interval that the time overlaps
        const std::size_t part = std::min(static_cast<std::size_t>(from), ReadyOutputs::intervals - 1);
        const double until = part + 1 == ReadyOutputs::intervals ? to : std::min(to, static_cast<double>(part + 1));
        made.mean[part] += (until - from) * static_cast<double>(moments[i].count);
        from = until;
      }
    }
    return made;
  }

  const TraceRecord& record_;
  std::vector<std::vector<Moment>> moments_;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_HTML_READY_OUTPUTS_HPP
