// SPDX-License-Identifier: MIT
//
// padded_component.hpp: PaddedComponent, one component of all elements of a batch, in one contiguous buffer.
//
// The buffer is row-major: of n elements of rank r it has the extents [n, extent_1, ..., extent_r]. An element stands
// at the low corner of its place; the rest of the place is padded. The true extents are kept beside.
//
// Lifetime: references, pointers, spans and views into it hold until the batch is filled again, moved or destroyed.
//
// Thread safety: that of a std::vector.

#ifndef FOREBAY_PADDED_COMPONENT_HPP
#define FOREBAY_PADDED_COMPONENT_HPP

#include <algorithm>
#include <array>
#include <cassert>
#include <concepts>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <version>

#if defined(__cpp_lib_mdspan)
#include <mdspan>
#endif

#include "forebay/batch/collation.hpp"
#include "forebay/batch/component_shape.hpp"
#include "forebay/batch/nesting.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI {

template <class T>
class PaddedBatch;

/// Requires of Component: a value, or a range of values, of ranges of values, and so on: std::vector, Characters,
/// std::array, std::span, any range that is const-iterable more than once and knows its size. Going through it does
/// not throw. A value (Scalar) can be moved without throwing; one that is padded can be copied, and move-assigned
/// without throwing.
///
/// The dimensions of an element are counted from 1; dimension 0 of the buffer is that of the batch. In a table of
/// indices (i, j, ...), i is the number of the element.
template <class Component>
class PaddedComponent {
  using Collation = detail::Collation<Component>;

 public:
  using Scalar = typename Collation::Scalar;

  /// How many dimensions an element has: 0 for a value, 1 for a vector of values, 2 for a vector of those.
  static constexpr std::size_t rank = Collation::rank;

  /// [n, extent_1, ..., extent_rank].
  using Extents = typename Collation::Extents;

  /// An empty one, for a PaddedBatch to fill.
  explicit PaddedComponent(Collation collation) : collation_(std::move(collation)) {}

  // ---- Shape

  /// How many elements there are.
  [[nodiscard]] std::size_t size() const noexcept { return extents()[0]; }
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }

  /// The extents of the buffer. One that varies is the largest in this batch; a fixed one is itself, even if there are
  /// no elements.
  [[nodiscard]] const Extents& extents() const noexcept { return collation_.extents(); }

  /// The true extents of element i, [extent_1, ..., extent_rank]; where rows differ in length, the largest. Requires
  /// i < size().
  [[nodiscard]] std::array<std::size_t, rank> shape(std::size_t i) const noexcept {
    assert(i < size());
    std::array<std::size_t, rank> shape{};
    std::size_t rows = 1;
    for (std::size_t dimension = 0; dimension < rank; ++dimension) {
      shape[dimension] = largest_length(dimension, i * rows, rows);
      rows *= extents()[dimension + 1];
    }
    return shape;
  }

  /// The true extent of the next dimension: length(i) is the extent_1 of element i, length(i, j) the extent_2 of its
  /// row j; 0 for a row that is padding. Requires indices within the extents.
  template <std::convertible_to<std::size_t>... Indices>
  [[nodiscard]] std::size_t length(Indices... indices) const noexcept
      requires(sizeof...(Indices) >= 1 && sizeof...(Indices) <= rank) {
    constexpr std::size_t count = sizeof...(Indices);
    const std::array<std::size_t, count> place{static_cast<std::size_t>(indices)...};
    std::size_t length = 0;
    std::size_t row = 0;
    bool exists = true;
    for (std::size_t i = 0; i < count; ++i) {
      assert(place[i] < extents()[i]);
      if (i > 0) exists = exists && place[i] < length;
      row = row * extents()[i] + place[i];
      length = exists ? true_length(i, row) : 0;
    }
    return length;
  }

  /// All true extents of a dimension that varies, in an array of the extents [n, extent_1, ..., extent_(dimension -
  /// 1)]: lengths() has n of them, lengths<2>() has n * extent_1, 0 for each row that is padding.
  template <std::size_t dimension = 1>
  [[nodiscard]] std::span<const std::size_t> lengths() const noexcept requires(dimension - 1 < rank) {
    static_assert(detail::Nesting<Component>::extents[dimension - 1] == detail::variable,
                  "forebay: only a dimension that varies has lengths");
    const auto& lengths = collation_.lengths(dimension - 1);
    return {lengths.data(), lengths.size()};
  }

  // ---- Values

  /// The buffer: the product of extents() scalars. A null pointer if it never held any.
  [[nodiscard]] Scalar* data() noexcept { return collation_.values().data(); }
  [[nodiscard]] const Scalar* data() const noexcept { return collation_.values().data(); }

  /// All of it, padding included.
  [[nodiscard]] std::span<Scalar> values() noexcept { return {data(), collation_.values().size()}; }
  [[nodiscard]] std::span<const Scalar> values() const noexcept { return {data(), collation_.values().size()}; }

  /// The scalar at (i, j, ...), rank + 1 indices. Requires them within the extents.
  template <std::convertible_to<std::size_t>... Indices>
  [[nodiscard]] Scalar& operator()(Indices... indices) noexcept requires(sizeof...(Indices) == rank + 1) {
    return data()[offset(indices...)];
  }
  template <std::convertible_to<std::size_t>... Indices>
  [[nodiscard]] const Scalar& operator()(Indices... indices) const noexcept requires(sizeof...(Indices) == rank + 1) {
    return data()[offset(indices...)];
  }

  /// The same, but throws std::out_of_range if an index is not within the extents.
  template <std::convertible_to<std::size_t>... Indices>
  [[nodiscard]] Scalar& at(Indices... indices) requires(sizeof...(Indices) == rank + 1) {
    require_within({static_cast<std::size_t>(indices)...});
    return (*this)(indices...);
  }
  template <std::convertible_to<std::size_t>... Indices>
  [[nodiscard]] const Scalar& at(Indices... indices) const requires(sizeof...(Indices) == rank + 1) {
    require_within({static_cast<std::size_t>(indices)...});
    return (*this)(indices...);
  }

  /// The place of element i: extent_1 * ... * extent_rank scalars, padding included. Requires i < size().
  [[nodiscard]] std::span<Scalar> element(std::size_t i) noexcept { return {data() + i * stride(), stride()}; }
  [[nodiscard]] std::span<const Scalar> element(std::size_t i) const noexcept {
    return {data() + i * stride(), stride()};
  }

  /// The innermost row at (i, j, ...), rank indices: extent_rank scalars, padding included. Requires indices within
  /// the extents.
  template <std::convertible_to<std::size_t>... Indices>
  [[nodiscard]] std::span<Scalar> row(Indices... indices) noexcept requires(rank > 0 && sizeof...(Indices) == rank) {
    return {data() + offset(indices...) * extents()[rank], extents()[rank]};
  }
  template <std::convertible_to<std::size_t>... Indices>
  [[nodiscard]] std::span<const Scalar> row(Indices... indices) const noexcept
      requires(rank > 0 && sizeof...(Indices) == rank) {
    return {data() + offset(indices...) * extents()[rank], extents()[rank]};
  }

  /// The same without the padding: length(indices...) scalars.
  template <std::convertible_to<std::size_t>... Indices>
  [[nodiscard]] std::span<Scalar> unpadded_row(Indices... indices) noexcept
      requires(rank > 0 && sizeof...(Indices) == rank) {
    return row(indices...).first(length(indices...));
  }
  template <std::convertible_to<std::size_t>... Indices>
  [[nodiscard]] std::span<const Scalar> unpadded_row(Indices... indices) const noexcept
      requires(rank > 0 && sizeof...(Indices) == rank) {
    return row(indices...).first(length(indices...));
  }

