// SPDX-License-Identifier: MIT

/// @file
/// Defines PaddingFIFOQueue, a FIFO queue whose batches are padded.
///
/// When to use: for elements of different extents (sentences, recordings, sets) that a training step needs as one
/// array:
///
/// @code
/// PaddingFIFOQueue<std::vector<float>> sequences(100, {.pad_value = -1.0f});
/// while (auto batch = sequences.dequeue_many(32)) step(batch->values(), batch->lengths());  // [32, longest]
/// @endcode
///
/// When not: for elements of one shape, use any queue with a StackedBatch; for another order, any queue with a
/// PaddedBatch.
///
/// All other members, their guarantees, lifetime and thread safety: BlockingQueue (blocking_queue.hpp). Those of the
/// batches: PaddedBatch (padded_batch.hpp).

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

/// Holds if elements of type T are single values. Their batch in one buffer is a `std::vector<T>`.
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

/// The discipline of a PaddingFIFOQueue: elements leave in order of arrival, in padded batches.
template <class Element>
class PaddedFirstInFirstOut : public detail::Discipline {
 public:
  /// @cond
  static constexpr const char* kind = "PaddingFIFOQueue";
  static constexpr bool examines = !FixedShape<Element>;

  template <class T>
  using Batch = typename detail::PaddedBatchOf<T>::type;
  /// @endcond

  /// Creates a discipline that pads with these options. Throws std::invalid_argument if a fixed extent contradicts the
  /// type.
  explicit PaddedFirstInFirstOut(PaddingOptions<Element> options) : options_(std::move(options)), shapes_(options_) {}

  /// @cond
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
  /// @endcond

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

/// Delivers elements first in, first out, in padded batches.
///
/// dequeue_many(), dequeue_up_to(), dequeue_available() and batches() return a `PaddedBatch<T>`; if elements are single
/// values, which need no padding, a `std::vector<T>`. dequeue() returns the element as it was enqueued. So do the
/// overloads that fill a `std::vector<T>`. A PaddedBatch of your own that you pass in keeps its own pad values.
///
/// (TensorFlow: `tf.PaddingFIFOQueue`, which pads with the default value of the type and does not return the true
/// lengths.)
template <class T, class Sync = StdSync>
class PaddingFIFOQueue final : public BlockingQueue<T, PaddedFirstInFirstOut<T>, Sync> {
 public:
  /// Creates a queue of up to `capacity` elements that pads its batches as `options` says.
  ///
  /// Throws std::invalid_argument if the capacity is less than 1 or too large for the address space, or if a fixed
  /// extent contradicts the type.
  ///
  /// enqueue() throws std::invalid_argument if an element has another extent than `options` fixes. The message names
  /// the component, counted from 0, and both shapes; the argument is untouched.
  explicit PaddingFIFOQueue(Capacity capacity, PaddingOptions<T> options = {})
      : BlockingQueue<T, PaddedFirstInFirstOut<T>, Sync>(capacity, PaddedFirstInFirstOut<T>(std::move(options))) {}
};

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_PADDING_FIFO_QUEUE_HPP
