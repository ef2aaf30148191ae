// SPDX-License-Identifier: MIT
//
// waiter.hpp: a blocking call, as the queue sees it in which it waits. It stands on the stack of the call's thread.

#ifndef FOREBAY_ENGINE_WAITER_HPP
#define FOREBAY_ENGINE_WAITER_HPP

#include <cstddef>
#include <cstdint>
#include <limits>

#include "forebay/engine/demand.hpp"
#include "forebay/version.hpp"
#include "forebay/waiting/parker.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// A count that is not reached.
inline constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();

/// Where a waiter is. It changes under both locks of the queue only:
///
///   from        to          when
///   outside     waiting     it joins the wait queue
///   waiting     chosen      it can be served, or no more can come; a signal is on its way
///   waiting     attending   it is half done and looks by itself for a while: it need not be woken
///   attending   waiting     it has looked with both locks, or stops to attend
///   attending   chosen      no more can come
///   chosen      waiting     it has received the signal and looked, and stays
///   any of the three above
///               dismissed   the queue was closed with cancel; it is out of the wait queue, a signal is on its way
///   any         outside     it has left; what was on its way to it has come
enum class WaiterState : unsigned char { outside, waiting, attending, chosen, dismissed };

/// Precedence of a waiter over newcomers. It only grows while the waiter waits.
enum class Precedence : unsigned char {
  none,       ///< newcomers may barge: take what it waits for
  turn,       ///< newcomers line up behind it
  half_done,  ///< it has begun: nobody else goes before it has ended
};

template <class Sync>
struct Waiter {
  /// A consumer of one element.
  Waiter() = default;
  /// A consumer; or a producer of so many elements, which waits for room for one.
  Waiter(const Demand& what, std::size_t first_need, bool in_steps) noexcept
      : demand(what), need(first_need), accumulates(in_steps) {}

  Demand demand;
  std::size_t need = 1;            ///< wake it when so many elements, or so much room, can be had
  const bool accumulates = false;  ///< it takes its elements in several steps, and begins only as the first in line
  WaiterState state = WaiterState::outside;
  Precedence precedence = Precedence::none;
  std::size_t times_barged = 0;  ///< so often others took what it waited for
  std::uint64_t due = never;     ///< the count at which it would be served, if nobody barged
  std::size_t claim = 0;         ///< what it was chosen for
  std::uint64_t position = 0;    ///< smaller than that of those behind it
  Waiter* ahead = nullptr;
  Waiter* behind = nullptr;
  Waiter* next_chosen = nullptr;
  Parker<Sync> parker;
  Parker<Sync>* bell = nullptr;  ///< where the thread sleeps, if not in `parker`

  [[nodiscard]] bool has_turn() const noexcept { return precedence != Precedence::none; }
  [[nodiscard]] bool is_half_done() const noexcept { return precedence == Precedence::half_done; }
  [[nodiscard]] bool is_chosen() const noexcept { return state == WaiterState::chosen; }
  /// Whether a signal is on its way to it, or has come.
  [[nodiscard]] bool is_signalled() const noexcept { return is_chosen() || state == WaiterState::dismissed; }
  [[nodiscard]] bool is_in_queue() const noexcept { return state != WaiterState::outside && !was_dismissed(); }
  [[nodiscard]] bool was_dismissed() const noexcept { return state == WaiterState::dismissed; }
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_ENGINE_WAITER_HPP
