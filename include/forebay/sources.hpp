// SPDX-License-Identifier: MIT
//
// sources.hpp: where the elements of data sets come from: from_slices, range, from_indexed, from_callable, text_lines,
// from_queue; and zip, which makes one of several.

#ifndef FOREBAY_SOURCES_HPP
#define FOREBAY_SOURCES_HPP

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <ranges>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "forebay/base/element_ranges.hpp"
#include "forebay/base/queue_of_elements.hpp"
#include "forebay/base/reject.hpp"
#include "forebay/count.hpp"
#include "forebay/dataset.hpp"
#include "forebay/dataset_options.hpp"
#include "forebay/describe/facts.hpp"
#include "forebay/indexed_dataset.hpp"
#include "forebay/source/callable.hpp"
#include "forebay/source/indexed.hpp"
#include "forebay/source/line_reader.hpp"
#include "forebay/source/queue.hpp"
#include "forebay/stage/indexed_node.hpp"
#include "forebay/stage/zip.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI {

namespace detail {

template <class T, class At>
[[nodiscard]] IndexedDataset<T> indexed_dataset(std::uint64_t size, const char* name, At at, Facts facts = {}) {
  const IndexedSource<T>* const made = new ComputedSource<T, At>(size, name, std::move(at));
  std::shared_ptr<const IndexedSource<T>> source(made);
  return IndexedDataset<T>(shared_node(
      new IndexedNode<T>(describe_indexed(std::move(facts), name, size), std::move(source), IndexStages())));
}

/// The elements of a range, copied, or moved if it gives them away.
template <std::ranges::input_range Range>
[[nodiscard]] auto vector_of(Range&& range) {
  using T = std::ranges::range_value_t<Range>;
  if constexpr (std::same_as<std::remove_cvref_t<Range>, std::vector<T>> && !std::same_as<T, bool>) {
    return std::vector<T>(std::forward<Range>(range));
  } else {
    std::vector<std::conditional_t<std::same_as<T, bool>, BoolElement, T>> made;
    for (auto&& element : range) {
      if constexpr (std::same_as<T, bool>) {
        made.push_back({static_cast<bool>(element)});
      } else {
        made.push_back(static_cast<GivenBy<Range>>(element));
      }
    }
    return made;
  }
}

template <class At>
concept FetchesElements =
    std::invocable<const At&, std::size_t> && !std::is_void_v<std::invoke_result_t<const At&, std::size_t>>;

template <class T>
[[nodiscard]] const T& element_of(const T& element) noexcept {
  return element;
}
[[nodiscard]] inline bool element_of(const BoolElement& element) noexcept { return element.value; }

template <class T, class Vector>
[[nodiscard]] IndexedDataset<T> from_vector(Vector elements, const char* name, Facts facts = {}) {
  const std::size_t size = elements.size();
  return indexed_dataset<T>(
      size, name, [elements = std::move(elements)](std::size_t i) -> T { return element_of(elements[i]); },
      std::move(facts));
}

}  // namespace detail

// ---- Random access

/// The elements of a range. A container that is given away is kept as it is; everything else is copied, once.
/// Requires elements that can be copied: each epoch hands out copies. (TensorFlow: Dataset.from_tensor_slices.)
template <std::ranges::input_range Range>
[[nodiscard]] auto from_slices(Range&& range) {
  using T = std::ranges::range_value_t<Range>;
  static_assert(std::copy_constructible<T>, "forebay: from_slices hands out copies, and these elements have none");
  return detail::from_vector<T>(detail::vector_of(std::forward<Range>(range)), "from_slices");
}
template <class T>
[[nodiscard]] IndexedDataset<T> from_slices(std::initializer_list<T> elements) {
  return from_slices(std::vector<T>(elements));
}

void from_slices(...) = delete;  // forebay: from_slices(range), from_slices(range1, range2), from_slices({1, 2, 3})

/// The elements of several ranges side by side, as std::tuples: `from_slices(images, labels)`. Throws
/// std::invalid_argument if they differ in length.
template <std::ranges::input_range First, std::ranges::input_range Second, std::ranges::input_range... Rest>
[[nodiscard]] auto from_slices(First&& first, Second&& second, Rest&&... rest) {
  using T = std::tuple<std::ranges::range_value_t<First>, std::ranges::range_value_t<Second>,
                       std::ranges::range_value_t<Rest>...>;
  static_assert(std::copy_constructible<T>, "forebay: from_slices hands out copies, and these elements have none");
  auto columns =
      std::make_tuple(detail::vector_of(std::forward<First>(first)), detail::vector_of(std::forward<Second>(second)),
                      detail::vector_of(std::forward<Rest>(rest))...);
  const std::size_t size = std::get<0>(columns).size();
  std::apply(
      [size](const auto&... column) {
        if (((column.size() == size) && ...)) return;
        std::string sizes;
        ((sizes += (sizes.empty() ? "" : ", ") + std::to_string(column.size())), ...);
        throw std::invalid_argument("forebay: from_slices: the ranges have different lengths: " + sizes);
      },
      columns);
  return detail::indexed_dataset<T>(size, "from_slices", [columns = std::move(columns)](std::size_t i) {
    return std::apply([i](const auto&... column) { return T(detail::element_of(column[i])...); }, columns);
  });
}

