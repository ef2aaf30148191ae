// SPDX-License-Identifier: MIT

/// @file
/// Defines Dataset, the input of a training loop, and includes every other header for data sets, except files.hpp,
/// from_queue.hpp, progress_line.hpp and html_report.hpp.
///
/// A Dataset describes where elements come from and which stages process them. run() starts it as a Pipeline.
///
/// @code
/// auto images = forebay::from_slices(files)            // random access: an IndexedDataset<std::string>
///                   .seed(7)
///                   .shuffle()                         // all files, in a new order each epoch, in O(1) memory
///                   .repeat(10)
///                   .flat_map([](const std::string& file) { return RecordReader(file); })
///                   .shuffle(1024)                     // a window of 1024 records
///                   .map(4, decode)                    // four threads; the order is kept
///                   .batch(32)
///                   .run();                            // a Pipeline<std::vector<Image>>
/// for (std::vector<Image>& batch : images) train(batch);
/// @endcode
///
/// When to use: to read, shuffle, decode and batch the input of a loop. When not: between threads of your own that
/// decide what they enqueue; use the queues (queues.hpp).
///
/// Lifetime: a value that is cheap to copy and to store. It does nothing until it runs, and may run any number of
/// times.
///
/// Thread safety: immutable; any number of threads may use it.

#ifndef FOREBAY_DATASET_HPP
#define FOREBAY_DATASET_HPP

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <ranges>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "forebay/count.hpp"
#include "forebay/dataset_description.hpp"
#include "forebay/dataset_options.hpp"
#include "forebay/describe/described_stage.hpp"
#include "forebay/describe/node.hpp"
#include "forebay/factories.hpp"
#include "forebay/padded_batch.hpp"
#include "forebay/parallel/interleave_node.hpp"
#include "forebay/parallel/map_node.hpp"
#include "forebay/pipeline.hpp"
#include "forebay/stage/apply.hpp"
#include "forebay/stage/batch.hpp"
#include "forebay/stage/batch_by_cost.hpp"
#include "forebay/stage/bucket_by_length.hpp"
#include "forebay/stage/concatenate_mix.hpp"
#include "forebay/stage/filter.hpp"
#include "forebay/stage/interleave.hpp"
#include "forebay/stage/repeat.hpp"
#include "forebay/stage/seamless.hpp"
#include "forebay/stage/shard.hpp"
#include "forebay/stage/shuffle.hpp"
#include "forebay/stage/step_by.hpp"
#include "forebay/stage/take_skip.hpp"
#include "forebay/sync.hpp"
#include "forebay/trace/trace.hpp"
#include "forebay/usable_cores.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI {

template <class T>
class IndexedDataset;

class File;  // forebay: to read files, #include <forebay/files.hpp>

/// Describes the elements of an input: their source and the stages that process them.
///
/// `T` must be an object type that is movable and move-assignable: elements are assigned to storage that is reused.
///
/// Functions are copied or moved into the description. Those given to filter, flat_map and map are called through a
/// const reference. Any thread of any pipeline that runs the description may call them, concurrently.
///
/// Guarantees:
///  - Outputs and their order do not depend on the number of threads, their timing or the sizes of chunks. This holds
///    if functions depend on nothing but their arguments.
///  - A number that can only be a mistake, such as batch(0), throws std::invalid_argument from the call that gets it.
///  - Windows, buckets and batches never mix elements of different epochs, unless seamless() joins the epochs.
template <class T>
class Dataset {
  static_assert(std::is_object_v<T> && !std::is_array_v<T> && !std::is_const_v<T> && !std::is_volatile_v<T>,
                "forebay: the element type of a data set must be an object type, neither const nor an array");
  static_assert(std::movable<T>, "forebay: the element type of a data set must be movable and move-assignable");

 public:
  /// The type of the elements.
  using value_type = T;

  /// @name Epochs and selection
  /// @{

  /// Sets the seed of all random draws downstream, up to the next seed(). The default is 0: two runs draw the same
  /// numbers, on every machine.
  [[nodiscard]] Dataset seed(std::uint64_t seed) const { return Dataset(detail::seed_node(node_, seed)); }
  void seed(...) const = delete;  // forebay: seed(number)

