// SPDX-License-Identifier: MIT
//
// async_test.cpp: what is particular to awaited calls. async_contract_test.cpp runs the table of the contract with
// them, and model/async_model_test.cpp explores their interleavings.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <coroutine>
#include <cstddef>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "forebay/async.hpp"
#include "forebay/coordinator.hpp"
#include "forebay/count.hpp"
#include "forebay/fifo_queue.hpp"
#include "forebay/padding_fifo_queue.hpp"
#include "forebay/priority_queue.hpp"
#include "forebay/queue_status.hpp"
#include "forebay/random_shuffle_queue.hpp"
#include "tests/support/await.hpp"
#include "tests/support/background.hpp"
#include "tests/support/coroutines.hpp"

namespace forebay_test {
namespace {

using forebay::no_wait;
using forebay::QueueStatus;
using Ints = std::vector<int>;
using Queue = forebay::FIFOQueue<int>;

/// Keeps coroutines until run() resumes them in the thread that calls it.
class Pool {
 public:
  void operator()(std::coroutine_handle<> coroutine) noexcept {
    const std::scoped_lock lock(mutex_);
    ready_.push_back(coroutine);
  }
  /// Returns how many it has resumed.
  std::size_t run() {
    const std::vector<std::coroutine_handle<>> ready = take();
    for (const auto coroutine : ready) coroutine.resume();
    return ready.size();
  }
  [[nodiscard]] std::size_t size() {
    const std::scoped_lock lock(mutex_);
    return ready_.size();
  }

 private:
  std::vector<std::coroutine_handle<>> take() {
    const std::scoped_lock lock(mutex_);
    return std::exchange(ready_, {});
  }

