// SPDX-License-Identifier: MIT
//
// wait_queue_test.cpp: which waiter on one side of a queue is served next. Needs neither a queue nor threads, because
// the owner's locks guard a wait queue.

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "forebay/engine/demand.hpp"
#include "forebay/engine/wait_queue.hpp"
#include "forebay/engine/waiter.hpp"
#include "forebay/engine/wake_list.hpp"
#include "forebay/sync.hpp"

namespace forebay_test {
namespace {

using forebay::StdSync;
using forebay::detail::Demand;
using forebay::detail::never;
using forebay::detail::Precedence;
using forebay::detail::WaiterState;
using Waiter = forebay::detail::Waiter<StdSync>;
using Queue = forebay::detail::WaitQueue<StdSync>;
using WakeList = forebay::detail::WakeList<StdSync>;

Waiter consumer_of(std::size_t count, bool in_steps = false) {
  return Waiter(Demand::exactly(count), count, in_steps);
}

struct WaitQueue : testing::Test {
  /// Chooses the waiters that `there` elements serve. Returns the count at which the next one is served; the count
  /// before was 0.
  std::uint64_t choose(std::size_t there, std::size_t kept = 0) {
    WakeList wake_list;  // signalled at once: a waiter in a list must not be put into another one
    const std::uint64_t next = queue.choose_served(there, kept, 0, wake_list);
    EXPECT_TRUE(queue.invariants_hold());
    return next;
  }

