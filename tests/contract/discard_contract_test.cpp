// SPDX-License-Identifier: MIT
//
// discard_contract_test.cpp: close(discard_elements), and consumers that do it, for every kind of queue.

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <future>
#include <latch>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "forebay/async.hpp"
#include "forebay/fifo_queue.hpp"
#include "forebay/queue_ref.hpp"
#include "forebay/queue_status.hpp"
#include "tests/support/await.hpp"
#include "tests/support/background.hpp"
#include "tests/support/blocking_operations.hpp"
#include "tests/support/coroutines.hpp"
#include "tests/support/elements.hpp"
#include "tests/support/iterations.hpp"
#include "tests/support/queue_contract.hpp"
#include "tests/support/queue_factories.hpp"

namespace forebay_test {
namespace {

using forebay::discard_elements;

template <class Factory>
class Discard : public testing::Test {
 protected:
  static auto make(forebay::Capacity capacity) { return Factory::template make<MoveOnly>(capacity); }

  template <class Queue>
  void fill(Queue& queue, int count, int first = 0) {
    ASSERT_EQ(queue.enqueue_many(numbered<MoveOnly>(count, first, ledger_)).status, QueueStatus::ok);
  }

  Ledger ledger_;
};
TYPED_TEST_SUITE(Discard, QueueFactories, NameOfParameter);

template <class Factory>
class AccumulatingDiscard : public Discard<Factory> {};
TYPED_TEST_SUITE(AccumulatingDiscard, AccumulatingQueueFactories, NameOfParameter);

// proves: discard
TYPED_TEST(Discard, DestroysWhatIsStoredAndCountsItAsDropped) {
  for (const int count : {0, 1, 3, 4}) {
    auto queue = this->make(4);
    static_assert(noexcept(queue.close(discard_elements)));
    this->fill(queue, count);
    queue.close(discard_elements);
    EXPECT_EQ(this->ledger_.alive(), 0U);
    EXPECT_TRUE(queue.is_closed());
    EXPECT_EQ(queue.size(), 0U);
    EXPECT_EQ(queue.dequeue().status(), QueueStatus::closed);
    EXPECT_EQ(queue.enqueue(MoveOnly(1, this->ledger_)), QueueStatus::closed);
    EXPECT_EQ(queue.statistics().dropped, static_cast<std::size_t>(count));
    EXPECT_EQ(queue.statistics().consumers.elements, 0U);
    queue.close(discard_elements);
    EXPECT_TRUE(queue.invariants_hold());
  }
}

// proves: discard
TYPED_TEST(Discard, OfAClosedQueueDestroysWhatIsLeft) {
  auto queue = this->make(4);
  this->fill(queue, 4);
  queue.close();
  EXPECT_TRUE(queue.dequeue());
  EXPECT_EQ(this->ledger_.alive(), 3U);
  queue.close(discard_elements);
  EXPECT_EQ(this->ledger_.alive(), 0U);
  EXPECT_EQ(queue.statistics().dropped, 3U);
}

// proves: discard
TYPED_TEST(Discard, KeepsAnEarlierCause) {
  auto queue = this->make(4);
  this->fill(queue, 4);
  queue.close(cause());
  queue.close(discard_elements);
  EXPECT_EQ(this->ledger_.alive(), 0U);
  EXPECT_THROW(static_cast<void>(queue.dequeue()), Cause);
  EXPECT_EQ(queue.statistics().dropped, 4U);
}

// proves: discard
TYPED_TEST(Discard, CancelsPendingEnqueues) {
  auto queue = this->make(2);
  this->fill(queue, 2);
  MoveOnly kept(7, this->ledger_);
  Background one([&] { return queue.enqueue(std::move(kept)); });
  Background many([&] {
    auto elements = numbered<MoveOnly>(5, 10, this->ledger_);
    return queue.enqueue_many(std::move(elements)).status;
  });
  ASSERT_TRUE(await_waiting_producers(queue, 2));
  queue.close(discard_elements);
  EXPECT_EQ(one.get(), QueueStatus::closed);
  EXPECT_EQ(many.get(), QueueStatus::closed);
  EXPECT_EQ(this->ledger_.alive(), 1U);
  EXPECT_EQ(queue.size(), 0U);
}

// proves: discard
TYPED_TEST(AccumulatingDiscard, DestroysWhatAWaitingCallHasGathered) {
  for (int i = 0; i < iterations(20); ++i) {
    auto queue = this->make(2);
    Background many([&] { return queue.dequeue_many(9).status(); });
    ASSERT_TRUE(await_waiting_consumers(queue, 1));
    this->fill(queue, 5);
    queue.close(discard_elements);
    EXPECT_EQ(queue.size(), 0U);
    EXPECT_EQ(this->ledger_.alive(), 0U);
    EXPECT_EQ(many.get(), QueueStatus::closed);
    EXPECT_EQ(queue.statistics().dropped, 5U);
  }
}

/// Awaits a batch.
template <class Queue>
Owned await_batch(Queue& queue, std::size_t count, std::optional<QueueStatus>& status) {
  const auto batch = co_await queue.async_dequeue_many(count);
  status = batch.status();
}

// proves: discard
TYPED_TEST(AccumulatingDiscard, DestroysWhatAWaitingCoroutineHasGathered) {
  auto queue = this->make(2);
  std::optional<QueueStatus> status;
  const Owned waiting = await_batch(queue, 9, status);
  this->fill(queue, 5);
  queue.close(discard_elements);
  EXPECT_EQ(status, QueueStatus::closed);
  EXPECT_EQ(queue.size(), 0U);
  EXPECT_EQ(this->ledger_.alive(), 0U);
}

/// Awaits an element.
template <class Queue>
Owned await_element(Queue& queue, std::optional<QueueStatus>& status) {
  const auto element = co_await queue.async_dequeue();
  status = element.status();
}

// proves: discard
TYPED_TEST(Discard, DestroysWhatACoroutineCouldReceiveThatWaitsForThisOne) {
  auto queue = this->make(4);
  forebay::FIFOQueue<int> start(1);
  std::optional<QueueStatus> status;
  const Owned waiting = await_element(queue, status);
  const Owned closing = take_and_call(start, [&] {
    this->fill(queue, 1);  // the coroutine that waits for it can look only when this one is suspended
    queue.close(discard_elements);
    EXPECT_EQ(queue.size(), 0U);
    EXPECT_EQ(this->ledger_.alive(), 0U);
  });
  ASSERT_EQ(start.enqueue(1), QueueStatus::ok);
  EXPECT_EQ(status, QueueStatus::closed);
  EXPECT_TRUE(queue.invariants_hold());
}

// proves: discard
TYPED_TEST(AccumulatingDiscard, DestroysWhatACoroutineHasGatheredThatWaitsForThisOne) {
  for (const int count : {1, 2, 3, 4, 5, 8}) {
    auto queue = this->make(2);
    forebay::FIFOQueue<int> start(1);
    std::optional<QueueStatus> status;
    const Owned waiting = await_batch(queue, 9, status);
    this->fill(queue, count);
    const Owned closing = take_and_call(start, [&] {
      queue.close(discard_elements);
      EXPECT_EQ(queue.size(), 0U);
      EXPECT_EQ(this->ledger_.alive(), 0U);
    });
    ASSERT_EQ(start.enqueue(1), QueueStatus::ok);
    EXPECT_EQ(status, QueueStatus::closed);
    EXPECT_EQ(queue.statistics().dropped, static_cast<std::size_t>(count));
    EXPECT_TRUE(queue.invariants_hold());
  }
}

/// A number whose copy calls a function of the test, and whose move may throw, so that batches are copied.
struct CopyCalls {
  CopyCalls(int its_number, const std::function<void()>& on_copy) : number(its_number), call(&on_copy) {}
  CopyCalls(const CopyCalls& other) : number(other.number), call(other.call) { (*call)(); }
  CopyCalls(CopyCalls&& other) noexcept(false) : number(other.number), call(other.call) {}
  CopyCalls& operator=(const CopyCalls&) = delete;
  CopyCalls& operator=(CopyCalls&&) = delete;
  ~CopyCalls() = default;

