// SPDX-License-Identifier: MIT
//
// component_shape.hpp: the shape of a component: its rank and its scalars, which its type says, and the extents that
// are fixed, by its type or by a user.

#ifndef FOREBAY_DETAIL_COMPONENT_SHAPE_HPP
#define FOREBAY_DETAIL_COMPONENT_SHAPE_HPP

#include <array>
#include <concepts>
#include <cstddef>
#include <limits>
#include <ranges>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "forebay/detail/components.hpp"
#include "forebay/dimension.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

inline constexpr std::size_t variable = std::numeric_limits<std::size_t>::max();

template <class T>
inline constexpr std::size_t type_extent = variable;
template <class Row, std::size_t extent>
inline constexpr std::size_t type_extent<std::array<Row, extent>> = extent;
template <class Row, std::size_t extent>
inline constexpr std::size_t type_extent<std::span<Row, extent>> = extent == std::dynamic_extent ? variable : extent;

/// A value without extents.
template <class T>
struct Nesting {
  using Scalar = T;
  static constexpr std::size_t rank = 0;
  static constexpr std::array<std::size_t, 0> extents{};
};

/// A range of values or of ranges.
template <Range T>
struct Nesting<T> {
  static_assert(std::ranges::forward_range<const T> && std::ranges::sized_range<const T>,
                "forebay: a range to be batched can be gone through twice, also when it is const, and knows its size");
  using Row = std::remove_cv_t<std::ranges::range_value_t<T>>;
  using Scalar = typename Nesting<Row>::Scalar;
  static constexpr std::size_t rank = 1 + Nesting<Row>::rank;
  static constexpr std::array<std::size_t, rank> extents = [] {
    std::array<std::size_t, rank> all{type_extent<T>};
    for (std::size_t i = 1; i < rank; ++i) all[i] = Nesting<Row>::extents[i - 1];
    return all;
  }();
};

/// How many of the first dimensions of a component have to be gone through to see every extent that varies.
template <class Component>
inline constexpr std::size_t variable_depth = [] {
  std::size_t depth = 0;
  for (std::size_t i = 0; i < Nesting<Component>::rank; ++i) {
    if (Nesting<Component>::extents[i] == variable) depth = i + 1;
  }
  return depth;
}();

/// Whether components of this type can differ in their extents.
template <class Component>
inline constexpr bool is_ragged = variable_depth<Component> > 0;

/// The size of a row, as every other one is given.
template <class Row>
[[nodiscard]] constexpr std::size_t size_of(const Row& row) {
  return static_cast<std::size_t>(std::ranges::size(row));
}

/// A list of extents, for people: "[None, 3]".
template <class Extents>
[[nodiscard]] std::string text_of(const Extents& extents) {
  std::string text = "[";
  for (const std::size_t extent : extents) {
    if (text.size() > 1) text += ", ";
    text += extent == variable ? "None" : std::to_string(extent);
  }
  return text + "]";
}

/// The fixed extents of a component; `variable` where there is none.
template <class Component>
class ComponentShape {
 public:
  static constexpr std::size_t rank = Nesting<Component>::rank;
  using Dimensions = std::array<Dimension, rank>;
  using Extents = std::array<std::size_t, rank>;

  /// Throws std::invalid_argument if one of the dimensions contradicts the type.
  explicit ComponentShape(const Dimensions& dimensions = {}) {
    for (std::size_t i = 0; i < rank; ++i) {
      if (dimensions[i].is_variable() || dimensions[i].extent() == extents_[i]) continue;
      if (extents_[i] != variable) {
        throw std::invalid_argument("forebay: dimension " + std::to_string(i + 1) + " is " +
                                    std::to_string(extents_[i]) + " by its type, it cannot be fixed at " +
                                    std::to_string(dimensions[i].extent()));
      }
      extents_[i] = dimensions[i].extent();
      asks_ = true;
    }
  }

  [[nodiscard]] const Extents& extents() const noexcept { return extents_; }

  /// Throws std::invalid_argument unless `component` has exactly the fixed extents.
  void require_exact(const Component& component) const {
    if constexpr (is_ragged<Component>) {
      if (asks_) compare<0>(component);
    }
  }

  /// Makes `extents` at least those of `component`. Throws std::invalid_argument if it exceeds a fixed one.
  void widen(Extents& extents, const Component& component) const {
    if constexpr (is_ragged<Component>) widen_by<0>(extents, component);
  }

 private:
  template <std::size_t dimension, class Row>
  void compare(const Row& row) const {
    if (extents_[dimension] != variable && size_of(row) != extents_[dimension]) reject(size_of(row), dimension);
    if constexpr (dimension + 1 < variable_depth<Component>) {
      for (const auto& inner : row) compare<dimension + 1>(inner);
    }
  }

  template <std::size_t dimension, class Row>
  void widen_by(Extents& extents, const Row& row) const {
    const std::size_t extent = size_of(row);
    if (extent > extents[dimension]) {
      if (extents_[dimension] != variable) reject(extent, dimension);
      extents[dimension] = extent;
    }
    if constexpr (dimension + 1 < variable_depth<Component>) {
      for (const auto& inner : row) widen_by<dimension + 1>(extents, inner);
    }
  }

  [[noreturn]] void reject(std::size_t extent, std::size_t dimension) const {
    throw std::invalid_argument("forebay: extent " + std::to_string(extent) + " in dimension " +
                                std::to_string(dimension + 1) + " does not fit the shape " + text_of(extents_));
  }

  Extents extents_ = Nesting<Component>::extents;
  bool asks_ = false;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_DETAIL_COMPONENT_SHAPE_HPP
