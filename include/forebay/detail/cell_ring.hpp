// SPDX-License-Identifier: MIT
//
// cell_ring.hpp: the storage of a queue: a ring of cells, each room for one element and a flag that says whether it is
// there.
//
// The flags are all that the two sides of a queue share. A side has a cursor of its own, guarded by its own lock:
// producers fill the cell at theirs and set its flag, consumers empty the cell at theirs and clear its flag. Both go
// round in order, so "the n-th cell from here is full" says that n elements are there, and "is empty" that there is
// room for n.

#ifndef FOREBAY_DETAIL_CELL_RING_HPP
#define FOREBAY_DETAIL_CELL_RING_HPP

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

namespace forebay::detail {

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
    return cell(cursor, ahead).full.load(std::memory_order_acquire);
  }

  /// The element `ahead` of `cursor`. Requires that it is there.
  [[nodiscard]] Element& at(const Cursor& cursor, std::size_t ahead) noexcept { return cell(cursor, ahead).element(); }

  /// Makes an element in the cell at `tail` and passes on. Requires that the cell is empty. If the constructor throws,
  /// nothing has changed.
  template <class... Arguments>
  [[gnu::always_inline]] inline void put(Cursor& tail, Arguments&&... arguments) {
    Cell& cell = cells_[tail.index];
    ::new (static_cast<void*>(cell.storage)) Element(std::forward<Arguments>(arguments)...);
    cell.full.store(true, std::memory_order_release);
    pass(tail);
  }

  /// Destroys the element in the cell at `head` and passes on. Requires that it is there.
  void remove(Cursor& head) noexcept {
    Cell& cell = cells_[head.index];
    cell.element().~Element();
    cell.full.store(false, std::memory_order_release);
    pass(head);
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
    while (head.passed() != tail.passed()) remove(head);
  }

 private:
  struct Cell {
    // Storage that is not initialised: a cell is made before its element is.
    Cell() noexcept {}  // NOLINT(modernize-use-equals-default)

    [[nodiscard]] Element& element() noexcept { return *std::launder(reinterpret_cast<Element*>(storage)); }

    alignas(Element) std::byte storage[sizeof(Element)];
    typename Sync::template atomic<bool> full{false};
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

  [[nodiscard]] Cell& cell(const Cursor& cursor, std::size_t ahead) const noexcept {
    const std::size_t to_end = capacity_ - cursor.index;
    return cells_[ahead < to_end ? cursor.index + ahead : ahead - to_end];
  }

  void pass(Cursor& cursor) const noexcept {
    if (++cursor.index < capacity_) return;
    cursor.index = 0;
    cursor.passed_before_this_round += capacity_;
  }

  std::unique_ptr<Cell[]> cells_;
  std::size_t capacity_;
};

}  // namespace forebay::detail

#endif  // FOREBAY_DETAIL_CELL_RING_HPP
