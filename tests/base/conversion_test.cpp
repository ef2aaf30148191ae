// SPDX-License-Identifier: MIT
//
// conversion_test.cpp: which values can be enqueued to a queue of another type, and which ones do not compile.

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "forebay/fifo_queue.hpp"
#include "forebay/priority_queue.hpp"
#include "forebay/queue_ref.hpp"
#include "forebay/queue_status.hpp"

namespace forebay_test {
namespace {

using forebay::FIFOQueue;
using forebay::Prioritized;
using forebay::PriorityQueue;
using forebay::QueueRef;

template <class Queue, class Argument>
inline constexpr bool enqueues = requires(Queue& queue, Argument argument) {
  queue.enqueue(std::forward<Argument>(argument));
};
template <class Queue, class Range>
inline constexpr bool enqueues_many = requires(Queue& queue, Range range) {
  queue.enqueue_many(std::forward<Range>(range));
};

/// An aggregate: it can be made from a float, but nothing converts to it.
struct Record {
  float weight = 0;
  int label = 0;
  std::string name;
};

template <template <class> class Queue>
void expect_that_explicit_conversions_are_refused() {
  EXPECT_FALSE((enqueues<Queue<Record>, float>));
  EXPECT_FALSE((enqueues_many<Queue<Record>, std::vector<float>>));
  EXPECT_FALSE((enqueues<Queue<std::vector<int>>, int>));
  EXPECT_FALSE((enqueues_many<Queue<std::vector<int>>, std::vector<int>>));
  EXPECT_FALSE((enqueues<Queue<std::unique_ptr<int>>, int*>));
  EXPECT_FALSE((enqueues_many<Queue<std::unique_ptr<int>>, std::vector<int*>>));
  EXPECT_FALSE((enqueues_many<Queue<std::unique_ptr<int>>, std::vector<int*>&>));
}

template <template <class> class Queue>
void expect_that_fractions_and_pointers_are_refused() {
  EXPECT_FALSE((enqueues<Queue<int>, double>));
  EXPECT_FALSE((enqueues<Queue<char>, float>));
  EXPECT_FALSE((enqueues<Queue<bool>, double>));
  EXPECT_FALSE((enqueues<Queue<bool>, const char*>));
  EXPECT_FALSE((enqueues_many<Queue<int>, std::vector<double>>));
  EXPECT_FALSE((enqueues_many<Queue<int>, std::vector<double>&>));
  EXPECT_FALSE((enqueues_many<Queue<bool>, std::vector<const char*>>));
}

template <class T>
using Fifo = FIFOQueue<T>;
template <class T>
using Ref = const QueueRef<T>;

TEST(Conversion, ANullPointerIsAnElementOfAQueueOfPointers) {
  FIFOQueue<std::unique_ptr<int>> queue(2);
  EXPECT_EQ(queue.enqueue(nullptr), forebay::QueueStatus::ok);
  EXPECT_EQ(queue.enqueue(0), forebay::QueueStatus::ok);  // NOLINT(modernize-use-nullptr)
  EXPECT_FALSE((enqueues<FIFOQueue<std::unique_ptr<int>>, std::unique_ptr<int>&>)) << "it must be moved";
}

// proves: lossy-conversion
TEST(Conversion, ExplicitOnesAreRefusedByAQueue) { expect_that_explicit_conversions_are_refused<Fifo>(); }
// proves: lossy-conversion
TEST(Conversion, ExplicitOnesAreRefusedByAQueueRef) { expect_that_explicit_conversions_are_refused<Ref>(); }
// proves: lossy-conversion
TEST(Conversion, FractionsAndPointersAreRefusedByAQueue) { expect_that_fractions_and_pointers_are_refused<Fifo>(); }
// proves: lossy-conversion
TEST(Conversion, FractionsAndPointersAreRefusedByAQueueRef) { expect_that_fractions_and_pointers_are_refused<Ref>(); }

// proves: lossy-conversion
TEST(Conversion, RangesOfNumbersThatMayChangeAreRefused) {
  EXPECT_FALSE((enqueues_many<FIFOQueue<float>, std::vector<double>>));
  EXPECT_FALSE((enqueues_many<FIFOQueue<float>, std::vector<int>>));
  EXPECT_FALSE((enqueues_many<FIFOQueue<std::size_t>, std::vector<int>>));
  EXPECT_FALSE((enqueues_many<FIFOQueue<std::int32_t>, std::span<const std::int64_t>>));
  EXPECT_FALSE((enqueues_many<FIFOQueue<std::int32_t>, std::vector<std::uint32_t>>));
  EXPECT_FALSE((enqueues_many<FIFOQueue<bool>, std::vector<int>>));
}

TEST(Conversion, RangesOfNumbersThatKeepTheirValueAreTaken) {
  FIFOQueue<double> queue(4);
  EXPECT_EQ(queue.enqueue_many(std::list<int>{1, 2}).status, forebay::QueueStatus::ok);
  EXPECT_EQ(queue.enqueue_many(std::array{0.5F}).status, forebay::QueueStatus::ok);
  EXPECT_EQ(queue.dequeue_many(3).value(), (std::vector{1.0, 2.0, 0.5}));
  EXPECT_TRUE((enqueues_many<FIFOQueue<long long>, std::vector<int>>));
  EXPECT_TRUE((enqueues_many<FIFOQueue<int>, std::vector<std::uint16_t>>));
  EXPECT_TRUE((enqueues_many<FIFOQueue<bool>, std::vector<bool>>));
}

TEST(Conversion, RangesOfWhatConvertsImplicitlyAreTaken) {
  FIFOQueue<std::string> queue(4);
  EXPECT_EQ(queue.enqueue_many(std::array{"one", "two"}).status, forebay::QueueStatus::ok);
  EXPECT_EQ(queue.dequeue_many(2).value(), (std::vector<std::string>{"one", "two"}));
  EXPECT_FALSE((enqueues_many<FIFOQueue<std::string>, std::vector<std::string_view>>)) << "explicit";
}

TEST(Conversion, LiteralsAreTaken) {
  FIFOQueue<std::size_t> counts(1);
  EXPECT_EQ(counts.enqueue(1), forebay::QueueStatus::ok);
  FIFOQueue<long> numbers(1);
  EXPECT_EQ(numbers.enqueue(1), forebay::QueueStatus::ok);
  FIFOQueue<float> fractions(1);
  EXPECT_EQ(fractions.enqueue(0.5), forebay::QueueStatus::ok);
  FIFOQueue<double> doubles(1);
  EXPECT_EQ(doubles.enqueue(1), forebay::QueueStatus::ok);
}

template <class Queue, class Priority, class Value>
inline constexpr bool enqueues_parts = requires(Queue& queue, Priority priority, Value value) {
  queue.enqueue(priority, value);
};

// proves: lossy-conversion
TEST(Conversion, PartsOfAPrioritizedAreNotMadeExplicitly) {
  EXPECT_FALSE((enqueues_parts<PriorityQueue<Prioritized<std::vector<int>>>, int, int>));
  EXPECT_FALSE((enqueues_parts<PriorityQueue<Prioritized<int>>, int, double>));
  EXPECT_TRUE((enqueues_parts<PriorityQueue<Prioritized<std::string>>, int, const char*>));
  EXPECT_TRUE((enqueues_parts<PriorityQueue<Prioritized<std::size_t>>, int, int>));
}

}  // namespace
}  // namespace forebay_test
