// SPDX-License-Identifier: MIT
//
// parker.hpp: where one thread sleeps until another one signals it.
//
// A mutex and a condition variable of its own, on the stack of the thread that sleeps. Both signals are sticky, so one
// that comes before the sleep is not lost, and both are given under the mutex, so the sleeper cannot be gone before the
// signaller has let go. std::atomic::wait, counting semaphores and condition_variable_any have shipped with lost
// wake-ups in released standard libraries; they are not used.

#ifndef FOREBAY_DETAIL_PARKER_HPP
#define FOREBAY_DETAIL_PARKER_HPP

#include <mutex>

#include "forebay/detail/deadline.hpp"

namespace forebay::detail {

template <class Sync>
class Parker {
 public:
  Parker() = default;
  Parker(const Parker&) = delete;
  Parker& operator=(const Parker&) = delete;

  /// Ends the current park, or the next one.
  void signal() noexcept {
    const Lock lock(mutex_);
    signalled_ = true;
    wake_up_.notify_one();
  }

  /// Ends the current park and every later one.
  void interrupt() noexcept {
    const Lock lock(mutex_);
    interrupted_ = true;
    wake_up_.notify_one();
  }

  /// Sleeps until a signal, an interruption or the deadline. True, and the signal is consumed, if there was one.
  bool park(const Deadline<typename Sync::clock>& deadline) {
    Lock lock(mutex_);
    const auto awake = [this] { return signalled_ || interrupted_; };
    if (deadline) {
      wake_up_.wait_until(lock, *deadline, awake);
    } else {
      wake_up_.wait(lock, awake);
    }
    return consume_signal();
  }

  /// Sleeps until a signal that is known to come.
  void await_signal() {
    Lock lock(mutex_);
    wake_up_.wait(lock, [this] { return signalled_; });
    consume_signal();
  }

 private:
  using Lock = std::unique_lock<typename Sync::mutex>;

  bool consume_signal() noexcept {
    const bool signalled = signalled_;
    signalled_ = false;
    return signalled;
  }

  typename Sync::mutex mutex_;
  typename Sync::condition_variable wake_up_;
  bool signalled_ = false;
  bool interrupted_ = false;
};

}  // namespace forebay::detail

#endif  // FOREBAY_DETAIL_PARKER_HPP
