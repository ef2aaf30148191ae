// SPDX-License-Identifier: MIT
//
// store.hpp: what is stored, as the consumers' side of a queue sees it: one sequence, oldest first.
//
// Nearly always it is the full cells of the ring. A batch larger than the capacity has to take elements out before it
// has all of them: they are set aside, and put back in front of the ring when it ends, whichever way it ends.
//
// Guarded by the consumers' lock. What the member functions count may be more a moment later, never less.

#ifndef FOREBAY_ENGINE_STORE_HPP
#define FOREBAY_ENGINE_STORE_HPP

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "forebay/base/arithmetic.hpp"
#include "forebay/engine/cell_ring.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Invariants:
///  - the `returned_left_` elements of `returned_`, then the ring from `head_`: the order in which they arrived;
///  - the first `seen_` cells from `head_` are full;
///  - elements are set aside by one batch at a time, and none stands in front of the ring meanwhile.
template <class Element, class Sync>
class Store {
 public:
  using Ring = CellRing<Element, Sync>;
  using Cursor = typename Ring::Cursor;

  explicit Store(Ring& ring) noexcept : head_(ring.head()), ring_(ring) {}

  /// Whether at least `count` elements are stored. Requires count > 0.
  [[nodiscard]] bool holds(std::size_t count) const noexcept {
    return count <= returned_left_ || ring_holds(count - returned_left_);
  }

  /// Whether at least `count` elements are in the ring. Requires count > 0.
  [[nodiscard]] bool ring_holds(std::size_t count) const noexcept {
    return count <= ring_.capacity() && ring_.is_full(head_, count - 1);
  }

  /// How many elements are stored, counted no further than `limit`.
  [[nodiscard]] std::size_t count(std::size_t limit) noexcept {
    const std::size_t wanted = smaller(saturating_subtract(limit, returned_left_), ring_.capacity());
    if (wanted > seen_) seen_ = ring_.count_full(head_, seen_, wanted);
    return smaller(limit, returned_left_ + seen_);
  }

  /// The i-th stored element. Requires that it is there.
  [[nodiscard]] Element& operator[](std::size_t i) noexcept {
    return i < returned_left_ ? first_returned(i) : ring_.at(head_, i - returned_left_);
  }

  /// Lets two stored elements change places.
  static void swap(Element& a, Element& b) noexcept {
    static_assert(std::is_nothrow_move_constructible_v<Element>);
    if (std::addressof(a) == std::addressof(b)) return;
    Element kept(std::move(a));
    a.~Element();
    ::new (static_cast<void*>(std::addressof(a))) Element(std::move(b));
    b.~Element();
    ::new (static_cast<void*>(std::addressof(b))) Element(std::move(kept));
  }

  /// Lets the i-th and the `chosen(i)`-th stored element change places, for each i below `count`.
  template <class Choose>
  void swap_each(std::size_t count, Choose chosen) noexcept {
    if (returned_left_ == 0) {
      const auto elements = ring_.elements(head_);
      for (std::size_t i = 0; i < count; ++i) swap(elements[i], elements[chosen(i)]);
    } else {
      for (std::size_t i = 0; i < count; ++i) swap((*this)[i], (*this)[chosen(i)]);
    }
  }

  /// Hands the first `count` stored elements to `receive`, which must not throw, and removes them: where they stood in
  /// the ring there is room now.
  template <class Receive>
  [[gnu::always_inline]] inline void remove(std::size_t count, Receive receive) noexcept {
    for (; returned_left_ > 0 && count > 0; --count) {
      receive(first_returned(0));
      remove_returned();
    }
    ring_.remove(head_, count, receive);
    if (seen_ > 0) seen_ = saturating_subtract(seen_, count);
  }

  /// Takes the first `count` elements out, to be put back later. Requires that all that stand in front of the ring are
  /// among them. If this throws, nothing has changed.
  void set_aside(std::size_t count) {
    if (aside_ == nullptr) aside_ = std::make_unique<Elements>();
    const std::size_t before = aside_->size();
    try {
      for (std::size_t i = 0; i < count; ++i) aside_->push_back(std::move_if_noexcept((*this)[i]));
    } catch (...) {
      while (aside_->size() > before) aside_->pop_back();
      throw;
    }
    remove(count, [](Element&) {});
  }

  /// Puts what was set aside back in front of everything.
  void put_back() noexcept {
    if (aside() == 0) return;
    returned_left_ = aside();
    returned_ = std::move(aside_);
  }

  /// How many elements stand in front of the ring.
  [[nodiscard]] std::size_t returned() const noexcept { return returned_left_; }

  /// How many elements are set aside.
  [[nodiscard]] std::size_t aside() const noexcept { return aside_ == nullptr ? 0 : aside_->size(); }

  /// The consumers' place in the ring.
  [[nodiscard]] Cursor& head() noexcept { return head_; }
  [[nodiscard]] const Cursor& head() const noexcept { return head_; }

 private:
  // Grows without moving what is in it, and lets go of one element at a time.
  using Elements = std::deque<Element>;

  [[nodiscard]] Element& first_returned(std::size_t i) noexcept { return (*returned_)[i]; }

  void remove_returned() noexcept {
    returned_->pop_front();
    if (--returned_left_ == 0) returned_.reset();
  }

  Cursor head_;
  std::size_t seen_ = 0;
  std::size_t returned_left_ = 0;
  Ring& ring_;
  std::unique_ptr<Elements> returned_;  // none, most of the time
  std::unique_ptr<Elements> aside_;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_ENGINE_STORE_HPP
