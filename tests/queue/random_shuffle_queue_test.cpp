// SPDX-License-Identifier: MIT
//
// random_shuffle_queue_test.cpp: how a RandomShuffleQueue draws, and how many elements it retains.

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <set>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "forebay/queue_status.hpp"
#include "forebay/random_shuffle_queue.hpp"
#include "forebay/wait.hpp"
#include "tests/support/await.hpp"
#include "tests/support/background.hpp"
#include "tests/support/blocking_operations.hpp"
#include "tests/support/contains.hpp"
#include "tests/support/elements.hpp"
#include "tests/support/numbers.hpp"
#include "tests/support/scaled_time.hpp"
#include "tests/support/thrown.hpp"

namespace forebay_test {
namespace {

using forebay::no_wait;
using forebay::RandomShuffleQueue;

std::vector<int> order_of(int count, std::optional<std::uint64_t> seed) {
  RandomShuffleQueue<int> queue({.capacity = count, .seed = seed});
  EXPECT_EQ(queue.enqueue_many(numbers(count)).status, QueueStatus::ok);
  std::vector<int> order;
  while (const auto element = queue.dequeue(no_wait)) order.push_back(*element);
  return order;
}

// ---- The order

// An independent implementation of the generator, the bounded draw and the shuffle computed these sequences.
TEST(RandomShuffleQueue, DrawsTheSameSequenceOnEveryPlatform) {
  EXPECT_EQ(order_of(10, 7), (std::vector<int>{7, 3, 8, 9, 1, 4, 6, 0, 2, 5}));
  EXPECT_EQ(order_of(10, 0), (std::vector<int>{6, 7, 2, 5, 8, 9, 1, 4, 3, 0}));
}

TEST(RandomShuffleQueue, DrawsABatchInTheSameSequenceOnEveryPlatform) {
  RandomShuffleQueue<int> queue({.capacity = 10, .seed = 7});
  ASSERT_EQ(queue.enqueue_many(numbers(10)).status, QueueStatus::ok);
  EXPECT_EQ(queue.dequeue_many(4).value(), (std::vector<int>{7, 3, 8, 9}));
  EXPECT_EQ(queue.dequeue_many(6).value(), (std::vector<int>{1, 4, 6, 0, 2, 5}));
}

TEST(RandomShuffleQueue, DrawsDifferentlyForDifferentSeeds) {
  std::set<std::vector<int>> orders;
  for (std::uint64_t seed = 0; seed < 100; ++seed) orders.insert(order_of(20, seed));
  EXPECT_EQ(orders.size(), 100U);
}

TEST(RandomShuffleQueue, DrawsDifferentlyEachTimeWithoutSeed) {
  std::set<std::vector<int>> orders;
  for (int i = 0; i < 20; ++i) orders.insert(order_of(20, std::nullopt));
  EXPECT_GT(orders.size(), 18U);
}

/// The chi-square statistic of counts that are expected to be equal.
double chi_square(const std::vector<int>& counts, int draws) {
  const double expected = static_cast<double>(draws) / static_cast<double>(counts.size());
  double sum = 0;
  for (const int count : counts) sum += (count - expected) * (count - expected) / expected;
  return sum;
}

// With 9 degrees of freedom, one seed in a thousand exceeds this by chance. The seeds are fixed.
constexpr double improbable = 27.9;

TEST(RandomShuffleQueue, FirstDrawIsUniformOverWhatIsStored) {
  constexpr int draws = 20000;
  RandomShuffleQueue<int> queue({.capacity = 10, .seed = 1});
  std::vector<int> counts(10);
  ASSERT_EQ(queue.enqueue_many(numbers(10)).status, QueueStatus::ok);
  for (int i = 0; i < draws; ++i) {
    const int drawn = queue.dequeue().value();
    ++counts[static_cast<std::size_t>(drawn)];
    ASSERT_EQ(queue.enqueue(drawn), QueueStatus::ok);
  }
  EXPECT_LT(chi_square(counts, draws), improbable);
}

TEST(RandomShuffleQueue, EveryPlaceInABatchIsUniformOverWhatIsStored) {
  constexpr int draws = 20000;
  std::vector<std::vector<int>> counts(10, std::vector<int>(10));
  for (int seed = 0; seed < draws; ++seed) {
    const auto order = order_of(10, static_cast<std::uint64_t>(seed));
    for (std::size_t place = 0; place < 10; ++place) ++counts[place][static_cast<std::size_t>(order[place])];
  }
  for (std::size_t place = 0; place < 10; ++place) {
    EXPECT_LT(chi_square(counts[place], draws), improbable) << "at place " << place;
  }
}

TEST(RandomShuffleQueue, MixesWhatCameEarlyWithWhatCameLate) {
  RandomShuffleQueue<int> queue({.capacity = 10, .min_after_dequeue = 9, .seed = 3});
  ASSERT_EQ(queue.enqueue_many(numbers(9)).status, QueueStatus::ok);
  int longest_stay = 0;
  for (int i = 9; i < 1000; ++i) {
    ASSERT_EQ(queue.enqueue(i), QueueStatus::ok);
    longest_stay = std::max(longest_stay, i - queue.dequeue().value());
  }
  EXPECT_GT(longest_stay, 30);
}

// ---- min_after_dequeue

TEST(RandomShuffleQueue, KeepsMinAfterDequeueWhileOpen) {
  RandomShuffleQueue<int> queue({.capacity = 10, .min_after_dequeue = 4, .seed = 1});
  ASSERT_EQ(queue.enqueue_many(numbers(6)).status, QueueStatus::ok);
  EXPECT_EQ(queue.dequeue(no_wait).status(), QueueStatus::ok);
  EXPECT_EQ(queue.dequeue(no_wait).status(), QueueStatus::ok);
  EXPECT_EQ(queue.dequeue(no_wait).status(), QueueStatus::empty);
  EXPECT_EQ(queue.size(), 4U);
}

TEST(RandomShuffleQueue, KeepsMinAfterDequeueFromABatch) {
  RandomShuffleQueue<int> queue({.capacity = 10, .min_after_dequeue = 4, .seed = 1});
  ASSERT_EQ(queue.enqueue_many(numbers(7)).status, QueueStatus::ok);
  EXPECT_EQ(queue.dequeue_many(4, no_wait).status(), QueueStatus::empty);
  EXPECT_EQ(queue.dequeue_up_to(4, no_wait).status(), QueueStatus::empty);
  EXPECT_EQ(queue.dequeue_available(9, no_wait)->size(), 3U);
  EXPECT_EQ(queue.dequeue_available(9, no_wait).status(), QueueStatus::empty);
}

TEST(RandomShuffleQueue, BatchOfNothingIsThereWhateverHasToStay) {
  RandomShuffleQueue<int> queue({.capacity = 10, .min_after_dequeue = 5, .seed = 1});
  EXPECT_EQ(queue.dequeue_many(0, no_wait).status(), QueueStatus::ok);
}

TEST(RandomShuffleQueue, WaitsUntilMinAfterDequeueWouldStay) {
  RandomShuffleQueue<int> queue({.capacity = 10, .min_after_dequeue = 4, .seed = 1});
  ASSERT_EQ(queue.enqueue_many(numbers(4)).status, QueueStatus::ok);
  Background batch([&] { return queue.dequeue_many(3); });
  ASSERT_TRUE(await_waiting_consumers(queue, 1));
  ASSERT_EQ(queue.enqueue_many(numbers(2, 4)).status, QueueStatus::ok);
  EXPECT_EQ(queue.waiting_consumers(), 1U);
  ASSERT_EQ(queue.enqueue(6), QueueStatus::ok);
  EXPECT_EQ(batch.get()->size(), 3U);
  EXPECT_EQ(queue.size(), 4U);
}

TEST(RandomShuffleQueue, WaivesMinAfterDequeueAtClose) {
  RandomShuffleQueue<int> queue({.capacity = 10, .min_after_dequeue = 4, .seed = 1});
  ASSERT_EQ(queue.enqueue_many(numbers(4)).status, QueueStatus::ok);
  queue.close();
  EXPECT_EQ(sorted(queue.dequeue_many(4).value()), numbers(4));
  EXPECT_EQ(queue.dequeue().status(), QueueStatus::closed);
}

TEST(RandomShuffleQueue, WaivesMinAfterDequeueAtCloseThoughAnEnqueueWaits) {
  RandomShuffleQueue<int> queue({.capacity = 4, .min_after_dequeue = 3, .seed = 1});
  ASSERT_EQ(queue.enqueue_many(numbers(4)).status, QueueStatus::ok);
  Background producer([&] { return queue.enqueue(4); });
  ASSERT_TRUE(await_waiting_producers(queue, 1));
  queue.close();
  EXPECT_EQ(queue.dequeue_many(4, no_wait).status(), QueueStatus::ok);
  EXPECT_EQ(producer.get(), QueueStatus::ok);
}

TEST(RandomShuffleQueue, CloseServesConsumersThatWaitedForMinAfterDequeue) {
  RandomShuffleQueue<int> queue({.capacity = 10, .min_after_dequeue = 4, .seed = 1});
  ASSERT_EQ(queue.enqueue_many(numbers(4)).status, QueueStatus::ok);
  Background one([&] { return queue.dequeue().status(); });
  Background many([&] { return queue.dequeue_many(3).status(); });
  ASSERT_TRUE(await_waiting_consumers(queue, 2));
  queue.close();
  EXPECT_EQ(one.get(), QueueStatus::ok);
  EXPECT_EQ(many.get(), QueueStatus::ok);
}

TEST(RandomShuffleQueue, ServesABatchLargerThanWhatMinAfterDequeueLeaves) {
  RandomShuffleQueue<int> queue({.capacity = 10, .min_after_dequeue = 8, .seed = 1});
  Background batch([&] { return queue.dequeue_many(5); });
  ASSERT_EQ(queue.enqueue_many(numbers(13)).status, QueueStatus::ok);
  auto all = batch.get().value();
  EXPECT_EQ(all.size(), 5U);
  EXPECT_EQ(queue.size(), 8U);
  queue.close();
  for (const int element : queue) all.push_back(element);
  EXPECT_EQ(sorted(all), numbers(13));
}

TEST(RandomShuffleQueue, UnboundedKeepsMinAfterDequeue) {
  RandomShuffleQueue<int> queue({.capacity = forebay::unbounded, .min_after_dequeue = 100, .seed = 1});
  ASSERT_EQ(queue.enqueue_many(numbers(150)).status, QueueStatus::ok);
  EXPECT_EQ(queue.dequeue_available(1000, no_wait)->size(), 50U);
  EXPECT_EQ(queue.dequeue(no_wait).status(), QueueStatus::empty);
}

TEST(RandomShuffleQueue, BatchThatWasGivenBackIsDrawnFromAgain) {
  RandomShuffleQueue<int> queue({.capacity = 4, .seed = 1});
  std::stop_source stop;
  Background batch([&] { return queue.dequeue_many(9, stop.get_token()).status(); });
  ASSERT_EQ(queue.enqueue_many(numbers(6)).status, QueueStatus::ok);
  stop.request_stop();
  EXPECT_EQ(batch.get(), QueueStatus::stopped);
  EXPECT_EQ(queue.size(), 6U);
  const auto drawn = queue.dequeue_many(5).value();
  EXPECT_NE(drawn, numbers(5));
  auto all = drawn;
  while (const auto element = queue.dequeue(no_wait)) all.push_back(*element);
  EXPECT_EQ(sorted(all), numbers(6));
}

// ---- A window

std::vector<int> order_in_window(int count, int window) {
  RandomShuffleQueue<int> queue({.capacity = forebay::unbounded, .seed = 7, .window = window});
  EXPECT_EQ(queue.enqueue_many(numbers(count)).status, QueueStatus::ok);
  queue.close();
  return drained(queue);
}

// The independent implementation computed these, too.
TEST(RandomShuffleWindow, DrawsTheSameSequenceOnEveryPlatform) {
  EXPECT_EQ(order_in_window(20, 4),
            (std::vector<int>{2, 0, 5, 6, 7, 8, 3, 4, 9, 1, 12, 13, 15, 16, 10, 17, 14, 18, 11, 19}));
}

TEST(RandomShuffleWindow, OfEverythingDrawsAsWithoutOne) { EXPECT_EQ(order_in_window(10, 10), order_of(10, 7)); }

TEST(RandomShuffleWindow, DrawsABatchInTheSameSequence) {
  RandomShuffleQueue<int> queue({.capacity = 20, .seed = 7, .window = 4});
  ASSERT_EQ(queue.enqueue_many(numbers(20)).status, QueueStatus::ok);
  EXPECT_EQ(queue.dequeue_many(7).value(), (std::vector<int>{2, 0, 5, 6, 7, 8, 3}));
  EXPECT_EQ(queue.dequeue_available(20).value(), (std::vector<int>{4, 9, 1, 12, 13, 15, 16, 10, 17, 14}));
}

TEST(RandomShuffleWindow, OfOneKeepsTheOrder) { EXPECT_EQ(order_in_window(10, 1), numbers(10)); }

TEST(RandomShuffleWindow, DrawsAmongTheOldest) {
  RandomShuffleQueue<int> queue({.capacity = 30, .seed = 3, .window = 5});
  std::vector<int> stored = numbers(30);
  ASSERT_EQ(queue.enqueue_many(stored).status, QueueStatus::ok);
  for (int next = 30; next < 300; ++next) {
    const auto drawn = std::ranges::find(stored, queue.dequeue().value());
    ASSERT_LT(drawn - stored.begin(), 5);
    stored.erase(drawn);
    stored.push_back(next);
    ASSERT_EQ(queue.enqueue(next), QueueStatus::ok);
  }
}

TEST(RandomShuffleWindow, DrawIsUniformOverIt) {
  constexpr int draws = 20000;
  RandomShuffleQueue<int> queue({.capacity = 20, .seed = 1, .window = 10});
  std::vector<int> counts(10);
  std::vector<int> stored = numbers(20);
  ASSERT_EQ(queue.enqueue_many(stored).status, QueueStatus::ok);
  for (int next = 20; next < 20 + draws; ++next) {
    const auto drawn = std::ranges::find(stored, queue.dequeue().value());
    ++counts[static_cast<std::size_t>(drawn - stored.begin())];
    stored.erase(drawn);
    stored.push_back(next);
    ASSERT_EQ(queue.enqueue(next), QueueStatus::ok);
  }
  EXPECT_LT(chi_square(counts, draws), improbable);
}

TEST(RandomShuffleWindow, HasToBeFullForADraw) {
  RandomShuffleQueue<int> queue({.capacity = 10, .seed = 1, .window = 4});
  ASSERT_EQ(queue.enqueue_many(numbers(3)).status, QueueStatus::ok);
  EXPECT_EQ(queue.dequeue(no_wait).status(), QueueStatus::empty);
  ASSERT_EQ(queue.enqueue(3), QueueStatus::ok);
  EXPECT_EQ(queue.dequeue(no_wait).status(), QueueStatus::ok);
  EXPECT_EQ(queue.dequeue(no_wait).status(), QueueStatus::empty);
}

TEST(RandomShuffleWindow, HasToBeFullForTheLastDrawOfABatch) {
  RandomShuffleQueue<int> queue({.capacity = 10, .seed = 1, .window = 4});
  ASSERT_EQ(queue.enqueue_many(numbers(5)).status, QueueStatus::ok);
  EXPECT_EQ(queue.dequeue_many(3, no_wait).status(), QueueStatus::empty);
  ASSERT_EQ(queue.enqueue(5), QueueStatus::ok);
  EXPECT_EQ(queue.dequeue_many(3, no_wait).status(), QueueStatus::ok);
}

TEST(RandomShuffleWindow, AndMinAfterDequeueBothHold) {
  RandomShuffleQueue<int> more({.capacity = 10, .min_after_dequeue = 6, .seed = 1, .window = 4});
  ASSERT_EQ(more.enqueue_many(numbers(10)).status, QueueStatus::ok);
  EXPECT_EQ(more.dequeue_available(10, no_wait)->size(), 4U);
  RandomShuffleQueue<int> less({.capacity = 10, .min_after_dequeue = 2, .seed = 1, .window = 4});
  ASSERT_EQ(less.enqueue_many(numbers(10)).status, QueueStatus::ok);
  EXPECT_EQ(less.dequeue_available(10, no_wait)->size(), 7U);
}

TEST(RandomShuffleWindow, IsNotFilledAnyMoreAfterClose) {
  RandomShuffleQueue<int> queue({.capacity = 10, .seed = 7, .window = 4});
  ASSERT_EQ(queue.enqueue_many(numbers(3)).status, QueueStatus::ok);
  Background rest([&] { return drained(queue); });
  ASSERT_TRUE(await_waiting_consumers(queue, 1));
  queue.close();
  EXPECT_EQ(sorted(rest.get()), numbers(3));
}

// proves: seeded-order
TEST(RandomShuffleWindow, IsFilledByAnEnqueueThatWaitedAtClose) {
  for (int run = 0; run < 200; ++run) {
    RandomShuffleQueue<int> queue({.capacity = 4, .seed = 7, .window = 4});
    Background producer([&] { return queue.enqueue_many(numbers(20)).status; });
    ASSERT_TRUE(await_waiting_producers(queue, 1));
    queue.close();
    ASSERT_EQ(drained(queue), order_in_window(20, 4));
    EXPECT_EQ(producer.get(), QueueStatus::ok);
  }
}

TEST(RandomShuffleWindow, IsFilledNoFurtherWhenTheLastEnqueueGivesUp) {
  RandomShuffleQueue<int> queue({.capacity = 4, .seed = 7, .window = 4});
  ASSERT_EQ(queue.enqueue_many(numbers(4)).status, QueueStatus::ok);
  std::stop_source stop;
  Background producer([&] { return queue.enqueue(4, stop.get_token()); });
  ASSERT_TRUE(await_waiting_producers(queue, 1));
  queue.close();
  EXPECT_EQ(queue.dequeue_many(4, no_wait).status(), QueueStatus::empty);
  stop.request_stop();
  EXPECT_EQ(producer.get(), QueueStatus::stopped);
  EXPECT_EQ(queue.dequeue_many(4, no_wait).value(), order_in_window(4, 4));
}

TEST(RandomShuffleWindow, IsFilledNoFurtherWhenTheEnqueuesAreCancelled) {
  RandomShuffleQueue<int> queue({.capacity = 4, .seed = 7, .window = 4});
  Background producer([&] { return queue.enqueue_many(numbers(9)).count; });
  ASSERT_TRUE(await_waiting_producers(queue, 1));
  queue.close(forebay::cancel_pending_enqueues);
  EXPECT_EQ(producer.get(), 4U);
  EXPECT_EQ(queue.dequeue_many(4, no_wait).value(), order_in_window(4, 4));
}

// proves: seeded-order
TEST(RandomShuffleWindow, BatchThatWasGivenBackChangesNoOrder) {
  RandomShuffleQueue<int> queue({.capacity = 6, .seed = 7, .window = 4});
  for (int first = 0; first < 40; first += 10) {
    std::stop_source stop;
    Background batch([&] { return queue.dequeue_many(30 + first, stop.get_token()).status(); });
    ASSERT_EQ(queue.enqueue_many(numbers(10, first)).status, QueueStatus::ok);  // more than there is room for
    stop.request_stop();
    EXPECT_EQ(batch.get(), QueueStatus::stopped);
  }
  queue.close();
  EXPECT_EQ(drained(queue), order_in_window(40, 4));
}

// proves: seeded-order
TEST(RandomShuffleWindow, BatchThatFailsChangesNoOrder) {
  Ledger ledger;
  RandomShuffleQueue<ThrowingMove> queue({.capacity = 20, .seed = 7, .window = 4});
  for (int i = 0; i < 20; ++i) ASSERT_EQ(queue.enqueue(ThrowingMove(i, ledger)), QueueStatus::ok);
  ledger.fail_at(9);
  EXPECT_THROW(static_cast<void>(queue.dequeue_many(12)), ElementFailure);
  queue.close();
  std::vector<int> order;
  while (const auto element = queue.dequeue(no_wait)) order.push_back(element->number());
  EXPECT_EQ(order, order_in_window(20, 4));
}

/// Yields to other threads now and then, for shorter or longer times.
class Delays {
 public:
  explicit Delays(unsigned seed) : dice_(seed) {}