  /// Repeats all preceding stages indefinitely; each pass is one epoch.
  ///
  /// A data set without elements is rejected: by run() if the size is known then, else by a failure in the loop. If a
  /// stage downstream drops all elements of each epoch, a loop reads for ever, because a later epoch may have some.
  /// next() with a time limit ends it:
  ///
  /// @code
  /// auto pipeline = range(3).repeat().filter([](int number) { return number > 5; }).run();
  /// auto output = pipeline.next(std::chrono::seconds(1));   // output.status() is timed_out
  /// @endcode
  ///
  /// Throws std::invalid_argument if the data set can run only once: from_queue, and callables that cannot be copied.
  [[nodiscard]] Dataset repeat() const { return Dataset(detail::repeat_node(node_)); }

  /// Repeats all preceding stages `count` times; each pass is one epoch. Nested repeats multiply.
  ///
  /// Throws std::invalid_argument for 0, and if the data set can run only once: from_queue, and callables that cannot
  /// be copied.
  [[nodiscard]] Dataset repeat(Count count) const { return Dataset(detail::repeat_node(node_, count)); }
  template <class = void>           // so that repeat() is preferred
  void repeat(...) const = delete;  // forebay: repeat() or repeat(count)

  /// Joins all epochs into one epoch and renumbers its elements.
  ///
  /// Batches and windows downstream may hold elements of several of the former epochs. Limits of skip(n), remainders,
  /// enumerate() and one_epoch() apply once, to the joined epoch. A repeat downstream repeats the joined epoch.
  ///
  /// @code
  /// range(5).repeat(3).batch(2)              // sizes 2, 2, 1, 2, 2, 1, 2, 2, 1
  /// range(5).repeat(3).seamless().batch(2)   // sizes 2, 2, 2, 2, 2, 2, 2, 1
  /// @endcode
  ///
  /// `repeat().seamless()` is one epoch that never ends: a loop over one_epoch() does not return; take(n) ends the
  /// epoch. take, skip, concatenate, zip and mix join the epochs of repeated data by themselves.
  [[nodiscard]] Dataset seamless() const { return Dataset(detail::seamless_node(node_)); }

  /// Keeps the first `count` elements of the epoch. Downstream of a repeat, all epochs count as one (seamless).
  ///
  /// Downstream of a shuffle, these are other elements in each epoch: after two epochs, `shuffle().take(80)` and
  /// `shuffle().skip(80)` have had some elements in common. To separate training from validation, use split().
  [[nodiscard]] Dataset take(Count count) const { return Dataset(detail::take_node(node_, count)); }
  void take(...) const = delete;  // forebay: take(count); for take_while, write a stage: apply(stage)

  /// Leaves out the first `count` elements of the epoch. Downstream of a repeat, all epochs count as one (seamless).
  [[nodiscard]] Dataset skip(Count count) const { return Dataset(detail::skip_node(node_, count)); }
  void skip(...) const = delete;  // forebay: skip(count)

  /// Keeps the first of every `step` elements of each epoch: those at the indices 0, step, 2 * step, ... They keep
  /// their numbers. Throws std::invalid_argument for 0.
  [[nodiscard]] Dataset step_by(Count step) const { return Dataset(detail::step_by_node(node_, step)); }
  void step_by(...) const = delete;  // forebay: step_by(step)

  /// Keeps every `count`-th element, starting at index `index`: the part of one of `count` machines.
  ///
  /// shard() counts the elements of this data set. All shards together have exactly the elements and random numbers
  /// that one machine alone would have, unless a stage downstream renumbers: each machine then draws its own numbers.
  ///
  /// @code
  /// range(7).shard(0, 2)   // 0, 2, 4, 6
  /// range(7).shard(1, 2)   // 1, 3, 5
  /// @endcode
  ///
  /// Throws std::invalid_argument unless index < count. (TensorFlow: shard(count, index).)
  [[nodiscard]] Dataset shard(Count index, Count count) const {
    return Dataset(detail::shard_node<detail::Evenness::none>(node_, {index, count}));
  }

  /// Keeps every `count`-th element, starting at index `index`, and gives all shards the same size.
  ///
  /// @code
  /// range(7).shard(1, 2, Even::drop)     // 1, 3, 5
  /// range(7).shard(1, 2, Even::repeat)   // 1, 3, 5, 0
  /// @endcode
  ///
  /// Throws std::invalid_argument unless index < count.
  [[nodiscard]] Dataset shard(Count index, Count count, Even even) const {
    return Dataset(detail::even_shard_node(node_, {index, count}, even));
  }
  void shard(...) const = delete;  // forebay: shard(index, count) or shard(index, count, Even::drop)

