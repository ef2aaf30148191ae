// SPDX-License-Identifier: MIT

/// @file
/// Defines per_thread(), which gives each thread its own callable, and per_epoch(), which gives each epoch of a data
/// set its own reader.
///
/// @code
/// QueueRunner runner(queue, 4, per_thread([&] { return [file = open_next()]() mutable { return read(file); }; }));
/// auto lines = from_callable(per_epoch([] { return LogReader("today.log"); }));
/// @endcode
///
/// When to use: if callables have state that cannot be shared or copied: a file, a decoder, a random number generator.
/// When not: for callables without state, or if each thread runs a different callable (pass a list of them).

#ifndef FOREBAY_FACTORIES_HPP
#define FOREBAY_FACTORIES_HPP

#include <concepts>
#include <type_traits>
#include <utility>

#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI {

/// The result of per_thread(): holds the factory until the threads exist.
template <class Factory>
struct PerThread {
  static_assert(std::invocable<const Factory&>,
                "forebay: all threads call the factory given to per_thread concurrently, through a const reference "
                "and without arguments: it cannot be mutable");

  /// The type of the callable that the factory makes for a thread.
  using Callable = std::decay_t<std::invoke_result_t<const Factory&>>;

  /// The function that each thread calls once.
  Factory factory;
};

/// Gives each thread its own callable, made by `factory`.
///
/// Each thread calls `factory` once before its work begins, then calls the result, which no other thread uses. The
/// thread destroys the result when its work has ended. A new start makes new callables. If `factory` throws, the thread
/// fails with that exception.
template <class Factory>
[[nodiscard]] PerThread<std::decay_t<Factory>> per_thread(Factory&& factory) {
  return {std::forward<Factory>(factory)};
}

/// The result of per_epoch(): holds the factory.
template <class Factory>
struct PerEpoch {
  static_assert(
      std::invocable<const Factory&>,
      "forebay: the factory given to per_epoch is called through a const reference and without arguments: it "
      "cannot be mutable");

  /// The function that is called at the start of each epoch.
  Factory factory;
};

/// Gives each epoch of a data set its own reader, made by `factory`: `from_callable(per_epoch(factory))`.
///
/// `factory` is called at the start of each epoch. Use it for readers that cannot be copied to start again, such as one
/// with an open file.
template <class Factory>
[[nodiscard]] PerEpoch<std::decay_t<Factory>> per_epoch(Factory&& factory) {
  return {std::forward<Factory>(factory)};
}

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_FACTORIES_HPP
