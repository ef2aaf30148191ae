// SPDX-License-Identifier: MIT
//
// dataset.hpp: Dataset<T>, the input of a training loop, described once: where elements come from and what is done to
// them. The umbrella of everything that describes and runs data sets.
//
//   auto images = forebay::from_slices(files)            // random access: an IndexedDataset<std::string>
//                     .seed(7)
//                     .shuffle()                         // all of it, anew each epoch, without memory
//                     .repeat(10)
//                     .flat_map([](const std::string& file) { return RecordReader(file); })
//                     .shuffle(1024)                     // a window of records
//                     .map(4, decode)                    // four threads; the order is kept
//                     .batch(32)
//                     .run();                            // a Pipeline<std::vector<Image>>
//   for (std::vector<Image>& batch : images) train(batch);
//
// When to use: to read, shuffle, decode and batch what a loop consumes. When not: between threads of your own, where
// what goes into a queue is for you to say; use the queues.
//
// Lifetime: a value, cheap to copy and to keep, that can be run any number of times. It does nothing until it is run.
//
// Thread safety: it is never changed; any number of threads may use it.

#ifndef FOREBAY_DATASET_HPP
#define FOREBAY_DATASET_HPP

#include <concepts>
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
#include "forebay/usable_cores.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI {

template <class T>
class IndexedDataset;

/// Requires of T: an object that can be moved and move-assigned; elements are assigned to storage that is used again.
///
/// Functions are copied or moved into the description. Those given to filter, flat_map and map are called through a
/// const reference, by any of the pipeline's threads and of all pipelines that run the description, at the same time.
///
/// Guarantees:
///  - The same outputs in the same order, whatever the number of threads, their timing and the sizes of chunks are, as
///    far as the functions depend on nothing but their arguments.
///  - Numbers that can only be mistakes, such as a batch(0), are a std::invalid_argument of the call that is given
///    them.
///  - Every epoch ends for itself: no window, bucket or batch holds elements of two, unless seamless() joins them.
template <class T>
class Dataset {
  static_assert(std::is_object_v<T> && !std::is_array_v<T> && !std::is_const_v<T> && !std::is_volatile_v<T>,
                "forebay: the elements of a data set are objects that are neither const nor arrays");
  static_assert(std::movable<T>, "forebay: the elements of a data set are moved, into storage that is used again");

 public:
  using value_type = T;

  // ---- Which elements

  /// From here on, what is drawn at random depends on `seed`, until another one is given. Without any it is 0: two
  /// runs give the same, on every machine.
  [[nodiscard]] Dataset seed(std::uint64_t seed) const { return Dataset(detail::seed_node(node_, seed)); }
  void seed(...) const = delete;  // forebay: seed(number)

  /// Repeats all preceding stages indefinitely; each pass is one epoch. A data set without elements is rejected: by
  /// run() if that is known, else as a failure at its place.
  [[nodiscard]] Dataset repeat() const { return Dataset(detail::repeat_node(node_)); }

  /// The same `count` times. Nested repeats multiply. Throws std::invalid_argument for 0, and if the data set cannot be
  /// run but once: from_queue, and callables that cannot be copied.
  [[nodiscard]] Dataset repeat(Count count) const { return Dataset(detail::repeat_node(node_, count)); }
  template <class = void>           // so that repeat() is preferred
  void repeat(...) const = delete;  // forebay: repeat() or repeat(count)

  /// Joins all epochs into one, whose elements are numbered anew: `repeat(3).seamless().batch(32)` makes batches that
  /// go across the ends of the three epochs, with one smaller batch at the end of all. Limits of skip(n), remainders,
  /// enumerate() and one_epoch() count once for the joined epoch. A repeat downstream repeats the joined epoch.
  ///
  /// `repeat().seamless()` is one epoch that never ends: one_epoch() over it does not return; take(n) ends it.
  /// take, skip, concatenate, zip and mix do the same by themselves with data that is repeated.
  [[nodiscard]] Dataset seamless() const { return Dataset(detail::seamless_node(node_)); }

