// SPDX-License-Identifier: MIT

/// @file
/// Defines IndexedDataset, a Dataset with random access and a known size.
///
/// from_slices, range, from_indexed, collect() and the sources with random access of files.hpp return one. seed,
/// shuffle, shuffle_pages, take, skip, step_by, shard, named and traced keep random access; every other stage returns a
/// Dataset.
///
/// @code
/// auto numbers = forebay::range(10).skip(2).shuffle();   // an IndexedDataset<int>
/// numbers.size();                                        // 8
/// @endcode
///
/// When to use: to shuffle all elements, and to take, skip, step and shard without reading what is left out.
///
/// Lifetime: a value that is cheap to copy and to store, like every Dataset.
///
/// Thread safety: immutable; any number of threads may use it.

#include "forebay/dataset.hpp"  // before the guard: it includes this header where Dataset is whole

#ifndef FOREBAY_INDEXED_DATASET_HPP
#define FOREBAY_INDEXED_DATASET_HPP

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "forebay/count.hpp"
#include "forebay/dataset_options.hpp"
#include "forebay/source/indexed.hpp"
#include "forebay/stage/indexed_node.hpp"
#include "forebay/stage/shard.hpp"
#include "forebay/stage/step_by.hpp"
#include "forebay/sync.hpp"
#include "forebay/trace/trace.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI {

/// Describes elements with random access and a known size. The other members are those of Dataset.
template <class T>
class IndexedDataset : public Dataset<T> {
 public:
  using Dataset<T>::seed;
  using Dataset<T>::shard;
  using Dataset<T>::shuffle;
  using Dataset<T>::shuffle_pages;
  using Dataset<T>::skip;
  using Dataset<T>::step_by;
  using Dataset<T>::take;

  /// @name Random access
  /// @{

  /// Returns the number of elements in an epoch.
  [[nodiscard]] std::size_t size() const noexcept { return static_cast<std::size_t>(indexed().size()); }

  /// Returns the element at index `place` of the first epoch. Throws std::out_of_range unless place < size(), the
  /// exceptions of the function given to from_indexed, and a FileError if the elements are those of files.
  [[nodiscard]] T operator[](Count place) const {
    return indexed().indexed_source()->at(number_at(place.at_least(0, "operator[]: place")));
  }

  /// Replaces `into` with the element at index `place` of the first epoch. Throws what operator[] throws. If the
  /// function given to from_indexed has thrown, `into` is as it left it.
  ///
  /// Reuses the storage of `into` if the source fills elements: from_indexed with a function that does, records, lines
  /// and rows of files, and entries of tar archives.
  ///
  /// @code
  /// for (const std::size_t i : chosen) {
  ///   images.read(i, image);  // allocates nothing once `image` is large enough
  ///   train(image);
  /// }
  /// @endcode
  void read(Count place, T& into) const requires std::is_move_assignable_v<T> {
    indexed().indexed_source()->read(number_at(place.at_least(0, "read: place")), into);
  }

  /// @}
  /// @name Stages that keep random access
  /// @{

  /// Sets the seed of all random draws downstream, as Dataset::seed does.
  [[nodiscard]] IndexedDataset seed(std::uint64_t seed) const { return IndexedDataset(indexed().seeded(seed)); }

  /// Shuffles all elements, in a new random order each epoch, without memory.
  ///
  /// @code
  /// range(10).seed(7).shuffle().repeat(2)   // two different permutations of 0 to 9; the same two in each run
  /// @endcode
  [[nodiscard]] IndexedDataset shuffle() const { return IndexedDataset(indexed().shuffled()); }

  /// Shuffles pages of `page` neighbouring elements, and the elements within each page, in a new random order each
  /// epoch, without memory. Reading then stays within one page for a while, which disks and networks deliver fastest.
  ///
  /// The last page may be shorter; it is as likely at each place as any other. Each page has the same elements in every
  /// epoch: a shuffle(window) downstream mixes the elements of some pages. With a page of one element, or of all, the
  /// order is that of shuffle(). Throws std::invalid_argument for 0.
  ///
  /// @code
  /// range(8).seed(1).shuffle_pages(3)   // 1 2 0 6 7 5 4 3
  /// @endcode
  [[nodiscard]] IndexedDataset shuffle_pages(Count page) const {
    return IndexedDataset(indexed().page_shuffled(page.at_least(1, "shuffle_pages: page")));
  }

  /// Keeps the first `count` elements. Reads none of the others.
  [[nodiscard]] IndexedDataset take(Count count) const {
    return IndexedDataset(indexed().sliced(0, count.at_least(0, "take: count")));
  }

  /// Leaves out the first `count` elements, without reading them.
  [[nodiscard]] IndexedDataset skip(Count count) const {
    return IndexedDataset(indexed().sliced(count.at_least(0, "skip: count"), indexed().size()));
  }

  /// Keeps the first of every `step` elements, without reading the others. Throws std::invalid_argument for 0.
  [[nodiscard]] IndexedDataset step_by(Count step) const {
    return IndexedDataset(indexed().stepped(detail::stride_of(step)));
  }

  /// Keeps every `count`-th element from index `index` on, as Dataset::shard does, without reading the others. Throws
  /// std::invalid_argument unless index < count.
  [[nodiscard]] IndexedDataset shard(Count index, Count count) const {
    return IndexedDataset(indexed().sharded(detail::Shard(index, count), detail::Evenness::none));
  }

  /// Keeps every `count`-th element from index `index` on, and gives all shards the same size. Throws
  /// std::invalid_argument unless index < count.
  [[nodiscard]] IndexedDataset shard(Count index, Count count, Even even) const {
    return IndexedDataset(indexed().sharded(detail::Shard(index, count), detail::evenness(even)));
  }

  /// Names the last stage in failures, reports and descriptions.
  [[nodiscard]] IndexedDataset named(std::string name) const {
    return IndexedDataset(indexed().named(std::move(name)));
  }

  /// Records events of the threads of each run, as Dataset::traced does.
  [[nodiscard]] IndexedDataset traced() const { return IndexedDataset(indexed().traced(detail::make_trace<StdSync>)); }

  /// @}

  /// @cond
  // For the library. Requires an IndexedNode.
  explicit IndexedDataset(detail::NodePointer<T> node) : Dataset<T>(std::move(node)) {}
  /// @endcond

 private:
  [[nodiscard]] const detail::IndexedNode<T>& indexed() const noexcept {
    return static_cast<const detail::IndexedNode<T>&>(*this->node());
  }

  [[nodiscard]] std::uint64_t number_at(std::size_t place) const {
    if (place >= size()) {
      throw std::out_of_range("forebay: element " + std::to_string(place) + " of a data set of " +
                              std::to_string(size()));
    }
    return indexed().number_at(place);
  }
};

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_INDEXED_DATASET_HPP
