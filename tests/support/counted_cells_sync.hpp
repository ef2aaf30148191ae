// SPDX-License-Identifier: MIT
//
// counted_cells_sync.hpp: StdSync with blocks of four cells that counts flags as they are constructed. So a test sees
// how many cells a queue makes, and when.

#ifndef FOREBAY_TESTS_SUPPORT_COUNTED_CELLS_SYNC_HPP
#define FOREBAY_TESTS_SUPPORT_COUNTED_CELLS_SYNC_HPP

#include <atomic>
#include <cstddef>
#include <type_traits>

#include "forebay/engine/cell.hpp"
#include "forebay/sync.hpp"

namespace forebay_test {

struct CountedCellsSync : forebay::StdSync {
  class Flag : public std::atomic<bool> {
   public:
    explicit Flag(bool value) noexcept : std::atomic<bool>(value) { ++flags_made; }
  };

  // Waiting threads have a flag, too: let none wait while cells are counted.
  template <class T>
  using atomic = std::conditional_t<std::is_same_v<T, bool>, Flag, std::atomic<T>>;

  static inline std::atomic<std::size_t> flags_made = 0;
};

}  // namespace forebay_test

template <class Element>
inline constexpr std::size_t forebay::detail::cells_of_a_block<Element, forebay_test::CountedCellsSync> = 4;

#endif  // FOREBAY_TESTS_SUPPORT_COUNTED_CELLS_SYNC_HPP
