// SPDX-License-Identifier: MIT

/// @file
/// Defines PaddedBatch and StackedBatch, batches that store each component of the elements in one contiguous buffer.
///
/// PaddingOptions says how components are padded; Characters is a string that is batched as characters; a function of a
/// data set writes an element in place through its Row.
///
/// When to use: for a training step that needs [n, ...] arrays of numbers, from a queue of any kind. If the extents of
/// the elements differ:
///
/// @code
/// PaddedBatch<std::vector<float>> batch(-1.0f);  // padded with -1
/// while (queue.dequeue_many(32, batch) == QueueStatus::ok) step(batch.values(), batch.lengths());
/// @endcode
///
/// If all elements have the same extents (numbers, strings, std::array, std::span of fixed extent):
///
/// @code
/// struct Example { std::array<float, 784> pixels; int label; std::string source; };
/// StackedBatch<Example> batch;
/// while (queue.dequeue_many(32, batch) == QueueStatus::ok) {
///   step(batch.component<&Example::pixels>().values(),  // [32, 784] floats
///        batch.component<&Example::label>().values());  // [32] ints; by number: component<1>()
/// }
/// @endcode
///
/// When not: to keep the elements as they are; use a `std::vector<T>`.
///
/// Elements of different extents are padded: each component to the largest extents in the batch (padded_component.hpp).
/// Elements of the same extents are stacked: one copy, directly from the queue into the buffer.
///
/// Lifetime: a batch can be moved, but not copied. It keeps its storage between calls, and allocates if a batch is
/// larger than any before. It may outlive the queue.
///
/// Thread safety: as for a std::vector.

#ifndef FOREBAY_PADDED_BATCH_HPP
#define FOREBAY_PADDED_BATCH_HPP

#include <array>
#include <concepts>
#include <cstddef>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "forebay/base/reject.hpp"
#include "forebay/batch/collation.hpp"
#include "forebay/batch/component_shape.hpp"
#include "forebay/batch/components.hpp"
#include "forebay/batch/for_each_index.hpp"
#include "forebay/batch/nesting.hpp"
#include "forebay/batch/pad.hpp"
#include "forebay/count.hpp"
#include "forebay/padded_component.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI {

namespace detail {

template <class T>
class Chunk;

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

/// A string member that is batched as a range of characters instead of one value.
///
/// @code
/// struct Sentence { std::string author; Characters text; };
/// PaddedBatch<Sentence> batch;  // component<&Sentence::author>(): n strings
///                               // component<&Sentence::text>(): [n, longest] chars, and the lengths
/// @endcode
///
/// When to use: if a step needs the characters in one array. When not: for names, labels and texts that stay whole; use
/// std::string. An element that is itself a std::string is always batched as a range of characters. So are other ranges
/// of characters, such as `std::vector<char>` and `std::span<const wchar_t>`.
///
/// In all else it behaves like a std::string, and converts from one implicitly.
struct Characters : std::string {
  /// @cond
  using std::string::string;
  /// @endcond
  /// Creates an empty string.
  Characters() = default;
  /// Creates a string from `text`.
  Characters(std::string text) noexcept : std::string(std::move(text)) {}
};

/// The type of the pad value of a component that is never padded. Converts implicitly from anything.
using NoPadding = detail::NoPadding;

/// Says how the components of elements of type T are padded.
///
/// @code
/// {.pad_value = -1.0f, .shape = {std::nullopt, 3}}              // one component
/// {.pad_value = {0, -1.0f}, .shape = {{}, {std::nullopt, 3}}}   // several: lists in the order of the components
/// @endcode
template <class T>
struct PaddingOptions {
  /// The type of pad_value: the Scalar of the component; for several components, a std::tuple of these.
  using PadValue = typename detail::OptionsOf<detail::ComponentsOf<T>>::Pad;
  /// The type of shape: a std::array with a Dimension for each dimension, the outermost first; for several components,
  /// a std::tuple of these.
  using Shape = typename detail::OptionsOf<detail::ComponentsOf<T>>::Shape;