  int number;
  const std::function<void()>* call;
};

// proves: discard
TEST(DiscardOfOneQueue, LeavesAloneWhatALargeBatchIsTakingOut) {
  constexpr int large = 1500;  // more than move under one hold of a lock
  std::function<void()> call = [] {};
  forebay::FIFOQueue<CopyCalls> queue(2 * large);
  for (int i = 0; i < large + 5; ++i) ASSERT_EQ(queue.enqueue(CopyCalls(i, call)), QueueStatus::ok);
  std::latch copies(1);
  std::latch may_go_on(1);
  std::once_flag once;
  call = [&] {
    std::call_once(once, [&] {
      copies.count_down();
      may_go_on.wait();
    });
  };
  std::size_t received = 0;
  bool in_order = true;
  Background many([&] {
    const auto batch = queue.dequeue_many(large);
    received = batch->size();
    for (std::size_t i = 0; i < received; ++i) in_order = in_order && (*batch)[i].number == static_cast<int>(i);
    return batch.status();
  });
  copies.wait();
  Background closing([&] {
    queue.close(discard_elements);
    return queue.size();
  });
  ASSERT_TRUE(await([&] { return queue.is_closed(); }));
  may_go_on.count_down();
  EXPECT_EQ(many.get(), QueueStatus::ok);
  EXPECT_EQ(closing.get(), 0U);
  EXPECT_EQ(received, std::size_t{large});
  EXPECT_TRUE(in_order);
  EXPECT_EQ(queue.statistics().dropped, 5U);
  EXPECT_TRUE(queue.invariants_hold());
}

/// An element whose destructor looks at the queue from which it was removed.
struct LooksAtQueue {
  explicit LooksAtQueue(std::function<void()> its_look) : look(std::move(its_look)) {}
  LooksAtQueue(LooksAtQueue&& other) noexcept : look(std::exchange(other.look, nullptr)) {}
  LooksAtQueue& operator=(LooksAtQueue&&) = delete;
  ~LooksAtQueue() {
    if (look) look();
  }

