// SPDX-License-Identifier: MIT
//
// nesting.hpp: Nesting, the properties of a component's type: its rank, its scalars, and its fixed extents.

#ifndef FOREBAY_BATCH_NESTING_HPP
#define FOREBAY_BATCH_NESTING_HPP

#include <array>
#include <cstddef>
#include <limits>
#include <ranges>
#include <span>
#include <type_traits>

#include "forebay/batch/components.hpp"
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
                "forebay: a batched range must be a forward range with a known size, also when it is const");
  using Row = std::remove_cv_t<std::ranges::range_value_t<T>>;
  using Scalar = typename Nesting<Row>::Scalar;
  static constexpr std::size_t rank = 1 + Nesting<Row>::rank;
  static constexpr std::array<std::size_t, rank> extents = [] {
    std::array<std::size_t, rank> all{type_extent<T>};
    for (std::size_t i = 1; i < rank; ++i) all[i] = Nesting<Row>::extents[i - 1];
    return all;
  }();
};

/// The number of leading dimensions of a component to iterate over to see every variable extent.
template <class Component>
inline constexpr std::size_t variable_depth = [] {
  std::size_t depth = 0;
  for (std::size_t i = 0; i < Nesting<Component>::rank; ++i) {
    if (Nesting<Component>::extents[i] == variable) depth = i + 1;
  }
  return depth;
}();

/// Whether the extents of components of this type can differ.
template <class Component>
inline constexpr bool is_ragged = variable_depth<Component> > 0;

/// Returns the product of extents.
template <std::size_t rank>
[[nodiscard]] constexpr std::size_t product_of(const std::array<std::size_t, rank>& extents) noexcept {
  std::size_t product = 1;
  for (const std::size_t extent : extents) product *= extent;
  return product;
}

/// Returns the size of a row.
template <class Row>
[[nodiscard]] constexpr std::size_t size_of(const Row& row) {
  return static_cast<std::size_t>(std::ranges::size(row));
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_BATCH_NESTING_HPP