#if defined(__cpp_lib_mdspan)
  /// The buffer as a std::mdspan of rank + 1 dimensions.
  [[nodiscard]] auto mdspan() noexcept {
    return std::mdspan<Scalar, std::dextents<std::size_t, rank + 1>>(data(), extents());
  }
  [[nodiscard]] auto mdspan() const noexcept {
    return std::mdspan<const Scalar, std::dextents<std::size_t, rank + 1>>(data(), extents());
  }
#endif

  // ---- As a range, where an element is a value

  [[nodiscard]] Scalar* begin() noexcept requires(rank == 0) { return data(); }
  [[nodiscard]] const Scalar* begin() const noexcept requires(rank == 0) { return data(); }
  [[nodiscard]] Scalar* end() noexcept requires(rank == 0) { return data() + size(); }
  [[nodiscard]] const Scalar* end() const noexcept requires(rank == 0) { return data() + size(); }

  /// The i-th value. Requires i < size().
  [[nodiscard]] Scalar& operator[](std::size_t i) noexcept requires(rank == 0) { return (*this)(i); }
  [[nodiscard]] const Scalar& operator[](std::size_t i) const noexcept requires(rank == 0) { return (*this)(i); }

  /// The first and the last value. Require that there is one.
  [[nodiscard]] Scalar& front() noexcept requires(rank == 0) { return (*this)(0); }
  [[nodiscard]] const Scalar& front() const noexcept requires(rank == 0) { return (*this)(0); }
  [[nodiscard]] Scalar& back() noexcept requires(rank == 0) { return (*this)(size() - 1); }
  [[nodiscard]] const Scalar& back() const noexcept requires(rank == 0) { return (*this)(size() - 1); }

 private:
  template <class T>
  friend class PaddedBatch;

  /// How many scalars an element takes up.
  [[nodiscard]] std::size_t stride() const noexcept {
    std::size_t product = 1;
    for (std::size_t i = 1; i <= rank; ++i) product *= extents()[i];
    return product;
  }

  /// Where (i, j, ...) is among all places of the first dimensions.
  template <class... Indices>
  [[nodiscard]] std::size_t offset(Indices... indices) const noexcept {
    const std::array<std::size_t, sizeof...(Indices)> place{static_cast<std::size_t>(indices)...};
    std::size_t offset = 0;
    for (std::size_t i = 0; i < place.size(); ++i) {
      assert(place[i] < extents()[i] && "forebay: an index is not within the extents of the batch");
      offset = offset * extents()[i] + place[i];
    }
    return offset;
  }

  void require_within(const Extents& place) const {
    for (std::size_t i = 0; i <= rank; ++i) {
      if (place[i] < extents()[i]) continue;
      throw std::out_of_range("forebay: " + detail::text_of(place) + " is not in a batch of extents " +
                              detail::text_of(extents()));
    }
  }

  /// The length of the row so numbered, in the dimension after the first `dimension` + 1 ones, if the row exists.
  [[nodiscard]] std::size_t true_length(std::size_t dimension, std::size_t row) const noexcept {
    if constexpr (rank > 0) {
      if (detail::Nesting<Component>::extents[dimension] == detail::variable) {
        return collation_.lengths(dimension).data()[row];
      }
    }
    return extents()[dimension + 1];
  }

  [[nodiscard]] std::size_t largest_length(std::size_t dimension, std::size_t first,
                                           std::size_t count) const noexcept {
    std::size_t largest = 0;
    for (std::size_t row = first; row < first + count; ++row) largest = std::max(largest, true_length(dimension, row));
    return largest;
  }

  Collation collation_;
};

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_PADDED_COMPONENT_HPP
