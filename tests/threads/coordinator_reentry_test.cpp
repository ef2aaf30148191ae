// SPDX-License-Identifier: MIT
//
// coordinator_reentry_test.cpp: user code that a Coordinator or a QueueRunner runs or destroys, and that calls it back.
// None of it runs while one of their locks is held.
//
//   What a body captures, thread_locals   *Captures*, *ThreadLocal*
//   Exceptions                            *Exception*
//   What is attached                      *Close*
//   Destroyed by its own thread           CoordinatorDeathTest

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <new>
#include <optional>
#include <thread>
#include <utility>

#include "forebay/coordinator.hpp"
#include "forebay/fifo_queue.hpp"
#include "forebay/queue_runner.hpp"
#include "tests/support/await.hpp"
#include "tests/support/death_test.hpp"
#include "tests/support/iterations.hpp"
#include "tests/support/parking_sync.hpp"
#include "tests/support/thrown.hpp"

namespace forebay_test {
namespace {

using forebay::Coordinator;
using forebay::FIFOQueue;
using forebay::QueueRunner;
using forebay::StragglersError;
using std::chrono::nanoseconds;
using MaybeInt = std::optional<int>;

/// Calls something when the last copy of it is destroyed.
using Guard = std::shared_ptr<void>;
Guard at_end(std::function<void()> call) {
  return {nullptr, [call = std::move(call)](void*) { call(); }};
}

/// An exception that calls something when it is destroyed.
struct CallingFailure : Failure {
  explicit CallingFailure(Guard its) : Failure("calls back"), guard(std::move(its)) {}
  Guard guard;
};

std::exception_ptr failure_that_calls(std::function<void()> call) {
  return std::make_exception_ptr(CallingFailure(at_end(std::move(call))));
}

/// Destroyed at the end of each thread that sets it.
thread_local Guard at_thread_end;

/// Makes many calls that need the coordinator's lock, after its destructor has begun.
auto calls_during_destruction(Coordinator& coordinator) {
  return [&coordinator] {
    await([&] { return coordinator.should_stop(); });
    for (int i = 0; i < 1000; ++i) coordinator.request_stop();
  };
}

// ---- What a body captures, and thread_locals

// proves: reentry
TEST(CoordinatorReentry, CapturesOfABodyMayCallItWhileItIsDestroyed) {
  for (int i = 0; i < iterations(50); ++i) {
    Coordinator coordinator;
    coordinator.launch("guarded", [guard = at_end(calls_during_destruction(coordinator))] {});
  }
}

// proves: reentry
TEST(CoordinatorReentry, ThreadLocalsMayCallItWhileItIsDestroyed) {
  for (int i = 0; i < iterations(50); ++i) {
    Coordinator coordinator;
    coordinator.launch("guarded", [&] { at_thread_end = at_end(calls_during_destruction(coordinator)); });
  }
}

TEST(CoordinatorReentry, CapturesOfABodyAreDestroyedBeforeItsThreadCountsAsEnded) {
  Coordinator coordinator;
  std::promise<void> release;
  std::atomic<bool> body_has_ended = false;
  const auto guard = [&body_has_ended, released = release.get_future().share()] {
    body_has_ended = true;
    released.wait();
  };
  coordinator.launch("cleans up", [guard = at_end(guard)] {});
  await([&] { return body_has_ended.load(); });
  coordinator.request_stop();
  EXPECT_THROW(coordinator.join(nanoseconds(0)), StragglersError);
  release.set_value();
  EXPECT_NO_THROW(coordinator.join());
}

TEST(CoordinatorReentry, CapturesOfABodyAreDestroyedByItsThread) {
  for (int i = 0; i < iterations(200); ++i) {
    Coordinator coordinator;
    std::thread::id destroyed_by;
    const auto note = [&] { destroyed_by = std::this_thread::get_id(); };
    coordinator.launch("guarded", [guard = at_end(note)] {});
    coordinator.join();
    ASSERT_NE(destroyed_by, std::thread::id());
    ASSERT_NE(destroyed_by, std::this_thread::get_id());
  }
}

TEST(CoordinatorReentry, CapturesOfABodyMayReportAFailureToJoin) {
  Coordinator coordinator;
  const std::exception_ptr late = failure("while cleaning up");
  coordinator.launch("guarded", [guard = at_end([&] { coordinator.request_stop(late); })] {});
  EXPECT_EQ(thrown_by_join(coordinator), late);
}

/// Counts the threads that are being joined, or have been joined.
struct JoiningSync : ParkingSync {
  struct Thread : std::thread {
    using std::thread::thread;
    void join() {
      ++joins;
      std::thread::join();
    }
  };
  using thread = Thread;

