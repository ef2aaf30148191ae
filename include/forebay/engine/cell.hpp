// SPDX-License-Identifier: MIT
//
// cell.hpp: Cell, room for one element and a flag that says whether the cell is full. Allocated cells are only address
// space; a cell uses memory once it is constructed.

#ifndef FOREBAY_ENGINE_CELL_HPP
#define FOREBAY_ENGINE_CELL_HPP

#include <bit>
#include <cstddef>
#include <memory>
#include <new>

#include "forebay/base/arithmetic.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// The beginning of every cell, independent of the element type.
template <class Sync>
struct CellFlag {
  typename Sync::template atomic<bool> full{false};
};

/// A cell for elements of a known type: its flag, and storage in which the element is constructed.
template <class Element, class Sync>
struct Cell : CellFlag<Sync> {
  [[nodiscard]] Element& element() noexcept { return *std::launder(reinterpret_cast<Element*>(storage)); }

  // NOLINTNEXTLINE(bugprone-sizeof-expression): an element may well be a pointer
  alignas(Element) std::byte storage[sizeof(Element)];
};

/// The number of cells that are constructed at once, ahead of the first element that needs one: 64, or a few pages of
/// large ones. Tests specialise this and the next constant by their Sync.
template <class Element, class Sync>
inline constexpr std::size_t cells_made_at_once =
    larger<std::size_t>(smaller<std::size_t>(16'384 / sizeof(Cell<Element, Sync>), 64), 1);

/// The number of cells in a block, a power of two: about 32 kB, but enough that not every element needs an allocation.
template <class Element, class Sync>
inline constexpr std::size_t cells_of_a_block =
    std::bit_floor(larger<std::size_t>(32'768 / sizeof(Cell<Element, Sync>), 8));

/// The properties of the element type that a ring needs. Code that needs only these is compiled once.
template <class Sync>
struct CellLayout {
  using Flag = CellFlag<Sync>;

  template <class Element>
  [[nodiscard]] static constexpr CellLayout of() noexcept {
    static_assert(std::has_single_bit(cells_of_a_block<Element, Sync>));
    return {sizeof(Cell<Element, Sync>), alignof(Cell<Element, Sync>), cells_made_at_once<Element, Sync>,
            cells_of_a_block<Element, Sync>};
  }

  [[nodiscard]] Flag& at(Flag* cells, std::size_t index) const noexcept {
    return *std::launder(reinterpret_cast<Flag*>(reinterpret_cast<std::byte*>(cells) + index * size));
  }

  [[nodiscard]] Flag* allocate(std::size_t count) const {
    void* const cells = is_ordinary() ? std::allocator<std::byte>().allocate(count * size)
                                      : ::operator new(count* size, std::align_val_t(alignment));
    return static_cast<Flag*>(cells);
  }

  /// Constructs `count` empty cells in allocated memory, beginning at `first`.
  void make(Flag* cells, std::size_t first, std::size_t count) const noexcept {
    auto* place = reinterpret_cast<std::byte*>(cells) + first * size;
    for (; count > 0; --count, place += size) ::new (static_cast<void*>(place)) Flag;
  }

  /// Frees `count` cells, the first `made` of which were constructed and are empty.
  [[gnu::noinline]] void deallocate(Flag* cells, std::size_t count, std::size_t made) const noexcept {
    for (std::size_t i = 0; i < made; ++i) std::destroy_at(&at(cells, i));
    if (is_ordinary())
      return std::allocator<std::byte>().deallocate(reinterpret_cast<std::byte*>(cells), count * size);
    ::operator delete(cells, std::align_val_t(alignment));
  }

  /// Returns whether the default alignment of memory suffices.
  [[nodiscard]] bool is_ordinary() const noexcept { return alignment <= __STDCPP_DEFAULT_NEW_ALIGNMENT__; }

  std::size_t size;  // of a cell
  std::size_t alignment;
  std::size_t made_at_once;
  std::size_t of_a_block;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_ENGINE_CELL_HPP
