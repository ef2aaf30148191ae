// SPDX-License-Identifier: MIT
//
// allocation_test.cpp: the allocations of a queue, and its state after a failed one.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <latch>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "forebay/async.hpp"
#include "forebay/coordinator.hpp"
#include "forebay/padded_batch.hpp"
#include "forebay/padding_fifo_queue.hpp"
#include "forebay/queue_status.hpp"
#include "tests/support/await.hpp"
#include "tests/support/blocking_operations.hpp"
#include "tests/support/coroutines.hpp"
#include "tests/support/counted_memory.hpp"
#include "tests/support/failure_sweep.hpp"
#include "tests/support/numbers.hpp"
#include "tests/support/queue_factories.hpp"
#include "tests/support/scaled_time.hpp"

namespace forebay_test {
namespace {

using forebay::no_wait;

template <class Factory>
class Allocation : public testing::Test {
 protected:
  template <class T = int>
  static auto make(forebay::Capacity capacity) {
    return Factory::template make<T>(capacity);
  }

  /// Returns how many elements an unbounded queue takes before an enqueue has to allocate.
  static int elements_before_growth() {
    auto queue = make(forebay::unbounded);
    int count = 0;
    while (!fails_at(1, [&] { static_cast<void>(queue.enqueue(count)); })) ++count;
    return count;
  }
};
TYPED_TEST_SUITE(Allocation, QueueFactories, NameOfParameter);

/// Runs `operation` in another thread and `let_it_go` in this one. Returns the allocations of both, from when
/// `operation` waits in the queue until it has returned.
template <class Operation, class IsWaiting, class LetItGo>
std::size_t allocations_of_blocked(Operation operation, IsWaiting is_waiting, LetItGo let_it_go) {
  std::atomic<bool> may_begin = false;
  std::atomic<bool> done = false;
  const std::jthread thread([&] {
    while (!may_begin) std::this_thread::yield();
    operation();
    done = true;
    while (counting) std::this_thread::yield();  // do not count the end of the thread
  });
  const Count count;
  may_begin = true;
  await(is_waiting);
  let_it_go();
  await([&] { return done.load(); });
  return Count::stop();
}

// ---- The hot path

TYPED_TEST(Allocation, TheCounterCounts) {
  EXPECT_EQ(allocations_of([] { std::make_unique<int>(1); }), 1U);
  EXPECT_TRUE(fails_at(1, [] { std::make_unique<int>(1); }));
}

template <class Queue>
Owned await_everything(Queue& queue, std::vector<int>& batch, std::stop_token stop) {
  static_cast<void>(co_await queue.async_dequeue(stop));
  static_cast<void>(co_await queue.async_dequeue_many(2, batch, stop));
  for (int i = 0; i < 3; ++i) static_cast<void>(co_await queue.async_enqueue(i, stop));
}

// proves: awaited-calls
TYPED_TEST(Allocation, AwaitedCallsAllocateNothing) {
  auto queue = this->make(2);
  std::vector<int> batch(2);
  std::stop_source source;
  const Owned first = await_everything(queue, batch, source.get_token());  // allocates its frame
  ASSERT_EQ(queue.waiting_consumers(), 1U);
  EXPECT_EQ(allocations_of([&] {
              for (int i = 0; i < 3; ++i) static_cast<void>(queue.enqueue(i));
            }),
            0U);
  ASSERT_EQ(queue.waiting_producers(), 1U);
  EXPECT_EQ(allocations_of([&] {
              for (int i = 0; i < 3; ++i) static_cast<void>(queue.dequeue());
            }),
            0U);
  EXPECT_TRUE(first.is_over());
  const Owned second = await_everything(queue, batch, source.get_token());
  ASSERT_EQ(queue.waiting_consumers(), 1U);
  EXPECT_EQ(allocations_of([&] { source.request_stop(); }), 0U);
  EXPECT_TRUE(second.is_over());
}

// proves: allocation
TYPED_TEST(Allocation, EnqueueAndDequeueAllocateNothing) {
  auto queue = this->make(3);
  EXPECT_EQ(allocations_of([&] {
              for (int i = 0; i < 100; ++i) {
                static_cast<void>(queue.enqueue(i));
                static_cast<void>(queue.enqueue(i, no_wait));
                static_cast<void>(queue.dequeue());
                static_cast<void>(queue.dequeue(short_time()));
              }
            }),
            0U);
}

TYPED_TEST(Allocation, CallsThatAreTurnedDownAllocateNothing) {
  auto queue = this->make(1);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(allocations_of([&] {
              static_cast<void>(queue.dequeue(no_wait));
              static_cast<void>(queue.dequeue(std::chrono::milliseconds(1)));
              static_cast<void>(queue.enqueue(1));
              static_cast<void>(queue.enqueue(2, no_wait));
              static_cast<void>(queue.enqueue(2, std::chrono::milliseconds(1)));
              static_cast<void>(queue.enqueue(2, stop.get_token()));
            }),
            0U);
}

// proves: allocation
TYPED_TEST(Allocation, BatchesIntoReusedStorageAllocateNothing) {
  auto queue = this->make(8);
  const auto elements = numbers(8);
  std::vector<int> batch;
  batch.reserve(8);
  EXPECT_EQ(allocations_of([&] {
              for (int i = 0; i < 100; ++i) {
                static_cast<void>(queue.enqueue_many(elements));
                static_cast<void>(queue.dequeue_many(3, batch));
                static_cast<void>(queue.dequeue_up_to(3, batch));
                static_cast<void>(queue.dequeue_available(8, batch));
              }
            }),
            0U);
}

TYPED_TEST(Allocation, BatchOfItsOwnAllocatesOnce) {
  auto queue = this->make(8);
  ASSERT_EQ(queue.enqueue_many(numbers(8)).status, QueueStatus::ok);
  EXPECT_EQ(allocations_of([&] { static_cast<void>(queue.dequeue_many(8)); }), 1U);
}

TYPED_TEST(Allocation, IterationAllocatesOneBatch) {
  auto queue = this->make(64);
  ASSERT_EQ(queue.enqueue_many(numbers(64)).status, QueueStatus::ok);
  queue.close();
  EXPECT_EQ(allocations_of([&] {
              auto element = queue.begin();
              for (int i = 0; i < 10; ++i) ++element;
              for ([[maybe_unused]] const auto& batch : queue.batches(8)) {
              }
            }),
            1U);
}

TYPED_TEST(Allocation, CloseAllocatesNothing) {
  auto queue = this->make(2);
  const auto cause = std::make_exception_ptr(std::bad_alloc());
  EXPECT_EQ(allocations_of([&] {
              queue.close();
              queue.close(forebay::cancel_pending_enqueues);
              queue.close(cause);
            }),
            0U);
}

TYPED_TEST(Allocation, BlockedDequeueAllocatesNothing) {
  auto queue = this->make(2);
  EXPECT_EQ(allocations_of_blocked([&] { static_cast<void>(queue.dequeue()); },
                                   [&] { return queue.waiting_consumers() == 1; },
                                   [&] { static_cast<void>(queue.enqueue(1)); }),
            0U);
}

TYPED_TEST(Allocation, BlockedEnqueueAllocatesNothing) {
  auto queue = this->make(1);
  ASSERT_EQ(queue.enqueue(1), QueueStatus::ok);
  EXPECT_EQ(allocations_of_blocked([&] { static_cast<void>(queue.enqueue(2)); },
                                   [&] { return queue.waiting_producers() == 1; },
                                   [&] { static_cast<void>(queue.dequeue()); }),
            0U);
}

TYPED_TEST(Allocation, BlockedEnqueueManyAllocatesNothing) {
  auto queue = this->make(2);
  const auto elements = numbers(5);
  EXPECT_EQ(allocations_of_blocked([&] { static_cast<void>(queue.enqueue_many(elements)); },
                                   [&] { return queue.waiting_producers() == 1; },
                                   [&] {
                                     for (int i = 0; i < 5; ++i) static_cast<void>(queue.dequeue());
                                   }),
            0U);
}

TYPED_TEST(Allocation, BlockedBatchIntoReusedStorageAllocatesNothing) {
  auto queue = this->make(4);
  std::vector<int> batch;
  batch.reserve(4);
  EXPECT_EQ(allocations_of_blocked([&] { static_cast<void>(queue.dequeue_many(4, batch)); },
                                   [&] { return queue.waiting_consumers() == 1; },
                                   [&] {
                                     for (int i = 0; i < 4; ++i) static_cast<void>(queue.enqueue(i));
                                   }),
            0U);
}

TYPED_TEST(Allocation, WaitWithATimeAndAStopAllocatesNothing) {
  auto queue = this->make(1);
  std::stop_source stop;
  EXPECT_EQ(allocations_of_blocked(
                [&] {
                  static_cast<void>(queue.dequeue({long_time(), stop.get_token()}));
                },
                [&] { return queue.waiting_consumers() == 1; }, [&] { stop.request_stop(); }),
            0U);
}

// ---- Allocations that fail: each operation, with each allocation failing

/// Steps of a failure sweep: the allocations of a queue, and those of its elements.
template <class T>
struct Allocations {
  using Element = T;

