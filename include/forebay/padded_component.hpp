// SPDX-License-Identifier: MIT

/// @file
/// Defines PaddedComponent, one component of all elements of a batch, in one contiguous buffer.
///
/// The buffer is row-major. For n elements of rank r, its extents are [n, extent_1, ..., extent_r]. Each element starts
/// at the low corner of its block; the rest of the block is padding. The true extents are stored separately.
///
/// @code
/// PaddedBatch<std::vector<int>> batch(-1);           // has one component, and so all members of PaddedComponent
/// const auto status = queue.dequeue_many(2, batch);  // the elements {1, 2, 3} and {4}
/// batch.values();         // 1 2 3  4 -1 -1
/// batch.lengths();        // 3 1
/// batch(1, 0);            // 4
/// batch.unpadded_row(1);  // 4
/// @endcode
///
/// Lifetime: references, pointers, spans and views into the buffer are valid until the batch is filled again, moved or
/// destroyed.
///
/// Thread safety: as for a std::vector.

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

/// One component of all elements of a batch, in one contiguous buffer.
///
/// The file padded_component.hpp has the layout of the buffer, an example, lifetime and thread safety.
///
/// Requirements on Component: a value, or a range of values, of ranges of values, and so on: std::vector, Characters,
/// std::array, std::span, any sized range that can be iterated repeatedly while const. Iteration must not throw. A
/// value (Scalar) has a non-throwing move constructor. If it is padded, it can be copied, and its move assignment does
/// not throw.
///
/// The dimensions of an element are counted from 1; dimension 0 of the buffer is the batch. In indices (i, j, ...), i
/// is the index of the element.
template <class Component>
class PaddedComponent {
  using Collation = detail::Collation<Component>;

 public:
  using Scalar = typename Collation::Scalar;  ///< The type of the values in the buffer.

  /// The number of dimensions of an element: 0 for a value, 1 for a vector of values, 2 for a vector of vectors.
  static constexpr std::size_t rank = Collation::rank;

  /// The type of extents(): [n, extent_1, ..., extent_rank].
  using Extents = typename Collation::Extents;

  /// @cond
  /// Creates an empty component for a PaddedBatch to fill.
  explicit PaddedComponent(Collation collation) : collation_(std::move(collation)) {}
  /// @endcond

  /// @name Shape
  /// @{

  /// Returns the number of elements.
  [[nodiscard]] std::size_t size() const noexcept { return extents()[0]; }
  /// Returns whether there are no elements.
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }

  /// Returns the extents of the buffer.
  ///
  /// A variable extent is the largest one in this batch. A fixed extent is always itself, even without elements.
  [[nodiscard]] const Extents& extents() const noexcept { return collation_.extents(); }

  /// Returns the true extents of element i, [extent_1, ..., extent_rank]. If rows differ in length, the largest counts.
  /// Requires i < size().
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

  /// Returns the true extent of the next dimension: `length(i)` is the extent_1 of element i, `length(i, j)` the
  /// extent_2 of its row j; 0 for a row of padding. Requires indices within the extents.
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

  /// Returns all true extents of a variable dimension.
  ///
  /// The array has the extents [n, extent_1, ..., extent_(dimension - 1)]: `lengths()` has n entries, `lengths<2>()`
  /// has n * extent_1, with 0 for each row of padding.
  template <std::size_t dimension = 1>
  [[nodiscard]] std::span<const std::size_t> lengths() const noexcept requires(dimension - 1 < rank) {
    static_assert(detail::Nesting<Component>::extents[dimension - 1] == detail::variable,
                  "forebay: lengths<dimension>() requires a dimension of variable extent");
    const auto& lengths = collation_.lengths(dimension - 1);
    return {lengths.data(), lengths.size()};
  }

  /// @}
  /// @name Values
  /// @{

  /// Returns the buffer, whose number of scalars is the product of extents(). Null if it has never held any.
  [[nodiscard]] Scalar* data() noexcept { return collation_.values().data(); }
  /// Returns the buffer, const.
  [[nodiscard]] const Scalar* data() const noexcept { return collation_.values().data(); }

  /// Returns the whole buffer, including padding.
  [[nodiscard]] std::span<Scalar> values() noexcept { return {data(), collation_.values().size()}; }
  /// Returns the whole buffer, const.
  [[nodiscard]] std::span<const Scalar> values() const noexcept { return {data(), collation_.values().size()}; }

  /// Returns the scalar at rank + 1 indices (i, j, ...). Requires indices within the extents.
  template <std::convertible_to<std::size_t>... Indices>
  [[nodiscard]] Scalar& operator()(Indices... indices) noexcept requires(sizeof...(Indices) == rank + 1) {
    return data()[offset(indices...)];
  }
  /// Returns the scalar at rank + 1 indices, const. Requires indices within the extents.
  template <std::convertible_to<std::size_t>... Indices>
  [[nodiscard]] const Scalar& operator()(Indices... indices) const noexcept requires(sizeof...(Indices) == rank + 1) {
    return data()[offset(indices...)];
  }

  /// Returns the scalar at rank + 1 indices (i, j, ...). Throws std::out_of_range if an index exceeds the extents.
  template <std::convertible_to<std::size_t>... Indices>
  [[nodiscard]] Scalar& at(Indices... indices) requires(sizeof...(Indices) == rank + 1) {
    require_within({static_cast<std::size_t>(indices)...});
    return (*this)(indices...);
  }
  /// Returns the scalar at rank + 1 indices, const. Throws std::out_of_range if an index exceeds the extents.
  template <std::convertible_to<std::size_t>... Indices>
  [[nodiscard]] const Scalar& at(Indices... indices) const requires(sizeof...(Indices) == rank + 1) {
    require_within({static_cast<std::size_t>(indices)...});
    return (*this)(indices...);
  }

  /// Returns the block of element i: extent_1 * ... * extent_rank scalars, including padding. Requires i < size().
  [[nodiscard]] std::span<Scalar> element(std::size_t i) noexcept { return {data() + i * stride(), stride()}; }
  /// Returns the block of element i, const. Requires i < size().
  [[nodiscard]] std::span<const Scalar> element(std::size_t i) const noexcept {
    return {data() + i * stride(), stride()};
  }

  /// Returns the innermost row at rank indices (i, j, ...): extent_rank scalars, including padding. Requires indices
  /// within the extents.
  template <std::convertible_to<std::size_t>... Indices>
  [[nodiscard]] std::span<Scalar> row(Indices... indices) noexcept requires(rank > 0 && sizeof...(Indices) == rank) {
    return {data() + offset(indices...) * extents()[rank], extents()[rank]};
  }
  /// Returns the innermost row at rank indices, const. Requires indices within the extents.
  template <std::convertible_to<std::size_t>... Indices>
  [[nodiscard]] std::span<const Scalar> row(Indices... indices) const noexcept
      requires(rank > 0 && sizeof...(Indices) == rank) {
    return {data() + offset(indices...) * extents()[rank], extents()[rank]};
  }

  /// Returns the innermost row at rank indices without its padding: length(indices...) scalars. Requires indices within
  /// the extents.
  template <std::convertible_to<std::size_t>... Indices>
  [[nodiscard]] std::span<Scalar> unpadded_row(Indices... indices) noexcept
      requires(rank > 0 && sizeof...(Indices) == rank) {
    return row(indices...).first(length(indices...));
  }
  /// Returns the innermost row at rank indices without its padding, const. Requires indices within the extents.
  template <std::convertible_to<std::size_t>... Indices>
  [[nodiscard]] std::span<const Scalar> unpadded_row(Indices... indices) const noexcept
      requires(rank > 0 && sizeof...(Indices) == rank) {
    return row(indices...).first(length(indices...));
  }

