// SPDX-License-Identifier: MIT
//
// Coordinator, QueueRunner and each kind of queue together, in many interleavings of each scenario.

#include <gtest/gtest.h>

#include "tests/model/effort.hpp"
#include "tests/model/queue_kinds.hpp"
#include "tests/model/runner_scenarios.hpp"

namespace forebay_model {
namespace {

template <class QueueKind>
class RunnerModel : public testing::Test {
 public:
  using Scenarios = RunnerScenarios<QueueKind>;
};
TYPED_TEST_SUITE(RunnerModel, QueueKinds, forebay_test::NameOfParameter);

TYPED_TEST(RunnerModel, LastThreadCloses) { expect_right(TestFixture::Scenarios::last_thread_closes); }

TYPED_TEST(RunnerModel, ARunnerNeedsNoCoordinator) { expect_right(TestFixture::Scenarios::runner_of_its_own); }

TYPED_TEST(RunnerModel, TwoRunnersFeedOneQueue) { expect_right(TestFixture::Scenarios::two_runners_feed_one_queue); }

TYPED_TEST(RunnerModel, ARunnerThatWasNeverStartedIsDestroyed) {
  expect_right(TestFixture::Scenarios::runner_that_was_never_started_is_destroyed);
}

TYPED_TEST(RunnerModel, FailureOfOneOfTwoRunners) {
  expect_right(TestFixture::Scenarios::failure_of_one_of_two_runners);
}

TYPED_TEST(RunnerModel, FailureInOneOp) { expect_right(TestFixture::Scenarios::failure_in_one_op); }

TYPED_TEST(RunnerModel, FailureInTwoOps) { expect_right(TestFixture::Scenarios::failure_in_two_ops); }

TYPED_TEST(RunnerModel, StopWhileProducersWait) { expect_right(TestFixture::Scenarios::stop_while_producers_wait); }

TYPED_TEST(RunnerModel, StopDuringStart) { expect_right(TestFixture::Scenarios::stop_during_start); }

TYPED_TEST(RunnerModel, CleanStopByAnOp) { expect_right(TestFixture::Scenarios::clean_stop_by_an_op); }

TYPED_TEST(RunnerModel, JoinFromAnywhere) { expect_right(TestFixture::Scenarios::join_from_anywhere); }

TYPED_TEST(RunnerModel, LaunchWhileOthersJoin) { expect_right(TestFixture::Scenarios::launch_while_others_join); }

TYPED_TEST(RunnerModel, CaptureCallsTheCoordinatorThatIsDestroyed) {
  expect_right(TestFixture::Scenarios::capture_calls_the_coordinator_that_is_destroyed);
}

TYPED_TEST(RunnerModel, ExceptionCallsTheCoordinator) {
  expect_right(TestFixture::Scenarios::exception_calls_the_coordinator);
}

TYPED_TEST(RunnerModel, CloseCallsTheCoordinator) {
  expect_right(TestFixture::Scenarios::close_calls_the_coordinator);
}

TYPED_TEST(RunnerModel, FailureAfterACleanStop) { expect_right(TestFixture::Scenarios::failure_after_clean_stop); }

TYPED_TEST(RunnerModel, StopWakesWhoWaitsForIt) { expect_right(TestFixture::Scenarios::wait_for_stop); }

TYPED_TEST(RunnerModel, ListOfAThreadThatWaits) { expect_right(TestFixture::Scenarios::list_of_a_thread_that_waits); }

TYPED_TEST(RunnerModel, AttachRacesStop) { expect_right(TestFixture::Scenarios::attach_races_stop); }

TYPED_TEST(RunnerModel, RunnerIsDestroyedWhileItRuns) {
  expect_right(TestFixture::Scenarios::runner_is_destroyed_while_it_runs);
}

TYPED_TEST(RunnerModel, CoordinatorIsDestroyedWhileItRuns) {
  expect_right(TestFixture::Scenarios::coordinator_is_destroyed_while_it_runs);
}

TYPED_TEST(RunnerModel, AChainOfThreeIsStopped) { expect_right(TestFixture::Scenarios::chain_is_stopped); }

TYPED_TEST(RunnerModel, AChainDrains) { expect_right(TestFixture::Scenarios::chain_drains); }

TYPED_TEST(RunnerModel, AChainIsDrained) { expect_right(TestFixture::Scenarios::chain_is_drained); }

TYPED_TEST(RunnerModel, AChainTellsTheCause) { expect_right(TestFixture::Scenarios::chain_tells_the_cause); }

}  // namespace
}  // namespace forebay_model
