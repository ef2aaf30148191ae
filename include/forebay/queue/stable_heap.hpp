// SPDX-License-Identifier: MIT
//
// stable_heap.hpp: StableHeap, a heap of entries. An entry is a small element itself, or a pointer to an element that
// is not moved.

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

/// Entries are added and removed at the end; the heap comes before them. The members take the order as `precedes(entry,
/// entry)`. If that throws, nothing has changed.
///
/// The heap of an unbounded queue grows by `block_size` entries at a time.
///
/// Entry must be trivially copyable. Its note_index(index) is called whenever the entry has a new index, and
/// is_all_that_is_compared says whether precedes() reads nothing else.
///
/// Invariant: the first `heaped_` entries are a heap: none precedes its parent.
template <class Entry, std::size_t block_size>
class StableHeap {
  // The number of children of a node, a power of two. Four entries of 16 bytes fill a cache line. Fewer children would
  // need more sequential reads of lines; more children would need more comparisons.
  static constexpr std::size_t children = 4;
  static_assert(block_size % children == 0);

  // The index of the first entry. With it, the index of the first sibling is a multiple of their number, so siblings
  // share as few cache lines as possible, and never straddle two blocks.
  static constexpr std::size_t top = children - 1;
  using Entries = BlockVector<Entry, block_size, top>;
  using View = typename Entries::View;

 public:
  /// Creates a heap for `capacity` entries. Throws std::invalid_argument if that many are impossible.
  explicit StableHeap(Capacity capacity) : entries_(with_room_for(capacity)) {}

  [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }

  [[nodiscard]] Entry& operator[](std::size_t index) const noexcept { return entries_.view()[index]; }

  /// Appends an entry, which restore() adds to the heap. If an allocation fails, nothing has changed.
  void add(const Entry& entry) {
    entries_.push_back(entry);
    entry.note_index(top + entries_.size() - 1);
  }

  /// Removes the last `count` entries, which were separated first.
  void remove_last(std::size_t count) noexcept {
    while (count-- > 0) entries_.pop_back();
    heaped_ = smaller(heaped_, entries_.size());
  }

  /// Adds all entries to the heap.
  template <class Precedes>
  void restore(const Precedes& precedes) {
    for (; heaped_ < entries_.size(); ++heaped_) rise(top + heaped_, precedes);
  }

  /// Separates the smallest entry from the heap: it is then directly after the heap, before the entries that were
  /// separated earlier. Requires a nonempty heap.
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
  // A smaller heap is in the first-level cache anyway.
  static constexpr std::size_t prefetched_from = 16'384 / sizeof(Entry);

  [[nodiscard]] static std::size_t parent(std::size_t index) noexcept { return index / children + top - 1; }
  [[nodiscard]] static std::size_t first_child(std::size_t index) noexcept { return (index - top + 1) * children; }

  static void set(const View& entries, std::size_t index, const Entry& entry) noexcept {
    ::new (static_cast<void*>(std::addressof(entries[index]))) Entry(entry);
    entry.note_index(index);
  }

  /// Moves the entry at `index` up to its place.
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

  /// Removes the top entry, and inserts the one at `last` among the entries before it. That entry comes from the
  /// bottom, so comparing it on the way down would nearly always be superfluous. This is a separate function so that
  /// the compiler keeps the loop in registers.
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

  /// Prefetches the children of all siblings from `first` on, before the smallest sibling is known.
  static void prefetch_children(const View& entries, std::size_t first, std::size_t end) noexcept {
    for (std::size_t i = 0; i < children; ++i) {
      const std::size_t child = first_child(first + i);
      if (child >= end) return;
      prefetch(*reinterpret_cast<const std::array<Entry, children>*>(&entries[child]));
    }
  }

  /// Returns the smallest of `count` siblings. If elements have to be fetched from memory, branches let the processor
  /// fetch several at once.
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

  /// Returns the smallest sibling by a tournament: the comparisons of a round are independent, and no branch depends on
  /// their unpredictable results.
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
    reject({"capacity ", capacity.elements(), " exceeds the maximum of ", most, " elements of a priority queue"});
  }

  Entries entries_;
  std::size_t heaped_ = 0;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_QUEUE_STABLE_HEAP_HPP
