// SPDX-License-Identifier: MIT
//
// shares.hpp: Shares, how the threads of a stage have spent their time.

#ifndef FOREBAY_REPORT_SHARES_HPP
#define FOREBAY_REPORT_SHARES_HPP

#include "forebay/report/text.hpp"
#include "forebay/statistics.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// They are 1 together, or all 0 while nothing is known.
struct Shares {
  static constexpr double hardly = 0.15;
  static constexpr double busy = 1 - hardly;

  explicit Shares(const StageStatistics& stage) noexcept {
    const double all = seconds(stage.working + stage.starved + stage.blocked);
    if (!(all > 0)) return;
    working = seconds(stage.working) / all;
    starved = seconds(stage.starved) / all;
    blocked = seconds(stage.blocked) / all;
  }

  /// Neither starved nor blocked.
  [[nodiscard]] bool is_busy() const noexcept { return working >= busy; }

  double working = 0;
  double starved = 0;
  double blocked = 0;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_REPORT_SHARES_HPP
