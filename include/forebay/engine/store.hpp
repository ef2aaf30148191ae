// SPDX-License-Identifier: MIT
//
// store.hpp: Store, a typed view of the CellStore, for disciplines and for the removal of elements.

#ifndef FOREBAY_ENGINE_STORE_HPP
#define FOREBAY_ENGINE_STORE_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "forebay/base/arithmetic.hpp"
#include "forebay/base/prefetch.hpp"
#include "forebay/engine/cell_store.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Refers to the CellStore. Guarded by the consumers' lock.
template <class Element, class Sync>
class Store {
 public:
  explicit Store(CellStore<Sync>& cells) noexcept : cells_(cells) {}

  /// Returns the number of stored elements, at most `limit`.
  [[nodiscard]] std::size_t count(std::size_t limit) noexcept { return cells_.count(limit); }

  /// Returns the number of elements that have left the ring since the beginning.
  [[nodiscard]] std::uint64_t left() const noexcept { return cells_.head.passed(); }

  /// Returns the i-th stored element. Requires that it exists.
  [[nodiscard]] Element& operator[](std::size_t i) noexcept {
    return i < cells_.returned ? first_returned(i) : elements()[i - cells_.returned];
  }

  /// Swaps two stored elements.
  static void swap(Element& a, Element& b) noexcept {
    static_assert(std::is_nothrow_move_constructible_v<Element>);
    if (std::addressof(a) == std::addressof(b)) return;
    Element kept(std::move(a));
    a.~Element();
    ::new (static_cast<void*>(std::addressof(a))) Element(std::move(b));
    b.~Element();
    ::new (static_cast<void*>(std::addressof(b))) Element(std::move(kept));
  }

  /// Swaps the i-th and the `chosen(i)`-th stored element, for each i from `first` up to `last` - 1.
  template <class Choose>
  [[gnu::always_inline]] inline void swap_each(std::size_t first, std::size_t last, Choose chosen) noexcept {
    if (cells_.returned == 0) {
      const auto all = elements();
      for (std::size_t i = first; i < last; ++i) swap(all[i], all[chosen(i)]);
    } else {
      for (std::size_t i = first; i < last; ++i) swap((*this)[i], (*this)[chosen(i)]);
    }
  }

  /// Prefetches the i-th stored element, which is likely to be needed soon.
  void prefetch(std::size_t i) const noexcept {
    if (cells_.returned == 0) [[likely]]
      detail::prefetch(elements()[i]);
  }

  /// Passes the first `count` stored elements to `receive`, which must not throw, and removes them, which makes room in
  /// the ring. Requires that no elements are set aside, or that none are given back.
  template <class Receive>
  [[gnu::always_inline]] inline void remove(std::size_t count, Receive receive) noexcept {
    if (cells_.returned > 0) [[unlikely]]
      count -= remove_returned(count, receive);
    remove_from_ring(count, receive);
  }

  /// Sets the first `count` elements aside. If this throws, some of them are set aside.
  [[gnu::noinline]] void set_aside(std::size_t count) {
    const std::size_t again = smaller(count, cells_.returned);
    cells_.returned -= again;
    cells_.aside += again;
    for (count -= again; count > 0; --count) {
      move_first_of_ring();
      ++cells_.aside;
      remove_from_ring(1, [](Element&) {});
    }
  }

  /// Moves the first element of the ring behind the returned elements, which frees its cell. If this throws, nothing
  /// has changed. Requires that the ring is not empty.
  [[gnu::noinline]] void return_first_of_ring() {
    move_first_of_ring();
    ++cells_.returned;
    remove_from_ring(1, [](Element&) {});
  }

  /// Destroys the stored elements.
  void clear(const typename CellStore<Sync>::Cursor& tail) noexcept {
    cells_.ring.template clear<Element>(cells_.head, tail);
    if (cells_.gathered == nullptr) return;
    cells_.gathered->ring.template clear<Element>(cells_.gathered->head, cells_.gathered->tail);
  }

 private:
  using Gathered = typename CellStore<Sync>::Gathered;

  /// Moves the first element of the ring behind the gathered ones. Its cell stays full.
  void move_first_of_ring() {
    auto& gathered = cells_.gather();
    gathered.ring.template put<Element>(gathered.tail, std::move_if_noexcept(elements()[0]));
  }

  [[nodiscard]] auto elements() const noexcept { return cells_.ring.template elements<Element>(cells_.head); }

  [[nodiscard]] Element& first_returned(std::size_t i) const noexcept {
    return cells_.gathered->ring.template elements<Element>(cells_.gathered->head)[cells_.aside + i];
  }

  template <class Receive>
  [[gnu::always_inline]] inline void remove_from_ring(std::size_t count, Receive receive) noexcept {
    cells_.ring.template remove<Element>(cells_.head, count, receive);
    if (cells_.seen > 0) cells_.seen = saturating_subtract(cells_.seen, count);
  }

  /// Returns how many.
  template <class Receive>
  [[gnu::noinline]] std::size_t remove_returned(std::size_t most, Receive receive) noexcept {
    const std::size_t count = smaller(most, cells_.returned);
    cells_.gathered->ring.template remove<Element>(cells_.gathered->head, count, receive);
    cells_.returned -= count;
    if (cells_.returned == 0) cells_.discard_gathered();
    return count;
  }

  CellStore<Sync>& cells_;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_ENGINE_STORE_HPP