  /// Appends the elements of `other`: the result is one epoch, and its elements are renumbered. All epochs of either
  /// data set count as one (seamless).
  [[nodiscard]] Dataset concatenate(const Dataset& other) const {
    return Dataset(detail::join<T>({node_, other.node_}, detail::InTurn()));
  }
  void concatenate(...) const = delete;  // forebay: concatenate(other), where other is a data set of the same elements

  /// Keeps the elements for which `predicate(const T&)` returns true. They keep their numbers.
  ///
  /// Downstream of an endless repeat(), a loop reads until an element passes, for ever if none does. next() with a time
  /// limit, or a stop, ends it. Write `filter(predicate).repeat()`, and an epoch without elements is a failure.
  template <class Predicate>
  [[nodiscard]] Dataset filter(Predicate&& predicate) const {
    return Dataset(detail::filter_node(node_, std::forward<Predicate>(predicate)));
  }
  void filter(...) const = delete;  // forebay: filter(predicate); wrap an overloaded function in a lambda

  /// Splits the elements into parts, by a key: `key(const T&)` returns an integer or a text. Elements with the same key
  /// are in the same part, in every epoch, in every run, on every machine and with every version of forebay.
  ///
  /// @code
  /// const auto [training, validation] = images.split(path_of, {0.8, 0.2});
  /// auto batches = training.shuffle(1'000).batch(32).run();
  /// @endcode
  ///
  /// A part has about its share of the keys, drawn by a hash of the key (SplitMix64 of an integer, or of the FNV-1a
  /// hash of a text), so a small data set may have an empty part. Elements keep their numbers. Each part reads all
  /// elements and leaves out those of the others: split indices or paths, and load downstream. Shares are relative.
  /// Throws std::invalid_argument unless they are finite and not negative, and one of them is above 0.
  template <class Key, std::size_t count>
  [[nodiscard]] std::array<Dataset, count> split(Key&& key, const double (&shares)[count]) const {
    auto nodes = detail::part_nodes(node_, std::forward<Key>(key), shares);
    return [&]<std::size_t... part>(std::index_sequence<part...>) {
      return std::array<Dataset, count>{Dataset(std::move(nodes[part]))...};
    }
    (std::make_index_sequence<count>());
  }
  void split(...) const = delete;  // forebay: split(key, {0.8, 0.2}), where key(const T&) returns an integer or a text

  /// @}
  /// @name Order
  /// @{

  /// Shuffles with a buffer of `window` elements: each output is drawn at random from the buffer, and the next input
  /// takes its place.
  ///
  /// Draws never mix elements of different epochs, unless seamless() upstream joins the epochs. While the last elements
  /// of an epoch leave, the next epoch is read into the room that becomes free. Throws std::invalid_argument for 0.
  /// (TensorFlow: shuffle(buffer_size).)
  [[nodiscard]] Dataset shuffle(Count window) const { return Dataset(detail::window_shuffle_node(node_, window)); }

  template <std::integral Number>
  void shuffle(Count, Number) const = delete;  // forebay: the seed is a stage: seed(number).shuffle(window)
  template <class = void>                      // so that shuffle() of an IndexedDataset is preferred
  void shuffle(...) const = delete;  // forebay: shuffle(window); shuffle() of all elements needs random access

  void shuffle_pages(...) const = delete;  // forebay: shuffle_pages(page) needs random access

  /// @}
  /// @name Transformation
  /// @{

  /// Calls `f` with each element and passes on the results, in the order of the elements.
  ///
  /// `f` has one of these forms, and gets the element as an rvalue:
  ///
  /// @code
  /// U f(T)    U f(T, Context&)    void f(T, U& into)    void f(T, U& into, Context&)
  /// @endcode
  ///
  /// The last two fill a U that is reused. U(), or options.make, creates it; later calls get it as it was left, perhaps
  /// moved from. U is deduced from `f`; for a generic lambda that fills its second argument, name U: `map<Image>(f)`.
  ///
  /// @code
  /// range(3).map([](int number) { return number * number; })   // 0, 1, 4
  /// @endcode
  ///
  /// If `f` returns a reference, the result is a copy of the object to which it refers.
  ///
  /// The thread that takes the result calls `f`; the overloads below use more threads. If `f` throws, the data set
  /// fails with a DatasetError. Throws std::invalid_argument if `f` fills a U without default constructor.
  template <class U = void, class F>
  [[nodiscard]] auto map(F&& f) const {
    return map<U>(MapOptions(), std::forward<F>(f));
  }

