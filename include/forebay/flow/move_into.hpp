// SPDX-License-Identifier: MIT
//
// move_into.hpp: move_into(), the move assignment of an element to storage that is used again.

#ifndef FOREBAY_FLOW_MOVE_INTO_HPP
#define FOREBAY_FLOW_MOVE_INTO_HPP

#include <cstring>
#include <memory>
#include <type_traits>
#include <utility>

#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// A record that is nothing but bytes goes through the C library, which chooses the copy that suits the machine: what
/// GCC makes of a large assignment, one instruction that repeats, takes up to three times as long.
template <class T>
void move_into(T& place, std::type_identity_t<T>&& element) {
  if constexpr (std::is_trivially_copyable_v<T> && sizeof(T) > 128) {
    std::memmove(std::addressof(place), std::addressof(element), sizeof(T));
  } else {
    place = std::move(element);
  }
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_FLOW_MOVE_INTO_HPP
