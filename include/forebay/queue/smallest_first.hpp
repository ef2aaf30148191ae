// SPDX-License-Identifier: MIT
//
// smallest_first.hpp: SmallestFirst, the discipline of a PriorityQueue.
//
// A heap beside the cells keeps the order. Small trivially copyable elements are copied into the heap, and the element
// that leaves is copied to the front cell, over its content. Other elements stay in their cells: the heap points to
// them, and the element that leaves is swapped with the one in the front cell.

#ifndef FOREBAY_QUEUE_SMALLEST_FIRST_HPP
#define FOREBAY_QUEUE_SMALLEST_FIRST_HPP

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "forebay/base/arithmetic.hpp"
#include "forebay/base/reject.hpp"
#include "forebay/count.hpp"
#include "forebay/engine/boxed.hpp"
#include "forebay/engine/elements_read.hpp"
#include "forebay/priority.hpp"
#include "forebay/queue/discipline.hpp"
#include "forebay/queue/heap_entry.hpp"
#include "forebay/queue/priority_parts.hpp"
#include "forebay/queue/stable_heap.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// The part of an element that `Compare` reads, if known.
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

/// How `Compare` compares what priority_of() returns.
template <class Compare>
[[nodiscard]] constexpr const auto& order_of(const Compare& compare) noexcept {
  if constexpr (is_by<Compare>) {
    return compare.compare;
  } else {
    return compare;
  }
}

template <class Order, class... Candidates>
inline constexpr bool is_one_of = (std::same_as<Order, Candidates> || ...);

/// Whether `Compare` orders elements of type T by a number. Comparing two numbers is fast and cannot fail, but the key
/// of a `By` may be computed by a function that throws.
template <class Compare, class T, class Number = PriorityOf<Compare, T>,
          class Order = std::remove_cvref_t<decltype(order_of(std::declval<const Compare&>()))>>
inline constexpr bool orders_by_number =
    std::is_arithmetic_v<Number>&& is_one_of<Order, std::less<>, std::greater<>, std::ranges::less,
                                             std::ranges::greater, std::less<Number>, std::greater<Number>>;

template <class Priority>
void require_no_nan(const Priority& priority) {
  if constexpr (std::floating_point<Priority>) {
    if (!(priority <= std::numeric_limits<Priority>::infinity())) reject({"NaN cannot be a priority"});
  }
}

/// The discipline of a PriorityQueue.
template <class T, class Compare>
class alignas(128) SmallestFirst : public detail::Discipline {  // apart from the data that producers read
  static constexpr bool orders_by_number = detail::orders_by_number<Compare, T>;
  static constexpr bool copies_elements = detail::copies_like_a_move<T> && sizeof(T) <= 2 * sizeof(std::uint64_t);

  // Invariant: the heap has an entry for each of the first elements of the store, and for those that left after the
  // last arrange(), whose entries are the last ones.
  static_assert(std::predicate<Compare&, const T&, const T&>,
                "forebay: the elements of a PriorityQueue need operator<, or a comparator that takes two of them");

 public:
  template <class>
  using Stored = std::conditional_t<copies_elements, detail::Stored<T, true>, detail::Ranked<detail::Stored<T, true>>>;
  static constexpr const char* kind = "PriorityQueue";
  static constexpr bool keeps_order_of_arrival = false;
  static constexpr std::size_t takes_in = 64;
  static constexpr std::size_t moves_per_element = 4;  // three to change places, one to leave
  static constexpr bool examines = std::floating_point<detail::PriorityOf<Compare, T>>;
  static constexpr bool batch_may_exceed_capacity = false;

  SmallestFirst(Capacity capacity, Compare compare) : heap_(capacity), compare_(std::move(compare)) {}

  /// Throws std::invalid_argument if the priority is NaN, which has no order.
  static void examine(const T& element) { detail::require_no_nan(detail::priority_of<Compare>(element)); }

