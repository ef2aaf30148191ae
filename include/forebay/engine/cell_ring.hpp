// SPDX-License-Identifier: MIT
//
// cell_ring.hpp: CellRing, the storage of a queue: a ring of cells, each with room for one element and a flag that says
// whether it is full. The ring of an unbounded queue continues from block to block instead (cell_blocks.hpp), and
// reuses emptied blocks.
//
// The two sides of a queue share only the flags. Each side has a cursor, guarded by its own lock: producers fill the
// cell at their cursor and set its flag, consumers empty the cell at their cursor and clear its flag. Both proceed in
// order. So if the n-th cell from a consumer is full, n elements are stored; if the n-th cell from a producer is empty,
// there is room for n.
//
// An unused ring is only address space. Producers construct the cells ahead of them, a few at a time, before they fill
// the last constructed one. So there is always a constructed cell after a full one. Cells further ahead may not be
// constructed, and count as empty.

#ifndef FOREBAY_ENGINE_CELL_RING_HPP
#define FOREBAY_ENGINE_CELL_RING_HPP

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <utility>

#include "forebay/base/arithmetic.hpp"
#include "forebay/base/reject.hpp"
#include "forebay/count.hpp"
#include "forebay/engine/cell.hpp"
#include "forebay/engine/cell_blocks.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

template <class Sync>
class CellRing {
  using Flag = CellFlag<Sync>;
  using Blocks = CellBlocks<Sync>;
  template <class Element>
  using Cell = detail::Cell<Element, Sync>;

 public:
  /// The position of a side in the ring, and the number of cells that it has passed since the beginning.
  struct Cursor {
    Flag* cells = nullptr;                       // of this round: the ring, or a block
    std::size_t index = 0;                       // among them
    std::size_t end = 0;                         // the index at which the fast path ends
    std::uint64_t passed_before_this_round = 0;  // separate from the index, so that an operation writes only one word

    [[nodiscard]] std::uint64_t passed() const noexcept { return passed_before_this_round + index; }
  };

  /// Throws std::invalid_argument if the capacity is too large for the address space.
  CellRing(Capacity capacity, const CellLayout<Sync>& layout)
      : layout_(layout),
        capacity_(capacity.elements()),
        round_(capacity.is_unbounded() ? layout.of_a_block : possible(capacity_)),
        blocks_(layout_),
        first_(is_unbounded() ? blocks_.begin() : layout_.allocate(round_)) {
    layout_.make(first_, 0, first_made());
    made_.store(first_made(), std::memory_order_relaxed);
  }

  CellRing(const CellRing&) = delete;
  CellRing& operator=(const CellRing&) = delete;

  /// Requires that no element is left.
  [[gnu::noinline]] ~CellRing() {
    const std::uint64_t made = made_.load(std::memory_order_relaxed);
    if (is_unbounded()) {
      blocks_.discard_all(made);
    } else {
      layout_.deallocate(first_, round_, static_cast<std::size_t>(made));
    }
  }

