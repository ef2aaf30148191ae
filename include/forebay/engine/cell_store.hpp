// SPDX-License-Identifier: MIT
//
// cell_store.hpp: what is stored, as the consumers' side of a queue counts it: one sequence, oldest first.
//
// Nearly always it is the full cells of the ring. A batch larger than the capacity has to take elements out before it
// has all of them: they are gathered in a ring of their own, set aside, and stand in front of everything else again
// when the batch ends, whichever way it ends.
//
// Guarded by the consumers' lock. What the member functions count may be more a moment later, never less.

#ifndef FOREBAY_ENGINE_CELL_STORE_HPP
#define FOREBAY_ENGINE_CELL_STORE_HPP

#include <cstddef>
#include <memory>
#include <utility>

#include "forebay/base/arithmetic.hpp"
#include "forebay/count.hpp"
#include "forebay/engine/cell_ring.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Invariants:
///  - the order of arrival: the `aside` elements that are first in `gathered`, those behind them there, which were
///    given back, the ring from `head` on;
///  - the first `seen` cells from `head` are full.
template <class Sync>
struct CellStore {
  using Ring = CellRing<Sync>;
  using Cursor = typename Ring::Cursor;

  /// Elements that were taken out of the ring.
  struct Gathered {
    explicit Gathered(const Ring& like) : ring(unbounded, like.layout()) {}

    Ring ring;
    Cursor head = ring.head();
    Cursor tail = ring.tail();
  };

  explicit CellStore(Ring& cells) noexcept : head(cells.head()), ring(cells) {}

  /// Whether at least `count` elements are stored. Requires count > 0.
  [[nodiscard]] bool holds(std::size_t count) const noexcept {
    return count <= returned || ring_holds(count - returned);
  }

  /// Whether at least `count` elements are in the ring. Requires count > 0.
  [[nodiscard]] bool ring_holds(std::size_t count) const noexcept {
    return count <= ring.capacity() && ring.is_full(head, count - 1);
  }

  /// How many elements are stored, counted no further than `limit`.
  [[nodiscard]] std::size_t count(std::size_t limit) noexcept {
    const std::size_t wanted = smaller(saturating_subtract(limit, returned), ring.capacity());
    if (wanted > seen) seen = ring.count_full(head, seen, wanted);
    return smaller(limit, returned + seen);
  }

  /// Where to gather elements.
  [[gnu::noinline]] Gathered& gather() {
    if (gathered == nullptr) gathered = std::make_unique<Gathered>(ring);
    return *gathered;
  }

  /// Requires that nothing is left of it.
  [[gnu::noinline]] void discard_gathered() noexcept { gathered.reset(); }

  /// Puts what was set aside back in front of everything.
  void put_back() noexcept { returned += std::exchange(aside, 0); }

  Cursor head;  // the consumers' place in the ring
  std::size_t seen = 0;
  std::size_t returned = 0;  // how many elements stand in front of the ring
  Ring& ring;
  std::size_t aside = 0;               // how many elements are set aside
  std::unique_ptr<Gathered> gathered;  // none, most of the time
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_ENGINE_CELL_STORE_HPP
