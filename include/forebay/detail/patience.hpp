// SPDX-License-Identifier: MIT
//
// patience.hpp: the short wait before a thread parks, because a park and its wake-up cost as much as hundreds of
// operations.
//
// First pauses, as many as helped the last times; then a few yields. A yield hands the core over in less than a
// microsecond, or loses a whole time slice beside a thread that computes, so yields are timed: after a lost one they
// are left out for a while, longer each time.

#ifndef FOREBAY_DETAIL_PATIENCE_HPP
#define FOREBAY_DETAIL_PATIENCE_HPP

#include <algorithm>
#include <atomic>
#include <chrono>

namespace forebay::detail {

template <class Sync>
class Patience {
 public:
  /// Calls `done` now and then until it returns true or patience is lost; returns what it returned last.
  template <class Done>
  bool wait_for(Done done) {
    if constexpr (!Sync::may_spin) return false;
    return pause_for(done) || yield_for(done);
  }

 private:
  // What is learnt here is a guess that several threads refine at once: a lost update costs time, never correctness.
  using Guess = typename Sync::template atomic<int>;
  static int read(const Guess& guess) noexcept { return guess.load(std::memory_order_relaxed); }
  static void write(Guess& guess, int value) noexcept { guess.store(value, std::memory_order_relaxed); }

  static constexpr int least_pauses = 16;
  static constexpr int most_pauses = 512;
  static constexpr int pauses_between_looks = 16;
  static constexpr int most_yields = 8;
  static constexpr int most_yields_left_out = 4096;
  static constexpr std::chrono::milliseconds lost_slice{2};

  template <class Done>
  bool pause_for(Done& done) {
    const int budget = read(pauses_);
    for (int paused = 0; paused < budget; paused += pauses_between_looks) {
      for (int i = 0; i < pauses_between_looks; ++i) Sync::pause();
      if (!done()) continue;
      write(pauses_, std::clamp((3 * budget + 4 * paused) / 4, least_pauses, most_pauses));
      return true;
    }
    write(pauses_, std::max(budget / 2, least_pauses));
    return false;
  }

  template <class Done>
  bool yield_for(Done& done) {
    if (const int left_out = read(yields_left_out_); left_out > 0) {
      write(yields_left_out_, left_out - 1);
      return false;
    }
    auto before = Sync::clock::now();
    for (int yields = 1; yields <= most_yields; yields *= 2) {
      for (int i = 0; i < yields; ++i) Sync::yield();
      const bool is_done = done();
      const auto after = Sync::clock::now();
      if (after - before > lost_slice) {
        leave_yields_out();
        return is_done;
      }
      if (is_done) {
        write(next_left_out_, first_left_out);
        return true;
      }
      before = after;
    }
    return false;
  }

  void leave_yields_out() noexcept {
    const int next = read(next_left_out_);
    write(yields_left_out_, next);
    write(next_left_out_, std::min(4 * next, most_yields_left_out));
  }

  static constexpr int first_left_out = 64;

  Guess pauses_{64};
  Guess yields_left_out_{0};
  Guess next_left_out_{first_left_out};
};

}  // namespace forebay::detail

#endif  // FOREBAY_DETAIL_PATIENCE_HPP
