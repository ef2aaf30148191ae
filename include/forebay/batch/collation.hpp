// SPDX-License-Identifier: MIT
//
// collation.hpp: Collation, which copies one component of n elements into one buffer.
//
// If all elements have the same extents, they are appended as they arrive. If not, prepare() reads all of them first
// and allocates the buffer, and write() fills it later. Only prepare() can fail.
//
// If all extents are fixed, the user's code can also write elements in place: between open_row() and close_row().

#ifndef FOREBAY_BATCH_COLLATION_HPP
#define FOREBAY_BATCH_COLLATION_HPP

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <limits>
#include <memory>
#include <ranges>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "forebay/base/arithmetic.hpp"
#include "forebay/base/element_ranges.hpp"
#include "forebay/batch/component_shape.hpp"
#include "forebay/batch/for_each_index.hpp"
#include "forebay/batch/nesting.hpp"
#include "forebay/batch/pad.hpp"
#include "forebay/batch/scalar_buffer.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Whether to move from the scalars of a range: it is an rvalue and owns them.
template <bool given, class Row>
inline constexpr bool gives_scalars = given && !std::is_const_v<Row> && gives_its_elements<Row>;

/// A row with contiguous scalars, which is copied at once.
template <class Row, class Scalar>
concept BlockOf = std::ranges::contiguous_range<Row> && std::is_trivially_copyable_v<Scalar> &&
    std::same_as<std::remove_cv_t<std::ranges::range_value_t<Row>>, Scalar>;

/// Invariants:
///  - values_ has room for the product of extents_, and holds that many scalars when the batch is complete;
///  - lengths_[d] belongs to the dimension d + 1, if its extent varies by type: for each place in the dimensions before
///    it, the original extent, or 0 in the padding.
template <class Component>
class Collation {
 public:
  using Scalar = typename Nesting<Component>::Scalar;
  using Shape = ComponentShape<Component>;
  using Pad = PadOf<Component>;
  static constexpr std::size_t rank = Nesting<Component>::rank;
  using Extents = std::array<std::size_t, rank + 1>;

  static_assert(std::is_object_v<Scalar> && !std::is_array_v<Scalar>,
                "forebay: a batch cannot hold references or C arrays: use values and std::array");
  static_assert(std::is_nothrow_move_constructible_v<Scalar> && std::is_nothrow_destructible_v<Scalar>,
                "forebay: the move constructor of a batched scalar must not throw");
  static_assert(!is_ragged<Component> ||
                    (std::is_nothrow_move_assignable_v<Scalar> && std::is_copy_constructible_v<Scalar>),
                "forebay: a padded scalar must be copyable, and its move assignment must not throw");

  static constexpr bool copies_pad_without_throwing = std::is_nothrow_copy_constructible_v<Pad>;

  Collation(Pad pad, const Shape& shape) : pad_(std::move(pad)), shape_(shape) { clear(); }

  /// Copies the pad, so that `other` can be filled again.
  // NOLINTNEXTLINE(performance-noexcept-move-constructor)
  Collation(Collation&& other) noexcept(copies_pad_without_throwing) : Collation(other.pad_, other.shape_) {
    swap_contents(other);
  }
  Collation& operator=(Collation&& other) noexcept {
    std::swap(pad_, other.pad_);
    std::swap(shape_, other.shape_);
    swap_contents(other);
    return *this;
  }
  ~Collation() = default;

  [[nodiscard]] const Extents& extents() const noexcept { return extents_; }
  [[nodiscard]] ScalarBuffer<Scalar>& values() noexcept { return values_; }
  [[nodiscard]] const ScalarBuffer<Scalar>& values() const noexcept { return values_; }
  [[nodiscard]] const ScalarBuffer<std::size_t>& lengths(std::size_t dimension) const noexcept {
    return lengths_[dimension];
  }

  /// Makes the batch empty.
  void clear() noexcept {
    values_.clear();
    for (auto& lengths : lengths_) lengths.clear();
    set_extents(0);
  }

  // ---- Extents that do not vary

  /// Makes room for `count` elements. Requires that it is empty.
  void reserve(std::size_t count) {
    Extents wanted = extents_;
    wanted[0] = count;
    values_.reserve(places<Scalar>(wanted, rank + 1));
  }

  /// Appends the next element. Requires room.
  template <class Given>
  void append(Given& component) noexcept {
    append_row<true>(component);
    ++extents_[0];
  }

  // ---- Extents that vary

  /// Does everything for `count` elements that can fail; `component(i)` returns the component of the i-th. Requires an
  /// empty batch. If this throws, call clear().
  template <class ComponentAt>
  void prepare(std::size_t count, const ComponentAt& component) {
    typename Shape::Extents widest;
    std::copy_n(extents_.begin() + 1, rank, widest.begin());
    for (std::size_t i = 0; i < count; ++i) shape_.widen(widest, component(i));
    extents_[0] = count;
    std::copy_n(widest.begin(), rank, extents_.begin() + 1);
    strides_[rank] = 1;
    for (std::size_t i = rank; i > 0; --i) strides_[i - 1] = strides_[i] * extents_[i];
    const std::size_t total = places<Scalar>(extents_, rank + 1);
    values_.reserve(total);
    for (std::size_t i = 0; i < rank; ++i) prepare_lengths(i);
    if constexpr (writes_raw) {
      values_.extend(total);
    } else {
      values_.append_copies(total, pad_);
    }
  }

