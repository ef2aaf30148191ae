// SPDX-License-Identifier: MIT

/// @file
/// Defines Context, which gives functions and readers of a data set the position of their element, random numbers, and
/// the stop of the pipeline; and Out, which takes the results of a stage.
///
/// @code
/// images.map(4, [](Image image, forebay::Context& context) {
///   if (context.draw().uniform() < 0.5) image.mirror();   // mirrors the same images in each run
///   return image;
/// });
///
/// forebay::from_callable([&queue](forebay::Context& context) { return queue.dequeue(context.until_stop()); });
/// @endcode
///
/// When to use: for reproducible random numbers, for messages with positions, and in functions and readers that block.
///
/// Lifetime: valid during the call that gets it. The Context of flat_map's function lives as long as what the function
/// returned.
///
/// Thread safety: only the thread of the call may use it.

#ifndef FOREBAY_CONTEXT_HPP
#define FOREBAY_CONTEXT_HPP

#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <ranges>
#include <span>
#include <utility>

#include "forebay/base/element_ranges.hpp"
#include "forebay/base/hash.hpp"
#include "forebay/base/random_bits.hpp"
#include "forebay/count.hpp"
#include "forebay/position.hpp"
#include "forebay/sync.hpp"
#include "forebay/version.hpp"
#include "forebay/wait.hpp"

namespace forebay::FOREBAY_ABI {

/// Generates random numbers: a uniform random bit generator, with distributions of its own.
///
/// The same seed gives the same numbers on every platform, except that normal() may round differently. The
/// distributions of the standard library accept a Draw, but differ between platforms.
class Draw {
 public:
  /// The type of the random bits.
  using result_type = std::uint64_t;

  /// Creates a generator whose numbers depend only on `seed`.
  explicit Draw(std::uint64_t seed) noexcept : bits_(seed) {}

  /// Returns 0, the smallest number that operator() returns.
  [[nodiscard]] static constexpr result_type min() noexcept { return 0; }

  /// Returns 2^64 - 1, the largest number that operator() returns.
  [[nodiscard]] static constexpr result_type max() noexcept { return std::numeric_limits<result_type>::max(); }

  /// Returns 64 random bits.
  result_type operator()() noexcept { return bits_(); }

  /// Returns a number from 0 up to but not including 1, with 53 random bits.
  [[nodiscard]] double uniform() noexcept { return static_cast<double>(bits_() >> 11) * 0x1p-53; }

  /// Returns an integer from 0 up to but not including `count`. Throws std::invalid_argument for a count below 1.
  [[nodiscard]] std::uint64_t below(Count count) { return bits_.below(count.at_least(1, "below: count")); }

  /// Returns a number from the normal distribution with mean 0 and standard deviation 1 (Box-Muller method).
  [[nodiscard]] double normal() noexcept {
    const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
    return radius * std::cos(6.283185307179586 * uniform());
  }

 private:
  detail::RandomBits bits_;
};

namespace detail {

/// Answers whether the pipeline stops.
class StopQuery {
 public:
  [[nodiscard]] virtual bool stop_requested() const noexcept = 0;

  /// Returns a Wait that ends when the pipeline stops. It never ends if nothing stops the pipeline.
  [[nodiscard]] virtual Wait until_stop() const noexcept { return Wait(); }

 protected:
  StopQuery() = default;
  StopQuery(const StopQuery&) = default;
  StopQuery& operator=(const StopQuery&) = default;
  ~StopQuery() = default;
};

/// Makes a Wait from a stop signal. Signals of a Sync policy other than the standard one never end a Wait of the user.
struct SignalledStop {
  [[nodiscard]] StopSignal<StdSync>& stop_signal() const noexcept { return signal; }
  [[nodiscard]] static Wait wait_for(StopSignal<StdSync>& signal) noexcept { return Wait(SignalledStop{signal}); }
  template <class Sync>
  [[nodiscard]] static Wait wait_for(StopSignal<Sync>& /*signal*/) noexcept {
    return Wait();
  }

  StopSignal<StdSync>& signal;
};

}  // namespace detail

/// Gives a function or a reader the position of its element, random numbers, and the stop of the pipeline.
class Context {
 public:
  /// Creates a Context for tests of functions and readers, in a pipeline that does not stop.
  ///
  /// Draws depend only on `stream` and `position`.
  ///
  /// @code
  /// Context context(Position{.epoch = 0, .number = 17});
  /// augment(image, context);
  /// @endcode
  explicit Context(Position position, std::uint64_t stream = 0, const detail::StopQuery* stop = nullptr) noexcept
      : position_(position), stream_(stream), stop_(stop) {}

