// SPDX-License-Identifier: MIT
//
// The storage of queues in interleavings of producers and consumers where it grows or shrinks. It has blocks of two
// cells, and cells that are made one by one. Its priority queue sorts in arrived elements after every second one. The
// program replaces operator new, so that an allocation can fail.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "forebay/count.hpp"
#include "forebay/engine/cell.hpp"
#include "forebay/fifo_queue.hpp"
#include "forebay/priority_queue.hpp"
#include "forebay/queue_status.hpp"
#include "forebay/random_shuffle_queue.hpp"
#include "tests/model/effort.hpp"
#include "tests/model/explore.hpp"
#include "tests/model/model_sync.hpp"
#include "tests/model/observed_queue.hpp"
#include "tests/model/queue_kinds.hpp"
#include "tests/model/threads.hpp"
#include "tests/support/aligned_memory.hpp"

namespace forebay_model {

/// Threads run one at a time here, so these need not be atomic.
std::size_t size_that_fails = 0;
std::size_t failures_left = 0;

static void* allocate(std::size_t size) {
  if (failures_left > 0 && size == size_that_fails) {
    --failures_left;
    throw std::bad_alloc();
  }
  return forebay_test::aligned_memory(size, 1);
}

// Out of line because GCC otherwise warns that free() may not release what operator new returned.
[[gnu::noinline]] static void release(void* memory) noexcept { std::free(memory); }

// Overwrites the memory, so that a thread that still uses it notices.
[[gnu::noinline]] static void spoil(void* memory, std::size_t size) noexcept {
  if (memory != nullptr) std::memset(memory, 0xdd, size);
}

}  // namespace forebay_model

void* operator new(std::size_t size) { return forebay_model::allocate(size); }
void* operator new[](std::size_t size) { return forebay_model::allocate(size); }
void operator delete(void* memory) noexcept { forebay_model::release(memory); }
void operator delete[](void* memory) noexcept { forebay_model::release(memory); }
void operator delete(void* memory, std::size_t size) noexcept {
  forebay_model::spoil(memory, size);
  forebay_model::release(memory);
}
void operator delete[](void* memory, std::size_t size) noexcept {
  forebay_model::spoil(memory, size);
  forebay_model::release(memory);
}

namespace forebay_model {

struct SmallStore : ModelSync {};

}  // namespace forebay_model

template <class Element>
inline constexpr std::size_t forebay::detail::cells_of_a_block<Element, forebay_model::SmallStore> = 2;
template <class Element>
inline constexpr std::size_t forebay::detail::cells_made_at_once<Element, forebay_model::SmallStore> = 1;

namespace forebay_model {
namespace {

using forebay::QueueStatus;

/// The spare block is first looked up with a relaxed access, which is a step here.
constexpr Model every_step{.hints_are_steps = true};

constexpr std::size_t endless = 1000;  // more than any scenario enqueues

forebay::Capacity capacity_of(std::size_t capacity) {
  return capacity == endless ? forebay::Capacity(forebay::unbounded) : forebay::Capacity(capacity);
}

struct SmallFifo : FifoKind {
  using Queue = forebay::FIFOQueue<Item, SmallStore>;
  static forebay::Capacity options(std::size_t capacity, std::size_t) { return capacity_of(capacity); }
};

struct SmallShuffle : RandomShuffleKind {
  using Queue = forebay::RandomShuffleQueue<Item, SmallStore>;
  static forebay::RandomShuffleOptions options(std::size_t capacity, std::size_t) {
    return {.capacity = capacity_of(capacity), .seed = 1};
  }
};

struct InSmallSteps : forebay::SmallestFirst<Element, std::less<>> {
  static constexpr std::size_t takes_in = 2;
  using SmallestFirst::SmallestFirst;
};

struct SmallPriority : PriorityKind {
  class Queue : public forebay::BlockingQueue<Item, InSmallSteps, SmallStore> {
   public:
    explicit Queue(forebay::Capacity capacity) : BlockingQueue(capacity, InSmallSteps(capacity, {})) {}
  };
  static forebay::Capacity options(std::size_t capacity, std::size_t) { return capacity_of(capacity); }
};

template <class QueueKind>
class StoreModel : public testing::Test {
 public:
  using Observed = ObservedQueue<QueueKind>;

