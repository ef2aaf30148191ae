// SPDX-License-Identifier: MIT
//
// pad.hpp: what a component is padded with, if it ever is.

#ifndef FOREBAY_BATCH_PAD_HPP
#define FOREBAY_BATCH_PAD_HPP

#include <concepts>
#include <type_traits>

#include "forebay/batch/nesting.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

struct NoPadding;

template <class Value>
concept SomePadding = !std::same_as<std::remove_cvref_t<Value>, NoPadding>;

/// See padded_batch.hpp.
struct NoPadding {
  constexpr NoPadding() noexcept = default;
  template <SomePadding Value>
  constexpr NoPadding(Value&& /*value*/) noexcept {}
};

template <class Component>
using PadOf = std::conditional_t<is_ragged<Component>, typename Nesting<Component>::Scalar, NoPadding>;

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_BATCH_PAD_HPP
