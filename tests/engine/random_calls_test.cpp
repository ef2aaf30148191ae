// SPDX-License-Identifier: MIT
//
// random_calls_test.cpp: random calls of many threads on small queues whose batches move in steps of a few elements. So
// batches that gather, calls that give up, coroutines that are stopped, elements that were given back, and enqueues
// that drop elements meet in every combination. At the end, calls that wait for the last elements of one queue or of
// several meet with a close.

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "forebay/async.hpp"
#include "forebay/blocking_queue.hpp"
#include "forebay/dequeue_any.hpp"
#include "forebay/engine/sides.hpp"
#include "forebay/fifo_queue.hpp"
#include "forebay/overflow.hpp"
#include "forebay/padding_fifo_queue.hpp"
#include "forebay/priority_queue.hpp"
#include "forebay/queue_status.hpp"
#include "forebay/random_shuffle_queue.hpp"
#include "forebay/wait.hpp"
#include "tests/support/await.hpp"
#include "tests/support/coroutines.hpp"
#include "tests/support/dice.hpp"
#include "tests/support/iterations.hpp"
#include "tests/support/name_of_parameter.hpp"
#include "tests/support/small_steps_sync.hpp"
#include "tests/support/tally.hpp"
#include "tests/support/threads.hpp"

namespace forebay_test {
namespace {

using forebay::QueueStatus;
using SmallStepsWait = forebay::BasicWait<SmallStepsSync>;

/// An element whose moves may throw for the compiler, so that batches copy it before they remove it.
struct Copied {
  explicit Copied(std::uint64_t its_number) : number(its_number) {}
  Copied(const Copied& other) noexcept(false) : number(other.number) {}  // NOLINT
  Copied& operator=(const Copied&) = default;
  ~Copied() = default;
  std::uint64_t number;
};
std::uint64_t number_of(const Copied& element) { return element.number; }
std::uint64_t number_of(std::uint64_t element) { return element; }

template <class Element, bool of_arrival = true, bool may_gather = true>
struct KindOf {
  using T = Element;
  static constexpr bool keeps_order = of_arrival;
  static constexpr bool accumulates = may_gather;
};
struct Fifo : KindOf<std::uint64_t> {
  static std::string name() { return "FIFOQueue"; }
  static auto make(std::size_t capacity) { return forebay::FIFOQueue<T, SmallStepsSync>(capacity); }
};
struct FifoOfCopies : KindOf<Copied> {
  static std::string name() { return "FIFOQueueOfCopies"; }
  static auto make(std::size_t capacity) { return forebay::FIFOQueue<T, SmallStepsSync>(capacity); }
};
struct Padding : KindOf<std::uint64_t> {
  static std::string name() { return "PaddingFIFOQueue"; }
  static auto make(std::size_t capacity) { return forebay::PaddingFIFOQueue<T, SmallStepsSync>(capacity); }
};
struct Shuffle : KindOf<std::uint64_t, false> {
  static std::string name() { return "RandomShuffleQueue"; }
  static auto make(std::size_t capacity) {
    return forebay::RandomShuffleQueue<T, SmallStepsSync>(
        {.capacity = capacity, .min_after_dequeue = capacity / 2, .seed = 1});
  }
};
struct Priority : KindOf<std::uint64_t, false, false> {
  static std::string name() { return "PriorityQueue"; }
  static auto make(std::size_t capacity) { return forebay::PriorityQueue<T, std::less<>, SmallStepsSync>(capacity); }
};

/// What the threads of a test put in and got out.
struct Totals {
  Tally in;
  Tally out;
  std::atomic<std::uint64_t> dropped = 0;
};

/// The random calls of one thread.
template <class Kind, class Queue>
class Caller {
  using T = typename Kind::T;

 public:
  Caller(Queue& queue, Totals& totals, int thread) : queue_(queue), totals_(totals), dice_(thread) {}