  /// Writes the i-th element, and pads it.
  template <class Given>
  void write(Given& component, std::size_t i) noexcept {
    write_rows<0, true>(component, values_.data() + i * strides_[0], i);
  }

  // ---- Elements that are written in place; all extents are fixed

  /// Prepares element i, which the caller then writes. Its lengths are full; its values are those of an earlier
  /// element, or value-initialised. Removes later elements. Creates room for `room` elements if there is too little.
  /// Requires i <= the number of elements.
  void open_row(std::size_t i, std::size_t room) {
    const std::size_t size = row_size(0);
    Extents wanted = extents_;
    wanted[0] = larger(i + 1, room);
    if (values_.capacity() < (i + 1) * size) values_.grow(places<Scalar>(wanted, rank + 1));
    values_.resize((i + 1) * size);
    for_each_variable([&]<std::size_t dimension>() {
      auto& lengths = lengths_[dimension];
      const std::size_t rows = rows_of<dimension>();
      if (lengths.capacity() < (i + 1) * rows) lengths.grow(places<std::size_t>(wanted, dimension + 1));
      lengths.resize((i + 1) * rows);
      std::fill_n(lengths.data() + i * rows, rows, extents_[dimension + 1]);
    });
    extents_[0] = i;
  }

  /// Returns the scalars of the open element.
  [[nodiscard]] Scalar* open_scalars() noexcept { return values_.data() + extents_[0] * row_size(0); }
  [[nodiscard]] std::size_t open_size() const noexcept { return row_size(0); }

  /// Sets a true extent in the open element: of the row at `index` among its rows of that dimension.
  void set_length(std::size_t dimension, std::size_t index, std::size_t length) noexcept {
    std::size_t rows = 1;
    for (std::size_t i = 0; i < dimension; ++i) rows *= extents_[i + 1];
    lengths_[dimension].data()[extents_[0] * rows + index] = length;
  }

  /// Adds the open element to the batch, and pads it.
  void close_row() {
    if constexpr (is_ragged<Component>) pad_row<0>(open_scalars(), extents_[0]);
    ++extents_[0];
  }

  /// Does the same for a copy of element i of `other`, from which values are moved.
  void close_row_with(Collation& other, std::size_t i) noexcept {
    const std::size_t size = row_size(0);
    std::move(other.values_.data() + i * size, other.values_.data() + (i + 1) * size, open_scalars());
    for_each_variable([&]<std::size_t dimension>() {
      const std::size_t rows = rows_of<dimension>();
      std::copy_n(other.lengths_[dimension].data() + i * rows, rows, lengths_[dimension].data() + extents_[0] * rows);
    });
    ++extents_[0];
  }

  /// Removes the elements from element `count` on, and an open one.
  void truncate(std::size_t count) noexcept {
    values_.truncate(count * row_size(0));
    for_each_variable([&]<std::size_t dimension>() { lengths_[dimension].truncate(count * rows_of<dimension>()); });
    extents_[0] = count;
  }

 private:
  /// Whether scalars can be written into uninitialised storage.
  static constexpr bool writes_raw = std::is_trivially_copyable_v<Scalar>;

  /// Returns the product of the first `dimensions` extents. Throws std::length_error if it exceeds any memory.
  template <class Place>
  static std::size_t places(const Extents& extents, std::size_t dimensions) {
    constexpr std::size_t most = std::numeric_limits<std::ptrdiff_t>::max() / sizeof(Place);
    std::size_t product = 1;
    for (std::size_t i = 0; i < dimensions; ++i) {
      if (extents[i] == 0) return 0;
    }
    for (std::size_t i = 0; i < dimensions; ++i) {
      if (extents[i] > most / product) {
        throw std::length_error("forebay: a batch with extents " + text_of(extents) + " exceeds the maximum of " +
                                std::to_string(most) + " places of " + std::to_string(sizeof(Place)) + " bytes");
      }
      product *= extents[i];
    }
    return product;
  }

  void set_extents(std::size_t count) noexcept {
    extents_[0] = count;
    for (std::size_t i = 0; i < rank; ++i) {
      extents_[i + 1] = shape_.extents()[i] == variable ? 0 : shape_.extents()[i];
    }
  }

  void prepare_lengths(std::size_t dimension) {
    if (Nesting<Component>::extents[dimension] != variable) return;
    const std::size_t count = places<std::size_t>(extents_, dimension + 1);
    lengths_[dimension].reserve(count);
    lengths_[dimension].append_copies(count, 0);
  }

  void swap_contents(Collation& other) noexcept {
    std::swap(values_, other.values_);
    std::swap(lengths_, other.lengths_);
    std::swap(extents_, other.extents_);
    std::swap(strides_, other.strides_);
  }

