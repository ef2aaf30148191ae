// SPDX-License-Identifier: MIT

/// @file
/// Defines the options of the stages of a data set.
///
/// @code
/// files.interleave({.cycle = 8, .prefetch = 64, .on_error = forebay::skip(3)}, open)
///     .map({.threads = 4, .ahead = 64, .on_error = forebay::skip(100)}, decode)
///     .batch(32, {.remainder = forebay::drop})
/// @endcode
///
/// Lifetime: values that are cheap to copy.

#ifndef FOREBAY_DATASET_OPTIONS_HPP
#define FOREBAY_DATASET_OPTIONS_HPP

#include <any>
#include <concepts>
#include <cstddef>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "forebay/byte_source.hpp"
#include "forebay/count.hpp"
#include "forebay/position.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI {

/// Decides what happens to an element at which a stage fails.
///
/// By default the data set fails. skip(limit) leaves the element out, and redirect(f) passes its failure to `f`. Both
/// apply to exceptions of your code: a function, a reader, or the copy constructor of an element. A failure of the
/// library, such as a failed allocation, always ends the run.
class OnError {
 public:
  /// Lets the data set fail at the first failure, in order.
  OnError() noexcept = default;

  /// Returns how many elements may fail in an epoch: std::nullopt if the first failure is thrown, the largest number
  /// with redirect(f).
  [[nodiscard]] std::optional<std::size_t> limit() const noexcept { return limit_; }

  /// Calls the function of redirect with a failure. Does nothing without such a function. Throws what it throws.
  void hand_over(Position position, const std::exception_ptr& failure) const {
    if (function_ != nullptr) (*function_)(position, failure);
  }

 private:
  friend OnError skip(Count limit);
  template <class F>
  friend OnError redirect(F&& f);

  std::optional<std::size_t> limit_;
  std::shared_ptr<const std::function<void(Position, std::exception_ptr)>> function_;
};

/// Leaves out up to `limit` elements that fail in each epoch; the next failure is thrown.
///
/// Failures are counted in the order of the elements, so the one that is thrown does not depend on timing.
///
/// @code
/// names.map({.on_error = skip(100)}, decode)
/// @endcode
[[nodiscard]] inline OnError skip(Count limit) {
  OnError on_error;
  on_error.limit_ = limit.at_least(0, "skip: limit");
  return on_error;
}

/// Leaves out all elements that fail, and calls `f(Position, std::exception_ptr)` for each of them.
///
/// `f` gets the position of the element and the DatasetError with its cause. (The element itself was moved.) The thread
/// that takes the outputs of the stage calls `f`, in the order of the elements, one at a time. All stages and pipelines
/// that share `f` call it through a const reference. An exception of `f` is a failure of the data set, at the position
/// of that element.
///
/// @code
/// auto log = redirect([](Position position, const std::exception_ptr&) { std::cerr << position << " is damaged\n"; });
/// names.map({.threads = 4, .on_error = log}, decode)
/// @endcode
template <class F>
[[nodiscard]] OnError redirect(F&& f) {
  static_assert(
      std::invocable<const std::decay_t<F>&, Position, std::exception_ptr>,
      "forebay: the function given to redirect takes a Position and a std::exception_ptr; it is called through a "
      "const reference, so it cannot be mutable");
  OnError on_error;
  on_error.limit_ = std::numeric_limits<std::size_t>::max();
  on_error.function_ = std::make_shared<const std::function<void(Position, std::exception_ptr)>>(std::forward<F>(f));
  return on_error;
}

/// Holds the options of flat_map and from_callable: `{.on_error = skip(100)}`.
struct ReadOptions {
  /// Decides what happens when an element cannot be read. After a failure, the reader is called again; two failures in
  /// a row of a reader of yours end its input. The readers of files.hpp decide whether they can continue.
  OnError on_error{};
};

/// Holds the options of text_lines, tfrecords, length_prefixed_records, tar_entries and webdataset:
/// `{.on_error = skip(100)}`.
struct ReadFileOptions {
  /// Decides what happens when an element cannot be read. The readers decide whether they can continue.
  OnError on_error{};
  /// Opens each file as a source of bytes, for example to decompress it: see byte_source.hpp. By default, it is read as
  /// it is.
  OpenByteSource open{};
};

