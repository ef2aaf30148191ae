// SPDX-License-Identifier: MIT
//
// spin_lock_test.cpp: the lock of one side of a queue. No thread starves, whatever the holders do under the lock.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <latch>
#include <thread>
#include <vector>

#include "forebay/sync.hpp"
#include "forebay/waiting/spin_lock.hpp"
#include "forebay/waiting/waiting_room.hpp"

namespace forebay_test {
namespace {

using forebay::detail::Guard;

/// StdSync that counts how a thread waits.
struct PauseCountingSync : forebay::StdSync {
  static void pause() noexcept {
    ++pauses;
    forebay::StdSync::pause();
  }

  static void yield() noexcept {
    ++yields;
    forebay::StdSync::yield();
  }
  template <class Duration>
  static void sleep_for(Duration duration) noexcept {
    if (sleeps++ == 0) yields_before_the_first_sleep = yields.load();
    forebay::StdSync::sleep_for(duration);
  }

  inline static std::atomic<std::size_t> pauses = 0;
  inline static std::atomic<std::size_t> yields = 0;
  inline static std::atomic<std::size_t> yields_before_the_first_sleep = 0;
  inline static std::atomic<std::size_t> sleeps = 0;
};

/// Keeps the processor busy, as the move of a large element does.
void work(std::chrono::microseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) continue;
}

struct SpinLock : testing::Test {
  forebay::detail::WaitingRoom<PauseCountingSync> room;
  forebay::detail::SpinLock<PauseCountingSync> lock{room};
};

TEST_F(SpinLock, OneThreadAtATimeHoldsIt) {
  constexpr int rounds = 20'000;
  constexpr std::size_t threads = 8;
  int count = 0;
  {
    std::vector<std::jthread> together;
    for (std::size_t i = 0; i < threads; ++i) {
      together.emplace_back([&] {
        for (int round = 0; round < rounds; ++round) {
          const Guard guard(lock);
          ++count;
        }
      });
    }
  }
  EXPECT_EQ(count, rounds * static_cast<int>(threads));
}

// Before there was a waiting room, a thread hardly ever caught the lock in the instant between two holds.
// proves: fair-locks
TEST_F(SpinLock, HolderThatComesBackAtOnceKeepsNobodyOut) {
  constexpr int times = 20;
  std::atomic<bool> enough = false;
  std::jthread greedy([&] {
    while (!enough) {
      const Guard guard(lock);
      work(std::chrono::microseconds(100));
    }
  });
  for (int i = 0; i < times; ++i) const Guard guard(lock);
  enough = true;
}

TEST_F(SpinLock, IsNotReservedAnyMoreForWhoHadIt) {
  std::atomic<bool> enough = false;
  std::jthread greedy([&] {
    while (!enough) {
      const Guard guard(lock);
      work(std::chrono::microseconds(100));
    }
  });
  while (PauseCountingSync::pauses < 100'000) const Guard guard(lock);
  enough = true;
  greedy.join();
  PauseCountingSync::pauses = 0;
  for (int i = 0; i < 3; ++i) const Guard guard(lock);
  EXPECT_EQ(PauseCountingSync::pauses, 0U);
}

// proves: fair-locks
TEST_F(SpinLock, WhoGoesAheadHasItReservedAtOnceAndDoesNotYield) {
  std::atomic<bool> entered = false;
  PauseCountingSync::yields = 0;
  PauseCountingSync::sleeps = 0;
  lock.lock();
  std::jthread ahead([&] {
    const Guard guard(lock, forebay::detail::ahead_of_all);
    entered = true;
  });
  while (PauseCountingSync::sleeps == 0) std::this_thread::yield();
  lock.unlock();
  const Guard guard(lock);
  EXPECT_TRUE(entered) << "who had it before came back first";
  EXPECT_EQ(PauseCountingSync::yields_before_the_first_sleep, 0U);
}

/// Returns how often each of four threads held the lock, of 2,000 times in total.
template <class Lock>
std::array<std::size_t, 4> shares_of_four(Lock& lock) {
  constexpr std::size_t all = 2'000;
  std::array<std::size_t, 4> shares{};
  std::size_t holds = 0;
  std::latch ready(shares.size());
  std::vector<std::jthread> together;
  for (std::size_t& share : shares) {
    together.emplace_back([&] {
      ready.arrive_and_wait();
      while (true) {
        const Guard guard(lock);
        if (holds == all) return;
        ++holds;
        ++share;
        work(std::chrono::microseconds(100));
      }
    });
  }
  together.clear();
  return shares;
}

// proves: fair-locks
TEST_F(SpinLock, FourThreadsThatHoldItLongHaveTheirShares) {
  std::array<std::size_t, 4> shares{};
  // On an idle machine each thread has at least a quarter of any other's share; without a waiting room it often has
  // nothing. On a busy machine a thread may not run for a while, but not forever.
  const auto are_fair = [&] {
    shares = shares_of_four(lock);
    const auto [least, most] = std::ranges::minmax(shares);
    return 50 * least >= most;
  };
  int in_a_row = 0;
  for (int tries = 0; tries < 25 && in_a_row < 3; ++tries) in_a_row = are_fair() ? in_a_row + 1 : 0;
  EXPECT_EQ(in_a_row, 3) << shares[0] << ' ' << shares[1] << ' ' << shares[2] << ' ' << shares[3];
}

}  // namespace
}  // namespace forebay_test
