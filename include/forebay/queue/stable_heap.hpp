// SPDX-License-Identifier: MIT
//
// stable_heap.hpp: which of many elements is the smallest, while the elements stay where they are: a heap of pointers
// to them, four children to a node. Each element knows its index there.

#ifndef FOREBAY_QUEUE_STABLE_HEAP_HPP
#define FOREBAY_QUEUE_STABLE_HEAP_HPP

#include <cstddef>
#include <memory>

#include "forebay/base/arithmetic.hpp"
#include "forebay/base/block_vector.hpp"
#include "forebay/base/reject.hpp"
#include "forebay/capacity.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Entries are added at the end, and removed there; between them stands the heap. Every order that is asked of the
/// heap comes as `precedes(element, element)`. It may throw: then nothing has changed.
///
/// Requires of Element: set_index() and index().
///
/// Invariants:
///  - the first `heaped_` entries are a heap: none precedes its parent;
///  - an element's index is that of its entry.
template <class Element>
class StableHeap {
 public:
  /// Has room for `capacity` entries. Throws std::invalid_argument if there cannot be so many.
  explicit StableHeap(Capacity capacity) : entries_(with_room_for(capacity)) {}

  [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }

  /// Adds an element, which restore() takes into the heap. If an allocation fails, nothing has changed.
  void add(Element& element) {
    entries_.push_back(std::addressof(element));
    element.set_index(entries_.size() - 1);
  }

  /// Removes the last `count` entries: those that were separated first. Their elements need not be there any more.
  void remove_last(std::size_t count) noexcept {
    while (count-- > 0) entries_.pop_back();
    heaped_ = smaller(heaped_, entries_.size());
  }

  /// Takes all entries into the heap.
  template <class Precedes>
  void restore(const Precedes& precedes) {
    for (; heaped_ < entries_.size(); ++heaped_) rise(*entries_[heaped_], heaped_, precedes);
  }

  /// Separates the smallest entry from the heap: it stands right behind the heap then, before those that were
  /// separated earlier. Requires that there is one.
  template <class Precedes>
  Element& separate_smallest(const Precedes& precedes) {
    Element& smallest = *entries_[0];
    const std::size_t last = heaped_ - 1;
    if (last > 0) fill_top(*entries_[last], last, precedes);
    set(last, smallest);
    heaped_ = last;
    return smallest;
  }

  /// Has `swap(a, b)` let two elements change places, and points at them where they are then.
  template <class Swap>
  void exchange(Element& a, Element& b, Swap swap) noexcept {
    const std::size_t index = a.index();
    swap(a, b);
    set(b.index(), a);
    set(index, b);
  }

 private:
  static constexpr std::size_t children = 4;

  [[nodiscard]] static std::size_t parent(std::size_t index) noexcept { return (index - 1) / children; }

  void set(std::size_t index, Element& element) noexcept {
    entries_[index] = std::addressof(element);
    element.set_index(index);
  }

  /// Puts an element in at `index`, where there is none, or further up.
  template <class Precedes>
  void rise(Element& element, std::size_t index, const Precedes& precedes) {
    std::size_t place = index;
    while (place > 0 && precedes(element, *entries_[parent(place)])) place = parent(place);
    for (; index > place; index = parent(index)) set(index, *entries_[parent(index)]);
    set(place, element);
  }

  /// Puts an element in among the first `size`, whose top is gone. It stood at the bottom before, so that asking on
  /// the way down whether it goes further would nearly always be a question too many.
  template <class Precedes>
  void fill_top(Element& element, std::size_t size, const Precedes& precedes) {
    std::size_t index = 0;
    for (std::size_t first = 1; first < size; first = index * children + 1) {
      const std::size_t end = smaller(first + children, size);
      index = first;
      for (std::size_t child = first + 1; child < end; ++child) {
        if (precedes(*entries_[child], *entries_[index])) index = child;
      }
    }
    while (index > 0 && precedes(element, *entries_[index])) index = parent(index);
    for (Element* sinking = std::addressof(element); true; index = parent(index)) {
      Element* const rising = entries_[index];
      set(index, *sinking);
      if (index == 0) return;
      sinking = rising;
    }
  }

  static BlockVector<Element*> with_room_for(Capacity capacity) {
    if (capacity.is_unbounded()) return {};
    constexpr std::size_t most = BlockVector<Element*>::max_size();
    if (capacity.elements() <= most) return BlockVector<Element*>(capacity.elements());
    reject({"capacity ", capacity.elements(), " exceeds the possible ", most, " elements of a priority queue"});
  }

  BlockVector<Element*> entries_;
  std::size_t heaped_ = 0;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_QUEUE_STABLE_HEAP_HPP
