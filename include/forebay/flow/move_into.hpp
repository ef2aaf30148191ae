// SPDX-License-Identifier: MIT
//
// move_into.hpp: move_into(), which move-assigns an element to storage that is reused.

#ifndef FOREBAY_FLOW_MOVE_INTO_HPP
#define FOREBAY_FLOW_MOVE_INTO_HPP

#include <cstring>
#include <memory>
#include <type_traits>
#include <utility>

#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Move-assigns `element` to `place`. Large trivially copyable types use std::memmove, which selects the fastest copy
/// for the machine. GCC compiles their assignment to one repeating instruction, which takes up to three times as long.
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
