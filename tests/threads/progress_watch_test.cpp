// SPDX-License-Identifier: MIT
//
// progress_watch_test.cpp: progress() of a Coordinator, and the ProgressWatch that reports when it does not grow.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <latch>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "forebay/queues.hpp"
#include "tests/support/activity_texts.hpp"
#include "tests/support/await.hpp"
#include "tests/support/background.hpp"
#include "tests/support/contains.hpp"
#include "tests/support/manual_clock_sync.hpp"
#include "tests/support/scaled_time.hpp"
#include "tests/support/thrown.hpp"

namespace forebay_test {
namespace {

using namespace std::chrono_literals;
using forebay::Coordinator;
using forebay::FIFOQueue;
using forebay::ProgressWatch;
using forebay::QueueStatus;
using forebay::Stall;
using forebay::ThreadActivity;
using Activities = std::vector<ThreadActivity>;
using ManualCoordinator = forebay::BasicCoordinator<ManualClockSync>;
using ManualRunner = forebay::BasicQueueRunner<ManualClockSync>;
using ManualWatch = forebay::BasicProgressWatch<ManualClockSync>;
using ManualQueue = FIFOQueue<int, ManualClockSync>;

// ---- Progress

/// A thread of a coordinator that executes commands. They do not arrive in a queue, because that would count as
/// progress.
class Worker {
 public:
  explicit Worker(Coordinator& coordinator) : coordinator_(coordinator) {
    coordinator.launch("worker", [this] {
      while (do_next()) {
      }
    });
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker() {
    set(nullptr, true);
    coordinator_.join();
  }

  /// Runs `task` in the thread, and returns when it is done.
  void does(std::function<void()> task) {
    set(std::move(task), false);
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return task_ == nullptr; });
  }

 private:
  void set(std::function<void()> task, bool ends) {
    const std::lock_guard lock(mutex_);
    task_ = std::move(task);
    ends_ = ends;
    changed_.notify_all();
  }

  bool do_next() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return task_ != nullptr || ends_; });
    if (ends_) return false;
    task_();
    task_ = nullptr;
    changed_.notify_all();
    return true;
  }

  Coordinator& coordinator_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::function<void()> task_;
  bool ends_ = false;
};

// proves: watch-silent
TEST(Progress, GrowsWithEachElementThatAThreadMoves) {
  FIFOQueue<int> queue(100);
  FIFOQueue<int> other(100);
  Coordinator coordinator;
  Worker worker(coordinator);
  const int element = 1;
  std::optional<std::vector<int>> batch(std::in_place);
  const std::vector<std::function<void()>> moves{
      [&] { static_cast<void>(queue.enqueue(1)); },
      [&] { static_cast<void>(queue.enqueue(element)); },
      [&] { static_cast<void>(queue.enqueue(1)); },
      [&] {
        static_cast<void>(queue.enqueue_many({1, 2, 3, 4, 5, 6, 7, 8}));
      },
      [&] { static_cast<void>(queue.dequeue()); },
      [&] { static_cast<void>(queue.dequeue()); },
      [&] { static_cast<void>(queue.dequeue_many(2)); },
      [&] { static_cast<void>(queue.dequeue_many(2, *batch)); },
      [&] { static_cast<void>(queue.dequeue_up_to(2)); },
      [&] { static_cast<void>(queue.dequeue_available(2)); },
      [&] { static_cast<void>(dequeue_any(forebay::no_wait, queue, other)); },
  };
  for (std::size_t i = 0; i < moves.size(); ++i) {
    const std::uint64_t before = coordinator.progress();
    worker.does(moves[i]);
    EXPECT_GT(coordinator.progress(), before) << i;
  }
}

