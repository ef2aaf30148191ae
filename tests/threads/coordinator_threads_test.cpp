// SPDX-License-Identifier: MIT
//
// coordinator_threads_test.cpp: the promises of the contract about the threads of a Coordinator: launching, joining,
// stragglers, and the destructor. The rest is in coordinator_test.cpp.

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <exception>
#include <functional>
#include <future>
#include <latch>
#include <list>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "forebay/coordinator.hpp"
#include "forebay/fifo_queue.hpp"
#include "tests/support/await.hpp"
#include "tests/support/background.hpp"
#include "tests/support/contains.hpp"
#include "tests/support/iterations.hpp"
#include "tests/support/scaled_time.hpp"
#include "tests/support/this_thread.hpp"
#include "tests/support/thrown.hpp"

namespace forebay_test {
namespace {

using forebay::Coordinator;
using forebay::StragglersError;
using std::chrono::nanoseconds;
using Names = std::vector<std::string>;

/// Returns the names that join(grace) reports, or nothing if it returns.
Names stragglers_after(Coordinator& coordinator, nanoseconds grace) {
  try {
    coordinator.join(grace);
  } catch (const StragglersError& error) {
    return error.names();
  }
  return {};
}

/// The body of a thread that ignores stops: it ends when the promise is fulfilled or destroyed. Declare the promise
/// after the coordinator.
std::function<void()> stubborn(const std::shared_future<void>& released) {
  return [released] { released.wait(); };
}

/// Counts the threads that touched it and have ended completely.
std::atomic<int> ended_threads = 0;
struct CountAtThreadEnd {
  ~CountAtThreadEnd() { ++ended_threads; }
  void touch() {}
};
thread_local CountAtThreadEnd count_at_thread_end;

TEST(CoordinatorThreads, LaunchTakesABodyThatCannotBeCopied) {
  Coordinator coordinator;
  int result = 0;
  coordinator.launch("owner", [&result, owned = std::make_unique<int>(7)] { result = *owned; });
  coordinator.join();
  EXPECT_EQ(result, 7);
}

TEST(CoordinatorThreads, LaunchTakesSeveralThreads) {
  Coordinator coordinator;
  std::latch all_there(3);
  const auto meet = [&] { all_there.arrive_and_wait(); };
  coordinator.launch({{"one", meet}, {"two", meet}, {"three", meet}});
  EXPECT_EQ(thrown_by_join(coordinator), nullptr);
}

TEST(CoordinatorThreads, LaunchTakesSeveralThreadsWhoseBodiesCannotBeCopied) {
  forebay::FIFOQueue<int> queue(2);
  Coordinator coordinator;
  std::vector<forebay::NamedThread> threads;
  for (auto& producer : queue.producers(3)) {
    threads.emplace_back("producer", [producer = std::move(producer)]() mutable { return producer.enqueue(7); });
  }
  coordinator.launch(std::move(threads));
  int sum = 0;
  for (const int i : queue) sum += i;  // ends, so each thread has destroyed its producer
  coordinator.join();
  EXPECT_EQ(sum, 21);
}

TEST(CoordinatorThreads, LaunchMayBeCalledByALaunchedThread) {
  Coordinator coordinator;
  int depth = 0;
  coordinator.launch(
      "outer", [&] { coordinator.launch("inner", [&] { coordinator.launch("innermost", [&] { depth = 3; }); }); });
  coordinator.join();
  EXPECT_EQ(depth, 3);
}

TEST(CoordinatorThreads, LaunchesMoreThreadsThanLiveAtOnce) {
  Coordinator coordinator;
  std::atomic<int> ran = 0;
  for (int i = 0; i < iterations(2000); ++i) coordinator.launch("short-lived", [&] { ++ran; });
  coordinator.join();
  EXPECT_EQ(ran, iterations(2000));
}

TEST(CoordinatorThreads, JoinReturnsWhenAllHaveEndedThoughNobodyRequestedAStop) {
  Coordinator coordinator;
  std::array<int, 3> results{};
  for (int& result : results) {
    coordinator.launch("worker", [&result] {
      keep_busy(short_time() / 10);
      result = 1;
    });
  }
  coordinator.join();
  EXPECT_EQ(results, (std::array{1, 1, 1}));
  EXPECT_FALSE(coordinator.should_stop());
  EXPECT_TRUE(coordinator.joined());
}

TEST(CoordinatorThreads, JoinReturnsAtOnceWithoutThreads) {
  Coordinator coordinator;
  EXPECT_EQ(thrown_by_join(coordinator), nullptr);
  EXPECT_TRUE(coordinator.joined());
}

TEST(CoordinatorThreads, JoinRethrowsTheFailureOfALaunchedThread) {
  Coordinator coordinator;
  coordinator.launch("failing", [] { throw Failure("in a thread"); });
  EXPECT_THROW(coordinator.join(), Failure);
  EXPECT_TRUE(coordinator.joined());
}

TEST(CoordinatorThreads, JoinThrowsAgainUntilTheStopIsCleared) {
  Coordinator coordinator;
  const std::exception_ptr first = failure();
  coordinator.request_stop(first);
  EXPECT_EQ(thrown_by_join(coordinator), first);
  EXPECT_EQ(thrown_by_join(coordinator), first);
  coordinator.clear_stop();
  EXPECT_EQ(thrown_by_join(coordinator), nullptr);
}

TEST(CoordinatorThreads, JoinMayBeCalledByTwoThreadsAtOnce) {
  for (int i = 0; i < iterations(200); ++i) {
    Coordinator coordinator;
    coordinator.launch("failing", [] { throw Failure("told to both"); });
    Background other([&] { return thrown_by_join(coordinator); });
    const std::exception_ptr mine = thrown_by_join(coordinator);
    EXPECT_NE(mine, nullptr);
    EXPECT_EQ(other.get(), mine);
  }
}

// proves: join-inside
TEST(CoordinatorThreads, JoinByALaunchedThreadThrowsInsteadOfDeadlocking) {
  Coordinator coordinator;
  coordinator.launch("itself", [&] {
    EXPECT_TRUE(reports_deadlock([&] { coordinator.join(); }));
    EXPECT_TRUE(reports_deadlock([&] { coordinator.join(nanoseconds(0)); }));
    EXPECT_FALSE(coordinator.joined());
  });
  EXPECT_EQ(thrown_by_join(coordinator), nullptr);
}

TEST(CoordinatorThreads, JoinOfThreadsByALaunchedThreadThrowsBeforeItWaitsForThem) {
  Coordinator coordinator;
  std::vector<std::jthread> threads;
  threads.emplace_back([&] { static_cast<void>(coordinator.wait_for_stop()); });
  coordinator.launch("itself", [&] {
    EXPECT_TRUE(reports_deadlock([&] { coordinator.join(threads); }));
    coordinator.request_stop();
  });
  EXPECT_EQ(thrown_by_join(coordinator), nullptr);
}

// proves: join-inside
TEST(CoordinatorThreads, JoinOfThreadsByOneOfThemThrowsInsteadOfDeadlocking) {
  Coordinator coordinator;
  std::vector<std::thread> threads;
  std::latch threads_known(1);
  threads.emplace_back([&] {
    threads_known.wait();
    EXPECT_TRUE(reports_deadlock([&] { coordinator.join(threads); }));
  });
  threads_known.count_down();
  threads.front().join();
}

TEST(CoordinatorThreads, JoinByAThreadOfAnotherCoordinatorIsAllowed) {
  Coordinator outer;
  Coordinator inner;
  inner.launch("inner", [] {});
  outer.launch("outer", [&] { inner.join(); });
  EXPECT_EQ(thrown_by_join(outer), nullptr);
}

TEST(CoordinatorThreads, JoinWaitsForThreadsOfTheUserToo) {
  Coordinator coordinator;
  std::array<int, 5> results{};
  std::vector<std::thread> threads(1);  // a thread that was never started has ended
  threads.emplace_back([&] { results[0] = 1; });
  threads.emplace_back([&] { results[1] = 1; });
  std::list<std::jthread> joining_threads;
  joining_threads.emplace_back([&] { results[2] = 1; });
  coordinator.launch("launched", [&] { results[3] = 1; });
  coordinator.join(threads);
  coordinator.join(joining_threads);
  coordinator.join(std::array{std::jthread([&] { results[4] = 1; })});
  EXPECT_EQ(results, (std::array{1, 1, 1, 1, 1}));
  for (const std::thread& thread : threads) EXPECT_FALSE(thread.joinable());
  for (const std::jthread& thread : joining_threads) EXPECT_FALSE(thread.joinable());
}

TEST(CoordinatorThreads, JoinOfThreadsRethrowsWhatTheyReported) {
  Coordinator coordinator;
  std::vector<std::jthread> threads;
  threads.emplace_back([&] { coordinator.stop_on_exception([] { throw Failure("of the user's thread"); }); });
  threads.emplace_back([&] { static_cast<void>(coordinator.wait_for_stop()); });
  EXPECT_THROW(coordinator.join(std::span(threads)), Failure);
}

TEST(CoordinatorThreads, StragglersAreNamedAfterTheGracePeriod) {
  Coordinator coordinator;
  std::promise<void> release;
  const auto body = stubborn(release.get_future().share());
  coordinator.launch("obedient", [&] { static_cast<void>(coordinator.wait_for_stop()); });
  coordinator.launch("deaf", body);
  coordinator.launch("a name of more than fifteen characters", body);
  coordinator.request_stop();
  await([&] { return stragglers_after(coordinator, nanoseconds(0)).size() == 2; });
  try {
    coordinator.join(short_time());
    ADD_FAILURE() << "join returned while threads run";
  } catch (const StragglersError& error) {
    EXPECT_EQ(error.names(), (Names{"deaf", "a name of more than fifteen characters"}));
    const std::string message = error.what();
    for (const std::string& name : error.names()) EXPECT_TRUE(contains(message, name));
    EXPECT_FALSE(contains(message, "obedient"));
  }
  EXPECT_TRUE(coordinator.joined());
  release.set_value();
  EXPECT_EQ(thrown_by_join(coordinator), nullptr);
}

TEST(CoordinatorThreads, StragglersMayBeNone) {
  Coordinator coordinator;
  coordinator.launch("obedient", [&] { static_cast<void>(coordinator.wait_for_stop()); });
  coordinator.request_stop();
  EXPECT_EQ(stragglers_after(coordinator, long_time()), Names{});
}

// proves: failures-listed
TEST(CoordinatorThreads, StragglersFailureIsKeptForTheNextJoin) {
  Coordinator coordinator;
  std::promise<void> release;
  coordinator.launch("late", [released = release.get_future().share()] {
    released.wait();
    throw Failure("late");
  });
  coordinator.request_stop();
  EXPECT_EQ(stragglers_after(coordinator, nanoseconds(0)), Names{"late"});
  release.set_value();
  EXPECT_THROW(coordinator.join(), Failure);
}

// proves: failures-listed
TEST(CoordinatorThreads, FailureReportedAfterJoinIsListedAndRethrownByTheNextJoin) {
  Coordinator coordinator;
  EXPECT_EQ(thrown_by_join(coordinator), nullptr);
  const std::exception_ptr late = failure("late");
  coordinator.request_stop(late);
  EXPECT_EQ(coordinator.failures(), std::vector{late});
  EXPECT_EQ(thrown_by_join(coordinator), late);
}

// proves: failures-listed
TEST(CoordinatorThreads, FailureReportedAfterJoinThrewIsListedBehindTheFirst) {
  Coordinator coordinator;
  const std::exception_ptr first = failure("first");
  const std::exception_ptr late = failure("late");
  coordinator.request_stop(first);
  EXPECT_EQ(thrown_by_join(coordinator), first);
  coordinator.request_stop(late);
  EXPECT_EQ(coordinator.failures(), (std::vector{first, late}));
  EXPECT_EQ(thrown_by_join(coordinator), first);
}

TEST(CoordinatorThreads, FailureTakesPrecedenceOverStragglers) {
  Coordinator coordinator;
  std::promise<void> release;
  coordinator.launch("deaf", stubborn(release.get_future().share()));
  coordinator.request_stop(failure());
  EXPECT_THROW(coordinator.join(nanoseconds(0)), Failure);
}

TEST(CoordinatorThreads, GraceBeginsWhenAStopIsRequested) {
  Coordinator coordinator;
  coordinator.launch("busy", [] { keep_busy(short_time()); });
  EXPECT_EQ(stragglers_after(coordinator, nanoseconds(0)), Names{});
  EXPECT_FALSE(coordinator.should_stop());
}

TEST(CoordinatorThreads, GraceMayBeAsLongAsADurationCanBe) {
  Coordinator coordinator;
  coordinator.launch("busy", [&] {
    coordinator.request_stop();
    keep_busy(short_time());
  });
  EXPECT_NO_THROW(coordinator.join(std::chrono::hours::max()));
}

#if defined(__linux__)
TEST(CoordinatorThreads, ThreadCarriesItsName) {
  Coordinator coordinator;
  std::string short_name;
  std::string long_name;
  coordinator.launch("evaluator", [&] { short_name = name_of_this_thread(); });
  coordinator.launch("0123456789abcdefgh", [&] { long_name = name_of_this_thread(); });
  coordinator.join();
  EXPECT_EQ(short_name, "evaluator");
  EXPECT_EQ(long_name, "0123456789abcde");
}
#endif

TEST(CoordinatorThreads, DestructorRequestsAStopAndJoins) {
  ended_threads = 0;
  std::atomic<int> stopped = 0;
  {
    Coordinator coordinator;
    for (int i = 0; i < 4; ++i) {
      coordinator.launch("waiting", [&] {
        count_at_thread_end.touch();
        if (coordinator.wait_for_stop()) ++stopped;
      });
    }
  }
  EXPECT_EQ(stopped, 4);
  EXPECT_EQ(ended_threads, 4);
}

TEST(CoordinatorThreads, DestructorWaitsForStragglersOfAnEarlierJoin) {
  ended_threads = 0;
  {
    Coordinator coordinator;
    std::promise<void> release;
    coordinator.launch("slow", [released = release.get_future().share()] {
      count_at_thread_end.touch();
      released.wait();
      keep_busy(short_time());
    });
    coordinator.request_stop();
    EXPECT_EQ(stragglers_after(coordinator, nanoseconds(0)), Names{"slow"});
  }
  EXPECT_EQ(ended_threads, 1);
}

// proves: failures-listed
TEST(CoordinatorThreads, DestructorDropsAFailureNobodyJoinedFor) {
  Coordinator coordinator;
  coordinator.launch("failing", [] { throw Failure("nobody asks"); });
}

}  // namespace
}  // namespace forebay_test
