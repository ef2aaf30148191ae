// SPDX-License-Identifier: MIT
//
// blocking_operations.hpp: every blocking operation of a queue of int behind one face, so that what holds for all of
// them is tested for all of them. An operation tells
//
//   run(queue, wait)    does it and returns its status
//   stored_before       how many elements to store so that it is not possible
//   missing             how many elements, or how much room, it then lacks
//   at_end              its status, in that state, once no more elements can come (of a dequeue)
//   accumulates         is there if it needs more elements at once than can be stored

#ifndef FOREBAY_TESTS_SUPPORT_BLOCKING_OPERATIONS_HPP
#define FOREBAY_TESTS_SUPPORT_BLOCKING_OPERATIONS_HPP

#include <gtest/gtest.h>

#include <cstddef>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>

#include "forebay/queue_status.hpp"
#include "forebay/wait.hpp"
#include "tests/support/queue_factories.hpp"

namespace forebay_test {

using forebay::QueueStatus;
using Wait = forebay::BasicWait<>;

/// The capacity of the queues that these operations are tested with, the size of a batch, and of one that is too
/// large to be stored at once.
inline constexpr int tested_capacity = 4;
inline constexpr int batch_size = 3;
inline constexpr int large_size = 10;

inline std::vector<int> numbers(int count, int first = 0) {
  std::vector<int> made(static_cast<std::size_t>(count));
  std::iota(made.begin(), made.end(), first);
  return made;
}

struct Produces {
  static constexpr bool produces = true;
  static constexpr QueueStatus not_now = QueueStatus::full;
};

struct Enqueue : Produces {
  static std::string name() { return "Enqueue"; }
  static constexpr int stored_before = tested_capacity;
  static constexpr int missing = 1;
  template <class Queue>
  static QueueStatus run(Queue& queue, const Wait& wait) {
    return queue.enqueue(1, wait);
  }
};

template <int size, int stored>
struct EnqueueManyOf : Produces {
  static constexpr int stored_before = stored;
  static constexpr int missing = size + stored - tested_capacity;
  template <class Queue>
  static QueueStatus run(Queue& queue, const Wait& wait) {
    return queue.enqueue_many(numbers(size), wait).status;
  }
};
struct EnqueueMany : EnqueueManyOf<batch_size, tested_capacity - 1> {
  static std::string name() { return "EnqueueMany"; }
};
struct EnqueueManyIntoFull : EnqueueManyOf<batch_size, tested_capacity> {
  static std::string name() { return "EnqueueManyIntoFull"; }
};
struct EnqueueManyLargerThanCapacity : EnqueueManyOf<large_size, 0> {
  static std::string name() { return "EnqueueManyLargerThanCapacity"; }
};

struct Consumes {
  static constexpr bool produces = false;
  static constexpr QueueStatus not_now = QueueStatus::empty;
};

struct Dequeue : Consumes {
  static std::string name() { return "Dequeue"; }
  static constexpr int stored_before = 0;
  static constexpr int missing = 1;
  static constexpr QueueStatus at_end = QueueStatus::closed;
  template <class Queue>
  static QueueStatus run(Queue& queue, const Wait& wait) {
    return queue.dequeue(wait).status();
  }
};

template <int size>
struct BatchOf : Consumes {
  static constexpr int stored_before = size - 1;
  static constexpr int missing = 1;
};

struct DequeueMany : BatchOf<batch_size> {
  static std::string name() { return "DequeueMany"; }
  static constexpr QueueStatus at_end = QueueStatus::closed;
  template <class Queue>
  static QueueStatus run(Queue& queue, const Wait& wait) {
    return queue.dequeue_many(batch_size, wait).status();
  }
};
struct DequeueManyReused : BatchOf<batch_size> {
  static std::string name() { return "DequeueManyReused"; }
  static constexpr QueueStatus at_end = QueueStatus::closed;
  template <class Queue>
  static QueueStatus run(Queue& queue, const Wait& wait) {
    std::vector<int> batch = numbers(5, 1000);
    return queue.dequeue_many(batch_size, batch, wait);
  }
};
struct DequeueManyLargerThanCapacity : Consumes {
  static constexpr bool accumulates = true;
  static std::string name() { return "DequeueManyLargerThanCapacity"; }
  static constexpr int stored_before = tested_capacity;
  static constexpr int missing = large_size - tested_capacity;
  static constexpr QueueStatus at_end = QueueStatus::closed;
  template <class Queue>
  static QueueStatus run(Queue& queue, const Wait& wait) {
    return queue.dequeue_many(large_size, wait).status();
  }
};

struct DequeueUpTo : BatchOf<batch_size> {
  static std::string name() { return "DequeueUpTo"; }
  static constexpr QueueStatus at_end = QueueStatus::ok;
  template <class Queue>
  static QueueStatus run(Queue& queue, const Wait& wait) {
    return queue.dequeue_up_to(batch_size, wait).status();
  }
};
struct DequeueUpToReused : BatchOf<batch_size> {
  static std::string name() { return "DequeueUpToReused"; }
  static constexpr QueueStatus at_end = QueueStatus::ok;
  template <class Queue>
  static QueueStatus run(Queue& queue, const Wait& wait) {
    std::vector<int> batch = numbers(5, 1000);
    return queue.dequeue_up_to(batch_size, batch, wait);
  }
};
struct DequeueUpToLargerThanCapacity : Consumes {
  static constexpr bool accumulates = true;
  static std::string name() { return "DequeueUpToLargerThanCapacity"; }
  static constexpr int stored_before = tested_capacity;
  static constexpr int missing = large_size - tested_capacity;
  static constexpr QueueStatus at_end = QueueStatus::ok;
  template <class Queue>
  static QueueStatus run(Queue& queue, const Wait& wait) {
    return queue.dequeue_up_to(large_size, wait).status();
  }
};

struct DequeueAvailable : Consumes {
  static std::string name() { return "DequeueAvailable"; }
  static constexpr int stored_before = 0;
  static constexpr int missing = 1;
  static constexpr QueueStatus at_end = QueueStatus::closed;
  template <class Queue>
  static QueueStatus run(Queue& queue, const Wait& wait) {
    return queue.dequeue_available(batch_size, wait).status();
  }
};
struct DequeueAvailableReused : Consumes {
  static std::string name() { return "DequeueAvailableReused"; }
  static constexpr int stored_before = 0;
  static constexpr int missing = 1;
  static constexpr QueueStatus at_end = QueueStatus::closed;
  template <class Queue>
  static QueueStatus run(Queue& queue, const Wait& wait) {
    std::vector<int> batch = numbers(5, 1000);
    return queue.dequeue_available(batch_size, batch, wait);
  }
};

/// An operation on a kind of queue: the parameter of a typed suite.
template <class TheFactory, class TheOperation>
struct On {
  using Factory = TheFactory;
  using Operation = TheOperation;
  static std::string name() { return Factory::name() + "_" + Operation::name(); }
};

/// Whether a kind of queue has an operation: not a batch larger than the capacity if it does not accumulate.
template <class Factory, class Operation>
inline constexpr bool has_operation = Factory::accumulates || !requires {
  Operation::accumulates;
};

template <class Factory, class... Operations>
using OnOne = typename Joined<std::conditional_t<has_operation<Factory, Operations>,
                                                 testing::Types<On<Factory, Operations>>, testing::Types<>>...>::type;

template <class Factories, class... Operations>
struct OnEach;
template <class... Factories, class... Operations>
struct OnEach<testing::Types<Factories...>, Operations...> : Joined<OnOne<Factories, Operations...>...> {};

/// Each of the operations on each kind of queue.
template <class... Operations>
using OnEveryQueue = typename OnEach<QueueFactories, Operations...>::type;

}  // namespace forebay_test

#endif  // FOREBAY_TESTS_SUPPORT_BLOCKING_OPERATIONS_HPP
