// SPDX-License-Identifier: MIT
//
// parker.hpp: where one thread sleeps until another one signals it.
//
// A mutex and a condition variable of its own, on the stack of the thread that sleeps. Both signals are sticky, so one
// that comes before the sleep is not lost, and both are given under the mutex, so the sleeper cannot be gone before
// the signaller has let go. std::atomic::wait, counting semaphores and condition_variable_any have shipped with lost
// wake-ups in released standard libraries; they are not used.

#ifndef FOREBAY_WAITING_PARKER_HPP
#define FOREBAY_WAITING_PARKER_HPP

#include <mutex>
#include <utility>

#include "forebay/version.hpp"
#include "forebay/waiting/deadline.hpp"

namespace forebay::FOREBAY_ABI::detail {

template <class Sync>
class Parker {
 public:
  Parker() = default;
  Parker(const Parker&) = delete;
  Parker& operator=(const Parker&) = delete;

  /// Ends the current park, or the next one: what it waited for is there.
  void signal() noexcept { wake_up(signalled_); }

  /// Ends the current park, or the next one: there is a reason to give up.
  void interrupt() noexcept { wake_up(interrupted_); }

  /// Sleeps until a signal, an interruption or the deadline. True if there was a signal.
  [[gnu::noinline]] bool park(const Deadline<typename Sync::clock>& deadline) {
    Lock lock(mutex_);
    const auto awake = [this] { return signalled_ || interrupted_; };
    if (deadline) {
      changed_.wait_until(lock, *deadline, awake);
    } else {
      changed_.wait(lock, awake);
    }
    interrupted_ = false;
    return std::exchange(signalled_, false);
  }

  /// Sleeps until a signal that is known to come.
  [[gnu::noinline]] void await_signal() {
    Lock lock(mutex_);
    changed_.wait(lock, [this] { return signalled_; });
    signalled_ = false;
  }

 private:
  using Lock = std::unique_lock<typename Sync::mutex>;

  void wake_up(bool& reason) noexcept {
    const Lock lock(mutex_);
    reason = true;
    changed_.notify_one();
  }

  typename Sync::mutex mutex_;
  typename Sync::condition_variable changed_;
  bool signalled_ = false;
  bool interrupted_ = false;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_WAITING_PARKER_HPP
