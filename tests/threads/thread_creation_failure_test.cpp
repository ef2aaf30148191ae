// SPDX-License-Identifier: MIT
//
// thread_creation_failure_test.cpp: the k-th of several threads cannot be created. Starting is all or nothing. After a
// failure no op has run, no thread remains, the queue is unchanged, and the start can be repeated.
//
// This is a separate program because it replaces pthread_create.

#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <vector>

// Not under a sanitizer, which replaces pthread_create itself and has to see every thread.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define FOREBAY_TESTS_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define FOREBAY_TESTS_SANITIZED 1
#endif
#endif
#if defined(__GLIBC__) && !defined(FOREBAY_TESTS_SANITIZED)
#define FOREBAY_TESTS_REPLACE_PTHREAD_CREATE 1
#include <dlfcn.h>
#include <pthread.h>
#endif

#include "forebay/coordinator.hpp"
#include "forebay/dataset.hpp"
#include "forebay/fifo_queue.hpp"
#include "forebay/from_queue.hpp"
#include "forebay/queue_runner.hpp"
#include "tests/support/await.hpp"

namespace forebay_test {
namespace {

constexpr int all = -1;

/// How many more threads can be created before a creation fails.
std::atomic<int> creatable_threads = all;

#if defined(FOREBAY_TESTS_REPLACE_PTHREAD_CREATE)

bool may_create_thread() {
  if (creatable_threads == all || creatable_threads-- > 0) return true;
  creatable_threads = all;
  return false;
}

}  // namespace
}  // namespace forebay_test

extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*routine)(void*),
                              void* argument) noexcept {
  static const auto create = reinterpret_cast<decltype(&pthread_create)>(dlsym(RTLD_NEXT, "pthread_create"));
  return forebay_test::may_create_thread() ? create(thread, attributes, routine, argument) : EAGAIN;
}

namespace forebay_test {
namespace {

#endif

using forebay::Coordinator;
using forebay::FIFOQueue;
using forebay::QueueRunner;

constexpr int ops_of_a_runner = 4;
constexpr int threads_of_a_runner = ops_of_a_runner + 1;  // the closer

std::ptrdiff_t threads_of_the_process() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
}

class ThreadCreationFailure : public testing::Test {
 protected:
  void SetUp() override {
#if !defined(FOREBAY_TESTS_REPLACE_PTHREAD_CREATE)
    GTEST_SKIP() << "pthread_create can be replaced only where glibc's is used, without a sanitizer's in front of it";
#endif
  }

  /// `start` creates `threads` threads. For every k, the creation of the k-th fails. `start` has to report it and leave
  /// nothing behind.
  template <class Start>
  void expect_nothing_for_any_failure(int threads, Start start) {
    const std::ptrdiff_t threads_before = threads_of_the_process();
    for (int created = 0; created < threads; ++created) {
      creatable_threads = created;
      EXPECT_TRUE(says_that_there_is_no_thread(start)) << "after " << created << " threads";
      ASSERT_EQ(creatable_threads, all) << "it creates fewer threads than expected";
      EXPECT_EQ(calls_, 0);
      // The kernel lists a thread for a moment after it has been joined.
      await([&] { return threads_of_the_process() == threads_before; });
    }
  }

  std::optional<int> count_call() {
    ++calls_;
    return std::nullopt;
  }

  static bool is_untouched(const FIFOQueue<int>& queue) {
    return !queue.is_closed() && queue.size() == 0 && queue.waiting_producers() == 0;
  }

  std::atomic<int> calls_ = 0;