// proves: progress-watch
TEST(Progress, DoesNotGrowWhileNothingMoves) {
  FIFOQueue<int> empty(10);
  FIFOQueue<int> full(1);
  FIFOQueue<int> few(4);
  FIFOQueue<int> other(1);
  static_cast<void>(full.enqueue(1));
  static_cast<void>(few.enqueue_many({1, 2}));
  Coordinator coordinator;
  Worker worker(coordinator);
  const std::vector<std::function<void()>> calls{
      [] {},
      [&] { static_cast<void>(empty.dequeue(forebay::no_wait)); },
      [&] { static_cast<void>(empty.dequeue(1ns)); },
      [&] { static_cast<void>(empty.dequeue_many(2, 1ns)); },
      [&] { static_cast<void>(dequeue_any(1ns, empty, other)); },
      [&] { static_cast<void>(full.enqueue(1, 1ns)); },
      [&] {
        static_cast<void>(full.enqueue_many({1, 2}, 1ns));
      },
      [&] { EXPECT_EQ(few.dequeue_many(10, 1ns).status(), QueueStatus::timed_out) << "it gathers, and gives back"; },
      [&] { static_cast<void>(coordinator.wait_for_stop(1ns)); },
      [&] { static_cast<void>(few.size()); },
  };
  const std::uint64_t before = coordinator.progress();
  for (std::size_t i = 0; i < calls.size(); ++i) {
    worker.does(calls[i]);
    EXPECT_EQ(coordinator.progress(), before) << i;
  }
}

// proves: watch-silent
TEST(Progress, OfAThreadIsKeptWhenItEnds) {
  FIFOQueue<int> queue(1);
  Coordinator coordinator;
  const std::uint64_t before = coordinator.progress();
  coordinator.launch("producer", [&] { static_cast<void>(queue.enqueue(1)); });
  coordinator.join();
  const std::uint64_t after = coordinator.progress();
  EXPECT_GT(after, before);
  EXPECT_EQ(coordinator.progress(), after);
}

// proves: watch-silent
TEST(Progress, IsThatOfAnyThreadInAQueueThatIsAttached) {
  FIFOQueue<int> attached(1);
  FIFOQueue<int> another(1);
  Coordinator coordinator;
  coordinator.attach(attached);
  const std::uint64_t before = coordinator.progress();
  static_cast<void>(another.enqueue(1));
  EXPECT_EQ(coordinator.progress(), before);
  static_cast<void>(attached.enqueue(1));
  const std::uint64_t filled = coordinator.progress();
  EXPECT_GT(filled, before);
  static_cast<void>(attached.dequeue());
  EXPECT_GT(coordinator.progress(), filled);
  coordinator.detach(attached);
}

// ---- ProgressWatch

/// A ManualWatch of a coordinator. A test can await its looks, and see what it has reported.
class Watched {
 public:
  explicit Watched(ManualCoordinator& coordinator) : coordinator_(coordinator) {}

  [[nodiscard]] std::uint64_t progress() {
    ++looks_;
    return coordinator_.progress();
  }
  [[nodiscard]] Activities threads() const { return coordinator_.threads(); }
  void request_stop(std::exception_ptr cause) { coordinator_.request_stop(std::move(cause)); }

  [[nodiscard]] std::size_t reports() const {
    const std::lock_guard lock(mutex_);
    return stalls_.size();
  }
  [[nodiscard]] Stall last() const {
    const std::lock_guard lock(mutex_);
    return stalls_.back();
  }

  /// Lets time pass until the watch has looked once more. No other thread may wait for a time.
  void pass_a_look() const {
    static_cast<void>(await([] { return ManualClockSync::timed_waits() == 1; }));
    const int before = looks_;
    ManualClockSync::advance(time_of_a_look);
    static_cast<void>(await([&] { return looks_ > before && ManualClockSync::timed_waits() == 1; }));
  }
  void pass_looks(int count) const {
    for (int i = 0; i < count; ++i) pass_a_look();
  }

  /// Lets as much time pass as the watch needs to look `count` more times.
  void pass_many_looks(int count) const {
    const int before = looks_;
    static_cast<void>(await([&] {
      ManualClockSync::advance(1min);
      return looks_ >= before + count;
    }));
  }

  /// Lets time pass until the watch has made `times` reports. Returns whether it did.
  [[nodiscard]] bool comes_to_report(std::size_t times) const {
    return await([&] {
      ManualClockSync::advance(1min);
      return reports() >= times;
    });
  }

