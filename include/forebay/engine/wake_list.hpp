// SPDX-License-Identifier: MIT
//
// wake_list.hpp: WakeList, the waiters that were chosen under a queue's locks. They are signalled without the locks.
//
// A chosen waiter leaves only after it has received its signal. So a waiter exists until it is signalled, and
// signalling touches no queue.
//
// A call that waits in several queues has a waiter in each, and one more parker, the bell, on which its thread sleeps.
// The bell is signalled before the waiter, so it still exists: the thread waits for the signals of all its chosen
// waiters. (One count of signals for all of them would not suffice: a waiter may be chosen again only after the list
// that holds it has released it, and a count does not show which waiter was signalled.)
//
// A call that waits without a thread receives its signal after all threads, and continues in this one.

#ifndef FOREBAY_ENGINE_WAKE_LIST_HPP
#define FOREBAY_ENGINE_WAKE_LIST_HPP

#include "forebay/engine/waiter.hpp"
#include "forebay/version.hpp"
#include "forebay/waiting/resumption.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Signals the waiters when it goes out of scope. Declare it before taking the locks.
template <class Sync>
class WakeList {
 public:
  WakeList() = default;
  WakeList(const WakeList&) = delete;
  WakeList& operator=(const WakeList&) = delete;

  [[gnu::noinline]] ~WakeList() {
    Waiter<Sync>* suspended = nullptr;
    Waiter<Sync>** end = &suspended;
    for (Waiter<Sync>* waiter = first_; waiter != nullptr;) {
      // A waiter may be destroyed as soon as it is signalled.
      Waiter<Sync>* const next = waiter->next_chosen;
      if (waiter->suspended != nullptr) [[unlikely]] {
        *end = waiter;
        end = &waiter->next_chosen;
      } else {
        if (waiter->bell != nullptr) waiter->bell->signal();
        waiter->parker.signal();
      }
      waiter = next;
    }
    *end = nullptr;
    if (suspended != nullptr) [[unlikely]]
      signal_suspended(suspended);
  }

  /// Requires both locks of the waiter's queue.
  void add(Waiter<Sync>& waiter) noexcept {
    waiter.next_chosen = nullptr;
    (last_ != nullptr ? last_->next_chosen : first_) = &waiter;
    last_ = &waiter;
  }

 private:
  /// Signals the calls from `first` on, which look and continue at the end of the outermost Resumption.
  [[gnu::noinline]] static void signal_suspended(Waiter<Sync>* first) noexcept {
    const Resumption<Sync> resumption;
    for (Waiter<Sync>* waiter = first; waiter != nullptr; waiter = waiter->next_chosen)
      resumption.signal(*waiter->suspended);
  }

  Waiter<Sync>* first_ = nullptr;
  Waiter<Sync>* last_ = nullptr;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_ENGINE_WAKE_LIST_HPP
