// SPDX-License-Identifier: MIT
//
// cell.hpp: room for one element, and a flag that says whether it is there; and cells as an allocator gives them out,
// as address space only: a cell costs memory from when it is made.

#ifndef FOREBAY_ENGINE_CELL_HPP
#define FOREBAY_ENGINE_CELL_HPP

#include <bit>
#include <cstddef>
#include <memory>
#include <new>

#include "forebay/base/arithmetic.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// What a cell begins with, whatever it is room for.
template <class Sync>
struct CellFlag {
  typename Sync::template atomic<bool> full{false};
};

/// A cell as who knows the type of its element sees it. What is made is its flag, and in its storage the element.
template <class Element, class Sync>
struct Cell : CellFlag<Sync> {
  [[nodiscard]] Element& element() noexcept { return *std::launder(reinterpret_cast<Element*>(storage)); }

  // NOLINTNEXTLINE(bugprone-sizeof-expression): an element may well be a pointer
  alignas(Element) std::byte storage[sizeof(Element)];
};

/// How many cells are made at once, ahead of the first element that needs one: 64, or a few pages of large ones. For
/// tests to specialise by their Sync, as the next one.
template <class Element, class Sync>
inline constexpr std::size_t cells_made_at_once =
    larger<std::size_t>(smaller<std::size_t>(16'384 / sizeof(Cell<Element, Sync>), 64), 1);

/// How many cells a block has, a power of two: some 32 kB of them, but not so few that each element costs an
/// allocation.
template <class Element, class Sync>
inline constexpr std::size_t cells_of_a_block =
    std::bit_floor(larger<std::size_t>(32'768 / sizeof(Cell<Element, Sync>), 8));

/// All that a ring has to know of the type of its elements. What needs no more than that is compiled once.
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

  /// Makes `count` empty cells from the one at `first` on, in what was allocated for them.
  void make(Flag* cells, std::size_t first, std::size_t count) const noexcept {
    auto* place = reinterpret_cast<std::byte*>(cells) + first * size;
    for (; count > 0; --count, place += size) ::new (static_cast<void*>(place)) Flag;
  }

  /// Gives back `count` cells, of which `made` were made and hold nothing.
  [[gnu::noinline]] void deallocate(Flag* cells, std::size_t count, std::size_t made) const noexcept {
    for (std::size_t i = 0; i < made; ++i) std::destroy_at(&at(cells, i));
    if (is_ordinary())
      return std::allocator<std::byte>().deallocate(reinterpret_cast<std::byte*>(cells), count * size);
    ::operator delete(cells, std::align_val_t(alignment));
  }

  /// Whether memory is aligned for it, as it comes.
  [[nodiscard]] bool is_ordinary() const noexcept { return alignment <= __STDCPP_DEFAULT_NEW_ALIGNMENT__; }

  std::size_t size;  // of a cell
  std::size_t alignment;
  std::size_t made_at_once;
  std::size_t of_a_block;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_ENGINE_CELL_HPP
