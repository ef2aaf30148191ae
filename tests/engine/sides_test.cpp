// SPDX-License-Identifier: MIT
//
// sides_test.cpp: what settle() and close() of the two sides of a queue decide. Without a queue, and without threads.

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>

#include "forebay/engine/demand.hpp"
#include "forebay/engine/sides.hpp"
#include "forebay/engine/waiter.hpp"
#include "forebay/engine/wake_list.hpp"
#include "forebay/sync.hpp"

namespace forebay_test {
namespace {

using forebay::StdSync;
using forebay::detail::Demand;
using forebay::detail::Level;
using forebay::detail::never;
using WakeList = forebay::detail::WakeList<StdSync>;
using Waiter = forebay::detail::Waiter<StdSync>;

struct Sides : testing::Test {
  forebay::detail::WaitingPlace<StdSync> room_for_producers;
  forebay::detail::WaitingPlace<StdSync> room_for_consumers;
  forebay::detail::Side<StdSync> producers{room_for_producers};
  forebay::detail::Side<StdSync> consumers{room_for_consumers};
  forebay::detail::Sides<StdSync> sides{producers, consumers};
  Waiter producer;
  Waiter consumer{Demand::exactly(2), 2, false};

  /// Of a queue of capacity 4 that `entered` elements have entered, and `left` have left.
  static Level level_of(std::uint64_t entered, std::uint64_t left, std::size_t given_back = 0) {
    const std::size_t stored = static_cast<std::size_t>(entered - left) + given_back;
    return {4 - stored, stored, entered, left, given_back > 0};
  }
  void close(bool cancel) const {
    WakeList wake_list;
    sides.close(cancel, wake_list);
  }
  void settle(const Level& level) const {
    WakeList wake_list;
    sides.settle(level, wake_list);
    EXPECT_TRUE(sides.invariants_hold(level));
  }
};

TEST_F(Sides, WakeNobodyWhereNobodyWaits) {
  settle(level_of(3, 1));
  EXPECT_EQ(producers.wake_at, never);
  EXPECT_EQ(consumers.wake_at, never);
  EXPECT_FALSE(producers.line_up || consumers.line_up);
}

TEST_F(Sides, TellProducersWhenTheConsumerIsServed) {
  room_for_consumers.queue.join(consumer);
  settle(level_of(5, 4));
  EXPECT_FALSE(consumer.is_chosen());
  EXPECT_EQ(producers.wake_at, 6U);
  settle(level_of(6, 4));
  EXPECT_TRUE(consumer.is_chosen());
}

TEST_F(Sides, TellConsumersWhenTheProducerHasRoom) {
  room_for_producers.queue.join(producer);
  settle(level_of(6, 2));
  EXPECT_FALSE(producer.is_chosen());
  EXPECT_EQ(consumers.wake_at, 3U);
  settle(level_of(6, 3));
  EXPECT_TRUE(producer.is_chosen());
}

TEST_F(Sides, LetNewcomersLineUpBehindATurn) {
  room_for_consumers.queue.join(consumer);
  room_for_consumers.queue.give_turn(consumer);
  settle(level_of(1, 0));
  EXPECT_TRUE(consumers.line_up);
  EXPECT_FALSE(producers.line_up);
}

TEST_F(Sides, LetBothLineUpWhileElementsThatWereGivenBackStandInFront) {
  settle(level_of(2, 1, 2));
  EXPECT_TRUE(consumers.line_up && producers.line_up);
  EXPECT_FALSE(producers.ring_is_all);
  settle(level_of(2, 1));
  EXPECT_FALSE(consumers.line_up || producers.line_up);
  EXPECT_TRUE(producers.ring_is_all);
}

TEST_F(Sides, KeepWhatHasToStayUntilTheyAreClosed) {
  consumers.min_after_dequeue = 3;
  room_for_consumers.queue.join(consumer);
  settle(level_of(4, 0));
  EXPECT_FALSE(consumer.is_chosen());
  close(false);
  settle(level_of(4, 0));
  EXPECT_TRUE(consumer.is_chosen());
}

TEST_F(Sides, AreNotAtTheEndBeforeTheLastProducerHasLeft) {
  room_for_producers.queue.join(producer);
  room_for_consumers.queue.join(consumer);
  close(false);
  settle(level_of(4, 4));
  EXPECT_FALSE(sides.no_more_can_come());
  EXPECT_FALSE(consumer.is_chosen());
  room_for_producers.queue.leave(producer);
  settle(level_of(5, 4));
  EXPECT_TRUE(sides.no_more_can_come());
  EXPECT_TRUE(consumer.is_chosen()) << "to be told that there is too little";
}

TEST_F(Sides, SendWaitingProducersAwayOnlyWhenTheyAreCancelled) {
  room_for_producers.queue.join(producer);
  close(false);
  EXPECT_TRUE(producer.is_in_queue());
  close(true);
  EXPECT_TRUE(producer.was_dismissed());
}

TEST_F(Sides, SeeABrokenInvariant) {
  settle(level_of(1, 0));
  EXPECT_FALSE(sides.invariants_hold(level_of(1, 0, 1))) << "given back, and nobody settled";
  consumers.closed = true;
  EXPECT_FALSE(sides.invariants_hold(level_of(1, 0)));
}

}  // namespace
}  // namespace forebay_test
