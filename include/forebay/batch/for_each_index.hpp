// SPDX-License-Identifier: MIT
//
// for_each_index.hpp: a loop with a constant index, for iterating over the components of an element.

#ifndef FOREBAY_BATCH_FOR_EACH_INDEX_HPP
#define FOREBAY_BATCH_FOR_EACH_INDEX_HPP

#include <cstddef>
#include <utility>

#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

template <class Function, std::size_t... indices>
constexpr void call_with_each(const Function& function, std::index_sequence<indices...>) {
  (function.template operator()<indices>(), ...);
}

/// Calls `function.operator()<index>()` for each index below `count`, in order.
template <std::size_t count, class Function>
constexpr void for_each_index(const Function& function) {
  call_with_each(function, std::make_index_sequence<count>());
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_BATCH_FOR_EACH_INDEX_HPP
