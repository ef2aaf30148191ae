// SPDX-License-Identifier: MIT
//
// report_test.cpp: the texts of report.hpp for made-up statistics.
//
//   The limit      Verdict*
//   The table      Report*
//   Prometheus     Metrics*, checked by a strict reader of the format

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "forebay/report.hpp"
#include "forebay/statistics.hpp"
#include "tests/support/contains.hpp"

namespace forebay_test {
namespace {

using namespace std::chrono_literals;
using forebay::PipelineStatistics;
using forebay::StageStatistics;

struct Percent {
  int working;
  int starved;
  int blocked;
};

/// Returns the statistics of a stage that ran for ten seconds.
StageStatistics stage(const std::string& name, std::size_t threads, Percent percent) {
  const auto all = static_cast<std::int64_t>(threads);
  return {.name = name,
          .threads = threads,
          .elements = 1000,
          .working = all * percent.working * 100ms,
          .starved = all * percent.starved * 100ms,
          .blocked = all * percent.blocked * 100ms};
}

PipelineStatistics pipeline(std::vector<StageStatistics> stages, Percent loop, std::chrono::nanoseconds used = 10s) {
  return {
      .stages = std::move(stages), .loop = stage("loop", 1, loop), .time = 10s, .processor_time = used, .cores = 8};
}

/// Returns the same statistics with this CPU time of the threads.
StageStatistics using_cpu(StageStatistics stage, std::chrono::nanoseconds time) {
  stage.processor_time = time;
  return stage;
}

/// Returns the same statistics, but this share of the time, of what was work, without a core.
StageStatistics without_core(StageStatistics stage, int percent) {
  stage.without_core = static_cast<std::int64_t>(stage.threads) * percent * 100ms;
  stage.working -= stage.without_core;
  return stage;
}

/// Returns the statistics of a pipeline whose stages run in the loop's thread.
PipelineStatistics without_threads(Percent all, Percent loop, std::chrono::nanoseconds used) {
  StageStatistics stages = stage("all stages", 1, all);
  stages.threads = 0;
  stages.is_serial = true;
  return pipeline({stages}, loop, used);
}

/// Returns the statistics of a pipeline of one thread that reads for `reading` percent of the time, and works
/// otherwise.
PipelineStatistics of_one_thread(int reading) {
  StageStatistics before = stage("before decode", 1, {reading, 0, 100 - reading});
  before.is_serial = true;
  return pipeline({before, stage("decode", 1, {100 - reading, reading, 0})}, {10, 90, 0});
}

/// Returns the same statistics, but with elements that were left out.
StageStatistics leaving_out(StageStatistics stage, std::uint64_t failed, std::uint64_t left_out) {
  stage.failed = failed;
  stage.left_out = left_out;
  if (failed > 0) stage.first_failure = stage.name + ", epoch 0, number 3: truncated";
  return stage;
}

testing::AssertionResult says(const PipelineStatistics& statistics, const std::string& words) {
  return contains(verdict(statistics), words);
}

// ---- The limit

// proves: verdict
TEST(Verdict, NamesThreadsThatWorkAllTheTimeAndWhatMoreGain) {
  EXPECT_EQ(
      verdict(pipeline({stage("read", 1, {30, 0, 70}), stage("decode", 4, {100, 0, 0})}, {40, 60, 0})),
      "decode limits: its 4 threads work 100 % of the time. One more would make it 1.25 times as fast, 8 threads "
      "2.00 times. At 2.50 times as fast, the loop would limit.");
}

// proves: verdict
TEST(Verdict, IgnoresTheMachinesTimeInAShortRun) {
  const auto in = [](std::chrono::nanoseconds time, std::chrono::nanoseconds machine_time) {
    PipelineStatistics statistics = pipeline({stage("decode", 2, {100, 0, 0})}, {5, 95, 0}, time);
    statistics.time = time;
    statistics.machine_time = machine_time;
    return statistics;
  };
  EXPECT_TRUE(says(in(199ms, 10s), "decode limits: its 2 threads work 100 % of the time. One more"));
  EXPECT_TRUE(says(in(200ms, 10s), "The machine is full: 8.0 of 8 cores are in use, 1.0 by this program"));
  EXPECT_TRUE(says(in(0ms, 10s), "One more"));
}

// proves: verdict
TEST(Verdict, ForetellsNoMoreThreadsThanThereAreFreeCores) {
  const auto decode = using_cpu(stage("decode", 2, {100, 0, 0}), 20s);
  auto statistics = pipeline({decode}, {5, 95, 0}, 20s);
  EXPECT_TRUE(
      says(statistics, "One more would make it 1.50 times as fast, 8 threads 4.00 times. No other would limit soon."));
  statistics.machine_time = 50s;
  EXPECT_TRUE(
      says(statistics, "One more would make it 1.50 times as fast, 5 threads 2.50 times. No other would limit soon."));
  statistics.machine_time = 65s;
  EXPECT_TRUE(
      says(statistics, "One more would make it 1.50 times as fast, 4 threads 1.75 times. No other would limit soon."));
  statistics.machine_time = {};
  statistics.cores = 3;
  EXPECT_TRUE(says(statistics, "One more would make it 1.50 times as fast. No other would limit soon."));
  statistics.cores = 0;
  EXPECT_TRUE(says(statistics, "One more would make it 1.50 times as fast. No other would limit soon."))
      << "cores are unknown";
}

// proves: verdict
TEST(Verdict, ForetellsNoMoreThreadsThanAreOfUse) {
  const auto decode = using_cpu(stage("decode", 2, {100, 0, 0}), 20s);
  EXPECT_TRUE(says(pipeline({decode}, {40, 60, 0}, 20s), "1.50 times as fast, 5 threads 2.50 times. At 2.50 times"));
  EXPECT_TRUE(says(pipeline({decode}, {70, 30, 0}, 20s), "One more would make it 1.43 times as fast. At 1.43 times"));
}

// proves: verdict
TEST(Verdict, OfThreadsThatMostlyWaitSaysThatMoreThanCoresHelp) {
  auto statistics = pipeline({using_cpu(stage("decode", 3, {100, 0, 0}), 600ms)}, {1, 99, 0}, 700ms);
  statistics.machine_time = 5s;
  EXPECT_EQ(
      verdict(statistics),
      "decode limits: its 3 threads work 100 % of the time, but use 0.1 cores: mostly they wait in your code. If "
      "it is for a device or a network, more threads help, also more than there are cores: one more would make "
      "it 1.33 times as fast, 24 threads 8.00 times. If it is for a lock, they would not. No other would limit "
      "soon.");
}

// proves: verdict
TEST(Verdict, OfThreadsThatWaitForOneLockSaysThatTheyWait) {
  auto statistics = pipeline({using_cpu(stage("decode", 3, {100, 0, 0}), 10s)}, {20, 80, 0}, 12s);
  statistics.machine_time = 13s;
  EXPECT_TRUE(says(statistics,
                   "its 3 threads work 100 % of the time, but use 1.0 cores: mostly they wait in your "
                   "code. If it is for a device"));
  EXPECT_TRUE(says(statistics, "If it is for a lock, they would not."));
}

// proves: verdict
TEST(Verdict, OfThreadsThatMostlyWaitSaysThatItMayBeForACoreIfOthersAreUnknown) {
  const auto one = using_cpu(stage("decode", 1, {100, 0, 0}), 4s);
  EXPECT_TRUE(says(pipeline({one}, {20, 80, 0}, 4s),
                   "its 1 thread works 100 % of the time, but uses 0.4 cores: mostly "
                   "they wait in your code, or for a core. If it"));
}

// proves: verdict
TEST(Verdict, OfThreadsThatMostlyComputeSaysNothingOfWaits) {
  EXPECT_FALSE(says(pipeline({using_cpu(stage("decode", 2, {100, 0, 0}), 11s)}, {20, 80, 0}, 12s), "wait"));
}

// proves: verdict
TEST(Verdict, OfThreadsThatReadAndComputeCountsTheTimeOfReading) {
  auto statistics = of_one_thread(45);
  statistics.stages[1].processor_time = 4s;
  EXPECT_TRUE(says(statistics, "its 1 thread reads 45 % and works 55 % of the time, but uses 0.4 cores: mostly"));
  statistics.stages[1].processor_time = 6s;
  EXPECT_TRUE(says(statistics, "its 1 thread reads 45 % and works 55 % of the time. One more"));
}

// proves: verdict
TEST(Verdict, OfThreadsThatMostlyWaitOnAFullMachineNamesTheMachine) {
  auto statistics = pipeline({using_cpu(stage("decode", 8, {100, 0, 0}), 20s)}, {20, 80, 0}, 22s);
  statistics.machine_time = 79s;
  EXPECT_TRUE(says(statistics, "its 8 threads work 100 % of the time. The machine is full: 7.9 of 8 cores"));
}

TEST(Verdict, SaysWhenAnotherLimitsBeforeAThreadIsUsed) {
  EXPECT_EQ(verdict(pipeline({stage("read", 1, {80, 0, 20}), stage("decode", 1, {100, 0, 0})}, {40, 60, 0})),
            "decode limits: its 1 thread works 100 % of the time. One more would make it 1.25 times as fast. At 1.25 "
            "times as fast, read would limit.");
}

TEST(Verdict, OfTwoThatWorkAllTheTimeNamesTheLast) {
  const auto statistics = pipeline({stage("read", 1, {99, 1, 0}), stage("decode", 2, {90, 10, 0})}, {10, 90, 0});
  EXPECT_EQ(verdict(statistics).find("decode limits: its 2 threads work 90 %"), 0U);
}

TEST(Verdict, NamesTheFirstStageToo) {
  const auto statistics = pipeline({stage("read", 1, {95, 0, 5}), stage("decode", 4, {20, 80, 0})}, {30, 70, 0});
  EXPECT_EQ(verdict(statistics).find("read limits: its 1 thread works 95 %"), 0U);
}

TEST(Verdict, GainsNoMoreThanThereAreCores) {
  const auto statistics = pipeline({stage("decode", 4, {100, 0, 0})}, {5, 95, 0}, 70s);
  EXPECT_TRUE(contains(verdict(statistics), "One more would make it 1.14 times"));
}

// proves: verdict
TEST(Verdict, OfASerialStageDoesNotAskForThreads) {
  auto read = stage("read", 1, {98, 0, 2});
  read.is_serial = true;
  EXPECT_EQ(
      verdict(pipeline({read, stage("decode", 4, {50, 50, 0})}, {20, 80, 0})),
      "read limits: it is serial, and works 98 % of the time. More threads would not help: do less there, or "
      "downstream of it in a map, or read several inputs at once with interleave. At 2.00 times as fast, decode would "
      "limit.");
}

// proves: verdict
TEST(Verdict, OfAThreadThatReadsAndWorksAsksForOneMore) {
  EXPECT_EQ(verdict(of_one_thread(65)),
            "decode limits: its 1 thread reads 65 % and works 35 % of the time. One more would make it 1.54 times as "
            "fast. At 1.54 times as fast, before decode would limit.");
}

// proves: verdict
TEST(Verdict, OfAThreadThatHardlyDoesMoreThanReadNamesWhatItReads) {
  EXPECT_EQ(verdict(of_one_thread(90)).find("before decode limits: it is serial, and works 90 %"), 0U);
}

// proves: verdict
TEST(Verdict, OfTheLoopSaysWhatAPerfectInputWouldGain) {
  EXPECT_EQ(verdict(pipeline({stage("read", 1, {95, 0, 5}), stage("decode", 4, {90, 0, 10})}, {96, 4, 0})),
            "The loop limits: it waited 4 % of the time. A perfect input would make it 1.04 times as fast.");
}

TEST(Verdict, OfTheLoopSaysThatTheMachineIsFull) {
  EXPECT_EQ(
      verdict(pipeline({stage("decode", 8, {70, 0, 30})}, {100, 0, 0}, 76s)),
      "The loop limits: it waited 0 % of the time. A perfect input would make it 1.00 times as fast. The machine "
      "is full: 7.6 of 8 cores are in use; a loop that feeds a device needs some of them.");
}

// proves: verdict
TEST(Verdict, CountsTheCoresThatOthersUse) {
  auto statistics = pipeline({stage("read", 1, {30, 0, 70}), stage("decode", 4, {80, 0, 20})}, {40, 60, 0}, 20s);
  statistics.machine_time = 78s;
  EXPECT_EQ(verdict(statistics),
            "The machine is full: 7.8 of 8 cores are in use, 2.0 by this program. Less work would help, more threads "
            "would not.");
}

// proves: verdict
TEST(Verdict, OfWhoHardlyComputesDoesNotMindAFullMachine) {
  auto statistics = pipeline({stage("read", 4, {100, 0, 0})}, {10, 90, 0}, 100ms);
  statistics.machine_time = 80s;
  EXPECT_EQ(verdict(statistics).find("read limits: its 4 threads work 100 % of the time. One more would make it 1.25"),
            0U);
}

// proves: verdict
TEST(Verdict, GainsNoMoreThanOthersLeave) {
  auto statistics = pipeline({stage("decode", 1, {100, 0, 0})}, {10, 90, 0}, 10s);
  statistics.machine_time = 65s;
  EXPECT_EQ(
      verdict(statistics).find("decode limits: its 1 thread works 100 % of the time. One more would make it 2.00"),
      0U);
  statistics.machine_time = 71s;
  EXPECT_EQ(
      verdict(statistics).find("decode limits: its 1 thread works 100 % of the time. One more would make it 1.90"),
      0U);
}

// proves: verdict
TEST(Verdict, OfStagesInTheThreadOfTheLoopSaysWhatThreadsWouldGain) {
  EXPECT_EQ(verdict(without_threads({60, 0, 40}, {40, 60, 0}, 10s)),
            "All stages run in the thread of the loop, which waited 60 % of the time for them. Beside it, in a "
            "prefetch, they would make it 1.67 times as fast; 3 threads in a map up to 2.50 times, if its function "
            "takes most of the time; a perfect input 2.50 times.");
}

// proves: verdict
TEST(Verdict, OfStagesInTheThreadOfTheLoopForetellsNoMoreThreadsThanThereAreFreeCores) {
  auto statistics = without_threads({90, 0, 10}, {10, 90, 0}, 10s);
  EXPECT_TRUE(says(statistics, "1.11 times as fast; 8 threads in a map up to 8.00 times, if"));
  statistics.machine_time = 60s;
  EXPECT_TRUE(says(statistics, "1.11 times as fast; 3 threads in a map up to 3.00 times, if"));
  statistics.machine_time = {};
  statistics.cores = 1;
  EXPECT_EQ(
      verdict(statistics),
      "All stages run in the thread of the loop, which waited 90 % of the time for them. Beside it, in a "
      "prefetch, they would make it 1.00 times as fast; a perfect input 10.00 times. The machine is full: 1.0 of "
      "1 cores are in use; a loop that feeds a device needs some of them.");
}

// proves: verdict
TEST(Verdict, OfStagesInTheThreadOfTheLoopThatMostlyWaitSaysThatMoreThanCoresHelp) {
  auto statistics = without_threads({99, 0, 1}, {1, 99, 0}, 300ms);
  statistics.cores = 2;
  EXPECT_EQ(verdict(statistics),
            "All stages run in the thread of the loop, which waited 99 % of the time for them. Beside it, in a "
            "prefetch, they would make it 1.01 times as fast; 8 threads in a map up to 8.00 times, if its function "
            "takes most of the time; the loop itself does hardly anything. The stages mostly wait, so more threads "
            "than cores help, too.");
}

// proves: verdict
TEST(Verdict, OfAFullMachineAdvisesLessWork) {
  EXPECT_EQ(
      verdict(pipeline({stage("decode", 8, {100, 0, 0})}, {10, 90, 0}, 79s)),
      "decode limits: its 8 threads work 100 % of the time. The machine is full: 7.9 of 8 cores are in use; less "
      "work would help, more threads would not.");
  EXPECT_EQ(verdict(pipeline({stage("decode", 8, {50, 50, 0})}, {10, 90, 0}, 79s)),
            "The machine is full: 7.9 of 8 cores are in use. Less work would help, more threads would not.");
}

// proves: usable-cores
TEST(Verdict, OfAUsedUpQuotaSaysThatThreadsWereStopped) {
  auto statistics = pipeline({stage("decode", 8, {100, 0, 0})}, {10, 90, 0}, 52s);
  statistics.cores = 6;
  statistics.throttled_time = 7s;
  EXPECT_EQ(
      verdict(statistics),
      "decode limits: its 8 threads work 100 % of the time. The CPU quota is used up: 5.2 of 6 cores are in use, "
      "and threads were stopped for 7.0 s in 10.0 s; less work would help, more threads would not.");
  statistics.throttled_time = 900ms;
  EXPECT_FALSE(contains(verdict(statistics), "quota")) << "hardly at all";
}

// ---- A machine that other programs keep busy

// proves: verdict
TEST(Verdict, OfThreadsWithoutACoreBlamesTheMachineInsteadOfBursts) {
  auto decode = without_core(stage("decode", 4, {60, 0, 40}), 45);
  decode.ahead = 16;
  auto statistics = pipeline({decode}, {70, 30, 0}, 6s);
  statistics.machine_time = 79s;
  EXPECT_EQ(verdict(statistics),
            "The machine is full: 7.9 of 8 cores are in use, 0.6 by this program, and decode had no core 45 % of the "
            "time. Less work would help, more threads would not.");
  EXPECT_EQ(limiting_stage(statistics), nullptr);
}

// proves: verdict
TEST(Verdict, OfThreadsWithoutACoreNamesTheMachineEvenIfItsTimeIsUnknown) {
  const auto decode = without_core(stage("decode", 4, {100, 0, 0}), 80);
  EXPECT_EQ(verdict(pipeline({decode}, {5, 95, 0}, 9s)),
            "decode limits: its 4 threads work 20 % of the time. The machine is full: this program uses 0.9 of 8 "
            "cores, and decode had no core 80 % of the time; less work would help, more threads would not.");
}

// proves: verdict
TEST(Verdict, OfALoopWithoutACoreNamesTheLoopAndTheMachine) {
  auto statistics = pipeline({stage("decode", 2, {40, 0, 60})}, {90, 10, 0}, 9s);
  statistics.loop = without_core(statistics.loop, 70);
  statistics.machine_time = 80s;
  EXPECT_EQ(verdict(statistics),
            "The loop limits: it waited 10 % of the time. A perfect input would make it 1.11 times as fast. The "
            "machine is full: 8.0 of 8 cores are in use, 0.9 by this program, and the loop had no core 70 % of the "
            "time; a loop that feeds a device needs some of them.");
}

// proves: verdict
TEST(Verdict, OfThreadsThatHardlyMissACoreDoesNotMindIt) {
  const auto decode = without_core(stage("decode", 4, {60, 0, 40}), 10);
  EXPECT_TRUE(says(pipeline({decode}, {70, 30, 0}), "Work comes in bursts"));
}

// proves: verdict
TEST(Verdict, OfAPipelineThatIsStuckSaysWhoWaitsForACore) {
  auto statistics = pipeline({without_core(stage("decode", 4, {100, 0, 0}), 60)}, {0, 100, 0}, 1s);
  statistics.loop.elements = 0;
  EXPECT_TRUE(says(statistics, "decode waits for a core, the loop waits for input"));
}

TEST(Verdict, OfALoopThatDoesNothingForetellsNoFactor) {
  for (const int loop : {0, 1, 9}) {
    const auto serial = verdict(without_threads({100 - loop, 0, loop}, {loop, 100 - loop, 0}, 10s));
    EXPECT_TRUE(contains(serial, "the loop itself does hardly anything.")) << serial;
    EXPECT_FALSE(contains(serial, "perfect input")) << serial;
    const auto threads = verdict(pipeline({stage("decode", 2, {100, 0, 0})}, {loop, 100 - loop, 0}));
    EXPECT_TRUE(contains(threads, "No other would limit soon.")) << threads;
  }
  EXPECT_TRUE(says(without_threads({90, 0, 10}, {10, 90, 0}, 10s), "a perfect input 10.00 times."));
}

TEST(PipelineStatistics, SinceEarlierOnesHaveTheTimeWithoutACoreSinceThen) {
  const auto earlier = pipeline({without_core(stage("decode", 1, {60, 0, 40}), 30)}, {40, 60, 0});
  auto now = earlier;
  now.stages[0].without_core += 2s;
  EXPECT_EQ(now.since(earlier).stages[0].without_core, 2s);
  EXPECT_TRUE(contains(now.stages[0].text(), "5.000 s without a core")) << now.stages[0];
  EXPECT_FALSE(contains(now.loop.text(), "core")) << now.loop;
}

TEST(Report, HasAColumnForThreadsWithoutACore) {
  const auto decode = without_core(using_cpu(stage("decode of a very long name", 4, {49, 51, 0}), 8s), 29);
  const std::string text = forebay::report(pipeline({decode}, {20, 80, 0}));
  EXPECT_EQ(text.substr(text.find("\n\n") + 2),
            "stage               threads            per second  cores  working  no core  starved  blocked\n"
            "decode of a very lo       4          100 elements    0.8     20 %     29 %     51 %      0 %\n"
            "loop                      1          100 elements            20 %      0 %     80 %      0 %\n");
}

// proves: verdict
TEST(Verdict, ThatTooLittleIsReadAhead) {
  auto decode = stage("decode", 4, {60, 0, 40});
  decode.ahead = 4;
  EXPECT_EQ(verdict(pipeline({decode}, {70, 30, 0})),
            "Too little is read ahead: decode was blocked 40 % of the time, and the loop waited 30 %. ahead is 4 "
            "chunks for 4 threads: give 16.");
}

// proves: verdict
TEST(Verdict, ThatWorkComesInBursts) {
  auto decode = stage("decode", 4, {60, 0, 40});
  decode.ahead = 16;
  EXPECT_EQ(verdict(pipeline({decode}, {70, 30, 0})),
            "Work comes in bursts: decode was blocked 40 % of the time, and the loop waited 30 %. More ahead, or a "
            "prefetch, would even it out.");
}

TEST(Verdict, ThatNobodyLimits) {
  EXPECT_EQ(verdict(pipeline({stage("decode", 4, {80, 20, 0})}, {70, 30, 0})),
            "No stage limits alone: the loop waited 30 % of the time. At 1.25 times as fast, decode would limit.");
}

// proves: verdict
TEST(Verdict, ThatNothingCameOutSaysWhoWaitsForWhat) {
  auto statistics = pipeline({stage("read", 1, {0, 0, 100}), stage("decode", 4, {100, 0, 0})}, {0, 100, 0});
  statistics.stages.push_back(stage("pack", 1, {0, 0, 0}));
  statistics.loop.elements = 0;
  EXPECT_EQ(verdict(statistics),
            "Nothing came out in 10.0 s: read waits for room, decode works, pack has not begun, the loop waits for "
            "input.");
  statistics.stages[1].processor_time = 1s;
  EXPECT_TRUE(says(statistics, "decode waits in your code, pack has not begun"));
}

TEST(Verdict, OfNothingIsOne) {
  EXPECT_EQ(verdict(PipelineStatistics()), "Nothing came out in 0.0 s: the loop has not begun.");
}

// proves: pipeline-statistics
TEST(Verdict, ThatLimitsIsAMemberOfTheStatistics) {
  auto statistics = pipeline({stage("read", 1, {95, 0, 5}), stage("read", 1, {20, 80, 0})}, {30, 70, 0});
  EXPECT_EQ(limiting_stage(statistics), statistics.stages.data());
  statistics.loop.working = 10s;
  statistics.loop.starved = 0s;
  EXPECT_EQ(limiting_stage(statistics), &statistics.loop);
  const auto even = pipeline({stage("decode", 4, {80, 20, 0})}, {70, 30, 0});
  EXPECT_EQ(limiting_stage(even), nullptr);
}

// ---- The time since an earlier snapshot

TEST(PipelineStatistics, SinceEarlierOnesAreTheirDifference) {
  const auto earlier = pipeline({stage("read", 1, {30, 0, 70})}, {40, 60, 0}, 10s);
  auto now = pipeline({stage("read", 1, {60, 10, 130})}, {80, 120, 0}, 25s);
  now.time = 20s;
  now.loop.elements = 1500;
  auto expected = pipeline({stage("read", 1, {30, 10, 60})}, {40, 60, 0}, 15s);
  expected.stages[0].elements = 0;
  expected.loop.elements = 500;
  EXPECT_EQ(now.since(earlier), expected);
}

TEST(PipelineStatistics, SinceEarlierOnesHaveTheCpuTimeSinceThen) {
  const auto earlier = pipeline({stage("read", 1, {30, 0, 70}), using_cpu(stage("decode", 1, {30, 0, 70}), 2s)}, {});
  auto now = earlier;
  now.stages[0].processor_time = 3s;
  EXPECT_EQ(now.since(earlier).stages[0].processor_time, 3s) << "none was known";
  EXPECT_EQ(now.since(earlier).stages[1].processor_time, 0s) << "a wait of the whole time";
  EXPECT_EQ(earlier.since(earlier).stages[0].processor_time, std::nullopt);
}

TEST(PipelineStatistics, SinceEarlierOnesHaveTheTimesOfTheMachineSinceThen) {
  auto earlier = pipeline({}, {40, 60, 0}, 10s);
  earlier.machine_time = 20s;
  earlier.throttled_time = 3s;
  auto now = pipeline({}, {40, 60, 0}, 12s);
  now.throttled_time = 7s;
  const PipelineStatistics since = now.since(earlier);
  EXPECT_EQ(since.processor_time, 2s);
  EXPECT_EQ(since.machine_time, 0s) << "which is not told any more";
  EXPECT_EQ(since.throttled_time, 4s);
  EXPECT_EQ(since.cores, 8U);
}

// proves: pipeline-statistics
TEST(PipelineStatistics, OfATimeThatWentBackAMomentAreNotNegative) {
  const auto earlier = pipeline({stage("read", 1, {30, 20, 50})}, {40, 60, 0});
  auto now = earlier;
  now.stages[0].working -= 1ms;
  now.stages[0].starved -= 1ms;
  now.stages[0].blocked -= 1ms;
  const StageStatistics since = now.since(earlier).stages[0];
  EXPECT_EQ(since.working + since.starved + since.blocked, 0ms);
}

// proves: pipeline-statistics
TEST(PipelineStatistics, OfOtherStagesAreNotCompared) {
  const auto one = pipeline({stage("read", 1, {30, 0, 70})}, {40, 60, 0});
  EXPECT_THROW(static_cast<void>(one.since(PipelineStatistics())), std::invalid_argument);
}

TEST(PipelineStatistics, SinceEarlierOnesHaveWhatWasLeftOutSinceThen) {
  auto earlier = pipeline({stage("decode", 1, {30, 0, 70})}, {40, 60, 0});
  auto now = pipeline({leaving_out(stage("decode", 1, {30, 0, 70}), 3, 7)}, {40, 60, 0});
  EXPECT_EQ(now.since(earlier).stages[0].failed, 3U);
  EXPECT_EQ(now.since(earlier).stages[0].first_failure, "decode, epoch 0, number 3: truncated");
  earlier.stages[0] = leaving_out(earlier.stages[0], 1, 7);
  EXPECT_EQ(now.since(earlier).stages[0].failed, 2U);
  EXPECT_EQ(now.since(earlier).stages[0].left_out, 0U);
  EXPECT_EQ(now.since(earlier).stages[0].first_failure, "") << "it is older";
}

// ---- The table

TEST(Report, IsTheVerdictAndATable) {
  auto read = stage("read", 1, {98, 0, 2});
  read.is_serial = true;
  auto statistics = pipeline({read, using_cpu(stage("decode", 4, {49, 51, 0}), 19s)}, {20, 80, 0});
  statistics.loop.elements = 31;
  statistics.loop.unit = "batches";
  EXPECT_EQ(forebay::report(statistics),
            "read limits: it is serial, and works 98 % of the time. More threads would not help: do less there,\n"
            "or downstream of it in a map, or read several inputs at once with interleave. At 2.04 times as fast,\n"
            "decode would limit.\n"
            "\n"
            "stage                    threads            per second  cores  working  starved  blocked\n"
            "read                      serial          100 elements            98 %      0 %      2 %  limits\n"
            "decode                         4          100 elements    1.9     49 %     51 %      0 %\n"
            "loop                           1          3.1 batches             20 %     80 %      0 %\n");
}

// proves: left-out
TEST(Report, SaysWhatIsLeftOutAfterTheTable) {
  auto before = leaving_out(stage("before decode", 1, {20, 0, 80}), 0, 20);
  before.is_serial = true;
  auto readers = leaving_out(stage("interleave", 2, {20, 80, 0}), 2, 5);
  readers.unit = "inputs";
  auto statistics = pipeline({before, leaving_out(stage("decode", 4, {49, 51, 0}), 1, 0), readers}, {20, 80, 0});
  statistics.loop = leaving_out(statistics.loop, 3, 4);
  statistics.stages[0].passes = {1, 7};
  const std::string text = forebay::report(statistics);
  EXPECT_EQ(text.substr(text.rfind("\n\n") + 2),
            "before decode: 20 left out; inputs of mix ended 1, 7 times\n"
            "decode: 999 of 1000 elements; 1 failed, first: decode, epoch 0, number 3: truncated\n"
            "interleave: 2 failed, first: interleave, epoch 0, number 3: truncated; 5 left out\n"
            "loop: 3 failed, first: loop, epoch 0, number 3: truncated; 4 left out\n");
}

// proves: report-format
TEST(Report, SaysWhatIsLeftOutInLinesOfAHundredColumns) {
  auto decode = leaving_out(stage("decode", 4, {49, 51, 0}), 1, 0);
  for (int i = 0; i < 30; ++i) decode.first_failure += "\nand so on";
  std::istringstream lines(forebay::report(pipeline({decode}, {20, 80, 0})));
  std::string line;
  while (std::getline(lines, line)) EXPECT_LE(line.size(), 100U) << line;
}

// proves: report-format
TEST(Report, SaysTheVerdictInLinesOfAHundredColumns) {
  const auto statistics = pipeline({using_cpu(stage(std::string(120, 'n'), 3, {100, 0, 0}), 1s)}, {1, 99, 0}, 1s);
  std::string text = forebay::report(statistics);
  text.resize(text.find("\n\n"));
  std::istringstream lines(text);
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, std::string(120, 'n')) << "which cannot be broken";
  while (std::getline(lines, line)) EXPECT_LE(line.size(), 100U) << line;
  std::replace(text.begin(), text.end(), '\n', ' ');
  EXPECT_EQ(text, verdict(statistics));
}

// proves: report-format
TEST(Report, FitsIntoAHundredColumnsWhateverTheNames) {
  auto read = using_cpu(stage(std::string(23, 'r') + "\xC3\xA9\n", 100000000, {100, 0, 0}), 655360s);
  read.elements = 99999999999999;
  read.name[3] = '\n';
  const std::string text = forebay::report(pipeline({read, stage("", 1, {0, 0, 0})}, {0, 100, 0}));
  const std::string table = text.substr(text.find("\n\n") + 1);
  std::istringstream lines(table);
  std::string line;
  std::size_t rows = 0;
  for (; std::getline(lines, line); ++rows) EXPECT_LE(line.size(), 100U) << line;
  EXPECT_EQ(rows, 5U);
  EXPECT_FALSE(contains(table, "\xC3")) << "half a character";
}

// ---- Prometheus

/// Reads the text format 0.0.4 strictly: samples by name and labels. Fails at any violation.
class MetricsReader {
 public:
  explicit MetricsReader(const std::string& text) : text_(text) {
    if (text.empty() || text.back() != '\n') fail("does not end with a line");
    while (at_ < text_.size()) text_[at_] == '#' ? comment() : sample();
  }