/// Decides how shards get the same size, so that no machine waits for the others at the end.
enum class Even {
  drop,    ///< Leaves out the last elements of an epoch, fewer than there are shards.
  repeat,  ///< Repeats the first elements of the epoch at its end.
};

/// Is short for Remainder::drop: `batch(32, {.remainder = drop})`.
inline constexpr Remainder drop = Remainder::drop;

/// Decides whether the inputs of zip may have different lengths.
enum class Lengths {
  any,    ///< Allows any lengths: zip ends with the shortest input.
  equal,  ///< Requires equal lengths: zip fails if an input has elements left when another one ends.
};

/// Is short for Lengths::equal.
inline constexpr Lengths equal = Lengths::equal;

/// Says what zip does at the end of its shortest input: `zip({.lengths = equal}, images, labels)`.
struct ZipOptions {
  /// Decides what happens if the inputs have different lengths.
  Lengths lengths = Lengths::any;
};

/// Decides when an epoch of mix ends.
enum class MixStop {
  all_exhausted,    ///< It ends when all inputs have ended. Without `.restart`, it goes on with those that are left.
  first_exhausted,  ///< It ends when an input is drawn that has ended.
};

/// Is short for MixStop::all_exhausted.
inline constexpr MixStop all_exhausted = MixStop::all_exhausted;
/// Is short for MixStop::first_exhausted.
inline constexpr MixStop first_exhausted = MixStop::first_exhausted;

/// Says what mix does when an input ends: `mix({.stop = first_exhausted}, {photos, drawings}, {0.7, 0.3})`.
struct MixOptions {
  /// Decides when the epoch ends.
  MixStop stop = MixStop::all_exhausted;
  /// Decides whether an input that is drawn after its last element begins again, reshuffled. The epoch then ends once
  /// this has happened to each input. An input without elements does not begin again. StageStatistics::passes counts
  /// how often each input has ended.
  bool restart = false;
};

/// Holds the options of the stages that make batches: `{.remainder = drop}`.
struct BatchOptions {
  /// Decides whether the last elements of an epoch, fewer than a batch, become a smaller batch or are dropped.
  Remainder remainder = Remainder::deliver;
};

/// Holds the options of Dataset::bucket_by_length.
///
/// @code
/// // lengths below 16, from 16 to 63, from 64 to 512: about the same number of tokens in each batch
/// sentences.bucket_by_length(length, {.boundaries = {16, 64}, .batch_sizes = {128, 32, 8}, .max_length = 512})
/// @endcode
struct BucketOptions {
  /// Lists the lengths at which the next bucket begins, in rising order. The first bucket has the elements shorter than
  /// the first boundary. The last bucket has those at least as long as the last boundary.
  Counts boundaries{};
  /// Lists the number of elements in a batch of each bucket: one number more than there are boundaries.
  Counts batch_sizes{};
  /// Limits the length of an element; without it, any length is allowed.
  std::optional<Count> max_length{};
  /// Decides what happens to elements longer than max_length. (TensorFlow: they are an error, or left out.)
  OnError too_long{};
  /// Decides whether the elements left in the buckets at the end of an epoch become smaller batches or are dropped.
  Remainder remainder = Remainder::deliver;
};

/// Holds the options of Dataset::batch_by_cost.
///
/// @code
/// // padded batches of at most 4,096 tokens, of sentences of similar length
/// sentences.batch_by_cost(length, {.limit = 4'096, .count_times_largest = true, .sort_window = 2'000})
/// @endcode
struct CostOptions {
  /// Limits the cost of a batch: at least 1.
  Count limit;
  /// Decides whether the cost of a batch is the sum of the costs of its elements or, if all are padded to the largest,
  /// their number times the largest cost.
  bool count_times_largest = false;
  /// Limits the number of elements in a batch, at least 1; without it, only the cost is limited.
  std::optional<Count> most_elements{};
  /// Sets how many elements are collected and sorted by cost, so that those in a batch cost about the same. With 0, the
  /// elements stay in their order.
  Count sort_window = 0;
  /// Decides whether the batches of a window are delivered in random order, or sorted: from low to high cost in the
  /// first window, from high to low in the second, and so on.
  bool shuffle_batches = true;
  /// Decides what happens to elements that cost more than the limit.
  OnError too_costly{};
  /// Gives each element that costs more than the limit a batch of its own, instead.
  bool too_costly_alone = false;
  /// Decides whether the last elements of an epoch, whose batch has room left, become a batch or are dropped.
  Remainder remainder = Remainder::deliver;
};

