// SPDX-License-Identifier: MIT
//
// One litmus test for each atomic access that is weaker than sequentially consistent. One side writes a plain variable
// and the other reads it, with only that access in between. On x86 a wrong order hardly ever shows, but ThreadSanitizer
// checks the requested order.
//
// Relaxed accesses order nothing on purpose. The guesses of waiting/adaptive_spin.hpp are checked again under a lock,
// and no thread infers from StopSignal::clear that something has happened.

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

#include "forebay/coordinator.hpp"
#include "forebay/engine/cell.hpp"
#include "forebay/engine/cell_blocks.hpp"
#include "forebay/fifo_queue.hpp"
#include "forebay/random_shuffle_queue.hpp"
#include "forebay/sync.hpp"
#include "forebay/waiting/spin_lock.hpp"
#include "forebay/waiting/waiting_room.hpp"
#include "tests/support/iterations.hpp"

namespace forebay_test {
namespace {

using forebay::FIFOQueue;
using forebay::QueueStatus;

const int rounds = static_cast<int>(iterations(20'000));

template <class Queue>
void expect_elements_to_bring_what_precedes_them(Queue& queue) {
  std::vector<int> written(static_cast<std::size_t>(rounds), -1);
  std::jthread producer([&] {
    for (int i = 0; i < rounds; ++i) {
      written[static_cast<std::size_t>(i)] = i;
      ASSERT_EQ(queue.enqueue(i), QueueStatus::ok);
    }
    queue.close();
  });
  for (const int i : queue) ASSERT_EQ(written[static_cast<std::size_t>(i)], i);
}

// CellRing::put releases, CellRing::is_full acquires.
TEST(MemoryOrder, WhatPrecedesAnEnqueueIsVisibleAfterTheDequeueOfItsElement) {
  FIFOQueue<int> queue(4);
  expect_elements_to_bring_what_precedes_them(queue);
}

// CellRing::put releases, CellRing::count_full acquires.
TEST(MemoryOrder, WhatPrecedesAnEnqueueIsVisibleAfterTheDrawOfItsElement) {
  forebay::RandomShuffleQueue<int> queue({.capacity = 4, .seed = 1});
  expect_elements_to_bring_what_precedes_them(queue);
}

// CellRing::remove releases, CellRing::is_full acquires.
TEST(MemoryOrder, WhatPrecedesADequeueIsVisibleAfterTheEnqueueThatNeedsItsRoom) {
  FIFOQueue<int> queue(1);
  std::vector<int> written(static_cast<std::size_t>(rounds), -1);
  std::jthread consumer([&] {
    for (int i = 0; i < rounds; ++i) {
      written[static_cast<std::size_t>(i)] = i;
      ASSERT_EQ(queue.dequeue().value(), i);
    }
  });
  ASSERT_EQ(queue.enqueue(0), QueueStatus::ok);
  for (int i = 1; i < rounds; ++i) {
    ASSERT_EQ(queue.enqueue(i), QueueStatus::ok);  // after the previous one has left
    ASSERT_EQ(written[static_cast<std::size_t>(i - 1)], i - 1);
  }
}

// CellRing::is_full looks only at the last cell of a batch. The producers' lock orders the other cells.
TEST(MemoryOrder, WhatPrecedesEachEnqueueIsVisibleAfterADequeueManyOfAll) {
  FIFOQueue<int> queue(2);
  std::vector<int> written(static_cast<std::size_t>(2 * rounds), -1);
  const auto produce = [&](int first) {
    for (int i = first; i < first + rounds; ++i) {
      written[static_cast<std::size_t>(i)] = i;
      ASSERT_EQ(queue.enqueue(i), QueueStatus::ok);
    }
  };
  std::jthread one(produce, 0);
  std::jthread other(produce, rounds);
  std::vector<int> batch;
  for (int taken = 0; taken < 2 * rounds; taken += 2) {
    ASSERT_EQ(queue.dequeue_many(2, batch), QueueStatus::ok);
    for (const int i : batch) ASSERT_EQ(written[static_cast<std::size_t>(i)], i);
  }
}

// CellBlocks::remove releases, CellBlocks::add acquires: the directory entry of a removed block.
TEST(MemoryOrder, RemovedBlockIsLookedUpBeforeItsPlaceIsUsedAgain) {
  const auto layout = forebay::detail::CellLayout<forebay::StdSync>::of<int>();
  forebay::detail::CellBlocks<forebay::StdSync> blocks(layout);
  blocks.begin();
  for (std::uint64_t number = 1; number <= 3; ++number) blocks.add(number);  // a directory of four entries
  for (std::uint64_t number = 0; number <= 3; ++number) layout.make(blocks[number], 0, layout.of_a_block);
  std::atomic<bool> removed = false;  // orders nothing
  std::jthread consumer([&] {
    for (std::uint64_t number = 0; number <= 2; ++number) blocks.remove(number);  // two become spare
    removed.store(true, std::memory_order_relaxed);
  });
  while (!removed.load(std::memory_order_relaxed)) std::this_thread::yield();
  for (std::uint64_t number = 4; number <= 6; ++number) {  // the last one reuses the third one's entry
    if (!blocks.add(number)) layout.make(blocks[number], 0, layout.of_a_block);
  }
  consumer.join();
  blocks.discard_all(7 * layout.of_a_block);
}

// SpinLock::unlock releases, SpinLock::lock acquires.
TEST(MemoryOrder, WhatPrecedesAnUnlockIsVisibleAfterTheNextLock) {
  forebay::detail::WaitingRoom<forebay::StdSync> room;
  forebay::detail::SpinLock<forebay::StdSync> lock(room);
  int count = 0;
  const auto add = [&] {
    for (int i = 0; i < rounds; ++i) {
      const forebay::detail::Guard guard(lock);
      ++count;
    }
  };
  {
    std::jthread one(add);
    std::jthread other(add);
  }
  EXPECT_EQ(count, 2 * rounds);
}

// StopSignal::request releases, StopSignal::requested acquires.
TEST(MemoryOrder, WhatPrecedesAStopRequestIsVisibleToWhoSeesIt) {
  for (int i = 0; i < rounds / 100 + 1; ++i) {
    forebay::Coordinator coordinator;
    int reason = 0;
    std::jthread other([&] {
      reason = i + 1;
      coordinator.request_stop();
    });
    while (!coordinator.should_stop()) std::this_thread::yield();
    ASSERT_EQ(reason, i + 1);
  }
}

}  // namespace
}  // namespace forebay_test