  [[nodiscard]] std::string operator[](const std::string& series) const {
    const auto found = samples_.find(series);
    return found == samples_.end() ? "none" : found->second;
  }
  [[nodiscard]] std::size_t size() const { return samples_.size(); }
  [[nodiscard]] std::string stage(std::size_t i) const { return stages_.at(i); }

 private:
  void fail(const std::string& why) { throw std::runtime_error(why + " at " + text_.substr(at_, 30)); }
  void expect(const std::string& what) {
    if (text_.compare(at_, what.size(), what) != 0) fail("not " + what);
    at_ += what.size();
  }
  std::string until(const std::string& ends) {
    const std::size_t begin = at_;
    at_ = text_.find_first_of(ends, at_);
    if (at_ == std::string::npos) fail("is not ended");
    return text_.substr(begin, at_ - begin);
  }
  std::string name(const std::string& ends) {
    std::string found = until(ends);
    const std::string letters = "abcdefghijklmnopqrstuvwxyz_";
    if (found.empty() || found.find_first_not_of(letters) != std::string::npos) fail("no name: " + found);
    return found;
  }

  void comment() {
    expect("# HELP ");
    metric_ = name(" ");
    if (!metrics_.insert(metric_).second) fail("told twice: " + metric_);
    until("\n");
    expect("\n# TYPE " + metric_ + " ");
    const std::string type = until("\n");
    if (type != "counter" && type != "gauge") fail("no type: " + type);
    const bool is_total = metric_.size() > 6 && metric_.substr(metric_.size() - 6) == "_total";
    if (is_total != (type == "counter")) fail("a name against its type");
    expect("\n");
  }

