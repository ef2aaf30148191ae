// SPDX-License-Identifier: MIT
//
// dequeue_any over two queues of each kind, in many interleavings of each scenario.

#include <gtest/gtest.h>

#include "tests/model/any_scenarios.hpp"
#include "tests/model/effort.hpp"
#include "tests/model/explore.hpp"
#include "tests/model/queue_kinds.hpp"

namespace forebay_model {
namespace {

template <class QueueKind>
class AnyModel : public testing::Test {
 public:
  using Scenarios = AnyScenarios<QueueKind>;
};
TYPED_TEST_SUITE(AnyModel, QueueKinds, forebay_test::NameOfParameter);

TYPED_TEST(AnyModel, TwoCallsShareTwoQueues) { expect_right(TestFixture::Scenarios::two_calls); }

TYPED_TEST(AnyModel, WhatIsNotTakenIsPassedOn) {
  expect_right(TestFixture::Scenarios::what_is_not_taken_is_passed_on);
}

TYPED_TEST(AnyModel, AProducerWaitsForRoom) { expect_right(TestFixture::Scenarios::a_producer_waits_for_room); }

TYPED_TEST(AnyModel, BothQueuesAreClosed) { expect_right(TestFixture::Scenarios::both_are_closed); }

// proves: element-at-end
TYPED_TEST(AnyModel, WhatIsNotTakenAtTheEndIsPassedOn) {
  expect_right(TestFixture::Scenarios::what_is_not_taken_at_the_end_is_passed_on);
}

// proves: discard
TYPED_TEST(AnyModel, WhatIsNotTakenIsDiscarded) {
  expect_right(TestFixture::Scenarios::what_is_not_taken_is_discarded);
}

TYPED_TEST(AnyModel, OneQueueIsClosedWithACause) { expect_right(TestFixture::Scenarios::one_is_closed_with_a_cause); }

TYPED_TEST(AnyModel, OneFailsAndTheOtherEnds) { expect_right(TestFixture::Scenarios::one_fails_and_the_other_ends); }

TYPED_TEST(AnyModel, OneFailsAnotherEndsTheThirdIsOpen) {
  expect_right(TestFixture::Scenarios::one_fails_another_ends_the_third_is_open);
}

TYPED_TEST(AnyModel, AQueueThatEndedGetsACause) {
  expect_right(TestFixture::Scenarios::a_queue_that_ended_gets_a_cause);
}

TYPED_TEST(AnyModel, AnElementComesBesideACause) {
  expect_right(TestFixture::Scenarios::an_element_comes_beside_a_cause);
}

TYPED_TEST(AnyModel, TheCallTimesOut) { expect_right(TestFixture::Scenarios::the_call_times_out, Model{.ticks = 1}); }

TYPED_TEST(AnyModel, TheCallIsStopped) { expect_right(TestFixture::Scenarios::the_call_is_stopped); }

TYPED_TEST(AnyModel, AQueueIsListedTwice) { expect_right(TestFixture::Scenarios::a_queue_is_listed_twice); }

/// In this schedule the call sees the failed queue first, and then takes an element from the other one. If it threw
/// every cause that it saw, that element would be lost.
TEST(AnyModelReplay, TheElementWinsOverACauseThatWasSeen) {
  const Report report = replay(AnyScenarios<FifoKind>::an_element_comes_beside_a_cause, "a3 b10 d4 b4 c4 b5 a7");
  EXPECT_FALSE(report.violation) << report;
}

}  // namespace
}  // namespace forebay_model
