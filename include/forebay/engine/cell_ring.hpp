// SPDX-License-Identifier: MIT
//
// cell_ring.hpp: the storage of a queue: a ring of cells, each room for one element and a flag that says whether it is
// there.
//
// The flags are all that the two sides of a queue share. A side has a cursor of its own, guarded by its own lock:
// producers fill the cell at theirs and set its flag, consumers empty the cell at theirs and clear its flag. Both go
// round in order, so "the n-th cell from here is full" says that n elements are there, and "is empty" that there is
// room for n.

#ifndef FOREBAY_ENGINE_CELL_RING_HPP
#define FOREBAY_ENGINE_CELL_RING_HPP

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

template <class Element, class Sync>
class CellRing {
 public:
  /// A side's place in the ring, and how many cells it has passed since the beginning.
  struct Cursor {
    std::size_t index = 0;
    std::uint64_t passed_before_this_round = 0;  // apart from the index, so that an operation writes one word, not two

    [[nodiscard]] std::uint64_t passed() const noexcept { return passed_before_this_round + index; }
  };

  explicit CellRing(std::size_t capacity) : cells_(allocate(capacity)), capacity_(capacity) {}

  CellRing(const CellRing&) = delete;
  CellRing& operator=(const CellRing&) = delete;

  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }

  /// Whether the cell `ahead` of `cursor` holds an element. Requires ahead < capacity().
  ///
  /// What X did before put() is visible to Y when this returns true for its cell; what X did before remove() is
  /// visible to Y when it returns false.
  [[nodiscard, gnu::always_inline]] inline bool is_full(const Cursor& cursor, std::size_t ahead) const noexcept {
    // Pairs with the releases in put() and remove(). The cells before this one were passed to it through the other
    // side's lock, so its flag vouches for them too.
    return cells_from(cursor)[ahead].full.load(std::memory_order_acquire);
  }

  /// How many of the cells from `cursor` on hold elements, of which `seen` are known to; counted no further than
  /// `limit`, which is at most capacity().
  [[nodiscard]] std::size_t count_full(const Cursor& cursor, std::size_t seen, std::size_t limit) const noexcept {
    const Cells cells = cells_from(cursor);
    while (seen < limit && cells[seen].full.load(std::memory_order_acquire)) ++seen;  // as in is_full()
    return seen;
  }

  /// The elements from `cursor` on, for a loop that looks at many: `elements(cursor)[ahead]`. Requires of each that it
  /// is there.
  [[nodiscard]] auto elements(const Cursor& cursor) noexcept { return Elements{cells_from(cursor)}; }

  /// The element `ahead` of `cursor`. Requires that it is there.
  [[nodiscard]] Element& at(const Cursor& cursor, std::size_t ahead) noexcept { return elements(cursor)[ahead]; }

  /// Makes an element in the cell at `tail` and passes on. Requires that the cell is empty. If the constructor throws,
  /// nothing has changed.
  template <class... Arguments>
  [[gnu::always_inline]] inline void put(Cursor& tail, Arguments&&... arguments) {
    Cell& cell = cells_[tail.index];
    ::new (static_cast<void*>(cell.storage)) Element(std::forward<Arguments>(arguments)...);
    cell.full.store(true, std::memory_order_release);
    pass(tail);
  }

  /// Hands the `count` elements from `head` on to `receive`, which must not throw, destroys them and passes on.
  /// Requires that they are there.
  template <class Receive>
  [[gnu::always_inline]] inline void remove(Cursor& head, std::size_t count, Receive receive) noexcept {
    Cell* const cells = cells_.get();
    Cursor cursor = head;
    for (; count > 0; --count) {
      Cell& cell = cells[cursor.index];
      receive(cell.element());
      cell.element().~Element();
      cell.full.store(false, std::memory_order_release);
      pass(cursor);
    }
    head = cursor;
  }

  /// Doubles the capacity. Requires that nobody else uses the ring. If a copy or an allocation throws, nothing has
  /// changed; an element that can only be moved, by a move that throws, may be lost.
  void grow(Cursor& head, Cursor& tail) {
    CellRing larger(doubled(capacity_));
    Cursor larger_head;
    Cursor larger_tail;
    const auto count = static_cast<std::size_t>(tail.passed() - head.passed());
    try {
      for (std::size_t i = 0; i < count; ++i) larger.put(larger_tail, std::move_if_noexcept(at(head, i)));
    } catch (...) {
      larger.clear(larger_head, larger_tail);
      throw;
    }
    clear(head, tail);
    cells_.swap(larger.cells_);
    std::swap(capacity_, larger.capacity_);
    head = {0, head.passed() - count};
    tail = {count, head.passed()};
  }

  /// Destroys the elements between the cursors.
  void clear(Cursor& head, const Cursor& tail) noexcept {
    remove(head, static_cast<std::size_t>(tail.passed() - head.passed()), [](Element&) {});
  }

 private:
  struct Cell {
    // Storage that is not initialised: a cell is made before its element is.
    Cell() noexcept {}  // NOLINT(modernize-use-equals-default)

    [[nodiscard]] Element& element() noexcept { return *std::launder(reinterpret_cast<Element*>(storage)); }

    alignas(Element) std::byte storage[sizeof(Element)];
    typename Sync::template atomic<bool> full{false};
  };

  /// The cells from a cursor on, round the end of the ring.
  struct Cells {
    Cell* first;
    std::size_t index;
    std::size_t to_end;

    [[nodiscard]] Cell& operator[](std::size_t ahead) const noexcept {
      return first[ahead < to_end ? index + ahead : ahead - to_end];
    }
  };

  struct Elements {
    Cells cells;

    [[nodiscard]] Element& operator[](std::size_t ahead) const noexcept { return cells[ahead].element(); }
  };

  static std::unique_ptr<Cell[]> allocate(std::size_t capacity) {
    constexpr std::size_t most = std::numeric_limits<std::ptrdiff_t>::max() / sizeof(Cell);
    if (capacity > most) {
      throw std::invalid_argument("forebay: capacity " + std::to_string(capacity) + " exceeds the possible " +
                                  std::to_string(most) + " elements of " + std::to_string(sizeof(Cell)) + " bytes");
    }
    return std::unique_ptr<Cell[]>(new Cell[capacity]);
  }

  static std::size_t doubled(std::size_t capacity) {
    if (capacity > std::numeric_limits<std::size_t>::max() / 2) throw std::bad_alloc();
    return 2 * capacity;
  }

  [[nodiscard]] Cells cells_from(const Cursor& cursor) const noexcept {
    return {cells_.get(), cursor.index, capacity_ - cursor.index};
  }

  void pass(Cursor& cursor) const noexcept {
    if (++cursor.index < capacity_) return;
    cursor.index = 0;
    cursor.passed_before_this_round += capacity_;
  }

  std::unique_ptr<Cell[]> cells_;
  std::size_t capacity_;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_ENGINE_CELL_RING_HPP
