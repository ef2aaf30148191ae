// SPDX-License-Identifier: MIT
//
// queue_factories.hpp: what a typed suite needs to know about a kind of queue. To have another kind tested, write a
// factory and add it to QueueFactories.

#ifndef FOREBAY_TESTS_SUPPORT_QUEUE_FACTORIES_HPP
#define FOREBAY_TESTS_SUPPORT_QUEUE_FACTORIES_HPP

#include <gtest/gtest.h>

#include <string>
#include <type_traits>

#include "forebay/capacity.hpp"
#include "forebay/fifo_queue.hpp"
#include "forebay/random_shuffle_queue.hpp"

namespace forebay_test {

struct FifoFactory {
  template <class T>
  using Queue = forebay::FIFOQueue<T>;
  static std::string name() { return "FIFOQueue"; }
  /// Whether elements leave in the order in which they came.
  static constexpr bool keeps_order = true;
  /// Whether a batch may be larger than the capacity.
  static constexpr bool accumulates = true;

  template <class T>
  static Queue<T> make(forebay::Capacity capacity) {
    return Queue<T>(capacity);
  }
};

struct RandomShuffleFactory {
  template <class T>
  using Queue = forebay::RandomShuffleQueue<T>;
  static std::string name() { return "RandomShuffleQueue"; }
  static constexpr bool keeps_order = false;
  static constexpr bool accumulates = true;

  template <class T>
  static Queue<T> make(forebay::Capacity capacity) {
    return Queue<T>({.capacity = capacity, .min_after_dequeue = 0, .seed = 1});
  }
};

using QueueFactories = testing::Types<FifoFactory, RandomShuffleFactory>;

namespace detail {

template <class Kept, class... Left>
struct Accumulating {
  using type = Kept;
};
template <class... Kept, class First, class... Rest>
struct Accumulating<testing::Types<Kept...>, First, Rest...>
    : Accumulating<std::conditional_t<First::accumulates, testing::Types<Kept..., First>, testing::Types<Kept...>>,
                   Rest...> {};

template <class Factories>
struct AccumulatingOf;
template <class... Factories>
struct AccumulatingOf<testing::Types<Factories...>> : Accumulating<testing::Types<>, Factories...> {};

}  // namespace detail

/// Those whose batches may be larger than the capacity.
using AccumulatingQueueFactories = typename detail::AccumulatingOf<QueueFactories>::type;

/// Names the instances of a typed suite after their parameter.
struct NameOfParameter {
  template <class Parameter>
  static std::string GetName(int /*index*/) {
    return Parameter::name();
  }
};

}  // namespace forebay_test

#endif  // FOREBAY_TESTS_SUPPORT_QUEUE_FACTORIES_HPP