  /// Calls `f` from `threads` threads concurrently and keeps the order of the elements.
  ///
  /// With `per_thread(factory)`, each thread has its own `f`. Throws std::invalid_argument for 0 threads.
  template <class U = void, class F>
  [[nodiscard]] auto map(Count threads, F&& f) const {
    return map<U>(MapOptions{.threads = threads}, std::forward<F>(f));
  }

  /// Calls `f` with each element, as `options` say: threads, order, read-ahead, chunks, failures and storage.
  ///
  /// @code
  /// names.map({.threads = 4, .on_error = skip(100)}, decode)   // leaves out up to 100 damaged files an epoch
  /// @endcode
  ///
  /// Throws std::invalid_argument for 0 threads, 0 chunks ahead or 0 elements in a chunk. It also throws it if
  /// options.make makes something other than a U, or is missing although U has no default constructor.
  template <class U = void, class F>
  [[nodiscard]] auto map(const MapOptions& options, F&& f) const {
    return of(detail::map_node<U>(node_, options, std::forward<F>(f)));
  }
  template <class U = void, class F>
  void map(F&& f, const MapOptions&) const = delete;  // forebay: the options come first: map({.threads = 4}, f)
  template <class U = void>
  void map(...) const = delete;  // forebay: map(f), map(threads, f), map(options, f); wrap an overloaded f in a lambda

  /// Replaces each element by the elements of what `f(const T&)`, or `f(const T&, Context&)`, returns for it.
  ///
  /// `f` returns a range, a reader (see from_callable), or a data set without threads of its own. The element and the
  /// Context live as long as what `f` returned. The results are renumbered within the epoch.
  ///
  /// @code
  /// range(3).flat_map([](int number) { return range(number); })   // 0, 0, 1
  /// @endcode
  ///
  /// An exception of `f` or of a reader is a failure of the data set.
  template <class F>
  [[nodiscard]] auto flat_map(F&& f) const {
    return flat_map(ReadOptions(), std::forward<F>(f));
  }

  /// Replaces each element by the elements that `f` returns for it, and handles failures as `options` say:
  /// `flat_map({.on_error = skip(3)}, f)` leaves out up to three failures an epoch.
  template <class F>
  [[nodiscard]] auto flat_map(const ReadOptions& options, F&& f) const {
    return of(detail::flat_map_node(node_, "flat_map", options.on_error, std::forward<F>(f)));
  }
  template <class F>
  void flat_map(F&& f, const ReadOptions&) const = delete;  // forebay: the options come first: flat_map(options, f)
  void flat_map(...) const = delete;  // forebay: flat_map(f), flat_map(options, f); wrap an overloaded f in a lambda

  /// Reads `cycle` inputs in turn, `block` elements of each. An input is what `f` returns for an element, as in
  /// flat_map.
  ///
  /// When an input has ended, the next element opens one in its place, at its turn. The results are renumbered within
  /// the epoch.
  ///
  /// @code
  /// range(1, 5).interleave(2, 1, [](int number) { return std::vector<int>(2, number); })   // 1, 2, 1, 2, 3, 4, 3, 4
  /// @endcode
  ///
  /// Throws std::invalid_argument for a cycle or a block of 0.
  template <class F>
  [[nodiscard]] auto interleave(Count cycle, Count block, F&& f) const {
    return of(detail::interleave_node(node_, detail::Turns(cycle, block), std::forward<F>(f)));
  }

  /// Reads several inputs in turn, as `options` say; with options.prefetch, each open input has a thread that reads it.
  ///
  /// Such a thread opens its input and reads up to options.prefetch elements ahead. While it has nothing else to do, it
  /// opens and reads inputs that follow. Threads change neither the order nor the position of a failure. Throws
  /// std::invalid_argument for a cycle, a block or a prefetch of 0.
  template <class F>
  [[nodiscard]] auto interleave(const InterleaveOptions& options, F&& f) const {
    return of(detail::interleave_node(node_, options, std::forward<F>(f)));
  }
  template <class F>
  void interleave(F&& f, const InterleaveOptions&) const = delete;  // forebay: interleave({.cycle = 8}, f)
  void interleave(...) const = delete;  // forebay: interleave(cycle, block, f) or (options, f); wrap an overloaded f

