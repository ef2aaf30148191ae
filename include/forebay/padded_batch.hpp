// SPDX-License-Identifier: MIT
//
// padded_batch.hpp: PaddedBatch<T> and StackedBatch<T>, batches in which each component of the elements is one
// contiguous buffer; PaddingOptions<T>, how components are padded; Characters, a string that is batched as characters.
//
// When to use: for what a training step wants, [n, ...] arrays of numbers, from a queue of any kind. If the extents of
// the elements differ:
//
//   PaddedBatch<std::vector<float>> batch(-1.0f);   // padded with -1
//   while (queue.dequeue_many(32, batch) == QueueStatus::ok) step(batch.values(), batch.lengths());
//
// If they do not (numbers, strings, std::arrays, std::spans of fixed extent):
//
//   struct Example { std::array<float, 784> pixels; int label; std::string source; };
//   StackedBatch<Example> batch;
//   while (queue.dequeue_many(32, batch) == QueueStatus::ok) {
//     step(batch.component<&Example::pixels>().values(),   // [32, 784] floats
//          batch.component<&Example::label>().values());   // [32] ints; by number: component<1>()
//   }
//
// When not: to keep the elements as they are; that is what a std::vector<T> does.
//
// Elements of different extents are padded, each component to the largest extents in the batch (padded_component.hpp).
// Elements that all have the same extents are stacked: one copy, straight from the queue into the buffer.
//
// Lifetime: it can be moved, not copied. It keeps its storage from call to call, and allocates when a batch is larger
// than any before. It needs no queue to live on.
//
// Thread safety: that of a std::vector.

#ifndef FOREBAY_PADDED_BATCH_HPP
#define FOREBAY_PADDED_BATCH_HPP

#include <array>
#include <concepts>
#include <cstddef>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

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

/// A member that is batched as a range of characters, not as one string:
///
///   struct Sentence { std::string author; Characters text; };
///   PaddedBatch<Sentence> batch;   // component<&Sentence::author>(): n strings
///                                  // component<&Sentence::text>(): [n, longest] chars, and the lengths
///
/// When to use: if a step wants the characters in one array. When not: for names, labels and texts to be kept whole;
/// those are std::strings. An element that is itself a std::string is batched as a range of characters anyway. So are
/// other ranges of characters, such as std::vector<char> and std::span<const wchar_t>.
///
/// A std::string in every other respect; made implicitly from one.
struct Characters : std::string {
  using std::string::string;
  Characters() = default;
  Characters(std::string text) noexcept : std::string(std::move(text)) {}
};

/// Stands where a pad value would, for a component that is never padded. Made implicitly from anything.
using NoPadding = detail::NoPadding;

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

namespace detail {

/// Whether one of the components is.
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

/// A single one is the batch itself.
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

/// Elements of one shape: none of their extents varies.
template <class T>
concept FixedShape = !detail::any_is_ragged<detail::ComponentsOf<T>>;

/// Requires of T: it is one component, or a std::tuple, a std::pair or an aggregate of components (at most 16 members,
/// no base class, no C array: std::array). A component is a value, or a range of values of any rank
/// (padded_component.hpp). A record inside of a component is a value, and so is a std::string: its component is a
/// column of n strings. It is a range of char if it is T itself, or is a Characters.
///
/// What is in the ranges is moved where they own it and are given away by the queue, and copied where they do not (a
/// std::span): what a span refers to has to live until its batch is there. Values are moved.
///
/// If T has one component, the batch itself has all members of PaddedComponent: `batch(i, j)`, `batch.lengths()`. If
/// its elements are single values, it is a range of them.
///
/// Guarantees: when a batch cannot be made, because its size overflows (std::length_error), its memory cannot be had,
/// an extent exceeds a fixed one (std::invalid_argument) or a pad value's copy throws, the elements stay in the queue
/// and the batch is empty. Sizes are looked at and storage is made under the queue's lock; elements of different
/// extents are moved out under the lock, and copied, padded and destroyed after it has been released, before the call
/// returns.
template <class T>
class PaddedBatch : public detail::BatchedComponents<detail::ComponentsOf<T>> {
  using Base = detail::BatchedComponents<detail::ComponentsOf<T>>;
  static constexpr bool is_padded = !FixedShape<T>;

 public:
  using value_type = T;
  using PadValue = typename PaddingOptions<T>::PadValue;
  class Sink;

  /// How many components an element has.
  static constexpr std::size_t component_count = detail::component_count<T>;

  /// An empty batch. What is shorter than an extent fixed in `options` is padded up to it; a longer element makes the
  /// dequeue throw std::invalid_argument and stays in the queue. Throws std::invalid_argument if a fixed extent
  /// contradicts the type.
  explicit PaddedBatch(const PaddingOptions<T>& options = {}) : Base(options) {}
  explicit PaddedBatch(const PadValue& pad_value) : Base(PaddingOptions<T>{pad_value, {}}) {}

  /// Leaves the other batch empty, or with what this one held, ready to be filled again.
  // NOLINTNEXTLINE(performance-noexcept-move-constructor)
  PaddedBatch(PaddedBatch&& other) noexcept(std::is_nothrow_move_constructible_v<Base>) = default;
  PaddedBatch& operator=(PaddedBatch&& other) noexcept = default;
  ~PaddedBatch() = default;

  /// How many elements there are.
  [[nodiscard]] std::size_t size() const noexcept { return component<0>().size(); }
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }

  /// A component of all elements, by its number, `component<1>()`, in the order of the members of T, or by the member
  /// itself, `component<&Example::label>()`.
  template <auto which>
  requires detail::NameOfComponent<decltype(which), T>
  [[nodiscard]] auto& component() noexcept { return this->template get<detail::index_of<T, which>()>(); }
  template <auto which>
  requires detail::NameOfComponent<decltype(which), T>
  [[nodiscard]] const auto& component() const noexcept { return this->template get<detail::index_of<T, which>()>(); }

  /// Makes it a batch of no elements and keeps the storage.
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

  /// Puts the components of `element` in at place i.
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

  /// Elements that have left the queue and are not yet copied; empty between calls.
  std::vector<T> elements_;
};

/// How a queue fills a PaddedBatch: see engine/transfer.hpp.
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

/// A PaddedBatch in which there is nothing to pad.
template <FixedShape T>
using StackedBatch = PaddedBatch<T>;

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_PADDED_BATCH_HPP