  /// The value that fills the rest of the batch after a short element. (TensorFlow: the default value of the type.)
  PadValue pad_value{};
  /// The extents that are fixed. (TensorFlow: the `shapes` of PaddingFIFOQueue, where `None` is variable.)
  Shape shape{};
};

namespace detail {

/// Throws std::invalid_argument if an extent varies, also with these options, or contradicts the type.
template <class T>
void require_fixed_extents(const PaddingOptions<T>& padding) {
  for_each_index<component_count<T>>([&]<std::size_t index>() {
    const auto& dimensions = [&padding]() -> const auto& {
      if constexpr (component_count<T> == 1) {
        return padding.shape;
      } else {
        return std::get<index>(padding.shape);
      }
    }
    ();
    const ComponentShape<ComponentOf<index, T>> shape(index, dimensions);
    for (const std::size_t extent : shape.extents()) {
      if (extent == variable) reject({"padded_batch: shape: component ", index, " must have fixed extents"});
    }
  });
}

/// Whether one of the components is ragged.
template <class Components>
inline constexpr bool any_is_ragged = false;
template <class... Components>
inline constexpr bool any_is_ragged<std::tuple<Components...>> = (is_ragged<Components> || ...);

/// The components of a batch.
template <class Components>
class BatchedComponents;

template <class... Components>
class BatchedComponents<std::tuple<Components...>> {
 protected:
  template <class T>
  explicit BatchedComponents(const PaddingOptions<T>& options)
      : BatchedComponents(options, std::index_sequence_for<Components...>()) {}

  template <std::size_t index>
  [[nodiscard]] auto& get() noexcept {
    return std::get<index>(components_);
  }
  template <std::size_t index>
  [[nodiscard]] const auto& get() const noexcept {
    return std::get<index>(components_);
  }

 private:
  template <class T, std::size_t... indices>
  BatchedComponents(const PaddingOptions<T>& options, std::index_sequence<indices...>)
      : components_(Collation<Components>(std::get<indices>(options.pad_value),
                                          ComponentShape<Components>(indices, std::get<indices>(options.shape)))...) {}

  std::tuple<PaddedComponent<Components>...> components_;
};

/// The single component of a batch, which is the batch itself.
template <class Component>
class BatchedComponents<std::tuple<Component>> : public PaddedComponent<Component> {
 protected:
  template <class T>
  explicit BatchedComponents(const PaddingOptions<T>& options)
      : PaddedComponent<Component>(
            Collation<Component>(options.pad_value, ComponentShape<Component>(0, options.shape))) {}

  template <std::size_t index>
  [[nodiscard]] PaddedComponent<Component>& get() noexcept {
    return *this;
  }
  template <std::size_t index>
  [[nodiscard]] const PaddedComponent<Component>& get() const noexcept {
    return *this;
  }
};

}  // namespace detail

/// Holds if all elements of type T have the same shape: none of their extents varies.
template <class T>
concept FixedShape = !detail::any_is_ragged<detail::ComponentsOf<T>>;

template <class T>
class Row;

/// A batch of elements that stores each component in one contiguous, padded buffer.
///
/// The file padded_batch.hpp has an example, lifetime and thread safety.
///
/// Requirements on T: one component, or a std::tuple, a std::pair or an aggregate of components. An aggregate has at
/// most 16 members, no base class and no C array (use std::array). A component is a value, or a range of values of any
/// rank (padded_component.hpp). A record inside a component is a value. So is a std::string: its component is a column
/// of n strings. A string is a range of characters only if it is T itself, or a Characters.
///
/// Values are moved. The contents of a range are moved if the range owns them and the queue gives the element away.
/// Otherwise they are copied: the memory of a std::span must live until its batch is complete.
///
/// If T has one component, the batch itself has all members of PaddedComponent: `batch(i, j)`, `batch.lengths()`. If
/// elements are single values, the batch is a range of them.
///
/// Guarantees: if a batch cannot be made, the elements stay in the queue and the batch is empty. The reasons may be:
///  - its size overflows (std::length_error);
///  - an extent exceeds a fixed one (std::invalid_argument);
///  - there is not enough memory, or the copy of a pad value throws.
///
/// Locks: the queue computes sizes and allocates storage under its lock. Elements of different extents are moved out
/// under the lock. They are copied, padded and destroyed after its release, before the call returns.
template <class T>
class PaddedBatch : public detail::BatchedComponents<detail::ComponentsOf<T>> {
  using Base = detail::BatchedComponents<detail::ComponentsOf<T>>;
  static constexpr bool is_padded = !FixedShape<T>;

 public:
  using value_type = T;                                   ///< The type of the elements.
  using PadValue = typename PaddingOptions<T>::PadValue;  ///< The type of PaddingOptions::pad_value.
  /// @cond
  class Sink;
  /// @endcond

  /// The number of components of an element.
  static constexpr std::size_t component_count = detail::component_count<T>;

  /// Creates an empty batch that pads as `options` says.
  ///
  /// Elements shorter than a fixed extent are padded to it. If an element is longer, the dequeue throws
  /// std::invalid_argument and the element stays in the queue. Throws std::invalid_argument if a fixed extent
  /// contradicts the type.
  explicit PaddedBatch(const PaddingOptions<T>& options = {}) : Base(options) {}
  /// Creates an empty batch that pads with `pad_value`.
  explicit PaddedBatch(const PadValue& pad_value) : Base(PaddingOptions<T>{pad_value, {}}) {}

