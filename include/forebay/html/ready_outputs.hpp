// SPDX-License-Identifier: MIT
//
// ready_outputs.hpp: ReadyOutputs, how many outputs of a stage were ready in the course of time.

#ifndef FOREBAY_HTML_READY_OUTPUTS_HPP
#define FOREBAY_HTML_READY_OUTPUTS_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
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

/// Computes the averages of each stage of a trace that has outputs, over the time from the first of these events to the
/// last.
class ReadyOutputsOf {
 public:
  explicit ReadyOutputsOf(const TraceRecord& record) : record_(record), moments_(record.stages.size()) {
    for (const TraceEvent& event : record.events) {
      if (event.kind != TraceKind::ready && event.kind != TraceKind::taken) continue;
      std::vector<Moment>& moments = moments_[event.stage];
      moments.push_back({event.begin, moments.size(), event.count});
      begin_ = std::min(begin_, event.begin);
      end_ = std::max(end_, event.begin);
    }
  }

  [[nodiscard]] std::vector<ReadyOutputs> result() {
    std::vector<ReadyOutputs> stages;
    if (begin_ >= end_) return stages;
    for (std::size_t i = 0; i < moments_.size(); ++i) {
      std::sort(moments_[i].begin(), moments_[i].end());
      if (!moments_[i].empty()) stages.push_back(averages(record_.stages[i], moments_[i]));
    }
    return stages;
  }

 private:
  struct Moment {
    std::int64_t time;
    std::size_t index;    // orders moments of the same time
    std::uint32_t count;  // of outputs, from this time on

    [[nodiscard]] bool operator<(const Moment& other) const noexcept {
      return time != other.time ? time < other.time : index < other.index;
    }
  };

  [[nodiscard]] ReadyOutputs averages(const std::string& stage, const std::vector<Moment>& moments) const {
    ReadyOutputs made{stage, static_cast<double>(begin_) / 1e9, static_cast<double>(end_) / 1e9};
    for (std::size_t i = 0; i < moments.size(); ++i) {
      double from = position(moments[i].time);
      const double to = i + 1 < moments.size() ? position(moments[i + 1].time) : ReadyOutputs::intervals;
      while (from < to) {  // for each interval that the time overlaps
        const auto part = static_cast<std::size_t>(from);
        const double until = std::min(to, static_cast<double>(part + 1));
        made.mean[part] += (until - from) * static_cast<double>(moments[i].count);
        from = until;
      }
    }
    return made;
  }

  /// Returns the time as a number of intervals.
  [[nodiscard]] double position(std::int64_t time) const {
    constexpr double all = ReadyOutputs::intervals;
    return std::min(static_cast<double>(time - begin_) / static_cast<double>(end_ - begin_) * all, all);
  }

  const TraceRecord& record_;
  std::vector<std::vector<Moment>> moments_;  // of each stage
  std::int64_t begin_ = std::numeric_limits<std::int64_t>::max();
  std::int64_t end_ = std::numeric_limits<std::int64_t>::min();
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_HTML_READY_OUTPUTS_HPP
