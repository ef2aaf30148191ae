// SPDX-License-Identifier: MIT
//
// Pipelines of parallel stages, and the loop that takes their outputs, in many interleavings of each scenario.

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "tests/model/effort.hpp"
#include "tests/model/parallel_stage_scenarios.hpp"

namespace forebay_model {
namespace {

using Scenarios = ParallelStageScenarios;

/// There are about 100 of these tests, and each execution is long.
constexpr std::size_t executions = 1'000;

/// Two and three workers, one or two chunks of read-ahead, with and without the loop's help.
class ParallelStageModel : public testing::TestWithParam<Shape> {};
INSTANTIATE_TEST_SUITE_P(Shapes, ParallelStageModel,
                         testing::Values(Shape{2, 1, false}, Shape{2, 2, false}, Shape{2, 1, true}, Shape{2, 2, true},
                                         Shape{3, 2, false}, Shape{3, 2, true}),
                         [](const auto& instance) {
                           const Shape& shape = instance.param;
                           return std::to_string(shape.threads) + "Workers" + std::to_string(shape.ahead) + "Ahead" +
                                  (shape.is_helped ? "Helped" : "");
                         });

TEST_P(ParallelStageModel, AllOutputsArrive) {
  expect_right([] { Scenarios::all_outputs_arrive(GetParam()); }, {}, executions);
}

TEST_P(ParallelStageModel, AMarkAtEachTicket) {
  const std::vector<Script> scripts{{{}, {1, 2}}, {{1}, {2}}, {{1, 2}, {}}};
  for (const auto& script : scripts) {
    expect_right([&] { Scenarios::epochs_arrive(GetParam(), script); }, {}, executions / 2);
  }
}

TEST_P(ParallelStageModel, AFailureAtEachTicket) {
  for (const std::size_t place : {0U, 1U, 2U}) {
    for (const int number : {-1, 50}) {
      expect_right([&] { Scenarios::fails_at(GetParam(), place, number); }, {}, executions / 3);
    }
  }
}

TEST_P(ParallelStageModel, TwoConsumersShare) {
  expect_right([] { Scenarios::two_consumers_share(GetParam()); }, {}, executions);
}

TEST_P(ParallelStageModel, StopEndsTheLoop) {
  expect_right([] { Scenarios::stop_ends_the_loop(GetParam()); }, {}, executions);
}

TEST_P(ParallelStageModel, OuterStopEndsTheLoop) {
  expect_right([] { Scenarios::outer_stop_ends_the_loop(GetParam()); }, {}, executions);
}

TEST_P(ParallelStageModel, AFailureStopsTheOtherLoopOfTheCoordinator) {
  expect_right([] { Scenarios::failure_stops_the_other_loop(GetParam()); }, {}, executions / 2);
}

TEST_P(ParallelStageModel, ConsumerLeavesEarly) {
  for (const std::size_t outputs : {0U, 1U, 2U}) {
    expect_right([&] { Scenarios::consumer_leaves(GetParam(), outputs); }, {}, executions / 2);
  }
}

TEST_P(ParallelStageModel, SourceBlocksWhileOthersWaitWithADeadline) {
  expect_right([] { Scenarios::source_blocks(GetParam()); }, {}, executions);
}

TEST_P(ParallelStageModel, StopEndsASourceThatBlocks) {
  expect_right([] { Scenarios::stop_ends_a_source_that_blocks(GetParam()); }, {}, executions);
}

TEST_P(ParallelStageModel, TheLoopWorksOnClaimsOfOthers) {
  const std::vector<int> all{101, 102, 103, 104, 105};
  expect_right([&] { Scenarios::loop_works_on_claims_of_others(GetParam(), {{1, 2, 3, 4, 5}}, all); }, {}, executions);
  expect_right(
      [] {
        Scenarios::loop_works_on_claims_of_others(GetParam(), {{1, 2, 3, 50, 5}}, {101, 102, 103});
      },
      {}, executions / 2);
  expect_right([] { Scenarios::steps_without_claims(GetParam()); }, {}, executions / 2);
}

TEST_P(ParallelStageModel, OutputsGoThroughStagesBehind) {
  for (const bool may_block : {false, true}) {
    expect_right([&] { Scenarios::outputs_go_through_stages_behind(GetParam(), may_block); }, {}, executions / 2);
  }
}

TEST_P(ParallelStageModel, AStopEndsTheHelpOfACall) {
  for (const bool may_block : {false, true}) {
    expect_right([&] { Scenarios::stop_ends_help(GetParam(), may_block); }, {}, executions);
  }
}

TEST_P(ParallelStageModel, AnEpochIsAbandoned) {
  expect_right([] { Scenarios::epoch_is_abandoned(GetParam(), {{1, 2, 3}, {4, 5}}, {201, 204}); }, {}, executions);
  expect_right([] { Scenarios::epoch_is_abandoned(GetParam(), {{1, -1}, {4}}, {201, 204}); }, {}, executions);
  expect_right([] { Scenarios::epoch_is_abandoned(GetParam(), {{1, 50}, {4}}, {201, 204}); }, {}, executions);
}

TEST_P(ParallelStageModel, StepsAreMadeOneAtATime) {
  expect_right([] { Scenarios::steps_are_one_at_a_time(GetParam()); }, {}, executions);
}

TEST_P(ParallelStageModel, StepsGoThroughStagesBehind) {
  expect_right([] { Scenarios::steps_go_through_stages_behind(GetParam()); }, {}, executions / 2);
}

TEST_P(ParallelStageModel, AnotherLoopBesideForEachIsRefused) {
  for (const bool other_steps : {false, true}) {
    expect_right([&] { Scenarios::other_loop_is_refused(GetParam(), other_steps); }, {}, executions / 2);
  }
}

TEST_P(ParallelStageModel, AStepStops) {
  expect_right([] { Scenarios::step_stops(GetParam()); }, {}, executions);
}

TEST_P(ParallelStageModel, ForEachTellsAFailure) {
  for (const int number : {-1, 50}) {
    expect_right([&] { Scenarios::for_each_tells_a_failure(GetParam(), number); }, {}, executions / 2);
  }
}

/// In any order: two and three workers, at most as many chunks of read-ahead.
class AnyOrderModel : public testing::TestWithParam<Shape> {};
INSTANTIATE_TEST_SUITE_P(Shapes, AnyOrderModel,
                         testing::Values(Shape{2, 2, false, forebay::any_order},
                                         Shape{3, 2, false, forebay::any_order},
                                         Shape{3, 3, false, forebay::any_order}),
                         [](const auto& instance) {
                           return std::to_string(instance.param.threads) + "Workers" +
                                  std::to_string(instance.param.ahead) + "Ahead";
                         });

TEST_P(AnyOrderModel, EachEpochHasItsOutputs) {
  const std::vector<Script> scripts{{{1, 2, 3}, {4}}, {{1, 2}, {}, {3}}};
  for (const auto& script : scripts) {
    for (const std::size_t chunk : {1U, 2U}) {
      expect_right([&] { Scenarios::epochs_arrive_in_any_order(GetParam(), script, chunk); }, {}, executions / 2);
    }
  }
}

TEST_P(AnyOrderModel, AFailureComesBehindAllBeforeIt) {
  for (const std::size_t place : {1U, 2U}) {
    for (const int number : {-1, 50}) {
      expect_right([&] { Scenarios::fails_behind_all_before(GetParam(), place, number); }, {}, executions / 3);
    }
  }
}

TEST_P(AnyOrderModel, AnEpochIsAbandoned) {
  expect_right([] { Scenarios::epoch_is_abandoned_in_any_order(GetParam()); }, {}, executions / 2);
}

/// An interleave of one to three inputs at a time.
class PrefetchedInterleaveModel : public testing::TestWithParam<PrefetchShape> {};
INSTANTIATE_TEST_SUITE_P(Shapes, PrefetchedInterleaveModel,
                         testing::Values(PrefetchShape{1, 1, 1}, PrefetchShape{2, 1, 1}, PrefetchShape{2, 1, 3},
                                         PrefetchShape{3, 1, 2}),
                         [](const auto& instance) {
                           return std::to_string(instance.param.cycle) + "Inputs" +
                                  std::to_string(instance.param.prefetch) + "Ahead";
                         });

TEST_P(PrefetchedInterleaveModel, InputsArriveInTurn) {
  const std::vector<int> of_three{1, 2, 1, 2, 2, 2};
  const std::vector<int> of_fewer{1, 2, 2, 1, 2, 2};
  const auto& expected = GetParam().cycle == 3 ? of_three : of_fewer;
  expect_right(
      [&] {
        Scenarios::inputs_arrive_in_turn(GetParam(), {{1, 2, 1}, {}, {2}}, expected, false);
      },
      {}, executions / 2);
}

TEST_P(PrefetchedInterleaveModel, AFailureIsSkippedOrToldAtItsPlace) {
  expect_right([] { Scenarios::inputs_arrive_in_turn(GetParam(), {{50, 1}}, {1}, false); }, {}, executions / 3);
  expect_right([] { Scenarios::inputs_arrive_in_turn(GetParam(), {{42}}, {42}, false); }, {}, executions / 3);
  expect_right([] { Scenarios::inputs_arrive_in_turn(GetParam(), {{50, 42}}, {42}, true); }, {}, executions / 3);
  expect_right([] { Scenarios::inputs_arrive_in_turn(GetParam(), {{1, -1}}, {1}, true); }, {}, executions / 3);
}

TEST_P(PrefetchedInterleaveModel, AStopEndsAllThreads) {
  expect_right([] { Scenarios::stop_ends_lanes(GetParam()); }, {}, executions / 2);
}

TEST_P(PrefetchedInterleaveModel, AnEpochIsAbandoned) {
  expect_right([] { Scenarios::epoch_of_lanes_is_abandoned(GetParam(), 1, {3, 2}); }, {}, executions / 2);
}

TEST_P(PrefetchedInterleaveModel, MayBePolled) {
  expect_right([] { Scenarios::lanes_are_polled(GetParam()); }, {}, executions / 3);
}

}  // namespace
}  // namespace forebay_model