  std::mutex mutex_;
  std::vector<std::coroutine_handle<>> ready_;
};

/// Dequeues until the queue is closed and drained.
Owned take_all(Queue& queue, Ints& taken) {
  while (auto element = co_await queue.async_dequeue()) taken.push_back(*element);
}

Owned take_one(Queue& queue, std::optional<QueueStatus>& status, forebay::AwaitOptions options = {}) {
  const auto element = co_await queue.async_dequeue(options);
  status = element.status();
}

Owned take_many(Queue& queue, int count, std::optional<Ints>& taken, forebay::AwaitOptions options = {}) {
  auto batch = co_await queue.async_dequeue_many(count, options);
  if (batch) taken = *std::move(batch);
}

Owned put(Queue& queue, int value, std::optional<QueueStatus>& status, forebay::AwaitOptions options = {}) {
  status = co_await queue.async_enqueue(value, options);
}

// ---- Where a coroutine continues

TEST(Async, ContinuesInTheCallThatEndsItsWait) {
  Queue queue(2);
  Ints taken;
  const Owned coroutine = take_all(queue, taken);
  EXPECT_EQ(queue.waiting_consumers(), 1U);
  ASSERT_EQ(queue.enqueue(1), QueueStatus::ok);
  EXPECT_EQ(taken, Ints{1}) << "before enqueue returned";
  ASSERT_EQ(queue.enqueue_many(Ints{2, 3, 4}).count, 3U);
  EXPECT_EQ(taken, (Ints{1, 2, 3, 4}));
  queue.close();
  EXPECT_TRUE(coroutine.is_over()) << "before close returned";
}

TEST(Async, AWaitThatIsOverAtOnceDoesNotSuspend) {
  Queue queue(2);
  ASSERT_EQ(queue.enqueue(1), QueueStatus::ok);
  Pool pool;
  std::optional<QueueStatus> status;
  const Owned coroutine = take_one(queue, status, forebay::on(pool));
  EXPECT_EQ(status, QueueStatus::ok);
  EXPECT_EQ(pool.size(), 0U);
  EXPECT_EQ(queue.statistics().consumers.waits, 0U);
}

// proves: awaited-resumption
TEST(Async, OnAPoolTheCallPassesTheCoroutineToIt) {
  Queue queue(2);
  Pool pool;
  std::optional<QueueStatus> status;
  const Owned coroutine = take_one(queue, status, forebay::on(pool));
  ASSERT_EQ(queue.enqueue(1), QueueStatus::ok);
  EXPECT_FALSE(status);
  EXPECT_EQ(pool.run(), 1U);
  EXPECT_EQ(status, QueueStatus::ok);
}

Owned use_queue_while_resumed(Queue& queue, Pool& pool, bool& used) {
  static_cast<void>(co_await queue.async_dequeue());
  EXPECT_EQ(queue.enqueue_many(Ints{1, 2}).status, QueueStatus::ok);
  EXPECT_EQ(pool.size(), 1U) << "a pool need not wait until this coroutine is suspended";
  used = true;
}

// proves: awaited-resumption
TEST(Async, APoolIsToldWhileAnotherCoroutineRuns) {
  Queue queue(2);
  Pool pool;
  bool used = false;
  std::optional<QueueStatus> status;
  const Owned first = use_queue_while_resumed(queue, pool, used);
  const Owned second = take_one(queue, status, forebay::on(pool));
  ASSERT_EQ(queue.enqueue(0), QueueStatus::ok);
  EXPECT_TRUE(used);
  EXPECT_EQ(pool.run(), 1U);
  EXPECT_EQ(status, QueueStatus::ok);
}

Owned call_everything(Queue& queue, forebay::Coordinator& coordinator, bool& called) {
  const auto element = co_await queue.async_dequeue(coordinator);
  EXPECT_EQ(element.status(), QueueStatus::stopped);
  EXPECT_TRUE(coordinator.should_stop());
  coordinator.request_stop();
  EXPECT_TRUE(coordinator.wait_for_stop(no_wait));
  EXPECT_EQ(queue.size(), 0U);
  EXPECT_EQ(queue.enqueue(1), QueueStatus::ok);
  EXPECT_TRUE(queue.dequeue());
  EXPECT_TRUE(queue.invariants_hold());
  queue.close();
  called = true;
}

// proves: awaited-resumption
TEST(Async, NoLockIsHeldWhileACoroutineRuns) {
  Queue queue(2);
  forebay::Coordinator coordinator;
  bool called = false;
  const Owned coroutine = call_everything(queue, coordinator, called);
  coordinator.request_stop();
  EXPECT_TRUE(called);
}

// ---- The stack stays bounded

Owned take_what_is_there(forebay::FIFOQueue<int>& queue, int rounds, long& sum) {
  for (int i = 0; i < rounds; ++i) {
    EXPECT_EQ(queue.enqueue(i, no_wait), QueueStatus::ok);
    const auto element = co_await queue.async_dequeue();
    sum += *element;
  }
}

// proves: awaited-stack
TEST(Async, AMillionWaitsThatAreOverAtOnceDoNotNest) {
  Queue queue(1);
  long sum = 0;
  const Owned coroutine = take_what_is_there(queue, 1'000'000, sum);
  EXPECT_TRUE(coroutine.is_over());
  EXPECT_EQ(sum, 999'999L * 1'000'000 / 2);
}

Owned pass_on(Queue& from, Queue& to, int rounds, forebay::AwaitOptions options = {}) {
  for (int i = 0; i < rounds; ++i) {
    auto element = co_await from.async_dequeue(options);
    if (!element) co_return;
    EXPECT_EQ(co_await to.async_enqueue(std::move(*element)), QueueStatus::ok);
  }
}

// proves: awaited-stack
TEST(Async, CoroutinesThatWakeEachOtherDoNotNest) {
  constexpr int rounds = 200'000;
  Queue there(1);
  Queue back(1);
  const Owned one = pass_on(there, back, rounds);
  const Owned other = pass_on(back, there, rounds);
  ASSERT_EQ(there.enqueue(1), QueueStatus::ok);
  EXPECT_TRUE(one.is_over() && other.is_over());
  EXPECT_TRUE(there.dequeue(no_wait)) << "the element has come back";
}

// proves: awaited-stack
TEST(Async, ALongChainOfCoroutinesDoesNotNest) {
  constexpr std::size_t count = 50'000;
  Queue queue(1);
  std::vector<Owned> coroutines;
  coroutines.reserve(count);
  for (std::size_t i = 0; i < count; ++i) coroutines.push_back(pass_on(queue, queue, 1));
  EXPECT_EQ(queue.waiting_consumers(), count);
  ASSERT_EQ(queue.enqueue(1), QueueStatus::ok);
  EXPECT_EQ(queue.waiting_consumers(), 0U);
  EXPECT_TRUE(queue.dequeue(no_wait));
}

// proves: awaited-stack
TEST(Async, APoolThatResumesAtOnceDoesNotNest) {
  constexpr std::size_t count = 50'000;
  Queue queue(1);
  std::vector<Owned> coroutines;
  coroutines.reserve(count);
  for (std::size_t i = 0; i < count; ++i) coroutines.push_back(pass_on(queue, queue, 1, forebay::on(resume_at_once)));
  EXPECT_EQ(queue.waiting_consumers(), count);
  ASSERT_EQ(queue.enqueue(1), QueueStatus::ok);
  EXPECT_EQ(queue.waiting_consumers(), 0U);
  EXPECT_TRUE(queue.dequeue(no_wait));
}

// proves: awaited-stack
TEST(Async, PoolsThatResumeAtOnceAndOtherCoroutinesDoNotNest) {
  constexpr std::size_t count = 50'000;
  Queue queue(1);
  std::vector<Owned> coroutines;
  coroutines.reserve(count);
  for (std::size_t i = 0; i < count; ++i)
    coroutines.push_back(pass_on(queue, queue, 1, i % 2 == 0 ? forebay::AwaitOptions() : forebay::on(resume_at_once)));
  ASSERT_EQ(queue.enqueue(1), QueueStatus::ok);
  EXPECT_EQ(queue.waiting_consumers(), 0U);
  EXPECT_TRUE(queue.dequeue(no_wait));
}

/// Starts a number of coroutines, and calls `end` when they wait.
template <class Start, class End>
void expect_to_end(std::size_t count, Start start, End end) {
  std::vector<Owned> coroutines;
  coroutines.reserve(count);
  for (std::size_t i = 0; i < count; ++i) coroutines.push_back(start());
  end();
  EXPECT_TRUE(std::ranges::all_of(coroutines, &Owned::is_over));
}

/// Takes minutes if the end of each call walks a list of the others.
TEST(Async, OneCallEndsAHundredThousandCalls) {
  constexpr std::size_t count = 100'000;
  std::optional<QueueStatus> status;
  Queue drained(count);
  const auto dequeue = [&] { return take_one(drained, status); };
  expect_to_end(count, dequeue, [&] { EXPECT_EQ(drained.enqueue_many(Ints(count)).count, count); });
  expect_to_end(count, dequeue, [&] { drained.close(); });
  Queue full(count);
  ASSERT_EQ(full.enqueue_many(Ints(count)).count, count);
  const auto enqueue = [&] { return put(full, 1, status); };
  expect_to_end(count, enqueue, [&] { EXPECT_TRUE(full.dequeue_many(count)); });
  expect_to_end(count, enqueue, [&] { full.close(forebay::cancel_pending_enqueues); });
}

TEST(Async, OneStopEndsAHundredThousandCalls) {
  constexpr std::size_t count = 100'000;
  Queue queue(1);
  std::optional<QueueStatus> status;
  std::stop_source stop;
  expect_to_end(
      count, [&] { return take_one(queue, status, stop.get_token()); }, [&] { stop.request_stop(); });
  forebay::Coordinator coordinator;
  coordinator.attach(queue);
  expect_to_end(
      count, [&] { return take_one(queue, status, coordinator); }, [&] { coordinator.request_stop(); });
}

// ---- One wait queue

TEST(Async, ThreadsAndCoroutinesAreServedInTheOrderOfTheirArrival) {
  Queue queue(2);
  Background first([&] { return queue.dequeue(); });
  ASSERT_TRUE(await_waiting_consumers(queue, 1));
  std::optional<Ints> second;
  const Owned coroutine = take_many(queue, 1, second);
  Background third([&] { return queue.dequeue(); });
  ASSERT_TRUE(await_waiting_consumers(queue, 3));
  ASSERT_EQ(queue.enqueue(1), QueueStatus::ok);
  EXPECT_EQ(*first.get(), 1);
  EXPECT_FALSE(second);
  ASSERT_EQ(queue.enqueue(2), QueueStatus::ok);
  EXPECT_EQ(second, Ints{2});
  ASSERT_EQ(queue.enqueue(3), QueueStatus::ok);
  EXPECT_EQ(*third.get(), 3);
}

// proves: queue-statistics
TEST(Async, StatisticsCountEachWaitOnce) {
  Queue queue(1);
  std::optional<Ints> batch;
  const Owned consumer = take_many(queue, 3, batch);
  EXPECT_EQ(queue.statistics().consumers.waiting, 1U);
  for (int i = 0; i < 3; ++i) ASSERT_EQ(queue.enqueue(i), QueueStatus::ok);
  EXPECT_EQ(batch, (Ints{0, 1, 2}));
  EXPECT_EQ(queue.statistics().consumers.waits, 1U);

  std::optional<QueueStatus> status;
  ASSERT_EQ(queue.enqueue(1), QueueStatus::ok);
  const Owned producer = put(queue, 2, status);
  EXPECT_EQ(queue.waiting_producers(), 1U);
  ASSERT_TRUE(queue.dequeue());
  EXPECT_EQ(status, QueueStatus::ok);
  EXPECT_EQ(queue.statistics().producers.waits, 1U);
}

// ---- Stops

// proves: awaited-stop
TEST(Async, AStopPassesOnWhatTheCallCouldHaveReceived) {
  Queue queue(4);
  std::stop_source source;
  std::optional<Ints> batch;
  std::optional<QueueStatus> status;
  const Owned first = take_many(queue, 2, batch, source.get_token());
  const Owned second = take_one(queue, status);
  ASSERT_EQ(queue.enqueue(1), QueueStatus::ok);
  EXPECT_FALSE(status) << "the first call precedes it";
  source.request_stop();
  EXPECT_TRUE(first.is_over());
  EXPECT_FALSE(batch);
  EXPECT_EQ(status, QueueStatus::ok);
}

// proves: awaited-stop
TEST(Async, AnElementWinsOverAStop) {
  Queue queue(1);
  std::stop_source source;
  source.request_stop();
  ASSERT_EQ(queue.enqueue(1), QueueStatus::ok);
  std::optional<QueueStatus> status;
  const Owned first = take_one(queue, status, source.get_token());
  EXPECT_EQ(status, QueueStatus::ok);
  const Owned second = take_one(queue, status, source.get_token());
  EXPECT_EQ(status, QueueStatus::stopped);
  EXPECT_EQ(queue.waiting_consumers(), 0U);
}

TEST(Async, AClosedQueueDeliversItsElementsFirst) {
  Queue queue(2);
  ASSERT_EQ(queue.enqueue_many(Ints{1, 2}).count, 2U);
  queue.close();
  Ints taken;
  const Owned coroutine = take_all(queue, taken);
  EXPECT_EQ(taken, (Ints{1, 2}));
  EXPECT_TRUE(coroutine.is_over());
}

/// A stop token of another library. It counts its copies, because GCC 12 destroys some temporaries of a co_await twice.
class ForeignToken {
 public:
  class Callbacks {
   public:
    bool requested = false;
    std::vector<std::pair<const void*, void (*)(const void*)>> each;
    void request() {
      requested = true;
      for (const auto& [callback, call] : std::exchange(each, {})) call(callback);
    }
  };

  template <class Function>
  class callback_type {  // NOLINT(readability-identifier-naming): P2300 gives the name
   public:
    callback_type(const ForeignToken& token, Function function)
        : callbacks_(token.callbacks_), function_(std::move(function)) {
      callbacks_->each.emplace_back(this, [](const void* self) {
        const Function called = static_cast<const callback_type*>(self)->function_;
        called();
      });
    }
    callback_type(const callback_type&) = delete;
    callback_type& operator=(const callback_type&) = delete;
    ~callback_type() {
      std::erase_if(callbacks_->each, [this](const auto& callback) { return callback.first == this; });
    }

   private:
    Callbacks* callbacks_;
    Function function_;
  };

  explicit ForeignToken(Callbacks& callbacks) : callbacks_(&callbacks) { ++alive; }
  ForeignToken(const ForeignToken& other) noexcept : callbacks_(other.callbacks_) { ++alive; }
  ForeignToken& operator=(const ForeignToken&) = delete;
  ~ForeignToken() { --alive; }

  [[nodiscard]] bool stop_requested() const noexcept { return callbacks_->requested; }

  inline static int alive = 0;

 private:
  Callbacks* callbacks_;
};

Owned take_with_temporaries(Queue& queue, ForeignToken::Callbacks& callbacks, Pool& pool,
                            std::vector<QueueStatus>& statuses) {
  for (int i = 0; i < 3; ++i) {
    const auto element = co_await queue.async_dequeue({ForeignToken(callbacks), forebay::on(pool)});
    statuses.push_back(element.status());
  }
}

// proves: awaited-stop
TEST(Async, AcceptsTokensOfOtherLibraries) {
  Queue queue(2);
  Pool pool;
  ForeignToken::Callbacks callbacks;
  std::vector<QueueStatus> statuses;
  {
    const Owned coroutine = take_with_temporaries(queue, callbacks, pool, statuses);
    ASSERT_EQ(queue.enqueue(1), QueueStatus::ok);
    EXPECT_EQ(pool.run(), 1U);
    callbacks.request();
    EXPECT_EQ(pool.run(), 1U);
    EXPECT_TRUE(coroutine.is_over());
    EXPECT_EQ(ForeignToken::alive, 0);
  }
  EXPECT_EQ(statuses, (std::vector{QueueStatus::ok, QueueStatus::stopped, QueueStatus::stopped}));
  EXPECT_TRUE(callbacks.each.empty());
}

TEST(Async, ACoordinatorStopsEveryWait) {
  Queue queue(1);
  forebay::Coordinator coordinator;
  std::optional<QueueStatus> first;
  std::optional<QueueStatus> second;
  const Owned one = take_one(queue, first, coordinator);
  const Owned other = take_one(queue, second, coordinator);
  Background thread([&] { return queue.dequeue(coordinator).status(); });
  ASSERT_TRUE(await_waiting_consumers(queue, 3));
  coordinator.request_stop();
  EXPECT_EQ(first, QueueStatus::stopped);
  EXPECT_EQ(second, QueueStatus::stopped);
  EXPECT_EQ(thread.get(), QueueStatus::stopped);
}

Owned stop_itself(Queue& queue, std::stop_source& source, std::vector<QueueStatus>& statuses) {
  for (int i = 0; i < 2; ++i) {
    const auto element = co_await queue.async_dequeue(source.get_token());
    statuses.push_back(element.status());
    source.request_stop();
  }
}

/// The stop callback of the second coroutine runs in the first one, and must not resume it there.
TEST(Async, ACoroutineMayStopAnother) {
  Queue queue(1);
  std::stop_source source;
  std::vector<QueueStatus> statuses;
  std::optional<QueueStatus> status;
  const Owned first = stop_itself(queue, source, statuses);
  const Owned second = take_one(queue, status, source.get_token());
  ASSERT_EQ(queue.enqueue(1), QueueStatus::ok);
  EXPECT_EQ(statuses, (std::vector{QueueStatus::ok, QueueStatus::stopped}));
  EXPECT_EQ(status, QueueStatus::stopped);
}

// ---- Lifetime

// proves: awaited-destruction
TEST(Async, ADestroyedCoroutineLeavesTheQueue) {
  Queue queue(4);
  std::optional<Ints> batch;
  std::optional<QueueStatus> status;
  Owned first = take_many(queue, 2, batch);
  const Owned second = take_one(queue, status);
  ASSERT_EQ(queue.enqueue(1), QueueStatus::ok);
  first.destroy();
  EXPECT_EQ(status, QueueStatus::ok) << "the element is passed on";
  EXPECT_EQ(queue.waiting_consumers(), 0U);
}

// proves: awaited-destruction
TEST(Async, ADestroyedCoroutineReturnsItsBatch) {
  Queue queue(2);
  std::optional<Ints> batch;
  Owned coroutine = take_many(queue, 5, batch);
  for (int i = 0; i < 4; ++i) ASSERT_EQ(queue.enqueue(i), QueueStatus::ok);
  EXPECT_EQ(queue.size(), 4U);
  coroutine.destroy();
  EXPECT_EQ(queue.dequeue_many(4, no_wait).value(), (Ints{0, 1, 2, 3}));
  EXPECT_TRUE(queue.invariants_hold());
}

Owned destroy_other(Queue& queue, std::optional<Owned>& other) {
  static_cast<void>(co_await queue.async_dequeue());
  other.reset();
}

/// Both coroutines are served by one call. The first one runs, and the other one is to run next.
// proves: awaited-destruction
TEST(Async, ACoroutineMayDestroyOneThatIsToRunNext) {
  Queue queue(2);
  std::optional<QueueStatus> status;
  std::optional<Owned> other;
  const Owned first = destroy_other(queue, other);
  other.emplace(take_one(queue, status));
  ASSERT_EQ(queue.enqueue_many(Ints{1, 2}).count, 2U);
  EXPECT_FALSE(status);
  EXPECT_FALSE(other);
}

Owned take_one_and_destroy(Queue& queue, std::vector<Owned>& others, forebay::AwaitOptions options = {}) {
  const auto element = co_await queue.async_dequeue(options);
  EXPECT_EQ(*element, 0);
  while (!others.empty()) others.pop_back();
}

// proves: awaited-destruction
TEST(Async, ACoroutineDestroyedByAnotherOfTheSameCallTakesNothing) {
  for (const forebay::AwaitOptions& options :
       {forebay::AwaitOptions(), forebay::AwaitOptions(forebay::on(resume_at_once))}) {
    Queue queue(6);
    std::vector<Owned> workers;
    std::optional<QueueStatus> status;
    std::optional<Ints> batch;
    const Owned supervisor = take_one_and_destroy(queue, workers, options);
    for (int i = 0; i < 3; ++i) workers.push_back(take_one(queue, status, options));
    workers.push_back(take_many(queue, 2, batch, options));
    ASSERT_EQ(queue.enqueue_many(Ints{0, 1, 2, 3, 4, 5}).count, 6U);
    EXPECT_TRUE(workers.empty());
    EXPECT_EQ(queue.waiting_consumers(), 0U);
    EXPECT_TRUE(queue.invariants_hold());
    EXPECT_EQ(queue.dequeue_many(5, no_wait).value(), (Ints{1, 2, 3, 4, 5}));
    EXPECT_FALSE(status);
    EXPECT_FALSE(batch);
  }
}

Owned destroy_at_close(Queue& queue, std::vector<Owned>& others) {
  const auto element = co_await queue.async_dequeue();
  EXPECT_EQ(element.status(), QueueStatus::closed);
  while (!others.empty()) others.pop_back();
}

/// Takes minutes if each of them walks a list of the others.
TEST(Async, ACoroutineMayDestroyAHundredThousandThatTheSameCallEnds) {
  constexpr int count = 100'000;
  Queue queue(1);
  std::vector<Owned> workers;
  std::optional<QueueStatus> status;
  const Owned supervisor = destroy_at_close(queue, workers);
  for (int i = 0; i < count; ++i) workers.push_back(take_one(queue, status));
  queue.close();
  EXPECT_TRUE(workers.empty());
  EXPECT_FALSE(status);
  EXPECT_EQ(queue.waiting_consumers(), 0U);
}

Owned take_two_and_destroy(Queue& queue, std::optional<Owned>& other) {
  const auto batch = co_await queue.async_dequeue_many(2);
  EXPECT_EQ(batch.status(), QueueStatus::closed);
  other.reset();
}

Owned take_up_to_two(Queue& queue, std::optional<QueueStatus>& status) {
  const auto batch = co_await queue.async_dequeue_up_to(2);
  status = batch.status();
}

// proves: awaited-destruction
TEST(Async, ACoroutineDestroyedDuringACloseTakesNothing) {
  Queue queue(2);
  std::optional<QueueStatus> status;
  std::optional<Owned> other;
  const Owned first = take_two_and_destroy(queue, other);
  other.emplace(take_up_to_two(queue, status));
  ASSERT_EQ(queue.enqueue(1), QueueStatus::ok);
  queue.close();
  EXPECT_FALSE(other);
  EXPECT_FALSE(status);
  EXPECT_EQ(queue.dequeue(no_wait).value(), 1);
}

Owned put_and_destroy(Queue& queue, std::vector<Owned>& others) {
  EXPECT_EQ(co_await queue.async_enqueue(1), QueueStatus::ok);
  others.clear();
}

// proves: awaited-destruction
TEST(Async, ACoroutineDestroyedByAnotherProducerStoresNothing) {
  Queue queue(3);
  ASSERT_EQ(queue.enqueue_many(Ints{7, 8, 9}).count, 3U);
  std::vector<Owned> others;
  std::optional<QueueStatus> status;
  const Owned first = put_and_destroy(queue, others);
  for (int i = 2; i < 4; ++i) others.push_back(put(queue, i, status));
  ASSERT_TRUE(queue.dequeue_many(3));
  EXPECT_TRUE(others.empty());
  EXPECT_FALSE(status);
  EXPECT_EQ(queue.waiting_producers(), 0U);
  EXPECT_EQ(queue.dequeue(no_wait).value(), 1);
  EXPECT_EQ(queue.size(), 0U);
}

Owned take_after_another(Queue& queue, Ints& taken) {
  for (int i = 0; i < 3; ++i) taken.push_back(*co_await queue.async_dequeue());
}

TEST(Async, ACoroutineThatRunsLeavesTheElementsOfThoseThatTheSameCallServes) {
  Queue queue(6);
  Ints first;
  Ints second;
  const Owned one = take_after_another(queue, first);
  const Owned other = take_after_another(queue, second);
  ASSERT_EQ(queue.enqueue_many(Ints{0, 1}).count, 2U);
  EXPECT_EQ(first, Ints{0});
  EXPECT_EQ(second, Ints{1});
  ASSERT_EQ(queue.enqueue_many(Ints{2, 3, 4, 5}).count, 4U);
  EXPECT_TRUE(one.is_over() && other.is_over());
}

// proves: element-at-end
TEST(Async, AtTheEndACallWaitsForWhatACallAheadOfItMayLeave) {
  Queue start(1);
  Queue queue(2);
  Pool pool;
  std::optional<QueueStatus> first;
  std::optional<QueueStatus> second;
  std::optional<Owned> destroyed = take_one(queue, first);
  const Owned behind = take_one(queue, second, forebay::on(pool));
  const Owned closing = take_and_call(start, [&] {
    ASSERT_EQ(queue.enqueue(7), QueueStatus::ok);
    queue.close();
    pool.run();
    EXPECT_FALSE(second) << "the element could be left";
    EXPECT_EQ(queue.dequeue(no_wait).status(), QueueStatus::empty);
    destroyed.reset();
  });
  ASSERT_EQ(start.enqueue(1), QueueStatus::ok);
  pool.run();
  EXPECT_EQ(second, QueueStatus::ok);
  EXPECT_FALSE(first);
  EXPECT_TRUE(queue.invariants_hold());
}

/// Stores two elements, of which the second one waits for room, and then destroys `other`.
Owned put_two_and_destroy(Queue& queue, forebay::AwaitOptions options, std::optional<Owned>& other) {
  EXPECT_EQ(co_await queue.async_enqueue(3), QueueStatus::ok);
  EXPECT_EQ(co_await queue.async_enqueue(4, options), QueueStatus::ok);
  other.reset();
}

// proves: awaited-destruction
TEST(Async, ACoroutineContinuesBeforeTheCallsThatItsElementEnds) {
  Queue queue(2);
  std::optional<QueueStatus> status;
  std::optional<Owned> second;
  std::optional<Owned> producer;
  const Owned first =
      take_and_call(queue, [&] { producer.emplace(put_two_and_destroy(queue, forebay::on(resume_at_once), second)); });
  second.emplace(take_one(queue, status));
  ASSERT_EQ(queue.enqueue_many(Ints{1, 2}).count, 2U);
  EXPECT_EQ(status, QueueStatus::ok) << "the element was destroyed with the coroutine";
  EXPECT_FALSE(second);
  EXPECT_EQ(queue.dequeue_many(2, no_wait).value(), (Ints{3, 4}));
}

/// Destroys a coroutine when a coordinator closes it.
struct DestroysAtClose {
  std::optional<Owned>* coroutine;
  void close() const noexcept { coroutine->reset(); }
};

// proves: awaited-destruction
TEST(Async, AnObjectThatACoordinatorClosesMayDestroyACoroutine) {
  for (const std::size_t way : {0U, 1U, 2U, 3U}) {
    Queue queue(1);
    Queue full(1);
    ASSERT_EQ(full.enqueue(0), QueueStatus::ok);
    Pool pool;
    std::optional<QueueStatus> status;
    std::optional<Owned> consumer;
    std::optional<Owned> producer;
    DestroysAtClose one{&consumer};
    DestroysAtClose other{&producer};
    forebay::Coordinator coordinator;
    const std::array<forebay::AwaitOptions, 4> options = {
        forebay::AwaitOptions(), forebay::on(pool), coordinator, {coordinator, forebay::on(pool)}};
    consumer.emplace(take_one(queue, status, options.at(way)));
    producer.emplace(put(full, 1, status, options.at(way)));
    coordinator.attach(queue);
    coordinator.attach(one);
    coordinator.attach(other);
    coordinator.attach(full);
    coordinator.request_stop();
    EXPECT_FALSE(consumer || producer);
    EXPECT_FALSE(status);
    EXPECT_EQ(pool.size(), 0U);
    EXPECT_EQ(queue.waiting_consumers() + full.waiting_producers(), 0U);
  }
}

/// Enqueues an element when a coordinator closes it.
struct EnqueuesAtClose {
  Queue* queue;
  void close() const noexcept { EXPECT_EQ(queue->enqueue(1), QueueStatus::ok); }
};

// proves: awaited-destruction
TEST(Async, ACoroutineDestroyedWhileACoordinatorStopsLeavesItsElementToOthers) {
  Queue queue(1);
  std::optional<QueueStatus> first_status;
  std::optional<QueueStatus> second_status;
  std::optional<Owned> first(take_one(queue, first_status));
  const Owned second = take_one(queue, second_status);
  EnqueuesAtClose enqueues{&queue};
  DestroysAtClose destroys{&first};
  forebay::Coordinator coordinator;
  coordinator.attach(enqueues);
  coordinator.attach(destroys);
  coordinator.request_stop();
  EXPECT_FALSE(first_status);
  EXPECT_EQ(second_status, QueueStatus::ok);
}

Owned destroy_queue(std::optional<Queue>& queue) {
  const auto element = co_await queue->async_dequeue();
  EXPECT_TRUE(element);
  queue.reset();
}

// proves: destroy-queue
TEST(Async, TheQueueMayBeDestroyedAfterTheLastElement) {
  std::optional<Queue> queue(std::in_place, 1);
  const Owned coroutine = destroy_queue(queue);
  EXPECT_EQ(queue->enqueue(1), QueueStatus::ok);
  EXPECT_FALSE(queue);
}

TEST(Async, BeginsWhenItIsAwaited) {
  Queue queue(1);
  ASSERT_EQ(queue.enqueue(1), QueueStatus::ok);
  {
    auto call = queue.async_dequeue();
    auto moved = std::move(call);
    static_cast<void>(moved);
  }
  EXPECT_EQ(queue.size(), 1U);
  EXPECT_EQ(queue.waiting_consumers(), 0U);
}

// NOLINTBEGIN(readability-identifier-naming,readability-convert-member-functions-to-static)
/// A coroutine type as that of P2300's connect: it awaits whatever it is given.
struct Connected {
  struct promise_type {
    Connected get_return_object() noexcept { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() noexcept {}
    void unhandled_exception() noexcept { std::terminate(); }
    template <class Awaited>
    Awaited&& await_transform(Awaited&& awaited) noexcept {
      return std::forward<Awaited>(awaited);
    }
  };
};

// NOLINTEND(readability-identifier-naming,readability-convert-member-functions-to-static)

using Sender = decltype(std::declval<Queue&>().async_dequeue());

Connected connect(Sender sender, std::optional<int>& received) {
  const auto element = co_await std::move(sender);
  received = *element;
}

TEST(Async, IsASenderBecauseItIsAwaitable) {
  Queue queue(1);
  std::optional<int> received;
  Sender call = queue.async_dequeue();
  static_assert(std::is_nothrow_move_constructible_v<decltype(queue.async_dequeue_many(2))>);
  static_assert(
      !std::is_invocable_v<decltype([](auto& awaited) -> decltype(awaited.operator co_await()) {}), decltype(call)&>);
  connect(std::move(call), received);
  ASSERT_EQ(queue.enqueue(7), QueueStatus::ok);
  EXPECT_EQ(received, 7);
}

// ---- Enqueue

using Pointer = std::unique_ptr<int>;

Owned put_pointer(forebay::FIFOQueue<Pointer>& queue, Pointer& element, std::optional<QueueStatus>& status,
                  forebay::AwaitOptions options = {}) {
  status = co_await queue.async_enqueue(std::move(element), options);
}

// proves: ends-early
TEST(Async, AnEnqueueThatFailsLeavesItsArgumentUntouched) {
  forebay::FIFOQueue<Pointer> queue(1);
  ASSERT_EQ(queue.enqueue(std::make_unique<int>(1)), QueueStatus::ok);
  std::stop_source source;
  Pointer element = std::make_unique<int>(2);
  std::optional<QueueStatus> status;
  const Owned stopped = put_pointer(queue, element, status, source.get_token());
  source.request_stop();
  EXPECT_EQ(status, QueueStatus::stopped);
  ASSERT_NE(element, nullptr);

  const Owned cancelled = put_pointer(queue, element, status);
  queue.close(forebay::cancel_pending_enqueues);
  EXPECT_EQ(status, QueueStatus::closed);
  EXPECT_NE(element, nullptr);
}

TEST(Async, AnEnqueueThatWaitsTakesItsArgumentWhenThereIsRoom) {
  forebay::FIFOQueue<Pointer> queue(1);
  ASSERT_EQ(queue.enqueue(std::make_unique<int>(1)), QueueStatus::ok);
  Pointer element = std::make_unique<int>(2);
  std::optional<QueueStatus> status;
  const Owned coroutine = put_pointer(queue, element, status);
  EXPECT_NE(element, nullptr);
  EXPECT_EQ(**queue.dequeue(), 1);
  EXPECT_EQ(element, nullptr);
  EXPECT_EQ(**queue.dequeue(no_wait), 2);
}

Owned put_later(forebay::FIFOQueue<std::string>& queue, std::optional<QueueStatus>& status) {
  std::string text = "copied at the call";
  auto call = queue.async_enqueue(text);
  text = "changed";
  status = co_await std::move(call);
}

TEST(Async, AnEnqueueOfAnLvalueHoldsACopy) {
  forebay::FIFOQueue<std::string> queue(1);
  std::optional<QueueStatus> status;
  const Owned coroutine = put_later(queue, status);
  EXPECT_EQ(status, QueueStatus::ok);
  EXPECT_EQ(*queue.dequeue(), "copied at the call");
}

template <class Range>
Owned put_many(Queue& queue, Range range, std::optional<std::size_t>& count, forebay::AwaitOptions options = {}) {
  const auto result = co_await queue.async_enqueue_many(std::move(range), options);
  count = result.count;
}

TEST(Async, EnqueueManyStoresWhatFitsAndAwaitsTheRest) {
  Queue queue(2);
  std::stop_source source;
  std::optional<std::size_t> count;
  const Owned coroutine = put_many(queue, Ints{1, 2, 3, 4, 5}, count, source.get_token());
  EXPECT_EQ(*queue.dequeue(), 1);
  EXPECT_EQ(queue.size(), 2U);
  source.request_stop();
  EXPECT_EQ(count, 3U);
}

Owned put_copies(forebay::FIFOQueue<std::string>& queue, std::vector<std::string>& texts,
                 std::optional<std::size_t>& count) {
  auto call = queue.async_enqueue_many(texts);
  texts.emplace_back("three");
  const auto result = co_await std::move(call);
  count = result.count;
}

TEST(Async, EnqueueManyCopiesAnLvalueWhenItIsAwaited) {
  forebay::FIFOQueue<std::string> queue(1);
  std::vector<std::string> texts = {"one", "two"};
  std::optional<std::size_t> count;
  const Owned coroutine = put_copies(queue, texts, count);
  EXPECT_EQ(texts, (std::vector<std::string>{"one", "two", "three"}));
  queue.close();
  EXPECT_EQ(queue.dequeue_up_to(3).value(), texts);
  EXPECT_EQ(count, 3U);
}

// ---- Failures

struct MoveFails : std::runtime_error {
  MoveFails() : std::runtime_error("this move fails") {}
};

/// A copy throws on request, and a move copies.
struct Fragile {
  explicit Fragile(int of) : value(of) {}
  Fragile(const Fragile& other) : value(other.value) {
    if (fails) throw MoveFails();
  }
  Fragile& operator=(const Fragile&) = delete;
  int value;
  inline static bool fails = false;
};

Owned take_fragile(forebay::FIFOQueue<Fragile>& queue, bool& failed) {
  try {
    static_cast<void>(co_await queue.async_dequeue_up_to(2));
  } catch (const MoveFails&) {
    failed = true;
  }
}

// proves: dequeue-throws
TEST(Async, AMoveThatThrowsIsRethrownInTheCoroutine) {
  forebay::FIFOQueue<Fragile> queue(2);
  bool failed = false;
  const Owned coroutine = take_fragile(queue, failed);
  ASSERT_EQ(queue.enqueue(Fragile(1)), QueueStatus::ok);
  Fragile::fails = true;
  queue.close();  // serves the coroutine
  Fragile::fails = false;
  EXPECT_TRUE(failed);
  EXPECT_EQ(queue.waiting_consumers(), 0U);
  EXPECT_EQ(queue.dequeue()->value, 1);
}

Owned take_until_cause(Queue& queue, std::string& text) {
  try {
    while (co_await queue.async_dequeue()) {
    }
  } catch (const std::runtime_error& error) {
    text = error.what();
  }
}

TEST(Async, TheCauseIsThrownAfterTheElements) {
  Queue queue(2);
  std::string text;
  const Owned coroutine = take_until_cause(queue, text);
  queue.close(std::make_exception_ptr(std::runtime_error("the disk")));
  EXPECT_EQ(text, "the disk");
}

TEST(Async, ImpossibleCountsAreRejectedAtTheCall) {
  forebay::PriorityQueue<int> queue(2);
  EXPECT_THROW(static_cast<void>(queue.async_dequeue_many(3)), std::invalid_argument);
  try {
    static_cast<void>(queue.async_dequeue_up_to(-1));
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("async_dequeue_up_to: count"), std::string::npos);
  }
}

// ---- Kinds of queues

template <class AnyQueue, class Batch>
Owned take_batch(AnyQueue& queue, int count, std::optional<Batch>& taken) {
  auto batch = co_await queue.async_dequeue_many(count);
  if (batch) taken.emplace(*std::move(batch));
}

TEST(Async, MinAfterDequeueIsKept) {
  forebay::RandomShuffleQueue<int> queue({.capacity = 4, .min_after_dequeue = 2, .seed = 1});
  std::optional<Ints> batch;
  const Owned coroutine = take_batch(queue, 2, batch);
  ASSERT_EQ(queue.enqueue_many(Ints{1, 2, 3}).count, 3U);
  EXPECT_FALSE(batch);
  ASSERT_EQ(queue.enqueue(4), QueueStatus::ok);
  EXPECT_TRUE(batch);
  EXPECT_EQ(queue.size(), 2U);
}

TEST(Async, BatchesArePadded) {
  forebay::PaddingFIFOQueue<Ints> queue(4, {.pad_value = -1});
  std::optional<forebay::PaddedBatch<Ints>> batch;
  const Owned coroutine = take_batch(queue, 2, batch);
  ASSERT_EQ(queue.enqueue_many(std::vector<Ints>{{1, 2}, {3}}).count, 2U);
  ASSERT_TRUE(batch);
  EXPECT_EQ((*batch)(1, 1), -1);
  EXPECT_EQ(batch->length(1), 1U);
}

Owned take_into(Queue& queue, std::vector<Ints>& taken, std::vector<QueueStatus>& statuses) {
  Ints batch;
  const auto took = [&](QueueStatus status) {
    statuses.push_back(status);
    taken.push_back(batch);
  };
  took(co_await queue.async_dequeue_many(2, batch));
  took(co_await queue.async_dequeue_available(5, batch));
  took(co_await queue.async_dequeue_up_to(3, batch));
  took(co_await queue.async_dequeue_many(0, batch));
  took(co_await queue.async_dequeue_many(1, batch));
}

TEST(Async, BatchesReuseStorage) {
  Queue queue(4);
  std::vector<Ints> taken;
  std::vector<QueueStatus> statuses;
  const Owned coroutine = take_into(queue, taken, statuses);
  ASSERT_EQ(queue.enqueue_many(Ints{1, 2}).count, 2U);
  ASSERT_EQ(queue.enqueue(3), QueueStatus::ok);
  ASSERT_EQ(queue.enqueue(4), QueueStatus::ok);
  queue.close();
  EXPECT_EQ(taken, (std::vector<Ints>{{1, 2}, {3}, {4}, {}, {}}));
  EXPECT_EQ(statuses,
            (std::vector{QueueStatus::ok, QueueStatus::ok, QueueStatus::ok, QueueStatus::ok, QueueStatus::closed}));
}

TEST(Async, ABatchInStepsStaysInOrder) {
  constexpr int count = 5'000;  // more than one hold of a lock moves
  Queue queue(count);
  std::optional<Ints> batch;
  const Owned consumer = take_many(queue, count, batch);
  Ints all(count);
  std::iota(all.begin(), all.end(), 0);
  std::optional<std::size_t> stored;
  const Owned producer = put_many(queue, all, stored);
  EXPECT_EQ(stored, std::size_t{count});
  EXPECT_EQ(batch, all);
}

// ---- Many threads

Detached consume(Queue& queue, Pool& pool, std::stop_token stop, std::atomic<long>& sum, std::atomic<int>& ended) {
  while (auto element = co_await queue.async_dequeue({stop, forebay::on(pool)})) sum += *element;
  ++ended;
}

Detached produce(Queue& queue, int count, std::atomic<int>& ended) {
  for (int i = 1; i <= count; ++i) EXPECT_EQ(co_await queue.async_enqueue(i), QueueStatus::ok);
  ++ended;
}

// proves: awaited-calls
TEST(Async, ThreadsAndCoroutinesShareAQueue) {
  constexpr int count = 2'000;
  Queue queue(3);
  Pool pool;
  std::stop_source source;
  std::atomic<long> sum = 0;
  std::atomic<int> produced = 0;
  std::atomic<int> consumed = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 2; ++i) {
      threads.emplace_back([&](const std::stop_token& stop) {
        while (!stop.stop_requested()) {
          if (pool.run() == 0) std::this_thread::yield();
        }
      });
      threads.emplace_back([&] {
        for (int n = 0; n < count; ++n) {
          const auto element = queue.dequeue(source.get_token());
          if (!element) return;
          sum += *element;
        }
      });
    }
    for (int i = 0; i < 3; ++i) consume(queue, pool, source.get_token(), sum, consumed);
    for (int i = 0; i < 2; ++i) produce(queue, count, produced);
    for (int n = 1; n <= count; ++n) ASSERT_EQ(queue.enqueue(n), QueueStatus::ok);
    ASSERT_TRUE(await([&] { return produced == 2; }));
    ASSERT_TRUE(await([&] { return queue.size() == 0; }));
    source.request_stop();
    ASSERT_TRUE(await([&] { return consumed == 3; }));
  }
  EXPECT_EQ(sum, 3L * count * (count + 1) / 2);
  EXPECT_TRUE(queue.invariants_hold());
}

}  // namespace
}  // namespace forebay_test
