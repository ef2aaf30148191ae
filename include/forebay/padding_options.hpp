// SPDX-License-Identifier: MIT
//
// padding_options.hpp: PaddingOptions<T>, how the components of elements of type T are padded.

#ifndef FOREBAY_PADDING_OPTIONS_HPP
#define FOREBAY_PADDING_OPTIONS_HPP

#include <array>
#include <concepts>
#include <cstddef>
#include <tuple>
#include <type_traits>

#include "forebay/batch/components.hpp"
#include "forebay/batch/nesting.hpp"
#include "forebay/batch/pad.hpp"
#include "forebay/dimension.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI {

namespace detail {

template <class Components>
struct OptionsOf;
template <class... Components>
struct OptionsOf<std::tuple<Components...>> {
  using Pad = std::tuple<PadOf<Components>...>;
  using Shape = std::tuple<std::array<Dimension, Nesting<Components>::rank>...>;
};
template <class Component>
struct OptionsOf<std::tuple<Component>> {
  using Pad = PadOf<Component>;
  using Shape = std::array<Dimension, Nesting<Component>::rank>;
};

}  // namespace detail

/// One component: `{.pad_value = -1.0f, .shape = {std::nullopt, 3}}`. Several: a list of these, in the order of the
/// components: `{.pad_value = {0, -1.0f}, .shape = {{}, {std::nullopt, 3}}}`.
template <class T>
struct PaddingOptions {
  /// A scalar of the component; of several components, a std::tuple of them.
  using PadValue = typename detail::OptionsOf<detail::ComponentsOf<T>>::Pad;
  /// A Dimension for each dimension of a component, the outermost first; of several components, a std::tuple of such
  /// std::arrays.
  using Shape = typename detail::OptionsOf<detail::ComponentsOf<T>>::Shape;

  /// What stands in a batch where an element has nothing. (TensorFlow: always the default value of the type.)
  PadValue pad_value{};
  /// The extents that are fixed. (TensorFlow: the `shapes` of PaddingFIFOQueue, where None is variable.)
  Shape shape{};
};

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_PADDING_OPTIONS_HPP