 private:
  template <class Start>
  static bool says_that_there_is_no_thread(Start start) {
    try {
      start();
    } catch (const std::system_error& error) {
      return error.code() == std::errc::resource_unavailable_try_again;
    }
    return false;
  }
};

TEST_F(ThreadCreationFailure, OfAThreadIsSeenByThisTest) {
  creatable_threads = 1;
  std::thread([] {}).join();
  EXPECT_THROW(std::thread([] {}).join(), std::system_error);
  std::thread([] {}).join();
}

TEST_F(ThreadCreationFailure, OfALaunchedThreadLeavesTheCoordinatorAsItWas) {
  Coordinator coordinator;
  const auto launch = [&] { coordinator.launch("launched", [&] { count_call(); }); };
  expect_nothing_for_any_failure(1, launch);
  EXPECT_FALSE(coordinator.should_stop());
  launch();
  coordinator.join();
  EXPECT_EQ(calls_, 1);
}

// proves: thread-creation
TEST_F(ThreadCreationFailure, OfOneOfSeveralLaunchedThreadsLetsNoneRun) {
  Coordinator coordinator;
  const auto launch = [&] {
    const auto body = [&] { count_call(); };
    coordinator.launch({{"one", body}, {"two", body}, {"three", body}});
  };
  expect_nothing_for_any_failure(3, launch);
  launch();
  coordinator.join();
  EXPECT_EQ(calls_, 3);
}

// proves: thread-creation
TEST_F(ThreadCreationFailure, LeavesTheThreadsThatRunAlone) {
  Coordinator coordinator;
  coordinator.launch("runs", [&] { EXPECT_TRUE(coordinator.wait_for_stop()); });
  expect_nothing_for_any_failure(1, [&] { coordinator.launch("launched", [&] { count_call(); }); });
  EXPECT_FALSE(coordinator.should_stop());
  coordinator.request_stop();
  EXPECT_NO_THROW(coordinator.join());
}

// proves: thread-creation
TEST_F(ThreadCreationFailure, OfARunnerWithCoordinatorLetsNoOpRun) {
  FIFOQueue<int> queue(1);
  Coordinator coordinator;
  QueueRunner runner(queue, ops_of_a_runner, [&] { return count_call(); });
  expect_nothing_for_any_failure(threads_of_a_runner, [&] { runner.start(coordinator); });
  EXPECT_TRUE(is_untouched(queue));
  EXPECT_FALSE(coordinator.should_stop());
  EXPECT_NO_THROW(runner.join()) << "it does not run";
  EXPECT_TRUE(runner.exceptions_raised().empty());

  runner.start(coordinator);
  EXPECT_NO_THROW(coordinator.join());
  EXPECT_EQ(calls_, ops_of_a_runner);
  EXPECT_TRUE(queue.is_closed());
}

// proves: thread-creation
TEST_F(ThreadCreationFailure, OfARunnerWithoutCoordinatorLetsNoOpRun) {
  FIFOQueue<int> queue(1);
  QueueRunner runner(queue, ops_of_a_runner, [&] { return count_call(); });
  expect_nothing_for_any_failure(threads_of_a_runner, [&] { runner.start(); });
  EXPECT_TRUE(is_untouched(queue));
  EXPECT_NO_THROW(runner.join()) << "it does not run";

  runner.start();
  EXPECT_NO_THROW(runner.join());
  EXPECT_EQ(calls_, ops_of_a_runner);
  EXPECT_TRUE(queue.is_closed());
}

// proves: thread-creation
TEST_F(ThreadCreationFailure, OfAPipelineLetsNoFunctionRun) {
  const auto data = forebay::range(100)
                        .map({.threads = 3, .loop_helps = false},
                             [&](int i) {
                               count_call();
                               return i;
                             })
                        .prefetch(1)
                        .filter([](int) { return true; })
                        .prefetch(1);
  expect_nothing_for_any_failure(4, [&] { static_cast<void>(forebay::Pipeline<int>(data)); });
  auto pipeline = data.run();
  int outputs = 0;
  for ([[maybe_unused]] const int& output : pipeline) ++outputs;
  EXPECT_EQ(outputs, 100);
}

// proves: thread-creation
TEST_F(ThreadCreationFailure, OfTheReadersOfAnInterleaveLeavesADataSetThatRuns) {
  const auto data = forebay::range(1, 3)
                        .interleave({.cycle = 2, .prefetch = 1},
                                    [](int i) {
                                      return std::vector<int>{i, i};
                                    })
                        .map({.threads = 1, .loop_helps = false}, [](int i) { return i; });
  expect_nothing_for_any_failure(3, [&] { static_cast<void>(forebay::Pipeline<int>(data)); });
  int sum = 0;
  for (const int& output : data.run()) sum += output;
  EXPECT_EQ(sum, 6);
}

// proves: thread-creation
TEST_F(ThreadCreationFailure, OfAPipelineUsesUpWhatCanBeRunOnce) {
  FIFOQueue<int> queue(2);
  static_cast<void>(queue.enqueue_many({1, 2}));
  const auto data = forebay::from_queue(queue).map({.threads = 1, .loop_helps = false}, [](int i) { return i; });
  const auto run = [&] { static_cast<void>(forebay::Pipeline<int>(data)); };
  expect_nothing_for_any_failure(1, run);
  EXPECT_THROW(run(), std::invalid_argument);
  EXPECT_EQ(queue.size(), 2U);
}

TEST_F(ThreadCreationFailure, OfARunnerThatIsNotStartedAgainLeavesTheQueueOpen) {
  FIFOQueue<int> queue(1);
  {
    QueueRunner runner(queue, ops_of_a_runner, [&] { return count_call(); });
    expect_nothing_for_any_failure(threads_of_a_runner, [&] { runner.start(); });
  }
  EXPECT_TRUE(is_untouched(queue));
}

// proves: thread-creation
TEST_F(ThreadCreationFailure, OfOneOfSeveralRunnersLetsNoOpOfAnyRun) {
  FIFOQueue<int> first(1);
  FIFOQueue<int> second(1);
  Coordinator coordinator;
  QueueRunner some(first, ops_of_a_runner, [&] { return count_call(); });
  QueueRunner others(second, ops_of_a_runner, [&] { return count_call(); });
  const auto start = [&] { forebay::start_queue_runners(coordinator, some, others); };
  expect_nothing_for_any_failure(2 * threads_of_a_runner, start);
  EXPECT_TRUE(is_untouched(first));
  EXPECT_TRUE(is_untouched(second));
  EXPECT_FALSE(coordinator.should_stop());

  start();
  EXPECT_NO_THROW(coordinator.join());
  EXPECT_EQ(calls_, 2 * ops_of_a_runner);
}

}  // namespace
}  // namespace forebay_test
