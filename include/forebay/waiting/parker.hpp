// SPDX-License-Identifier: MIT
//
// parker.hpp: Parker, on which one thread sleeps until another one signals it.
//
// It has its own mutex and condition variable, on the stack of the thread that sleeps. Both signals are sticky, so a
// signal before the sleep is not lost. They are given under the mutex, so the sleeper cannot destroy the parker before
// the signalling thread has released it. Released standard libraries had lost wake-ups in std::atomic::wait, counting
// semaphores and condition_variable_any, so these are not used.

#ifndef FOREBAY_WAITING_PARKER_HPP
#define FOREBAY_WAITING_PARKER_HPP

#include <utility>

#include "forebay/base/mutex.hpp"
#include "forebay/base/thread_annotations.hpp"
#include "forebay/version.hpp"
#include "forebay/waiting/deadline.hpp"

namespace forebay::FOREBAY_ABI::detail {

template <class Sync>
class Parker {
 public:
  Parker() = default;
  Parker(const Parker&) = delete;
  Parker& operator=(const Parker&) = delete;

  /// Ends the current park, or the next one, with success.
  void signal() noexcept { wake_up(&Parker::signalled_); }

  /// Ends the current park, or the next one, without success: the thread should give up.
  void interrupt() noexcept { wake_up(&Parker::interrupted_); }

  /// Sleeps until a signal, an interruption or the deadline. Returns true if there was a signal.
  [[gnu::noinline]] bool park(const Deadline<typename Sync::clock>& deadline) {
    const Guard guard(mutex_);
    const auto awake = [this]() FOREBAY_REQUIRES(mutex_) { return signalled_ || interrupted_; };
    mutex_.wait(changed_, awake, deadline);
    interrupted_ = false;
    return std::exchange(signalled_, false);
  }

  /// Sleeps until a signal that is known to come.
  [[gnu::noinline]] void await_signal() {
    const Guard guard(mutex_);
    mutex_.wait(changed_, [this]() FOREBAY_REQUIRES(mutex_) { return signalled_; });
    signalled_ = false;
  }

 private:
  void wake_up(bool Parker::*reason) noexcept {
    const Guard guard(mutex_);
    this->*reason = true;
    changed_.notify_one();
  }

  Mutex<Sync> mutex_;
  typename Sync::condition_variable changed_;
  bool signalled_ FOREBAY_GUARDED_BY(mutex_) = false;
  bool interrupted_ FOREBAY_GUARDED_BY(mutex_) = false;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_WAITING_PARKER_HPP