/// The integers from 0, or `first`, up to but not including `last`, each `step` from the one before. Throws
/// std::invalid_argument for a step of 0. (TensorFlow: Dataset.range.)
template <std::integral Integer>
[[nodiscard]] IndexedDataset<Integer> range(std::type_identity_t<Integer> first, Integer last,
                                            std::type_identity_t<Integer> step = 1) {
  if (step == 0) detail::reject({"range with a step of 0"});
  const bool up = step > 0;
  using Number = std::uint64_t;
  const auto distance = up ? static_cast<Number>(last) - static_cast<Number>(first)
                           : static_cast<Number>(first) - static_cast<Number>(last);
  const auto stride = up ? static_cast<Number>(step) : 0 - static_cast<Number>(step);
  const bool has_some = up ? first < last : last < first;
  const std::uint64_t size = has_some ? (distance - 1) / stride + 1 : 0;
  return detail::indexed_dataset<Integer>(size, "range", [first, step](std::size_t i) {
    return static_cast<Integer>(static_cast<Number>(first) + static_cast<Number>(i) * static_cast<Number>(step));
  });
}
template <std::integral Integer>
[[nodiscard]] IndexedDataset<Integer> range(Integer last) {
  return range<Integer>(0, last);
}
void range(...) = delete;  // forebay: range(last), range(first, last) or range(first, last, step), of integers

/// `count` elements, which `at(std::size_t)` returns; in any order, by several threads at once if it is mapped by
/// several, in which case `at` runs in them, too.
template <class At>
[[nodiscard]] auto from_indexed(Count count, At&& at) {
  using Function = std::decay_t<At>;
  static_assert(detail::FetchesElements<Function>,
                "forebay: the function given to from_indexed is called with a std::size_t, by several threads at the "
                "same time and so through a const reference: it cannot be mutable; and it returns an element");
  using T = std::decay_t<std::invoke_result_t<const Function&, std::size_t>>;
  return detail::indexed_dataset<T>(count.at_least(0, "from_indexed: count"), "from_indexed",
                                    Function(std::forward<At>(at)));
}
void from_indexed(...) = delete;  // forebay: from_indexed(count, at), where at(std::size_t) returns an element

template <class T>
IndexedDataset<T> Dataset<T>::collect() const {
  if (!node_->facts().ends) detail::reject({"collect: the data set is repeated for ever"});
  std::vector<std::conditional_t<std::same_as<T, bool>, detail::BoolElement, T>> elements;
  for (T& element : run()) elements.push_back({std::move(element)});
  return detail::from_vector<T>(std::move(elements), "collect", detail::describe_collected(node_->facts()));
}

// ---- One after the other

/// What a reader returns until its end: `std::optional<T> next()`, or anything that reads like one; or fills, as
/// `bool next(T& into)`, which is given storage that is used again and returns false at the end. Of a generic lambda T
/// has to be said: `from_callable<Record>(next)`.
///
/// The reader is a value: each run and each epoch begins with a copy of it, as it was given. What it refers to is not
/// copied: to open a file anew in each epoch, give a factory, from_callable(per_epoch(factory)). A reader that cannot
/// be copied can be run once, for one epoch. (TensorFlow: Dataset.from_generator.)
///
/// `location()` const, of a reader that has it, returns a std::string, or what becomes one: where the element is that
/// was read last, or could not be read, such as "prices.csv:205". It is asked only if the reader has thrown; then
/// DatasetError has it. A failure downstream has only the position: a reader is further on by then. (text_lines knows
/// its lines there, too.)
///
/// A `Context&` as its last parameter tells a reader that blocks of a stop: `context.should_stop()` and
/// `context.until_stop()`. Then it returns nothing, or throws, and the pipeline does not take that for the end of the
/// data.
///
/// `skip(n)`, of a reader that has it, skips up to n elements without reading them, and returns how many: fewer only at
/// the end. skip(n), step_by(n) and shard(index, count) right behind the source call it, or right behind the flat_map
/// or interleave that reads it. So does a resume. None does if failures are left out (.on_error). An element that is
/// skipped cannot fail.
///
/// One that can go back says so: `cursor()` const returns an integer or a std::string, and `seek(cursor)` goes there.
/// Only then has a pipeline checkpoints. And unless it takes a Context&, the loop's thread may read while it waits.
template <class T = void, class Reader>
[[nodiscard]] auto from_callable(Reader&& reader, ReadOptions options = {}) {
  using Readers = typename detail::ReadersOf<std::decay_t<Reader>>::type;
  using Element = typename detail::ReadBy<typename Readers::Reader, T>::type;
  static_assert(
      !std::is_void_v<Element>,
      "forebay: from_callable is given what returns a std::optional<T>, or fills a T& and returns a bool, and takes a "
      "Context& last if it wants one; of a generic lambda T has to be said: from_callable<T>(next)");
  if constexpr (!std::is_void_v<Element>) {
    static_assert(detail::ReaderOf<typename Readers::Reader, Element>,
                  "forebay: from_callable is given what returns a std::optional<T>, or fills a T& and returns a bool, "
                  "and takes a Context& last if it wants one");
    static_assert(detail::ReaderMembers<typename Readers::Reader>::are_right);
    using Node = detail::CallableNode<Element, Readers>;
    return Dataset<Element>(detail::shared_node(new Node(Readers(std::forward<Reader>(reader)), options.on_error)));
  }
}
void from_callable(...) = delete;  // forebay: from_callable(next, options), where next() returns a std::optional<T>

