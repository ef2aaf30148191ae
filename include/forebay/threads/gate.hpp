// SPDX-License-Identifier: MIT
//
// gate.hpp: where threads wait until all of a group are there, or are sent home because one could not be created.

#ifndef FOREBAY_THREADS_GATE_HPP
#define FOREBAY_THREADS_GATE_HPP

#include <mutex>

#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

template <class Sync>
class Gate {
 public:
  /// Lets everybody pass.
  void open() noexcept { decide(State::open); }

  /// Sends everybody home.
  void dismiss() noexcept { decide(State::dismissed); }

  /// Blocks until it is decided. True if the gate was opened.
  [[nodiscard]] bool pass() {
    Lock lock(mutex_);
    decided_.wait(lock, [this] { return state_ != State::shut; });
    return state_ == State::open;
  }

 private:
  enum class State { shut, open, dismissed };
  using Lock = std::unique_lock<typename Sync::mutex>;

  void decide(State state) noexcept {
    const Lock lock(mutex_);
    state_ = state;
    decided_.notify_all();
  }

  typename Sync::mutex mutex_;
  typename Sync::condition_variable decided_;
  State state_ = State::shut;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_THREADS_GATE_HPP