  static constexpr std::chrono::nanoseconds after = 1h;
  static constexpr std::chrono::nanoseconds time_of_a_look = after / 8 + 1ns;

 private:
  ManualCoordinator& coordinator_;
  std::atomic<int> looks_ = 0;
  mutable std::mutex mutex_;
  std::vector<Stall> stalls_;

 public:
  ManualWatch watch{*this,
                    [this](const Stall& stall) {
                      const std::lock_guard lock(mutex_);
                      stalls_.push_back(stall);
                    },
                    after};
};

std::vector<std::string> names_of(const Activities& threads) {
  std::vector<std::string> names;
  for (const ThreadActivity& each : threads) names.push_back(each.name);
  return names;
}
using Names = std::vector<std::string>;

TEST(ProgressWatch, TellsTheTimeThenTheThreadsInUserCodeThenThoseThatWait) {
  const Stall stall{12'350ms, {{.name = "decoder", .time = 11s}}, {{"loader", "dequeue_many(32)", "images", 13s}}};
  EXPECT_EQ(to_string(stall),
            "no element has moved for 12.3 s\n"
            "decoder is in user code (11.0 s)\n"
            "loader waits for dequeue_many(32) of images (13.0 s)\n");
  EXPECT_EQ(stall, stall);
}

// proves: progress-watch
TEST(ProgressWatch, ReportsWhenNothingHasMovedForTheTimeAndNotBefore) {
  ManualQueue queue(1);
  ManualCoordinator coordinator;
  coordinator.launch("consumer", [&] { static_cast<void>(queue.dequeue(coordinator)); });
  await_waiting_consumers(queue, 1);
  EXPECT_TRUE(await([&] { return coordinator.threads()[0].waits(); }));
  const Watched watched(coordinator);
  watched.pass_looks(7);
  EXPECT_EQ(watched.reports(), 0U);
  watched.pass_looks(2);
  ASSERT_EQ(watched.reports(), 1U);
  EXPECT_GE(watched.last().time, 1h);
  EXPECT_EQ(names_of(watched.last().waiting), Names{"consumer"});
  EXPECT_EQ(names_of(watched.last().in_user_code), Names());
  coordinator.request_stop();
}

// proves: watch-silent
TEST(ProgressWatch, IsSilentWhileOneLongCallMovesElements) {
  ManualQueue queue(2);
  ManualCoordinator coordinator;
  coordinator.launch("producer", [&] { static_cast<void>(queue.enqueue_many(std::vector<int>(1000), coordinator)); });
  const Watched watched(coordinator);
  for (int i = 0; i < 20; ++i) {
    await_waiting_producers(queue, 1);
    watched.pass_looks(
        3);  // twice as many are still not enough: the producer may continue only during the next dequeue
    static_cast<void>(queue.dequeue_many(2));
  }
  EXPECT_EQ(watched.reports(), 0U);
  coordinator.request_stop();
}

// proves: progress-watch
TEST(ProgressWatch, ReportsADeadlockBesideAThreadThatPolls) {
  ManualQueue queue(1);
  ManualQueue polled(1);
  ManualCoordinator coordinator;
  coordinator.launch("consumer", [&] { static_cast<void>(queue.dequeue(coordinator)); });
  coordinator.launch("poller", [&] {
    while (!coordinator.should_stop()) static_cast<void>(polled.dequeue({1min, coordinator}));
  });
  const Watched watched(coordinator);
  ASSERT_TRUE(watched.comes_to_report(1));
  EXPECT_EQ(watched.last().in_user_code.size() + watched.last().waiting.size(), 2U);
  watched.pass_many_looks(40);
  EXPECT_EQ(watched.reports(), 1U) << "that a wait began is no progress";
  coordinator.request_stop();
}

// proves: progress-watch
TEST(ProgressWatch, ReportsADeadlockOfThreadsThatAllPoll) {
  ManualQueue queue(1);
  ManualCoordinator coordinator;
  coordinator.launch("poller", [&] {
    while (!coordinator.should_stop()) static_cast<void>(queue.dequeue({1min, coordinator}));
  });
  const Watched watched(coordinator);
  ASSERT_TRUE(watched.comes_to_report(1));
  coordinator.request_stop();
}

// proves: progress-watch
TEST(ProgressWatch, ReportsADeadlockBesideAThreadThatWaitsForTheStopAgainAndAgain) {
  ManualQueue queue(1);
  ManualCoordinator coordinator;
  coordinator.launch("consumer", [&] { static_cast<void>(queue.dequeue(coordinator)); });
  coordinator.launch("monitor", [&] {
    while (!coordinator.wait_for_stop(1min)) {
    }
  });
  EXPECT_TRUE(await([&] { return coordinator.threads()[0].waits(); }));
  const Watched watched(coordinator);
  ASSERT_TRUE(watched.comes_to_report(1));
  EXPECT_EQ(names_of(watched.last().waiting), Names{"consumer"});
  watched.pass_many_looks(40);
  EXPECT_EQ(watched.reports(), 1U);
  coordinator.request_stop();
}

// proves: progress-watch
TEST(ProgressWatch, TellsTheThreadInUserCodeForWhichAllOthersWait) {
  ManualQueue files(1);
  ManualQueue images(1);
  files.set_name("files");
  images.set_name("images");
  std::atomic<bool> decodes = false;
  std::latch released(1);
  ManualCoordinator coordinator;
  coordinator.launch("lister", [&] {
    while (files.enqueue(1, coordinator) == QueueStatus::ok) {
    }
  });
  coordinator.launch("decoder", [&] {
    while (const auto file = files.dequeue(coordinator)) {
      decodes = true;
      released.wait();
      if (images.enqueue(*file, coordinator) != QueueStatus::ok) return;
    }
  });
  coordinator.launch("trainer", [&] {
    while (images.dequeue(coordinator)) {
    }
  });
  EXPECT_TRUE(await([&] { return decodes && files.size() == 1; }));  // the second file: only the third one has to wait
  EXPECT_TRUE(come_to(coordinator,
                      {"lister waits for enqueue of files", "decoder runs", "trainer waits for dequeue of images"}));
  const Watched watched(coordinator);
  ASSERT_TRUE(watched.comes_to_report(1));
  const Stall stall = watched.last();
  ASSERT_EQ(names_of(stall.in_user_code), Names{"decoder"});
  EXPECT_GE(stall.in_user_code[0].time, 1h);
  EXPECT_LE(stall.in_user_code[0].time, stall.time);
  EXPECT_EQ(texts_of(stall.waiting),
            (Texts{"lister waits for enqueue of files", "trainer waits for dequeue of images"}));
  for (const ThreadActivity& each : stall.waiting) EXPECT_GE(each.time, 1h);
  coordinator.request_stop();
  released.count_down();
}

// proves: progress-watch
TEST(ProgressWatch, ReportsAgainOnlyAfterSomethingHasMoved) {
  ManualQueue queue(1);
  ManualCoordinator coordinator;
  coordinator.launch("consumer", [&] {
    while (queue.dequeue(coordinator)) {
    }
  });
  const Watched watched(coordinator);
  for (const std::size_t stall : {1U, 2U, 3U}) {
    ASSERT_TRUE(watched.comes_to_report(stall));
    watched.pass_many_looks(40);
    EXPECT_EQ(watched.reports(), stall);
    ASSERT_EQ(queue.enqueue(1), QueueStatus::ok);
  }
  coordinator.request_stop();
}

// proves: progress-watch
TEST(ProgressWatch, IsSilentAboutThreadsThatWaitForAStopOrForOtherThreads) {
  ManualCoordinator other;
  other.launch("waits", [&] { other.wait_for_stop(); });
  ManualCoordinator coordinator;
  coordinator.launch("waits", [&] { coordinator.wait_for_stop(); });
  coordinator.launch("joins", [&] { other.join(); });
  EXPECT_TRUE(
      come_to(coordinator, {"waits waits for wait_for_stop of Coordinator", "joins waits for join of Coordinator"}));
  const Watched watched(coordinator);
  watched.pass_looks(20);
  EXPECT_EQ(watched.reports(), 0U);
  other.request_stop();
  coordinator.request_stop();
}

// proves: progress-watch
TEST(ProgressWatch, IsSilentAboutAThreadThatComesBackToWaitForTheStopUntilItHangs) {
  std::latch ran(1);
  std::latch released(1);
  ManualCoordinator coordinator;
  const Watched watched(coordinator);
  coordinator.launch("monitor", [&] {
    static_cast<void>(coordinator.wait_for_stop(2 * Watched::after));
    ran.count_down();
    released.wait();
  });
  EXPECT_TRUE(await([] { return ManualClockSync::timed_waits() == 2; }));
  ManualClockSync::advance(2 * Watched::after);
  ran.wait();
  watched.pass_looks(7);
  EXPECT_EQ(watched.reports(), 0U);
  watched.pass_looks(2);
  ASSERT_EQ(watched.reports(), 1U);
  EXPECT_EQ(names_of(watched.last().in_user_code), Names{"monitor"});
  released.count_down();
}

// proves: progress-watch
TEST(ProgressWatch, IsSilentAboutAThreadThatHasJustBegun) {
  ManualQueue queue(1);
  ManualCoordinator coordinator;
  const Watched watched(coordinator);
  watched.pass_looks(20);
  coordinator.launch("consumer", [&] { static_cast<void>(queue.dequeue(coordinator)); });
  await_waiting_consumers(queue, 1);
  watched.pass_looks(7);
  EXPECT_EQ(watched.reports(), 0U) << "nothing has moved for long, but nobody has waited for long";
  watched.pass_looks(2);
  EXPECT_EQ(watched.reports(), 1U);
  coordinator.request_stop();
}

/// Takes the 10 elements of `images`. In all, this takes longer than the watch's time. Expects no report until the
/// queue is empty, and returns the next one.
Stall report_after_drain(ManualQueue& images, ManualCoordinator& coordinator) {
  EXPECT_TRUE(await([&] { return images.size() == 10; }));
  const Watched watched(coordinator);
  for (int i = 0; i < 10; ++i) {
    static_cast<void>(images.dequeue());
    watched.pass_looks(4);
  }
  EXPECT_EQ(watched.reports(), 0U);
  watched.pass_looks(9);
  EXPECT_EQ(watched.reports(), 1U) << "when it is empty";
  return watched.reports() > 0 ? watched.last() : Stall();
}

// proves: watch-silent
TEST(ProgressWatch, IsSilentWhileAQueueThatIsAttachedIsDrained) {
  ManualQueue images(10);
  std::latch released(1);
  ManualCoordinator coordinator;
  coordinator.attach(images);
  coordinator.launch("loader", [&] {
    static_cast<void>(images.enqueue_many(std::vector<int>(10)));
    released.wait();
  });
  static_cast<void>(report_after_drain(images, coordinator));
  released.count_down();
  coordinator.join();
  coordinator.detach(images);
}

// proves: watch-silent
TEST(ProgressWatch, IsSilentWhileTheQueueOfARunnerIsDrained) {
  ManualQueue images(10);
  std::latch released(1);
  ManualCoordinator coordinator;
  ManualRunner runner(images, 1, [&, made = std::make_shared<int>(0)] {
    if (++*made > 10) released.wait();
    return *made;
  });
  runner.start(coordinator);
  EXPECT_TRUE(await([&] { return std::ranges::any_of(coordinator.threads(), &ThreadActivity::idle); }))
      << "the closer";
  EXPECT_EQ(names_of(report_after_drain(images, coordinator).in_user_code), Names{"QueueRunner-0"});
  coordinator.request_stop();
  released.count_down();
}

// proves: watch-function
TEST(ProgressWatch, WhatItsFunctionThrowsIsTheFailureOfWhatItWatches) {
  ManualQueue queue(1);
  ManualCoordinator coordinator;
  coordinator.launch("consumer", [&] { static_cast<void>(queue.dequeue(coordinator)); });
  EXPECT_TRUE(come_to(coordinator, {"consumer waits for dequeue of FIFOQueue"}));
  std::atomic<int> calls = 0;
  std::optional<ManualWatch> watch;
  watch.emplace(
      coordinator,
      [&](const Stall& stall) {
        ++calls;
        throw Failure(to_string(stall.waiting));
      },
      1h);
  EXPECT_TRUE(await([&] {
    ManualClockSync::advance(1min);
    return coordinator.should_stop();
  }));
  ManualClockSync::advance(10h);
  watch.reset();
  EXPECT_EQ(calls, 1) << "it has ended";
  const std::string message = message_of<Failure>([&] { coordinator.join(); });
  EXPECT_EQ(message.find("consumer waits for dequeue of FIFOQueue ("), 0U) << message;
}

// proves: progress-watch
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
  EXPECT_TRUE(come_to(coordinator, {"labeller waits for dequeue of images", "loader waits for dequeue of labels"}));
  const ProgressWatch watch(
      coordinator, [](const Stall& stall) { throw Failure(to_string(stall)); }, short_time());
  const std::string message = message_of<Failure>([&] { coordinator.join(); });
  EXPECT_EQ(message.find("no element has moved for "), 0U) << message;
  EXPECT_TRUE(contains(message, " s\nlabeller waits for dequeue of images ("));
  EXPECT_TRUE(contains(message, " s)\nloader waits for dequeue of labels ("));
}

