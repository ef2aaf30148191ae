// SPDX-License-Identifier: MIT
//
// discard.hpp: takes the stored elements out of a closed queue, and destroys them.

#ifndef FOREBAY_ENGINE_DISCARD_HPP
#define FOREBAY_ENGINE_DISCARD_HPP

#include <cstddef>
#include <optional>

#include "forebay/engine/dequeueing.hpp"
#include "forebay/engine/sides.hpp"
#include "forebay/engine/transfer.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

enum class Discarded : unsigned char { one, nothing_is_left, batch_moves };

/// Moves the next element of a closed queue into `element`, ahead of all waiting calls: some of them may wait for a
/// coroutine that runs in this thread. Takes it from the elements that a call has gathered, if there are any.
template <class State>
[[nodiscard]] Discarded discard_one(State& state, std::optional<typename State::T>& element) {
  const SettlingSection section(static_cast<Sides<typename State::Sync>&>(state));
  if (state.consumers.place.queue.has_moving()) return Discarded::batch_moves;
  const std::size_t gathered = state.consumers.store.aside;
  if (gathered == 0 && state.level().stored == 0) return Discarded::nothing_is_left;
  state.consumers.store.put_back();
  ElementSink<typename State::T> sink(element);
  take(state, 1, sink);
  if (gathered > 1) state.store().set_aside(gathered - 1);
  ++state.dropped_oldest;
  State::note_progress();
  return Discarded::one;
}

/// Destroys the elements of a queue that was closed with cancel, one by one, without a lock. Waits for a batch that
/// another thread moves out in steps.
template <class State>
[[gnu::noinline]] void discard_stored(State& state) noexcept {
  try {
    Discarded latest = Discarded::one;
    while (latest != Discarded::nothing_is_left) {
      std::optional<typename State::T> element;
      latest = discard_one(state, element);
      if (latest == Discarded::batch_moves) State::Sync::yield();
    }
  } catch (...) {  // a move or a comparison has failed
  }
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_ENGINE_DISCARD_HPP
