// SPDX-License-Identifier: MIT
//
// heap_entry.hpp: the entries in the heap of a PriorityQueue.

#ifndef FOREBAY_QUEUE_HEAP_ENTRY_HPP
#define FOREBAY_QUEUE_HEAP_ENTRY_HPP

#include <cstddef>
#include <cstdint>

#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// An entry that is a small element itself.
template <class T>
struct CopyEntry {
  static constexpr bool is_all_that_is_compared = true;

  [[nodiscard]] std::uint64_t arrival() const noexcept { return arrived; }
  void note_index(std::size_t /*index*/) const noexcept {}

  T element;
  std::uint64_t arrived;
};

/// An entry that points to the element, which stores its arrival number and the index of its entry.
template <class Element>
struct PointerEntry {
  static constexpr bool is_all_that_is_compared = false;

  [[nodiscard]] std::uint64_t arrival() const noexcept { return element->arrival(); }
  void note_index(std::size_t index) const noexcept { element->set_index(index); }

  Element* element;
};

/// A pointer entry with a copy of the priority, if that is a number: a comparison reads the element only in a tie.
template <class Element, class Number>
struct NumberEntry : PointerEntry<Element> {
  static constexpr bool is_all_that_is_compared = true;

  Number number;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_QUEUE_HEAP_ENTRY_HPP
