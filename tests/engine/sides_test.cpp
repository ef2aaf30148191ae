// SPDX-License-Identifier: MIT
//
// sides_test.cpp: the decisions of settle() and close() of the two sides of a queue, without a queue and without
// threads.

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>

#include "forebay/engine/cell.hpp"
#include "forebay/engine/demand.hpp"
#include "forebay/engine/sides.hpp"
#include "forebay/engine/waiter.hpp"
#include "forebay/engine/wake_list.hpp"
#include "forebay/sync.hpp"

#if defined(__clang__)
#pragma clang diagnostic ignored "-Wthread-safety"  // a single thread needs no lock
#endif

namespace forebay_test {
namespace {

using forebay::StdSync;
using forebay::detail::Demand;
using forebay::detail::never;
using CellLayout = forebay::detail::CellLayout<StdSync>;
using WakeList = forebay::detail::WakeList<StdSync>;
using Waiter = forebay::detail::Waiter<StdSync>;

struct Sides : testing::Test {
  forebay::detail::Sides<StdSync> sides{4, CellLayout::of<int>(), 0};
  forebay::detail::Sides<StdSync>::Producers& producers = sides.producers;
  forebay::detail::Sides<StdSync>::Consumers& consumers = sides.consumers;
  Waiter producer;
  Waiter consumer{Demand::exactly(2), 2, false};

  /// Sets up sides that `entered` elements have entered, and `left` elements have left.
  void pass(std::uint64_t entered, std::uint64_t left, std::size_t given_back = 0) {
    producers.tail.passed_before_this_round = entered;
    consumers.store.head.passed_before_this_round = left;
    consumers.store.returned = given_back;
  }
  void settle(std::uint64_t entered, std::uint64_t left, std::size_t given_back = 0) {
    pass(entered, left, given_back);
    WakeList wake_list;
    sides.settle(wake_list);
    EXPECT_TRUE(sides.waits_are_settled());
  }
};

TEST_F(Sides, WakeNobodyWhereNobodyWaits) {
  settle(3, 1);
  EXPECT_EQ(producers.wake_at, never);
  EXPECT_EQ(consumers.wake_at, never);
  EXPECT_FALSE(producers.line_up || consumers.line_up);
}

TEST_F(Sides, TellProducersWhenTheConsumerIsServed) {
  consumers.place.queue.join(consumer);
  settle(5, 4);
  EXPECT_FALSE(consumer.is_chosen());
  EXPECT_EQ(producers.wake_at, 6U);
  settle(6, 4);
  EXPECT_TRUE(consumer.is_chosen());
}

TEST_F(Sides, TellConsumersWhenTheProducerHasRoom) {
  producers.place.queue.join(producer);
  settle(6, 2);
  EXPECT_FALSE(producer.is_chosen());
  EXPECT_EQ(consumers.wake_at, 3U);
  settle(6, 3);
  EXPECT_TRUE(producer.is_chosen());
}

TEST_F(Sides, LetNewcomersLineUpBehindATurn) {
  consumers.place.queue.join(consumer);
  consumers.place.queue.give_turn(consumer);
  settle(1, 0);
  EXPECT_TRUE(consumers.line_up);
  EXPECT_FALSE(producers.line_up);
}

TEST_F(Sides, LetBothLineUpWhileElementsThatWereGivenBackStandInFront) {
  settle(2, 1, 2);
  EXPECT_TRUE(consumers.line_up && producers.line_up);
  EXPECT_FALSE(producers.ring_is_all);
  settle(2, 1);
  EXPECT_FALSE(consumers.line_up || producers.line_up);
  EXPECT_TRUE(producers.ring_is_all);
}

TEST_F(Sides, KeepWhatHasToStayUntilTheyAreClosed) {
  consumers.min_after_dequeue = 3;
  consumers.place.queue.join(consumer);
  settle(4, 0);
  EXPECT_FALSE(consumer.is_chosen());
  sides.close(false, nullptr);
  EXPECT_TRUE(consumer.is_chosen());
}

TEST_F(Sides, AreNotAtTheEndBeforeTheLastProducerHasLeft) {
  producers.place.queue.join(producer);
  consumers.place.queue.join(consumer);
  sides.close(false, nullptr);
  settle(4, 4);
  EXPECT_FALSE(sides.no_more_can_come());
  EXPECT_FALSE(consumer.is_chosen());
  producers.place.queue.leave(producer);
  settle(5, 4);
  EXPECT_TRUE(sides.no_more_can_come());
  EXPECT_TRUE(consumer.is_chosen()) << "to be told that there is too little";
}

TEST_F(Sides, SendWaitingProducersAwayOnlyWhenTheyAreCancelled) {
  producers.place.queue.join(producer);
  sides.close(false, nullptr);
  EXPECT_TRUE(producer.is_in_queue());
  sides.close(true, nullptr);
  EXPECT_TRUE(producer.was_dismissed());
}

TEST_F(Sides, SeeABrokenInvariant) {
  settle(1, 0);
  pass(1, 0, 1);
  EXPECT_FALSE(sides.waits_are_settled()) << "given back, and nobody settled";
  pass(1, 0);
  consumers.closed = true;
  EXPECT_FALSE(sides.waits_are_settled());
}

}  // namespace
}  // namespace forebay_test
