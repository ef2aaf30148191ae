// SPDX-License-Identifier: MIT
//
// queue_runner_group_test.cpp: the promises of the contract about destroying a QueueRunner, and about several runners
// together.
//
//   Destruction   Destroyed*
//   Together      Starts*
//   One queue     OneQueue, QueueOfSeveralRunners
//   Chains        Chain*, Statistics*

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <exception>
#include <functional>
#include <latch>
#include <list>
#include <memory>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "forebay/coordinator.hpp"
#include "forebay/fifo_queue.hpp"
#include "forebay/queue_runner.hpp"
#include "forebay/queue_status.hpp"
#include "forebay/report.hpp"
#include "forebay/statistics.hpp"
#include "tests/support/await.hpp"
#include "tests/support/background.hpp"
#include "tests/support/environment.hpp"
#include "tests/support/iterations.hpp"
#include "tests/support/manual_clock_sync.hpp"
#include "tests/support/numbers.hpp"
#include "tests/support/scaled_time.hpp"
#include "tests/support/this_thread.hpp"
#include "tests/support/thrown.hpp"

namespace forebay_test {
namespace {

using forebay::Coordinator;
using forebay::FIFOQueue;
using forebay::QueueRunner;
using forebay::QueueStatus;
using forebay::start_queue_runners;
using Ints = std::vector<int>;
using MaybeInt = std::optional<int>;

int one() { return 1; }

// ---- Destruction

// proves: destroy-runner
TEST(QueueRunnerGroup, DestroyedWithAnOpThatWaitsInTheQueue) {
  for (const bool coordinated : {false, true}) {
    FIFOQueue<int> queue(1);
    Coordinator coordinator;
    {
      QueueRunner runner(queue, 2, one);
      coordinated ? runner.start(coordinator) : runner.start();
      await_waiting_producers(queue, 2);
    }
    EXPECT_TRUE(queue.is_closed());
    EXPECT_EQ(drained(queue), Ints{1});
    EXPECT_EQ(coordinator.should_stop(), coordinated);
    EXPECT_NO_THROW(coordinator.join());
  }
}

TEST(QueueRunnerGroup, DestroyedWithAnOpThatWaitsInAnotherQueueUntilTheCoordinatorStops) {
  FIFOQueue<int> upstream(1);
  FIFOQueue<int> queue(1);
  Coordinator coordinator;
  {
    QueueRunner runner(queue, 2, [&] { return upstream.dequeue(coordinator).value(); });
    runner.start(coordinator);
    await_waiting_consumers(upstream, 2);
  }
  EXPECT_TRUE(queue.is_closed());
  EXPECT_FALSE(upstream.is_closed());
  EXPECT_NO_THROW(coordinator.join());
}

TEST(QueueRunnerGroup, DestroyedOnlyWhenNoOpRunsAnyMore) {
  FIFOQueue<int> queue(1);
  Coordinator coordinator;
  std::atomic<bool> running = false;
  {
    QueueRunner runner(queue, 1, [&] {
      running = true;
      static_cast<void>(coordinator.wait_for_stop());
      keep_busy(short_time());
      running = false;
    });
    runner.start(coordinator);
    await([&] { return running.load(); });
  }
  EXPECT_FALSE(running);
}

TEST(QueueRunnerGroup, DestroyedAfterTheEndLeavesTheCoordinatorAlone) {
  FIFOQueue<int> queue(4);
  Coordinator coordinator;
  Numbers numbers(3);
  {
    QueueRunner runner(queue, 1, [&] { return numbers.next(); });
    runner.start(coordinator);
    runner.join();
  }
  EXPECT_FALSE(coordinator.should_stop());
  EXPECT_EQ(drained(queue), (Ints{0, 1, 2}));
}

// proves: destroy-runner
TEST(QueueRunnerGroup, DestroyedWhenTheQueueIsDrainedLeavesTheCoordinatorAlone) {
  for (int i = 0; i < iterations(500); ++i) {
    FIFOQueue<int> queue(4);
    Coordinator coordinator;
    Numbers numbers(3);
    {
      QueueRunner runner(queue, 1, [&] { return numbers.next(); });
      runner.start(coordinator);
      EXPECT_EQ(drained(queue).size(), 3U);
    }
    ASSERT_FALSE(coordinator.should_stop()) << "the input had ended by itself";
  }
}

TEST(QueueRunnerGroup, DestroyedWithoutAStartLeavesTheQueueOpen) {
  FIFOQueue<int> queue(1);
  { const QueueRunner runner(queue, 1, one); }
  EXPECT_FALSE(queue.is_closed());
}

// proves: destroy-runner
TEST(QueueRunnerGroup, DestroyedWithItsCoordinatorInEitherOrder) {
  enum class Progress { not_started, running, ended };
  for (const Progress progress : {Progress::not_started, Progress::running, Progress::ended}) {
    for (const bool coordinator_first : {false, true}) {
      for (int i = 0; i < iterations(100); ++i) {
        FIFOQueue<int> queue(1);
        auto coordinator = std::make_unique<Coordinator>();
        auto runner = std::make_unique<QueueRunner>(queue, 2, one);
        if (progress == Progress::ended) queue.close();
        if (progress != Progress::not_started) runner->start(*coordinator);
        if (progress == Progress::ended) runner->join();
        if (coordinator_first) coordinator.reset();
        runner.reset();
        EXPECT_EQ(queue.is_closed(), progress != Progress::not_started);
      }
    }
  }
}

// ---- Several together

TEST(QueueRunnerGroup, StartsThoseThatAreListed) {
  FIFOQueue<int> first(4);
  FIFOQueue<int> second(4);
  Coordinator coordinator;
  Numbers numbers(4);
  QueueRunner some(first, 1, [&] { return numbers.next(); });
  QueueRunner others(second, 1, [&] { return numbers.next(); });
  start_queue_runners(coordinator, some, others);
  coordinator.join();
  EXPECT_EQ(drained(first).size() + drained(second).size(), 4U);
}

TEST(QueueRunnerGroup, StartsASingleOne) {
  FIFOQueue<int> queue(4);
  Coordinator coordinator;
  Numbers numbers(4);
  QueueRunner runner(queue, 1, [&] { return numbers.next(); });
  start_queue_runners(coordinator, runner);
  coordinator.join();
  EXPECT_EQ(drained(queue), (Ints{0, 1, 2, 3}));
}

TEST(QueueRunnerGroup, StartsARangeOfThem) {
  FIFOQueue<int> queue(4);
  Coordinator coordinator;
  Numbers numbers(4);
  std::list<QueueRunner> runners;
  for (int i = 0; i < 3; ++i) runners.emplace_back(queue, 1, [&] { return numbers.next(); });
  start_queue_runners(coordinator, runners);
  coordinator.join();
  EXPECT_TRUE(queue.is_closed());
}

TEST(QueueRunnerGroup, StartsARangeOfPointersToThem) {
  FIFOQueue<int> queue(4);
  Coordinator coordinator;
  Numbers numbers(4);
  std::vector<std::unique_ptr<QueueRunner>> runners;
  for (int i = 0; i < 3; ++i) {
    runners.push_back(std::make_unique<QueueRunner>(queue, 1, [&] { return numbers.next(); }));
  }
  start_queue_runners(coordinator, runners);
  coordinator.join();
  EXPECT_TRUE(queue.is_closed());
}

TEST(QueueRunnerGroup, StartsAllOfAnArrayOfThem) {
  FIFOQueue<int> first(1);
  FIFOQueue<int> second(1);
  Coordinator coordinator;
  const auto ends = []() -> MaybeInt { return std::nullopt; };
  QueueRunner runners[] = {QueueRunner(first, {ends}), QueueRunner(second, {ends})};
  start_queue_runners(coordinator, runners);
  coordinator.join();
  EXPECT_TRUE(first.is_closed());
  EXPECT_TRUE(second.is_closed());
}

TEST(QueueRunnerGroup, StartsAllOfAnArrayOfPointersToThem) {
  FIFOQueue<int> first(1);
  FIFOQueue<int> second(1);
  Coordinator coordinator;
  const auto ends = []() -> MaybeInt { return std::nullopt; };
  QueueRunner some(first, {ends});
  QueueRunner others(second, {ends});
  QueueRunner* const runners[] = {&some, &others};
  start_queue_runners(coordinator, runners);
  coordinator.join();
  EXPECT_TRUE(first.is_closed());
  EXPECT_TRUE(second.is_closed());
}

TEST(QueueRunnerGroup, StartsAnEmptyRange) {
  Coordinator coordinator;
  start_queue_runners(coordinator, std::vector<std::unique_ptr<QueueRunner>>());
  EXPECT_NO_THROW(coordinator.join());
}

TEST(QueueRunnerGroup, StartsNoneWhenOneRunsAlready) {
  FIFOQueue<int> idle_queue(4);
  FIFOQueue<int> busy_queue(1);
  Coordinator coordinator;
  std::atomic<int> calls = 0;
  QueueRunner idle(idle_queue, 2, [&]() -> MaybeInt { return ++calls, std::nullopt; });
  QueueRunner idle_too(idle_queue, 2, [&]() -> MaybeInt { return ++calls, std::nullopt; });
  QueueRunner busy(busy_queue, 1, one);
  busy.start(coordinator);
  await_waiting_producers(busy_queue, 1);
  EXPECT_THROW(start_queue_runners(coordinator, idle, busy, idle_too), std::logic_error);
  EXPECT_THROW(start_queue_runners(coordinator, idle, idle), std::logic_error) << "twice is once too often";
  EXPECT_NO_THROW(idle.join()) << "it was not started";
  EXPECT_EQ(calls, 0);
  EXPECT_FALSE(idle_queue.is_closed());
  EXPECT_FALSE(busy_queue.is_closed());
  EXPECT_FALSE(coordinator.should_stop());

  start_queue_runners(coordinator, idle, idle_too);
  coordinator.request_stop();
  EXPECT_NO_THROW(coordinator.join());
  EXPECT_TRUE(idle_queue.is_closed());
}

// ---- Several that feed one queue

/// How several runners are started: without a coordinator, with one for all, or with one for each.
enum class Coordinators { none, one, two };

class OneQueue : public testing::TestWithParam<Coordinators> {
 protected:
  void start(QueueRunner& first) { start(first, coordinator_); }
  void start_other(QueueRunner& second) {
    start(second, GetParam() == Coordinators::two ? other_coordinator_ : coordinator_);
  }

