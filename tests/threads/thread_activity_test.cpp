// SPDX-License-Identifier: MIT
//
// thread_activity_test.cpp: who waits for whom, as a Coordinator, StragglersError and ProgressWatch tell it.

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <future>
#include <latch>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "forebay/forebay.hpp"
#include "tests/support/activity_texts.hpp"
#include "tests/support/await.hpp"
#include "tests/support/background.hpp"
#include "tests/support/iterations.hpp"
#include "tests/support/manual_clock_sync.hpp"
#include "tests/support/scaled_time.hpp"
#include "tests/support/thrown.hpp"

namespace forebay_test {
namespace {

using namespace std::chrono_literals;
using forebay::Coordinator;
using forebay::FIFOQueue;
using forebay::ProgressWatch;
using forebay::ThreadActivity;
using Activities = std::vector<ThreadActivity>;

// ---- The list of a coordinator

TEST(ThreadActivity, TellsWhatIsWaitedForAndForHowLongOrThatTheThreadRuns) {
  const ThreadActivity waiting{"loader", "dequeue_many(32)", "images", 12'350ms};
  EXPECT_TRUE(waiting.waits());
  EXPECT_EQ(waiting.text(), "loader waits for dequeue_many(32) of images (12.3 s)");
  const ThreadActivity running{"decoder"};
  EXPECT_FALSE(running.waits());
  EXPECT_EQ(running.text(), "decoder runs");
  EXPECT_EQ(to_string(Activities{waiting, running}),
            "loader waits for dequeue_many(32) of images (12.3 s)\ndecoder runs\n");
  EXPECT_EQ(to_string(Activities()), "");
}

TEST(ThreadActivity, NamesTheQueueAndTheFunctionInWhichAThreadWaits) {
  FIFOQueue<int> images(8);
  images.set_name("images");
  FIFOQueue<int> full(1);
  ASSERT_EQ(full.enqueue(1), forebay::QueueStatus::ok);
  forebay::RandomShuffleQueue<int> shuffled({.capacity = 8, .min_after_dequeue = 1});
  forebay::PriorityQueue<int> urgent(8);
  forebay::PaddingFIFOQueue<int> padded(8);
  Coordinator other;
  other.launch("waits", [&] { other.wait_for_stop(); });
  Coordinator coordinator;
  coordinator.launch("a", [&] { static_cast<void>(images.dequeue(coordinator)); });
  coordinator.launch("b", [&] { static_cast<void>(images.dequeue_many(3, coordinator)); });
  coordinator.launch("c", [&] { static_cast<void>(images.dequeue_up_to(4, coordinator)); });
  coordinator.launch("d", [&] { static_cast<void>(images.dequeue_available(5, coordinator)); });
  coordinator.launch("e", [&] { static_cast<void>(full.enqueue(1, coordinator)); });
  coordinator.launch("f", [&] { static_cast<void>(full.enqueue_many({1, 2}, coordinator)); });
  coordinator.launch("g", [&] { static_cast<void>(shuffled.dequeue(coordinator)); });
  coordinator.launch("h", [&] { static_cast<void>(urgent.dequeue(coordinator)); });
  coordinator.launch("i", [&] { static_cast<void>(padded.dequeue(coordinator)); });
  coordinator.launch("j", [&] { static_cast<void>(dequeue_any(coordinator, shuffled, images, urgent)); });
  coordinator.launch("k", [&] { coordinator.wait_for_stop(); });
  coordinator.launch("l", [&] { other.join(); });
  EXPECT_TRUE(come_to(coordinator, {
                                       "a waits for dequeue of images",
                                       "b waits for dequeue_many(3) of images",
                                       "c waits for dequeue_up_to(4) of images",
                                       "d waits for dequeue_available(5) of images",
                                       "e waits for enqueue of FIFOQueue",
                                       "f waits for enqueue_many(2) of FIFOQueue",
                                       "g waits for dequeue of RandomShuffleQueue",
                                       "h waits for dequeue of PriorityQueue",
                                       "i waits for dequeue of PaddingFIFOQueue",
                                       "j waits for dequeue_any of RandomShuffleQueue or images or PriorityQueue",
                                       "k waits for wait_for_stop of Coordinator",
                                       "l waits for join of Coordinator",
                                   }));
  other.request_stop();
  coordinator.request_stop();
  coordinator.join();
  EXPECT_EQ(coordinator.threads(), Activities());
}

TEST(ThreadActivity, SaysWhatAQueueIsForWhereThatIsGiven) {
  FIFOQueue<int> slots(1);
  EXPECT_EQ(slots.name(), "FIFOQueue");
  slots.set_name("the printer", "a free slot");
  EXPECT_EQ(slots.name(), "the printer");
  Coordinator coordinator;
  coordinator.launch("clerk", [&] { static_cast<void>(slots.dequeue(coordinator)); });
  EXPECT_TRUE(come_to(coordinator, {"clerk waits for a free slot of the printer"}));
  coordinator.request_stop();
}

TEST(ThreadActivity, OfAThreadThatHasWaitedIsThatItRuns) {
  FIFOQueue<int> queue(1);
  Coordinator coordinator;
  std::latch waited(1);
  std::latch released(1);
  coordinator.launch("worker", [&] {
    static_cast<void>(queue.dequeue());
    waited.count_down();
    released.wait();
  });
  EXPECT_TRUE(come_to(coordinator, {"worker waits for dequeue of FIFOQueue"}));
  EXPECT_NE(coordinator.stalled_since(), std::nullopt);
  ASSERT_EQ(queue.enqueue(1), forebay::QueueStatus::ok);
  waited.wait();
  EXPECT_EQ(texts_of(coordinator.threads()), Texts{"worker runs"});
  EXPECT_EQ(coordinator.stalled_since(), std::nullopt);
  released.count_down();
  coordinator.join();
  EXPECT_EQ(coordinator.stalled_since(), std::nullopt) << "there is nobody who waits";
}

TEST(ThreadActivity, OfARunnerIsWhatItsOpsAndItsCloserWaitFor) {
  FIFOQueue<int> images(1);
  Coordinator coordinator;
  forebay::QueueRunner runner(images, 1, [] { return 1; });
  runner.start(coordinator);
  EXPECT_TRUE(come_to(coordinator, {"QueueRunner-0 waits for enqueue of FIFOQueue",
                                    "QueueRunner-closer waits for the end of QueueRunner"}));
  EXPECT_NE(coordinator.stalled_since(), std::nullopt);
  coordinator.request_stop();
  coordinator.join();
}

TEST(ThreadActivity, CountsTheTimeFromTheBeginningOfTheWait) {
  using Manual = forebay::BasicCoordinator<ManualClockSync>;
  FIFOQueue<int, ManualClockSync> queue(2);
  Manual coordinator;
  coordinator.launch("worker", [&] { static_cast<void>(queue.dequeue_many(4, coordinator)); });
  await_waiting_consumers(queue, 1);
  const auto began = ManualClockSync::clock::now();
  ManualClockSync::advance(1h);
  ASSERT_EQ(queue.enqueue_many({1, 2}).count, 2U);  // it gathers them, and sleeps again
  ASSERT_EQ(queue.enqueue(3), forebay::QueueStatus::ok);
  ManualClockSync::advance(1h);
  EXPECT_TRUE(await([&] { return coordinator.threads()[0].waited == 2h; }));
  EXPECT_EQ(coordinator.stalled_since(), began);
  coordinator.request_stop();
}

TEST(ThreadActivity, OfSeveralThreadsIsAStallSinceTheLastOfThemWaits) {
  FIFOQueue<int, ManualClockSync> queue(2);
  forebay::BasicCoordinator<ManualClockSync> coordinator;
  const auto wait = [&] { static_cast<void>(queue.dequeue(coordinator)); };
  coordinator.launch("first", wait);
  await_waiting_consumers(queue, 1);
  ManualClockSync::advance(1h);
  coordinator.launch("second", wait);
  await_waiting_consumers(queue, 2);
  EXPECT_TRUE(await([&] { return coordinator.stalled_since() == ManualClockSync::clock::now(); }));
  coordinator.request_stop();
}

TEST(ThreadActivity, MayBeAskedForWhileThreadsComeAndGo) {
  Coordinator coordinator;
  FIFOQueue<int> queue(1);
  std::atomic<bool> over = false;
  Background asking([&] {
    std::size_t seen = 0;
    while (!over) {
      for (const ThreadActivity& each : coordinator.threads()) seen += each.text().size();
      std::this_thread::yield();
    }
    return seen;
  });
  for (int i = 0; i < iterations(60); ++i) {
    FIFOQueue<int> of_this_time(1);
    of_this_time.set_name("a queue that lives for a moment");
    Coordinator end;
    coordinator.launch("consumer", [&] {
      static_cast<void>(of_this_time.dequeue());
      end.request_stop();
    });
    coordinator.launch("producer", [&] { static_cast<void>(of_this_time.enqueue(1)); });
    end.wait_for_stop();
    coordinator.join();
  }
  over = true;
  static_cast<void>(asking.get());
}

// ---- Stragglers

TEST(ThreadActivity, OfAStragglerIsToldWithIt) {
  FIFOQueue<int> forgotten(1);
  forgotten.set_name("forgotten");
  std::promise<void> release;
  Coordinator coordinator;
  coordinator.launch("consumer", [&] { static_cast<void>(forgotten.dequeue()); });
  coordinator.launch("busy", [released = release.get_future().share()] { released.wait(); });
  await_waiting_consumers(forgotten, 1);
  EXPECT_TRUE(come_to(coordinator, {"consumer waits for dequeue of forgotten", "busy runs"}));
  EXPECT_EQ(coordinator.stalled_since(), std::nullopt) << "one of them may move";
  coordinator.request_stop();
  try {
    coordinator.join(0ns);
    ADD_FAILURE() << "join returned while threads run";
  } catch (const forebay::StragglersError& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find(": consumer waits for dequeue of forgotten ("), std::string::npos) << message;
    EXPECT_NE(message.find(" s), busy runs"), std::string::npos) << message;
    EXPECT_EQ(texts_of(error.threads()), (Texts{"consumer waits for dequeue of forgotten", "busy runs"}));
    EXPECT_EQ(error.names(), (std::vector<std::string>{"consumer", "busy"}));
  }
  forgotten.close();
  release.set_value();
  coordinator.join();
}

// ---- ProgressWatch

/// What is watched, as a test says it.
class Watched {
 public:
  using Time = ManualClockSync::clock::time_point;

