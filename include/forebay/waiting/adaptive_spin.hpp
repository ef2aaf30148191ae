// SPDX-License-Identifier: MIT
//
// adaptive_spin.hpp: the short wait before a thread parks, because a park and its wake-up cost as much as hundreds of
// operations.
//
// First pauses, then a few yields. How many pauses is learnt from whether they helped the last times. So is how often
// to look between them: a look takes the cell away from the core that is about to write it, so where elements come in
// a stream it pays to let some gather, as long as the other side does not run out of work meanwhile, and where they
// come one by one it pays to look soon. A yield hands the core over in less than a microsecond, or loses a whole time
// slice beside a thread that computes, so yields are timed: after a lost one they are left out for a while, longer
// each time.

#ifndef FOREBAY_WAITING_ADAPTIVE_SPIN_HPP
#define FOREBAY_WAITING_ADAPTIVE_SPIN_HPP

#include <atomic>
#include <chrono>

#include "forebay/base/arithmetic.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// What the threads that wait on one side of a queue have learnt about waiting.
template <class Sync>
class AdaptiveSpin {
  // A guess that several threads refine at once: a lost update costs time, never correctness.
  class Guess {
   public:
    explicit Guess(int first) noexcept : value_(first) {}
    operator int() const noexcept { return value_.load(std::memory_order_relaxed); }
    Guess& operator=(int value) noexcept {
      value_.store(value, std::memory_order_relaxed);
      return *this;
    }

   private:
    typename Sync::template atomic<int> value_;
  };

 public:
  /// One thread's short wait: `while (spin.lasts()) look again`.
  class Spin {
   public:
    [[gnu::noinline]] explicit Spin(AdaptiveSpin& adaptive) noexcept
        : adaptive_(adaptive),
          is_trial_(adaptive.is_time_for_trial()),
          budget_(is_trial_ ? trial_pauses : adaptive.pauses_),
          interval_(adaptive.interval_) {}

    /// Waits until it is time to look again. False when that was long enough.
    [[gnu::noinline]] bool lasts() noexcept {
      if constexpr (!Sync::may_spin) return false;
      if (paused_ < budget_) return pause();
      return yield();
    }

    /// To be told that the last look succeeded, and whether it could as well have come later. The queue may be gone as
    /// soon as its lock is released, so this is called under it.
    [[gnu::noinline]] void succeeded(bool could_be_later) noexcept {
      if (yields_ > 0) {
        if (!lost_slice_) adaptive_.next_left_out_ = first_left_out;
        return;
      }
      const int better = could_be_later ? smaller(4 * interval_, most_interval) : interval_ / 2;
      adaptive_.interval_ = larger(better, least_interval);
      adaptive_.pauses_ = smaller(2 * budget_, most_pauses);
      if (is_trial_) adaptive_.trial_gap_ = least_trial_gap;
    }

   private:
    bool pause() noexcept {
      for (int i = 0; i < interval_; ++i) Sync::pause();
      paused_ += interval_;
      return true;
    }

    [[gnu::noinline]] bool yield() noexcept {
      if (yields_ == 0) {
        pauses_did_not_help();
        if (adaptive_.leaves_yields_out()) return false;
      }
      if (yields_ == most_yields || lost_slice_) return false;
      if (yields_++ == 0) before_ = Sync::clock::now();
      Sync::yield();
      const auto now = Sync::clock::now();
      lost_slice_ = now - before_ > time_slice;
      before_ = now;
      if (lost_slice_) adaptive_.leave_yields_out();
      return true;
    }

    void pauses_did_not_help() noexcept {
      if (is_trial_) {
        adaptive_.trial_gap_ = smaller(2 * adaptive_.trial_gap_, most_trial_gap);
      } else {
        adaptive_.pauses_ = budget_ / 2;
      }
    }

    AdaptiveSpin& adaptive_;
    const bool is_trial_;
    const int budget_;
    const int interval_;
    int paused_ = 0;
    int yields_ = 0;
    bool lost_slice_ = false;
    typename Sync::clock::time_point before_;
  };

 private:
  static constexpr int most_pauses = 512;
  static constexpr int trial_pauses = 3 * most_pauses;  // the other side may be parked, and has to be woken first
  static constexpr int least_trial_gap = 32;
  static constexpr int most_trial_gap = 4096;
  static constexpr int least_interval = 1;
  static constexpr int most_interval = 64;
  static constexpr int most_yields = 15;
  static constexpr int first_left_out = 64;
  static constexpr int most_left_out = 4096;
  static constexpr std::chrono::milliseconds time_slice{2};

  /// Whether to try many pauses again, because that is the only way to find out whether they would help now.
  bool is_time_for_trial() noexcept {
    const int waits = waits_;
    const bool is_time = waits >= trial_gap_;
    waits_ = is_time ? 0 : waits + 1;
    return is_time;
  }

  bool leaves_yields_out() noexcept {
    const int left_out = left_out_;
    if (left_out == 0) return false;
    left_out_ = left_out - 1;
    return true;
  }

  void leave_yields_out() noexcept {
    const int next = next_left_out_;
    left_out_ = next;
    next_left_out_ = smaller(4 * next, most_left_out);
  }

  Guess pauses_{most_pauses};
  Guess waits_{0};                    // since the last trial
  Guess trial_gap_{least_trial_gap};  // so many waits from one trial to the next
  Guess interval_{least_interval};
  Guess left_out_{0};                    // so many waits are still to go without yields
  Guess next_left_out_{first_left_out};  // so many after the next yield that is lost
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_WAITING_ADAPTIVE_SPIN_HPP