  FIFOQueue<int> queue_{1};
  Coordinator coordinator_;
  Coordinator other_coordinator_;

 private:
  static void start(QueueRunner& runner, Coordinator& coordinator) {
    GetParam() == Coordinators::none ? runner.start() : runner.start(coordinator);
  }
};

MaybeInt no_number() { return std::nullopt; }

// proves: several-runners
TEST_P(OneQueue, StaysOpenUntilTheLastRunnerHasEnded) {
  Numbers numbers(20);
  std::latch first_has_ended(1);
  QueueRunner first(queue_, 1, no_number);
  QueueRunner second(queue_, 2, [&] { return first_has_ended.wait(), numbers.next(); });
  start(first);
  start_other(second);
  first.join();
  EXPECT_FALSE(queue_.is_closed());
  first_has_ended.count_down();
  EXPECT_EQ(drained(queue_).size(), 20U);
  EXPECT_NO_THROW(second.join());
  EXPECT_FALSE(coordinator_.should_stop());
  EXPECT_FALSE(other_coordinator_.should_stop());
}

// proves: several-runners
TEST_P(OneQueue, GetsAllElementsOfAllRunners) {
  for (int i = 0; i < iterations(100); ++i) {
    FIFOQueue<int> queue(1);
    Numbers few(22);
    Numbers many(88);
    QueueRunner first(queue, 1, [&] { return few.next(); });
    QueueRunner second(queue, 2, [&] { return many.next(); });
    start(first);
    start_other(second);
    ASSERT_EQ(drained(queue).size(), 110U);
    first.join();
    second.join();
  }
}

// proves: several-runners, producer-handles
TEST_P(OneQueue, StaysOpenForAProducerAfterTheLastRunner) {
  QueueRunner runner(queue_, 1, no_number);
  auto producer = queue_.producer();
  start(runner);
  runner.join();
  EXPECT_FALSE(queue_.is_closed());
  EXPECT_EQ(producer.enqueue(1), QueueStatus::ok);
  producer.finish();
  EXPECT_EQ(drained(queue_).size(), 1U);
}

// proves: several-runners
TEST_P(OneQueue, StaysOpenForARunnerThatIsNotStartedYetWhenAProducerEnds) {
  Numbers numbers(20);
  QueueRunner runner(queue_, 1, [&] { return numbers.next(); });
  queue_.producer().finish();
  EXPECT_FALSE(queue_.is_closed());
  start(runner);
  EXPECT_EQ(drained(queue_).size(), 20U);
}

// proves: several-runners
TEST_P(OneQueue, WaitsForARunnerThatIsStartedAfterTheEndOfAnother) {
  Numbers numbers(20);
  QueueRunner first(queue_, 1, no_number);
  QueueRunner second(queue_, 1, [&] { return numbers.next(); });
  start(first);
  first.join();
  start_other(second);
  EXPECT_EQ(drained(queue_).size(), 20U);
}

// proves: several-runners
TEST_P(OneQueue, ClosesWhenTheRunnerItWaitsForIsDestroyedWithoutAStart) {
  QueueRunner first(queue_, 1, no_number);
  auto second = std::make_unique<QueueRunner>(queue_, 1, one);
  start(first);
  Background consumer([&] { return queue_.dequeue().status(); });
  await_waiting_consumers(queue_, 1);
  first.join();
  EXPECT_FALSE(queue_.is_closed());
  second.reset();
  EXPECT_EQ(consumer.get(), QueueStatus::closed);
}

// proves: several-runners
TEST_P(OneQueue, StaysOpenForARunnerThatRunsWhenAnotherIsDestroyedWithoutAStart) {
  Numbers numbers(20);
  auto first = std::make_unique<QueueRunner>(queue_, 1, one);
  QueueRunner second(queue_, 1, [&] { return numbers.next(); });
  start_other(second);
  first.reset();
  EXPECT_EQ(drained(queue_).size(), 20U);
}

// proves: end-input
TEST_P(OneQueue, StaysOpenWhenTheInputOfOneOfItsRunnersIsEnded) {
  Numbers numbers(20);
  std::latch first_has_ended(1);
  QueueRunner first(queue_, 1, one);
  QueueRunner second(queue_, 1, [&] { return first_has_ended.wait(), numbers.next(); });
  start(first);
  start_other(second);
  EXPECT_EQ(*queue_.dequeue(), 1);
  first.end_input();
  Background consumer([&] { return drained(queue_); });
  first.join();
  EXPECT_FALSE(queue_.is_closed());
  first_has_ended.count_down();
  EXPECT_GE(consumer.get().size(), 20U);
}

// proves: several-runners
TEST_P(OneQueue, ClosesWithTheCauseWhenOneOfItsRunnersFails) {
  const std::exception_ptr cause = failure();
  QueueRunner first(queue_, 1, [&]() -> int {
    await_waiting_producers(queue_, 1);
    std::rethrow_exception(cause);
  });
  QueueRunner second(queue_, 1, one);
  QueueRunner never_started(queue_, 1, one);
  start(first);
  start_other(second);
  EXPECT_EQ(thrown_by_join(first), cause);
  EXPECT_NO_THROW(second.join()) << "its op was told that the queue is closed";
  EXPECT_EQ(*queue_.dequeue(), 1);
  EXPECT_EQ(thrown_by([&] { return queue_.dequeue(); }), cause);
}

// proves: several-runners
TEST_P(OneQueue, ClosesWithTheCauseWhenItsLastRunnerFails) {
  const std::exception_ptr cause = failure();
  QueueRunner first(queue_, 1, no_number);
  QueueRunner second(queue_, 1, [&]() -> int { std::rethrow_exception(cause); });
  start(first);
  first.join();
  start_other(second);
  EXPECT_EQ(thrown_by([&] { return queue_.dequeue(); }), cause);
}

// proves: several-runners
TEST_P(OneQueue, ClosesWhenOneOfItsRunnersIsDestroyedWhileItRuns) {
  auto first = std::make_unique<QueueRunner>(queue_, 1, one);
  QueueRunner second(queue_, 1, one);
  start(*first);
  start_other(second);
  await_waiting_producers(queue_, 2);
  first.reset();
  EXPECT_TRUE(queue_.is_closed());
  EXPECT_NO_THROW(second.join());
}

// proves: several-runners
TEST_P(OneQueue, StaysOpenForARunnerThatIsStartedAgain) {
  Numbers numbers(20);
  bool is_first_start = true;
  std::latch started_again(1);
  std::latch other_has_ended(1);
  QueueRunner again(queue_, 1, [&]() -> MaybeInt {
    if (std::exchange(is_first_start, false)) return std::nullopt;
    other_has_ended.wait();
    return numbers.next();
  });
  QueueRunner other(queue_, 1, [&] { return started_again.wait(), no_number(); });
  start_other(other);
  start(again);
  again.join();
  start(again);
  started_again.count_down();
  other.join();
  EXPECT_FALSE(queue_.is_closed());
  other_has_ended.count_down();
  EXPECT_EQ(drained(queue_).size(), 20U);
}

std::string name_of(const testing::TestParamInfo<Coordinators>& each) {
  if (each.param == Coordinators::none) return "None";
  return each.param == Coordinators::one ? "One" : "Two";
}
INSTANTIATE_TEST_SUITE_P(Coordinators, OneQueue,
                         testing::Values(Coordinators::none, Coordinators::one, Coordinators::two), name_of);

// proves: several-runners
TEST(QueueOfSeveralRunners, IsCancelledByAStopOfOneOfItsRunners) {
  FIFOQueue<int> queue(1);
  Coordinator coordinator;
  Coordinator other_coordinator;
  QueueRunner first(queue, 1, one);
  QueueRunner second(queue, 1, one);
  first.start(coordinator);
  second.start(other_coordinator);
  await_waiting_producers(queue, 2);
  coordinator.request_stop();
  EXPECT_NO_THROW(coordinator.join());
  EXPECT_NO_THROW(other_coordinator.join());
  EXPECT_FALSE(other_coordinator.should_stop());
  EXPECT_EQ(drained(queue), Ints{1});
}

// proves: several-runners
TEST(QueueOfSeveralRunners, StaysOpenWhenNoneOfItsRunnersWasStarted) {
  FIFOQueue<int> queue(1);
  {
    const QueueRunner first(queue, 1, one);
    const QueueRunner second(queue, 1, one);
  }
  EXPECT_FALSE(queue.is_closed());
  QueueRunner third(queue, 1, no_number);
  third.start();
  third.join();
  EXPECT_TRUE(queue.is_closed());
}

TEST(QueueOfSeveralRunners, IsNotHeldOpenByARunnerThatWasRejected) {
  FIFOQueue<int> queue(1);
  EXPECT_THROW(QueueRunner(queue, std::vector<std::function<MaybeInt()>>()), std::invalid_argument);
  QueueRunner runner(queue, 1, no_number);
  runner.start();
  runner.join();
  EXPECT_TRUE(queue.is_closed());
}

// proves: several-runners
TEST(QueueOfSeveralRunners, StaysOpenThroughAStartThatIsRefused) {
  FIFOQueue<int> queue(1);
  Coordinator coordinator;
  Numbers numbers(20);
  std::latch refused(1);
  QueueRunner runner(queue, 1, [&] { return refused.wait(), numbers.next(); });
  runner.start(coordinator);
  EXPECT_THROW(runner.start(coordinator), std::logic_error);
  refused.count_down();
  EXPECT_EQ(drained(queue).size(), 20U);
  EXPECT_NO_THROW(coordinator.join());
}

/// A queue-like type that a program may give to a runner. It does not count producers.
class Channel {
 public:
  using value_type = int;

