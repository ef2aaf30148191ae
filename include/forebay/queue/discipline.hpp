// SPDX-License-Identifier: MIT
//
// discipline.hpp: what a BlockingQueue asks of its discipline, the rule by which elements leave: the simplest one, and
// the base of every other.

#ifndef FOREBAY_QUEUE_DISCIPLINE_HPP
#define FOREBAY_QUEUE_DISCIPLINE_HPP

#include <cstddef>
#include <vector>

#include "forebay/engine/boxed.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// First in, first out. Other disciplines hide the members in which they differ.
struct Discipline {
  /// What the queue keeps for an element of type T.
  template <class T>
  using Stored = detail::Stored<T, false>;

  /// What the queue is called.
  static constexpr const char* kind = "FIFOQueue";

  /// How many elements may arrive before the queue calls take_in(store), under the consumers' lock: so a discipline
  /// can see to what has arrived step by step. 0: it does not need to.
  static constexpr std::size_t takes_in = 0;

  /// How many moves it takes at most to arrange an element and to take it out.
  static constexpr std::size_t moves_per_element = 1;

  /// Whether the queue shows each element to examine(const T&) before it goes in, under the producers' lock. That
  /// throws if the queue cannot take the element.
  static constexpr bool examines = false;

  /// Whether dequeue_many may ask for more elements than can be stored, and gathers them.
  static constexpr bool batch_may_exceed_capacity = true;

  /// What dequeue_many returns, and an empty one.
  template <class T>
  using Batch = std::vector<T>;
  template <class T>
  [[nodiscard]] static Batch<T> empty_batch() noexcept {
    return {};
  }

  /// How many elements have to stay while the queue is open; or, if they are not waived at close, while more may come.
  [[nodiscard]] static constexpr std::size_t min_after_dequeue() noexcept { return 0; }
  [[nodiscard]] static constexpr bool waives_at_close() noexcept { return true; }

  /// Makes the first `last` elements of `store` those that leave next, in their order. Requires that so many are
  /// there. Called under the consumers' lock. If it throws, every element is still there.
  ///
  /// Begins anew if `first` is 0. Otherwise it continues: the first `first` elements have been arranged for the same
  /// batch, and none has left since. take_in() is not called in between.
  template <class Store>
  static constexpr void arrange(Store& /*store*/, std::size_t /*first*/, std::size_t /*last*/) noexcept {}

  /// The first `count` elements, which were arranged, have left. Not called if taking them out failed.
  static constexpr void left(std::size_t /*count*/) noexcept {}
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_QUEUE_DISCIPLINE_HPP