  std::function<void()> look;
};

// proves: discard
TEST(DiscardOfOneQueue, CountsEachElementAsDroppedBeforeItIsDestroyed) {
  forebay::FIFOQueue<LooksAtQueue> queue(3);
  std::vector<forebay::QueueStatistics> seen;
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(queue.enqueue(LooksAtQueue([&] { seen.push_back(queue.statistics()); })), QueueStatus::ok);
  }
  queue.close(discard_elements);
  ASSERT_EQ(seen.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(seen[i].dropped, i + 1);
    EXPECT_EQ(seen[i].consumers.elements, 0U);
  }
}

/// Producers, consumers of every kind, and several threads that close.
// proves: discard
TYPED_TEST(AccumulatingDiscard, LosesNoElementBesideOtherCalls) {
  for (int round = 0; round < iterations(30); ++round) {
    auto queue = this->make(1 + round % 5);
    std::atomic<std::size_t> entered = 0;
    std::atomic<std::size_t> received = 0;
    {
      std::vector<std::jthread> threads;
      for (int i = 0; i < 2; ++i) {
        threads.emplace_back([&] {
          for (int n = 0; n < 300; ++n) {
            if (n % 7 == 0) {
              entered += queue.enqueue_many(numbered<MoveOnly>(9, n, this->ledger_)).count;
            } else if (queue.enqueue(MoveOnly(n, this->ledger_)) == QueueStatus::ok) {
              ++entered;
            }
          }
        });
      }
      threads.emplace_back([&] {
        while (auto element = queue.dequeue()) ++received;
      });
      threads.emplace_back([&] {
        while (const auto batch = queue.dequeue_many(11)) received += batch->size();
      });
      threads.emplace_back([&] {
        while (const auto batch = queue.dequeue_up_to(3)) received += batch->size();
      });
      for (int i = 0; i < 2; ++i) {
        threads.emplace_back([&, i] {
          const auto enough = static_cast<std::size_t>(20 * (round % 7 + i));
          while (received < enough && !queue.is_closed()) std::this_thread::yield();
          queue.close(discard_elements);
        });
      }
    }
    EXPECT_EQ(this->ledger_.alive(), 0U);
    EXPECT_EQ(queue.size(), 0U);
    EXPECT_EQ(queue.statistics().dropped, entered - received);
    EXPECT_TRUE(queue.invariants_hold());
  }
}

// ---- User code

/// Calls a function when it is destroyed, unless it was moved from.
class CallsAtItsEnd {
 public:
  explicit CallsAtItsEnd(std::function<void()> call) : call_(std::move(call)) {}
  CallsAtItsEnd(CallsAtItsEnd&& from) noexcept : call_(std::exchange(from.call_, nullptr)) {}
  CallsAtItsEnd& operator=(CallsAtItsEnd&&) = delete;
  ~CallsAtItsEnd() {
    if (call_) call_();
  }