  /// Adds a stage that you write: an object that is called with each element and an `Out<U>`, into which it emits any
  /// number of results. U is the stage's value_type, or T if it has none.
  ///
  /// @code
  /// struct Pairs {                                              // of neighbours
  ///   using value_type = std::pair<int, int>;
  ///   void operator()(int&& element, forebay::Out<value_type>& out) {
  ///     if (before) out.emit({*before, element});
  ///     before = element;
  ///   }
  ///   void finish(forebay::Out<value_type>&) {}                 // optional: at the end of the epoch
  ///   std::optional<int> before;
  /// };
  /// range(4).apply(Pairs())   // (0, 1), (1, 2), (2, 3)
  /// @endcode
  ///
  /// Each epoch of each run has a copy of the stage, which one thread at a time calls: keep large state behind a
  /// std::shared_ptr. The stage may be called for elements beyond those that a stage downstream takes. Results are
  /// renumbered within the epoch. An exception of the stage is a failure of the data set. finish() is called at the end
  /// of the epoch, but neither after a failure nor if a stage downstream leaves the epoch early.
  ///
  /// A stage may also have the following members.
  ///  - `void operator()(T&&, Context&, Out<U>&)` and `void finish(Context&, Out<U>&)` instead of the forms without
  ///    Context. draw() depends on the seed, the stage and the position of the element, so it differs in each epoch; in
  ///    finish() it depends on the epoch and the number of elements, which is the position there.
  ///  - `std::string save() const` and `void restore(std::string_view)`, for checkpoints.
  ///  - `std::vector<std::uint64_t> held() const` and `void refill(T&&, std::uint64_t number)`, for checkpoints of a
  ///    stage that holds elements: held() returns their numbers (context.position().number in the call that brought
  ///    each), and a resumed run calls refill() with these elements in the same order, after restore() and before the
  ///    next element. So a checkpoint contains no elements. What was emitted is not held. Another number is a failure.
  ///  - `bool empty() const noexcept`, of a stage with state but without the members above: whether it is as at the
  ///    beginning of the epoch. A resumed run processes all elements since the last saved place where that was true.
  ///    Without it, this begins with the epoch; describe() says "replayed".
  template <class Stage>
  [[nodiscard]] auto apply(Stage&& stage) const {
    return of(detail::user_stage_node(node_, std::forward<Stage>(stage)));
  }
  void apply(...) const = delete;  // forebay: apply(stage), where stage(T&&, Out<U>&) is called with each element

  /// Pairs each element with its index in the epoch: the result has elements `std::tuple<std::uint64_t, T>`.
  [[nodiscard]] auto enumerate() const { return apply(detail::Enumerate<T>()).named("enumerate"); }

  /// @}
  /// @name Batches and read-ahead
  /// @{

  /// Gathers `size` elements into each std::vector. The last batch of an epoch has the elements that are left.
  ///
  /// @code
  /// range(5).batch(2)   // {0, 1}, {2, 3}, {4}
  /// @endcode
  ///
  /// Throws std::invalid_argument for 0.
  [[nodiscard]] auto batch(Count size) const { return batch(size, BatchOptions()); }

  /// Gathers `size` elements into each std::vector. `batch(size, {.remainder = drop})` drops a smaller last batch.
  [[nodiscard]] auto batch(Count size, BatchOptions options) const {
    return of(detail::batch_node(node_, "batch", size, options, detail::VectorBatches<T>()));
  }
  void batch(...) const = delete;  // forebay: batch(size) or batch(size, {.remainder = drop})

  /// Gathers `size` elements into each PaddedBatch: each component of the elements is one buffer, padded to the largest
  /// (padded_batch.hpp). The last batch of an epoch has the elements that are left.
  ///
  /// Throws std::invalid_argument for 0.
  template <class U = T>
  [[nodiscard]] Dataset<PaddedBatch<U>> padded_batch(Count size, const PaddingOptions<U>& padding = {}) const {
    return padded_batch(size, padding, BatchOptions());
  }

  /// Gathers `size` elements into each PaddedBatch. `padded_batch(size, {}, {.remainder = drop})` drops a smaller last
  /// batch.
  template <class U = T>
  [[nodiscard]] Dataset<PaddedBatch<U>> padded_batch(Count size, const PaddingOptions<U>& padding,
                                                     BatchOptions options) const {
    return of(detail::batch_node(node_, "padded_batch", size, options, detail::padded_batches(padding)));
  }