  template <class Operation>
  static bool fails_at(std::size_t k, Operation operation) {
    return forebay_test::fails_at(k, operation);
  }
  static std::size_t added_moves(std::size_t /*k*/) { return 0; }
};

struct OfNumbers : Allocations<int> {
  static std::string name() { return "int"; }
  static int make(int number) { return number; }
  static int number_of(int element) { return element; }
  static std::size_t added_copies(std::size_t /*k*/) { return 0; }
};

/// An element whose copies allocate.
class Word {
 public:
  explicit Word(int number) : text_(std::string(prefix) + std::to_string(number)) {}

  [[nodiscard]] int number() const { return std::atoi(text_.c_str() + prefix.size()); }

 private:
  static constexpr std::string_view prefix = "a word that is too long for the string itself ";

  std::string text_;
};

struct OfWords : Allocations<Word> {
  static std::string name() { return "Word"; }
  static Word make(int number) { return Word(number); }
  static int number_of(const Word& element) { return element.number(); }

  /// The first allocation is the room for the copies, the following ones are the copies.
  static std::size_t added_copies(std::size_t k) { return k < 2 ? 0 : k - 2; }
};

template <class Parameter>
class AllocationSweep : public testing::Test {
 protected:
  using Steps = typename Parameter::Operation;
  using Sweep = FailureSweep<typename Parameter::Factory, Steps>;