  /// Moves the content of `other`, which is then empty and can be filled again.
  // NOLINTNEXTLINE(performance-noexcept-move-constructor)
  PaddedBatch(PaddedBatch&& other) noexcept(std::is_nothrow_move_constructible_v<Base>) = default;
  /// Moves the content of `other`, which is then empty or has the old content of this batch. It can be filled again.
  PaddedBatch& operator=(PaddedBatch&& other) noexcept = default;
  /// Destroys the elements.
  ~PaddedBatch() = default;

  /// Returns the number of elements.
  [[nodiscard]] std::size_t size() const noexcept { return component<0>().size(); }
  /// Returns whether there are no elements.
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }

  /// Returns a component of all elements, as a PaddedComponent.
  ///
  /// `which` is the number of the component, in the order of the members of T from 0: `component<1>()`; or the member:
  /// `component<&Example::label>()`.
  template <auto which>
  requires detail::NameOfComponent<decltype(which), T>
  [[nodiscard]] auto& component() noexcept { return this->template get<detail::index_of<T, which>()>(); }
  /// Returns a component of all elements, const.
  template <auto which>
  requires detail::NameOfComponent<decltype(which), T>
  [[nodiscard]] const auto& component() const noexcept { return this->template get<detail::index_of<T, which>()>(); }

  /// Removes all elements and keeps the storage.
  void clear() noexcept {
    elements_.clear();
    for_each_component([&]<std::size_t index>() { collation<index>().clear(); });
  }

 private:
  template <std::size_t index>
  [[nodiscard]] auto& collation() noexcept {
    return component<index>().collation_;
  }

  template <class Function>
  static void for_each_component(const Function& function) {
    detail::for_each_index<component_count>(function);
  }

  void reserve(std::size_t count) {
    if constexpr (is_padded) {
      elements_.reserve(count);
    } else {
      for_each_component([&]<std::size_t index>() { collation<index>().reserve(count); });
    }
  }

  template <class Elements>
  void prepare(std::size_t count, const Elements& elements) {
    reserve(count);
    if constexpr (is_padded) {
      for_each_component([&]<std::size_t index>() { prepare_component<index>(count, elements); });
    }
  }

  template <std::size_t index, class Elements>
  void prepare_component(std::size_t count, const Elements& elements) {
    if constexpr (detail::is_ragged<detail::ComponentOf<index, T>>) {
      collation<index>().prepare(
          count, [&elements](std::size_t i) -> const auto& { return detail::component_of<index>(elements(i)); });
    } else {
      collation<index>().reserve(count);
    }
  }

  /// Writes the components of `element` at index i.
  template <class Element>
  void place(Element& element, std::size_t i) noexcept {
    for_each_component([&]<std::size_t index>() {
      if constexpr (detail::is_ragged<detail::ComponentOf<index, T>>) {
        collation<index>().write(detail::component_of<index>(element), i);
      } else {
        collation<index>().append(detail::component_of<index>(element));
      }
    });
  }

  // ---- Elements that are written in place: see Row. All extents are fixed.

  /// Prepares element i to be written, and removes later ones. See Collation::open_row().
  void open_row(std::size_t i, std::size_t room) {
    for_each_component([&]<std::size_t index>() { collation<index>().open_row(i, room); });
  }
  void close_row() {
    for_each_component([&]<std::size_t index>() { collation<index>().close_row(); });
  }
  void close_row_with(PaddedBatch& other, std::size_t i) noexcept {
    for_each_component(
        [&]<std::size_t index>() { collation<index>().close_row_with(other.template collation<index>(), i); });
  }
  void truncate(std::size_t count) noexcept {
    for_each_component([&]<std::size_t index>() { collation<index>().truncate(count); });
  }

  /// Elements that have left the queue and are not yet copied; empty between calls.
  std::vector<T> elements_;

  friend class Row<T>;
  friend class detail::Chunk<Row<T>>;
};

/// @cond
/// Receives the elements of a queue for a PaddedBatch: see engine/transfer.hpp.
template <class T>
class PaddedBatch<T>::Sink {
 public:
  static constexpr bool takes_one = false;

  explicit Sink(PaddedBatch& batch) noexcept : batch_(batch) { batch_.clear(); }

  void reserve(std::size_t count) { batch_.reserve(count); }

  template <class Elements>
  void prepare(std::size_t count, const Elements& elements) {
    try {
      batch_.prepare(count, elements);
    } catch (...) {
      batch_.clear();
      throw;
    }
  }