  /// The first `count` elements of the epoch. Downstream of a repeat, all epochs count as one (seamless).
  [[nodiscard]] Dataset take(Count count) const { return Dataset(detail::take_node(node_, count)); }
  void take(...) const = delete;  // forebay: take(count); a take_while is a stage of yours, apply(stage)

  /// All but the first `count` elements of the epoch. Downstream of a repeat, all epochs count as one (seamless).
  [[nodiscard]] Dataset skip(Count count) const { return Dataset(detail::skip_node(node_, count)); }
  void skip(...) const = delete;  // forebay: skip(count)

  /// The first of every `step` elements of each epoch: those at the places 0, step, 2 * step, ... They keep their
  /// numbers. Throws std::invalid_argument for 0.
  [[nodiscard]] Dataset step_by(Count step) const { return Dataset(detail::step_by_node(node_, step)); }
  void step_by(...) const = delete;  // forebay: step_by(step)

  /// Every count-th element, from the one with the number `index` on: the part of one of `count` machines. Counted are
  /// places in this data set, so all of them together have what one machine alone would have, with the same random
  /// numbers (unless a stage behind numbers elements anew: each machine draws its own there). Throws
  /// std::invalid_argument unless index < count. (TensorFlow: shard(count, index).)
  [[nodiscard]] Dataset shard(Count index, Count count) const {
    return Dataset(detail::shard_node<detail::Evenness::none>(node_, {index, count}));
  }
  /// The same, made equally long for all machines.
  [[nodiscard]] Dataset shard(Count index, Count count, Even even) const {
    return Dataset(detail::even_shard_node(node_, {index, count}, even));
  }
  void shard(...) const = delete;  // forebay: shard(index, count) or shard(index, count, Even::drop)

  /// These elements, and then those of `other`, in one epoch. All epochs of either count as one (seamless). Elements
  /// are numbered anew.
  [[nodiscard]] Dataset concatenate(const Dataset& other) const {
    return Dataset(detail::join<T>({node_, other.node_}, detail::InTurn()));
  }
  void concatenate(...) const = delete;  // forebay: concatenate(other), where other is a data set of the same elements

  /// The elements for which `predicate(const T&)` holds.
  template <class Predicate>
  [[nodiscard]] Dataset filter(Predicate&& predicate) const {
    return Dataset(detail::filter_node(node_, std::forward<Predicate>(predicate)));
  }
  void filter(...) const = delete;  // forebay: filter(predicate); wrap an overloaded function in a lambda

  // ---- In which order

  /// Elements leave in a random order out of a window of `window`, which is kept full: of those, one is drawn for each
  /// that leaves. The window never holds elements of two epochs, unless seamless() upstream joins them; when one comes
  /// to its end, the next one is read into the room that becomes free. Throws std::invalid_argument for 0. (TensorFlow:
  /// shuffle(buffer_size).)
  [[nodiscard]] Dataset shuffle(Count window) const { return Dataset(detail::window_shuffle_node(node_, window)); }

  template <std::integral Number>
  void shuffle(Count, Number) const = delete;  // forebay: the seed is a stage: seed(number).shuffle(window)
  template <class = void>                      // so that shuffle() of an IndexedDataset is preferred
  void shuffle(...) const = delete;  // forebay: shuffle(window); shuffle() of all elements needs random access

  // ---- What becomes of them