  /// Maps elements into the rows of PaddedBatches of fixed extents: `f(T, Row<U>& into)` writes each row in place, as
  /// in stacked_batch().
  ///
  /// @code
  /// sentences.padded_batch<std::vector<int>>(32, {.shape = {64}}, 4, [](const Sentence& sentence, auto& into) {
  ///   into.template set_length<0>(write_tokens(sentence, into.template component<0>()));  // at most 64; the rest is 0
  /// })
  /// @endcode
  ///
  /// Throws std::invalid_argument for 0 elements or 0 threads, and if padding.shape leaves an extent variable.
  template <class U, class F>
  [[nodiscard]] Dataset<PaddedBatch<U>> padded_batch(Count size, const PaddingOptions<U>& padding, Count threads,
                                                     F&& f) const {
    return padded_batch<U>(size, padding, BatchOptions(), {.threads = threads}, std::forward<F>(f));
  }
  /// Maps elements into the rows of PaddedBatches of fixed extents, as both options say.
  template <class U, class F>
  [[nodiscard]] Dataset<PaddedBatch<U>> padded_batch(Count size, const PaddingOptions<U>& padding,
                                                     BatchOptions batch_options, const MapOptions& map_options,
                                                     F&& f) const {
    auto batches = detail::row_batches(padding);
    auto rows = detail::row_map_node<U>(node_, map_options, padding, std::forward<F>(f));
    return of(detail::batch_node(std::move(rows), "padded_batch", size, batch_options, std::move(batches)));
  }
  template <class = void>
  void padded_batch(...) const = delete;  // forebay: padded_batch(size, {.pad_value = -1}, {.remainder = drop})

  /// Gathers `size` elements of fixed shape into each StackedBatch, without padding (padded_batch.hpp). The last batch
  /// of an epoch has the elements that are left.
  ///
  /// Throws std::invalid_argument for 0.
  template <class U = T>
  [[nodiscard]] Dataset<StackedBatch<U>> stacked_batch(Count size) const {
    return stacked_batch<U>(size, BatchOptions());
  }

  /// Gathers `size` elements of fixed shape into each StackedBatch. `stacked_batch(size, {.remainder = drop})` drops a
  /// smaller last batch.
  template <class U = T>
  [[nodiscard]] Dataset<StackedBatch<U>> stacked_batch(Count size, BatchOptions options) const {
    return of(detail::batch_node(node_, "stacked_batch", size, options, detail::PaddedBatches<U>({})));
  }

  /// Maps elements into the rows of StackedBatches: `f` writes each row in place, so that no element is copied.
  ///
  /// `f` is `void f(T, Row<U>& into)` or `void f(T, Row<U>& into, Context&)`; padded_batch.hpp describes Row. `threads`
  /// threads call it concurrently, as in map(). Each row contains old values: `f` must set all of them.
  ///
  /// @code
  /// struct Image { std::array<float, 784> pixels; int label; };
  /// records.stacked_batch<Image>(32, 4, [](const Record& record, Row<Image>& into) {
  ///   decode(record, into.component<&Image::pixels>());  // a std::span<float, 784>
  ///   into.component<&Image::label>() = record.label;
  /// })
  /// @endcode
  ///
  /// The outputs are those of `map(threads, g).stacked_batch(size)`, where g returns the row as a U. Throws
  /// std::invalid_argument for 0 elements or 0 threads.
  template <class U, class F>
  [[nodiscard]] Dataset<StackedBatch<U>> stacked_batch(Count size, Count threads, F&& f) const {
    return stacked_batch<U>(size, BatchOptions(), {.threads = threads}, std::forward<F>(f));
  }
  /// Maps elements into the rows of StackedBatches, as both options say.
  ///
  /// @code
  /// records.stacked_batch<Image>(32, {.remainder = drop}, {.threads = 4, .on_error = skip(100)}, decode)
  /// @endcode
  template <class U, class F>
  [[nodiscard]] Dataset<StackedBatch<U>> stacked_batch(Count size, BatchOptions batch_options,
                                                       const MapOptions& map_options, F&& f) const {
    auto rows = detail::row_map_node<U>(node_, map_options, PaddingOptions<U>(), std::forward<F>(f));
    auto batches = detail::row_batches(PaddingOptions<U>());
    return of(detail::batch_node(std::move(rows), "stacked_batch", size, batch_options, std::move(batches)));
  }
  template <class = void>
  void stacked_batch(...) const = delete;  // forebay: stacked_batch(size, options) of a fixed shape; else padded_batch

