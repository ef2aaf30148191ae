// SPDX-License-Identifier: MIT
//
// padding_fifo_queue.hpp: PaddingFIFOQueue<T>, a FIFOQueue whose batches are padded.
//
// When to use: for elements of different extents (sentences, recordings, sets) of which a training step wants one
// array:
//
//   PaddingFIFOQueue<std::vector<float>> sequences(100, {.pad_value = -1.0f});
//   while (auto batch = sequences.dequeue_many(32)) step(batch->values(), batch->lengths());   // [32, longest]
//
// When not: for elements of one shape, any queue and a StackedBatch; in another order, any queue and a PaddedBatch.
//
// The contract, lifetime and thread safety are BlockingQueue's (blocking_queue.hpp), those of its batches
// PaddedBatch's (padded_batch.hpp).

#ifndef FOREBAY_PADDING_FIFO_QUEUE_HPP
#define FOREBAY_PADDING_FIFO_QUEUE_HPP

#include <concepts>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "forebay/batch/component_shape.hpp"
#include "forebay/batch/components.hpp"
#include "forebay/batch/for_each_index.hpp"
#include "forebay/blocking_queue.hpp"
#include "forebay/padded_batch.hpp"
#include "forebay/queue/discipline.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI {

/// Whether elements of this type are single values: of those a batch in one buffer is a std::vector<T>.
template <class T>
concept SingleValue = std::same_as<detail::ComponentsOf<T>, std::tuple<T>> && !detail::Range<T>;

namespace detail {

template <class T>
struct PaddedBatchOf {
  using type = PaddedBatch<T>;
};
template <SingleValue T>
struct PaddedBatchOf<T> {
  using type = std::vector<T>;
};

}  // namespace detail

/// The discipline of a PaddingFIFOQueue of elements of type Element: they leave as they came, and are padded.
template <class Element>
class PaddedFirstInFirstOut : public detail::Discipline {
 public:
  static constexpr const char* kind = "PaddingFIFOQueue";
  static constexpr bool examines = !FixedShape<Element>;

  template <class T>
  using Batch = typename detail::PaddedBatchOf<T>::type;

  /// Throws std::invalid_argument if a fixed extent contradicts the type.
  explicit PaddedFirstInFirstOut(PaddingOptions<Element> options) : options_(std::move(options)), shapes_(options_) {}

  template <class T>
  [[nodiscard]] Batch<T> empty_batch() const {
    if constexpr (SingleValue<T>) {
      return {};
    } else {
      return Batch<T>(options_);
    }
  }

  /// Throws std::invalid_argument if an extent is fixed and `element` has another.
  void examine(const Element& element) const { shapes_.require_exact(element); }

 private:
  template <class Components>
  class Shapes;

  template <class... Components>
  class Shapes<std::tuple<Components...>> {
   public:
    explicit Shapes(const PaddingOptions<Element>& options)
        : shapes_(made_of(options.shape, std::index_sequence_for<Components...>())) {}

    void require_exact(const Element& element) const {
      detail::for_each_index<sizeof...(Components)>(
          [&]<std::size_t index>() { std::get<index>(shapes_).require_exact(detail::component_of<index>(element)); });
    }

   private:
    using All = std::tuple<detail::ComponentShape<Components>...>;

    template <class Dimensions, std::size_t... indices>
    static All made_of(const Dimensions& dimensions, std::index_sequence<indices...>) {
      if constexpr (sizeof...(Components) == 1) {
        return All(detail::ComponentShape<Components>(0, dimensions)...);
      } else {
        return All(detail::ComponentShape<Components>(indices, std::get<indices>(dimensions))...);
      }
    }

    All shapes_;
  };

  PaddingOptions<Element> options_;
  Shapes<detail::ComponentsOf<Element>> shapes_;
};

/// First in, first out, with padded batches. (TensorFlow: tf.PaddingFIFOQueue, which pads with the default value of
/// the type and does not return the true lengths.)
///
/// dequeue_many, dequeue_up_to, dequeue_available and batches(n) give a PaddedBatch<T>; of elements that are single
/// values, which have nothing to pad, a std::vector<T>. A single dequeue gives the element as it was put in, and so do
/// the batch forms into a std::vector<T>. A batch of the user's own has its own pad values.
template <class T, class Sync = StdSync>
class PaddingFIFOQueue final : public BlockingQueue<T, PaddedFirstInFirstOut<T>, Sync> {
 public:
  /// Holds at most `capacity` elements. enqueue throws std::invalid_argument, and leaves its argument untouched, if an
  /// extent is fixed in `options` and the element has another: it names the component, counted from 0, and both
  /// shapes. Throws std::invalid_argument if the capacity is less than 1 or too large for the address space, or if a
  /// fixed extent contradicts the type.
  explicit PaddingFIFOQueue(Capacity capacity, PaddingOptions<T> options = {})
      : BlockingQueue<T, PaddedFirstInFirstOut<T>, Sync>(capacity, PaddedFirstInFirstOut<T>(std::move(options))) {}
};

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_PADDING_FIFO_QUEUE_HPP
