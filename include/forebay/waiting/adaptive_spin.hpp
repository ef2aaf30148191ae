// SPDX-License-Identifier: MIT
//
// adaptive_spin.hpp: a short spin before a thread parks, because parking and waking cost as much as hundreds of
// operations.
//
// The thread first pauses, then yields a few times. The number of pauses adapts to whether recent pauses helped. So
// does the interval between looks: each look takes the cell's cache line away from the core that is about to write it.
// If elements arrive in a stream, it pays to let some accumulate, as long as the other side does not run out of work;
// if they arrive one by one, it pays to look soon. A yield takes less than a microsecond, or a whole time slice if
// another thread computes on that core. So yields are timed, and after a slow one they are omitted for a while, longer
// each time.

#ifndef FOREBAY_WAITING_ADAPTIVE_SPIN_HPP
#define FOREBAY_WAITING_ADAPTIVE_SPIN_HPP

#include <atomic>
#include <chrono>

#include "forebay/base/arithmetic.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// The shared estimates of the threads that wait on one side of a queue.
template <class Sync>
class AdaptiveSpin {
  // An estimate that several threads refine concurrently: a lost update costs time, never correctness.
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
  /// The spin of one thread: `while (spin.lasts()) look again`.
  class Spin {
   public:
    [[gnu::noinline]] explicit Spin(AdaptiveSpin& adaptive) noexcept
        : adaptive_(adaptive),
          is_trial_(adaptive.is_time_for_trial()),
          budget_(is_trial_ ? trial_pauses : adaptive.pauses_),
          interval_(adaptive.interval_) {}

    /// Waits until it is time to look again. Returns false when the spin is over.
    [[gnu::noinline]] bool lasts() noexcept {
      if constexpr (!Sync::may_spin) return false;
      if (paused_ < budget_) return pause();
      return yield();
    }

    /// Records that the last look succeeded, and whether a later one would have sufficed. Call it under the queue's
    /// lock, because the queue may be destroyed as soon as that is released.
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
  static constexpr int trial_pauses = 3 * most_pauses;  // the other side may be parked and take long to wake
  static constexpr int least_trial_gap = 32;
  static constexpr int most_trial_gap = 4096;
  static constexpr int least_interval = 1;
  static constexpr int most_interval = 64;
  static constexpr int most_yields = 15;
  static constexpr int first_left_out = 64;
  static constexpr int most_left_out = 4096;
  static constexpr std::chrono::milliseconds time_slice{2};

  /// Whether to try many pauses again, to find out whether they help now.
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
  Guess trial_gap_{least_trial_gap};  // the number of waits between trials
  Guess interval_{least_interval};
  Guess left_out_{0};                    // the number of further waits without yields
  Guess next_left_out_{first_left_out};  // the number of them after the next slow yield
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_WAITING_ADAPTIVE_SPIN_HPP