  inline static std::atomic<int> joins = 0;
};

TEST(CoordinatorReentry, ThreadThatAThreadLocalLaunchesIsWaitedFor) {
  JoiningSync::joins = 0;
  std::atomic<bool> returned = false;
  std::atomic<bool> ran = false;
  forebay::BasicCoordinator<JoiningSync> coordinator;
  const auto second = [&] {
    await([&] { return returned || JoiningSync::parked_threads > 0; });  // by the joining thread
    ran = true;
  };
  coordinator.launch("first", [&] {
    at_thread_end = at_end([&] {
      await([] { return JoiningSync::joins > 0; });
      coordinator.launch("second", second);
    });
  });
  coordinator.join();
  EXPECT_TRUE(ran);
  returned = true;
}

TEST(CoordinatorReentry, ThreadLocalThatLaunchesDoesNotWaitForItsOwnThread) {
  Coordinator coordinator;
  std::atomic<bool> ran = false;
  coordinator.launch("first",
                     [&] { at_thread_end = at_end([&] { coordinator.launch("second", [&] { ran = true; }); }); });
  await([&] { return ran.load(); });
  EXPECT_NO_THROW(coordinator.join());
}

TEST(CoordinatorReentry, ThreadLocalThatJoinsIsToldThatItWouldWaitForItself) {
  Coordinator coordinator;
  std::atomic<bool> reported = false;
  coordinator.launch(
      "itself", [&] { at_thread_end = at_end([&] { reported = reports_deadlock([&] { coordinator.join(); }); }); });
  EXPECT_NO_THROW(coordinator.join());
  EXPECT_TRUE(reported);
}

// proves: reentry
TEST(CoordinatorReentry, CapturesOfAnOpMayCallTheRunnerThatIsDestroyed) {
  FIFOQueue<int> queue(1);
  QueueRunner* self = nullptr;
  bool called = false;
  const auto call = [&] {
    EXPECT_TRUE(self->exceptions_raised().empty());
    EXPECT_NO_THROW(self->join());
    called = true;
  };
  {
    QueueRunner runner(queue, 1, [guard = at_end(call)]() -> MaybeInt { return std::nullopt; });
    self = &runner;
    runner.start();
  }
  EXPECT_TRUE(called);
}

// ---- Exceptions

// proves: reentry
TEST(CoordinatorReentry, ExceptionMayCallItWhenTheStopIsCleared) {
  Coordinator coordinator;
  bool called = false;
  coordinator.request_stop(failure_that_calls([&] { called = coordinator.failures().empty(); }));
  coordinator.request_stop(failure("later"));
  coordinator.clear_stop();
  EXPECT_TRUE(called);
}

TEST(CoordinatorReentry, LaterExceptionMayCallItWhenTheStopIsCleared) {
  Coordinator coordinator;
  bool called = false;
  coordinator.request_stop(failure("first"));
  coordinator.request_stop(failure_that_calls([&] { called = coordinator.failures().empty(); }));
  coordinator.clear_stop();
  EXPECT_TRUE(called);
}

// proves: reentry
TEST(CoordinatorReentry, ExceptionMayCallItWhenItIsDestroyed) {
  bool called = false;
  {
    Coordinator coordinator;
    coordinator.request_stop(failure_that_calls([&] {
      coordinator.request_stop(failure("even later"));
      called = coordinator.failures().size() == 1;
    }));
  }
  EXPECT_TRUE(called);
}

TEST(CoordinatorReentry, ExceptionOfACleanStopMayCallIt) {
  Coordinator coordinator(forebay::clean_stop_types<CallingFailure>);
  bool called = false;
  coordinator.launch("ends",
                     [&] { std::rethrow_exception(failure_that_calls([&] { called = coordinator.should_stop(); })); });
  EXPECT_NO_THROW(coordinator.join());
  EXPECT_TRUE(called);
}

// proves: reentry
TEST(CoordinatorReentry, ExceptionMayCallTheRunnerThatIsStartedAgain) {
  FIFOQueue<int> queue(1);
  queue.close(failure("the queue's own"));  // so that the queue does not keep the runner's failure
  QueueRunner* self = nullptr;
  bool called = false;
  int starts = 0;
  QueueRunner runner(queue, 1, [&]() -> MaybeInt {
    if (++starts > 1) return std::nullopt;
    std::rethrow_exception(failure_that_calls([&] { called = self->exceptions_raised().empty(); }));
  });
  self = &runner;
  {
    Coordinator coordinator;  // so that this one does not keep it either
    runner.start(coordinator);
    EXPECT_THROW(runner.join(), CallingFailure);
  }
  EXPECT_FALSE(called);
  runner.start();
  EXPECT_TRUE(called);
}

// ---- What is attached

/// A closable object that calls a function when it is closed.
struct CallingChannel {
  void close() const noexcept { call(); }
  std::function<void()> call;
};

// proves: reentry
TEST(CoordinatorReentry, CloseOfWhatIsAttachedMayAskTheCoordinator) {
  Coordinator coordinator;
  const std::exception_ptr first = failure();
  std::exception_ptr told;
  CallingChannel channel{[&] { told = coordinator.failure(); }};
  coordinator.attach(channel);
  coordinator.request_stop(first);
  EXPECT_EQ(told, first);
  told = nullptr;
  coordinator.attach(channel);
  EXPECT_EQ(told, first) << "it was attached after the stop";
  coordinator.detach(channel);
}

TEST(CoordinatorReentry, CloseOfWhatIsAttachedMayAskTheRunnerThatIsDestroyed) {
  FIFOQueue<int> queue(1);
  Coordinator coordinator;
  QueueRunner* self = nullptr;
  std::atomic<bool> called = false;
  CallingChannel channel{[&] { called = self->exceptions_raised().empty(); }};
  {
    QueueRunner runner(queue, 1, [] { return 1; });
    self = &runner;
    runner.start(coordinator);
    coordinator.attach(channel);
    await_waiting_producers(queue, 1);
  }
  EXPECT_TRUE(called);
  coordinator.detach(channel);
}

TEST(CoordinatorReentry, DestructorWaitsForACloseUnderWay) {
  std::promise<void> release;
  std::atomic<bool> closing = false;
  std::atomic<bool> closed = false;
  CallingChannel channel{[&, released = release.get_future().share()] {
    if (closing.exchange(true)) return;
    released.wait();
    closed = true;
  }};
  auto coordinator = std::make_unique<Coordinator>();
  coordinator->attach(channel);
  const std::jthread stopping([&] { coordinator->request_stop(); });
  await([&] { return closing.load(); });
  const std::jthread releasing([&] {
    await([&] { return coordinator->should_stop(); });
    release.set_value();
  });
  Coordinator* const destroyed = coordinator.get();
  destroyed->~BasicCoordinator();
  EXPECT_TRUE(closed);
  ::operator delete(coordinator.release());
}

// ---- Destroyed by its own thread

#if GTEST_HAS_DEATH_TEST
class CoordinatorDeathTest : public testing::Test {
 protected:
  void SetUp() override {
    if (sanitized) GTEST_SKIP() << "a sanitizer does not like processes that are left this way";
    choose_death_test_style();
  }
};

// proves: destroy-by-own-thread
TEST_F(CoordinatorDeathTest, CoordinatorThatIsOwnedByABodySaysSo) {
  EXPECT_DEATH(
      {
        auto coordinator = std::make_shared<Coordinator>();
        std::promise<void> released;
        coordinator->launch("owner", [coordinator, &released] { released.get_future().wait(); });
        coordinator.reset();
        released.set_value();
        std::promise<void>().get_future().wait();
      },
      "the thread \"owner\" destroys the Coordinator that waits for it");
}

// proves: destroy-by-own-thread
TEST_F(CoordinatorDeathTest, CoordinatorThatAThreadLocalOwnsSaysSo) {
  EXPECT_DEATH(
      {
        auto coordinator = std::make_shared<Coordinator>();
        std::promise<void> released;
        coordinator->launch("owner", [&coordinator, &released] {
          released.get_future().wait();
          at_thread_end = std::move(coordinator);
        });
        released.set_value();
        std::promise<void>().get_future().wait();
      },
      "the thread \"owner\" destroys the Coordinator that waits for it");
}

// proves: destroy-by-own-thread
TEST_F(CoordinatorDeathTest, RunnerThatIsDestroyedByItsOpSaysSo) {
  EXPECT_DEATH(
      {
        FIFOQueue<int> queue(1);
        std::unique_ptr<QueueRunner> runner;
        runner = std::make_unique<QueueRunner>(queue, 1, [&runner]() -> MaybeInt {
          runner.reset();
          return std::nullopt;
        });
        runner->start();
        std::promise<void>().get_future().wait();
      },
      "a thread of the QueueRunner \"QueueRunner\" destroys the runner that waits for it");
}
#endif

}  // namespace
}  // namespace forebay_test
