// SPDX-License-Identifier: MIT
//
// patience.hpp: the short wait before a thread parks, because a park and its wake-up cost as much as hundreds of
// operations.
//
// First pauses, then a few yields. How many pauses is learnt from whether they helped the last times. So is how often
// to look between them: a look takes the cell away from the core that is about to write it, so where elements come in
// a stream it pays to let some gather, and where they come one by one it pays to look soon. A yield hands the core
// over in less than a microsecond, or loses a whole time slice beside a thread that computes, so yields are timed:
// after a lost one they are left out for a while, longer each time.

#ifndef FOREBAY_DETAIL_PATIENCE_HPP
#define FOREBAY_DETAIL_PATIENCE_HPP

#include <algorithm>
#include <atomic>
#include <chrono>

namespace forebay::detail {

/// What a look at the queue found.
enum class Sight { nothing, just_enough, plenty };

template <class Sync>
class Patience {
 public:
  /// Calls `look` now and then until it does not return nothing, or patience is lost; returns what it returned last.
  template <class Look>
  Sight wait_for(Look look) {
    if constexpr (!Sync::may_spin) return Sight::nothing;
    const Sight sight = pause_for(look);
    return sight != Sight::nothing ? sight : yield_for(look);
  }

 private:
  // What is learnt here is a guess that several threads refine at once: a lost update costs time, never correctness.
  using Guess = typename Sync::template atomic<int>;
  static int read(const Guess& guess) noexcept { return guess.load(std::memory_order_relaxed); }
  static void write(Guess& guess, int value) noexcept { guess.store(value, std::memory_order_relaxed); }

  static constexpr int least_pauses = 16;
  static constexpr int most_pauses = 512;
  static constexpr int trial_pauses =
      3 * most_pauses;  // as long as it takes to wake the other side, if that is parked
  static constexpr int waits_between_trials = 32;
  static constexpr int least_interval = 4;
  static constexpr int most_interval = 64;
  static constexpr int most_yields = 8;
  static constexpr int first_left_out = 64;
  static constexpr int most_left_out = 4096;
  static constexpr std::chrono::milliseconds lost_slice{2};

  template <class Look>
  Sight pause_for(Look& look) {
    const int interval = read(interval_);
    const int budget = next_budget();
    for (int paused = 0; paused < budget; paused += interval) {
      for (int i = 0; i < interval; ++i) Sync::pause();
      const Sight sight = look();
      if (sight == Sight::nothing) continue;
      const int better = sight == Sight::plenty ? std::min(2 * interval, most_interval) : interval / 2;
      write(interval_, std::max(better, least_interval));
      write(pauses_, std::min(2 * budget, most_pauses));
      return sight;
    }
    write(pauses_, std::max(budget / 2, least_pauses));
    return Sight::nothing;
  }

  /// Now and then many pauses, to find out whether they would help again.
  int next_budget() noexcept {
    const int waits = read(waits_);
    write(waits_, waits == waits_between_trials ? 0 : waits + 1);
    return waits == waits_between_trials ? trial_pauses : read(pauses_);
  }

  template <class Look>
  Sight yield_for(Look& look) {
    if (const int left_out = read(left_out_); left_out > 0) {
      write(left_out_, left_out - 1);
      return Sight::nothing;
    }
    auto before = Sync::clock::now();
    for (int yields = 1; yields <= most_yields; yields *= 2) {
      for (int i = 0; i < yields; ++i) Sync::yield();
      const Sight sight = look();
      const auto after = Sync::clock::now();
      if (after - before > lost_slice) {
        leave_yields_out();
        return sight;
      }
      if (sight != Sight::nothing) {
        write(next_left_out_, first_left_out);
        return sight;
      }
      before = after;
    }
    return Sight::nothing;
  }

  void leave_yields_out() noexcept {
    const int next = read(next_left_out_);
    write(left_out_, next);
    write(next_left_out_, std::min(4 * next, most_left_out));
  }

  Guess pauses_{most_pauses};
  Guess waits_{0};
  Guess interval_{least_interval};
  Guess left_out_{0};                    // so many waits are still to go without yields
  Guess next_left_out_{first_left_out};  // so many after the next yield that is lost
};

}  // namespace forebay::detail

#endif  // FOREBAY_DETAIL_PATIENCE_HPP
