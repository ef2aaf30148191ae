// SPDX-License-Identifier: MIT
//
// stress_test.cpp: many threads at once on small queues. The elements that go in come out, no waiter is forgotten, and
// the queue may be destroyed as soon as the last element has left.
//
// Several tests never close the queue, because a close wakes all threads and would hide a lost wake-up.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <thread>
#include <vector>

#include "forebay/blocking_queue.hpp"
#include "forebay/fifo_queue.hpp"
#include "forebay/queue_status.hpp"
#include "tests/support/await.hpp"
#include "tests/support/background.hpp"
#include "tests/support/blocking_operations.hpp"
#include "tests/support/dice.hpp"
#include "tests/support/iterations.hpp"
#include "tests/support/queue_factories.hpp"
#include "tests/support/scaled_time.hpp"
#include "tests/support/tally.hpp"
#include "tests/support/threads.hpp"

namespace forebay_test {
namespace {

using forebay::no_wait;
using Numbers = std::vector<std::uint64_t>;

/// Enqueues by a random operation. Returns whether the queue is still open.
template <class Queue>
bool put_something(Queue& queue, Dice& dice, Tally& in) {
  if (dice.up_to(2) == 1) {
    const std::uint64_t number = dice.number();
    const QueueStatus status = queue.enqueue(number, dice.any_wait());
    if (status == QueueStatus::ok) in.add(number);
    return status != QueueStatus::closed;
  }
  const Numbers several = dice.several(dice.up_to(5));
  const auto result = queue.enqueue_many(several, dice.any_wait());
  in.add_all(several, result.count);
  return result.status != QueueStatus::closed;
}

/// Dequeues by a random operation. Returns whether more elements may arrive.
template <class Factory, class Queue>
bool take_something(Queue& queue, Dice& dice, Tally& out) {
  Numbers batch;
  QueueStatus status = QueueStatus::ok;
  const std::size_t count = std::min(dice.up_to(5), largest_batch<Factory>(queue));
  switch (dice.up_to(4)) {
    case 1: {
      const auto element = queue.dequeue(dice.any_wait());
      if (element) out.add(*element);
      return element.status() != QueueStatus::closed;
    }
    case 2: status = queue.dequeue_many(count, batch, dice.any_wait()); break;
    case 3: status = queue.dequeue_up_to(count, batch, dice.any_wait()); break;
    default: status = queue.dequeue_available(count, batch, dice.any_wait()); break;
  }
  out.add_all(batch);
  return status != QueueStatus::closed;
}

template <class Factory>
class Stress : public testing::Test {
 protected:
  static auto make(forebay::Capacity capacity) { return Factory::template make<std::uint64_t>(capacity); }

  template <class Queue>
  static void drain(Queue& queue, Tally& out) {
    while (const auto element = queue.dequeue(no_wait)) out.add(*element);
  }