  Queue queue;
  Waiter first = consumer_of(1);
  Waiter second = consumer_of(3);
  Waiter third = consumer_of(1);
};

TEST_F(WaitQueue, ChoosesTheOldestFirst) {
  queue.join(first);
  queue.join(second);
  EXPECT_EQ(choose(1), 3U) << "so many more are missing for the second";
  EXPECT_TRUE(first.is_chosen());
  EXPECT_FALSE(second.is_chosen());
}

TEST_F(WaitQueue, LetsNobodyGoBeforeAnOlderOneThatNeedsMore) {
  queue.join(second);
  queue.join(third);
  EXPECT_EQ(choose(2), 1U);
  EXPECT_FALSE(second.is_chosen() || third.is_chosen());
}

TEST_F(WaitQueue, CountsWhatWasPromisedToThoseItHasChosen) {
  queue.join(first);
  queue.join(third);
  choose(1);
  choose(1);
  EXPECT_FALSE(third.is_chosen()) << "the same element for two";
  choose(2);
  EXPECT_TRUE(third.is_chosen());
}

TEST_F(WaitQueue, KeepsWhatHasToStay) {
  queue.join(first);
  EXPECT_EQ(choose(5, 5), 1U);
  EXPECT_FALSE(first.is_chosen());
  choose(6, 5);
  EXPECT_TRUE(first.is_chosen());
}

TEST_F(WaitQueue, ExpectsNobodyWhenAllAreChosen) {
  queue.join(first);
  EXPECT_EQ(choose(1), never);
  EXPECT_EQ(choose(100), never);
}

TEST_F(WaitQueue, ChoosesAgainWhoHasLookedAgain) {
  queue.join(first);
  queue.join(third);
  choose(1);
  queue.look_again(first);
  EXPECT_EQ(first.state, WaiterState::waiting);
  choose(1);
  EXPECT_TRUE(first.is_chosen()) << "it is still the oldest";
  EXPECT_FALSE(third.is_chosen());
}

TEST_F(WaitQueue, PassesOnWhatWasPromisedToOneWhoLeaves) {
  queue.join(first);
  queue.join(third);
  choose(1);
  queue.leave(first);
  EXPECT_EQ(first.state, WaiterState::outside);
  choose(1);
  EXPECT_TRUE(third.is_chosen());
}

TEST_F(WaitQueue, GivesTheTurnToWhoWasBargedPastEightTimes) {
  queue.join(first);
  for (int times = 0; times < 7; ++times) queue.barged(first);
  EXPECT_FALSE(first.has_turn());
  queue.barged(first);
  EXPECT_TRUE(first.has_turn());
  EXPECT_EQ(queue.turns(), 1U);
  queue.leave(first);
  EXPECT_EQ(queue.turns(), 0U);
}

TEST_F(WaitQueue, CountsAsBargingThatWhatOneWaitedForCameAndWent) {
  queue.join(second);
  for (int times = 0; times < 9; ++times) {
    WakeList wake_list;
    const auto came = static_cast<std::uint64_t>(3 * times);
    queue.choose_served(0, 0, came, wake_list);  // the arrived elements have gone to others
  }
  EXPECT_TRUE(second.has_turn());
}

TEST_F(WaitQueue, CountsAsClaimedOnlyWhatBelongsToThoseWithTheTurn) {
  queue.join(first);
  queue.join(second);
  queue.join(third);
  EXPECT_EQ(queue.claimed_before(third), 0U);
  queue.give_turn(second);
  EXPECT_EQ(queue.claimed_before(third), 3U);
  EXPECT_EQ(queue.claimed_before(second), 0U);
}

TEST_F(WaitQueue, ServesNobodyButTheOneThatIsHalfDone) {
  queue.join(first);
  queue.join(second);
  queue.put_first(second);
  EXPECT_TRUE(queue.is_first(second));
  EXPECT_EQ(queue.claimed_before(first), Queue::everything);
  choose(100);
  EXPECT_TRUE(second.is_chosen());
  EXPECT_FALSE(first.is_chosen());
}

TEST_F(WaitQueue, DoesNotWakeWhoAttends) {
  queue.join(first);
  queue.put_first(first);
  first.state = WaiterState::attending;
  EXPECT_EQ(choose(100), never);
  EXPECT_EQ(first.state, WaiterState::attending);
  queue.look_again(first);
  choose(100);
  EXPECT_TRUE(first.is_chosen());
}

TEST_F(WaitQueue, LetsABatchInStepsBeginOnlyAsTheFirst) {
  Waiter large = consumer_of(2, true);
  queue.join(first);
  queue.join(large);
  choose(100);
  EXPECT_FALSE(large.is_chosen());
  queue.look_again(first);
  queue.leave(first);
  choose(100);
  EXPECT_TRUE(large.is_chosen());
}

TEST_F(WaitQueue, SharesOutWhatIsLeftAtTheEndInOrderOfArrival) {
  Waiter up_to(Demand::up_to(3), 3, false);
  queue.join(up_to);
  queue.join(first);
  queue.join(second);
  EXPECT_EQ(queue.shared_out_before(up_to, 4), 0U);
  EXPECT_EQ(queue.shared_out_before(first, 4), 3U);
  EXPECT_EQ(queue.shared_out_before(second, 4), 4U);
  EXPECT_EQ(queue.shared_out_before(second, 2), 2U) << "what is less than it asks for at the end, too";
}

TEST_F(WaitQueue, ChoosesEverybodyAtTheEndIfNothingIsLeft) {
  queue.join(first);
  queue.join(second);
  WakeList wake_list;
  EXPECT_EQ(queue.choose_at_end(0, wake_list), never);
  EXPECT_TRUE(first.is_chosen() && second.is_chosen());
  EXPECT_TRUE(queue.invariants_hold());
}

TEST_F(WaitQueue, ChoosesAtTheEndWhoGetsSomethingEvenIfThoseAheadTakeAllTheyCan) {
  queue.join(first);
  queue.join(third);
  WakeList wake_list;
  queue.choose_at_end(1, wake_list);
  EXPECT_TRUE(first.is_chosen());
  EXPECT_FALSE(third.is_chosen()) << "the first one may leave without the element";
  EXPECT_TRUE(queue.depends_on_those_ahead(third, 1));
  queue.leave(first);
  queue.choose_at_end(1, wake_list);
  EXPECT_TRUE(third.is_chosen());
  EXPECT_FALSE(queue.depends_on_those_ahead(third, 1));
  EXPECT_EQ(queue.shared_out_before(third, 1), 0U) << "it gets the element";
  EXPECT_FALSE(queue.depends_on_those_ahead(third, 0)) << "it gets nothing";
  EXPECT_TRUE(queue.invariants_hold());
}

TEST_F(WaitQueue, ChoosesOnlyTheHalfDoneOneAtTheEndAsItHasSomethingToGiveBack) {
  queue.join(first);
  queue.join(second);
  queue.put_first(second);
  WakeList wake_list;
  queue.choose_at_end(0, wake_list);
  EXPECT_TRUE(second.is_chosen());
  EXPECT_FALSE(first.is_chosen());
}

TEST_F(WaitQueue, SendsEverybodyAwayWithOneSignalEach) {
  queue.join(first);
  queue.join(second);
  choose(1);
  WakeList wake_list;
  queue.dismiss_all(wake_list);
  EXPECT_TRUE(queue.empty());
  EXPECT_TRUE(first.was_dismissed() && second.was_dismissed());
  EXPECT_TRUE(queue.invariants_hold());
}

TEST_F(WaitQueue, ForgetsTheTurnOfWhoJoinsAgain) {
  queue.join(first);
  queue.put_first(first);
  queue.leave(first);
  queue.join(first);
  EXPECT_EQ(first.precedence, Precedence::none);
  EXPECT_TRUE(queue.invariants_hold());
}

TEST(ListOfChosen, SignalsEachWaiterAndItsBellWhenItEnds) {
  Waiter plain;
  Waiter with_bell;
  forebay::detail::Parker<StdSync> bell;
  with_bell.bell = &bell;
  const std::optional at_once = StdSync::clock::now();
  {
    WakeList wake_list;
    wake_list.add(plain);
    wake_list.add(with_bell);
    EXPECT_FALSE(plain.parker.park(at_once) || with_bell.parker.park(at_once) || bell.park(at_once));
  }
  EXPECT_TRUE(plain.parker.park(at_once) && with_bell.parker.park(at_once) && bell.park(at_once));
}

}  // namespace
}  // namespace forebay_test