  void stall() { since_ = ManualClockSync::clock::now().time_since_epoch().count(); }
  void move() { since_ = moving; }

  [[nodiscard]] std::optional<Time> stalled_since() {
    ++looks_;
    const auto since = since_.load();
    if (since == moving) return std::nullopt;
    return Time(Time::duration(since));
  }
  [[nodiscard]] Activities threads() const { return {{"one"}}; }
  void request_stop(std::exception_ptr cause) { failure = std::move(cause); }

  /// Lets time pass until it was looked at `times` more.
  bool is_looked_at(int times = 2) {
    const int before = looks_;
    return await([&] {
      ManualClockSync::advance(1min);
      return looks_ >= before + times;
    });
  }

  std::exception_ptr failure;

 private:
  static constexpr auto moving = std::numeric_limits<Time::duration::rep>::min();

  std::atomic<Time::duration::rep> since_ = moving;
  std::atomic<int> looks_ = 0;
};

using ManualWatch = forebay::BasicProgressWatch<ManualClockSync>;

TEST(ProgressWatch, CallsOnceForEachStall) {
  Watched watched;
  std::atomic<int> calls = 0;
  const ManualWatch watch(
      watched, [&](const Activities& threads) { calls += static_cast<int>(threads.size()); }, 1h);
  for (const int stall : {1, 2}) {
    ManualClockSync::advance(1s);
    watched.stall();
    EXPECT_TRUE(await([&] { return watched.is_looked_at() && calls >= stall; }));
    EXPECT_TRUE(watched.is_looked_at(3));
    EXPECT_EQ(calls, stall);
  }
}

TEST(ProgressWatch, IsSilentWhileSomethingMoves) {
  Watched watched;
  std::atomic<int> calls = 0;
  const ManualWatch watch(
      watched, [&](const Activities&) { ++calls; }, 1h);
  EXPECT_TRUE(watched.is_looked_at());
  for (int i = 0; i < 10; ++i) {
    watched.stall();
    ManualClockSync::advance(59min);
    watched.move();
    EXPECT_TRUE(watched.is_looked_at());
  }
  EXPECT_EQ(calls, 0);
}

TEST(ProgressWatch, WhatItsFunctionThrowsIsTheFailureOfWhatItWatches) {
  Watched watched;
  std::atomic<int> calls = 0;
  std::optional<ManualWatch> watch;
  watch.emplace(
      watched,
      [&](const Activities& threads) {
        ++calls;
        throw Failure(to_string(threads));
      },
      1h);
  watched.stall();
  EXPECT_TRUE(await([&] {
    ManualClockSync::advance(1min);
    return calls == 1;
  }));
  watched.stall();
  ManualClockSync::advance(10h);
  watch.reset();
  EXPECT_EQ(calls, 1) << "it has ended";
  ASSERT_NE(watched.failure, nullptr);
  EXPECT_EQ(message_of<Failure>([&] { std::rethrow_exception(watched.failure); }), "one runs\n");
}

TEST(ProgressWatch, OfTwoQueuesThatWaitForEachOtherSaysSoAndEndsTheDeadlock) {
  FIFOQueue<int> images(1);
  FIFOQueue<int> labels(1);
  images.set_name("images");
  labels.set_name("labels");
  Coordinator coordinator;
  coordinator.attach(images);
  coordinator.attach(labels);
  coordinator.launch("labeller", [&] {
    while (const auto image = images.dequeue()) static_cast<void>(labels.enqueue(*image));
  });
  coordinator.launch("loader", [&] {
    while (const auto label = labels.dequeue()) static_cast<void>(images.enqueue(*label));
  });
  const ProgressWatch watch(
      coordinator, [](const Activities& threads) { throw Failure(to_string(threads)); }, short_time());
  const std::string message = message_of<Failure>([&] { coordinator.join(); });
  EXPECT_EQ(message.find("labeller waits for dequeue of images ("), 0U) << message;
  EXPECT_NE(message.find(" s)\nloader waits for dequeue of labels ("), std::string::npos) << message;
}

TEST(ProgressWatch, LetsItsFunctionAskAndStopWhatItWatches) {
  Coordinator coordinator;
  std::latch called(1);
  coordinator.launch("waits", [&] { coordinator.wait_for_stop(); });
  const ProgressWatch watch(
      coordinator,
      [&](const Activities& threads) {
        EXPECT_EQ(texts_of(coordinator.threads()), texts_of(threads));
        coordinator.request_stop();
        coordinator.join();
        called.count_down();
      },
      1ns);
  called.wait();
}

TEST(ProgressWatch, IsDestroyedOnlyWhenACallOfItsFunctionHasEnded) {
  Watched watched;
  std::latch called(1);
  std::latch released(1);
  bool ended = false;
  std::optional<ManualWatch> watch;
  watch.emplace(
      watched,
      [&](const Activities&) {
        called.count_down();
        released.wait();
        ended = true;
      },
      1h);
  watched.stall();
  EXPECT_TRUE(await([&] {
    ManualClockSync::advance(1min);
    return called.try_wait();
  }));
  Background destruction([&] {
    watch.reset();
    return ended;
  });
  released.count_down();
  EXPECT_TRUE(destruction.get());
}

TEST(ProgressWatch, EndsAtOnceWhileItSleeps) {
  Coordinator coordinator;
  const auto silent = [](const Activities&) { ADD_FAILURE() << "nothing has stalled"; };
  const ProgressWatch by_default(coordinator, silent);
  const ProgressWatch for_ever(coordinator, silent, std::chrono::nanoseconds::max());
}

TEST(ProgressWatch, RefusesNoFunctionAndNoTime) {
  Coordinator coordinator;
  EXPECT_EQ(rejection([&] { return std::make_unique<ProgressWatch>(coordinator, nullptr); }),
            "forebay: ProgressWatch needs a function to call");
  const auto watch_for = [&](std::chrono::nanoseconds after) {
    return std::make_unique<ProgressWatch>(
        coordinator, [](const Activities&) {}, after);
  };
  EXPECT_EQ(rejection([&] { return watch_for(0s); }), "forebay: ProgressWatch: after 0 ns, it has to be more than 0");
  EXPECT_EQ(rejection([&] { return watch_for(-1us); }),
            "forebay: ProgressWatch: after -1000 ns, it has to be more than 0");
}

}  // namespace
}  // namespace forebay_test
