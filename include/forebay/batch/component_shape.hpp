// SPDX-License-Identifier: MIT
//
// component_shape.hpp: the extents of a component that are fixed, by its type or by a user.

#ifndef FOREBAY_BATCH_COMPONENT_SHAPE_HPP
#define FOREBAY_BATCH_COMPONENT_SHAPE_HPP

#include <array>
#include <cstddef>
#include <stdexcept>
#include <string>

#include "forebay/base/arithmetic.hpp"
#include "forebay/batch/nesting.hpp"
#include "forebay/count.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// An extent that is not the same everywhere, or need not be.
struct ExtentRange {
  std::size_t smallest = variable;
  std::size_t largest = 0;
};

[[nodiscard]] inline std::string text_of(std::size_t extent) {
  return extent == variable ? "None" : std::to_string(extent);
}
[[nodiscard]] inline std::string text_of(const ExtentRange& extent) {
  if (extent.smallest == extent.largest) return text_of(extent.largest);
  return text_of(extent.smallest) + ".." + text_of(extent.largest);
}

/// A list of extents, for people: "[None, 3]".
template <class Extent, std::size_t rank>
[[nodiscard]] std::string text_of(const std::array<Extent, rank>& extents) {
  std::string text = "[";
  for (const Extent& extent : extents) {
    if (text.size() > 1) text += ", ";
    text += text_of(extent);
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

  /// Of the component at `index`. Throws std::invalid_argument if one of the dimensions contradicts the type.
  explicit ComponentShape(std::size_t index, const Dimensions& dimensions = {}) : index_(index) {
    Extents asked{};
    bool contradicts = false;
    for (std::size_t i = 0; i < rank; ++i) {
      asked[i] = dimensions[i].is_variable() ? variable : dimensions[i].extent();
      if (asked[i] == variable || asked[i] == extents_[i]) continue;
      contradicts = contradicts || extents_[i] != variable;
      extents_[i] = asked[i];
      asks_ = true;
    }
    if (contradicts)
      reject("is to have the shape", text_of(asked), text_of(Nesting<Component>::extents), " of its type");
  }

  [[nodiscard]] const Extents& extents() const noexcept { return extents_; }

  /// Throws std::invalid_argument unless `component` has exactly the fixed extents.
  template <class Given>
  void require_exact(const Given& component) const {
    if constexpr (is_ragged<Component>) {
      if (asks_ && !fits<0>(component)) reject_shape_of(component);
    }
  }

  /// Makes `extents` at least those of `component`. Throws std::invalid_argument if it exceeds a fixed one.
  template <class Given>
  void widen(Extents& extents, const Given& component) const {
    if constexpr (is_ragged<Component>) {
      if (!widens<0>(extents, component)) reject_shape_of(component);
    }
  }

 private:
  template <std::size_t dimension, class Row>
  [[nodiscard]] bool fits(const Row& row) const {
    if (extents_[dimension] != variable && size_of(row) != extents_[dimension]) return false;
    if constexpr (dimension + 1 < variable_depth<Component>) {
      for (const auto& inner : row) {
        if (!fits<dimension + 1>(inner)) return false;
      }
    }
    return true;
  }

  template <std::size_t dimension, class Row>
  [[nodiscard]] bool widens(Extents& extents, const Row& row) const {
    const std::size_t extent = size_of(row);
    if (extent > extents[dimension]) {
      if (extents_[dimension] != variable) return false;
      extents[dimension] = extent;
    }
    if constexpr (dimension + 1 < variable_depth<Component>) {
      for (const auto& inner : row) {
        if (!widens<dimension + 1>(extents, inner)) return false;
      }
    }
    return true;
  }

  using Measured = std::array<ExtentRange, rank>;

  template <std::size_t dimension, class Row>
  static void measure(Measured& shape, const Row& row) {
    const std::size_t extent = size_of(row);
    shape[dimension].smallest = smaller(shape[dimension].smallest, extent);
    shape[dimension].largest = larger(shape[dimension].largest, extent);
    if constexpr (dimension + 1 < rank) {
      for (const auto& inner : row) measure<dimension + 1>(shape, inner);
    }
  }

  template <class Given>
  [[noreturn]] void reject_shape_of(const Given& component) const {
    Measured shape{};
    measure<0>(shape, component);
    for (std::size_t i = 1; i < rank; ++i) {
      if (shape[i].smallest != variable) continue;  // there are rows
      const std::size_t extent = Nesting<Component>::extents[i];
      shape[i].smallest = shape[i].largest = extent == variable ? 0 : extent;
    }
    reject("has the shape", text_of(shape), text_of(extents_), "");
  }

  [[noreturn]] void reject(const char* what, const std::string& shape, const std::string& other,
                           const char* whose) const {
    throw std::invalid_argument("forebay: component " + std::to_string(index_) + " " + what + " " + shape +
                                ", which does not fit the shape " + other + whose);
  }

  std::size_t index_;
  Extents extents_ = Nesting<Component>::extents;
  bool asks_ = false;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_BATCH_COMPONENT_SHAPE_HPP
