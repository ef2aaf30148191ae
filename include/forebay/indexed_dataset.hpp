// SPDX-License-Identifier: MIT
//
// indexed_dataset.hpp: IndexedDataset<T>, a Dataset<T> with random access and a known size: what from_slices, range
// and from_indexed make, and what collect() keeps.
//
// When to use: to shuffle all of it, and to take, skip, step and shard without reading. Everything else is a Dataset
// (dataset.hpp), also what its other stages make of this.

#include "forebay/dataset.hpp"  // before the guard: it includes this header where Dataset is whole

#ifndef FOREBAY_INDEXED_DATASET_HPP
#define FOREBAY_INDEXED_DATASET_HPP

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

#include "forebay/count.hpp"
#include "forebay/dataset_options.hpp"
#include "forebay/source/indexed.hpp"
#include "forebay/stage/indexed_node.hpp"
#include "forebay/stage/shard.hpp"
#include "forebay/stage/step_by.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI {

/// The members that are not here are Dataset's.
template <class T>
class IndexedDataset : public Dataset<T> {
 public:
  using Dataset<T>::seed;
  using Dataset<T>::shard;
  using Dataset<T>::shuffle;
  using Dataset<T>::skip;
  using Dataset<T>::step_by;
  using Dataset<T>::take;

  /// How many elements an epoch has.
  [[nodiscard]] std::size_t size() const noexcept { return static_cast<std::size_t>(indexed().size()); }

  /// The element at `place` in the first epoch. Throws std::out_of_range unless place < size(), and what a
  /// from_indexed throws.
  [[nodiscard]] T operator[](Count place) const {
    const std::size_t index = place.at_least(0, "operator[]: place");
    if (index >= size()) {
      throw std::out_of_range("forebay: element " + std::to_string(index) + " of a data set of " +
                              std::to_string(size()));
    }
    return indexed().at(index);
  }

  [[nodiscard]] IndexedDataset seed(std::uint64_t seed) const { return IndexedDataset(indexed().seeded(seed)); }

  /// All elements in a random order, another one each epoch. Takes no memory.
  [[nodiscard]] IndexedDataset shuffle() const { return IndexedDataset(indexed().shuffled()); }

  /// As for every Dataset, at no cost.
  [[nodiscard]] IndexedDataset take(Count count) const {
    return IndexedDataset(indexed().sliced(0, count.at_least(0, "take: count")));
  }
  [[nodiscard]] IndexedDataset skip(Count count) const {
    return IndexedDataset(indexed().sliced(count.at_least(0, "skip: count"), indexed().size()));
  }
  [[nodiscard]] IndexedDataset step_by(Count step) const {
    return IndexedDataset(indexed().stepped(detail::stride_of(step)));
  }
  [[nodiscard]] IndexedDataset shard(Count index, Count count) const {
    return IndexedDataset(indexed().sharded(detail::Shard(index, count), detail::Evenness::none));
  }
  [[nodiscard]] IndexedDataset shard(Count index, Count count, Even even) const {
    return IndexedDataset(indexed().sharded(detail::Shard(index, count), detail::evenness(even)));
  }

  [[nodiscard]] IndexedDataset named(std::string name) const {
    return IndexedDataset(indexed().named(std::move(name)));
  }

  [[nodiscard]] IndexedDataset traced() const { return IndexedDataset(indexed().traced()); }

  /// For the library: of an IndexedNode.
  explicit IndexedDataset(detail::NodePointer<T> node) : Dataset<T>(std::move(node)) {}

 private:
  [[nodiscard]] const detail::IndexedNode<T>& indexed() const noexcept {
    return static_cast<const detail::IndexedNode<T>&>(*this->node());
  }
};

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_INDEXED_DATASET_HPP
