// SPDX-License-Identifier: MIT
//
// wake_list.hpp: the waiters that were chosen under a queue's locks, and are signalled after these are released.
//
// A chosen waiter waits for its signal before it leaves, so the signal never comes too late, and the queue is not
// touched after the locks are released.
//
// A call that waits in several queues has a waiter in each, and one bell, by which its thread sleeps. The bell is rung
// before the waiter is signalled, so it is still there: the thread waits for the signals of all its waiters that were
// chosen. (One count of signals for all of them would not suffice: a waiter may be chosen again only after the list
// that holds it has released it, and a count does not show which waiter was signalled.)

#ifndef FOREBAY_ENGINE_WAKE_LIST_HPP
#define FOREBAY_ENGINE_WAKE_LIST_HPP

#include "forebay/engine/waiter.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Signals the waiters when it goes out of scope. Declare it before taking the locks.
template <class Sync>
class WakeList {
 public:
  WakeList() = default;
  WakeList(const WakeList&) = delete;
  WakeList& operator=(const WakeList&) = delete;

  [[gnu::noinline]] ~WakeList() {
    for (Waiter<Sync>* waiter = first_; waiter != nullptr;) {
      // A waiter may be destroyed as soon as it is signalled.
      Waiter<Sync>* const next = waiter->next_chosen;
      if (waiter->bell != nullptr) waiter->bell->signal();
      waiter->parker.signal();
      waiter = next;
    }
  }

  /// Requires both locks of the waiter's queue.
  void add(Waiter<Sync>& waiter) noexcept {
    waiter.next_chosen = nullptr;
    (last_ != nullptr ? last_->next_chosen : first_) = &waiter;
    last_ = &waiter;
  }

 private:
  Waiter<Sync>* first_ = nullptr;
  Waiter<Sync>* last_ = nullptr;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_ENGINE_WAKE_LIST_HPP
