// SPDX-License-Identifier: MIT
//
// failure_sweep.hpp: runs the operations of a queue with their k-th step failing, for k = 1, 2, ... until none fails.
// The sweep defines a step: a copy or a move of an element, or an allocation.

#ifndef FOREBAY_TESTS_SUPPORT_FAILURE_SWEEP_HPP
#define FOREBAY_TESTS_SUPPORT_FAILURE_SWEEP_HPP

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "forebay/count.hpp"
#include "forebay/queue_status.hpp"
#include "forebay/wait.hpp"
#include "tests/support/numbers.hpp"
#include "tests/support/scaled_time.hpp"

namespace forebay_test {

/// Returns how many elements an operation has added when its k-th step fails.
using Added = std::size_t (*)(std::size_t k);

inline std::size_t added_none(std::size_t /*k*/) { return 0; }

/// One of the operations that are swept. `Steps` makes the elements and lets a step fail:
///
///   using Element                            // the stored type
///   Element make(int number)
///   static int number_of(const Element&)     // does not allocate
///   bool fails_at(std::size_t k, operation)  // runs the operation with the k-th step failing; returns if it threw
///   static std::size_t added_copies(k)       // Added by an enqueue_many that copies three elements
///   static std::size_t added_moves(k)        // Added by an enqueue_many that moves three elements
template <class Queue, class Element>
struct SweptOperation {
  /// The arguments and results of an operation.
  struct Its {
    Queue& queue;
    std::vector<Element> elements;  // to enqueue
    std::vector<Element> batch;     // reused storage
    std::vector<int> taken;         // numbers; has capacity reserved
  };

  std::string name;
  forebay::Capacity capacity;
  int stored = 0;   // the numbers below it are already in the queue
  int offered = 0;  // how many elements, numbered from `stored`
  std::function<void(Its&)> run;
  Added added = added_none;
  bool copies = false;  // whether the offered elements stay untouched
};

/// How often each operation failed, by name.
using FailureCounts = std::map<std::string, std::size_t>;

/// The operations on one kind of queue, and their sweep.
template <class Factory, class Steps>
class FailureSweep {
 public:
  using Element = typename Steps::Element;
  using Queue = typename Factory::template Queue<Element>;
  using Operation = SweptOperation<Queue, Element>;
  using Operations = std::vector<Operation>;
  using Its = typename Operation::Its;

  static constexpr int large = 3'000;  // more than may be moved in one hold of a lock

  explicit FailureSweep(Steps& steps) : steps_(steps) {}

  static Operations enqueues() {
    Operations all = {
        {"enqueue of a move", 4, 2, 1, [](Its& its) { expect_ok(its.queue.enqueue(std::move(its.elements[0]))); }},
        {"enqueue_many of moves", 8, 2, 3, enqueue_many_of_moves, Steps::added_moves},
        {"enqueue_many of moves in steps", large, 0, large, enqueue_many_of_moves, Steps::added_moves},
    };
    if constexpr (is_copyable) {
      all.push_back({"enqueue of a copy", 4, 2, 1,
                     [](Its& its) { expect_ok(its.queue.enqueue(std::as_const(its.elements[0]))); }, added_none,
                     true});
      all.push_back({"enqueue_many of copies", 8, 2, 3, enqueue_many_of_copies, Steps::added_copies, true});
    }
    return all;
  }

  static Operations dequeues() {
    Operations all = {{"dequeue", 4, 3, 0, [](Its& its) { take(its, its.queue.dequeue()); }}};
    if constexpr (is_copyable) {  // a batch of move-only elements loses what it has moved
      all.push_back({"dequeue_many", 8, 5, 0, [](Its& its) { take_many(its, its.queue.dequeue_many(3)); }});
      all.push_back({"dequeue_many into storage", 8, 5, 0, [](Its& its) { take_into_storage(its, 3); }});
      all.push_back({"dequeue_many in steps", large, large, 0, [](Its& its) { take_into_storage(its, large); }});
      all.push_back({"dequeue_up_to", 8, 5, 0, [](Its& its) {
                       its.queue.close();
                       take_many(its, its.queue.dequeue_up_to(7));
                     }});
      all.push_back({"dequeue_available", 8, 5, 0, [](Its& its) { take_many(its, its.queue.dequeue_available(7)); }});
      if constexpr (Factory::accumulates) {
        all.push_back({"gathering", 4, 4, 0, gather});
        all.push_back({"dequeue_many of what was given back", 4, 4, 0, [](Its& its) {
                         gather(its);
                         take_many(its, its.queue.dequeue_many(3));
                       }});
      }
    }
    return all;
  }