/// Holds the options of Dataset::interleave.
struct InterleaveOptions {
  /// Sets the number of inputs that are open at once: at least 1, with prefetch at most 65,536; by default 8.
  Count cycle = 8;
  /// Sets how many elements are taken from an input at its turn: at least 1.
  Count block = 1;
  /// Gives each open input a thread, `cycle` threads in all, that reads up to this many elements ahead: at least 1.
  /// Without it, the thread that takes an element reads it. A run with it cannot resume from a checkpoint of one
  /// without it, nor the other way round.
  std::optional<Count> prefetch{};
  /// Decides what happens to inputs that cannot be opened, and to elements that cannot be read.
  OnError on_error{};
};

/// Creates the storage that a function of the form `void f(T, U& into)` fills (MapOptions::make).
class StorageFactory {
 public:
  /// Creates storage with U().
  StorageFactory() = default;

  /// Creates storage with `factory`, a function without arguments that returns a U. All threads call it concurrently,
  /// through a const reference.
  template <class Factory>
  requires(!std::same_as<std::remove_cvref_t<Factory>, StorageFactory> &&
           std::copy_constructible<std::decay_t<Factory>> && std::invocable<const std::decay_t<Factory>&>)
      StorageFactory(Factory&& factory)
      : factory_(std::function<std::decay_t<std::invoke_result_t<const std::decay_t<Factory>&>>()>(
            std::forward<Factory>(factory))) {}

  /// @cond
  // For the library.
  [[nodiscard]] bool given() const noexcept { return factory_.has_value(); }

  // Returns the factory if it makes objects of type U, else null.
  template <class U>
  [[nodiscard]] const std::function<U()>* makes() const noexcept {
    return std::any_cast<std::function<U()>>(&factory_);
  }
  /// @endcond

 private:
  std::any factory_;
};

/// Decides the order in which a map with threads passes on its results.
enum class Order {
  in_order,   ///< Keeps the order of the elements.
  any_order,  ///< Passes on each result as soon as it is ready.
};

/// Is short for Order::any_order: `{.threads = 4, .order = any_order}`.
inline constexpr Order any_order = Order::any_order;

/// Holds the options of Dataset::map.
///
/// @code
/// images.map({.threads = 4, .ahead = 16, .chunk = 8}, decode)   // at most 128 images in flight
/// @endcode
struct MapOptions {
  /// Sets the number of threads that call the function, from 1 to 65,536. With 1, the thread that takes the results
  /// calls it, unless loop_helps is false.
  Count threads = 1;
  /// Decides whether results keep the order of the elements.
  ///
  /// With any_order, a slow element does not delay others of its epoch while there is room ahead. They keep their
  /// positions, but their order depends on timing. An epoch still ends after its last element, and a failure comes
  /// after everything that precedes it, and so does a chunk of which elements are skipped. With any_order, the loop's
  /// thread does not help.
  Order order = Order::in_order;
  /// Limits how many chunks may be read and not yet taken: at least 1. This bounds the memory, and how many elements a
  /// slow element may delay. The default is 4 chunks for each thread.
  std::optional<Count> ahead{};
  /// Sets how many elements a thread takes at a time: at least 1.
  ///
  /// The default is the size of the batch downstream of the map, or else 32; it is 1 if the elements are batches. While
  /// the loop waits for a slow source, a thread that has read for 1 ms passes on what it has, even less than a chunk.
  /// (A thread that collates batches does not do this.) It can do so only between two elements: use 1 if the reader of
  /// the source blocks until more arrives.
  std::optional<Count> chunk{};
  /// Decides what happens to elements at which the function throws.
  OnError on_error{};
  /// Lets the thread of the loop be one of the threads while it waits.
  ///
  /// Set it to false for a loop that feeds a device: all threads are then started beside the loop. The thread of the
  /// loop reads no source that may block (from_queue, from_callable without cursor and seek, a reader with a Context&).
  /// It works on what other threads have read from such a source.
  bool loop_helps = true;
  /// Creates the storage for a function that fills its second argument. The default is U().
  StorageFactory make{};
};

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_DATASET_OPTIONS_HPP
