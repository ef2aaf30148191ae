// SPDX-License-Identifier: MIT
//
// dataset_options.hpp: the options of the stages of a data set.
//
//   files.interleave({.cycle = 8, .prefetch = 64, .on_error = forebay::skip(3)}, open)
//       .map({.threads = 4, .ahead = 64, .on_error = forebay::skip(100)}, decode)
//       .batch(32, {.remainder = forebay::drop})
//
// Lifetime: values, cheap to copy.

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

#include "forebay/count.hpp"
#include "forebay/position.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI {

/// What to do with an element at which a stage fails: by default the data set fails; with skip(limit) the element is
/// left out; with redirect(f) its failure is given to f. Applies to what user code throws: a function, a reader, an
/// element's own copy. A failure of the library, such as an allocation that fails, always ends the run.
class OnError {
 public:
  /// The first failure is thrown, at its place.
  OnError() noexcept = default;

  /// How many may fail in an epoch; none if the first failure is thrown. With redirect(f) it is the largest number.
  [[nodiscard]] std::optional<std::size_t> limit() const noexcept { return limit_; }

  /// Gives a failure to the function of redirect; if there is none, does nothing. Throws what that throws.
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

/// In each epoch, leaves out up to `limit` elements that fail; the next one that does is thrown. They are counted in
/// the order of the elements, so which one that is does not depend on timing.
[[nodiscard]] inline OnError skip(Count limit) {
  OnError on_error;
  on_error.limit_ = limit.at_least(0, "skip: limit");
  return on_error;
}

/// Leaves out all elements that fail, and calls `f(Position, std::exception_ptr)` for each of them: where it stood, and
/// the DatasetError with its cause. (The element itself was moved.) f is called by whoever takes what the stage makes,
/// in the order of the elements, one at a time; through a const reference, and by all stages and pipelines that it is
/// given to. What f throws is a failure of the data set, at the place of that element.
template <class F>
[[nodiscard]] OnError redirect(F&& f) {
  static_assert(
      std::invocable<const std::decay_t<F>&, Position, std::exception_ptr>,
      "forebay: the function given to redirect is called with a Position and a std::exception_ptr, through a "
      "const reference: it cannot be mutable");
  OnError on_error;
  on_error.limit_ = std::numeric_limits<std::size_t>::max();
  on_error.function_ = std::make_shared<const std::function<void(Position, std::exception_ptr)>>(std::forward<F>(f));
  return on_error;
}

/// The options of flat_map, text_lines and from_callable: `{.on_error = skip(100)}`. A reader that fails has the next
/// element asked for; one that fails twice in a row is taken to be at its end.
struct ReadOptions {
  OnError on_error{};
};

/// What makes all shards equally long, so that of several machines none waits for the others at the end.
enum class Even {
  drop,    ///< leaves out the last elements of an epoch, fewer than there are shards
  repeat,  ///< repeats the first elements of the epoch at its end
};

inline constexpr Remainder drop = Remainder::drop;

/// `{.remainder = drop}` leaves out the last elements of each epoch, fewer than a batch.
struct BatchOptions {
  Remainder remainder = Remainder::deliver;
};

/// How Dataset::bucket_by_length makes batches of elements of similar length.
///
///   // shorter than 16, from 16 to 63, from 64 to 512: about as many tokens in each batch
///   sentences.bucket_by_length(length, {.boundaries = {16, 64}, .batch_sizes = {128, 32, 8}, .max_length = 512})
struct BucketOptions {
  /// The lengths at which another bucket begins, in rising order. The first bucket has what is shorter than the first
  /// of them, the last one what is as long as the last of them, or longer.
  Counts boundaries{};
  /// How many elements a batch of each bucket has: one number more than there are boundaries.
  Counts batch_sizes{};
  /// The longest that is allowed.
  std::optional<Count> max_length{};
  /// What becomes of elements that are longer. (TensorFlow: they are an error, or left out.)
  OnError too_long{};
  /// Whether what is left in the buckets at the end of an epoch, fewer than a batch, becomes batches, too.
  Remainder remainder = Remainder::deliver;
};

/// How Dataset::interleave takes turns at its inputs.
struct InterleaveOptions {
  /// The number of inputs that are open at once: at least 1, and with prefetch at most 65,536.
  Count cycle = 8;
  /// So many elements are taken of each when it is its turn, from 1.
  Count block = 1;
  /// With a number, from 1, each open input is read by a thread of its own, up to so many elements ahead: `cycle`
  /// threads. Without, whoever asks for an element reads.
  std::optional<Count> prefetch{};
  /// What becomes of inputs that cannot be opened, and of elements that cannot be read.
  OnError on_error{};
};

/// A factory for the storage that `void f(T, U& into)` is given: a function without arguments that returns a U. All
/// threads call it, at the same time and through a const reference.
class StorageFactory {
 public:
  StorageFactory() = default;

  template <class Factory>
  requires(!std::same_as<std::remove_cvref_t<Factory>, StorageFactory> &&
           std::copy_constructible<std::decay_t<Factory>> && std::invocable<const std::decay_t<Factory>&>)
      StorageFactory(Factory&& factory)
      : factory_(std::function<std::decay_t<std::invoke_result_t<const std::decay_t<Factory>&>>()>(
            std::forward<Factory>(factory))) {}

  [[nodiscard]] bool given() const noexcept { return factory_.has_value(); }

  /// It, if it makes Us; else null.
  template <class U>
  [[nodiscard]] const std::function<U()>* makes() const noexcept {
    return std::any_cast<std::function<U()>>(&factory_);
  }

 private:
  std::any factory_;
};

/// In which order a map with threads hands out what it has made.
enum class Order {
  in_order,   ///< that of the elements
  any_order,  ///< as it is ready
};

inline constexpr Order any_order = Order::any_order;

/// How Dataset::map runs its function. Where a number is not given, the library chooses: 4 chunks ahead for each
/// thread; chunks of the batch behind the map, else of 32 elements, of 1 where the elements are batches already.
struct MapOptions {
  /// How many threads work, from 1 to 65,536. With 1 it is done in the thread that asks for its results, unless
  /// !loop_helps.
  Count threads = 1;
  /// With any_order, an element that takes long holds up no others of its epoch, as long as there is room ahead: they
  /// keep their positions, and their order depends on timing. An epoch still ends behind its last element, and a
  /// failure comes behind everything before it. The loop's thread is none of the threads then.
  Order order = Order::in_order;
  /// How many chunks may be read and not yet taken, from 1: what bounds the memory, and what an element that takes
  /// long may hold up.
  std::optional<Count> ahead{};
  /// How many elements a thread takes at a time, from 1. While the loop waits for a slow source, a thread passes on
  /// those that it has after a millisecond, unless it makes batches of them.
  std::optional<Count> chunk{};
  /// What becomes of elements at which f throws.
  OnError on_error{};
  /// Whether the thread of the loop may be one of the threads, while it waits. Set to false for a loop that feeds a
  /// device: then all threads are started beside it. The loop's thread reads no source that may block (from_queue, a
  /// from_callable without cursor and seek, a reader with a Context&): there it works on what other threads have read.
  bool loop_helps = true;
  /// What makes the storage that f fills, if it is one that fills: by default, U().
  StorageFactory make{};
};

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_DATASET_OPTIONS_HPP