  /// Reads up to `count` elements ahead of the next stage. Downstream of a map with threads, the map's threads read
  /// ahead; elsewhere, prefetch has one thread. Throws std::invalid_argument for 0.
  [[nodiscard]] Dataset prefetch(Count count) const { return Dataset(detail::prefetch_node(node_, count)); }
  void prefetch(...) const = delete;  // forebay: prefetch(count), a number of elements

  /// Gathers elements of similar length into std::vectors. `length(const T&)` returns the length of an element.
  ///
  /// Each element goes into the bucket of its length; the elements of a full bucket become a batch. What is left at the
  /// end of an epoch follows in the order of the buckets. Batches are renumbered within the epoch.
  ///
  /// @code
  /// auto length = [](const std::string& word) { return word.size(); };
  /// from_slices(words).bucket_by_length(length, {.boundaries = {4, 8}, .batch_sizes = {64, 32, 16}})
  /// @endcode
  ///
  /// An element longer than options.max_length is a failure, or left out (`.too_long = skip(100)`, or redirect(f)).
  /// Throws std::invalid_argument unless the boundaries rise and each bucket has a batch size above 0
  /// (dataset_options.hpp). (TensorFlow: bucket_by_sequence_length.)
  template <class Length>
  [[nodiscard]] auto bucket_by_length(Length&& length, const BucketOptions& options) const {
    return of(detail::bucket_node(node_, std::forward<Length>(length), options, detail::VectorBatches<T>()));
  }

  /// Gathers elements of similar length into PaddedBatches, each padded to the longest of its elements.
  template <class Length, class U = T>
  [[nodiscard]] Dataset<PaddedBatch<U>> bucket_by_length(Length&& length, const BucketOptions& options,
                                                         const PaddingOptions<U>& padding) const {
    return of(detail::bucket_node(node_, std::forward<Length>(length), options, detail::padded_batches(padding)));
  }
  template <class Length>
  void bucket_by_length(const BucketOptions&, Length&&) const = delete;  // forebay: bucket_by_length(length, options)
  void bucket_by_length(...) const = delete;  // forebay: bucket_by_length(length, options), with BucketOptions

  /// Gathers elements into std::vectors of limited cost. `cost(const T&)` returns the cost of an element: an integer,
  /// at least 1.
  ///
  /// Without `.sort_window`, a batch ends before the first element that does not fit. With it, that many elements are
  /// collected and sorted by cost (equal ones stay in their order) before they are divided into batches. The elements
  /// of a last batch with room left are carried over to the next window, so only the last batch of an epoch can be
  /// small. Windows do not cross epochs. Batches are renumbered within the epoch.
  ///
  /// @code
  /// auto words = [](const Pair& pair) { return pair.target.size(); };
  /// pairs.batch_by_cost(words, {.limit = 2'000, .sort_window = 1'000})
  /// @endcode
  ///
  /// `cost` is called once for each element, by the thread that takes the batch, and again for those that a resumed run
  /// still holds. A cost below 1 is a failure of the element, and so is one above the limit, unless
  /// `.too_costly = skip(100)`, redirect(f), or `.too_costly_alone = true`. Memory: one window and one batch. Throws
  /// std::invalid_argument for a limit or `.most_elements` of 0, or a negative count.
  template <class Cost>
  [[nodiscard]] auto batch_by_cost(Cost&& cost, const CostOptions& options) const {
    return of(detail::cost_batch_node(node_, std::forward<Cost>(cost), options));
  }
  template <class Cost>
  void batch_by_cost(const CostOptions&, Cost&&) const = delete;  // forebay: batch_by_cost(cost, options)
  void batch_by_cost(...) const = delete;  // forebay: batch_by_cost(cost, {.limit = 4'096}), with CostOptions

  /// Splits each element, a std::vector or another range, into its elements. They are renumbered within the epoch.
  [[nodiscard]] auto unbatch() const {
    static_assert(std::ranges::input_range<T>,
                  "forebay: unbatch() splits ranges, such as the std::vectors of batch(n): for a PaddedBatch, or "
                  "another container, give flat_map a function that returns the elements");
    if constexpr (std::ranges::input_range<T>) return apply(detail::Unbatch<T>()).named("unbatch");
  }