#if defined(__cpp_lib_mdspan)
  /// Returns the buffer as a std::mdspan of rank + 1 dimensions, if the standard library has std::mdspan.
  [[nodiscard]] auto mdspan() noexcept {
    return std::mdspan<Scalar, std::dextents<std::size_t, rank + 1>>(data(), extents());
  }
  /// Returns the buffer as a std::mdspan, const.
  [[nodiscard]] auto mdspan() const noexcept {
    return std::mdspan<const Scalar, std::dextents<std::size_t, rank + 1>>(data(), extents());
  }
#endif

  /// @}
  /// @name As a range
  /// These members exist if elements are single values (rank 0).
  /// @{

  /// Returns a pointer to the first value.
  [[nodiscard]] Scalar* begin() noexcept requires(rank == 0) { return data(); }
  /// Returns a pointer to the first value, const.
  [[nodiscard]] const Scalar* begin() const noexcept requires(rank == 0) { return data(); }
  /// Returns the end of the values.
  [[nodiscard]] Scalar* end() noexcept requires(rank == 0) { return data() + size(); }
  /// Returns the end of the values, const.
  [[nodiscard]] const Scalar* end() const noexcept requires(rank == 0) { return data() + size(); }

  /// Returns value i. Requires i < size().
  [[nodiscard]] Scalar& operator[](std::size_t i) noexcept requires(rank == 0) { return (*this)(i); }
  /// Returns value i, const. Requires i < size().
  [[nodiscard]] const Scalar& operator[](std::size_t i) const noexcept requires(rank == 0) { return (*this)(i); }

  /// Returns the first value. Requires that there is one.
  [[nodiscard]] Scalar& front() noexcept requires(rank == 0) { return (*this)(0); }
  /// Returns the first value, const. Requires that there is one.
  [[nodiscard]] const Scalar& front() const noexcept requires(rank == 0) { return (*this)(0); }
  /// Returns the last value. Requires that there is one.
  [[nodiscard]] Scalar& back() noexcept requires(rank == 0) { return (*this)(size() - 1); }
  /// Returns the last value, const. Requires that there is one.
  [[nodiscard]] const Scalar& back() const noexcept requires(rank == 0) { return (*this)(size() - 1); }
  /// @}

 private:
  template <class T>
  friend class PaddedBatch;

  /// Returns the number of scalars in the block of an element.
  [[nodiscard]] std::size_t stride() const noexcept {
    std::size_t product = 1;
    for (std::size_t i = 1; i <= rank; ++i) product *= extents()[i];
    return product;
  }

  /// Returns the row-major offset of (i, j, ...) in the first dimensions.
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

  /// Returns the true length of an existing row, which is an index into the first `dimension` + 1 dimensions.
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
