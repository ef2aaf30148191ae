// SPDX-License-Identifier: MIT
//
// transfer.hpp: the sources of an enqueue (supplies) and the destinations of a dequeue (sinks).

#ifndef FOREBAY_ENGINE_TRANSFER_HPP
#define FOREBAY_ENGINE_TRANSFER_HPP

#include <concepts>
#include <cstddef>
#include <iterator>
#include <optional>
#include <ranges>
#include <type_traits>
#include <utility>
#include <vector>

#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// A supply passes its next element to the `receive` with which it is called. This one begins at `next`, and passes
/// rvalues if `moves`. An element at which `receive` throws does not count as passed, and is untouched.
template <bool moves, class Iterator>
auto supply_from(Iterator next) {
  return [next = std::move(next)](auto receive) mutable {
    if constexpr (moves) {
      receive(std::ranges::iter_move(next));
    } else {
      receive(*next);
    }
    ++next;
  };
}

/// Takes one element. All sinks have these members: `takes_one` says whether the sink is for one element. `prepare`
/// gets the number of elements and may read them, under the consumers' lock; it may throw. `put` takes them one by one.
/// `undo` discards them, because a move threw. `finish` is called after the lock was released, and does not throw.
template <class T>
class ElementSink {
 public:
  static constexpr bool takes_one = true;

  explicit ElementSink(std::optional<T>& element) noexcept : element_(element) {}

  template <class Elements>
  void prepare(std::size_t /*count*/, const Elements& /*elements*/) const noexcept {}
  template <class Element>
  void put(Element&& element) {
    element_.emplace(std::forward<Element>(element));
  }
  void undo() noexcept { element_.reset(); }

 private:
  std::optional<T>& element_;
};

/// Takes a batch into a vector, replacing its content.
template <class T>
class VectorSink {
 public:
  static constexpr bool takes_one = false;

  explicit VectorSink(std::vector<T>& batch) noexcept : batch_(batch) { batch_.clear(); }

  /// Reserves memory without the lock, if the size is known beforehand.
  void reserve(std::size_t count) { batch_.reserve(count); }

  template <class Elements>
  void prepare(std::size_t count, const Elements& /*elements*/) {
    batch_.reserve(count);
  }
  template <class Element>
  void put(Element&& element) {
    batch_.push_back(std::forward<Element>(element));
  }
  void undo() noexcept { batch_.clear(); }
  void finish() const noexcept {}

 private:
  std::vector<T>& batch_;
};

/// The sink that fills a Batch. A batch type other than a vector provides its own, as the member Sink.
template <class Batch>
struct SinkOf {
  using type = typename Batch::Sink;
};
template <class T>
struct SinkOf<std::vector<T>> {
  using type = VectorSink<T>;
};
template <class Batch>
using SinkInto = typename SinkOf<Batch>::type;

/// A batch type for elements of type T.
template <class Batch, class T>
concept BatchOf = std::same_as<typename Batch::value_type, T> && requires {
  typename SinkInto<Batch>;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_ENGINE_TRANSFER_HPP
