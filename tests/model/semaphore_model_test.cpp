// SPDX-License-Identifier: MIT
//
// The semaphore of a pipeline's outputs in many interleavings: one thread at a time has the permit, it is not lost, and
// the thread that has waited longest is overtaken at most once.

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <string>
#include <utility>

#include "forebay/parallel/binary_semaphore.hpp"
#include "forebay/queue_status.hpp"
#include "forebay/wait.hpp"
#include "tests/model/effort.hpp"
#include "tests/model/explore.hpp"
#include "tests/model/model_sync.hpp"
#include "tests/model/threads.hpp"

namespace forebay_model {
namespace {

using namespace std::chrono_literals;
using forebay::QueueStatus;

using Wait = forebay::BasicWait<ModelSync>;

/// A semaphore whose permit the scenario has at first, and which records who gets it afterwards.
class Recorded {
 public:
  Recorded() { semaphore_.release(); }

  [[nodiscard]] QueueStatus acquire(char name, const Wait& wait) {
    const QueueStatus status = semaphore_.acquire(wait);
    if (status != QueueStatus::ok) return status;
    check(!std::exchange(is_held_, true), "two threads have the permit");
    order_ += name;
    return status;
  }
  void acquire(char name) { static_cast<void>(acquire(name, Wait::forever)); }
  void release() {
    is_held_ = false;
    semaphore_.release();
  }
  void pass(char name, const Wait& wait = Wait::forever) {
    if (acquire(name, wait) == QueueStatus::ok) release();
  }
  void close() { semaphore_.close(); }

  /// Requires that the caller has the permit, or that all threads have ended.
  [[nodiscard]] const std::string& order() const { return order_; }

 private:
  forebay::detail::BinarySemaphore<ModelSync> semaphore_{"test", "permit"};
  bool is_held_ = false;
  std::string order_;
};

/// All other threads wait, or wait for a later time, when it returns.
void wait_for_others(std::chrono::seconds time) { ModelSync::sleep_for(time); }

TEST(SemaphoreModel, OneThreadAtATimeHasThePermit) {
  expect_right([] {
    Recorded semaphore;
    run_together([&] { semaphore.pass('a'); }, [&] { semaphore.pass('b'); }, [&] { semaphore.pass('c'); });
    check(semaphore.order().size() == 3, "a thread has not got the permit");
    check(semaphore.acquire('d', forebay::no_wait) == QueueStatus::ok, "the permit is lost");
  });
}

TEST(SemaphoreModel, AWaitingThreadIsOvertakenAtMostOnce) {
  expect_right([] {
    Recorded semaphore;
    semaphore.acquire('-');
    run_together([&] { semaphore.pass('a'); },
                 [&] {
                   wait_for_others(1s);
                   semaphore.pass('b');
                 },
                 [&] {
                   wait_for_others(2s);
                   for (int i = 0; i < 3; ++i) {
                     semaphore.release();
                     semaphore.acquire('o');
                   }
                   semaphore.release();
                 });
    const std::string& order = semaphore.order();
    const std::size_t a = order.find('a');
    const std::size_t b = order.find('b');
    check(a < b, "the second waiting thread has overtaken the first");
    check(a <= 2 && b - a <= 2, "a waiting thread was overtaken twice");
  });
}

TEST(SemaphoreModel, AThreadThatGivesUpPassesThePermitOn) {
  expect_right([] {
    Recorded semaphore;
    semaphore.acquire('-');
    run_together([&] { semaphore.pass('a', 1s); }, [&] { semaphore.pass('b'); },
                 [&] {
                   wait_for_others(1s);
                   for (int i = 0; i < 2; ++i) {
                     semaphore.release();
                     semaphore.acquire('o');
                   }
                   semaphore.release();
                 });
    check(semaphore.acquire('d', forebay::no_wait) == QueueStatus::ok, "the permit is lost");
  });
}

TEST(SemaphoreModel, CloseEndsAllWaits) {
  expect_right([] {
    Recorded semaphore;
    semaphore.acquire('-');
    run_together([&] { check(semaphore.acquire('a', Wait::forever) == QueueStatus::closed, "not closed"); },
                 [&] { check(semaphore.acquire('b', Wait::forever) == QueueStatus::closed, "not closed"); },
                 [&] { semaphore.close(); });
    check(semaphore.acquire('c', Wait::forever) == QueueStatus::closed, "not closed");
  });
}

}  // namespace
}  // namespace forebay_model