  /// `f` of each element, in their order. f is one of
  ///
  ///   U f(T)    U f(T, Context&)    void f(T, U& into)    void f(T, U& into, Context&)
  ///
  /// and gets the element as an rvalue. The last two fill a U that is used again: made by U(), or by options.make, and
  /// later given as it was left, perhaps moved from. U is read off f; of a generic lambda that fills it has to be
  /// said: `map<Image>(f)`.
  ///
  /// Without threads f is called by whoever asks for its result. With `threads`, so many call it at the same time, or
  /// each an object of its own, if f is a per_thread(factory). What f throws is a failure of the data set
  /// (dataset_error.hpp), unless options.on_error says otherwise. Throws std::invalid_argument for 0 threads, 0 ahead
  /// or 0 elements a chunk, and if options.make makes something else than a U, or U has no default constructor and
  /// there is none.
  template <class U = void, class F>
  [[nodiscard]] auto map(F&& f) const {
    return map<U>(MapOptions(), std::forward<F>(f));
  }
  template <class U = void, class F>
  [[nodiscard]] auto map(Count threads, F&& f) const {
    return map<U>(MapOptions{.threads = threads}, std::forward<F>(f));
  }
  template <class U = void, class F>
  [[nodiscard]] auto map(const MapOptions& options, F&& f) const {
    return of(detail::map_node<U>(node_, options, std::forward<F>(f)));
  }
  template <class U = void, class F>
  void map(F&& f, const MapOptions&) const = delete;  // forebay: the options come first: map({.threads = 4}, f)
  template <class U = void>
  void map(...) const = delete;  // forebay: map(f), map(threads, f), map(options, f); wrap an overloaded f in a lambda

  /// All elements of what `f(const T&)`, or `f(const T&, Context&)`, returns, one after the other: a range, a reader
  /// (from_callable), or a data set without threads of its own. The element and the Context live as long as what f
  /// returned. Elements are numbered anew within the epoch.
  ///
  /// What f or a reader throws is a failure, or skipped (`flat_map({.on_error = skip(3)}, f)`).
  template <class F>
  [[nodiscard]] auto flat_map(F&& f) const {
    return flat_map(ReadOptions(), std::forward<F>(f));
  }
  template <class F>
  [[nodiscard]] auto flat_map(const ReadOptions& options, F&& f) const {
    return of(detail::flat_map_node(node_, options.on_error, std::forward<F>(f)));
  }
  template <class F>
  void flat_map(F&& f, const ReadOptions&) const = delete;  // forebay: the options come first: flat_map(options, f)
  void flat_map(...) const = delete;  // forebay: flat_map(f), flat_map(options, f); wrap an overloaded f in a lambda

  /// The same, of `cycle` elements at once: takes `block` elements of what f returned for each of them in turn. Where
  /// one has come to its end, the next element takes its place when its turn comes.
  ///
  /// With options.prefetch, each of those that are open is opened and read by a thread of its own, so many elements
  /// ahead, and others that follow while it has nothing else to do. That changes nothing of the order, nor of which
  /// failure comes where. Throws std::invalid_argument for a cycle, a block or a prefetch of 0.
  template <class F>
  [[nodiscard]] auto interleave(Count cycle, Count block, F&& f) const {
    return of(detail::interleave_node(node_, detail::Turns(cycle, block), std::forward<F>(f)));
  }
  template <class F>
  [[nodiscard]] auto interleave(const InterleaveOptions& options, F&& f) const {
    return of(detail::interleave_node(node_, options, std::forward<F>(f)));
  }
  template <class F>
  void interleave(F&& f, const InterleaveOptions&) const = delete;  // forebay: interleave({.cycle = 8}, f)
  void interleave(...) const = delete;  // forebay: interleave(cycle, block, f) or (options, f); wrap an overloaded f