  /// Runs threads with a queue that stores the elements 1 to `stored`, after `passed` others have passed through it.
  template <class Body>
  static Scenario with_queue(std::size_t capacity, int passed, int stored, Body body) {
    const QueueLimits limits{capacity, 0, &QueueKind::may_leave};
    return [=, right_ones = std::make_shared<LinearizableHistories>(limits)] {
      Observed queue(*right_ones, limits);
      for (int i = 0; i < passed; ++i) {
        check(queue.enqueue(100 + i), "full");
        check(queue.dequeue(), "empty");
      }
      for (int i = 1; i <= stored; ++i) check(queue.enqueue(i), "full");
      body(queue);
      queue.finish();
    };
  }
};
using SmallKinds = testing::Types<SmallFifo, SmallShuffle, SmallPriority>;
TYPED_TEST_SUITE(StoreModel, SmallKinds, forebay_test::NameOfParameter);

// ---- Blocks

TYPED_TEST(StoreModel, TwoByTwoAtTheEndOfABlock) {
  for (const int passed : {0, 1}) {
    expect_right(TestFixture::with_queue(endless, passed, 1,
                                         [](auto& queue) {
                                           run_together([&] { queue.enqueue(11); }, [&] { queue.enqueue(12); },  //
                                                        [&] { queue.dequeue(); }, [&] { queue.dequeue(); });
                                         }),
                 every_step);
  }
}

TYPED_TEST(StoreModel, BlocksAreUsedAgainByTheOtherSide) {
  expect_right(TestFixture::with_queue(endless, 1, 2,
                                       [](auto& queue) {
                                         run_together([&] { queue.enqueue(11), queue.enqueue(12), queue.enqueue(13); },
                                                      [&] { queue.dequeue(), queue.dequeue(), queue.dequeue(); });
                                       }),
               every_step);
}

TYPED_TEST(StoreModel, DirectoryGrowsWhileABatchIsLookedForInIt) {
  expect_right(TestFixture::with_queue(endless, 1, 2,
                                       [](auto& queue) {
                                         run_together(
                                             [&] {
                                               queue.enqueue_many({11, 12, 13});
                                             },
                                             [&] { queue.dequeue_many(4); }, [&] { queue.dequeue(); });
                                       }),
               every_step);
}

TYPED_TEST(StoreModel, DirectoryGrowsWhileItsFirstBlockIsGivenBack) {
  expect_right(TestFixture::with_queue(endless, 0, 3,
                                       [](auto& queue) {
                                         run_together([&] { queue.enqueue(11), queue.enqueue(12); },
                                                      [&] { queue.dequeue_many(2); },
                                                      [&] { queue.dequeue_available(2); });
                                       }),
               every_step);
}

TYPED_TEST(StoreModel, BlockIsGivenBackWhileASnapshotIsTaken) {
  expect_right(TestFixture::with_queue(
                   endless, 0, 3,
                   [](auto& queue) {
                     run_together([&] { queue.dequeue_many(2); }, [&] { queue.enqueue(11), queue.enqueue(12); },
                                  [&] {
                                    check(queue.queue().invariants_hold(), "the invariants do not hold");
                                    check(queue.queue().size() <= 5, "there are more than were put in");
                                  });
                   }),
               every_step);
}

TYPED_TEST(StoreModel, DrainedQueueIsFilledAgain) {
  expect_right(TestFixture::with_queue(endless, 0, 7,
                                       [](auto& queue) {
                                         run_together([&] { queue.dequeue_many(4), queue.dequeue_many(3); },
                                                      [&] { queue.enqueue(11), queue.enqueue(12); });
                                       }),
               every_step);
}

TYPED_TEST(StoreModel, SpareBlockIsGivenBackWhileAProducerTakesIt) {
  expect_right(
      TestFixture::with_queue(endless, 0, 7,
                              [](auto& queue) {
                                queue.dequeue_many(6);
                                run_together([&] { queue.dequeue(); }, [&] { queue.enqueue_many({11, 12, 13}); });
                              }),
      every_step);
}

// ---- Cells of a bounded queue

TYPED_TEST(StoreModel, TwoByTwoWhereCellsAreNotMadeYet) {
  expect_right(TestFixture::with_queue(3, 0, 0,
                                       [](auto& queue) {
                                         run_together([&] { queue.enqueue(11); }, [&] { queue.enqueue(12); },  //
                                                      [&] { queue.dequeue(); }, [&] { queue.dequeue(); });
                                       }),
               every_step);
}

TYPED_TEST(StoreModel, BatchesReachWhereCellsAreNotMadeYet) {
  expect_right(TestFixture::with_queue(3, 1, 0,
                                       [](auto& queue) {
                                         run_together(
                                             [&] {
                                               queue.enqueue_many({11, 12, 13});
                                             },
                                             [&] {
                                               queue.enqueue_many({14, 15});
                                             },
                                             [&] { queue.dequeue_many(3); }, [&] { queue.dequeue_many(2); });
                                       }),
               every_step);
}

// ---- An allocation that fails

/// Two producers at the end of a block. One of them finds no memory for the next block, and tries again.
template <class QueueKind>
void enqueue_without_memory(int passed, int stored) {
  using Queue = typename QueueKind::Queue;
  using Stored = typename std::conditional_t<std::is_same_v<QueueKind, SmallPriority>, InSmallSteps,
                                             forebay::FirstInFirstOut>::template Stored<Element>;
  Queue queue(QueueKind::options(endless, 0));
  std::vector<int> in;
  std::vector<int> out;
  const auto put = [&](int value) {
    for (bool is_in = false; !is_in;) {
      Element element(value);
      try {
        check(queue.enqueue(std::move(element)) == QueueStatus::ok, "closed");
        is_in = true;
      } catch (const std::bad_alloc&) {
        check(element.value() == value, "a failed enqueue took its argument");
      }
    }
    in.push_back(value);
  };
  const auto take = [&] { out.push_back(queue.dequeue()->value()); };
  for (int i = 0; i < passed; ++i) put(100 + i), take();
  for (int i = 0; i < stored; ++i) put(i);
  size_that_fails = 2 * sizeof(forebay::detail::Cell<Stored, SmallStore>);
  failures_left = 1;
  run_together([&] { put(11); }, [&] { put(12); }, [&] { take(), take(); });
  check(failures_left == 0, "no allocation failed");
  check(queue.invariants_hold(), "the invariants do not hold");
  while (out.size() < in.size()) take();
  check(queue.size() == 0, "something is left in a drained queue");
  std::ranges::sort(in);
  std::ranges::sort(out);
  check(in == out, "something is lost or doubled");
}

TYPED_TEST(StoreModel, BlockForWhichThereIsNoMemory) {
  for (const int stored : {0, 1}) expect_right([stored] { enqueue_without_memory<TypeParam>(0, stored); }, every_step);
}

}  // namespace
}  // namespace forebay_model