  /// Operations that make an unbounded queue grow: one element more than it has room for, and nine where there is room
  /// for five.
  static typename Sweep::Operations growths() {
    const int full = elements_before_growth();
    const auto enqueue_many = [](auto& its) { static_cast<void>(its.queue.enqueue_many(std::move(its.elements))); };
    return {{"growth", forebay::unbounded, full, 1, enqueue_many},
            {"growth for many", forebay::unbounded, full - 5, 9, enqueue_many,
             [](std::size_t) { return std::size_t(5); }}};
  }

  /// Returns how many elements an unbounded queue takes before an enqueue has to allocate.
  static int elements_before_growth() {
    auto queue = Parameter::Factory::template make<typename Steps::Element>(forebay::unbounded);
    for (int count = 0;; ++count) {
      auto element = Steps::make(count);
      if (fails_at(1, [&] { static_cast<void>(queue.enqueue(std::move(element))); })) return count;
    }
  }

  Steps steps_;
  Sweep sweep_{steps_};
};
using NumbersAndWords = OnEveryQueue<OfNumbers, OfWords>;
TYPED_TEST_SUITE(AllocationSweep, NumbersAndWords, NameOfParameter);

// proves: allocation
TYPED_TEST(AllocationSweep, EnqueueWithoutMemoryPutsInWhatCameBefore) {
  const auto failures = this->sweep_.run(this->sweep_.enqueues());
  if (std::is_same_v<typename TestFixture::Steps, OfNumbers>) {
    EXPECT_EQ(failures, FailureCounts()) << "a bounded queue needs no memory";
  } else {
    EXPECT_EQ(failures, (FailureCounts{{"enqueue of a copy", 1}, {"enqueue_many of copies", 4}}));
  }
}

// proves: allocation
TYPED_TEST(AllocationSweep, GrowthWithoutMemoryPutsInWhatThereIsRoomFor) {
  auto failures = this->sweep_.run(this->growths());
  EXPECT_EQ(failures["growth"], 1U);
  EXPECT_GE(failures["growth for many"], 1U);
}

// proves: allocation
TYPED_TEST(AllocationSweep, DequeueWithoutMemoryLosesNothing) {
  auto failures = this->sweep_.run(this->sweep_.dequeues());
  EXPECT_EQ(failures["dequeue"], 0U);
  EXPECT_EQ(failures["dequeue_many"], 1U);
  EXPECT_EQ(failures["dequeue_up_to"], 1U);
  EXPECT_EQ(failures["dequeue_available"], 1U);
  if (TypeParam::Factory::accumulates) {
    EXPECT_GE(failures["gathering"], 1U);
    EXPECT_GE(failures["dequeue_many of what was given back"], 2U);
  }
}

TEST(FIFOQueue, GatheringWithoutMemoryLosesNoneOfTheElementsThatWereMoved) {
  constexpr int stored = 3000;
  std::size_t failures = 0;
  for (bool failed = true; failed; failures += failed ? 1U : 0U) {
    forebay::FIFOQueue<std::unique_ptr<int>> queue(stored);
    for (int i = 0; i < stored; ++i) ASSERT_EQ(queue.enqueue(std::make_unique<int>(i)), QueueStatus::ok);
    failed = fails_at(failures + 1, [&] { static_cast<void>(queue.dequeue_many(stored + 1, short_time())); });
    ASSERT_EQ(queue.size(), std::size_t{stored});
    for (int i = 0; i < stored; ++i) {
      const std::unique_ptr<int> element = queue.dequeue().value();
      ASSERT_TRUE(element != nullptr && *element == i) << "after failure " << failures + 1;
    }
  }
  EXPECT_GE(failures, 2U);
}

TYPED_TEST(Allocation, FailuresLeakNothing) {
  for (std::size_t n = 1; n <= 40; ++n) {
    const std::size_t before = allocations_alive;
    fails_at(n, [&] {
      auto queue = this->make(forebay::unbounded);
      for (int i = 0; i < 10'000; ++i) static_cast<void>(queue.enqueue(i));
      for (int i = 0; i < 10'000; ++i) static_cast<void>(queue.dequeue());
    });
    EXPECT_EQ(allocations_alive, before) << "after failure " << n;
  }
}

TYPED_TEST(Allocation, GrowthAllocatesOneBlockAtATime) {
  const int block = this->elements_before_growth() + 1;
  auto queue = this->make(forebay::unbounded);
  for (int i = 0; i < 20 * block; ++i) {
    // A block of cells and rarely a directory, which takes two allocations; or a block of a heap.
    EXPECT_LE(allocations_of([&] { static_cast<void>(queue.enqueue(i)); }), 4U);
  }
}

TYPED_TEST(Allocation, SwingByLessThanABlockAllocatesNothing) {
  const int block = this->elements_before_growth() + 1;
  for (const int least : {0, 1, 2, block / 2, block - 1, block, 3 * block + 2}) {
    auto queue = this->make(forebay::unbounded);
    ASSERT_EQ(queue.enqueue_many(numbers(least)).status, QueueStatus::ok);
    const auto swing = [&] {
      for (int round = 0; round < 10; ++round) {
        for (int i = 0; i < block - 1; ++i) static_cast<void>(queue.enqueue(i));
        for (int i = 0; i < block - 1; ++i) static_cast<void>(queue.dequeue());
      }
    };
    swing();
    EXPECT_EQ(allocations_of(swing), 0U) << "from " << least;
  }
}

// proves: unbounded-shrinks
TYPED_TEST(Allocation, DrainedQueueGivesItsBlocksBack) {
  const int block = this->elements_before_growth() + 1;
  auto queue = this->make(forebay::unbounded);
  const std::size_t before = allocations_alive;
  for (int i = 0; i < 20 * block; ++i) static_cast<void>(queue.enqueue(i));
  EXPECT_GE(allocations_alive, before + 20);
  while (queue.size() > 0) static_cast<void>(queue.dequeue());
  // A block of cells. A heap keeps three more from its first element on: two blocks of entries and a list of them.
  EXPECT_LE(allocations_alive, before + 4);
}

TYPED_TEST(Allocation, DequeueWithoutMemoryFromAQueueThatHoldsMoreThanEverLosesNothing) {
  auto queue = this->make(forebay::unbounded);
  ASSERT_EQ(queue.enqueue_many(numbers(5)).status, QueueStatus::ok);
  ASSERT_TRUE(queue.dequeue());
  ASSERT_EQ(queue.enqueue_many(numbers(3)).status, QueueStatus::ok);
  const bool failed = fails_at(1, [&] { static_cast<void>(queue.dequeue()); });
  EXPECT_EQ(queue.size(), failed ? 7U : 6U);
  EXPECT_TRUE(queue.invariants_hold());
}

// proves: allocation
TYPED_TEST(Allocation, ConstructionWithoutMemoryThrows) {
  EXPECT_TRUE(fails_at(1, [this] { static_cast<void>(this->make(100).size()); }));
}

// ---- Waiting threads while an allocation fails

// proves: allocation
TYPED_TEST(Allocation, ConsumersAreServedAfterAGrowthWithoutMemory) {
  const int full = this->elements_before_growth();
  const auto wanted = static_cast<std::size_t>(full) + 2;
  auto queue = this->make(forebay::unbounded);
  ASSERT_EQ(queue.enqueue_many(numbers(full)).status, QueueStatus::ok);
  std::optional<std::size_t> taken;
  std::jthread consumer([&] { taken = queue.dequeue_many(wanted)->size(); });
  ASSERT_TRUE(await_waiting_consumers(queue, 1));
  EXPECT_TRUE(fails_at(1, [&] { static_cast<void>(queue.enqueue(full)); }));
  EXPECT_EQ(queue.waiting_consumers(), 1U);
  ASSERT_EQ(queue.enqueue_many(numbers(2, full)).status, QueueStatus::ok);
  consumer.join();
  EXPECT_EQ(taken, wanted);
}

// proves: allocation
TYPED_TEST(Allocation, ProducersAreServedAfterABatchWithoutMemory) {
  auto queue = this->make(4);
  ASSERT_EQ(queue.enqueue_many(numbers(4)).status, QueueStatus::ok);
  std::optional<QueueStatus> put;
  std::jthread producer([&] { put = queue.enqueue(4); });
  ASSERT_TRUE(await_waiting_producers(queue, 1));
  EXPECT_TRUE(fails_at(1, [&] { static_cast<void>(queue.dequeue_many(3)); }));
  EXPECT_EQ(queue.waiting_producers(), 1U);
  ASSERT_EQ(queue.dequeue_many(3)->size(), 3U);
  producer.join();
  EXPECT_EQ(put, QueueStatus::ok);
  EXPECT_EQ(queue.size(), 2U);
}

// ---- Padded batches

using Floats = std::vector<float>;
using Sequence = std::pair<Floats, std::vector<std::shared_ptr<int>>>;

class PaddedAllocation : public testing::Test {
 protected:
  static Sequence sequence(std::size_t length) { return {Floats(length, 1), {length, nullptr}}; }
};

TEST_F(PaddedAllocation, BatchesIntoReusedStorageAllocateNothing) {
  forebay::PaddingFIFOQueue<Sequence> queue(8);
  forebay::PaddedBatch<Sequence> batch;
  const auto take = [&](std::size_t longest) {
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(queue.enqueue(sequence(longest - i % 2)), QueueStatus::ok);
    return allocations_of([&] { EXPECT_EQ(queue.dequeue_many(4, batch), QueueStatus::ok); });
  };
  EXPECT_GT(take(9), 0U);
  for (const std::size_t longest : {3U, 9U, 5U}) EXPECT_EQ(take(longest), 0U);
}

TEST_F(PaddedAllocation, StackedBatchAllocatesOnePerComponentAndThenNothing) {
  using Record = std::pair<int, std::array<float, 3>>;
  forebay::PaddingFIFOQueue<Record> queue(8);
  forebay::PaddedBatch<Record> batch;
  for (const std::size_t expected : {2U, 0U, 0U}) {
    for (int i = 0; i < 4; ++i) ASSERT_EQ(queue.enqueue({i, {}}), QueueStatus::ok);
    EXPECT_EQ(allocations_of([&] { static_cast<void>(queue.dequeue_many(4, batch)); }), expected);
  }
}

// proves: padding-fails
TEST_F(PaddedAllocation, BatchWithoutMemoryLosesNothing) {
  std::size_t failures = 0;
  for (bool failed = true; failed; failures += failed ? 1 : 0) {
    forebay::PaddingFIFOQueue<Sequence> queue(8);
    for (std::size_t i = 1; i <= 4; ++i) ASSERT_EQ(queue.enqueue(sequence(i)), QueueStatus::ok);
    forebay::PaddedBatch<Sequence> batch;
    failed = fails_at(failures + 1, [&] { static_cast<void>(queue.dequeue_many(3, batch)); });
    EXPECT_TRUE(queue.invariants_hold());
    EXPECT_EQ(queue.size(), failed ? 4U : 1U);
    EXPECT_EQ(batch.size(), failed ? 0U : 3U);
    for (std::size_t i = failed ? 1 : 4; i <= 4; ++i) EXPECT_EQ(queue.dequeue()->first.size(), i);
  }
  EXPECT_EQ(failures, 5U) << "the elements, and the values and the lengths of two components";
}

// ---- Coordinator

class CoordinatorAllocation : public testing::Test {
 protected:
  /// Launches threads that run until release().
  void launch(int threads) {
    for (int i = 0; i < threads; ++i) {
      coordinator_.launch("a name that is too long for the string itself", [this] { released_.wait(); });
    }
  }
  void release() { released_.count_down(); }

  forebay::Coordinator coordinator_;

 private:
  std::latch released_{1};
};

// proves: straggler-memory
TEST_F(CoordinatorAllocation, JoinWithoutMemoryForTheNamesOfTheStragglersLeavesThemToTheNextJoin) {
  launch(3);
  coordinator_.request_stop();
  const auto join = [&] {
    try {
      coordinator_.join(short_time());
    } catch (const forebay::StragglersError& error) {
      EXPECT_EQ(error.names().size(), 3U);
    }
  };
  std::size_t failures = 0;
  do {
    coordinator_.launch("ends at once", [] {});
  } while (fails_at(failures + 1, join) && ++failures < 100);
  EXPECT_GE(failures, 4U) << "the list, and each name";
  release();
  EXPECT_NO_THROW(coordinator_.join());
}

// proves: straggler-memory
TEST_F(CoordinatorAllocation, JoinWithoutMemoryRethrowsAFailureInPlaceOfTheStragglers) {
  launch(1);
  const auto failure = std::make_exception_ptr(std::runtime_error("first"));
  coordinator_.request_stop(failure);
  EXPECT_FALSE(fails_at(1, [&] {
    try {
      coordinator_.join(std::chrono::nanoseconds(0));
    } catch (const std::runtime_error&) {
      return;
    }
  }));
  release();
  EXPECT_THROW(coordinator_.join(), std::runtime_error);
}

TEST_F(CoordinatorAllocation, FirstFailureNeedsNoMemoryAlsoAfterTheStopWasCleared) {
  for (int i = 0; i < 3; ++i) {
    const auto failure = std::make_exception_ptr(std::runtime_error("first"));
    EXPECT_EQ(allocations_of([&] { coordinator_.request_stop(failure); }), 0U);
    EXPECT_EQ(coordinator_.failure(), failure);
    coordinator_.clear_stop();
  }
}

TEST_F(CoordinatorAllocation, LaterFailureThatThereIsNoMemoryForMayCallTheCoordinator) {
  struct Calls : std::exception {
    explicit Calls(std::shared_ptr<void> its) : guard(std::move(its)) {}
    std::shared_ptr<void> guard;
  };
  bool called = false;
  auto guard =
      std::shared_ptr<void>(nullptr, [&](void*) { called = coordinator_.should_stop() && coordinator_.failure(); });
  coordinator_.request_stop(std::make_exception_ptr(std::runtime_error("first")));
  auto later = std::make_exception_ptr(Calls(std::move(guard)));
  EXPECT_FALSE(fails_at(1, [&] { coordinator_.request_stop(std::move(later)); })) << "it never throws";
  EXPECT_TRUE(called);
  EXPECT_EQ(coordinator_.failures().size(), 1U);
}

// ---- Memory

template <std::size_t size, std::size_t alignment>
struct alignas(alignment) Bytes {
  std::array<std::byte, size> bytes;
};

/// Returns the cost of each additional element of capacity.
template <class Factory, class T>
double bytes_per_slot() {
  const auto bytes_of = [](int capacity) {
    const Count count;
    auto queue = Factory::template make<T>(capacity);
    static_cast<void>(Count::stop());
    return static_cast<double>(allocated_bytes.load());
  };
  return (bytes_of(2000) - bytes_of(1000)) / 1000;
}

template <class Factory, class T>
void expect_small_overhead() {
  const double bytes = bytes_per_slot<Factory, T>();
  EXPECT_GE(bytes, sizeof(T));
  const std::size_t rounded_up = (sizeof(T) + 8 + alignof(T) - 1) / alignof(T) * alignof(T);
  EXPECT_LE(bytes, rounded_up + Factory::bytes_of_order) << "of an element of " << sizeof(T) << " bytes";
}

TYPED_TEST(Allocation, ASlotCostsAtMostEightBytesMoreThanItsElementRoundedUpToItsAlignmentAndItsOrder) {
  expect_small_overhead<TypeParam, Bytes<1, 1>>();
  expect_small_overhead<TypeParam, Bytes<4, 4>>();
  expect_small_overhead<TypeParam, Bytes<8, 8>>();
  expect_small_overhead<TypeParam, Bytes<24, 8>>();
  expect_small_overhead<TypeParam, Bytes<785, 1>>();
  expect_small_overhead<TypeParam, Bytes<16, 16>>();
}

}  // namespace
}  // namespace forebay_test