 private:
  std::function<void()> call_;
};

// proves: user-code-unlocked, discard
TEST(DiscardedElements, MayCallTheirQueueWhenTheyAreDestroyed) {
  forebay::FIFOQueue<CallsAtItsEnd> queue(9);
  std::vector<std::size_t> sizes;
  for (int i = 0; i < 4; ++i) {
    ASSERT_EQ(queue.enqueue(CallsAtItsEnd([&, i] {
      sizes.push_back(queue.size());
      if (i == 1) queue.close(discard_elements);
    })),
              QueueStatus::ok);
  }
  queue.close(discard_elements);
  EXPECT_EQ(sizes, (std::vector<std::size_t>{3, 2, 1, 0}));
  EXPECT_EQ(queue.statistics().dropped, 4U);
}

// proves: discard
TEST(DiscardedElements, WhoseMoveThrowsStay) {
  Ledger ledger;
  {
    forebay::FIFOQueue<ThrowingMove> queue(4);
    for (int i = 0; i < 4; ++i) ASSERT_EQ(queue.enqueue(ThrowingMove(i, ledger)), QueueStatus::ok);
    ledger.fail_at(3);
    queue.close(discard_elements);
    EXPECT_TRUE(queue.is_closed());
    EXPECT_EQ(queue.size(), 2U);
    EXPECT_EQ(queue.statistics().dropped, 2U);
    EXPECT_TRUE(queue.invariants_hold());
    queue.close(discard_elements);
    EXPECT_EQ(queue.size(), 0U);
  }
  EXPECT_EQ(ledger.alive(), 0U);
}

struct Request {
  std::promise<int> answer;
};

// proves: discard
TEST(DiscardedRequests, AnswerThatTheyAreBroken) {
  forebay::FIFOQueue<Request> requests(8);
  std::vector<std::future<int>> answers;
  for (int i = 0; i < 3; ++i) {
    Request request;
    answers.push_back(request.answer.get_future());
    ASSERT_EQ(requests.enqueue(std::move(request)), QueueStatus::ok);
  }
  requests.close(discard_elements);
  for (std::future<int>& answer : answers) EXPECT_THROW(answer.get(), std::future_error);
}

// ---- Consumers

// proves: discard
TYPED_TEST(Discard, ByConsumersHappensWhenTheLastOneEnds) {
  for (const bool by_assignment : {false, true}) {
    auto queue = this->make(4);
    auto consumers = queue.consumers(2, discard_elements);
    this->fill(queue, 4);
    EXPECT_TRUE(consumers[0].dequeue());
    consumers[0].finish();
    EXPECT_FALSE(queue.is_closed());
    EXPECT_EQ(this->ledger_.alive(), 3U);
    if (by_assignment) {
      consumers[1] = {};
    } else {
      consumers.clear();
    }
    EXPECT_TRUE(queue.is_closed());
    EXPECT_EQ(this->ledger_.alive(), 0U);
    EXPECT_EQ(queue.statistics().dropped, 3U);
  }
}

// proves: discard
TYPED_TEST(Discard, IsDecidedByTheConsumerThatEndsLast) {
  for (const bool discarding_last : {false, true}) {
    auto queue = this->make(4);
    this->fill(queue, 4);
    auto plain = queue.consumer();
    auto discarding = queue.consumer(discard_elements);
    discarding_last ? plain.finish() : discarding.finish();
    EXPECT_EQ(this->ledger_.alive(), 4U);
    discarding_last ? discarding.finish() : plain.finish();
    EXPECT_TRUE(queue.is_closed());
    EXPECT_EQ(queue.size(), discarding_last ? 0U : 4U);
  }
}

// proves: discard
TEST(DiscardedRequests, AreAnsweredWhenAllServersHaveEnded) {
  forebay::FIFOQueue<Request> requests(2);
  std::vector<std::thread> servers;
  for (auto& consumer : requests.consumers(2, discard_elements)) {
    servers.emplace_back([consumer = std::move(consumer)] {
      for (int i = 0; i < 5; ++i) {
        if (auto request = consumer.dequeue()) request->answer.set_value(i);
      }
    });
  }
  int answered = 0;
  int broken = 0;
  for (int i = 0; i < 100; ++i) {
    Request request;
    auto answer = request.answer.get_future();
    if (requests.enqueue(std::move(request)) != QueueStatus::ok) break;
    try {
      static_cast<void>(answer.get());
      ++answered;
    } catch (const std::future_error&) {
      ++broken;
    }
  }
  for (std::thread& server : servers) server.join();
  EXPECT_EQ(answered, 10);
  EXPECT_LE(broken, 1);
}

// proves: discard
TYPED_TEST(Discard, WorksThroughAQueueRef) {
  auto queue = this->make(4);
  this->fill(queue, 3);
  const forebay::QueueRef<MoveOnly> ref(queue);
  ref.close(discard_elements);
  EXPECT_EQ(this->ledger_.alive(), 0U);

  auto other = this->make(4);
  this->fill(other, 3);
  forebay::QueueRef<MoveOnly>(other).consumers(2, discard_elements).clear();
  EXPECT_EQ(this->ledger_.alive(), 0U);
  EXPECT_TRUE(other.is_closed());
}

}  // namespace
}  // namespace forebay_test