  /// Returns the random generator of this element.
  ///
  /// Its numbers depend only on the seed of the data set, the stage and the position of the element. Each draw advances
  /// the generator.
  ///
  /// @code
  /// const double angle = 10.0 * context.draw().normal();
  /// @endcode
  [[nodiscard]] Draw& draw() noexcept {
    if (!draw_) draw_.emplace(detail::hash_combine(stream_, position_.epoch, position_.number));
    return *draw_;
  }

  /// Returns the position of the element, as the upstream stage has numbered it.
  ///
  /// In a reader it is the position of the element to read: `number` counts the elements that this reader has read in
  /// the epoch, whatever numbers they have downstream.
  [[nodiscard]] Position position() const noexcept { return position_; }

  /// Returns whether the pipeline stops, so that the result is not needed. Never blocks.
  ///
  /// Call it now and then in code that takes longer than a few milliseconds. When it returns true, return any result,
  /// no element, or throw: the pipeline ignores it. It is also true for a reader of an interleave with prefetch whose
  /// input is no longer needed.
  [[nodiscard]] bool should_stop() const noexcept { return stop_ != nullptr && stop_->stop_requested(); }

  /// Returns a Wait for calls of forebay that ends when the pipeline stops. It never ends if nothing stops the
  /// pipeline.
  ///
  /// @code
  /// auto record = queue.dequeue(context.until_stop());
  /// @endcode
  ///
  /// Valid until the call that got this Context returns.
  [[nodiscard]] Wait until_stop() const noexcept { return stop_ != nullptr ? stop_->until_stop() : Wait(); }

  /// @cond
  // For the library. Asks `stop` from now on.
  void ask(const detail::StopQuery* stop) noexcept { stop_ = stop; }
  /// @endcond

 private:
  Position position_;
  std::uint64_t stream_;
  const detail::StopQuery* stop_;
  std::optional<Draw> draw_;
};

/// Takes the results of a stage that you write (Dataset::apply). Valid during the call that gets it.
///
/// @code
/// void operator()(int&& element, forebay::Out<int>& out) {
///   if (element < 0) return out.end();   // ends the epoch at the first negative element
///   out.emit(element);
/// }
/// @endcode
template <class T>
class Out {
 public:
  /// The type of the results.
  using value_type = T;

  Out(const Out&) = delete;
  Out& operator=(const Out&) = delete;
  virtual ~Out() = default;

  /// Passes on the next result. A call of the stage may emit any number of results.
  void emit(T&& result) { put(std::move(result)); }

  /// Passes on a copy of `result`.
  void emit(const T& result) requires std::copy_constructible<T> {
    if constexpr (detail::CopiedInRuns<T>) {
      put_run(std::span<const T>(&result, 1));
    } else {
      put(T(result));
    }
  }

  /// Passes on the elements of `results`: moved if it is an rvalue container, otherwise copied. For elements in memory
  /// that are trivially copyable, this is faster than to emit each.
  template <detail::RangeOfElementsFor<T> Results>
  void emit_all(Results&& results) {
    if constexpr (detail::RunOfElements<Results> && std::same_as<std::ranges::range_value_t<Results>, T>) {
      put_run(std::span<const T>(results));
    } else {
      for (auto&& result : results) put(T(static_cast<detail::GivenBy<Results>>(result)));
    }
  }

  /// Returns a result that the consumer has given back, with its storage, to be assigned to and emitted again; if there
  /// is none, T(). Without it, a stage that makes batches allocates the storage of each.
  ///
  /// @code
  /// batch_ = out.recycled();   // after the last one was emitted
  /// batch_.clear();
  /// @endcode
  [[nodiscard]] T recycled() requires std::default_initializable<T> {
    T storage{};
    swap_storage(storage);
    return storage;
  }

  /// Ends the epoch after the results emitted so far.
  ///
  /// No further element of the epoch is read, and finish() is called next. Results that this call emits after end() are
  /// dropped.
  void end() { end_epoch(); }

 protected:
  Out() = default;

 private:
  virtual void put(T&& result) = 0;
  virtual void put_run(std::span<const T> results) = 0;
  virtual void swap_storage(T& storage) = 0;
  virtual void end_epoch() noexcept = 0;
};

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_CONTEXT_HPP
