// SPDX-License-Identifier: MIT
//
// snapshot_pace.hpp: SnapshotPace, which limits how often a pipeline takes snapshots.

#ifndef FOREBAY_CHECKPOINT_SNAPSHOT_PACE_HPP
#define FOREBAY_CHECKPOINT_SNAPSHOT_PACE_HPP

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "forebay/base/arithmetic.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Limits snapshots to 1/400 of the time, so that several parallel stages together stay below 1 %. Begins with a
/// snapshot at every opportunity. Reads the clock only when a snapshot is taken, and every few hundred opportunities.
/// The clock is an object whose now() returns the nanoseconds of a steady clock, such as a PullWait.
class SnapshotPace {
  using Duration = std::chrono::nanoseconds;

 public:
  /// Counts an opportunity for a snapshot. Returns whether one is due.
  template <class Clock>
  [[nodiscard]] bool is_due(const Clock& clock) noexcept {
    if (--left_ > 0) return false;
    left_ = interval_;
    return interval_ < most || clock.now() - end_ >= share * cost_;
  }

  /// Makes a snapshot due at the next opportunity.
  void hurry() noexcept {
    left_ = 1;
    cost_ = {};
  }

  /// Takes a snapshot by calling `save()`, and schedules the next one.
  template <class Clock, class Save>
  void take(const Clock& clock, const Save& save) {
    const Duration begin = clock.now();
    save();
    const Duration end = clock.now();
    cost_ = std::min<Duration>(end - begin, growth * (cost_ + std::chrono::microseconds(1)));
    const Duration wanted = share * cost_;
    const Duration passed = begin - end_;
    if (wanted <= passed / 2) {
      interval_ = larger<std::uint64_t>(interval_ / 2, 1);
    } else if (wanted > passed) {
      interval_ = smaller<std::uint64_t>(interval_ * 2, most);
    }
    left_ = interval_;
    end_ = end;
  }

 private:
  static constexpr int share = 400;
  static constexpr int growth = 4;  // the limit of the cost, because the thread may have been interrupted
  static constexpr std::uint64_t most = 256;

  std::uint64_t interval_ = 1;  // opportunities before the next snapshot, or the next look at the clock
  std::uint64_t left_ = 1;
  Duration end_{};   // of the last snapshot
  Duration cost_{};  // of a snapshot
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_CHECKPOINT_SNAPSHOT_PACE_HPP
