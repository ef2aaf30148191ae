// SPDX-License-Identifier: MIT
//
// cell_store.hpp: CellStore, the stored elements as one sequence, oldest first, as the consumers' side counts them.
//
// Normally these are the full cells of the ring. A batch larger than the capacity has to remove elements before it is
// complete. They are set aside in a second ring. If the batch fails, they precede all other elements again.
//
// Guarded by the consumers' lock. The counts that members return may grow at any moment, but never shrink.

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

  /// Elements that were removed from the ring.
  struct Gathered {
    explicit Gathered(const Ring& like) : ring(unbounded, like.layout()) {}

    Ring ring;
    Cursor head = ring.head();
    Cursor tail = ring.tail();
  };

  explicit CellStore(Ring& cells) noexcept : head(cells.head()), ring(cells) {}

  /// Returns whether at least `count` elements are stored. Requires count > 0.
  [[nodiscard]] bool holds(std::size_t count) const noexcept {
    return count <= returned || ring_holds(count - returned);
  }

  /// Returns whether at least `count` elements are in the ring. Requires count > 0.
  [[nodiscard]] bool ring_holds(std::size_t count) const noexcept {
    return count <= ring.capacity() && ring.is_full(head, count - 1);
  }

  /// Returns the number of stored elements, at most `limit`.
  [[nodiscard]] std::size_t count(std::size_t limit) noexcept {
    const std::size_t wanted = smaller(saturating_subtract(limit, returned), ring.capacity());
    if (wanted > seen) seen = ring.count_full(head, seen, wanted);
    return smaller(limit, returned + seen);
  }

  /// Returns the ring for elements that are set aside.
  [[gnu::noinline]] Gathered& gather() {
    if (gathered == nullptr) gathered = std::make_unique<Gathered>(ring);
    return *gathered;
  }

  /// Frees that ring. Requires that it is empty.
  [[gnu::noinline]] void discard_gathered() noexcept { gathered.reset(); }

  /// Returns the elements that were set aside to the front.
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