  template <class Store>
  void arrange(Store& store, std::size_t first, std::size_t last) {
    if (first == 0) take_in(store, std::numeric_limits<std::size_t>::max());
    for (std::size_t i = first; i < last; ++i) bring<Store>(store[i], heap_.separate_smallest(precedes()));
  }

  /// Adds some of the arrived elements to the heap. If a comparison throws or memory runs out, arrange() adds them
  /// later.
  template <class Store>
  void take_in(Store& store) noexcept {
    try {
      take_in(store, takes_in);
    } catch (...) {  // NOLINT(bugprone-empty-catch)
    }
  }

 private:
  using Element = Stored<T>;
  using PointerEntry =
      std::conditional_t<orders_by_number, detail::NumberEntry<Element, detail::PriorityOf<Compare, T>>,
                         detail::PointerEntry<Element>>;
  using Entry = std::conditional_t<copies_elements, detail::CopyEntry<T>, PointerEntry>;
  // At least the number of cells in a block, so that a queue whose size varies by less allocates nothing for the heap.
  static constexpr std::size_t block_size =
      std::bit_floor(detail::larger<std::size_t>(32'768 / (sizeof(Element) + alignof(Element)), 2048));
  using Heap = detail::StableHeap<Entry, block_size>;

  /// Moves the smallest element to `place`.
  template <class Store>
  void bring(Element& place, Entry& smallest) noexcept {
    if constexpr (copies_elements) {
      ::new (static_cast<void*>(std::addressof(detail::unboxed(place)))) T(smallest.element);
    } else {
      Element& from = *smallest.element;
      if (std::addressof(place) == std::addressof(from)) return;
      const std::size_t index = from.index();
      Entry& displaced = heap_[place.index()];
      Store::swap(place, from);
      displaced.element = std::addressof(from);
      displaced.note_index(place.index());
      smallest.element = std::addressof(place);
      smallest.note_index(index);
    }
  }

  /// Removes the entries of elements that have left, and adds at most that many arrived elements.
  template <class Store>
  void take_in(Store& store, std::size_t most) {
    const std::uint64_t head = store.left();
    heap_.remove_last(static_cast<std::size_t>(head - left_));
    left_ = head;
    const std::size_t there = store.count(detail::saturating_add(heap_.size(), most));
    for (std::size_t i = heap_.size(); i < there; ++i) heap_.add(entry_of(store[i], head + i));
    heap_.restore(precedes());
  }

  /// Returns the entry of the `arrival`-th element.
  [[nodiscard]] static Entry entry_of(Element& element, std::uint64_t arrival) {
    if constexpr (copies_elements) {
      return {detail::unboxed(element), arrival};
    } else {
      element.set_arrival(arrival);
      if constexpr (orders_by_number) {
        return {{std::addressof(element)}, detail::priority_of<Compare>(detail::unboxed(element))};
      } else {
        return {std::addressof(element)};
      }
    }
  }

  [[nodiscard]] static const T& element_of(const Entry& entry) noexcept {
    if constexpr (copies_elements) {
      return entry.element;
    } else {
      return detail::unboxed(*entry.element);
    }
  }

  [[nodiscard]] static auto number_of(const Entry& entry) {
    if constexpr (copies_elements) {
      return detail::priority_of<Compare>(entry.element);
    } else {
      return entry.number;
    }
  }

  [[nodiscard]] auto precedes() {
    return [this](const Entry& a, const Entry& b) {
      if constexpr (orders_by_number) {
        const auto& order = detail::order_of(compare_);
        const auto first = number_of(a);
        const auto second = number_of(b);
        const bool is_smaller = order(first, second);
        if (is_smaller == order(second, first)) [[unlikely]]
          return a.arrival() < b.arrival();
        return is_smaller;
      } else {
        if (compare_(element_of(a), element_of(b))) return true;
        return a.arrival() < b.arrival() && !compare_(element_of(b), element_of(a));
      }
    };
  }

  Heap heap_;
  std::uint64_t left_ = 0;  // the number of elements whose departure the heap has processed
  [[no_unique_address]] Compare compare_;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_QUEUE_SMALLEST_FIRST_HPP
