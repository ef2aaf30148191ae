// SPDX-License-Identifier: MIT
//
// gate.hpp: Gate, at which the threads of a group wait until all of them exist, or are dismissed because one could not
// be created.

#ifndef FOREBAY_THREADS_GATE_HPP
#define FOREBAY_THREADS_GATE_HPP

#include "forebay/base/mutex.hpp"
#include "forebay/base/thread_annotations.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

template <class Sync>
class Gate {
 public:
  /// Opens the gate: all threads continue.
  void open() noexcept { decide(State::open); }

  /// Dismisses all threads.
  void dismiss() noexcept { decide(State::dismissed); }

  /// Blocks until one of these calls. Returns true if the gate was opened.
  [[nodiscard]] bool pass() {
    const Guard guard(mutex_);
    mutex_.wait(decided_, [this]() FOREBAY_REQUIRES(mutex_) { return state_ != State::shut; });
    return state_ == State::open;
  }

 private:
  enum class State { shut, open, dismissed };

  void decide(State state) noexcept {
    const Guard guard(mutex_);
    state_ = state;
    decided_.notify_all();
  }

  Mutex<Sync> mutex_;
  typename Sync::condition_variable decided_;
  State state_ FOREBAY_GUARDED_BY(mutex_) = State::shut;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_THREADS_GATE_HPP
