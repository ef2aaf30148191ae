// SPDX-License-Identifier: MIT
//
// discard.hpp: takes the stored elements out of a closed queue, and destroys them.

#ifndef FOREBAY_ENGINE_DISCARD_HPP
#define FOREBAY_ENGINE_DISCARD_HPP

#include <cstdint>
#include <optional>

#include "forebay/base/mutex.hpp"
#include "forebay/engine/demand.hpp"
#include "forebay/engine/dequeueing.hpp"
#include "forebay/engine/sides.hpp"
#include "forebay/engine/transfer.hpp"
#include "forebay/queue_status.hpp"
#include "forebay/version.hpp"
#include "forebay/wait.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Takes an element out, like a dequeue. Returns false if there is none, and none can be given back.
template <class State>
[[nodiscard]] bool take_out_one(State& state, std::optional<typename State::T>& element) {
  if (take_now(state, element)) [[likely]]
    return true;
  ElementSink<typename State::T> sink(element);
  using Wait = BasicWait<typename State::Sync>;
  return DequeueingInto<State, decltype(sink)>(state, Demand(), sink).run(Wait::forever) == QueueStatus::ok;
}

/// Destroys the elements of a queue that was closed with cancel, one by one, without a lock. Waits for a batch that
/// another call takes out, or has gathered and gives back.
template <class State>
[[gnu::noinline]] void discard_stored(State& state) noexcept {
  std::uint64_t discarded = 0;
  try {
    for (bool is_there = true; is_there; discarded += is_there ? 1 : 0) {
      std::optional<typename State::T> element;
      is_there = take_out_one(state, element);
    }
  } catch (...) {  // the cause with which the queue was closed before, or the failure of a move
  }
  const BothSides both(state, ahead_of_all);
  state.dropped_oldest += discarded;
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_ENGINE_DISCARD_HPP
