// SPDX-License-Identifier: MIT
//
// stable_heap.hpp: which of many entries is the smallest: a heap. An entry is a small
// element itself, or a pointer to one that stays where it is.

#ifndef FOREBAY_QUEUE_STABLE_HEAP_HPP
#define FOREBAY_QUEUE_STABLE_HEAP_HPP

#include <array>
#include <cstddef>
#include <memory>
#include <new>

#include "forebay/base/arithmetic.hpp"
#include "forebay/base/block_vector.hpp"
#include "forebay/base/prefetch.hpp"
#include "forebay/base/reject.hpp"
#include "forebay/count.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Entries are added at the end, and removed there; between them stands the heap. Every order that is asked of the
/// heap comes as `precedes(entry, entry)`. It may throw: then nothing has changed.
///
/// The heap of an unbounded queue grows by `block_size` entries at a time.
///
/// Requires of Entry: trivially copyable; note_index(index), which is called whenever the entry is at another index;
/// is_all_that_is_compared, whether precedes() reads nothing else.
///
/// Invariant: the first `heaped_` entries are a heap: none precedes its parent.
template <class Entry, std::size_t block_size>
class StableHeap {
  // Of a node, a power of two. Four entries of 16 bytes fill a cache line. With fewer children, more lines are read one
  // after the other; with more, more comparisons are made.
  static constexpr std::size_t children = 4;
  static_assert(block_size % children == 0);

  // The index of the first entry, which makes that of the first of siblings a multiple of their number: they share
  // as few cache lines as possible, and never straddle two blocks.
  static constexpr std::size_t top = children - 1;
  using Entries = BlockVector<Entry, block_size, top>;
  using View = typename Entries::View;

 public:
  /// Has room for `capacity` entries. Throws std::invalid_argument if there cannot be so many.
  explicit StableHeap(Capacity capacity) : entries_(with_room_for(capacity)) {}

  [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }

  [[nodiscard]] Entry& operator[](std::size_t index) const noexcept { return entries_.view()[index]; }

  /// Adds an entry, which restore() takes into the heap. If an allocation fails, nothing has changed.
  void add(const Entry& entry) {
    entries_.push_back(entry);
    entry.note_index(top + entries_.size() - 1);
  }

  /// Removes the last `count` entries: those that were separated first.
  void remove_last(std::size_t count) noexcept {
    while (count-- > 0) entries_.pop_back();
    heaped_ = smaller(heaped_, entries_.size());
  }

  /// Takes all entries into the heap.
  template <class Precedes>
  void restore(const Precedes& precedes) {
    for (; heaped_ < entries_.size(); ++heaped_) rise(top + heaped_, precedes);
  }

  /// Separates the smallest entry from the heap: it stands right behind the heap then, before those that were
  /// separated earlier. Requires that there is one.
  template <class Precedes>
  Entry& separate_smallest(const Precedes& precedes) {
    const View entries = entries_.view();
    const std::size_t last = top + heaped_ - 1;
    const Entry smallest = entries[top];
    if (last > top) fill_top(last, precedes);
    set(entries, last, smallest);
    --heaped_;
    return entries[last];
  }

 private:
  // A smaller heap is in the nearest cache anyway.
  static constexpr std::size_t prefetched_from = 16'384 / sizeof(Entry);

  [[nodiscard]] static std::size_t parent(std::size_t index) noexcept { return index / children + top - 1; }
  [[nodiscard]] static std::size_t first_child(std::size_t index) noexcept { return (index - top + 1) * children; }

  static void set(const View& entries, std::size_t index, const Entry& entry) noexcept {
    ::new (static_cast<void*>(std::addressof(entries[index]))) Entry(entry);
    entry.note_index(index);
  }

  /// Moves the entry at `index` up to where it belongs.
  template <class Precedes>
  void rise(std::size_t index, const Precedes& precedes) {
    const View entries = entries_.view();
    const Entry entry = entries[index];
    std::size_t place = index;
    while (place > top && precedes(entry, entries[parent(place)])) place = parent(place);
    if (place == index) return;
    while (index > place) move_up(entries, index);
    set(entries, place, entry);
  }

  /// Moves a gap up by one place.
  static void move_up(const View& entries, std::size_t& gap) noexcept {
    set(entries, gap, entries[parent(gap)]);
    gap = parent(gap);
  }

  /// Removes the entry at the top, and puts the one at `last` in among those before. That one stood at the bottom, so
  /// asking on the way down whether it goes further would nearly always be a question too many. A function of its own,
  /// whatever else its caller does: the compiler keeps the loop in registers.
  template <class Precedes>
  [[gnu::noinline]] void fill_top(std::size_t last, const Precedes& precedes) {
    const View entries = entries_.view();
    const Entry smallest = entries[top];
    const Entry entry = entries[last];
    std::size_t gap = top;
    try {
      for (std::size_t first = first_child(top); first < last; first = first_child(gap)) {
        if (first >= prefetched_from) prefetch_children(entries, first, last);
        const std::size_t child = first + smallest_of(&entries[first], smaller(children, last - first), precedes);
        set(entries, gap, entries[child]);
        gap = child;
      }
      while (gap > top && precedes(entry, entries[parent(gap)])) move_up(entries, gap);
    } catch (...) {
      while (gap > top) move_up(entries, gap);
      set(entries, top, smallest);
      throw;
    }
    set(entries, gap, entry);
  }

  /// Asks for the children of all siblings from `first` on, before it is known which of them is the smallest.
  static void prefetch_children(const View& entries, std::size_t first, std::size_t end) noexcept {
    for (std::size_t i = 0; i < children; ++i) {
      const std::size_t child = first_child(first + i);
      if (child >= end) return;
      prefetch(*reinterpret_cast<const std::array<Entry, children>*>(&entries[child]));
    }
  }

  /// Which of `count` siblings is the smallest. Where elements have to be fetched, branches are what lets a processor
  /// fetch several at a time.
  template <class Precedes>
  [[nodiscard]] static std::size_t smallest_of(const Entry* siblings, std::size_t count, const Precedes& precedes) {
    if constexpr (Entry::is_all_that_is_compared) {
      if (count == children) [[likely]]
        return smallest_in<children>(siblings, 0, precedes);
    }
    std::size_t smallest = 0;
    for (std::size_t i = 1; i < count; ++i) {
      if (precedes(siblings[i], siblings[smallest])) smallest = i;
    }
    return smallest;
  }

  /// The same by rounds, as in a tournament: the matches of a round do not wait for each other. No branch depends on
  /// the outcome, which a processor cannot foresee.
  template <std::size_t count, class Precedes>
  [[nodiscard, gnu::always_inline]] static inline std::size_t smallest_in(const Entry* siblings, std::size_t first,
                                                                          const Precedes& precedes) {
    if constexpr (count == 1) {
      return first;
    } else {
      const std::size_t a = smallest_in<count / 2>(siblings, first, precedes);
      const std::size_t b = smallest_in<count / 2>(siblings, first + count / 2, precedes);
      return a + ((b - a) & (0 - std::size_t{precedes(siblings[b], siblings[a])}));
    }
  }

  static Entries with_room_for(Capacity capacity) {
    if (capacity.is_unbounded()) return {};
    constexpr std::size_t most = Entries::max_size();
    if (capacity.elements() <= most) return Entries(capacity.elements());
    reject({"capacity ", capacity.elements(), " exceeds the possible ", most, " elements of a priority queue"});
  }

  Entries entries_;
  std::size_t heaped_ = 0;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_QUEUE_STABLE_HEAP_HPP
