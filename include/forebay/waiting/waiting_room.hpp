// SPDX-License-Identifier: MIT
//
// waiting_room.hpp: the line of threads that have waited for a lock too long, oldest first.

#ifndef FOREBAY_WAITING_WAITING_ROOM_HPP
#define FOREBAY_WAITING_WAITING_ROOM_HPP

#include "forebay/base/mutex.hpp"
#include "forebay/base/thread_annotations.hpp"
#include "forebay/version.hpp"
#include "forebay/waiting/parker.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// The waiting room of one lock. It is a separate object, because the cache line of the lock is contended.
template <class Sync>
class WaitingRoom {
 public:
  /// The place of one thread in the line. All threads but the first one sleep.
  class Place {
   public:
    explicit Place(WaitingRoom& room) noexcept : room_(room) {
      if (!line_up()) parker_.await_signal();
    }
    ~Place() {
      const Guard guard(room_.mutex_);
      room_.first_ = next_;
      if (next_ != nullptr) next_->parker_.signal();
    }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;

   private:
    /// Returns whether this place is the first one.
    bool line_up() noexcept {
      const Guard guard(room_.mutex_);
      const bool is_first = room_.first_ == nullptr;
      (is_first ? room_.first_ : room_.last_->next_) = this;
      room_.last_ = this;
      return is_first;
    }

    WaitingRoom& room_;
    Place* next_ = nullptr;
    Parker<Sync> parker_;
  };

  Mutex<Sync> turn_ahead;  ///< held by the only thread that goes ahead of the line

 private:
  Mutex<Sync> mutex_;
  Place* first_ FOREBAY_GUARDED_BY(mutex_) = nullptr;
  Place* last_ FOREBAY_GUARDED_BY(mutex_) = nullptr;  // valid if first_ is not null
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_WAITING_WAITING_ROOM_HPP