  template <class Queue>
  static void expect_quiet(const Queue& queue, std::size_t size) {
    EXPECT_TRUE(queue.invariants_hold());
    EXPECT_EQ(queue.size(), size);
    EXPECT_EQ(queue.waiting_producers(), 0U);
    EXPECT_EQ(queue.waiting_consumers(), 0U);
  }
};
TYPED_TEST_SUITE(Stress, QueueFactories, NameOfParameter);

// ---- Without close

TYPED_TEST(Stress, CapacityOneServesManyThreadsWithoutClose) {
  auto queue = this->make(1);
  const int each = iterations(5000);
  Tally in;
  Tally out;
  {
    const auto producers = start(4, [&](int thread) {
      Dice dice(thread);
      for (int i = 0; i < each; ++i) {
        const std::uint64_t number = dice.number();
        ASSERT_EQ(queue.enqueue(number), QueueStatus::ok);
        in.add(number);
      }
    });
    const auto consumers = start(4, [&](int) {
      for (int i = 0; i < each; ++i) out.add(queue.dequeue().value());
    });
  }
  EXPECT_EQ(in, out);
  this->expect_quiet(queue, 0);
}

TYPED_TEST(Stress, BatchesOfManySizesAreServedWithoutClose) {
  auto queue = this->make(TypeParam::accumulates ? 3 : 5);
  const int rounds = iterations(1000);
  Tally in;
  Tally out;
  {
    // Each thread moves 1 + 2 + ... + 5 elements a round, so the totals match. Batches of 4 and 5 exceed the capacity,
    // where the kind of queue permits that.
    const auto producers = start(3, [&](int thread) {
      Dice dice(thread);
      for (int i = 0; i < 5 * rounds; ++i) {
        const Numbers several = dice.several(static_cast<std::size_t>(i % 5) + 1);
        in.add_all(several);
        ASSERT_EQ(queue.enqueue_many(several).status, QueueStatus::ok);
      }
    });
    const auto consumers = start(3, [&](int) {
      Numbers batch;
      for (int i = 0; i < 5 * rounds; ++i) {
        ASSERT_EQ(queue.dequeue_many(static_cast<std::size_t>(i % 5) + 1, batch), QueueStatus::ok);
        out.add_all(batch);
      }
    });
  }
  EXPECT_EQ(in, out);
  this->expect_quiet(queue, 0);
}

TYPED_TEST(Stress, TimeoutsLoseNeitherElementsNorWakeUps) {
  auto queue = this->make(2);
  const std::size_t total = static_cast<std::size_t>(iterations(20000));
  std::atomic<int> producing = 4;
  Tally in;
  Tally out;
  {
    const auto producers = start(4, [&](int thread) {
      Dice dice(thread);
      const bool patient = thread % 2 == 0;
      while (in.count() < total) {
        if (!patient) {
          put_something(queue, dice, in);
          continue;
        }
        const std::uint64_t number = dice.number();
        ASSERT_EQ(queue.enqueue(number), QueueStatus::ok);
        in.add(number);
      }
      --producing;
    });
    const auto consumers = start(3, [&](int thread) {
      Dice dice(thread + 100);
      while (producing > 0) take_something<TypeParam>(queue, dice, out);
    });
  }
  const std::size_t left = in.count() - out.count();
  this->expect_quiet(queue, left);
  this->drain(queue, out);
  EXPECT_EQ(in, out);
}

// ---- With close

// proves: close-any-moment
TYPED_TEST(Stress, EverythingAcceptedBeforeCloseIsDelivered) {
  for (const int capacity : {1, 2, 7}) {
    auto queue = this->make(capacity);
    const int rounds = iterations(2000);
    Tally in;
    Tally out;
    {
      const auto consumers = start(4, [&](int thread) {
        Dice dice(thread + 100);
        while (take_something<TypeParam>(queue, dice, out)) {
        }
      });
      {
        const auto producers = start(4, [&](int thread) {
          Dice dice(thread);
          for (int i = 0; i < rounds; ++i) ASSERT_TRUE(put_something(queue, dice, in));
        });
      }
      queue.close();
    }
    // Batches that could no longer be completed have returned their elements to the queue.
    this->drain(queue, out);
    EXPECT_EQ(in, out);
    this->expect_quiet(queue, 0);
  }
}

/// Runs producers and consumers until `end` closes the queue at a random moment. Checks that the accepted elements were
/// delivered.
template <class Factory, class MakeQueue, class End>
void expect_conserved_when_ended(MakeQueue make, End end) {
  const int rounds = iterations(200);
  Dice moments(1000);
  for (int round = 0; round < rounds; ++round) {
    auto queue = make();
    Tally in;
    Tally out;
    {
      const auto consumers = start(3, [&](int thread) {
        Dice dice(thread + 100 + round);
        while (take_something<Factory>(queue, dice, out)) {
        }
      });
      const auto producers = start(3, [&](int thread) {
        Dice dice(thread);
        while (put_something(queue, dice, in)) {
        }
      });
      const std::size_t moment = moments.up_to(200);
      ASSERT_TRUE(await([&] { return in.count() >= moment; }));
      end(queue);
    }
    while (const auto element = queue.dequeue(no_wait)) out.add(*element);
    EXPECT_EQ(in, out);
    ASSERT_TRUE(queue.invariants_hold());
  }
}

// proves: close-any-moment
TYPED_TEST(Stress, CloseAtAnyMomentConservesElements) {
  expect_conserved_when_ended<TypeParam>([this] { return this->make(2); }, [](auto& queue) { queue.close(); });
}

// proves: close-any-moment
TYPED_TEST(Stress, CancelAtAnyMomentConservesElements) {
  expect_conserved_when_ended<TypeParam>([this] { return this->make(2); },
                                         [](auto& queue) { queue.close(forebay::cancel_pending_enqueues); });
}

TYPED_TEST(Stress, CloseFollowedByCancelAtAnyMomentConservesElements) {
  expect_conserved_when_ended<TypeParam>([this] { return this->make(1); },
                                         [](auto& queue) {
                                           queue.close();
                                           queue.close(forebay::cancel_pending_enqueues);
                                         });
}

// ---- Stops

// proves: close-any-moment
TYPED_TEST(Stress, StopsAtAnyMomentConserveElements) {
  auto queue = this->make(1);
  const int rounds = iterations(1000);
  Tally in;
  Tally out;
  for (int round = 0; round < rounds; ++round) {
    std::stop_source stop;
    const auto producers = start(2, [&, token = stop.get_token()](int thread) {
      Dice dice(2 * round + thread);
      const Numbers several = dice.several(4);
      in.add_all(several, queue.enqueue_many(several, token).count);
    });
    const auto consumers = start(2, [&, token = stop.get_token()](int thread) {
      Numbers batch;
      const auto count = std::min(static_cast<std::size_t>(thread) + 1, largest_batch<TypeParam>(queue));
      if (queue.dequeue_many(count, batch, token) == QueueStatus::ok) {
        out.add_all(batch);
      }
    });
    for (int i = round % 16; i > 0; --i) std::this_thread::yield();
    stop.request_stop();
  }
  const std::size_t left = in.count() - out.count();
  this->expect_quiet(queue, left);
  this->drain(queue, out);
  EXPECT_EQ(in, out);
}

// ---- Many waiting threads

TYPED_TEST(Stress, OneCloseReleasesTwoHundredConsumers) {
  auto queue = this->make(4);
  std::atomic<int> released = 0;
  {
    const auto waiting = start(200, [&](int thread) {
      const auto count = std::min(static_cast<std::size_t>(thread % 7) + 1, largest_batch<TypeParam>(queue));
      const auto batch = queue.dequeue_many(count);
      EXPECT_EQ(batch.status(), QueueStatus::closed);
      ++released;
    });
    ASSERT_TRUE(await_waiting_consumers(queue, 200));
    queue.close();
  }
  EXPECT_EQ(released, 200);
  this->expect_quiet(queue, 0);
}

TYPED_TEST(Stress, OneCancelReleasesTwoHundredProducers) {
  auto queue = this->make(1);
  ASSERT_EQ(queue.enqueue(1), QueueStatus::ok);
  std::atomic<int> released = 0;
  {
    const auto waiting = start(200, [&](int thread) {
      EXPECT_EQ(queue.enqueue(static_cast<std::uint64_t>(thread)), QueueStatus::closed);
      ++released;
    });
    ASSERT_TRUE(await_waiting_producers(queue, 200));
    queue.close(forebay::cancel_pending_enqueues);
  }
  EXPECT_EQ(released, 200);
  this->expect_quiet(queue, 1);
}

TYPED_TEST(Stress, TwoHundredConsumersAreServedOneByOne) {
  auto queue = this->make(4);
  Tally out;
  {
    const auto waiting = start(200, [&](int) { out.add(queue.dequeue().value()); });
    ASSERT_TRUE(await_waiting_consumers(queue, 200));
    for (std::uint64_t i = 0; i < 200; ++i) ASSERT_EQ(queue.enqueue(i), QueueStatus::ok);
  }
  EXPECT_EQ(out.count(), 200U);
  this->expect_quiet(queue, 0);
}

// ---- The end of a queue

/// The consumer destroys the queue as soon as it has the last element, while the producer may still be inside. The time
/// is limited too, because each switch between the threads takes milliseconds on a busy machine.
template <class Factory, class Produce>
void expect_destroyable_after_last_dequeue(int capacity, int count, Produce produce) {
  struct Box {
    explicit Box(int capacity_of_queue) : queue(Factory::template make<std::uint64_t>(capacity_of_queue)) {}
    typename Factory::template Queue<std::uint64_t> queue;
  };
  const int rounds = iterations(4000);
  forebay::FIFOQueue<Box*> handed_over(1);
  std::jthread producer([&] {
    while (const auto box = handed_over.dequeue()) produce((*box)->queue, count);
  });
  const auto end = std::chrono::steady_clock::now() + scaled(std::chrono::seconds(5));
  for (int round = 0; round < rounds && std::chrono::steady_clock::now() < end; ++round) {
    auto box = std::make_unique<Box>(capacity);
    static_cast<void>(handed_over.enqueue(box.get()));
    for (int i = 0; i < count; ++i) EXPECT_TRUE(box->queue.dequeue());
  }
  handed_over.close();
}

// proves: destroy-queue
TYPED_TEST(Stress, MayBeDestroyedWhenTheLastDequeueHasReturned) {
  for (const int count : {1, 3}) {
    expect_destroyable_after_last_dequeue<TypeParam>(1, count, [](auto& queue, int total) {
      for (int i = 0; i < total; ++i) static_cast<void>(queue.enqueue(static_cast<std::uint64_t>(i)));
    });
  }
}

TYPED_TEST(Stress, MayBeDestroyedWhenTheLastOfEnqueueManyIsOut) {
  for (const int capacity : {1, 2, 4}) {
    expect_destroyable_after_last_dequeue<TypeParam>(capacity, 4, [](auto& queue, int total) {
      static_cast<void>(queue.enqueue_many(Numbers(static_cast<std::size_t>(total))));
    });
  }
}

// proves: destroy-queue
TYPED_TEST(Stress, MayBeDestroyedWhenTheConsumerWasToldClosed) {
  const int rounds = iterations(1000);
  for (int round = 0; round < rounds; ++round) {
    std::jthread closer;
    auto queue = this->make(1);
    closer = std::jthread([&queue] {
      static_cast<void>(queue.enqueue(1));
      queue.close();
    });
    while (queue.dequeue()) {
    }
  }
}

}  // namespace
}  // namespace forebay_test
