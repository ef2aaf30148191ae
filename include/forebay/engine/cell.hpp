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
#include <type_traits>

#include "forebay/base/arithmetic.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

template <class Element, class Sync>
struct Cell {
  // Storage that is not initialised: a cell is made before its element is.
  Cell() noexcept {}  // NOLINT(modernize-use-equals-default)

  [[nodiscard]] Element& element() noexcept { return *std::launder(reinterpret_cast<Element*>(storage)); }

  /// Makes `count` empty cells in what was allocated for them.
  static void make(Cell* cells, std::size_t count) noexcept {
    for (std::size_t i = 0; i < count; ++i) ::new (static_cast<void*>(cells + i)) Cell;
  }

  /// Gives back `count` cells, of which `made` were made and hold nothing.
  static void deallocate(Cell* cells, std::size_t count, std::size_t made) noexcept {
    if constexpr (!std::is_trivially_destructible_v<Cell>) std::destroy_n(cells, made);
    std::allocator<Cell>().deallocate(cells, count);
  }

  alignas(Element) std::byte storage[sizeof(Element)];
  typename Sync::template atomic<bool> full{false};
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

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_ENGINE_CELL_HPP
