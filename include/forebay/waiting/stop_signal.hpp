// SPDX-License-Identifier: MIT
//
// stop_signal.hpp: StopSignal, a flag that interrupts sleeping threads and suspended calls.
//
// It stops the waits of a coordinator, as std::stop_token does where the standard library has it. Unlike that, it can
// be cleared.

#ifndef FOREBAY_WAITING_STOP_SIGNAL_HPP
#define FOREBAY_WAITING_STOP_SIGNAL_HPP

#include <atomic>

#include "forebay/base/mutex.hpp"
#include "forebay/base/thread_annotations.hpp"
#include "forebay/version.hpp"
#include "forebay/waiting/resumption.hpp"

namespace forebay::FOREBAY_ABI::detail {

template <class Sync>
class StopSignal {
 public:
  StopSignal() = default;
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  /// Interrupts a Parker or a Resumable when the stop is requested, or at once if it already was. The destructor waits
  /// for an interruption in progress, so that the object may then be destroyed.
  class Subscription {
   public:
    /// Without a signal, it has no effect.
    template <class Waiting>
    Subscription(StopSignal* signal, Waiting& waiting)
        : signal_(signal),
          waiting_(&waiting),
          interrupt_([](void* each) noexcept { static_cast<Waiting*>(each)->interrupt(); }) {
      if (signal_ == nullptr) return;
      const Guard guard(signal_->mutex_);
      if (signal_->requested()) interrupt_(waiting_);
      next_ = signal_->subscriptions_;
      if (next_ != nullptr) next_->previous_ = this;
      signal_->subscriptions_ = this;
    }

    ~Subscription() {
      if (signal_ == nullptr) return;
      const Guard guard(signal_->mutex_);
      (previous_ != nullptr ? previous_->next_ : signal_->subscriptions_) = next_;
      if (next_ != nullptr) next_->previous_ = previous_;
    }

    Subscription(const Subscription&) = delete;
    Subscription& operator=(const Subscription&) = delete;

   private:
    friend StopSignal;

    StopSignal* const signal_;
    void* const waiting_;
    void (*const interrupt_)(void*) noexcept;
    Subscription* previous_ = nullptr;
    Subscription* next_ = nullptr;
  };

  /// Returns whether a stop was requested. Writes before request() are visible after it returned true.
  [[nodiscard]] bool requested() const noexcept {
    // Pairs with the release in request(): a thread that sees the stop sees its cause.
    return requested_.load(std::memory_order_acquire);
  }

  void request() noexcept {
    const Resumption<Sync> resumption;  // resumes coroutines without the mutex
    const Guard guard(mutex_);
    requested_.store(true, std::memory_order_release);
    for (Subscription* each = subscriptions_; each != nullptr; each = each->next_) each->interrupt_(each->waiting_);
  }

  /// Withdraws the request. Relaxed: the absence of a request orders nothing.
  void clear() noexcept { requested_.store(false, std::memory_order_relaxed); }

 private:
  Mutex<Sync> mutex_;
  typename Sync::template atomic<bool> requested_{false};
  Subscription* subscriptions_ FOREBAY_GUARDED_BY(mutex_) = nullptr;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_WAITING_STOP_SIGNAL_HPP
