// SPDX-License-Identifier: MIT
//
// factories.hpp: per_thread(factory) gives each thread a callable of its own; per_epoch(factory) gives each epoch of a
// data set a reader of its own.
//
//   QueueRunner runner(queue, 4, per_thread([&] { return [file = open_next()]() mutable { return read(file); }; }));
//   auto lines = from_callable(per_epoch([] { return LogReader("today.log"); }));
//
// When to use: where callables have state that must not be shared or cannot be copied: a file, a decoder, a random
// generator. When not: for callables without state, or where each thread's callable differs (give one for each).

#ifndef FOREBAY_FACTORIES_HPP
#define FOREBAY_FACTORIES_HPP

#include <concepts>
#include <type_traits>
#include <utility>

#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI {

/// What per_thread() returns. Holds the factory until the threads are there.
template <class Factory>
struct PerThread {
  static_assert(std::invocable<const Factory&>,
                "forebay: all threads call the factory given to per_thread, at the same time, through a const "
                "reference and without arguments: it cannot be mutable");

  /// What one thread calls.
  using Callable = std::decay_t<std::invoke_result_t<const Factory&>>;

  Factory factory;
};

/// Says that each thread is to call `factory` once, in that thread, before its work begins, and then what it returned,
/// which no other thread sees and which is destroyed in that thread when its work has ended. What is started again is
/// made again. If `factory` throws, that is a failure of the thread's work.
template <class Factory>
[[nodiscard]] PerThread<std::decay_t<Factory>> per_thread(Factory&& factory) {
  return {std::forward<Factory>(factory)};
}

/// What per_epoch() returns.
template <class Factory>
struct PerEpoch {
  static_assert(
      std::invocable<const Factory&>,
      "forebay: the factory given to per_epoch is called through a const reference and without arguments: it "
      "cannot be mutable");

  Factory factory;
};

/// `from_callable(per_epoch(factory))`: `factory` is called at the beginning of every epoch, and makes what is read in
/// that epoch. For readers that refer to what they read, such as an open file, and so cannot be copied to begin anew.
template <class Factory>
[[nodiscard]] PerEpoch<std::decay_t<Factory>> per_epoch(Factory&& factory) {
  return {std::forward<Factory>(factory)};
}

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_FACTORIES_HPP
