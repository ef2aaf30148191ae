// SPDX-License-Identifier: MIT
//
// slot.hpp: Slot<T>, which holds an element on its way from one chunk to another. A large element stays where it was
// created; only its pointer moves.

#ifndef FOREBAY_FLOW_SLOT_HPP
#define FOREBAY_FLOW_SLOT_HPP

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

#include "forebay/flow/move_into.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Larger elements cost less to find through a pointer than to move.
inline constexpr std::size_t most_bytes_moved = 128;

template <class T>
inline constexpr bool lies_apart = sizeof(T) > most_bytes_moved;

/// Stores a small element in the slot itself.
template <class T>
struct HeldElement {
  [[nodiscard]] T& operator*() noexcept { return element; }

  T element;
};

/// Holds an element, or the storage that an element has left. A slot of a large element may be empty.
template <class T>
using Slot = std::conditional_t<lies_apart<T>, std::unique_ptr<T>, HeldElement<T>>;

template <class T>
[[nodiscard]] Slot<T> make_slot(std::type_identity_t<T>&& element) {
  if constexpr (lies_apart<T>) {
    return std::make_unique<T>(std::move(element));
  } else {
    return {std::move(element)};
  }
}

/// Moves an element into the slot. Creates it there if the slot has no storage.
template <class T>
void fill_slot(Slot<T>& slot, std::type_identity_t<T>&& element) {
  if constexpr (lies_apart<T>) {
    if (slot == nullptr) {
      slot = make_slot<T>(std::move(element));
      return;
    }
  }
  move_into(*slot, std::move(element));
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_FLOW_SLOT_HPP