  int up_to(int most) { return 1 + static_cast<int>(dice_() % static_cast<unsigned>(most)); }

  void delay() {
    if (up_to(4) > 1) return;
    for (int yields = up_to(20); yields > 0; --yields) std::this_thread::yield();
  }

 private:
  std::minstd_rand dice_;
};

// proves: seeded-order
TEST(RandomShuffleWindow, OrderDoesNotDependOnTiming) {
  constexpr int count = 300;
  const std::vector<int> expected = order_in_window(count, 8);
  for (unsigned run = 0; run < 100; ++run) {
    Delays delays(run);
    RandomShuffleQueue<int> queue({.capacity = 7 + delays.up_to(8), .seed = 7, .window = 8});
    const std::jthread producer([&queue, run] {
      Delays its_delays(1000 + run);
      for (int next = 0; next < count;) {
        const int batch = std::min(its_delays.up_to(20), count - next);
        if (batch == 1) {
          EXPECT_EQ(queue.enqueue(next), QueueStatus::ok);
        } else {
          EXPECT_EQ(queue.enqueue_many(numbers(batch, next)).status, QueueStatus::ok);
        }
        next += batch;
        its_delays.delay();
      }
      queue.close();
    });
    std::vector<int> order;
    std::vector<int> batch;
    QueueStatus status = QueueStatus::ok;
    while (status != QueueStatus::closed) {
      const forebay::BasicWait<> wait = std::chrono::microseconds(delays.up_to(50));
      switch (delays.up_to(4)) {
        case 1: status = queue.dequeue_many(1, batch, wait); break;
        case 2: status = queue.dequeue_up_to(delays.up_to(30), batch, wait); break;
        case 3: status = queue.dequeue_up_to(delays.up_to(30), batch); break;
        default: status = queue.dequeue_available(delays.up_to(30), batch, wait);
      }
      order.insert(order.end(), batch.begin(), batch.end());
      delays.delay();
    }
    ASSERT_EQ(order, expected) << "run " << run;
  }
}

// ---- Settings

/// Returns the constructor's message about impossible settings.
std::string complaint_about(const auto& make_options) {
  return rejection([&] { const RandomShuffleQueue<int> queue(make_options()); });
}

// proves: impossible-setting
TEST(RandomShuffleQueue, RejectsMinAfterDequeueThatIsNotLessThanCapacity) {
  const std::string equal =
      complaint_about([] { return forebay::RandomShuffleOptions{.capacity = 12, .min_after_dequeue = 12}; });
  EXPECT_TRUE(contains(equal, "min_after_dequeue (12)"));
  EXPECT_TRUE(contains(equal, "capacity (12)"));
  const std::string more =
      complaint_about([] { return forebay::RandomShuffleOptions{.capacity = 12, .min_after_dequeue = 13}; });
  EXPECT_TRUE(contains(more, "min_after_dequeue (13)"));
}

// proves: impossible-setting
TEST(RandomShuffleWindow, OfNothingOrMoreThanTheCapacityIsRejected) {
  const std::string none = complaint_about([] { return forebay::RandomShuffleOptions{.capacity = 12, .window = 0}; });
  EXPECT_TRUE(contains(none, "window must be at least 1, not 0"));
  const std::string more = complaint_about([] { return forebay::RandomShuffleOptions{.capacity = 12, .window = 13}; });
  EXPECT_TRUE(contains(more, "window (13)"));
  EXPECT_TRUE(contains(more, "capacity (12)"));
  const std::string negative =
      complaint_about([] { return forebay::RandomShuffleOptions{.capacity = 12, .window = -1}; });
  EXPECT_TRUE(contains(negative, "not -1"));
  EXPECT_EQ(complaint_about([] { return forebay::RandomShuffleOptions{.capacity = 12, .window = 12}; }),
            "nothing was thrown");
}

TEST(RandomShuffleQueue, RejectsCapacityBelowOne) {
  const std::string zero = complaint_about([] { return forebay::RandomShuffleOptions{.capacity = 0}; });
  EXPECT_TRUE(contains(zero, "not 0"));
  const std::string negative = complaint_about([] { return forebay::RandomShuffleOptions{.capacity = -1}; });
  EXPECT_TRUE(contains(negative, "not -1"));
}

TEST(RandomShuffleQueue, AcceptsTheLargestMinAfterDequeue) {
  RandomShuffleQueue<int> queue({.capacity = 3, .min_after_dequeue = 2, .seed = 1});
  ASSERT_EQ(queue.enqueue_many(numbers(3)).status, QueueStatus::ok);
  EXPECT_TRUE(queue.dequeue(no_wait));
  EXPECT_FALSE(queue.dequeue(no_wait));
}

}  // namespace
}  // namespace forebay_test