  void put_something() {
    if (Kind::keeps_order && dice_.up_to(2) == 1) return put_or_drop();
    if (dice_.up_to(2) == 1) return put_one();
    std::vector<T> several;
    for (std::size_t count = dice_.up_to(12); count > 0; --count) several.emplace_back(dice_.number());
    const auto result = queue_.enqueue_many(several, wait());
    for (std::size_t i = 0; i < result.count; ++i) totals_.in.add(number_of(several[i]));
  }

  void take_something() {
    if (dice_.up_to(4) > 1) return take_now();
    const std::stop_source stop;
    await_batch(queue_, totals_, any_count(), stop.get_token());
    take_now();
    stop.request_stop();
  }

 private:
  SmallStepsWait wait() { return dice_.any_wait<SmallStepsWait>(); }

  std::size_t any_count() { return dice_.up_to(Kind::accumulates ? 6 * queue_.capacity() : queue_.capacity()); }

  void take_now() {
    const std::size_t count = any_count();
    switch (dice_.up_to(4)) {
      case 1: {
        const auto element = queue_.dequeue(wait());
        if (element) totals_.out.add(number_of(*element));
        return;
      }
      case 2: return take(queue_.dequeue_many(count, wait()), totals_);
      case 3: return take(queue_.dequeue_up_to(count, wait()), totals_);
      default: return take(queue_.dequeue_available(count, wait()), totals_);
    }
  }

  /// Continues in any thread that ends the wait.
  static Detached await_batch(Queue& queue, Totals& totals, std::size_t count, std::stop_token stop) {
    const auto batch = co_await queue.async_dequeue_many(count, stop);
    take(batch, totals);
  }

  void put_one() {
    const std::uint64_t number = dice_.number();
    if (queue_.enqueue(T(number), wait()) == QueueStatus::ok) totals_.in.add(number);
  }

  void put_or_drop() {
    if constexpr (Kind::keeps_order) {
      const std::uint64_t number = dice_.number();
      std::optional<T> dropped;
      const QueueStatus status = dice_.up_to(3) == 1 ? queue_.enqueue(T(number), forebay::drop_newest)
                                                     : queue_.enqueue(T(number), forebay::drop_oldest, dropped);
      if (status == QueueStatus::ok) totals_.in.add(number);
      if (dropped) totals_.out.add(number_of(*dropped));
      if (status == QueueStatus::full || dropped) ++totals_.dropped;
    }
  }

  template <class Batch>
  static void take(const Batch& batch, Totals& totals) {
    if (!batch) return;
    std::map<std::uint64_t, std::uint64_t> latest;  // of each producer
    for (const auto& element : *batch) {
      const std::uint64_t number = number_of(element);
      totals.out.add(number);
      if (!Kind::keeps_order) continue;
      std::uint64_t& before = latest[number >> 32];
      EXPECT_LE(before, number) << "the elements of a producer left in another order";
      before = number;
    }
  }