// proves: watch-function
TEST(ProgressWatch, LetsItsFunctionAskAndStopWhatItWatches) {
  FIFOQueue<int> queue(1);
  Coordinator coordinator;
  std::latch called(1);
  coordinator.launch("waits", [&] { static_cast<void>(queue.dequeue(coordinator)); });
  EXPECT_TRUE(come_to(coordinator, {"waits waits for dequeue of FIFOQueue"}));
  const ProgressWatch watch(
      coordinator,
      [&](const Stall& stall) {
        EXPECT_EQ(texts_of(coordinator.threads()), texts_of(stall.waiting));
        coordinator.request_stop();
        coordinator.join();
        called.count_down();
      },
      1ns);
  called.wait();
}

// proves: watch-function
TEST(ProgressWatch, IsDestroyedOnlyWhenACallOfItsFunctionHasEnded) {
  ManualQueue queue(1);
  ManualCoordinator coordinator;
  coordinator.launch("consumer", [&] { static_cast<void>(queue.dequeue(coordinator)); });
  std::latch called(1);
  std::latch released(1);
  bool ended = false;
  std::optional<ManualWatch> watch;
  watch.emplace(
      coordinator,
      [&](const Stall&) {
        called.count_down();
        released.wait();
        ended = true;
      },
      1h);
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
  coordinator.request_stop();
}

TEST(ProgressWatch, EndsAtOnceWhileItSleeps) {
  Coordinator coordinator;
  const auto silent = [](const Stall&) { ADD_FAILURE() << "nothing has stalled"; };
  const ProgressWatch by_default(coordinator, silent);
  const ProgressWatch for_ever(coordinator, silent, std::chrono::nanoseconds::max());
}

TEST(ProgressWatch, RefusesNoFunctionAndNoTime) {
  Coordinator coordinator;
  EXPECT_EQ(rejection([&] { return std::make_unique<ProgressWatch>(coordinator, nullptr); }),
            "forebay: ProgressWatch needs a function to call");
  const auto watch_for = [&](std::chrono::nanoseconds after) {
    return std::make_unique<ProgressWatch>(
        coordinator, [](const Stall&) {}, after);
  };
  EXPECT_EQ(rejection([&] { return watch_for(0s); }), "forebay: ProgressWatch: after must be more than 0 ns, not 0");
  EXPECT_EQ(rejection([&] { return watch_for(-1us); }),
            "forebay: ProgressWatch: after must be more than 0 ns, not -1000");
}

}  // namespace
}  // namespace forebay_test
