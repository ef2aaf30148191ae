// SPDX-License-Identifier: MIT
//
// drop_oldest.hpp: an enqueue that removes the oldest element of a full queue instead of waiting.

#ifndef FOREBAY_ENGINE_DROP_OLDEST_HPP
#define FOREBAY_ENGINE_DROP_OLDEST_HPP

#include <optional>
#include <utility>

#include "forebay/base/arithmetic.hpp"
#include "forebay/base/thread_annotations.hpp"
#include "forebay/engine/dequeueing.hpp"
#include "forebay/engine/enqueueing.hpp"
#include "forebay/engine/sides.hpp"
#include "forebay/engine/transfer.hpp"
#include "forebay/queue_status.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Returns whether a newcomer may store an element: no batch is half done, and there is room that no waiter with the
/// turn claims.
template <class Sync>
[[nodiscard]] bool has_room_for_newcomer(const Sides<Sync>& sides) noexcept
    FOREBAY_REQUIRES(sides.producers.lock, sides.consumers.lock) {
  return sides.level().room > sides.producers.place.queue.claimed_by_all();
}

/// Returns whether the oldest stored element may be replaced by a new one: there is one, and no batch of either side is
/// moving elements. A dequeue_many that still gathers has set its elements aside, also those that were given back
/// before it began. So the oldest stored element is in the ring.
template <class Sync>
[[nodiscard]] bool may_replace_oldest(const Sides<Sync>& sides) noexcept
    FOREBAY_REQUIRES(sides.producers.lock, sides.consumers.lock) {
  if (sides.producers.place.queue.has_half_done() || sides.level().stored == 0) return false;
  return !sides.consumers.place.queue.has_moving();
}

/// Moves the oldest element into `dropped`, and makes sure that the next cell of the ring is empty.
template <class State>
void drop_oldest_element(State& state, std::optional<typename State::T>& dropped)
    FOREBAY_REQUIRES(state.producers.lock, state.consumers.lock) {
  // Returned elements may exceed the capacity. Then the ring can be full although the oldest element is not in it.
  const bool ring_is_full = state.ring.template is_full<typename State::Element>(state.producers.tail);
  if (state.consumers.store.returned > 0 && ring_is_full) state.store().return_first_of_ring();
  ElementSink<typename State::T> sink(dropped);
  take(state, 1, sink);
  ++state.dropped_oldest;
}

/// Stores one element. If there is no room for a newcomer, the oldest element makes room. If that is not possible
/// either, drops the new element.
template <class State, class Argument>
[[gnu::noinline]] QueueStatus put_and_drop_oldest(State& state, Argument&& argument,
                                                  std::optional<typename State::T>& dropped) {
  const SettlingSection section(static_cast<Sides<typename State::Sync>&>(state));
  if (state.producers.closed) return QueueStatus::closed;
  if (!has_room_for_newcomer(state)) {
    if (!may_replace_oldest(state)) {
      ++state.dropped_newest;
      return QueueStatus::full;
    }
    if constexpr (State::Discipline::examines) state.discipline.examine(std::as_const(argument));
    drop_oldest_element(state, dropped);
  }
  put_one(state, std::forward<Argument>(argument));
  State::note_progress();
  return QueueStatus::ok;
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_ENGINE_DROP_OLDEST_HPP