  /// Runs each operation. After a failure the queue holds the earlier elements and the added ones. No operation has
  /// taken anything, and the next element goes in and comes out.
  FailureCounts run(const Operations& operations) {
    FailureCounts failures;
    for (const Operation& operation : operations) {
      // Tries every k up to 16, then only powers of two.
      for (std::size_t k = 1; fails(operation, k); k += k < 16 ? 1 : k) ++failures[operation.name];
    }
    return failures;
  }

 private:
  static constexpr bool is_copyable = std::is_copy_constructible_v<Element>;

  static void expect_ok(forebay::QueueStatus status) { EXPECT_EQ(status, forebay::QueueStatus::ok); }

  static void enqueue_many_of_moves(Its& its) { expect_ok(its.queue.enqueue_many(std::move(its.elements)).status); }
  static void enqueue_many_of_copies(Its& its) {
    expect_ok(its.queue.enqueue_many(std::as_const(its.elements)).status);
  }

  template <class Dequeued>
  static void take(Its& its, const Dequeued& element) {
    its.taken.push_back(Steps::number_of(*element));
  }
  template <class Dequeued>
  static void take_many(Its& its, const Dequeued& batch) {
    for (const Element& element : *batch) its.taken.push_back(Steps::number_of(element));
  }
  static void take_into_storage(Its& its, int count) {
    try {
      expect_ok(its.queue.dequeue_many(count, its.batch));
    } catch (...) {
      EXPECT_TRUE(its.batch.empty());
      throw;
    }
    for (const Element& element : its.batch) its.taken.push_back(Steps::number_of(element));
  }
  static void gather(Its& its) {
    EXPECT_EQ(its.queue.dequeue_many(6, short_time()).status(), forebay::QueueStatus::timed_out);
  }

  std::vector<Element> made(int count, int first) {
    std::vector<Element> elements;
    elements.reserve(static_cast<std::size_t>(count));
    for (const int number : numbers(count, first)) elements.push_back(steps_.make(number));
    return elements;
  }

  /// Returns whether the operation fails when its k-th step does.
  bool fails(const Operation& operation, std::size_t k) {
    SCOPED_TRACE(operation.name + ", step " + std::to_string(k) + " fails");
    Queue queue = Factory::template make<Element>(operation.capacity);
    for (const int number : numbers(operation.stored)) expect_ok(queue.enqueue(steps_.make(number)));
    Its its{queue, made(operation.offered, operation.stored), made(2, -9), {}};
    its.taken.reserve(static_cast<std::size_t>(operation.stored));

    const bool failed = steps_.fails_at(k, [&] { operation.run(its); });
    EXPECT_TRUE(queue.invariants_hold());
    EXPECT_TRUE(!failed || its.taken.empty());
    const int added = failed ? static_cast<int>(operation.added(k)) : operation.offered;
    expect_untouched(its.elements, operation.copies ? 0 : added, operation.stored);
    std::vector<int> expected = numbers(operation.stored + added);
    for (const int number : its.taken) EXPECT_EQ(std::erase(expected, number), 1U) << number;
    EXPECT_EQ(queue.size(), expected.size());
    if (!queue.is_closed() && queue.size() < queue.capacity()) {
      expected.push_back(operation.stored + operation.offered);
      expect_ok(queue.enqueue(steps_.make(expected.back())));
    }
    EXPECT_EQ(drained_now(queue), expected);
    return failed && !testing::Test::HasFailure();
  }

  /// Expects that `elements`, numbered from `first`, still have their numbers from index `begin` on.
  static void expect_untouched(const std::vector<Element>& elements, int begin, int first) {
    for (int i = begin; i < static_cast<int>(elements.size()); ++i) {
      EXPECT_EQ(Steps::number_of(elements[static_cast<std::size_t>(i)]), first + i);
    }
  }

  static std::vector<int> drained_now(Queue& queue) {
    std::vector<int> stored;
    while (const auto element = queue.dequeue(forebay::no_wait)) stored.push_back(Steps::number_of(*element));
    if (!Factory::keeps_order) std::ranges::sort(stored);
    return stored;
  }

  Steps& steps_;
};

}  // namespace forebay_test

#endif  // FOREBAY_TESTS_SUPPORT_FAILURE_SWEEP_HPP
