// SPDX-License-Identifier: MIT
//
// shares.hpp: Shares, how the threads of a stage have divided their time.

#ifndef FOREBAY_REPORT_SHARES_HPP
#define FOREBAY_REPORT_SHARES_HPP

#include <algorithm>
#include <chrono>

#include "forebay/report/text.hpp"
#include "forebay/statistics.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// The shares add up to 1, or are all 0 while unknown.
struct Shares {
  static constexpr double hardly = 0.15;
  static constexpr double busy = 1 - hardly;

  explicit Shares(const StageStatistics& stage) noexcept {
    const double all = total(stage);
    if (!(all > 0)) return;
    working = time_of(stage.working) / all;
    starved = time_of(stage.starved) / all;
    blocked = time_of(stage.blocked) / all;
    without_core = time_of(stage.without_core) / all;
  }

  /// Returns the time of all threads in seconds. The statistics may be made by hand, with any times.
  [[nodiscard]] static double total(const StageStatistics& stage) noexcept {
    return time_of(stage.working) + time_of(stage.starved) + time_of(stage.blocked) + time_of(stage.without_core);
  }

  /// Returns the share of the time in which the threads have something to do.
  [[nodiscard]] double occupied() const noexcept { return working + without_core; }

  /// Neither starved nor blocked.
  [[nodiscard]] bool is_busy() const noexcept { return occupied() >= busy; }

  [[nodiscard]] static double time_of(std::chrono::nanoseconds time) noexcept { return std::max(seconds(time), 0.0); }

  double working = 0;
  double starved = 0;
  double blocked = 0;
  double without_core = 0;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_REPORT_SHARES_HPP
