// SPDX-License-Identifier: MIT
//
// discipline.hpp: Discipline, the base class of all disciplines, which determine the order in which elements leave a
// BlockingQueue. It is also the simplest one.

#ifndef FOREBAY_QUEUE_DISCIPLINE_HPP
#define FOREBAY_QUEUE_DISCIPLINE_HPP

#include <cstddef>
#include <vector>

#include "forebay/engine/boxed.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// First in, first out. A derived discipline hides the members in which it differs.
struct Discipline {
  /// The type that the queue stores for an element of type T.
  template <class T>
  using Stored = detail::Stored<T, false>;

  /// The name of the queue.
  static constexpr const char* kind = "FIFOQueue";

  /// The number of elements that may arrive before the queue calls take_in(store), under the consumers' lock, so that a
  /// discipline can process arrivals in steps. 0: it does not process arrivals.
  static constexpr std::size_t takes_in = 0;

  /// The maximum number of moves to arrange an element and to remove it.
  static constexpr std::size_t moves_per_element = 1;

  /// Whether the queue passes each element to examine(const T&) before it stores it, under the producers' lock.
  /// examine() throws to reject the element.
  static constexpr bool examines = false;

  /// Whether elements leave in the order of their arrival, so that `drop_oldest` has a meaning.
  static constexpr bool keeps_order_of_arrival = true;

  /// Whether dequeue_many may request more elements than the capacity, and gathers them.
  static constexpr bool batch_may_exceed_capacity = true;

  /// The result type of dequeue_many, and an empty one.
  template <class T>
  using Batch = std::vector<T>;
  template <class T>
  [[nodiscard]] static Batch<T> empty_batch() noexcept {
    return {};
  }

  /// The number of elements that must remain while the queue is open or, if close() does not waive them, while more may
  /// arrive.
  [[nodiscard]] static constexpr std::size_t min_after_dequeue() noexcept { return 0; }
  [[nodiscard]] static constexpr bool waives_at_close() noexcept { return true; }

  /// Moves the elements that leave next to the first `last` places of `store`, in order. Requires at least that many
  /// elements. Called under the consumers' lock. If it throws, every element is still stored.
  ///
  /// Starts from the beginning if `first` is 0. Otherwise it continues: the first `first` elements have been arranged
  /// for the same batch, and none has left since. take_in() is not called in between.
  template <class Store>
  static constexpr void arrange(Store& /*store*/, std::size_t /*first*/, std::size_t /*last*/) noexcept {}

  /// Notifies the discipline that the first `count` elements, which it had arranged, have left. Not called if removing
  /// them failed.
  static constexpr void left(std::size_t /*count*/) noexcept {}
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_QUEUE_DISCIPLINE_HPP