  QueueStatus enqueue(int /*element*/) const noexcept { return closed_ ? QueueStatus::closed : QueueStatus::ok; }
  void close() noexcept { closed_ = true; }
  void close(const std::exception_ptr& /*cause*/) noexcept { closed_ = true; }
  [[nodiscard]] bool is_closed() const noexcept { return closed_; }
  [[nodiscard]] static forebay::QueueStatistics statistics() noexcept { return {}; }

 private:
  std::atomic<bool> closed_ = false;
};

TEST(QueueOfSeveralRunners, OfATypeThatCountsNoRunnersClosesAtTheEndOfEach) {
  Channel channel;
  QueueRunner first(channel, 1, no_number);
  { const QueueRunner never_started(channel, 1, one); }
  EXPECT_FALSE(channel.is_closed());
  first.start();
  first.join();
  EXPECT_TRUE(channel.is_closed());
}

// ---- Chains

/// Three queues in a row: `source` fills the first one, the others pass its elements on.
struct Chain {
  explicit Chain(std::function<MaybeInt()> source) : head(first, 1, std::move(source)) {}

  std::vector<QueueRunner*> runners() { return {&head, &middle, &tail}; }

  FIFOQueue<int> first{2};
  FIFOQueue<int> second{2};
  FIFOQueue<int> third{2};
  Coordinator coordinator;
  QueueRunner head;
  QueueRunner middle{second, 2, [this] { return first.dequeue().value(); }};
  QueueRunner tail{third, 1, [this] { return second.dequeue(coordinator).value(); }};
};

/// Waits until no element can move: two are in each queue, and each op holds one. Elements are counted because a
/// waiting producer may already have room.
void await_full(const Chain& chain, const std::atomic<int>& made) {
  await([&] { return made == 10; });
  await_waiting_producers(chain.third, 1);
  await_waiting_producers(chain.second, 2);
  await_waiting_producers(chain.first, 1);
}

TEST(QueueRunnerGroup, ChainDeliversEverythingAndEndsByItself) {
  Numbers numbers(100);
  Chain chain([&] { return numbers.next(); });
  start_queue_runners(chain.coordinator, chain.runners());
  EXPECT_EQ(drained(chain.third).size(), 100U);
  EXPECT_NO_THROW(chain.coordinator.join());
  EXPECT_FALSE(chain.coordinator.should_stop());
}

TEST(QueueRunnerGroup, ChainCarriesACauseToItsConsumersAndToTheCoordinatorOnce) {
  for (int i = 0; i < iterations(300); ++i) {
    const std::exception_ptr cause = failure();
    Numbers numbers(10);
    Chain chain([&] {
      if (const MaybeInt number = numbers.next()) return number;
      std::rethrow_exception(cause);
    });
    start_queue_runners(chain.coordinator, chain.runners());
    ASSERT_EQ(thrown_by([&] { return drained(chain.third); }), cause) << "taken for the end of input, round " << i;
    EXPECT_EQ(thrown_by_join(chain.coordinator), cause);
    EXPECT_EQ(chain.coordinator.failures(), std::vector{cause});
    EXPECT_EQ(chain.head.exceptions_raised(), std::vector{cause});
  }
}

// proves: chain-stop
TEST(QueueRunnerGroup, ChainIsStoppedAtAnyDepth) {
  Chain chain(one);
  start_queue_runners(chain.coordinator, chain.runners());
  await_waiting_producers(chain.third, 1);
  await_waiting_producers(chain.second, 2);
  await_waiting_producers(chain.first, 1);
  chain.coordinator.request_stop();
  EXPECT_NO_THROW(chain.coordinator.join());
  EXPECT_TRUE(chain.coordinator.failures().empty());
  EXPECT_TRUE(chain.third.is_closed());
}

// proves: end-input
TEST(QueueRunnerGroup, ChainThatIsDrainedLosesNoElement) {
  for (int i = 0; i < iterations(100); ++i) {
    std::atomic<int> made = 0;
    Chain chain([&] { return made++; });
    start_queue_runners(chain.coordinator, chain.runners());
    Ints taken;
    for (int j = 0; j < 20; ++j) taken.push_back(*chain.third.dequeue());
    chain.head.end_input();
    for (const int element : chain.third) taken.push_back(element);
    EXPECT_NO_THROW(chain.coordinator.join());
    EXPECT_FALSE(chain.coordinator.should_stop());
    Ints all(static_cast<std::size_t>(made));
    std::iota(all.begin(), all.end(), 0);
    ASSERT_EQ(sorted(taken), all);
  }
}

// proves: end-input
TEST(QueueRunnerGroup, ChainThatIsFullIsDrained) {
  std::atomic<int> made = 0;
  Chain chain([&] { return made++; });
  start_queue_runners(chain.coordinator, chain.runners());
  await_full(chain, made);
  chain.head.end_input();
  EXPECT_EQ(drained(chain.third).size(), 10U) << "two in each queue, and one in the hands of each op";
  EXPECT_EQ(made, 10);
}

// proves: chain-stop
TEST(QueueRunnerGroup, ChainThatIsStoppedLeavesElementsInItsQueuesAndDropsThoseOfItsOps) {
  std::atomic<int> made = 0;
  Chain chain([&] { return made++; });
  start_queue_runners(chain.coordinator, chain.runners());
  await_full(chain, made);
  chain.coordinator.request_stop();
  EXPECT_NO_THROW(chain.coordinator.join());
  EXPECT_EQ(made, 10);
  EXPECT_EQ(drained(chain.third).size(), 2U) << "all that comes out";
  EXPECT_EQ(drained(chain.second).size(), 2U);
  EXPECT_EQ(drained(chain.first).size(), 2U);
}

TEST(QueueRunnerGroup, ChainIsStoppedWhileEverybodyWaitsForInput) {
  Chain* self = nullptr;
  Chain chain([&]() -> MaybeInt { return self->coordinator.wait_for_stop(), std::nullopt; });
  self = &chain;
  start_queue_runners(chain.coordinator, chain.runners());
  await_waiting_consumers(chain.first, 2);
  await_waiting_consumers(chain.second, 1);
  chain.coordinator.request_stop();
  EXPECT_NO_THROW(chain.coordinator.join());
  EXPECT_TRUE(drained(chain.third).empty());
}

TEST(QueueRunnerGroup, ChainTellsAFailureAtItsEndToItsBeginning) {
  FIFOQueue<int> first(1);
  FIFOQueue<int> second(1);
  Coordinator coordinator;
  const std::exception_ptr cause = failure();
  QueueRunner head(first, 1, one);
  QueueRunner tail(second, 1, [&]() -> int {
    await_waiting_producers(first, 1);
    std::rethrow_exception(cause);
  });
  start_queue_runners(coordinator, head, tail);
  EXPECT_EQ(thrown_by_join(coordinator), cause);
  EXPECT_EQ(thrown_by([&] { return drained(first); }), cause);
  EXPECT_TRUE(head.exceptions_raised().empty());
}

/// A reader and two decoders that work until a test opens the gate. The loop waits, and time stands still.
class StatisticsOfAChain : public testing::Test {
 protected:
  using Fifo = FIFOQueue<int, ManualClockSync>;
  using Runner = forebay::BasicQueueRunner<ManualClockSync>;

