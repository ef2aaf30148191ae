// SPDX-License-Identifier: MIT
//
// smallest_first.hpp: SmallestFirst, the discipline of a PriorityQueue.
//
// Elements stay in their cells, and one that leaves changes places at most with the one in front. The order is kept
// beside them, in a heap of pointers.

#ifndef FOREBAY_QUEUE_SMALLEST_FIRST_HPP
#define FOREBAY_QUEUE_SMALLEST_FIRST_HPP

#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "forebay/by.hpp"
#include "forebay/capacity.hpp"
#include "forebay/engine/boxed.hpp"
#include "forebay/queue/discipline.hpp"
#include "forebay/queue/priority_parts.hpp"
#include "forebay/queue/stable_heap.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI {

namespace detail {

/// What an order by `Compare` looks at in an element, as far as is known.
template <class Compare, class T>
[[nodiscard]] constexpr decltype(auto) priority_of(const T& element) {
  if constexpr (is_by<Compare>) {
    return Compare::key(element);
  } else if constexpr (Parts<T>::known) {
    return (element.priority);
  } else {
    return (element);
  }
}

template <class Compare, class T>
using PriorityOf = std::remove_cvref_t<decltype(priority_of<Compare>(std::declval<const T&>()))>;

template <class Priority>
void require_no_nan(const Priority& priority) {
  if constexpr (std::floating_point<Priority>) {
    if (std::isnan(priority)) throw std::invalid_argument("forebay: NaN cannot be a priority");
  }
}

}  // namespace detail

/// The discipline of a PriorityQueue.
template <class T, class Compare>
class alignas(128) SmallestFirst : public detail::Discipline {  // apart from what producers read
  // Invariant: the heap has an entry for each element that had arrived at the last arrange(); the last of them are for
  // the first elements of the store, backwards. An entry's place is the count of elements before it since the
  // beginning.
  static_assert(std::predicate<Compare&, const T&, const T&>,
                "forebay: the elements of a PriorityQueue need operator<, or a comparator that takes two of them");

 public:
  static constexpr bool reorders = true;
  static constexpr bool examines = std::floating_point<detail::PriorityOf<Compare, T>>;
  static constexpr bool batch_may_exceed_capacity = false;

  SmallestFirst(Capacity capacity, Compare compare)
      : heap_(capacity.is_unbounded() ? 0 : capacity.elements()), compare_(std::move(compare)) {}

  /// Throws std::invalid_argument if the priority is NaN, which has no place in any order.
  static void examine(const T& element) { detail::require_no_nan(detail::priority_of<Compare>(element)); }

  template <class Store>
  void arrange(Store& store, std::size_t count) {
    const std::uint64_t head = store.head().passed();
    update(store, head);
    const auto precedes = [this](const Entry& a, const Entry& b) {
      const T& first = detail::unboxed(*a.element);
      const T& second = detail::unboxed(*b.element);
      if (compare_(first, second)) return true;
      return a.arrival < b.arrival && !compare_(second, first);
    };
    heap_.restore(precedes);
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t smallest = heap_.separate_smallest(precedes);
      if (smallest == head + i) continue;
      store.swap(i, static_cast<std::size_t>(smallest - head));
      heap_.exchange(head + i, smallest);
    }
  }

 private:
  using Heap = detail::StableHeap<detail::Stored<T, reorders>>;
  using Entry = typename Heap::Entry;

  /// Forgets what has left, and adds what has arrived.
  template <class Store>
  void update(Store& store, std::uint64_t head) {
    const auto element_at = [&](std::uint64_t place) -> auto& {
      return store[static_cast<std::size_t>(place - head)];
    };
    heap_.remove_last(static_cast<std::size_t>(head - arranged_from_));
    arranged_from_ = head;
    if (ring_capacity_ != store.ring_capacity()) heap_.relocate(element_at);
    ring_capacity_ = store.ring_capacity();
    const std::size_t stored = store.count(std::numeric_limits<std::size_t>::max());
    heap_.reserve(stored);
    for (std::uint64_t place = head + heap_.size(); place < head + stored; ++place)
      heap_.add(element_at(place), place);
  }

  Heap heap_;
  std::uint64_t arranged_from_ = 0;  // how many elements had left before the last arrange()
  std::size_t ring_capacity_ = 0;    // what it was then
  [[no_unique_address]] Compare compare_;
};

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_QUEUE_SMALLEST_FIRST_HPP
