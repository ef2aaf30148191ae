// SPDX-License-Identifier: MIT
//
// place.hpp: Place, a call in one queue, and WaitHook, through which the call is performed there.

#ifndef FOREBAY_ENGINE_PLACE_HPP
#define FOREBAY_ENGINE_PLACE_HPP

#include <cstddef>
#include <exception>
#include <optional>

#include "forebay/engine/sides.hpp"
#include "forebay/engine/waiter.hpp"
#include "forebay/queue_status.hpp"
#include "forebay/version.hpp"
#include "forebay/waiting/adaptive_spin.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// The result of an attempt without waiting: done; not possible now, although no waiter has precedence; unknown unless
/// the call lines up; closed.
enum class Attempt { done, not_now, line_up, closed };

/// How much a half-done call has achieved with one lock.
enum class Progress { none, some, all };

/// The interface through which the wait loop performs one call on one queue. If a member function throws, nothing is
/// lost, and the call leaves the queue.
///
/// If a call may move more elements than Sides::most_at_once, look() allots them, and the call is half done from then
/// on. It moves them in steps, each with a separate hold of the lock. The steps do not wait, so they ignore the
/// deadline. Then the call looks again.
template <class Sync>
class WaitHook {
 public:
  using Spin = typename AdaptiveSpin<Sync>::Spin;

  WaitHook() = default;
  WaitHook(const WaitHook&) = delete;
  WaitHook& operator=(const WaitHook&) = delete;

  /// Performs the call if that is possible at once. Takes the lock of its side; reports a success to `spin`, under that
  /// lock.
  virtual Attempt attempt(Spin* spin) = 0;

  /// Does what the waiter may do now. Returns the status if the call is over; none if it has to wait, or if more is
  /// allotted. Requires both locks.
  virtual std::optional<QueueStatus> look(Waiter<Sync>& waiter, std::exception_ptr& cause) = 0;

  /// Does one step of a half-done call. Takes the lock of its side.
  virtual Progress advance(Waiter<Sync>& waiter) = 0;

  /// Returns whether elements are allotted that have not been moved yet.
  [[nodiscard]] bool is_moving() const noexcept { return allotted_ > 0; }

 protected:
  ~WaitHook() = default;

  std::size_t allotted_ = 0;
};

/// A call's place in one queue. The places of one call are linked to a circle.
template <class Sync>
struct Place {
  WaitHook<Sync>* hook = nullptr;
  Sides<Sync>* sides = nullptr;
  bool produces = false;
  Waiter<Sync> waiter{};
  bool has_joined = false;  ///< and has not left; known to its thread without a lock
  std::optional<typename Sync::clock::time_point> waits_since{};  ///< when it first had to wait
  Place* next = this;
  std::size_t index = 0;   ///< in the list of the call's queues
  bool ends_call = false;  ///< when its queue ends, even if the others have not ended

  [[nodiscard]] WaitingPlace<Sync>& waiting() const noexcept {
    return produces ? sides->producers.place : sides->consumers.place;
  }
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_ENGINE_PLACE_HPP
