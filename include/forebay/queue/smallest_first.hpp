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
#include <memory>
#include <type_traits>
#include <utility>

#include "forebay/base/reject.hpp"
#include "forebay/base/arithmetic.hpp"
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
    if (std::isnan(priority)) reject({"NaN cannot be a priority"});
  }
}

}  // namespace detail

/// The discipline of a PriorityQueue.
template <class T, class Compare>
class alignas(128) SmallestFirst : public detail::Discipline {  // apart from what producers read
  // Invariant: the heap has an entry for each of the first elements of the store, and for those that left after the
  // last arrange(), whose entries are the last ones.
  static_assert(std::predicate<Compare&, const T&, const T&>,
                "forebay: the elements of a PriorityQueue need operator<, or a comparator that takes two of them");

 public:
  template <class>
  using Stored = detail::Ranked<detail::Stored<T, true>>;
  static constexpr const char* kind = "PriorityQueue";
  static constexpr std::size_t takes_in = 64;
  static constexpr bool examines = std::floating_point<detail::PriorityOf<Compare, T>>;
  static constexpr bool batch_may_exceed_capacity = false;

  SmallestFirst(Capacity capacity, Compare compare) : heap_(capacity), compare_(std::move(compare)) {}

  /// Throws std::invalid_argument if the priority is NaN, which has no place in any order.
  static void examine(const T& element) { detail::require_no_nan(detail::priority_of<Compare>(element)); }

  template <class Store>
  void arrange(Store& store, std::size_t count) {
    take_in(store, std::numeric_limits<std::size_t>::max());
    for (std::size_t i = 0; i < count; ++i) {
      Element& place = store[i];
      Element& smallest = heap_.separate_smallest(precedes());
      if (std::addressof(place) != std::addressof(smallest)) heap_.exchange(place, smallest, Store::swap);
    }
  }

  /// Takes some of what has arrived into the heap. What fails, by a comparison that throws or for want of memory, is
  /// done by arrange().
  template <class Store>
  void take_in(Store& store) noexcept {
    try {
      take_in(store, takes_in);
    } catch (...) {  // NOLINT(bugprone-empty-catch)
    }
  }

 private:
  using Element = Stored<T>;
  using Heap = detail::StableHeap<Element>;

  /// Forgets what has left, and takes in at most so many more elements that have arrived.
  template <class Store>
  void take_in(Store& store, std::size_t most) {
    const std::uint64_t head = store.left();
    heap_.remove_last(static_cast<std::size_t>(head - left_));
    left_ = head;
    const std::size_t there = store.count(detail::saturating_add(heap_.size(), most));
    for (std::size_t i = heap_.size(); i < there; ++i) {
      heap_.add(store[i]);
      store[i].set_arrival(head + i);
    }
    heap_.restore(precedes());
  }

  [[nodiscard]] auto precedes() {
    return [this](Element& a, Element& b) {
      const T& first = detail::unboxed(a);
      const T& second = detail::unboxed(b);
      if (compare_(first, second)) return true;
      return a.arrival() < b.arrival() && !compare_(second, first);
    };
  }

  Heap heap_;
  std::uint64_t left_ = 0;  // how many elements the heap knows to have left
  [[no_unique_address]] Compare compare_;
};

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_QUEUE_SMALLEST_FIRST_HPP