  /// Returns the number of scalars of an element, or of one of its rows of a dimension.
  [[nodiscard]] std::size_t row_size(std::size_t dimension) const noexcept {
    std::size_t product = 1;
    for (std::size_t i = dimension; i < rank; ++i) product *= extents_[i + 1];
    return product;
  }

  /// Returns the number of rows that an element has in a dimension.
  template <std::size_t dimension>
  [[nodiscard]] std::size_t rows_of() const noexcept {
    std::size_t product = 1;
    for (std::size_t i = 0; i < dimension; ++i) product *= extents_[i + 1];
    return product;
  }

  /// Calls the function for each dimension whose extent varies by type.
  template <class Function>
  static void for_each_variable(const Function& function) {
    for_each_index<rank>([&]<std::size_t dimension>() {
      if constexpr (Nesting<Component>::extents[dimension] == variable) function.template operator()<dimension>();
    });
  }

  /// Pads a row of the open element, which is at `to`; `index` is its index among all rows of its dimension.
  template <std::size_t dimension>
  void pad_row(Scalar* to, std::size_t index) {
    const std::size_t extent = extents_[dimension + 1];
    const std::size_t stride = row_size(dimension + 1);
    std::size_t length = extent;
    if constexpr (Nesting<Component>::extents[dimension] == variable) length = lengths_[dimension].data()[index];
    std::fill_n(to + length * stride, (extent - length) * stride, pad_);
    if constexpr (dimension + 1 < variable_depth<Component>) {
      for (std::size_t i = 0; i < length; ++i) pad_row<dimension + 1>(to + i * stride, index * extent + i);
      for (std::size_t i = length; i < extent; ++i) clear_lengths<dimension + 1>(index * extent + i);
    }
  }

  /// Sets the lengths of a row of padding to 0.
  template <std::size_t dimension>
  void clear_lengths(std::size_t index) noexcept {
    if constexpr (Nesting<Component>::extents[dimension] == variable) lengths_[dimension].data()[index] = 0;
    if constexpr (dimension + 1 < variable_depth<Component>) {
      const std::size_t extent = extents_[dimension + 1];
      for (std::size_t i = 0; i < extent; ++i) clear_lengths<dimension + 1>(index * extent + i);
    }
  }

  template <bool given, class Row>
  void append_row(Row& row) noexcept {
    using Plain = std::remove_cv_t<Row>;
    if constexpr (!Range<Plain>) {
      if constexpr (given && !std::is_const_v<Row>) {
        values_.append(std::move(row));
      } else {
        values_.append(std::as_const(row));
      }
    } else if constexpr (BlockOf<Row, Scalar>) {
      std::copy_n(std::ranges::data(row), size_of(row), values_.data() + values_.size());
      values_.extend(size_of(row));
    } else {
      for (auto&& inner : row) append_row<gives_scalars<given, Row>>(inner);
    }
  }

  /// Writes `row`, whose first dimension is `dimension`, to `to`; `place` is its index among all rows of that
  /// dimension.
  template <std::size_t dimension, bool given, class Row>
  void write_rows(Row& row, Scalar* to, std::size_t place) noexcept {
    const std::size_t length = size_of(row);
    if constexpr (Nesting<Component>::extents[dimension] == variable) lengths_[dimension].data()[place] = length;
    if constexpr (dimension + 1 == rank) {
      write_scalars<given>(row, to, length);
    } else {
      std::size_t inner_place = place * extents_[dimension + 1];
      Scalar* inner_to = to;
      for (auto&& inner : row) {
        write_rows<dimension + 1, gives_scalars<given, Row>>(inner, inner_to, inner_place++);
        inner_to += strides_[dimension + 1];
      }
    }
    if constexpr (writes_raw && Nesting<Component>::extents[dimension] == variable) {
      const std::size_t stride = strides_[dimension + 1];
      std::uninitialized_fill_n(to + length * stride, (extents_[dimension + 1] - length) * stride, pad_);
    }
  }

  template <bool given, class Row>
  void write_scalars(Row& row, Scalar* to, std::size_t length) noexcept {
    if constexpr (BlockOf<Row, Scalar>) {
      if (length > 0) std::memcpy(static_cast<void*>(to), std::ranges::data(row), length * sizeof(Scalar));
    } else {
      for (auto&& scalar : row) write_scalar<gives_scalars<given, Row>>(scalar, to++);
    }
  }

  template <bool given, class Value>
  static void write_scalar(Value& value, Scalar* to) noexcept {
    if constexpr (writes_raw) {
      std::construct_at(to, value);
    } else if constexpr (given && !std::is_const_v<Value>) {
      *to = std::move(value);
    } else {
      static_assert(std::is_nothrow_assignable_v<Scalar&, const Value&>,
                    "forebay: the scalars of a range that does not own them are copied, which must not throw");
      *to = std::as_const(value);
    }
  }

  [[no_unique_address]] Pad pad_;
  [[no_unique_address]] Shape shape_;
  Extents extents_{};
  Extents strides_{};
  ScalarBuffer<Scalar> values_;
  std::array<ScalarBuffer<std::size_t>, rank> lengths_;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_BATCH_COLLATION_HPP