  /// Returns the capacity; the largest number if there is no limit.
  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }

  [[nodiscard]] const CellLayout<Sync>& layout() const noexcept { return layout_; }

  /// Returns the initial cursor of both sides.
  [[nodiscard]] Cursor head() const noexcept { return {first_, 0, round_}; }
  [[nodiscard]] Cursor tail() const noexcept { return {first_, 0, first_made()}; }

  /// Returns whether the cell at `cursor` holds an element.
  ///
  /// Writes before a put() are visible once this returns true for its cell; writes before a remove(), once it returns
  /// false.
  template <class Element>
  [[nodiscard, gnu::always_inline]] static inline bool is_full(const Cursor& cursor) noexcept {
    // Pairs with the releases in put() and remove(). The cells before this one were passed to it through the other
    // side's lock, so its flag vouches for them too.
    return static_cast<const Cell<Element>*>(cursor.cells)[cursor.index].full.load(std::memory_order_acquire);
  }

  /// Returns whether the cell `ahead` cells after `cursor` is full. Requires ahead < capacity().
  [[nodiscard, gnu::noinline]] bool is_full(const Cursor& cursor, std::size_t ahead) const noexcept {
    if (ahead == 0) return layout_.at(cursor.cells, cursor.index).full.load(std::memory_order_acquire);
    const std::uint64_t place = place_of(cursor, ahead);
    return is_made(place) && cell(place).full.load(std::memory_order_acquire);
  }

  /// Returns the number of full cells from `cursor` on, at most `limit`. The first `seen` are known to be full.
  /// Requires seen <= limit <= capacity(). Reads only some of the cells.
  [[nodiscard, gnu::noinline]] std::size_t count_full(const Cursor& cursor, std::size_t seen,
                                                      std::size_t limit) const noexcept {
    const std::size_t near = limit - seen > looked_at_at_once ? seen + looked_at_at_once : limit;
    // As in is_full(): the cell after a full one is constructed.
    for (const std::size_t in_round = smaller(near, round_ - cursor.index); seen < in_round; ++seen) {
      if (!layout_.at(cursor.cells, cursor.index + seen).full.load(std::memory_order_acquire)) return seen;
    }
    while (seen < near && cell(place_of(cursor, seen)).full.load(std::memory_order_acquire)) ++seen;
    return seen < near || near == limit ? seen : count_far(cursor, seen, limit);
  }

  /// Returns the elements from `cursor` on: `elements<Element>(cursor)[ahead]`. Requires that the accessed cells are
  /// full.
  template <class Element>
  [[nodiscard]] auto elements(const Cursor& cursor) const noexcept {
    return Elements<Element>{static_cast<Cell<Element>*>(cursor.cells), cursor.index, round_ - cursor.index,
                             is_unbounded() ? &blocks_ : nullptr, cursor.passed()};
  }

  /// Constructs an element in the cell at `tail` and advances. Requires that the cell is empty. If the constructor
  /// throws, or the allocation that an unbounded ring may need first, nothing has changed.
  template <class Element, class... Arguments>
  [[gnu::always_inline]] inline void put(Cursor& tail, Arguments&&... arguments) {
    if (tail.index + 1 == tail.end) [[unlikely]]
      make_more(tail);
    Cell<Element>& cell = static_cast<Cell<Element>*>(tail.cells)[tail.index];
    ::new (static_cast<void*>(cell.storage)) Element(std::forward<Arguments>(arguments)...);
    cell.full.store(true, std::memory_order_release);
    if (++tail.index == tail.end) [[unlikely]]
      enter_next_round(tail);
  }

  /// Does the same for `count` elements: `supply(receive)` passes the next one to `receive`, converted by `convert`.
  /// If it throws, the earlier elements are in the ring.
  template <class Element, class Supply, class Convert>
  void put_many(Cursor& tail, std::size_t count, Supply& supply, const Convert& convert) {
    while (count > 0) {
      const std::size_t ahead = smaller(count, tail.end - tail.index - 1);
      put_in_made_cells<Element>(tail, ahead, supply, convert);
      count -= ahead;
      if (count == 0) return;
      supply([&](auto&& element) { put<Element>(tail, convert(std::forward<decltype(element)>(element))); });
      --count;
    }
  }

  /// Passes the `count` elements from `head` on to `receive`, which must not throw, destroys them and advances.
  /// Requires that the cells are full.
  template <class Element, class Receive>
  [[gnu::always_inline]] inline void remove(Cursor& head, std::size_t count, Receive receive) noexcept {
    auto* cells = static_cast<Cell<Element>*>(head.cells);
    std::size_t index = head.index;
    std::size_t end = head.end;
    for (; count > 0; --count) {
      Cell<Element>& cell = cells[index];
      receive(cell.element());
      cell.element().~Element();
      cell.full.store(false, std::memory_order_release);
      if (++index < end) [[likely]]
        continue;
      head.index = index;
      leave_round(head);
      cells = static_cast<Cell<Element>*>(head.cells), index = head.index, end = head.end;
    }
    head.index = index;
  }

  /// Destroys the elements between the cursors.
  template <class Element>
  [[gnu::noinline]] void clear(Cursor& head, const Cursor& tail) noexcept {
    remove<Element>(head, static_cast<std::size_t>(tail.passed() - head.passed()), [](Element&) {});
  }

  /// Returns whether exactly the first `count` cells from `head` on are full. Requires that no thread uses the ring.
  [[nodiscard]] bool holds_exactly(const Cursor& head, std::size_t count) const noexcept {
    std::size_t i = 0;
    for (; i < capacity_ && (i == 0 || is_made(place_of(head, i))); ++i) {
      if (is_full(head, i) != (i < count)) return false;
    }
    return count <= i;
  }

 private:
  /// The number of cells that are read one by one.
  static constexpr std::size_t looked_at_at_once = 64;

  /// The elements from a cursor on, across the end of the ring or of a block.
  template <class Element>
  struct Elements {
    Cell<Element>* first;
    std::size_t index;
    std::size_t to_end;
    const Blocks* blocks;  // none: a ring
    std::uint64_t place;

    [[nodiscard, gnu::always_inline]] inline Element& operator[](std::size_t ahead) const noexcept {
      if (blocks != nullptr) [[unlikely]]
        return static_cast<Cell<Element>&>(blocks->cell(place + ahead)).element();
      return first[ahead < to_end ? index + ahead : ahead - to_end].element();
    }
  };

  /// Advances a cursor within its round, with the index in a local variable, because the compiler cannot tell that an
  /// element does not contain the cursor.
  class Advancing {
   public:
    explicit Advancing(Cursor& cursor) noexcept : index(cursor.index), cursor_(cursor) {}
    Advancing(const Advancing&) = delete;
    Advancing& operator=(const Advancing&) = delete;
    ~Advancing() { cursor_.index = index; }

    std::size_t index;

   private:
    Cursor& cursor_;
  };

  /// Requires that more than `count` cells from `tail` on are constructed.
  template <class Element, class Supply, class Convert>
  static void put_in_made_cells(Cursor& tail, std::size_t count, Supply& supply, const Convert& convert) {
    auto* const cells = static_cast<Cell<Element>*>(tail.cells);
    Advancing at(tail);
    for (const std::size_t end = at.index + count; at.index < end; ++at.index) {
      Cell<Element>& cell = cells[at.index];
      supply([&](auto&& element) {
        ::new (static_cast<void*>(cell.storage)) Element(convert(std::forward<decltype(element)>(element)));
      });
      cell.full.store(true, std::memory_order_release);
    }
  }

  [[nodiscard]] std::size_t possible(std::size_t capacity) const {
    const std::size_t most = std::numeric_limits<std::ptrdiff_t>::max() / layout_.size;
    if (capacity <= most) return capacity;
    reject({"capacity ", capacity, " exceeds the maximum of ", most, " elements of ", layout_.size, " bytes"});
  }

  [[nodiscard]] bool is_unbounded() const noexcept { return capacity_ == unbounded; }

  [[nodiscard]] std::size_t first_made() const noexcept { return smaller(round_, layout_.made_at_once); }

  /// Returns the number of the cell `ahead` cells after `cursor`, counted from the first cell of the ring or of block
  /// 0.
  [[nodiscard]] std::uint64_t place_of(const Cursor& cursor, std::size_t ahead) const noexcept {
    if (is_unbounded()) return cursor.passed() + ahead;
    const std::size_t to_end = round_ - cursor.index;
    return ahead < to_end ? cursor.index + ahead : ahead - to_end;
  }

  [[nodiscard]] bool is_made(std::uint64_t place) const noexcept {
    // Pairs with the release in note_made(): the cells are constructed.
    return place < first_made() || place < made_.load(std::memory_order_acquire);
  }

  [[nodiscard]] Flag& cell(std::uint64_t place) const noexcept {
    return is_unbounded() ? blocks_.cell(place) : layout_.at(first_, static_cast<std::size_t>(place));
  }

  /// Continues count_full(): doubles the distance, then bisects.
  [[nodiscard, gnu::noinline]] std::size_t count_far(const Cursor& cursor, std::size_t seen,
                                                     std::size_t limit) const noexcept {
    const auto advance = [&](std::size_t step) {
      if (limit - seen < step || !is_full(cursor, seen + step - 1)) return false;
      seen += step;
      return true;
    };
    std::size_t step = looked_at_at_once;
    while (advance(step)) step *= 2;
    while (step > 1) advance(step /= 2);
    return seen;
  }

  // ---- At the end of the constructed cells, and of a round

  /// Constructs the next cells, unless they are constructed already.
  [[gnu::noinline]] void make_more(Cursor& tail) {
    if (tail.end < round_) {
      const std::size_t count = smaller(round_ - tail.end, layout_.made_at_once);
      layout_.make(tail.cells, tail.end, count);
      tail.end += count;
      note_made((is_unbounded() ? tail.passed_before_this_round : 0) + tail.end);
    } else if (is_unbounded()) {
      add_block(tail.passed_before_this_round + round_);
    }
  }

  /// Adds the block whose first cell is at `place`, unless an earlier attempt to store an element has added it.
  void add_block(std::uint64_t place) {
    if (made_.load(std::memory_order_relaxed) > place) return;
    const std::uint64_t number = place / round_;
    const bool was_used = blocks_.add(number);
    if (!was_used) layout_.make(blocks_[number], 0, first_made());
    note_made(place + (was_used ? round_ : first_made()));
  }

  void note_made(std::uint64_t count) noexcept { made_.store(count, std::memory_order_release); }

  [[gnu::noinline]] void enter_next_round(Cursor& tail) noexcept {
    enter(tail);
    if (is_unbounded())
      tail.end = static_cast<std::size_t>(made_.load(std::memory_order_relaxed) - tail.passed_before_this_round);
  }

  [[gnu::noinline]] void leave_round(Cursor& head) noexcept {
    if (head.index == round_) {
      const std::uint64_t number = head.passed_before_this_round / round_;
      enter(head);
      if (is_unbounded()) blocks_.remove(number);
    }
    if (is_unbounded()) look_out_for_the_end(head);
  }

  void enter(Cursor& cursor) const noexcept {
    cursor.passed_before_this_round += round_;
    cursor.index = 0;
    if (is_unbounded()) cursor.cells = blocks_[cursor.passed_before_this_round / round_];
  }

  /// Makes consumers leave the fast path where the ring may have become empty, to free one of two spare blocks.
  void look_out_for_the_end(Cursor& head) noexcept {
    head.end = round_;
    if (!blocks_.has_two_spares()) return;
    const std::size_t count = count_full(head, 0, smaller(round_ - head.index, looked_at_at_once));
    if (count == 0) return blocks_.keep_one_spare();
    head.end = head.index + count;
  }

  const CellLayout<Sync> layout_;
  const std::size_t capacity_;
  const std::size_t round_;  // cells of the ring, or of a block
  Blocks blocks_;            // of an unbounded ring
  Flag* const first_;
  typename Sync::template atomic<std::uint64_t> made_{0};  // cells: of the ring, or of all blocks there have been
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_ENGINE_CELL_RING_HPP
