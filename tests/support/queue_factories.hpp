// SPDX-License-Identifier: MIT
//
// queue_factories.hpp: the properties of each kind of queue that typed suites need. To test another kind, write a
// factory and add it to QueueFactories.

#ifndef FOREBAY_TESTS_SUPPORT_QUEUE_FACTORIES_HPP
#define FOREBAY_TESTS_SUPPORT_QUEUE_FACTORIES_HPP

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <type_traits>

#include "forebay/count.hpp"
#include "forebay/fifo_queue.hpp"
#include "forebay/padding_fifo_queue.hpp"
#include "forebay/priority_queue.hpp"
#include "forebay/random_shuffle_queue.hpp"
#include "tests/support/name_of_parameter.hpp"  // IWYU pragma: export

namespace forebay_test {

/// Concatenates lists of types.
template <class... Lists>
struct Joined {
  using type = testing::Types<>;
};
template <class... All>
struct Joined<testing::Types<All...>> {
  using type = testing::Types<All...>;
};
template <class... First, class... Second, class... Rest>
struct Joined<testing::Types<First...>, testing::Types<Second...>, Rest...>
    : Joined<testing::Types<First..., Second...>, Rest...> {};

/// The defaults for most kinds of queues. A factory redefines those that differ for its kind.
template <template <class...> class Kind>
struct FactoryOf {
  template <class T>
  using Queue = Kind<T>;
  /// Whether elements leave in the order in which they arrived.
  static constexpr bool keeps_order = true;
  /// Whether a batch may be larger than the capacity.
  static constexpr bool accumulates = true;
  /// The most bytes per slot that keeping the order costs.
  static constexpr std::size_t bytes_of_order = 0;

  template <class T>
  static Queue<T> make(forebay::Capacity capacity) {
    return Queue<T>(capacity);
  }
};

struct FifoFactory : FactoryOf<forebay::FIFOQueue> {
  static std::string name() { return "FIFOQueue"; }
};

struct RandomShuffleFactory : FactoryOf<forebay::RandomShuffleQueue> {
  static std::string name() { return "RandomShuffleQueue"; }
  static constexpr bool keeps_order = false;

  template <class T>
  static Queue<T> make(forebay::Capacity capacity) {
    return Queue<T>({.capacity = capacity, .min_after_dequeue = 0, .seed = 1});
  }
};

/// Draws from a window of one element, which keeps the order, so the suites check the order, too.
struct WindowFactory : FactoryOf<forebay::RandomShuffleQueue> {
  static std::string name() { return "RandomShuffleQueueOfAWindow"; }

  template <class T>
  static Queue<T> make(forebay::Capacity capacity) {
    return Queue<T>({.capacity = capacity, .seed = 1, .window = 1});
  }
};

struct PaddingFactory : FactoryOf<forebay::PaddingFIFOQueue> {
  static std::string name() { return "PaddingFIFOQueue"; }
};

/// Reverses the suites' ascending numbers. Elements without an order are equal.
struct LargestFirst {
  template <class T>
  bool operator()(const T& a, const T& b) const {
    if constexpr (requires { a.number(); }) {
      return b.number() < a.number();
    } else if constexpr (requires { b < a; }) {
      return b < a;
    } else {
      return false;
    }
  }
};

template <class T>
using LargestFirstQueue = forebay::PriorityQueue<T, LargestFirst>;

struct PriorityFactory : FactoryOf<LargestFirstQueue> {
  static std::string name() { return "PriorityQueue"; }
  static constexpr bool keeps_order = false;
  static constexpr bool accumulates = false;
  static constexpr std::size_t bytes_of_order = 40;
};

using QueueFactories =
    testing::Types<FifoFactory, RandomShuffleFactory, WindowFactory, PaddingFactory, PriorityFactory>;

/// The kinds that drop elements instead of waiting.
using DroppingQueueFactories = testing::Types<FifoFactory, PaddingFactory>;

template <class Factories>
struct Accumulating;
template <class... Factories>
struct Accumulating<testing::Types<Factories...>>
    : Joined<std::conditional_t<Factories::accumulates, testing::Types<Factories>, testing::Types<>>...> {};

/// The kinds whose batches may be larger than the capacity.
using AccumulatingQueueFactories = typename Accumulating<QueueFactories>::type;

/// Returns the largest possible size of a batch, which is the capacity unless the kind accumulates.
template <class Factory, class Queue>
std::size_t largest_batch(const Queue& queue) {
  return Factory::accumulates ? std::size_t{forebay::unbounded} : queue.capacity();
}

}  // namespace forebay_test

#endif  // FOREBAY_TESTS_SUPPORT_QUEUE_FACTORIES_HPP
