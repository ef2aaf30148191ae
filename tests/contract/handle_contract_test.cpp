// SPDX-License-Identifier: MIT
//
// handle_contract_test.cpp: producers and consumers of every kind of queue.
//
//   When a queue closes          TheLast*, Direct*
//   A failure of a producer      Run*, *Exception*
//   What a handle can do         *Handle*, *Loop*
//   Handles that have ended      Ended*

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "forebay/blocking_queue.hpp"
#include "forebay/consumer.hpp"
#include "forebay/count.hpp"
#include "forebay/fifo_queue.hpp"
#include "forebay/overflow.hpp"
#include "forebay/producer.hpp"
#include "forebay/queue_ref.hpp"
#include "forebay/queue_status.hpp"
#include "tests/support/await.hpp"
#include "tests/support/background.hpp"
#include "tests/support/blocking_operations.hpp"
#include "tests/support/death_test.hpp"
#include "tests/support/iterations.hpp"
#include "tests/support/queue_contract.hpp"
#include "tests/support/queue_factories.hpp"
#include "tests/support/thrown.hpp"

namespace forebay_test {
namespace {

using forebay::no_wait;
using forebay::ProducerAbandonedError;
using forebay::QueueRef;

template <class Factory>
class HandleContract : public QueueContractTest<Factory> {};
TYPED_TEST_SUITE(HandleContract, QueueFactories, NameOfParameter);

TYPED_TEST(HandleContract, AProducerDropsIfItsQueueDoes) {
  using OfInts = decltype(this->make(2));
  constexpr bool queue_drops = requires(OfInts & queue) { queue.enqueue(1, forebay::drop_oldest); };
  constexpr bool producer_drops = requires(forebay::Producer<OfInts> & producer) {
    producer.enqueue(1, forebay::drop_oldest);
  };
  static_assert(queue_drops == producer_drops);
}

// ---- When a queue closes

// proves: producer-handles
TYPED_TEST(HandleContract, TheLastProducerClosesTheQueue) {
  auto queue = this->make(2);
  {
    auto first = queue.producer();
    {
      const auto second = queue.producer();
      ASSERT_EQ(second.enqueue(0), QueueStatus::ok);
    }
    EXPECT_FALSE(queue.is_closed());
    ASSERT_EQ(first.enqueue(1), QueueStatus::ok);
  }
  EXPECT_TRUE(queue.is_closed());
  this->expect_elements(this->take_all(queue), numbers(2));
  EXPECT_EQ(queue.dequeue().status(), QueueStatus::closed);
}

// proves: producer-handles
TYPED_TEST(HandleContract, TheLastProducerWakesWaitingConsumers) {
  auto queue = this->make(2);
  std::optional producer(queue.producer());
  Background one([&] { return queue.dequeue().status(); });
  Background many([&] { return queue.dequeue_many(2).status(); });
  ASSERT_TRUE(await_waiting_consumers(queue, 2));
  producer.reset();
  EXPECT_EQ(one.get(), QueueStatus::closed);
  EXPECT_EQ(many.get(), QueueStatus::closed);
}

TYPED_TEST(HandleContract, TheLastProducerLeavesPendingEnqueuesPending) {
  auto queue = this->make(1);
  this->fill(queue, 1);
  Background put([&] { return queue.enqueue(1); });
  ASSERT_TRUE(await_waiting_producers(queue, 1));
  queue.producer().finish();
  EXPECT_TRUE(queue.is_closed());
  ASSERT_TRUE(queue.dequeue());
  EXPECT_EQ(put.get(), QueueStatus::ok);
}

// proves: producer-handles
TYPED_TEST(HandleContract, TheLastOfManyThreadsClosesTheQueueHoweverEarlyTheFirstOnesEnd) {
  for (int round = 0; round < iterations(1000); ++round) {
    auto queue = this->make(3);
    std::vector<std::jthread> threads;
    for (int first = 0; auto& producer : queue.producers(4)) {
      threads.emplace_back([first, producer = std::move(producer)] {
        for (int i = first; i < first + 2; ++i) EXPECT_EQ(producer.enqueue(i), QueueStatus::ok);
      });
      first += 2;
    }
    std::vector<int> all;
    for (const int element : queue) all.push_back(element);  // a thread that ends destroys what it has captured
    std::ranges::sort(all);
    ASSERT_EQ(all, numbers(8));
  }
}

// proves: consumer-handles
TYPED_TEST(HandleContract, TheLastOfManyThreadsClosesTheQueueForItsProducers) {
  for (int round = 0; round < iterations(200); ++round) {
    auto queue = this->make(3);
    std::atomic<int> taken = 0;
    std::vector<std::jthread> threads;
    for (auto& consumer : queue.consumers(4)) {
      threads.emplace_back([&taken, consumer = std::move(consumer)] {
        for (int i = 0; i < 2 && consumer.dequeue(); ++i) ++taken;
      });
    }
    while (queue.enqueue(0) == QueueStatus::ok) {
    }
    threads.clear();
    ASSERT_EQ(taken, 8);
  }
}

// proves: producer-handles
TYPED_TEST(HandleContract, AProducerAfterTheEndOfTheLastOneIsAnError) {
  auto queue = this->make(2);
  const QueueRef<int> reference = queue;
  queue.producer().finish();
  for (const auto& create : std::initializer_list<std::function<bool()>>{
           [&] { return queue.producer().run([] { return true; }); }, [&] { return queue.producers(2).empty(); },
           [&] { return reference.producer().run([] { return true; }); },
           [&] { return reference.producers(2).empty(); }}) {
    EXPECT_EQ(message_of<std::logic_error>(create),
              "forebay: producer(): the queue is closed, because the last of its producers has ended; create all "
              "producers before the first one ends, with producers(n)");
  }
  queue.close(cause());
  EXPECT_THROW(static_cast<void>(queue.producer()), std::logic_error) << "a later close changes nothing";
}

TYPED_TEST(HandleContract, AProducerOfAQueueThatWasClosedOtherwiseReturnsClosed) {
  const auto expect_closed = [this](auto close) {
    auto queue = this->make(2);
    const auto earlier = queue.producer();
    close(queue);
    EXPECT_EQ(queue.producer().enqueue(1), QueueStatus::closed);
    EXPECT_EQ(queue.producers(2).back().enqueue(1), QueueStatus::closed);
    EXPECT_EQ(QueueRef<int>(queue).producer().enqueue(1), QueueStatus::closed);
  };
  expect_closed([](auto& queue) { queue.close(); });
  expect_closed([](auto& queue) { queue.close(forebay::cancel_pending_enqueues); });
  expect_closed([](auto& queue) { queue.close(cause()); });
  expect_closed([](auto& queue) { queue.consumer().finish(); });
  expect_closed([](auto& queue) { EXPECT_THROW(queue.producer().run([] { throw Cause(); }), Cause); });
}

TYPED_TEST(HandleContract, AProducerThatEndsInAClosedQueueDoesNotForbidOthers) {
  auto queue = this->make(2);
  auto producer = queue.producer();
  queue.close();
  producer.finish();
  EXPECT_EQ(queue.producer().enqueue(1), QueueStatus::closed);
}

TYPED_TEST(HandleContract, ProducersAndConsumersAreCreatedAtOnce) {
  auto queue = this->make(4);
  const QueueRef<int> reference = queue;
  {
    auto producers = queue.producers(2);
    auto more = reference.producers(1);
    const auto consumers = queue.consumers(2);
    ASSERT_EQ(producers.size(), 2U);
    ASSERT_EQ(consumers.size(), 2U);
    ASSERT_EQ(reference.consumers(3).size(), 3U);
    EXPECT_EQ(producers.back().enqueue(0), QueueStatus::ok);
    EXPECT_TRUE(consumers.back().dequeue());
    producers.clear();
    EXPECT_FALSE(queue.is_closed()) << "three were created";
    more.clear();
    EXPECT_TRUE(queue.is_closed());
  }
}

// proves: impossible-setting
TYPED_TEST(HandleContract, ANumberOfHandlesBelowOneIsRejected) {
  auto queue = this->make(2);
  const QueueRef<int> reference = queue;
  EXPECT_EQ(rejection([&] { return queue.producers(0); }), "forebay: producers: count must be at least 1, not 0");
  EXPECT_EQ(rejection([&] { return queue.consumers(-1); }), "forebay: consumers: count must be at least 1, not -1");
  EXPECT_EQ(rejection([&] { return reference.producers(0); }), "forebay: producers: count must be at least 1, not 0");
  EXPECT_EQ(rejection([&] { return reference.consumers(0); }), "forebay: consumers: count must be at least 1, not 0");
  EXPECT_FALSE(queue.is_closed());
}

TYPED_TEST(HandleContract, HandlesForWhichMemoryIsShortCloseNothing) {
  auto queue = this->make(2);
  EXPECT_ANY_THROW(static_cast<void>(queue.producers(std::numeric_limits<std::size_t>::max())));
  EXPECT_ANY_THROW(static_cast<void>(queue.consumers(std::numeric_limits<std::size_t>::max())));
  EXPECT_FALSE(queue.is_closed());
}

TYPED_TEST(HandleContract, DirectEnqueuesHoldNothingOpen) {
  auto queue = this->make(2);
  const auto producer = queue.producer();
  ASSERT_EQ(queue.enqueue(0), QueueStatus::ok);
  queue.close();
  EXPECT_EQ(producer.enqueue(1), QueueStatus::closed);
  EXPECT_EQ(queue.producer().enqueue(1), QueueStatus::closed) << "of a queue that is closed already";
}

// proves: consumer-handles
TYPED_TEST(HandleContract, TheLastConsumerClosesTheQueue) {
  auto queue = this->make(2);
  {
    const auto first = queue.consumer();
    queue.consumer().finish();
    EXPECT_FALSE(queue.is_closed());
    ASSERT_EQ(queue.enqueue(1), QueueStatus::ok);
  }
  EXPECT_TRUE(queue.is_closed());
  EXPECT_EQ(queue.enqueue(2), QueueStatus::closed);
}

// proves: consumer-handles
TYPED_TEST(HandleContract, TheLastConsumerWakesWaitingProducers) {
  auto queue = this->make(1);
  this->fill(queue, 1);
  std::optional consumer(queue.consumer());
  Background one([&] { return queue.enqueue(1); });
  Background many([&] { return queue.enqueue_many({2, 3}).status; });
  ASSERT_TRUE(await_waiting_producers(queue, 2));
  consumer.reset();
  EXPECT_EQ(one.get(), QueueStatus::closed);
  EXPECT_EQ(many.get(), QueueStatus::closed);
}

// proves: consumer-handles
TYPED_TEST(HandleContract, TheLastConsumerLeavesWhatIsStored) {
  auto queue = this->make(3);
  this->fill(queue, 3);
  ASSERT_TRUE(queue.consumer().dequeue());
  EXPECT_EQ(queue.size(), 2U);
  EXPECT_EQ(this->take_all(queue).size(), 2U);
  EXPECT_EQ(queue.consumer().dequeue().status(), QueueStatus::closed);
}

TYPED_TEST(HandleContract, DirectDequeuesHoldNothingOpen) {
  auto queue = this->make(2);
  this->fill(queue, 1);
  auto consumer = queue.consumer();
  ASSERT_TRUE(queue.dequeue());
  consumer.finish();
  EXPECT_TRUE(queue.is_closed());
}

// ---- A failure of a producer

// proves: producer-fails
TYPED_TEST(HandleContract, RunClosesTheQueueWithWhatItsFunctionThrows) {
  auto queue = this->make(2);
  const auto other = queue.producer();
  auto producer = queue.producer();
  const auto fail = [&] {
    EXPECT_EQ(producer.enqueue(0), QueueStatus::ok);
    throw Cause("of a producer");
  };
  EXPECT_THROW(producer.run(fail), Cause);
  EXPECT_EQ(producer.enqueue(1), QueueStatus::closed);
  EXPECT_EQ(other.enqueue(1), QueueStatus::closed) << "the queue is closed, although another producer is left";
  EXPECT_TRUE(queue.dequeue());
  EXPECT_THROW(static_cast<void>(queue.dequeue()), Cause);
}

TYPED_TEST(HandleContract, RunReturnsWhatItsFunctionReturns) {
  auto queue = this->make(2);
  auto producer = queue.producer();
  EXPECT_EQ(producer.run([] { return 7; }), 7);
  EXPECT_EQ(producer.run([&] { return producer.enqueue(1); }), QueueStatus::ok) << "the handle has not ended";
  EXPECT_FALSE(queue.is_closed());
}

// proves: producer-fails
TYPED_TEST(HandleContract, AnExceptionThatDestroysAProducerIsNotTheEndOfTheInput) {
  auto queue = this->make(2);
  const auto other = queue.producer();
  EXPECT_THROW(
      {
        const auto producer = queue.producer();
        static_cast<void>(producer.enqueue(0));
        throw Cause();
      },
      Cause);
  EXPECT_TRUE(queue.is_closed());
  EXPECT_TRUE(queue.dequeue());
  EXPECT_THROW(static_cast<void>(queue.dequeue()), ProducerAbandonedError);
}

TYPED_TEST(HandleContract, TheExceptionThatRunPassedOnStaysTheCause) {
  auto queue = this->make(2);
  EXPECT_THROW(
      {
        auto producer = queue.producer();
        producer.run([] { throw Cause(); });
      },
      Cause);
  EXPECT_THROW(static_cast<void>(queue.dequeue()), Cause);
}

// proves: producer-fails
TYPED_TEST(HandleContract, AnExceptionThatWasThrownBeforeTheProducerWasCreatedIsNotItsFailure) {
  auto queue = this->make(2);
  unwind([&] { EXPECT_EQ(queue.producer().enqueue(0), QueueStatus::ok); });
  EXPECT_TRUE(queue.dequeue());
  EXPECT_EQ(queue.dequeue().status(), QueueStatus::closed);
}

TYPED_TEST(HandleContract, AnExceptionThatWasThrownBeforeTheProducerWasMovedIsNotItsFailure) {
  auto queue = this->make(2);
  auto made_before = queue.producer();
  unwind([&] { const auto moved = std::move(made_before); });
  EXPECT_EQ(queue.dequeue().status(), QueueStatus::closed);

  auto other_queue = this->make(2);
  std::optional<typename TestFixture::template Queue<int>::Producer> assigned(std::in_place);
  auto also_made_before = other_queue.producer();
  unwind([&] {
    *assigned = std::move(also_made_before);
    assigned.reset();
  });
  EXPECT_EQ(other_queue.dequeue().status(), QueueStatus::closed);
}

TYPED_TEST(HandleContract, AnExceptionThatDestroysAConsumerOnlyClosesTheQueue) {
  auto queue = this->make(2);
  EXPECT_THROW(
      {
        const auto consumer = queue.consumer();
        throw Cause();
      },
      Cause);
  EXPECT_EQ(queue.enqueue(1), QueueStatus::closed);
  EXPECT_EQ(queue.dequeue().status(), QueueStatus::closed);
}

// ---- What a handle can do

TYPED_TEST(HandleContract, AProducerHandleEnqueuesLikeItsQueue) {
  auto queue = this->make(3);
  const auto producer = queue.producer();
  const int number = 0;
  EXPECT_EQ(producer.enqueue(number), QueueStatus::ok);
  EXPECT_EQ(producer.enqueue_many({1}).count, 1U);
  EXPECT_EQ(producer.enqueue_many(std::vector{2, 3}, no_wait).count, 1U);
  EXPECT_EQ(producer.enqueue(3, no_wait), QueueStatus::full);
  this->expect_elements(this->take_all(queue), numbers(3));

  auto pointers_queue = this->template make<Pointer>(1);
  EXPECT_EQ(pointers_queue.producer().enqueue(std::make_unique<int>(1)), QueueStatus::ok);
}

TYPED_TEST(HandleContract, AConsumerHandleDequeuesLikeItsQueue) {
  auto queue = this->make(8);
  this->fill(queue, 8);
  const auto consumer = queue.consumer();
  std::vector<int> all;
  const auto add = [&all](const auto& batch) { all.insert(all.end(), batch.begin(), batch.end()); };
  all.push_back(consumer.dequeue().value());
  add(*consumer.dequeue_many(1));
  add(*consumer.dequeue_up_to(1));
  add(*consumer.dequeue_available(1));
  std::vector<int> batch;
  ASSERT_EQ(consumer.dequeue_many(1, batch), QueueStatus::ok);
  add(batch);
  ASSERT_EQ(consumer.dequeue_up_to(1, batch), QueueStatus::ok);
  add(batch);
  ASSERT_EQ(consumer.dequeue_available(2, batch), QueueStatus::ok);
  add(batch);
  this->expect_elements(all, numbers(8));
  EXPECT_EQ(consumer.dequeue(no_wait).status(), QueueStatus::empty);
}

// proves: consumer-handles
TYPED_TEST(HandleContract, LeavingALoopOverAConsumerClosesTheQueue) {
  auto queue = this->make(1);
  Background put([&] {
    int count = 0;
    while (queue.enqueue(count) == QueueStatus::ok) ++count;
    return count;
  });
  int taken = 0;
  for ([[maybe_unused]] const int element : queue.consumer()) {
    EXPECT_FALSE(queue.is_closed());
    if (++taken == 3) break;
  }
  EXPECT_GE(put.get(), taken);
  EXPECT_TRUE(queue.is_closed());
}

TYPED_TEST(HandleContract, ALoopOverTheBatchesOfAConsumerTakesAll) {
  auto queue = this->make(5);
  this->fill(queue, 5);
  queue.close();
  auto consumer = queue.consumer();
  std::vector<int> all;
  for (auto&& batch : consumer.batches(2)) all.insert(all.end(), batch.begin(), batch.end());
  this->expect_elements(all, numbers(5));
  for (auto&& batch : consumer.batches(2, forebay::Remainder::drop)) ADD_FAILURE() << batch.size();
}

/// Ends the consumer in each way during `loop(consumer)` over two elements, which calls a function for each of them.
/// The loop must take both.
template <class Reference, class Queue, class Loop>
void expect_loop_to_go_on(Queue& queue, Queue& other, const Loop& loop) {
  using Consumer = decltype(std::declval<Reference>().consumer());
  using Handles = std::vector<Consumer>;
  const auto ways = {
      +[](Handles& handles, Consumer /*next*/) { handles.front().finish(); },
      +[](Handles& handles, Consumer next) { handles.front() = std::move(next); },
      +[](Handles& handles, Consumer /*next*/) { handles.reserve(handles.capacity() + 1); },
      +[](Handles& handles, Consumer /*next*/) { Handles().swap(handles); },
  };
  for (const auto& way : ways) {
    Handles handles;
    handles.push_back(Reference(queue).consumer());
    ASSERT_EQ(queue.enqueue_many({1, 2}).status, QueueStatus::ok);
    ASSERT_EQ(other.enqueue_many({3, 4}).status, QueueStatus::ok);
    std::vector<int> taken;
    loop(handles.front(), [&](int element) {
      taken.push_back(element);
      if (taken.size() == 1) way(handles, Reference(other).consumer());
      return taken.size() < 2;
    });
    std::ranges::sort(taken);
    EXPECT_EQ(taken, (std::vector{1, 2}));
    EXPECT_EQ(queue.size(), 0U);
    EXPECT_EQ(other.dequeue_many(2, no_wait)->size(), 2U);
  }
}

constexpr auto over_elements = [](auto& consumer, const auto& takes_more) {
  for (const int element : consumer) {
    if (!takes_more(element)) break;
  }
};

constexpr auto over_batches = [](auto& consumer, const auto& takes_more) {
  for (const auto& batch : consumer.batches(1)) {
    if (!takes_more(*batch.begin())) break;
  }
};

// proves: consumer-handles
TYPED_TEST(HandleContract, ALoopGoesOnWhenItsConsumerEndsOrMoves) {
  auto queue = this->make(2);
  auto other = this->make(2);
  const auto open = other.consumer();
  const auto stays_open = queue.consumer();
  expect_loop_to_go_on<decltype(queue)&>(queue, other, over_elements);
  expect_loop_to_go_on<decltype(queue)&>(queue, other, over_batches);
  expect_loop_to_go_on<QueueRef<int>>(queue, other, over_elements);
  expect_loop_to_go_on<QueueRef<int>>(queue, other, over_batches);
}

// proves: consumer-handles
TYPED_TEST(HandleContract, ALoopWhoseLastConsumerEndsDrainsTheQueue) {
  auto queue = this->make(2);
  this->fill(queue, 2);
  auto consumer = QueueRef<int>(queue).consumer();
  std::vector<int> all;
  for (const int element : consumer) {
    all.push_back(element);
    consumer.finish();
    EXPECT_TRUE(queue.is_closed());
  }
  this->expect_elements(all, numbers(2));
}

// ---- Handles that have ended

TYPED_TEST(HandleContract, EndedProducersReturnClosed) {
  auto queue = this->make(2);
  auto producer = queue.producer();
  auto moved = std::move(producer);
  EXPECT_EQ(producer.enqueue(1), QueueStatus::closed);  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(moved.enqueue(1), QueueStatus::ok);
  moved.finish();
  moved.finish();
  EXPECT_EQ(moved.enqueue(1), QueueStatus::closed);
  EXPECT_EQ(moved.enqueue_many({1, 2}).status, QueueStatus::closed);
  EXPECT_THROW(moved.run([] { throw Cause(); }), Cause);
  EXPECT_TRUE(queue.dequeue());
  EXPECT_EQ(queue.dequeue().status(), QueueStatus::closed) << "without a cause";
  const typename TestFixture::template Queue<int>::Producer none;
  EXPECT_EQ(none.enqueue(1), QueueStatus::closed);
}

// proves: producer-handles
TYPED_TEST(HandleContract, AnAssignmentEndsAProducer) {
  auto queue = this->make(2);
  auto other = this->make(2);
  auto producer = queue.producer();
  producer = other.producer();
  EXPECT_TRUE(queue.is_closed());
  EXPECT_EQ(producer.enqueue(1), QueueStatus::ok);
  auto& itself = producer;
  producer = std::move(itself);
  EXPECT_EQ(producer.enqueue(2), QueueStatus::ok);
  EXPECT_EQ(other.size(), 2U);
}

TYPED_TEST(HandleContract, EndedConsumersReturnClosed) {
  auto queue = this->make(2);
  this->fill(queue, 2);
  auto first = queue.consumer();
  auto consumer = std::move(first);
  EXPECT_EQ(first.dequeue().status(), QueueStatus::closed);  // NOLINT(bugprone-use-after-move)
  EXPECT_TRUE(consumer.dequeue());
  consumer.finish();
  std::vector<int> batch = {1, 2, 3};
  EXPECT_EQ(consumer.dequeue_many(1, batch), QueueStatus::closed);
  EXPECT_TRUE(batch.empty());
  EXPECT_EQ(consumer.dequeue().status(), QueueStatus::closed);
  EXPECT_EQ(consumer.dequeue_many(1).status(), QueueStatus::closed);
  EXPECT_EQ(consumer.dequeue_up_to(1).status(), QueueStatus::closed);
  EXPECT_EQ(consumer.dequeue_up_to(1, batch), QueueStatus::closed);
  EXPECT_EQ(consumer.dequeue_available(1).status(), QueueStatus::closed);
  EXPECT_EQ(consumer.dequeue_available(1, batch), QueueStatus::closed);
  for (const int element : consumer) ADD_FAILURE() << element;
  auto batches = consumer.batches(1);
  for (int i = 0; i < 2; ++i)
    for (auto&& each : batches) ADD_FAILURE() << each.size();
  EXPECT_EQ(queue.size(), 1U);
}

TYPED_TEST(HandleContract, AnAssignmentEndsAConsumer) {
  auto queue = this->make(2);
  auto other = this->make(2);
  this->fill(other, 1);
  auto consumer = queue.consumer();
  consumer = other.consumer();
  EXPECT_TRUE(queue.is_closed());
  EXPECT_TRUE(consumer.dequeue());
  EXPECT_FALSE(other.is_closed());
}

#if !defined(NDEBUG) && GTEST_HAS_DEATH_TEST
TEST(HandleDeathTest, QueueThatIsDestroyedBeforeItsHandlesSaysSo) {
  if (sanitized) GTEST_SKIP() << "a sanitizer does not like processes that are left this way";
  choose_death_test_style();
  const auto destroy = [](auto make_handle) {
    std::optional<forebay::FIFOQueue<int>> queue(1);
    const auto handle = make_handle(*queue);
    queue.reset();
  };
  EXPECT_DEATH(destroy([](auto& queue) { return queue.producer(); }), "a queue is destroyed before its producers");
  EXPECT_DEATH(destroy([](auto& queue) { return queue.consumer(); }), "a queue is destroyed before its producers");
}
#endif

}  // namespace
}  // namespace forebay_test
