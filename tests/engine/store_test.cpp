// SPDX-License-Identifier: MIT
//
// The storage of every kind of queue, with blocks of four cells: no element is moved, lost or duplicated when blocks
// are added and removed by either side.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "forebay/count.hpp"
#include "forebay/fifo_queue.hpp"
#include "forebay/padding_fifo_queue.hpp"
#include "forebay/priority_queue.hpp"
#include "forebay/queue_status.hpp"
#include "forebay/random_shuffle_queue.hpp"
#include "tests/support/blocking_operations.hpp"
#include "tests/support/counted_cells_sync.hpp"
#include "tests/support/elements.hpp"
#include "tests/support/iterations.hpp"
#include "tests/support/name_of_parameter.hpp"

namespace forebay_test {
namespace {

using forebay::QueueStatus;
using forebay::unbounded;

/// The kinds of queue in a suite. Numbers go up, so three of the four kinds deliver them in order.
struct InOrder {
  template <class T>
  bool operator()(const T& a, const T& b) const {
    if constexpr (requires { a.number(); }) {
      return a.number() < b.number();
    } else {
      return a < b;
    }
  }
};

struct Fifo {
  template <class T>
  using Queue = forebay::FIFOQueue<T, CountedCellsSync>;
  static constexpr bool keeps_order = true;
  static std::string name() { return "FIFOQueue"; }
  static forebay::Capacity options(forebay::Capacity capacity) { return capacity; }
};
struct Padding : Fifo {
  template <class T>
  using Queue = forebay::PaddingFIFOQueue<T, CountedCellsSync>;
  static std::string name() { return "PaddingFIFOQueue"; }
};
struct Priority : Fifo {
  template <class T>
  using Queue = forebay::PriorityQueue<T, InOrder, CountedCellsSync>;
  static std::string name() { return "PriorityQueue"; }
};
struct RandomShuffle {
  template <class T>
  using Queue = forebay::RandomShuffleQueue<T, CountedCellsSync>;
  static constexpr bool keeps_order = false;
  static std::string name() { return "RandomShuffleQueue"; }
  static forebay::RandomShuffleOptions options(forebay::Capacity capacity) {
    return {.capacity = capacity, .seed = 1};
  }
};

template <class Kind>
class Store : public testing::Test {
 protected:
  template <class T>
  using Queue = typename Kind::template Queue<T>;

