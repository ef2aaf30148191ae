// SPDX-License-Identifier: MIT
//
// stable_heap.hpp: which of many elements is the smallest, and of equal ones the first, while the elements stay where
// they are: a heap of their places, four children to a node.

#ifndef FOREBAY_QUEUE_STABLE_HEAP_HPP
#define FOREBAY_QUEUE_STABLE_HEAP_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "forebay/base/arithmetic.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// A place is a number that is given away once; an element may get another. Entries are added at the end, and removed
/// there; between them stands the heap. Every order that is asked of the heap comes as `precedes(entry, entry)`, which
/// knows the elements. It may throw: then no entry is lost, and order is made anew the next time.
///
/// Invariants:
///  - the first `heaped_` entries are a heap: none precedes its parent;
///  - `index_of(entry.place)` is the index of that entry;
///  - the places are different modulo the size of `indices_`, a power of two.
template <class Element>
class StableHeap {
 public:
  struct Entry {
    Element* element;
    std::uint64_t place;    // which one the element has
    std::uint64_t arrival;  // which one it had at first: of two, the one that came later has the greater number
  };

  /// Has room for `capacity` entries. Throws std::invalid_argument if there cannot be so many.
  explicit StableHeap(std::size_t capacity) {
    if (capacity > entries_.max_size() / 4) {
      throw std::invalid_argument("forebay: capacity " + std::to_string(capacity) + " exceeds the possible " +
                                  std::to_string(entries_.max_size() / 4) + " elements of a priority queue");
    }
    reserve(capacity);
  }

  [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }

  /// Makes room for `count` entries. If that throws, nothing has changed.
  void reserve(std::size_t count) {
    if (count > entries_.capacity()) entries_.reserve(larger(count, 2 * entries_.capacity()));
    if (count <= indices_.size()) return;
    std::vector<std::size_t> indices(std::bit_ceil(count));
    indices_.swap(indices);
    for (std::size_t i = 0; i < entries_.size(); ++i) index_of(entries_[i].place) = i;
  }

  /// Adds the element that arrived at `place`. Requires room. restore() takes it into the heap.
  void add(Element& element, std::uint64_t place) noexcept {
    index_of(place) = entries_.size();
    entries_.push_back({std::addressof(element), place, place});
  }

  /// Notes that the element at each place is element_at(place) now.
  template <class ElementAt>
  void relocate(const ElementAt& element_at) noexcept {
    for (Entry& entry : entries_) entry.element = std::addressof(element_at(entry.place));
  }

  /// Removes the last `count` entries: those that were separated first.
  void remove_last(std::size_t count) noexcept {
    while (count-- > 0) entries_.pop_back();
    heaped_ = smaller(heaped_, entries_.size());
  }

  /// Takes all entries into the heap.
  template <class Precedes>
  void restore(const Precedes& precedes) {
    std::size_t next = std::exchange(heaped_, 0);
    if (next == 0) next = 1;  // the root is a heap by itself
    for (; next < entries_.size(); ++next) Hole(*this, next).rise(precedes);
    heaped_ = entries_.size();
  }

  /// Separates the smallest entry from the heap: it stands right behind the heap then, before those that were
  /// separated earlier. Returns its place. Requires that there is one.
  template <class Precedes>
  std::uint64_t separate_smallest(const Precedes& precedes) {
    const std::size_t last = heaped_ - 1;
    heaped_ = 0;
    if (last == 0) return entries_.front().place;
    const Entry smallest = entries_.front();
    set(0, entries_[last]);
    set(last, smallest);
    Hole(*this, 0).sink(last, precedes);
    heaped_ = last;
    return smallest.place;
  }

  /// Notes that the elements at two places have changed places.
  void exchange(std::uint64_t a, std::uint64_t b) noexcept {
    Entry& one = entries_[index_of(a)];
    Entry& other = entries_[index_of(b)];
    std::swap(one.element, other.element);
    std::swap(one.place, other.place);
    std::swap(index_of(a), index_of(b));
  }

 private:
  static constexpr std::size_t children = 4;

  /// An entry that is taken out of the heap, so that others can move up or down. It goes back in at the end, even if
  /// that is an exception.
  class Hole {
   public:
    Hole(StableHeap& heap, std::size_t index) noexcept : heap_(heap), index_(index), held_(heap.entries_[index]) {}
    ~Hole() { heap_.set(index_, held_); }
    Hole(const Hole&) = delete;
    Hole& operator=(const Hole&) = delete;

    template <class Precedes>
    void rise(const Precedes& precedes) {
      while (index_ > 0) {
        const std::size_t parent = (index_ - 1) / children;
        if (!precedes(held_, heap_.entries_[parent])) return;
        move_to(parent);
      }
    }

    /// To the bottom, among the first `size` entries, and up again: what is held stood there before, so that asking on
    /// the way down whether it goes further would nearly always be a question too many.
    template <class Precedes>
    void sink(std::size_t size, const Precedes& precedes) {
      for (std::size_t first = 1; first < size; first = index_ * children + 1) {
        const std::size_t end = smaller(first + children, size);
        std::size_t best = first;
        for (std::size_t child = first + 1; child < end; ++child) {
          if (precedes(heap_.entries_[child], heap_.entries_[best])) best = child;
        }
        move_to(best);
      }
      rise(precedes);
    }

   private:
    void move_to(std::size_t index) noexcept {
      heap_.set(index_, heap_.entries_[index]);
      index_ = index;
    }

    StableHeap& heap_;
    std::size_t index_;
    const Entry held_;
  };

  [[nodiscard]] std::size_t& index_of(std::uint64_t place) noexcept {
    return indices_[static_cast<std::size_t>(place) & (indices_.size() - 1)];
  }

  void set(std::size_t index, Entry entry) noexcept {
    entries_[index] = entry;
    index_of(entry.place) = index;
  }

  std::vector<Entry> entries_;
  std::vector<std::size_t> indices_;
  std::size_t heaped_ = 0;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_QUEUE_STABLE_HEAP_HPP
