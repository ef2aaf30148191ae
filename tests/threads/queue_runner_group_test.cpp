// SPDX-License-Identifier: MIT
//
// queue_runner_group_test.cpp: what the contract says about the end of a QueueRunner's life, and about several of them
// together.
//
//   Destruction   Destroyed*
//   Together      Start*
//   Chains        Chain*, Statistics*

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <exception>
#include <functional>
#include <latch>
#include <list>
#include <memory>
#include <optional>
#include <stdexcept>
#include <thread>
#include <vector>

#include "forebay/coordinator.hpp"
#include "forebay/fifo_queue.hpp"
#include "forebay/pipeline_statistics.hpp"
#include "forebay/queue_runner.hpp"
#include "forebay/queue_status.hpp"
#include "forebay/report.hpp"
#include "tests/support/await.hpp"
#include "tests/support/background.hpp"
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
using forebay::start_queue_runners;
using Ints = std::vector<int>;
using MaybeInt = std::optional<int>;

int one() { return 1; }

// ---- Destruction

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

// ---- Chains

/// Three queues in a row: `source` fills the first one, the others pass on.
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
    EXPECT_EQ(thrown_by([&] { chain.coordinator.join(); }), cause);
    EXPECT_EQ(chain.coordinator.failures(), std::vector{cause});
    EXPECT_EQ(chain.head.exceptions_raised(), std::vector{cause});
  }
}

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
  EXPECT_EQ(thrown_by([&] { coordinator.join(); }), cause);
  EXPECT_EQ(thrown_by([&] { return drained(first); }), cause);
  EXPECT_TRUE(head.exceptions_raised().empty());
}

/// A reader and two decoders that are at work until a test opens the gate; the loop waits, and time stands still.
class StatisticsOfAChain : public testing::Test {
 protected:
  using Fifo = FIFOQueue<int, ManualClockSync>;
  using Runner = forebay::BasicQueueRunner<ManualClockSync>;

  void start() {
    reader_.start(coordinator_);
    decoder_.start(coordinator_);
    await([this] { return decoding_ == 2; });
    await([this] { return raw_.size() == 1; });  // the third element; only then the reader waits for good
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
  Background<forebay::QueueStatus> loop_{[this] { return decoded_.dequeue(coordinator_).status(); }};
};

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