/// The lines of text files, one file after the other, without what ends them: of one, given as a string or as a path,
/// or of a range of them. A file that cannot be read is a failure that names it, or skipped, and counts once; the next
/// file follows. (TensorFlow: TextLineDataset.)
template <class Files>
requires detail::FileName<Files> || detail::FileNames<Files>
[[nodiscard]] Dataset<std::string> text_lines(Files&& files, ReadOptions options = {}) {
  return from_slices(detail::file_names(files))
      .flat_map(options, [](const std::string& name) { return detail::LineReader(name); })
      .named("text_lines");
}
template <class Name = std::string>  // always: only who calls it is to compile it
[[nodiscard]] Dataset<std::string> text_lines(std::initializer_list<std::type_identity_t<Name>> files,
                                              ReadOptions options = {}) {
  return text_lines(std::vector<std::string>(files), std::move(options));
}
void text_lines(...) = delete;  // forebay: text_lines(file) or text_lines(files), by their names

/// What is in a queue, or a QueueRef, until it is closed. The queue is neither owned nor closed; it has to outlive the
/// pipeline. For one run of one epoch.
template <detail::QueueOfElements Queue>
[[nodiscard]] auto from_queue(Queue& queue) {
  using T = typename Queue::value_type;
  return Dataset<T>(detail::queue_node<T>(queue));
}
void from_queue(...) = delete;  // forebay: from_queue(queue), of a queue that outlives it: no temporary, no pointer

// ---- Several at once

/// Tuples of one element of each, in one epoch, which ends with the shortest input. All epochs of an input count as one
/// (Dataset::seamless): write `zip(a, b).repeat(10)` where epochs are wanted. Tuples are numbered anew.
template <class First, class... Rest>
[[nodiscard]] Dataset<std::tuple<First, Rest...>> zip(const Dataset<First>& first, const Dataset<Rest>&... rest) {
  return Dataset<std::tuple<First, Rest...>>(detail::zip_node(first.node(), rest.node()...));
}

void zip(...) = delete;  // forebay: zip(a, b), of data sets

/// One epoch with the elements of all `inputs`: for each output one of them is drawn, with a probability in proportion
/// to its weight. When one is at its end, it goes on with those that are left; an input of weight 0 is never drawn. All
/// epochs of an input count as one (Dataset::seamless). Elements are numbered anew. Throws std::invalid_argument
/// unless there is a weight for each, finite and not negative, and one of them above 0.
/// (TensorFlow: Dataset.sample_from_datasets.)
///
///   mix({photos, drawings}, {0.7, 0.3})
template <class T>
[[nodiscard]] Dataset<T> mix(const std::vector<Dataset<T>>& inputs, const std::vector<double>& weights) {
  detail::ByWeight choice{.weights = detail::whole_weights(weights, inputs.size())};
  std::vector<detail::NodePointer<T>> nodes;
  for (const Dataset<T>& input : inputs) nodes.push_back(input.node());
  return Dataset<T>(detail::join<T>(std::move(nodes), std::move(choice)));
}
template <class T>
[[nodiscard]] Dataset<T> mix(std::initializer_list<Dataset<T>> inputs, const std::vector<double>& weights) {
  return mix(std::vector<Dataset<T>>(inputs), weights);
}
template <class T>
void mix(std::initializer_list<T>) = delete;  // forebay: mix({a, b}, {0.7, 0.3}): the weights are missing
template <class T>
void mix(std::initializer_list<T>, double) = delete;  // forebay: mix({a, b}, {0.7, 0.3}): a weight for each input
template <class T>
void mix(std::initializer_list<double>, std::initializer_list<T>) = delete;  // forebay: mix({a, b}, {0.7, 0.3})
void mix(...) = delete;  // forebay: mix({a, b}, {0.7, 0.3}): data sets of the same elements, and a weight for each

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_SOURCES_HPP