  /// A stage of the user's own: an object that is called with each element and an `Out<U>`, into which it emits any
  /// number of results. U is the stage's value_type, else T.
  ///
  ///   struct Pairs {                                              // of neighbours
  ///     using value_type = std::pair<int, int>;
  ///     void operator()(int&& element, forebay::Out<value_type>& out) {
  ///       if (before) out.emit({*before, element});
  ///       before = element;
  ///     }
  ///     void finish(forebay::Out<value_type>&);                     // optional: at the end of the epoch
  ///     std::optional<int> before;
  ///   };
  ///
  /// `std::string save() const` and `void restore(std::string_view)`, of a stage that has them, say in a checkpoint
  /// what it knows; without them, a pipeline with it has none, unless the stage has no members.
  ///
  /// Each epoch of each run has a copy of it, which one thread at a time calls: keep large state behind a
  /// std::shared_ptr. It may be called for elements beyond those that a stage downstream takes. Results are numbered
  /// anew within the epoch. What it throws is a failure. finish() is called at the end of the epoch, neither after a
  /// failure nor for an epoch that a stage downstream leaves early.
  template <class Stage>
  [[nodiscard]] auto apply(Stage&& stage) const {
    return of(detail::user_stage_node(node_, std::forward<Stage>(stage)));
  }
  void apply(...) const = delete;  // forebay: apply(stage), where stage(T&&, Out<U>&) is called with each element

  /// Each element with its number in the epoch: std::tuple<std::uint64_t, T>.
  [[nodiscard]] auto enumerate() const { return apply(detail::Enumerate<T>()).named("enumerate"); }

  // ---- Batches

  /// Batches of `size` elements. The last one of an epoch has those that are left, unless options.remainder is drop.
  /// Throws std::invalid_argument for 0.
  [[nodiscard]] auto batch(Count size) const { return batch(size, BatchOptions()); }
  [[nodiscard]] auto batch(Count size, BatchOptions options) const {
    return of(detail::batch_node(node_, "batch", size, options, detail::VectorBatches<T>()));
  }
  void batch(...) const = delete;  // forebay: batch(size) or batch(size, {.remainder = drop})

  /// The same as PaddedBatches: each component of the elements is one buffer, padded to the largest
  /// (padded_batch.hpp).
  template <class U = T>
  [[nodiscard]] Dataset<PaddedBatch<U>> padded_batch(Count size, const PaddingOptions<U>& padding = {}) const {
    return padded_batch(size, padding, BatchOptions());
  }
  template <class U = T>
  [[nodiscard]] Dataset<PaddedBatch<U>> padded_batch(Count size, const PaddingOptions<U>& padding,
                                                     BatchOptions options) const {
    return of(detail::batch_node(node_, "padded_batch", size, options, detail::padded_batches(padding)));
  }
  template <class = void>
  void padded_batch(...) const = delete;  // forebay: padded_batch(size, {.pad_value = -1}, {.remainder = drop})

  /// The same of elements of fixed shape, in which there is nothing to pad (padded_batch.hpp).
  template <class U = T>
  [[nodiscard]] Dataset<StackedBatch<U>> stacked_batch(Count size) const {
    return stacked_batch<U>(size, BatchOptions());
  }
  template <class U = T>
  [[nodiscard]] Dataset<StackedBatch<U>> stacked_batch(Count size, BatchOptions options) const {
    return of(detail::batch_node(node_, "stacked_batch", size, options, detail::PaddedBatches<U>({})));
  }
  template <class = void>
  void stacked_batch(...) const = delete;  // forebay: stacked_batch(size, options) of a fixed shape; else padded_batch

  /// Reads up to `count` elements ahead of what takes them: behind a map with threads by its threads, elsewhere by one
  /// of its own. Throws std::invalid_argument for 0.
  [[nodiscard]] Dataset prefetch(Count count) const { return Dataset(detail::prefetch_node(node_, count)); }
  void prefetch(...) const = delete;  // forebay: prefetch(count), of so many elements

