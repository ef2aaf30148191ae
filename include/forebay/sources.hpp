// SPDX-License-Identifier: MIT

/// @file
/// Defines the functions that create data sets: from_slices, range, from_indexed, from_callable and text_lines; and zip
/// and mix, which combine several.
///
/// @code
/// auto numbers = forebay::from_slices({1, 2, 3});
/// auto lines = forebay::text_lines("prices.csv");
/// auto both = forebay::zip(numbers, lines);   // a Dataset<std::tuple<int, std::string>>
/// @endcode
///
/// When to use: from_slices for elements in memory; from_indexed if an index leads to an element; text_lines for text
/// files; from_callable for everything else that is read one by one; from_queue (forebay/from_queue.hpp) for elements
/// that your threads produce.
///
/// Thread safety: any number of threads may call these functions.

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
#include "forebay/base/reject.hpp"
#include "forebay/count.hpp"
#include "forebay/dataset.hpp"
#include "forebay/dataset_options.hpp"
#include "forebay/describe/properties.hpp"
#include "forebay/indexed_dataset.hpp"
#include "forebay/source/callable.hpp"
#include "forebay/source/indexed.hpp"
#include "forebay/source/line_reader.hpp"
#include "forebay/stage/indexed_node.hpp"
#include "forebay/stage/zip.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI {

namespace detail {

/// Returns a data set of the elements of a source.
template <class T>
[[nodiscard]] IndexedDataset<T> indexed_dataset(std::shared_ptr<const IndexedSource<T>> source, const StageText& text,
                                                Properties&& properties) {
  Properties described = describe_indexed(std::move(properties), text, source->size());
  return IndexedDataset<T>(shared_node(new IndexedNode<T>(std::move(described), std::move(source), IndexStages())));
}

template <class T, class At>
[[nodiscard]] IndexedDataset<T> indexed_dataset(std::uint64_t size, const StageText& text, At at,
                                                Properties properties = {}) {
  using Source =
      std::conditional_t<std::invocable<const At&, std::size_t>, ComputedSource<T, At>, FilledSource<T, At>>;
  const IndexedSource<T>* const made = new Source(size, text.name, std::move(at));
  return indexed_dataset<T>(std::shared_ptr<const IndexedSource<T>>(made), text, std::move(properties));
}

/// Does the same for elements in memory: failures name those that have a text.
template <class T, class At>
[[nodiscard]] IndexedDataset<T> dataset_in_memory(std::uint64_t size, const char* name, At at,
                                                  Properties properties = {}) {
  if constexpr (has_text<T>) {
    const auto* const made = new NamingSource<T, At>(size, name, std::move(at));
    std::shared_ptr<const IndexedSource<T>> source(static_cast<const IndexedSource<T>*>(made));
    properties.locations = std::shared_ptr<const Locations>(source, made);
    return indexed_dataset<T>(std::move(source), name, std::move(properties));
  } else {
    return indexed_dataset<T>(size, name, std::move(at), std::move(properties));
  }
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

template <class At, class T>
concept FillsElements = std::default_initializable<T> && std::invocable<const At&, std::size_t, T&>;

/// The type of the elements that a function returns, or T.
template <class At, class T>
struct ElementAt {
  using type = T;
};
template <FetchesElements At>
struct ElementAt<At, void> {
  using type = std::decay_t<std::invoke_result_t<const At&, std::size_t>>;
};

template <class T>
[[nodiscard]] const T& element_of(const T& element) noexcept {
  return element;
}
[[nodiscard]] inline bool element_of(const BoolElement& element) noexcept { return element.value; }

template <class T, class Vector>
[[nodiscard]] IndexedDataset<T> from_vector(Vector elements, const char* name, Properties properties = {}) {
  const std::size_t size = elements.size();
  return dataset_in_memory<T>(
      size, name, [elements = std::move(elements)](std::size_t i) -> T { return element_of(elements[i]); },
      std::move(properties));
}

}  // namespace detail

/// @name Sources with random access
/// @{

/// Creates a data set of the elements of a range.
///
/// A container that is an rvalue is moved; everything else is copied once. The elements must be copyable, because each
/// epoch returns copies. (TensorFlow: Dataset.from_tensor_slices.)
///
/// @code
/// std::vector<std::string> names = {"a.png", "b.png"};
/// from_slices(names)              // copies the names
/// from_slices(std::move(names))   // takes the vector
/// @endcode
template <std::ranges::input_range Range>
[[nodiscard]] auto from_slices(Range&& range) {
  using T = std::ranges::range_value_t<Range>;
  static_assert(std::copy_constructible<T>,
                "forebay: from_slices returns copies of the elements, so they must be copyable");
  return detail::from_vector<T>(detail::vector_of(std::forward<Range>(range)), "from_slices");
}

/// Creates a data set of the listed elements: `from_slices({1, 2, 3})`.
template <class T>
[[nodiscard]] IndexedDataset<T> from_slices(std::initializer_list<T> elements) {
  return from_slices(std::vector<T>(elements));
}

void from_slices(...) = delete;  // forebay: from_slices(range), from_slices(range1, range2), from_slices({1, 2, 3})

/// Creates a data set of std::tuples, each with one element of every range: `from_slices(images, labels)`. Throws
/// std::invalid_argument if the ranges have different lengths.
template <std::ranges::input_range First, std::ranges::input_range Second, std::ranges::input_range... Rest>
[[nodiscard]] auto from_slices(First&& first, Second&& second, Rest&&... rest) {
  using T = std::tuple<std::ranges::range_value_t<First>, std::ranges::range_value_t<Second>,
                       std::ranges::range_value_t<Rest>...>;
  static_assert(std::copy_constructible<T>,
                "forebay: from_slices returns copies of the elements, so they must be copyable");
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
  return detail::dataset_in_memory<T>(size, "from_slices", [columns = std::move(columns)](std::size_t i) {
    return std::apply([i](const auto&... column) { return T(detail::element_of(column[i])...); }, columns);
  });
}

/// Creates a data set of the integers from `first` up to but not including `last`, at a distance of `step`.
///
/// Throws std::invalid_argument for a step of 0. (TensorFlow: Dataset.range.)
///
/// @code
/// range(2, 5)       // 2, 3, 4
/// range(9, 0, -4)   // 9, 5, 1
/// @endcode
template <std::integral Integer>
[[nodiscard]] IndexedDataset<Integer> range(std::type_identity_t<Integer> first, Integer last,
                                            std::type_identity_t<Integer> step = 1) {
  if (step == 0) detail::reject({"range: the step must not be 0"});
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

/// Creates a data set of the integers from 0 up to but not including `last`. It is empty if `last` is negative.
template <std::integral Integer>
[[nodiscard]] IndexedDataset<Integer> range(Integer last) {
  return range<Integer>(0, last);
}
void range(...) = delete;  // forebay: range(last), range(first, last) or range(first, last, step), of integers

/// Creates a data set of `count` elements; `at` makes the element at an index. It has one of these forms:
///
/// @code
/// T at(std::size_t i)    void at(std::size_t i, T& into)
/// @endcode
///
/// The second fills storage that is reused; name T: `from_indexed<Image>(count, at)`. T is default-constructible, and
/// `into` may have the contents of an earlier element, or be moved from.
///
/// `at` is called in any order. If a map with threads follows, and only stages with random access stand between, `at`
/// runs in its threads concurrently.
///
/// @code
/// from_indexed(images.size(), [&images](std::size_t i) { return images.read(i); })
/// from_indexed<Image>(images.size(), [&images](std::size_t i, Image& into) { images.read(i, into); })
/// @endcode
template <class T = void, class At>
[[nodiscard]] auto from_indexed(Count count, At&& at) {
  using Function = std::decay_t<At>;
  static_assert(
      detail::FetchesElements<Function> || detail::FillsElements<Function, T>,
      "forebay: the function given to from_indexed takes a std::size_t and returns an element, or fills a T& and T is "
      "named: from_indexed<T>(count, at); several threads call it through a const reference, so it cannot be mutable");
  using Element = typename detail::ElementAt<Function, T>::type;
  return detail::indexed_dataset<Element>(count.at_least(0, "from_indexed: count"), "from_indexed",
                                          Function(std::forward<At>(at)));
}
void from_indexed(...) = delete;  // forebay: from_indexed(count, at), where at(std::size_t) returns an element

/// @}

template <class T>
IndexedDataset<T> Dataset<T>::collect() const {
  static_assert(std::copy_constructible<T>,
                "forebay: collect() returns copies of the elements, so they must be copyable");
  if (!node_->properties().ends) detail::reject({"collect: the data set repeats indefinitely"});
  std::vector<std::conditional_t<std::same_as<T, bool>, detail::BoolElement, T>> elements;
  for (T& element : run()) elements.push_back({std::move(element)});
  return detail::from_vector<T>(std::move(elements), "collect", detail::describe_collected(node_->properties()));
}

/// @name Sources that are read one by one
/// @{

/// Creates a data set from a reader, a callable that returns or fills the next element.
///
/// The reader has one of these forms. The first may return anything that reads like a std::optional. The second fills
/// storage that is reused, and returns false at the end. For a generic lambda, name T: `from_callable<Record>(next)`.
///
/// @code
/// std::optional<T> next()    bool next(T& into)    std::optional<T> next(Context&)    bool next(T& into, Context&)
/// @endcode
///
/// @code
/// from_callable([n = 0]() mutable { return n < 3 ? std::optional<int>(n++) : std::nullopt; })   // 0, 1, 2
/// @endcode
///
/// **Copies.** Each run and each epoch starts with a copy of the reader, as it was given. What the reader refers to is
/// not copied: to open a file again in each epoch, use from_callable(per_epoch(factory)). A reader that cannot be
/// copied can run once, for one epoch. (TensorFlow: Dataset.from_generator.)
///
/// **Stops.** A reader that blocks takes a Context&, and ends its wait with context.should_stop() or
/// context.until_stop(). After a stop it returns no element, or throws; neither counts as the end of the data.
///
/// The reader may have members:
///  - `location()` const returns a std::string, or something that converts to one, such as "prices.csv:205": the place
///    of the element that was read last, or could not be read. It is called only after the reader has thrown, and
///    becomes DatasetError::location(). A failure downstream has only the position, because the reader is ahead by
///    then. (text_lines and csv_rows know the line there, too.)
///  - `skip(n)` skips up to n elements without reading them, and returns their number, which is smaller only at the
///    end. The stages skip(n), step_by(n) and shard(index, count) call it directly downstream of the source, or of the
///    flat_map or interleave that reads it. A resume calls it, too. With `.on_error`, nothing calls it. An element that
///    is skipped cannot fail.
///  - `cursor()` const returns an integer or a std::string, and `seek(cursor)` returns to that place. Only with both
///    does a pipeline have checkpoints. With both, and without a Context&, the thread of the loop may read while it
///    waits.
template <class T = void, class Reader>
[[nodiscard]] auto from_callable(Reader&& reader, ReadOptions options = {}) {
  using Readers = typename detail::ReadersOf<std::decay_t<Reader>>::type;
  using Element = typename detail::ReadBy<typename Readers::Reader, T>::type;
  static_assert(
      !std::is_void_v<Element>,
      "forebay: from_callable takes a reader that returns a std::optional<T>, or fills a T& and returns a bool; a "
      "Context& may be its last parameter; for a generic lambda, name T: from_callable<T>(next)");
  if constexpr (!std::is_void_v<Element>) {
    static_assert(detail::ReaderOf<typename Readers::Reader, Element>,
                  "forebay: from_callable takes a reader that returns a std::optional<T>, or fills a T& and returns a "
                  "bool; a Context& may be its last parameter");
    static_assert(detail::ReaderMembers<typename Readers::Reader>::are_right);
    return Dataset<Element>(detail::callable_node<Element>(Readers(std::forward<Reader>(reader)), options.on_error));
  }
}
void from_callable(...) = delete;  // forebay: from_callable(next, options), where next() returns a std::optional<T>

namespace detail {

/// Creates a data set that reads the files one after the other. `open(name)` returns the reader of a file.
template <class Names, class Open>
[[nodiscard]] auto read_in_order(Names files, StageText text, const OnError& on_error, Open open) {
  auto node = flat_map_node(from_slices(std::move(files)).node(), std::move(text), on_error, std::move(open));
  return Dataset<typename decltype(node)::element_type::value_type>(std::move(node));
}

}  // namespace detail

/// Reads the lines of text files, one file after the other, without line endings and byte order marks.
///
/// `files` is the name of one file, as a string or a path, or a range of names. A file that cannot be read is a failure
/// that names the file. With `{.on_error = skip(n)}` it counts as one failure, and the next file follows.
/// A compressed file is a failure that names the format, unless the option `.open` decompresses it: see
/// byte_source.hpp. (TensorFlow: TextLineDataset.)
template <class Files>
requires detail::FileName<Files> || detail::FileNames<Files>
[[nodiscard]] Dataset<std::string> text_lines(Files&& files, ReadFileOptions options = {}) {
  return detail::read_in_order(
      detail::file_names(files), "text_lines", options.on_error,
      [bytes = options.open](const std::string& name) { return detail::LineReader(name, bytes); });
}

/// Reads the lines of the listed files: `text_lines({"a.txt", "b.txt"})`.
template <class Name = std::string>  // always std::string; a template is compiled only where it is called
[[nodiscard]] Dataset<std::string> text_lines(std::initializer_list<std::type_identity_t<Name>> files,
                                              ReadFileOptions options = {}) {
  return text_lines(std::vector<std::string>(files), std::move(options));
}
void text_lines(...) = delete;  // forebay: text_lines(file) or text_lines(files), by their names

void from_queue(...) = delete;  // forebay: include from_queue.hpp; from_queue(queue) takes no temporary and no pointer

/// @}
/// @name Several data sets
/// @{

/// Combines one element of each data set into a std::tuple. The result is one epoch, which ends with the shortest
/// input, and its elements are renumbered.
///
/// All epochs of an input count as one (Dataset::seamless); for several epochs, write `zip(a, b).repeat(10)`. If the
/// inputs must have equal lengths, use the options below.
template <class First, class... Rest>
[[nodiscard]] Dataset<std::tuple<First, Rest...>> zip(const Dataset<First>& first, const Dataset<Rest>&... rest) {
  return Dataset<std::tuple<First, Rest...>>(detail::zip_node<Lengths::any>(first.node(), rest.node()...));
}

/// Does the same with options. With `{.lengths = equal}`, it fails if an input has elements left when another one ends.
///
/// The failure follows the tuples of all inputs. It names the inputs that have ended, after how many elements, and the
/// numbers of the next elements of the others.
///
/// @code
/// zip({.lengths = equal}, images, labels)
/// // forebay: zip, epoch 0, number 70: input 2 has ended after 70 elements; input 1 continues with its number 70
/// @endcode
template <class First, class... Rest>
[[nodiscard]] Dataset<std::tuple<First, Rest...>> zip(ZipOptions options, const Dataset<First>& first,
                                                      const Dataset<Rest>&... rest) {
  if (options.lengths == Lengths::any) return zip(first, rest...);
  return Dataset<std::tuple<First, Rest...>>(detail::zip_node<Lengths::equal>(first.node(), rest.node()...));
}

void zip(...) = delete;  // forebay: zip(a, b) or zip({.lengths = equal}, a, b), of data sets

/// Mixes the elements of all `inputs` at random: the probability of an input is proportional to its weight.
///
/// The result is one epoch, and its elements are renumbered. When an input ends, mix continues with those that are
/// left; the options below change that. An input of weight 0 is never drawn. All epochs of an input count as one
/// (Dataset::seamless).
///
/// @code
/// mix(std::vector{photos, drawings}, {0.7, 0.3})   // 70 % photos, until one of the two ends
/// @endcode
///
/// Throws std::invalid_argument unless each input has a weight, all weights are finite and not negative, and one of
/// them is above 0. Sizes may be weights: if all inputs are known to be empty, all weights may be 0, and the result is
/// empty. (TensorFlow: Dataset.sample_from_datasets.)
template <class T>
[[nodiscard]] Dataset<T> mix(const std::vector<Dataset<T>>& inputs, const std::vector<double>& weights) {
  return mix(MixOptions(), inputs, weights);
}

/// Mixes the elements of the listed data sets at random: `mix({photos, drawings}, {0.7, 0.3})`.
template <class T>
[[nodiscard]] Dataset<T> mix(std::initializer_list<Dataset<T>> inputs, const std::vector<double>& weights) {
  return mix(MixOptions(), std::vector<Dataset<T>>(inputs), weights);
}

/// Does the same with options.
///
/// With `{.stop = first_exhausted}`, the epoch ends when an input is drawn that has ended, so it has the same mixture
/// from beginning to end. With `{.restart = true}`, an input that has ended begins again, as its next epoch: shuffled
/// anew. The epoch ends when each input has been drawn after its last element, so no element of any input is missing.
/// Inputs of weight 0 do not count. Throws std::invalid_argument if both are set, because then no input could begin
/// again.
///
/// @code
/// mix({.restart = true}, {photos.shuffle(10'000), drawings.shuffle(10'000)}, {0.7, 0.3})
/// @endcode
///
/// (TensorFlow: the argument `stop_on_empty_dataset`.)
template <class T>
[[nodiscard]] Dataset<T> mix(MixOptions options, const std::vector<Dataset<T>>& inputs,
                             const std::vector<double>& weights) {
  std::vector<detail::NodePointer<T>> nodes;
  bool are_empty = true;
  for (const Dataset<T>& input : inputs) {
    nodes.push_back(input.node());
    are_empty = are_empty && input.node()->properties().size == std::uint64_t{0};
  }
  if (inputs.empty()) detail::reject({"mix: there are no data sets"});
  if (options.restart && options.stop == MixStop::first_exhausted) {
    detail::reject({"mix: with .stop = first_exhausted no input begins again, so .restart must be false"});
  }
  if (weights.size() != inputs.size()) {
    detail::reject({"mix: ", inputs.size(), " data sets need ", inputs.size(), " weights, not ", weights.size()});
  }
  const char* const none =
      are_empty ? nullptr : "mix: no weight is above 0, but not all data sets are known to be empty";
  detail::ByWeight choice{.weights = detail::whole_weights(weights, "mix: a weight", none), .options = options};
  return Dataset<T>(detail::join<T>(std::move(nodes), std::move(choice)));
}

/// Does the same with the listed data sets: `mix({.stop = first_exhausted}, {photos, drawings}, {0.7, 0.3})`.
template <class T>
[[nodiscard]] Dataset<T> mix(MixOptions options, std::initializer_list<Dataset<T>> inputs,
                             const std::vector<double>& weights) {
  return mix(options, std::vector<Dataset<T>>(inputs), weights);
}

template <class T>
void mix(std::initializer_list<T>) = delete;  // forebay: mix({a, b}, {0.7, 0.3}): the weights are missing
template <class T>
void mix(std::initializer_list<T>, double) = delete;  // forebay: mix({a, b}, {0.7, 0.3}): a weight for each input
template <class T>
void mix(std::initializer_list<double>, std::initializer_list<T>) = delete;  // forebay: mix({a, b}, {0.7, 0.3})
void mix(...) = delete;  // forebay: mix({a, b}, {0.7, 0.3}): data sets of the same elements, and a weight for each

/// @}

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_SOURCES_HPP
