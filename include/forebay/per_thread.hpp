// SPDX-License-Identifier: MIT
//
// per_thread.hpp: per_thread(factory), which gives each of several threads a callable of its own where one is asked
// for.
//
//   QueueRunner runner(queue, 4, per_thread([&] { return [file = open_next()]() mutable { return read(file); }; }));
//
// When to use: where threads do the same with state that they must not share: a file, a decoder, a random generator.
// When not: where each thread's callable differs (give one for each), or has no state.

#ifndef FOREBAY_PER_THREAD_HPP
#define FOREBAY_PER_THREAD_HPP

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

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_PER_THREAD_HPP