  static void expect_numbers(std::vector<int> taken, int first) {
    auto expected = numbers(static_cast<int>(taken.size()), first);
    if (!Kind::keeps_order) std::ranges::sort(taken);
    EXPECT_EQ(taken, expected);
  }
};
using Kinds = testing::Types<Fifo, RandomShuffle, Padding, Priority>;
TYPED_TEST_SUITE(Store, Kinds, NameOfParameter);

TYPED_TEST(Store, BringsEverythingBackThroughManyBlocks) {
  typename TestFixture::template Queue<int> queue(TypeParam::options(unbounded));
  int next = 0;
  int taken = 0;
  for (int stored = 1; stored < 60; ++stored) {
    ASSERT_EQ(queue.enqueue_many(numbers(2 * stored, next)).status, QueueStatus::ok);
    next += 2 * stored;
    ASSERT_TRUE(queue.invariants_hold());
    EXPECT_EQ(queue.size(), static_cast<std::size_t>(next - taken));
    auto batch = queue.dequeue_many(2 * stored).value();
    this->expect_numbers(batch, taken);
    taken += 2 * stored;
    ASSERT_TRUE(queue.invariants_hold());
  }
}

TYPED_TEST(Store, GrowsWithoutMovingAnElement) {
  Ledger ledger;
  using Element = Tracked<Copying::forbidden, Moving::never_throws>;
  typename TestFixture::template Queue<Element> queue(TypeParam::options(unbounded));
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(queue.enqueue(Element(i, ledger)), QueueStatus::ok);
  EXPECT_EQ(ledger.moved(), 1000U) << "into the queue, and no further";
  EXPECT_EQ(ledger.alive(), 1000U);
}

TYPED_TEST(Store, MakingAQueueMakesFewCellsWhateverItsCapacity) {
  for (const std::size_t capacity : {std::size_t{100}, std::size_t{10'000}, std::size_t{1'000'000}}) {
    const std::size_t before = CountedCellsSync::flags_made;
    typename TestFixture::template Queue<int> queue(TypeParam::options(capacity));
    EXPECT_LE(CountedCellsSync::flags_made - before, 64U);
    EXPECT_EQ(queue.capacity(), capacity);
    ASSERT_EQ(queue.enqueue_many(numbers(90)).status, QueueStatus::ok);
    this->expect_numbers(queue.dequeue_many(90).value(), 0);
  }
}

TYPED_TEST(Store, CapacityIsExactWhileCellsAreMade) {
  typename TestFixture::template Queue<int> queue(TypeParam::options(150));
  for (int i = 0; i < 150; ++i) ASSERT_EQ(queue.enqueue(i, forebay::no_wait), QueueStatus::ok);
  EXPECT_EQ(queue.enqueue(150, forebay::no_wait), QueueStatus::full);
  EXPECT_TRUE(queue.invariants_hold());
  this->expect_numbers(queue.dequeue_many(150).value(), 0);
}

TYPED_TEST(Store, BatchThatReachesIntoCellsThatAreNotMadeWaits) {
  typename TestFixture::template Queue<int> queue(TypeParam::options(1000));
  ASSERT_EQ(queue.enqueue_many(numbers(3)).status, QueueStatus::ok);
  EXPECT_EQ(queue.dequeue_many(1000, forebay::no_wait).status(), QueueStatus::empty);
  EXPECT_EQ(queue.dequeue_many(70, forebay::no_wait).status(), QueueStatus::empty);
  EXPECT_EQ(queue.size(), 3U);
}

TYPED_TEST(Store, ProducersAndConsumersMeetAtTheEndsOfBlocks) {
  typename TestFixture::template Queue<int> queue(TypeParam::options(unbounded));
  const int each = static_cast<int>(iterations(20'000));
  std::vector<int> taken;
  {
    std::jthread one([&] {
      for (int i = 0; i < each; ++i) static_cast<void>(queue.enqueue(2 * i));
    });
    std::jthread other([&] {
      for (int i = 0; i < each; i += 5) {
        std::vector<int> five;
        for (int k = i; k < i + 5; ++k) five.push_back(2 * k + 1);
        static_cast<void>(queue.enqueue_many(five));
      }
    });
    std::jthread snapshots([&](const std::stop_token& stop) {
      while (!stop.stop_requested()) ASSERT_TRUE(queue.invariants_hold());
    });
    std::vector<int> batch;
    while (taken.size() < static_cast<std::size_t>(2 * each)) {
      ASSERT_EQ(queue.dequeue_available(7, batch), QueueStatus::ok);
      taken.insert(taken.end(), batch.begin(), batch.end());
    }
  }
  EXPECT_EQ(queue.size(), 0U);
  std::ranges::sort(taken);
  EXPECT_EQ(taken, numbers(2 * each));
}

TYPED_TEST(Store, BatchesAreTakenWhileCellsAreMade) {
  const int count = static_cast<int>(iterations(20'000));
  typename TestFixture::template Queue<int> queue(TypeParam::options(count));
  std::jthread producer([&] {
    for (int i = 0; i < count; ++i) ASSERT_EQ(queue.enqueue(i), QueueStatus::ok);
  });
  std::vector<int> taken;
  std::vector<int> batch;
  while (taken.size() < static_cast<std::size_t>(count)) {
    ASSERT_EQ(queue.dequeue_many(50, batch), QueueStatus::ok);
    taken.insert(taken.end(), batch.begin(), batch.end());
  }
  std::ranges::sort(taken);
  EXPECT_EQ(taken, numbers(count));
}

// ---- A priority queue sorts in new elements step by step

struct CountedLess {
  bool operator()(int a, int b) const {
    ++*comparisons;
    return a < b;
  }
  std::size_t* comparisons;
};

TEST(PriorityStore, NoCallMakesUpForAllThatHasArrived) {
  for (const forebay::Capacity capacity : {forebay::Capacity(20'000), forebay::Capacity(unbounded)}) {
    std::size_t comparisons = 0;
    forebay::PriorityQueue<int, CountedLess> queue(capacity, CountedLess{&comparisons});
    std::size_t most = 0;
    const auto count = [&](auto call) {
      const std::size_t before = comparisons;
      call();
      most = std::max(most, comparisons - before);
    };
    for (int i = 20'000; i > 0; --i) count([&] { ASSERT_EQ(queue.enqueue(i), QueueStatus::ok); });
    for (int i = 1; i <= 20'000; ++i) count([&] { ASSERT_EQ(queue.dequeue().value(), i); });
    EXPECT_LE(most, 64U * 2 * 8 + 64) << "64 elements, up 8 levels, with two questions at each";
  }
}

TEST(PriorityStore, EnqueueKnowsNothingOfAComparisonThatThrows) {
  bool fails = false;
  const auto compare = [&fails](int a, int b) {
    if (fails) throw std::runtime_error("cannot say");
    return a < b;
  };
  forebay::PriorityQueue<int, std::function<bool(int, int)>> queue(unbounded, compare);
  fails = true;
  for (int i = 200; i > 0; --i) ASSERT_EQ(queue.enqueue(i), QueueStatus::ok);
  EXPECT_THROW(static_cast<void>(queue.dequeue()), std::runtime_error);
  fails = false;
  EXPECT_EQ(queue.dequeue_many(200).value(), numbers(200, 1));
}

}  // namespace
}  // namespace forebay_test
