// SPDX-License-Identifier: MIT
//
// transfer.hpp: where the elements of an enqueue come from (supplies) and those of a dequeue go to (sinks).

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

/// A supply hands its next element to `receive` when it is called with that. This one begins at `next`, and gives the
/// elements away as rvalues if `moves`. What `receive` throws at counts as not given, and is untouched like the rest.
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

/// Takes one element. The pattern of every sink: `takes_one` says whether it is for one element; `prepare` is told how
/// many elements come and may look at them, under the consumers' lock, and may throw; `put` takes them one by one;
/// `undo` forgets them, because a move threw; `finish` is called when the lock has been released, and does not throw.
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

/// Takes a batch into a vector, whose content it replaces.
template <class T>
class VectorSink {
 public:
  static constexpr bool takes_one = false;

  explicit VectorSink(std::vector<T>& batch) noexcept : batch_(batch) { batch_.clear(); }

  /// Makes room outside of the lock, when it is known beforehand how much is needed.
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

/// The sink that fills a Batch: a kind of batch other than a vector brings its own, as its member Sink.
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

/// A kind of batch that elements of type T can be taken into.
template <class Batch, class T>
concept BatchOf = std::same_as<typename Batch::value_type, T> && requires {
  typename SinkInto<Batch>;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_ENGINE_TRANSFER_HPP
