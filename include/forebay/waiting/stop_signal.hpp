// SPDX-License-Identifier: MIT
//
// stop_signal.hpp: a flag that threads can sleep on together with something else.
//
// It does for a coordinator's waits what std::stop_token does where the standard library has it, and can be cleared.

#ifndef FOREBAY_WAITING_STOP_SIGNAL_HPP
#define FOREBAY_WAITING_STOP_SIGNAL_HPP

#include <atomic>

#include "forebay/base/mutex.hpp"
#include "forebay/base/thread_annotations.hpp"
#include "forebay/version.hpp"
#include "forebay/waiting/parker.hpp"

namespace forebay::FOREBAY_ABI::detail {

template <class Sync>
class StopSignal {
 public:
  StopSignal() = default;
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  /// Interrupts `parker` when the stop is requested, at once if it was requested before. Its end waits for an
  /// interruption under way, so that the parker may go away after it.
  class Subscription {
   public:
    Subscription(StopSignal& signal, Parker<Sync>& parker) : signal_(signal), parker_(parker) {
      const Guard guard(signal_.mutex_);
      if (signal_.requested()) parker_.interrupt();
      next_ = signal_.subscriptions_;
      if (next_ != nullptr) next_->previous_ = this;
      signal_.subscriptions_ = this;
    }

    ~Subscription() {
      const Guard guard(signal_.mutex_);
      (previous_ != nullptr ? previous_->next_ : signal_.subscriptions_) = next_;
      if (next_ != nullptr) next_->previous_ = previous_;
    }

    Subscription(const Subscription&) = delete;
    Subscription& operator=(const Subscription&) = delete;

   private:
    friend StopSignal;

    StopSignal& signal_;
    Parker<Sync>& parker_;
    Subscription* previous_ = nullptr;
    Subscription* next_ = nullptr;
  };

  /// What X did before request() is visible to Y after requested() returned true.
  [[nodiscard]] bool requested() const noexcept {
    // Pairs with the release in request(): who sees the stop sees what led to it.
    return requested_.load(std::memory_order_acquire);
  }

  void request() noexcept {
    const Guard guard(mutex_);
    requested_.store(true, std::memory_order_release);
    for (Subscription* each = subscriptions_; each != nullptr; each = each->next_) each->parker_.interrupt();
  }

  /// Takes the request back. Relaxed: that no stop was requested tells nothing about what happened before.
  void clear() noexcept { requested_.store(false, std::memory_order_relaxed); }

 private:
  Mutex<Sync> mutex_;
  typename Sync::template atomic<bool> requested_{false};
  Subscription* subscriptions_ FOREBAY_GUARDED_BY(mutex_) = nullptr;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_WAITING_STOP_SIGNAL_HPP
