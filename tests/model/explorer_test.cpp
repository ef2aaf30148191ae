// SPDX-License-Identifier: MIT
//
// The explorer itself: it finds known bugs, and reports none in correct code.

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <mutex>
#include <new>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "forebay/waiting/spin_lock.hpp"
#include "forebay/waiting/waiting_room.hpp"
#include "tests/model/explore.hpp"
#include "tests/model/model_sync.hpp"
#include "tests/model/schedule_string.hpp"
#include "tests/model/threads.hpp"
#include "tests/model/toy_queues.hpp"

// Executions that show a mistake are abandoned with everything their threads own, so leaks are expected here.
extern "C" int __lsan_is_turned_off();               // NOLINT
extern "C" int __lsan_is_turned_off() { return 1; }  // NOLINT

namespace forebay_model {
namespace {

using namespace std::chrono_literals;

// ---- Scenarios for the toy queues, each with the conditions that reveal the mistakes

template <Mistake mistake>
void two_by_two() {
  ToyQueue<mistake> queue(1);
  run_together([&] { queue.enqueue(1); }, [&] { queue.enqueue(2); }, [&] { queue.dequeue(); },
               [&] { queue.dequeue(); });
}

template <Mistake mistake>
void close_with_blocked_producers() {
  ToyQueue<mistake> queue(1);
  run_together([&] { queue.enqueue(1); }, [&] { queue.enqueue(2); }, [&] { queue.enqueue(3); },
               [&] { queue.close(); });
}

template <Mistake mistake>
void close_with_blocked_consumers() {
  ToyQueue<mistake> queue(1);
  run_together([&] { queue.dequeue(); }, [&] { queue.dequeue(); }, [&] { queue.close(); });
}

template <Mistake mistake>
void many_against_producers() {
  ToyQueue<mistake> queue(2);
  const auto produce = [&] {
    queue.enqueue(1);
    queue.enqueue(2);
  };
  run_together(produce, produce, [&] {
    queue.dequeue_many(2);
    queue.dequeue_many(2);
  });
}

template <Mistake mistake>
void two_slots() {
  ToyQueue<mistake> queue(2);
  run_together([&] { queue.enqueue(1); }, [&] { queue.enqueue(2); }, [&] { queue.dequeue(); },
               [&] { queue.dequeue(); });
}

template <Mistake mistake>
void timed_against_untimed() {
  ToyQueue<mistake> queue(1);
  run_together(
      [&] {
        if (queue.dequeue_for(1ms)) queue.enqueue(2);
      },
      [&] { queue.dequeue(); }, [&] { queue.enqueue(1); });
}

template <Mistake mistake>
void stop_while_waiting() {
  ToyQueue<mistake> queue(1);
  const ModelStopSource source;
  run_together([&] { queue.dequeue(source.get_token()); }, [&] { source.request_stop(); });
}

template <Mistake m>
Scenario revealing() {
  switch (m) {
    case Mistake::close_forgets_producers:
    case Mistake::close_wakes_one:
    case Mistake::closed_without_the_lock: return close_with_blocked_producers<m>;
    case Mistake::close_forgets_consumers: return close_with_blocked_consumers<m>;
    case Mistake::many_wakes_one: return many_against_producers<m>;
    case Mistake::notifies_only_when_empty: return two_slots<m>;
    case Mistake::timeout_swallows_notification: return timed_against_untimed<m>;
    case Mistake::callback_without_the_lock:
    case Mistake::callback_under_the_lock:
    case Mistake::token_without_callback: return stop_while_waiting<m>;
    default: return two_by_two<m>;
  }
}

template <Mistake m>
struct Seeded {
  static constexpr Mistake mistake = m;
};

template <class Seed>
class SeededMistake : public testing::Test {};

using Mistakes =
    testing::Types<Seeded<Mistake::one_condition_for_both>, Seeded<Mistake::close_forgets_producers>,
                   Seeded<Mistake::close_forgets_consumers>, Seeded<Mistake::close_wakes_one>,
                   Seeded<Mistake::if_instead_of_while>, Seeded<Mistake::many_wakes_one>,
                   Seeded<Mistake::closed_without_the_lock>, Seeded<Mistake::notifies_only_when_empty>,
                   Seeded<Mistake::timeout_swallows_notification>, Seeded<Mistake::callback_without_the_lock>,
                   Seeded<Mistake::callback_under_the_lock>, Seeded<Mistake::token_without_callback>>;
TYPED_TEST_SUITE(SeededMistake, Mistakes);

constexpr Model with_ticks{.ticks = 1};

TYPED_TEST(SeededMistake, IsFoundByTheCompleteExploration) {
  const Report report = explore_completely(revealing<TypeParam::mistake>(), with_ticks);
  EXPECT_TRUE(report.violation) << report;
}

TYPED_TEST(SeededMistake, IsFoundWithThreePreemptions) {
  const Report report = explore_with_preemptions(revealing<TypeParam::mistake>(), 3, with_ticks);
  EXPECT_TRUE(report.violation) << report;
}

TYPED_TEST(SeededMistake, IsFoundByARandomWalk) {
  const Report report = explore_at_random(revealing<TypeParam::mistake>(), 100'000, with_ticks);
  EXPECT_TRUE(report.violation) << report;
}

TYPED_TEST(SeededMistake, IsFoundByRandomPriorities) {
  const Report report = explore_by_priorities(revealing<TypeParam::mistake>(), 100'000, with_ticks);
  EXPECT_TRUE(report.violation) << report;
}

TYPED_TEST(SeededMistake, ShowsAgainWhenItsScheduleIsReplayed) {
  const Scenario scenario = revealing<TypeParam::mistake>();
  const Report found = explore_completely(scenario, with_ticks);
  ASSERT_TRUE(found.violation);
  const Report again = replay(scenario, to_string(found.violation->schedule), with_ticks);
  ASSERT_TRUE(again.violation);
  EXPECT_EQ(again.violation->what, found.violation->what);
  EXPECT_EQ(again.violation->schedule, found.violation->schedule);
  EXPECT_FALSE(again.violation->trace.empty());
}

TEST(CorrectToyQueue, HasNoViolationInAnyScenario) {
  constexpr Mistake none = Mistake::none;
  const Model model{.spurious_wakeups = 1, .ticks = 1};
  for (const Scenario& scenario :
       {Scenario(two_by_two<none>), Scenario(close_with_blocked_producers<none>),
        Scenario(close_with_blocked_consumers<none>), Scenario(many_against_producers<none>),
        Scenario(two_slots<none>), Scenario(timed_against_untimed<none>), Scenario(stop_while_waiting<none>)}) {
    const Report report = explore_completely(scenario, model);
    EXPECT_TRUE(report.complete) << report;
    const Report bounded = explore_with_preemptions(scenario, 2, model);
    EXPECT_TRUE(bounded.complete) << bounded;
  }
}

// ---- The search

/// Each non-redundant execution is a different partial order of the same steps, and no strategy may miss one.
TEST(PartialOrderReduction, ExploresAsManyOrdersAsSleepSets) {
  constexpr Mistake none = Mistake::none;
  for (const Scenario& scenario : {Scenario(two_by_two<none>), Scenario(close_with_blocked_producers<none>),
                                   Scenario(many_against_producers<none>), Scenario(timed_against_untimed<none>),
                                   Scenario(stop_while_waiting<none>)}) {
    const Model model{.spurious_wakeups = 1, .ticks = 1};
    const Report all = explore_completely(scenario, model, no_limit, Reduction::sleep_sets);
    const Report reduced = explore_completely(scenario, model);
    EXPECT_EQ(all.executions - all.redundant, reduced.executions - reduced.redundant);
    EXPECT_LE(reduced.executions, all.executions);
  }
}

TEST(PartialOrderReduction, IndependentThreadsAreExploredOnce) {
  const Report report = explore_completely([] {
    ModelMutex first;
    ModelMutex second;
    run_together([&] { std::lock_guard guard(first); }, [&] { std::lock_guard guard(second); });
  });
  EXPECT_EQ(report.executions, 1U) << report;
}

TEST(DepthFirst, WithoutReductionExploresEveryOrder) {
  const Scenario scenario = [] {
    ModelAtomic<int> first = 0;
    ModelAtomic<int> second = 0;
    ModelThread other([&] { first = 1, first = 2; });
    second = 1, second = 2;
    other.join();
  };
  EXPECT_EQ(explore_completely(scenario, {}, no_limit, Reduction::none).executions,
            6U);  // the other thread makes 2 of the 4 steps
}

// ---- Other violations that it finds

TEST(Explorer, FindsADataRace) {
  const Scenario scenario = [] {
    Shared<int> value = 0;
    run_together([&] { value.set(1); }, [&] { value.set(2); });
  };
  const Report report = explore_completely(scenario);
  ASSERT_TRUE(report.violation);
  EXPECT_NE(report.violation->what.find("data race"), std::string::npos) << report;
}

template <std::memory_order store, std::memory_order load>
void message_passing() {
  Shared<int> value = 0;
  ModelAtomic<bool> ready = false;
  run_together(
      [&] {
        value.set(1);
        ready.store(true, store);
      },
      [&] {
        if (ready.load(load)) check(value.get() == 1, "the message is old");
      });
}

TEST(Explorer, KnowsWhatAReleaseAndAnAcquireAreFor) {
  using Order = std::memory_order;
  const Model model{.hints_are_steps = true};
  EXPECT_FALSE(explore_completely(message_passing<Order::release, Order::acquire>, model).violation);
  EXPECT_TRUE(explore_completely(message_passing<Order::relaxed, Order::acquire>, model).violation);
  EXPECT_TRUE(explore_completely(message_passing<Order::release, Order::relaxed>, model).violation);
}

TEST(Explorer, FindsTheUseOfAnObjectAfterItsEnd) {
  const Report report = explore_completely([] {
    alignas(ModelMutex) std::array<std::byte, sizeof(ModelMutex)> storage;  // outlives the object in it
    auto* const mutex = ::new (static_cast<void*>(storage.data())) ModelMutex;
    run_together([&] { std::lock_guard guard(*mutex); }, [&] { mutex->~ModelMutex(); });
  });
  EXPECT_TRUE(report.violation) << report;
}

TEST(Explorer, ASpinLockThatBlocksGivesTheSameResultsAsOneThatSpins) {
  std::set<int> results;
  const Scenario scenario = [&results] {
    forebay::detail::WaitingRoom<ModelSync> room;
    forebay::detail::SpinLock<ModelSync> lock(room);
    int last = 0;
    const auto leave_trace = [&](int trace) {
      const forebay::detail::Guard guard(lock);
      last = 10 * last + trace;
    };
    run_together([&] { leave_trace(1); }, [&] { leave_trace(2); }, [&] { leave_trace(3); });
    results.insert(last);
  };
  EXPECT_TRUE(explore_completely(scenario).complete);
  const std::set<int> of_blocking = std::exchange(results, {});
  EXPECT_TRUE(explore_completely(scenario, {.hints_are_steps = true, .spin_locks_block = false}).complete);
  EXPECT_EQ(results, of_blocking);
  EXPECT_EQ(results.size(), 6U);
}

// The lock stops spinning soon, so that it reaches its waiting room.
TEST(Explorer, ASpinLockWithAWaitingRoomLetsOneAtATimeInAndEverybodyOnce) {
  const Scenario scenario = [] {
    forebay::detail::WaitingRoom<ModelSync> room;
    forebay::detail::SpinLock<ModelSync, 0, 1> lock(room);
    Shared<int> entries;
    const auto enter = [&] {
      for (int i = 0; i < 4; ++i) {
        const forebay::detail::Guard guard(lock);
        entries.set(entries.get() + 1);
      }
    };
    const auto enter_ahead = [&] {
      for (int i = 0; i < 4; ++i) {
        const forebay::detail::Guard guard(lock, forebay::detail::ahead_of_all);
        entries.set(entries.get() + 1);
      }
    };
    run_together(enter, enter, enter_ahead, enter_ahead);
    check(entries.get() == 16, "an entry is lost");
  };
  const Model model{.hints_are_steps = true, .spin_locks_block = false, .real_time = false};
  const Report at_random = explore_at_random(scenario, 3'000, model);
  EXPECT_FALSE(at_random.violation) << at_random;
  const Report by_priorities = explore_by_priorities(scenario, 3'000, model);
  EXPECT_FALSE(by_priorities.violation) << by_priorities;
}

TEST(Explorer, TimePassesWhenEverybodyWaits) {
  const Report report = explore_completely([] {
    ToyQueue<Mistake::none> queue(1);
    check(!queue.dequeue_for(1ms).has_value(), "there is an element that nobody put in");
    check(ModelClock::now().time_since_epoch() == 1ms, "it is not the time of the deadline");
  });
  EXPECT_TRUE(report.complete) << report;
}

TEST(Explorer, KeepsTheExceptionsOfThreadsApart) {
  const Report report = explore_completely([] {
    ModelMutex mutex;
    const auto fail_twice = [&mutex](int code) {
      try {
        throw code;
      } catch (int) {
        mutex.lock();
        mutex.unlock();
        try {
          throw;
        } catch (int caught) {
          const std::lock_guard guard(mutex);
          check(caught == code, "it caught another thread's exception");
        }
      }
    };
    run_together([&] { fail_twice(1); }, [&] { fail_twice(2); });
  });
  EXPECT_TRUE(report.complete) << report;
}

TEST(Explorer, ReportsAnExceptionThatEscapesAThread) {
  const Report report = explore_completely([] { run_together([] { throw std::runtime_error("no such file"); }); });
  ASSERT_TRUE(report.violation);
  EXPECT_NE(report.violation->what.find("no such file"), std::string::npos);
}

// ---- Schedule strings

TEST(ScheduleString, IsReadAsItWasWritten) {
  const std::string text = "a12 b.1x3 ~ c.s d.t2 a";
  EXPECT_EQ(to_string(schedule_from(text)), text);
  EXPECT_EQ(schedule_from(text).size(), 20U);
}

TEST(ScheduleString, RejectsWhatIsNone) {
  for (const char* const text : {"!", "a.", "b.x", "a1z", "A", "c.1"}) {
    EXPECT_THROW(static_cast<void>(schedule_from(text)), std::invalid_argument) << text;
  }
}

}  // namespace
}  // namespace forebay_model
