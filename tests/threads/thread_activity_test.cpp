// SPDX-License-Identifier: MIT
//
// thread_activity_test.cpp: which thread waits for what, as a Coordinator and a StragglersError report it.

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

#include "forebay/queues.hpp"
#include "tests/support/activity_texts.hpp"
#include "tests/support/await.hpp"
#include "tests/support/background.hpp"
#include "tests/support/contains.hpp"
#include "tests/support/iterations.hpp"
#include "tests/support/manual_clock_sync.hpp"
#include "tests/support/scaled_time.hpp"
#include "tests/support/thrown.hpp"

namespace forebay_test {
namespace {

using namespace std::chrono_literals;
using forebay::Coordinator;
using forebay::FIFOQueue;
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

// proves: thread-activity
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

// proves: thread-activity
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
  ASSERT_EQ(queue.enqueue(1), forebay::QueueStatus::ok);
  waited.wait();
  EXPECT_EQ(texts_of(coordinator.threads()), Texts{"worker runs"});
  released.count_down();
  coordinator.join();
}

TEST(ThreadActivity, OfARunnerIsWhatItsOpsAndItsCloserWaitFor) {
  FIFOQueue<int> images(1);
  Coordinator coordinator;
  forebay::QueueRunner runner(images, 1, [] { return 1; });
  runner.start(coordinator);
  EXPECT_TRUE(come_to(coordinator, {"QueueRunner-0 waits for enqueue of FIFOQueue",
                                    "QueueRunner-closer waits for the end of QueueRunner"}));
  coordinator.request_stop();
  coordinator.join();
}

// proves: thread-activity
TEST(ThreadActivity, IsIdleWhereAThreadWaitsForAStopOrForOtherThreads) {
  FIFOQueue<int> images(1);
  std::latch released(1);
  Coordinator other;
  other.launch("waits", [&] { other.wait_for_stop(); });
  Coordinator coordinator;
  forebay::QueueRunner runner(images, 1, [] { return 1; });
  runner.start(coordinator);
  coordinator.launch("joins", [&] { other.join(); });
  coordinator.launch("waits", [&] { coordinator.wait_for_stop(); });
  coordinator.launch("runs", [&] { released.wait(); });
  EXPECT_TRUE(await([&] {
    Texts idle;
    for (const ThreadActivity& each : coordinator.threads()) {
      if (each.idle) idle.insert(each.name);
    }
    return idle == Texts{"QueueRunner-closer", "joins", "waits"};
  }));
  released.count_down();
  other.request_stop();
  coordinator.request_stop();
}

// proves: thread-activity
TEST(ThreadActivity, CountsTheTimeFromTheBeginningOfTheWait) {
  using Manual = forebay::BasicCoordinator<ManualClockSync>;
  FIFOQueue<int, ManualClockSync> queue(2);
  Manual coordinator;
  coordinator.launch("worker", [&] { static_cast<void>(queue.dequeue_many(4, coordinator)); });
  await_waiting_consumers(queue, 1);
  ManualClockSync::advance(1h);
  ASSERT_EQ(queue.enqueue_many({1, 2}).count, 2U);  // the batch gathers them, and goes on waiting
  ASSERT_EQ(queue.enqueue(3), forebay::QueueStatus::ok);
  ManualClockSync::advance(1h);
  EXPECT_TRUE(await([&] { return coordinator.threads()[0].time == 2h; }));
  coordinator.request_stop();
}

// proves: thread-activity
TEST(ThreadActivity, CountsTheTimeFromTheLastElementThatAThreadMoved) {
  FIFOQueue<int, ManualClockSync> queue(2);
  forebay::BasicCoordinator<ManualClockSync> coordinator;
  coordinator.launch("worker", [&] { static_cast<void>(queue.enqueue_many(std::vector<int>(10), coordinator)); });
  for (int i = 0; i < 3; ++i) {
    await_waiting_producers(queue, 1);
    EXPECT_TRUE(await([&] { return coordinator.threads()[0].waits(); }));
    ManualClockSync::advance(1h);
    EXPECT_EQ(coordinator.threads()[0].time, 1h);
    static_cast<void>(queue.dequeue_many(2));
    EXPECT_TRUE(await([&] { return coordinator.threads()[0].time == 0h; }));
  }
  coordinator.request_stop();
}

// proves: thread-activity
TEST(ThreadActivity, CountsTheTimeOfAllWaitsInWhichAThreadMovedNothing) {
  using Manual = forebay::BasicCoordinator<ManualClockSync>;
  FIFOQueue<int, ManualClockSync> queue(2);
  std::atomic<int> polls = 0;
  Manual coordinator;
  coordinator.launch("worker", [&] {
    for (; !coordinator.should_stop(); ++polls) static_cast<void>(queue.dequeue({1h, coordinator}));
  });
  await_waiting_consumers(queue, 1);
  EXPECT_TRUE(await([&] { return coordinator.threads()[0].waits(); }));
  const auto began = ManualClockSync::clock::now();
  EXPECT_TRUE(await([&] {
    ManualClockSync::advance(1min);
    return polls >= 2;
  }));
  EXPECT_EQ(coordinator.threads()[0].time, ManualClockSync::clock::now() - began);
  coordinator.request_stop();
}

// proves: thread-activity
TEST(ThreadActivity, MayBeAskedForWhileThreadsComeAndGo) {
  Coordinator coordinator;
  FIFOQueue<int> queue(1);
  std::atomic<bool> over = false;
  std::atomic<int> asked = 0;
  Background asking([&] {
    std::size_t seen = 0;
    while (!over) {
      for (const ThreadActivity& each : coordinator.threads()) seen += each.text().size();
      seen += coordinator.progress();
      ++asked;
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
    if (i % 2 == 0) {  // ask while the thread waits, however busy the machine is
      await_waiting_consumers(of_this_time, 1);
      EXPECT_TRUE(await([&asked, before = asked.load()] { return asked > before + 1; }));
    }
    coordinator.launch("producer", [&] { static_cast<void>(of_this_time.enqueue(1)); });
    end.wait_for_stop();
    coordinator.join();
  }
  over = true;
  static_cast<void>(asking.get());
}

// ---- Stragglers

// proves: thread-activity
TEST(ThreadActivity, OfAStragglerIsToldWithIt) {
  FIFOQueue<int> forgotten(1);
  forgotten.set_name("forgotten");
  std::promise<void> release;
  Coordinator coordinator;
  coordinator.launch("consumer", [&] { static_cast<void>(forgotten.dequeue()); });
  coordinator.launch("busy", [released = release.get_future().share()] { released.wait(); });
  await_waiting_consumers(forgotten, 1);
  EXPECT_TRUE(come_to(coordinator, {"consumer waits for dequeue of forgotten", "busy runs"}));
  coordinator.request_stop();
  try {
    coordinator.join(0ns);
    ADD_FAILURE() << "join returned while threads run";
  } catch (const forebay::StragglersError& error) {
    const std::string message = error.what();
    EXPECT_TRUE(contains(message, ": consumer waits for dequeue of forgotten ("));
    EXPECT_TRUE(contains(message, " s), busy runs"));
    EXPECT_EQ(texts_of(error.threads()), (Texts{"consumer waits for dequeue of forgotten", "busy runs"}));
    EXPECT_EQ(error.names(), (std::vector<std::string>{"consumer", "busy"}));
  }
  forgotten.close();
  release.set_value();
  coordinator.join();
}

}  // namespace
}  // namespace forebay_test
