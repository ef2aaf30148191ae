// SPDX-License-Identifier: MIT
//
// pad.hpp: what a component is padded with, if it ever is.

#ifndef FOREBAY_BATCH_PAD_HPP
#define FOREBAY_BATCH_PAD_HPP

#include <concepts>
#include <type_traits>

#include "forebay/batch/nesting.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI {

struct NoPadding;

namespace detail {

template <class Value>
concept SomePadding = !std::same_as<std::remove_cvref_t<Value>, NoPadding>;

}  // namespace detail

/// Stands where a pad value would, for a component that is never padded. Made implicitly from anything.
struct NoPadding {
  constexpr NoPadding() noexcept = default;
  template <detail::SomePadding Value>
  constexpr NoPadding(Value&& /*value*/) noexcept {}
};

namespace detail {

template <class Component>
using PadOf = std::conditional_t<is_ragged<Component>, typename Nesting<Component>::Scalar, NoPadding>;

}  // namespace detail
}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_BATCH_PAD_HPP
