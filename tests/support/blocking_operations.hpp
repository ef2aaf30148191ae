// SPDX-License-Identifier: MIT
//
// blocking_operations.hpp: every blocking operation of a queue, with one interface, so that one test covers all of
// them. Members of an operation:
//
//   run(queue, wait)    performs the operation and reports its result
//   signature           the row of the contract's table that applies
//   size                the largest number of elements
//   least               the smallest number of elements
//   stored_before       the number of elements to store first so that the operation is not possible

#ifndef FOREBAY_TESTS_SUPPORT_BLOCKING_OPERATIONS_HPP
#define FOREBAY_TESTS_SUPPORT_BLOCKING_OPERATIONS_HPP

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "forebay/overflow.hpp"
#include "forebay/queue_status.hpp"
#include "forebay/wait.hpp"
#include "tests/support/numbers.hpp"
#include "tests/support/queue_factories.hpp"

namespace forebay_test {

using forebay::QueueStatus;
using Wait = forebay::BasicWait<>;

/// The capacity of the tested queues, the size of a batch, and the size of a batch that exceeds the capacity.
inline constexpr int tested_capacity = 4;
inline constexpr int batch_size = 3;
inline constexpr int large_size = 10;

constexpr int smaller(int a, int b) { return a < b ? a : b; }

/// An element that can only be moved, and shows whether it was.
using Pointer = std::unique_ptr<int>;

inline std::vector<Pointer> pointers(int count) {
  std::vector<Pointer> made;
  for (const int number : numbers(count)) made.push_back(std::make_unique<int>(number));
  return made;
}

/// The result of an operation.
struct Report {
  QueueStatus status;
  std::size_t count;  // elements that went in or came out
};

struct Produces {
  static constexpr bool produces = true;
  static constexpr QueueStatus not_now = QueueStatus::full;
};

/// `how` is a Wait, or what to drop.
template <class Queue, class How>
Report report_of_enqueue(Queue& queue, const How& how) {
  Pointer element = std::make_unique<int>(1);
  const QueueStatus status = queue.enqueue(std::move(element), how);
  const bool taken = element == nullptr;
  EXPECT_EQ(taken, status == QueueStatus::ok) << "of an argument that is left untouched";
  return {status, taken ? std::size_t{1} : 0};
}

struct Enqueue : Produces {
  static std::string name() { return "Enqueue"; }
  static constexpr std::string_view signature = "enqueue(v, wait)";
  static constexpr int size = 1;
  static constexpr int least = size;
  static constexpr int stored_before = tested_capacity;
  template <class Queue>
  static Report run(Queue& queue, const typename Queue::Wait& wait) {
    return report_of_enqueue(queue, wait);
  }
};

template <int its_size, int stored>
struct EnqueueManyOf : Produces {
  static constexpr std::string_view signature = "enqueue_many(range, wait)";
  static constexpr int size = its_size;
  static constexpr int least = size;
  static constexpr int stored_before = stored;
  template <class Queue>
  static Report run(Queue& queue, const typename Queue::Wait& wait) {
    std::vector<Pointer> range = pointers(size);
    const auto [status, count] = queue.enqueue_many(std::move(range), wait);
    for (std::size_t i = 0; i < range.size(); ++i) EXPECT_EQ(range[i] == nullptr, i < count) << i;
    return {status, count};
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

template <class Policy>
struct EnqueueThatDrops : Enqueue {
  template <class Queue>
  static Report run(Queue& queue, const typename Queue::Wait& /*wait*/) {
    return report_of_enqueue(queue, Policy());
  }
};
struct EnqueueOrDropNewest : EnqueueThatDrops<forebay::DropNewest> {
  static std::string name() { return "EnqueueOrDropNewest"; }
  static constexpr std::string_view signature = "enqueue(v, drop_newest)";
};
struct EnqueueOrDropOldest : EnqueueThatDrops<forebay::DropOldest> {
  static std::string name() { return "EnqueueOrDropOldest"; }
  static constexpr std::string_view signature = "enqueue(v, drop_oldest)";
};

struct Consumes {
  static constexpr bool produces = false;
  static constexpr QueueStatus not_now = QueueStatus::empty;
};

/// A batch that waits until it is complete.
template <int its_size>
struct ConsumesAll : Consumes {
  static constexpr int size = its_size;
  static constexpr int least = size;
  static constexpr int stored_before = smaller(its_size - 1, tested_capacity);
};

/// Reports the result of a dequeue that returns the batch ...
template <class Dequeued>
Report report(const Dequeued& batch) {
  return {batch.status(), batch ? batch->size() : 0};
}
/// ... and of one that stores the batch into reused storage.
template <class Call>
Report report_of_reuse(Call call) {
  std::vector<Pointer> batch = pointers(5);
  const QueueStatus status = call(batch);
  return {status, batch.size()};
}

struct Dequeue : Consumes {
  static std::string name() { return "Dequeue"; }
  static constexpr std::string_view signature = "dequeue(wait)";
  static constexpr int size = 1;
  static constexpr int least = size;
  static constexpr int stored_before = 0;
  template <class Queue>
  static Report run(Queue& queue, const typename Queue::Wait& wait) {
    const auto element = queue.dequeue(wait);
    return {element.status(), element ? std::size_t{1} : 0};
  }
};

template <int its_size>
struct DequeueManyOf : ConsumesAll<its_size> {
  static constexpr std::string_view signature = "dequeue_many(n, wait)";
  template <class Queue>
  static Report run(Queue& queue, const typename Queue::Wait& wait) {
    return report(queue.dequeue_many(its_size, wait));
  }
};
struct DequeueMany : DequeueManyOf<batch_size> {
  static std::string name() { return "DequeueMany"; }
};
struct DequeueManyLargerThanCapacity : DequeueManyOf<large_size> {
  static std::string name() { return "DequeueManyLargerThanCapacity"; }
};
struct DequeueManyReused : DequeueMany {
  static std::string name() { return "DequeueManyReused"; }
  template <class Queue>
  static Report run(Queue& queue, const typename Queue::Wait& wait) {
    return report_of_reuse([&](auto& batch) { return queue.dequeue_many(size, batch, wait); });
  }
};

template <int its_size>
struct DequeueUpToOf : ConsumesAll<its_size> {
  static constexpr std::string_view signature = "dequeue_up_to(n, wait)";
  template <class Queue>
  static Report run(Queue& queue, const typename Queue::Wait& wait) {
    return report(queue.dequeue_up_to(its_size, wait));
  }
};
struct DequeueUpTo : DequeueUpToOf<batch_size> {
  static std::string name() { return "DequeueUpTo"; }
};
struct DequeueUpToLargerThanCapacity : DequeueUpToOf<large_size> {
  static std::string name() { return "DequeueUpToLargerThanCapacity"; }
};
struct DequeueUpToReused : DequeueUpTo {
  static std::string name() { return "DequeueUpToReused"; }
  template <class Queue>
  static Report run(Queue& queue, const typename Queue::Wait& wait) {
    return report_of_reuse([&](auto& batch) { return queue.dequeue_up_to(size, batch, wait); });
  }
};

struct DequeueAvailable : Consumes {
  static std::string name() { return "DequeueAvailable"; }
  static constexpr std::string_view signature = "dequeue_available(n, wait)";
  static constexpr int size = batch_size;
  static constexpr int least = 1;
  static constexpr int stored_before = 0;
  template <class Queue>
  static Report run(Queue& queue, const typename Queue::Wait& wait) {
    return report(queue.dequeue_available(size, wait));
  }
};
struct DequeueAvailableReused : DequeueAvailable {
  static std::string name() { return "DequeueAvailableReused"; }
  template <class Queue>
  static Report run(Queue& queue, const typename Queue::Wait& wait) {
    return report_of_reuse([&](auto& batch) { return queue.dequeue_available(size, batch, wait); });
  }
};

/// An operation on one kind of queue: the parameter of a typed suite.
template <class TheFactory, class TheOperation>
struct On {
  using Factory = TheFactory;
  using Operation = TheOperation;
  static std::string name() { return Factory::name() + "_" + Operation::name(); }
};

template <class Factory, class... Operations>
using OnOne = testing::Types<On<Factory, Operations>...>;

template <class Factories, class... Operations>
struct OnEach;
template <class... Factories, class... Operations>
struct OnEach<testing::Types<Factories...>, Operations...> : Joined<OnOne<Factories, Operations...>...> {};

/// Each of the operations on each kind of queue.
template <class... Operations>
using OnEveryQueue = typename OnEach<QueueFactories, Operations...>::type;

/// Each of the operations on each kind of queue that drops elements.
template <class... Operations>
using OnEveryDroppingQueue = typename OnEach<DroppingQueueFactories, Operations...>::type;

/// Each of the operations on each kind of queue whose batches may be larger than its capacity.
template <class... Operations>
using OnEveryAccumulatingQueue = typename OnEach<AccumulatingQueueFactories, Operations...>::type;

}  // namespace forebay_test

#endif  // FOREBAY_TESTS_SUPPORT_BLOCKING_OPERATIONS_HPP
