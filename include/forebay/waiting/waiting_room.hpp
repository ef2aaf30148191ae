// SPDX-License-Identifier: MIT
//
// waiting_room.hpp: where threads line up that a lock has kept waiting for too long, oldest first.

#ifndef FOREBAY_WAITING_WAITING_ROOM_HPP
#define FOREBAY_WAITING_WAITING_ROOM_HPP

#include <mutex>

#include "forebay/version.hpp"
#include "forebay/waiting/parker.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Of one lock, and apart from it: its cache line is crowded.
template <class Sync>
class WaitingRoom {
 public:
  /// A thread's place. All but the first one sleep in theirs.
  class Place {
   public:
    explicit Place(WaitingRoom& room) noexcept : room_(room) {
      if (!line_up()) parker_.await_signal();
    }
    ~Place() {
      const Lock lock(room_.mutex_);
      room_.first_ = next_;
      if (next_ != nullptr) next_->parker_.signal();
    }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;

   private:
    /// Whether it is the first one.
    bool line_up() noexcept {
      const Lock lock(room_.mutex_);
      const bool is_first = room_.first_ == nullptr;
      (is_first ? room_.first_ : room_.last_->next_) = this;
      room_.last_ = this;
      return is_first;
    }

    WaitingRoom& room_;
    Place* next_ = nullptr;
    Parker<Sync> parker_;
  };

  /// Waits until nobody else goes ahead of those who line up. The turn ends with what is returned.
  [[nodiscard]] auto wait_for_turn_ahead() noexcept { return Lock(turn_ahead_); }

 private:
  using Lock = std::unique_lock<typename Sync::mutex>;

  typename Sync::mutex turn_ahead_;
  typename Sync::mutex mutex_;
  Place* first_ = nullptr;
  Place* last_ = nullptr;  // of what is not empty
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_WAITING_WAITING_ROOM_HPP