  /// @}
  /// @name Running
  /// @{

  /// Starts the threads and returns the Pipeline to take outputs from.
  ///
  /// @code
  /// for (std::vector<int>& batch : range(5).batch(2).run()) std::cout << batch.size() << " ";   // 2 2 1
  /// @endcode
  ///
  /// Throws std::invalid_argument if the data set cannot run, or not again, and std::system_error if a thread cannot be
  /// created.
  [[nodiscard]] Pipeline<T> run() const { return Pipeline<T>(*this); }

  /// Starts the threads and attaches the Pipeline to `coordinator`, which stops it and learns of its failure. The
  /// coordinator has to outlive the Pipeline.
  [[nodiscard]] Pipeline<T> run(Coordinator& coordinator) const { return Pipeline<T>(*this, coordinator); }

  /// Starts the threads and resumes at `checkpoint` (see Pipeline::checkpoint); std::nullopt starts at the beginning.
  ///
  /// Throws std::invalid_argument if another data set made the checkpoint, or if it was changed.
  [[nodiscard]] Pipeline<T> run(const std::optional<std::string>& checkpoint) const {
    return Pipeline<T>(*this, checkpoint);
  }

  /// Starts the threads, resumes at `checkpoint`, and attaches the Pipeline to `coordinator`.
  [[nodiscard]] Pipeline<T> run(const std::optional<std::string>& checkpoint, Coordinator& coordinator) const {
    return Pipeline<T>(*this, checkpoint, coordinator);
  }

  /// Runs the data set at once and stores all elements: the result has random access and one epoch.
  ///
  /// Requires elements that can be copied, because the result returns copies. Blocks until the end. Throws the failure
  /// of the data set, and std::invalid_argument if it repeats indefinitely.
  [[nodiscard]] IndexedDataset<T> collect() const;

  /// @}
  /// @name Description
  /// @{

  /// Names the last stage in failures, reports and descriptions.
  [[nodiscard]] Dataset named(std::string name) const { return Dataset(detail::named_node(node_, std::move(name))); }

  /// Predicts what a run takes: the stages, their threads, their read-ahead, the elements that they hold, and memory.
  ///
  /// Nothing runs, and no function of yours is called. So the size of an element is that of its object, without memory
  /// that it owns. `bytes` sets the whole size of an element, by the name of the stage that makes it; the sizes of
  /// batches follow from it. Throws std::invalid_argument if no stage has such a name.
  ///
  /// The memory includes the buffers of files: one for each file that text_lines and the functions of files.hpp keep
  /// open, and for each reader of files.hpp that a flat_map or interleave opens. The latter count 256 KiB each.
  ///
  /// @code
  /// std::cout << images.describe({{"decode", 3200}});   // an element of the stage "decode" has 3,200 bytes
  /// @endcode
  [[nodiscard]] DatasetDescription describe(const std::map<std::string, Count>& bytes = {}) const {
    return detail::described(node_->properties().stages, bytes);
  }

  /// Records the last 100,000 events of the threads of each run, in up to 5 MB, for Pipeline::write_trace. Outputs and
  /// checkpoints stay the same.
  [[nodiscard]] Dataset traced() const { return Dataset(detail::traced_node(node_, detail::make_trace<StdSync>)); }

  /// @}

  void begin() const = delete;  // forebay: a Dataset is a description: for (auto& element : dataset.run())
  void end() const = delete;    // forebay: a Dataset is a description: for (auto& element : dataset.run())

  /// @cond
  // For the library: from_slices and the other sources create data sets.
  explicit Dataset(detail::NodePointer<T> node) : node_(std::move(node)) {}
  [[nodiscard]] const detail::NodePointer<T>& node() const noexcept { return node_; }
  /// @endcond

 private:
  template <class U>
  [[nodiscard]] static Dataset<U> of(detail::NodePointer<U> node) {
    return Dataset<U>(std::move(node));
  }

  detail::NodePointer<T> node_;
};

}  // namespace forebay::FOREBAY_ABI

// IWYU pragma: begin_exports
#include "forebay/indexed_dataset.hpp"
#include "forebay/monitored_session.hpp"
#include "forebay/sources.hpp"
// IWYU pragma: end_exports

#endif  // FOREBAY_DATASET_HPP
