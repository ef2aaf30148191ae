// SPDX-License-Identifier: MIT
//
// waiter.hpp: Waiter, a call that waits, as seen by the queue. It lives on the stack of the call, or in its coroutine.

#ifndef FOREBAY_ENGINE_WAITER_HPP
#define FOREBAY_ENGINE_WAITER_HPP

#include <cstddef>
#include <cstdint>
#include <limits>

#include "forebay/engine/demand.hpp"
#include "forebay/version.hpp"
#include "forebay/waiting/parker.hpp"
#include "forebay/waiting/resumption.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// A count that is never reached.
inline constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();

/// The state of a waiter. It changes only under both locks of the queue:
///
///   from        to          when the waiter
///   outside     waiting     joins the wait queue
///   waiting     chosen      can be served, or no more can arrive; a signal follows
///   waiting     attending   is half done, and polls for a while: it need not be woken
///   attending   waiting     has looked with both locks, or stops polling
///   attending   chosen      is half done, and no more can arrive
///   chosen      waiting     has received its signal and looked, and has to wait again
///   any of the three above
///               dismissed   was removed from the wait queue by a close with cancel; a signal follows
///   any         outside     leaves, after it has received any signal that was to follow
enum class WaiterState : unsigned char { outside, waiting, attending, chosen, dismissed };

/// The precedence of a waiter over newcomers. It never decreases while the waiter waits.
enum class Precedence : unsigned char {
  none,       ///< newcomers may barge
  turn,       ///< newcomers line up behind it
  half_done,  ///< it has moved some elements, and precedes all others until it ends
};

template <class Sync>
struct Waiter {
  /// A consumer of one element.
  Waiter() = default;
  /// A consumer; or a producer of several elements, which waits for room for one.
  Waiter(const Demand& what, std::size_t first_need, bool in_steps) noexcept
      : demand(what), need(first_need), accumulates(in_steps) {}

  Demand demand;
  std::size_t need = 1;            ///< the number of elements, or the room, at which to wake it
  const bool accumulates = false;  ///< takes its elements in steps, and begins only when it is first
  WaiterState state = WaiterState::outside;
  Precedence precedence = Precedence::none;
  bool moves_in_steps = false;   ///< its batch is allotted: other calls leave the stored elements where they are
  std::size_t times_barged = 0;  ///< how often others barged
  std::uint64_t due = never;     ///< the total at which it would be served without barging
  std::size_t claim = 0;         ///< the elements or room for which it was chosen
  std::uint64_t position = 0;    ///< increases from the first waiter to the last
  Waiter* ahead = nullptr;
  Waiter* behind = nullptr;
  Waiter* next_chosen = nullptr;
  Parker<Sync> parker;
  Parker<Sync>* bell = nullptr;  ///< on which the thread sleeps, if not on `parker`
  /// The call, if it waits without a thread: receives the signal in place of `parker`.
  Resumable<Sync>* suspended = nullptr;

  [[nodiscard]] bool has_turn() const noexcept { return precedence != Precedence::none; }
  [[nodiscard]] bool is_half_done() const noexcept { return precedence == Precedence::half_done; }
  [[nodiscard]] bool is_chosen() const noexcept { return state == WaiterState::chosen; }
  /// Returns whether a signal has arrived or will arrive.
  [[nodiscard]] bool is_signalled() const noexcept { return is_chosen() || state == WaiterState::dismissed; }
  [[nodiscard]] bool is_in_queue() const noexcept { return state != WaiterState::outside && !was_dismissed(); }
  [[nodiscard]] bool was_dismissed() const noexcept { return state == WaiterState::dismissed; }
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_ENGINE_WAITER_HPP