  template <class Element>
  void put(Element&& element) {
    if constexpr (is_padded) {
      batch_.elements_.push_back(std::forward<Element>(element));
    } else {
      batch_.place(element, 0);
    }
  }

  void undo() noexcept { batch_.clear(); }

  void finish() noexcept {
    if constexpr (is_padded) {
      std::size_t i = 0;
      for (T& element : batch_.elements_) batch_.place(element, i++);
      batch_.elements_.clear();
    }
  }

 private:
  PaddedBatch& batch_;
};

/// @endcond

/// A PaddedBatch of elements that all have the same shape, so nothing is padded.
template <FixedShape T>
using StackedBatch = PaddedBatch<T>;

/// An element of a PaddedBatch, to be written in place: the argument of a function that Dataset::stacked_batch or
/// Dataset::padded_batch calls.
///
/// @code
/// struct Image { std::array<float, 784> pixels; int label; };
/// records.stacked_batch<Image>(32, 4, [](const Record& record, Row<Image>& into) {
///   std::copy(record.pixels.begin(), record.pixels.end(), into.component<&Image::pixels>().begin());
///   into.component<&Image::label>() = record.label;
/// });
/// @endcode
///
/// When to use: to decode records into a batch without a copy of each element. When not: if the elements themselves are
/// needed, such as for a shuffle downstream; map them to elements.
///
/// Requirements on T: as for a PaddedBatch; its scalars have a default constructor. Extents that vary by type must be
/// fixed by PaddingOptions::shape.
///
/// **Content.** The row contains values of an older row, or zeros: set all of them.
///
/// Lifetime: the row and what it returns are valid during the call of the function. Thread safety: as for a pointer.
template <class T>
class Row {
  template <auto which>
  using ComponentAt = detail::ComponentOf<detail::index_of<T, which>(), T>;

 public:
  using value_type = T;  ///< The type of the elements of the batch.

  /// Returns a component of the row, by its number or member, as PaddedBatch::component() does.
  ///
  /// If the component is a value, the result is a reference to it. If it is a range, the result is a std::span of all
  /// its scalars, the last index varying fastest: extent_1 * ... * extent_rank. If the type fixes the extents, the span
  /// has a static extent.
  template <auto which>
  requires detail::NameOfComponent<decltype(which), T>
  [[nodiscard]] decltype(auto) component() const noexcept {
    auto& collation = collation_of<which>();
    using Nesting = detail::Nesting<ComponentAt<which>>;
    using Scalar = typename Nesting::Scalar;
    if constexpr (Nesting::rank == 0) {
      return static_cast<Scalar&>(*collation.open_scalars());
    } else if constexpr (detail::is_ragged<ComponentAt<which>>) {
      return std::span<Scalar>(collation.open_scalars(), collation.open_size());
    } else {
      return std::span<Scalar, detail::product_of(Nesting::extents)>(collation.open_scalars(), collation.open_size());
    }
  }

  /// Sets the true extent of a dimension whose extent varies by type: `set_length<0>(n)` sets extent_1 of component 0,
  /// `set_length<0>(n, j)` extent_2 of its row j. What follows is padded after the function has returned.
  ///
  /// Without this call, the length is the fixed extent. Throws std::invalid_argument if `length` exceeds that extent,
  /// or if an index is not within the extents.
  template <auto which, std::convertible_to<std::size_t>... Indices>
  requires detail::NameOfComponent<decltype(which), T>
  void set_length(Count length, Indices... indices) const {
    constexpr std::size_t dimension = sizeof...(Indices);
    using Nesting = detail::Nesting<ComponentAt<which>>;
    static_assert(dimension < Nesting::rank, "forebay: set_length(length, indices...) has too many indices");
    static_assert(Nesting::extents[dimension] == detail::variable,
                  "forebay: set_length() requires a dimension of variable extent");
    auto& collation = collation_of<which>();
    const auto& extents = collation.extents();
    const std::array<std::size_t, dimension> place{static_cast<std::size_t>(indices)...};
    std::size_t index = 0;
    for (std::size_t i = 0; i < dimension; ++i) {
      if (place[i] >= extents[i + 1])
        detail::reject({"set_length: index ", place[i], " is not below the extent ", extents[i + 1]});
      index = index * extents[i + 1] + place[i];
    }
    collation.set_length(dimension, index, length.between(0, extents[dimension + 1], "set_length: length"));
  }

 private:
  friend class detail::Chunk<Row>;

  Row() = default;

  template <auto which>
  [[nodiscard]] auto& collation_of() const noexcept {
    return batch_->template collation<detail::index_of<T, which>()>();
  }

  PaddedBatch<T>* batch_ = nullptr;
  std::size_t index_ = 0;  // in the batch
};

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_PADDED_BATCH_HPP
