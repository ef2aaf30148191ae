// SPDX-License-Identifier: MIT
//
// any_place.hpp: AnyPlace, the place of a dequeue_any call in one of its queues, of any kind.

#ifndef FOREBAY_HANDLE_ANY_PLACE_HPP
#define FOREBAY_HANDLE_ANY_PLACE_HPP

#include <cstddef>
#include <new>
#include <type_traits>

#include "forebay/engine/demand.hpp"
#include "forebay/engine/dequeueing.hpp"
#include "forebay/engine/wait_loop.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Also stores the hook of that queue. Not movable.
template <class Sync>
class AnyPlace : public Place<Sync> {
 public:
  /// Becomes a place among the consumers of `state`, to take one element into `sink`.
  template <class State, class Sink>
  void take(State& state, Sink& sink) noexcept {
    using Hook = DequeueingInto<State, Sink>;
    static_assert(sizeof(Hook) <= sizeof(storage_) && std::is_trivially_destructible_v<Hook>);
    this->hook = ::new (static_cast<void*>(storage_)) Hook(state, Demand(), sink);
    this->sides = &state;
  }

 private:
  alignas(void*) std::byte storage_[12 * sizeof(void*)];
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_HANDLE_ANY_PLACE_HPP