  Queue& queue_;
  Totals& totals_;
  Dice dice_;
};

template <class Kind>
class RandomCalls : public testing::Test {};
using Kinds = testing::Types<Fifo, FifoOfCopies, Padding, Shuffle, Priority>;
TYPED_TEST_SUITE(RandomCalls, Kinds, NameOfParameter);

// proves: ends-early, large-batch, overflow
TYPED_TEST(RandomCalls, InSmallStepsLoseNothing) {
  for (const std::size_t capacity : {1U, 2U, 5U, 9U}) {
    auto queue = TypeParam::make(capacity);
    using ThisCaller = Caller<TypeParam, decltype(queue)>;
    const int each = iterations(2'000);
    Totals totals;
    std::atomic<int> putting = 3;
    {
      const auto producers = start(3, [&](int thread) {
        ThisCaller caller(queue, totals, thread);
        for (int i = 0; i < each; ++i) caller.put_something();
        --putting;
      });
      const auto consumers = start(3, [&](int thread) {
        ThisCaller caller(queue, totals, thread + 100);
        while (putting > 0) caller.take_something();
      });
      while (putting > 0) {
        ASSERT_TRUE(queue.invariants_hold());
        std::this_thread::yield();
      }
    }
    EXPECT_TRUE(queue.invariants_hold());
    EXPECT_EQ(queue.size(), totals.in.count() - totals.out.count());
    EXPECT_EQ(queue.statistics().dropped, totals.dropped);
    EXPECT_EQ(queue.waiting_producers() + queue.waiting_consumers(), 0U);
    queue.close();
    while (const auto element = queue.dequeue()) totals.out.add(number_of(*element));
    EXPECT_EQ(totals.in, totals.out);
  }
}

/// Takes elements from two queues: from each until it can get no more, and one or none from either. Each of
/// `thread_count` threads does so in another way.
template <class Queue>
class TakerToTheEnd {
 public:
  static constexpr int thread_count = 6;
  static constexpr std::size_t waiting_at_each = 4;  // while the queues are empty

  TakerToTheEnd(Queue& first, Queue& second, Tally& taken) : first_(first), second_(second), taken_(taken) {}

  void run(int thread, const std::stop_token& stop) {
    switch (thread) {
      case 0: return take_from_any(SmallStepsWait());
      case 1: return take_elements();
      case 2: return take_batches();
      case 3: await_elements(first_, taken_, {}); return;
      case 4: await_elements(second_, taken_, forebay::on(resume_at_once)); return;
      default: return take_from_any(stop);
    }
  }

 private:
  void take_from_any(const SmallStepsWait& wait) {
    const auto from = forebay::dequeue_any(wait, first_, second_);
    if (from) taken_.add(number_of(from->element));
  }
  void take_elements() {
    while (const auto element = first_.dequeue()) taken_.add(number_of(*element));
  }
  void take_batches() {
    while (const auto batch = second_.dequeue_up_to(2)) {
      for (const auto& element : *batch) taken_.add(number_of(element));
    }
  }
  static Detached await_elements(Queue& queue, Tally& taken, forebay::BasicAwaitOptions<SmallStepsSync> options) {
    while (const auto element = co_await queue.async_dequeue(options)) taken.add(number_of(*element));
  }

  Queue& first_;
  Queue& second_;
  Tally& taken_;
};

// proves: element-at-end, discard
TYPED_TEST(RandomCalls, AtTheEndOfTwoQueuesLeaveNothing) {
  Dice dice(0);
  for (int round = iterations(200); round > 0; --round) {
    auto first = TypeParam::make(1 + dice.up_to(3));
    auto second = TypeParam::make(2);
    Tally in;
    Tally out;
    const bool discards = dice.up_to(4) == 1;
    {
      std::stop_source stop;
      using Taker = TakerToTheEnd<decltype(first)>;
      const auto consumers =
          start(Taker::thread_count, [&](int thread) { Taker(first, second, out).run(thread, stop.get_token()); });
      if (dice.up_to(4) > 1) {
        await_waiting_consumers(first, Taker::waiting_at_each);
        await_waiting_consumers(second, Taker::waiting_at_each);
      }
      for (std::size_t calls = dice.up_to(8); calls > 0; --calls) {
        auto& queue = dice.up_to(2) == 1 ? first : second;
        const std::uint64_t number = dice.number();
        if (queue.enqueue(typename TypeParam::T(number), forebay::no_wait) == QueueStatus::ok) in.add(number);
        if (dice.up_to(3) == 1) std::this_thread::yield();
      }
      if (dice.up_to(2) == 1) stop.request_stop();
      for (auto* queue : {&first, &second}) {
        discards ? queue->close(forebay::discard_elements) : queue->close();
        EXPECT_TRUE(!discards || queue->size() == 0);
      }
    }
    ASSERT_EQ(first.size() + second.size(), 0U) << "the calls ended, but left elements";
    ASSERT_TRUE(first.invariants_hold() && second.invariants_hold());
    ASSERT_EQ(first.waiting_consumers() + second.waiting_consumers(), 0U);
    EXPECT_TRUE(discards || in == out) << in << " went in, " << out << " came out";
  }
}

}  // namespace
}  // namespace forebay_test