  /// Batches of elements of similar length, which `length(const T&)` says: each element goes into the bucket of its
  /// length, and the elements of a bucket that is full become a batch. What is left at the end of an epoch follows in
  /// the order of the buckets. Batches are numbered anew within the epoch.
  ///
  /// An element longer than options.max_length is a failure, or left out (`.too_long = skip(100)`, or redirect(f)).
  /// Throws std::invalid_argument unless the boundaries rise, and there is a batch size above 0 for each bucket
  /// (dataset_options.hpp). (TensorFlow: bucket_by_sequence_length.)
  template <class Length>
  [[nodiscard]] auto bucket_by_length(Length&& length, const BucketOptions& options) const {
    return of(detail::bucket_node(node_, std::forward<Length>(length), options, detail::VectorBatches<T>()));
  }
  /// The same as PaddedBatches, each padded to the longest of its elements.
  template <class Length, class U = T>
  [[nodiscard]] Dataset<PaddedBatch<U>> bucket_by_length(Length&& length, const BucketOptions& options,
                                                         const PaddingOptions<U>& padding) const {
    return of(detail::bucket_node(node_, std::forward<Length>(length), options, detail::padded_batches(padding)));
  }
  template <class Length>
  void bucket_by_length(const BucketOptions&, Length&&) const = delete;  // forebay: bucket_by_length(length, options)
  void bucket_by_length(...) const = delete;  // forebay: bucket_by_length(length, options), with BucketOptions

  /// The elements of each element, which is a std::vector or another range, one after the other. They are numbered anew
  /// within the epoch.
  [[nodiscard]] auto unbatch() const {
    static_assert(std::ranges::input_range<T>,
                  "forebay: unbatch() takes ranges apart, such as the std::vectors of batch(n): for a PaddedBatch, or "
                  "whatever else has elements, give flat_map a function that returns them");
    if constexpr (std::ranges::input_range<T>) return apply(detail::Unbatch<T>()).named("unbatch");
  }

  // ---- Running it

  /// Starts its threads. (`for (auto& element : dataset.run())`.)
  [[nodiscard]] Pipeline<T> run() const { return Pipeline<T>(*this); }
  [[nodiscard]] Pipeline<T> run(Coordinator& coordinator) const { return Pipeline<T>(*this, coordinator); }

  /// The same, from where `checkpoint` was made (Pipeline::checkpoint); from the start if there is none.
  [[nodiscard]] Pipeline<T> run(const std::optional<std::string>& checkpoint) const {
    return Pipeline<T>(*this, checkpoint);
  }
  [[nodiscard]] Pipeline<T> run(const std::optional<std::string>& checkpoint, Coordinator& coordinator) const {
    return Pipeline<T>(*this, checkpoint, coordinator);
  }

  /// Runs it at once and keeps all elements: a data set with random access, of one epoch. Requires elements that can
  /// be copied, as that hands out copies. Throws what fails, and std::invalid_argument if it has no end.
  [[nodiscard]] IndexedDataset<T> collect() const;

  // ---- Description

  /// What the last stage is called in failures.
  [[nodiscard]] Dataset named(std::string name) const { return Dataset(detail::named_node(node_, std::move(name))); }

  /// What running it will take, before anything runs: the stages, their threads, how far they read ahead, which
  /// elements they hold, and their memory. No function of the user's is called; so of elements that own memory only
  /// the objects are counted, unless `bytes` says what an element is altogether, by the name of the stage that makes
  /// it: `describe({{"decode", 3200}})`. Batches follow from their elements. Throws std::invalid_argument for the name
  /// of no stage.
  [[nodiscard]] DatasetDescription describe(const std::map<std::string, Count>& bytes = {}) const {
    return detail::described(node_->facts().stages, bytes);
  }

  /// Pipelines that run it keep the last 100,000 events of their threads, in up to 5 MB, for Pipeline::write_trace.
  /// Outputs and checkpoints are the same.
  [[nodiscard]] Dataset traced() const { return Dataset(detail::traced_node(node_)); }

  void begin() const = delete;  // forebay: a Dataset is a description: for (auto& element : dataset.run())
  void end() const = delete;    // forebay: a Dataset is a description: for (auto& element : dataset.run())

  /// For the library: data sets are made by from_slices and its like.
  explicit Dataset(detail::NodePointer<T> node) : node_(std::move(node)) {}
  [[nodiscard]] const detail::NodePointer<T>& node() const noexcept { return node_; }

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