  void sample() {
    if (name("{ ") != metric_) fail("of another metric");
    std::string series = metric_;
    if (text_[at_] == '{') series += labels();
    expect(" ");
    const std::string value = until("\n");
    if (value.empty() || value.find_first_not_of("0123456789.") != std::string::npos) fail("no number: " + value);
    expect("\n");
    if (!samples_.emplace(series, value).second) fail("twice: " + series);
  }

  std::string labels() {
    const std::size_t begin = at_;
    do {
      ++at_;
      const std::string label = name("=");
      expect("=\"");
      const std::string value = label_value();
      if (label == "stage") stages_.push_back(value);
    } while (text_[at_] == ',');
    expect("}");
    return text_.substr(begin, at_ - begin);
  }

  std::string label_value() {
    std::string value;
    for (; text_.at(at_) != '"'; ++at_) {
      if (text_[at_] == '\n') fail("a line in a label");
      if (text_[at_] == '\\') {
        ++at_;
        const char letter = text_.at(at_);
        if (letter != '\\' && letter != '"' && letter != 'n') fail("no such escape");
        value += letter == 'n' ? '\n' : letter;
      } else {
        value += text_[at_];
      }
    }
    ++at_;
    return value;
  }

  const std::string text_;
  std::size_t at_ = 0;
  std::string metric_;
  std::set<std::string> metrics_;
  std::map<std::string, std::string> samples_;
  std::vector<std::string> stages_;
};

MetricsReader metrics_of(const PipelineStatistics& statistics) {
  std::ostringstream out;
  forebay::write_metrics(out, statistics);
  return MetricsReader(out.str());
}

TEST(Metrics, AreAllThereIs) {
  const auto metrics = metrics_of(pipeline(
      {stage("read", 1, {30, 5, 65}), using_cpu(stage("decode", 4, {99, 1, 0}), 2500ms)}, {40, 60, 0}, 12345678us));
  EXPECT_EQ(metrics.size(), 30U);
  EXPECT_EQ(metrics["forebay_stage_elements_total{stage=\"decode\",place=\"1\",unit=\"elements\"}"], "1000");
  EXPECT_EQ(metrics["forebay_stage_processor_seconds_total{stage=\"decode\",place=\"1\"}"], "2.500000");
  EXPECT_EQ(metrics["forebay_stage_processor_seconds_total{stage=\"read\",place=\"0\"}"], "none") << "unknown";
  EXPECT_EQ(metrics["forebay_stage_seconds_total{stage=\"read\",place=\"0\",state=\"working\"}"], "3.000000");
  EXPECT_EQ(metrics["forebay_stage_seconds_total{stage=\"read\",place=\"0\",state=\"starved\"}"], "0.500000");
  EXPECT_EQ(metrics["forebay_stage_seconds_total{stage=\"read\",place=\"0\",state=\"blocked\"}"], "6.500000");
  EXPECT_EQ(metrics["forebay_stage_seconds_total{stage=\"read\",place=\"0\",state=\"without_core\"}"], "0.000000");
  EXPECT_EQ(metrics["forebay_stage_failed_total{stage=\"loop\",place=\"2\"}"], "0");
  EXPECT_EQ(metrics["forebay_stage_left_out_total{stage=\"read\",place=\"0\"}"], "0");
  EXPECT_EQ(metrics["forebay_stage_threads{stage=\"loop\",place=\"2\"}"], "1");
  EXPECT_EQ(metrics["forebay_pipeline_seconds_total"], "10.000000");
  EXPECT_EQ(metrics["forebay_pipeline_processor_seconds_total"], "12.345678");
  EXPECT_EQ(metrics["forebay_throttled_seconds_total"], "0.000000");
  EXPECT_EQ(metrics["forebay_usable_cores"], "8");
}

// proves: report-format
TEST(Metrics, AreOneSeriesForEachOfTwoStagesWithOneName) {
  EXPECT_EQ(metrics_of(pipeline({stage("map", 1, {50, 50, 0}), stage("map", 1, {50, 50, 0})}, {40, 60, 0})).size(),
            29U);
}

// proves: report-format
TEST(Metrics, EscapeNames) {
  const std::string name = "C:\\a \"b\",\nc}";
  EXPECT_EQ(metrics_of(pipeline({stage(name, 1, {50, 50, 0})}, {40, 60, 0})).stage(0), name);
}

TEST(Metrics, DoNotDependOnTheStreamsFormat) {
  std::ostringstream out;
  out << std::hex << std::showbase << std::scientific;
  const auto statistics = pipeline({stage("read", 1, {30, 5, 65})}, {40, 60, 0});
  forebay::write_metrics(out, statistics);
  std::ostringstream plain;
  forebay::write_metrics(plain, statistics);
  EXPECT_EQ(out.str(), plain.str());
}

}  // namespace
}  // namespace forebay_test