  void start() {
    reader_.start(coordinator_);
    decoder_.start(coordinator_);
    await([this] { return decoding_ == 2; });
    await([this] { return raw_.size() == 1; });  // the third element: only after it does the reader wait indefinitely
    await_waiting_producers(raw_, 1);
    await_waiting_consumers(decoded_, 1);
  }
  ~StatisticsOfAChain() override {
    coordinator_.request_stop();
    gate_.count_down();
    coordinator_.join();
    static_cast<void>(loop_.get());
  }

  Fifo raw_{1};
  Fifo decoded_{1};
  forebay::BasicCoordinator<ManualClockSync> coordinator_;
  std::latch gate_{1};
  std::atomic<int> decoding_ = 0;
  Runner reader_{raw_, 1, one, "read"};
  Runner decoder_{decoded_, 2,
                  [this] {
                    const int element = raw_.dequeue(coordinator_).value();
                    ++decoding_;
                    gate_.wait();
                    return element;
                  },
                  "decode"};
  Background<QueueStatus> loop_{[this] { return decoded_.dequeue(coordinator_).status(); }};
};

// proves: verdict
TEST_F(StatisticsOfAChain, StatisticsOfRunnersSayWhoWorksAndWhoWaits) {
  using std::chrono_literals::operator""h;
  start();
  ManualClockSync::advance(2h);
  forebay::PipelineStatistics found = pipeline_statistics(reader_, decoder_);
  EXPECT_EQ(found.stages.at(0), (forebay::StageStatistics{.name = "read", .elements = 3, .blocked = 2h}));
  EXPECT_EQ(found.stages.at(1), (forebay::StageStatistics{.name = "decode", .threads = 2, .working = 4h}));
  EXPECT_EQ(found.loop, (forebay::StageStatistics{.name = "loop", .starved = 2h}));
  EXPECT_EQ(found.time, 2h);
  EXPECT_EQ(verdict(found),
            "Nothing came out in 7200.0 s: read waits for room, decode works, the loop waits for input.");
}

TEST_F(StatisticsOfAChain, StatisticsOfRunnersThatWereNotStartedAreNone) {
  const forebay::PipelineStatistics found = pipeline_statistics(reader_, decoder_);
  EXPECT_EQ(found.stages.at(0), (forebay::StageStatistics{.name = "read"}));
  EXPECT_EQ(found.time.count(), 0);
}

/// A policy whose threads have used as much CPU time as a test sets.
struct SetCpuTimeSync : ManualClockSync {
  struct thread_clock {  // NOLINT(readability-identifier-naming)
    [[nodiscard]] std::optional<std::chrono::nanoseconds> now() const noexcept { return used.load(); }
  };
  inline static std::atomic<std::chrono::nanoseconds> used{};
};

// proves: verdict
TEST(QueueRunnerGroup, StatisticsHaveTheCpuTimeOfTheThreadsOfTheLastRun) {
  using std::chrono_literals::operator""s;
  FIFOQueue<int, SetCpuTimeSync> queue(1);
  std::atomic<int> calls = 0;
  std::latch gate(1);
  const auto op = [&]() -> std::optional<int> {
    ++calls;
    gate.wait();
    return std::nullopt;
  };
  forebay::BasicQueueRunner<SetCpuTimeSync> runner(queue, 2, op);
  EXPECT_EQ(pipeline_statistics(runner).stages.at(0).processor_time, std::nullopt);
  SetCpuTimeSync::used = 5s;
  runner.start();
  await([&] { return calls == 2; });
  SetCpuTimeSync::used = 7s;
  EXPECT_EQ(pipeline_statistics(runner).stages.at(0).processor_time, 4s) << "while they run";
  gate.count_down();
  runner.join();
  SetCpuTimeSync::used = 9s;
  EXPECT_EQ(pipeline_statistics(runner).stages.at(0).processor_time, 4s) << "when they have ended";
  runner.start();
  runner.join();
  EXPECT_EQ(pipeline_statistics(runner).stages.at(0).processor_time, 0s);
}

TEST(QueueRunnerGroup, StatisticsHaveTheCoresThatTheProgramMayUse) {
  const EnvironmentVariable cores("FOREBAY_CORES", "37");
  FIFOQueue<int> queue(1);
  const forebay::QueueRunner runner(queue, 1, one);
  EXPECT_EQ(pipeline_statistics(runner).cores, 37U);
}

TEST_F(StatisticsOfAChain, StatisticsOfRunnersThatHaveEndedStandStill) {
  using std::chrono_literals::operator""h;
  start();
  ManualClockSync::advance(1h);
  coordinator_.request_stop();
  reader_.join();
  ManualClockSync::advance(1h);
  const forebay::PipelineStatistics found = pipeline_statistics(reader_);
  EXPECT_EQ(found.stages.at(0).blocked, 1h);
  EXPECT_EQ(found.stages.at(0).working, 0h);
  EXPECT_EQ(found.time, 2h);
}

}  // namespace
}  // namespace forebay_test
