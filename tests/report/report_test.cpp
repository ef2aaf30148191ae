// SPDX-License-Identifier: MIT
//
// report_test.cpp: what report.hpp says of statistics that were made up.
//
//   Who limits     Verdict*
//   The table      Report*
//   Prometheus     Metrics*, checked by a strict reader of the format

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "forebay/pipeline_statistics.hpp"
#include "forebay/report.hpp"
#include "forebay/stage_statistics.hpp"

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

/// Of a stage that ran for ten seconds.
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

// ---- Who limits

TEST(Verdict, NamesThreadsThatWorkAllTheTimeAndWhatOneMoreGains) {
  EXPECT_EQ(verdict(pipeline({stage("read", 1, {30, 0, 70}), stage("decode", 4, {100, 0, 0})}, {40, 60, 0})),
            "decode limits: its 4 threads work 100 % of the time. One more would make it 1.25 times as fast. At 2.50 "
            "times as fast, the loop would limit.");
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
  EXPECT_NE(verdict(statistics).find("One more would make it 1.14 times"), std::string::npos) << verdict(statistics);
}

TEST(Verdict, OfASerialStageDoesNotAskForThreads) {
  auto read = stage("read", 1, {98, 0, 2});
  read.is_serial = true;
  EXPECT_EQ(verdict(pipeline({read, stage("decode", 4, {50, 50, 0})}, {20, 80, 0})),
            "read limits: it is serial, and works 98 % of the time. More threads would not help: do less there, or "
            "behind it in a map, or read several inputs at once with interleave. At 2.00 times as fast, decode would "
            "limit.");
}

/// What one thread runs that reads so much of the time, and works for the rest.
PipelineStatistics of_one_thread(int reading) {
  StageStatistics before = stage("before decode", 1, {reading, 0, 100 - reading});
  before.is_serial = true;
  return pipeline({before, stage("decode", 1, {100 - reading, reading, 0})}, {10, 90, 0});
}

TEST(Verdict, OfAThreadThatReadsAndWorksAsksForOneMore) {
  EXPECT_EQ(verdict(of_one_thread(65)),
            "decode limits: its 1 thread reads 65 % and works 35 % of the time. One more would make it 1.54 times as "
            "fast. At 1.54 times as fast, before decode would limit.");
}

TEST(Verdict, OfAThreadThatHardlyDoesMoreThanReadNamesWhatItReads) {
  EXPECT_EQ(verdict(of_one_thread(90)).find("before decode limits: it is serial, and works 90 %"), 0U);
}

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

TEST(Verdict, CountsTheCoresThatOthersUse) {
  auto statistics = pipeline({stage("read", 1, {30, 0, 70}), stage("decode", 4, {80, 0, 20})}, {40, 60, 0}, 20s);
  statistics.machine_time = 78s;
  EXPECT_EQ(verdict(statistics),
            "The machine is full: 7.8 of 8 cores are in use, 2.0 by this program. Less work would help, more threads "
            "would not.");
}

TEST(Verdict, OfWhoHardlyComputesDoesNotMindAFullMachine) {
  auto statistics = pipeline({stage("read", 4, {100, 0, 0})}, {10, 90, 0}, 100ms);
  statistics.machine_time = 80s;
  EXPECT_EQ(verdict(statistics).find("read limits: its 4 threads work 100 % of the time. One more would make it 1.25"),
            0U);
}

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

TEST(Verdict, OfStagesInTheThreadOfTheLoopSaysWhatThreadsWouldGain) {
  StageStatistics all = stage("all stages", 1, {60, 0, 40});
  all.threads = 0;
  all.is_serial = true;
  EXPECT_EQ(
      verdict(pipeline({all}, {40, 60, 0})),
      "All stages run in the thread of the loop, which waited 60 % of the time for them. Beside it, with threads "
      "in a map or a prefetch, they would make it 1.67 times as fast; a perfect input 2.50 times.");
}

TEST(Verdict, OfAFullMachineAdvisesLessWork) {
  EXPECT_EQ(
      verdict(pipeline({stage("decode", 8, {100, 0, 0})}, {10, 90, 0}, 79s)),
      "decode limits: its 8 threads work 100 % of the time. The machine is full: 7.9 of 8 cores are in use; less "
      "work would help, more threads would not.");
  EXPECT_EQ(verdict(pipeline({stage("decode", 8, {50, 50, 0})}, {10, 90, 0}, 79s)),
            "The machine is full: 7.9 of 8 cores are in use. Less work would help, more threads would not.");
}

TEST(Verdict, ThatTooLittleIsReadAhead) {
  auto decode = stage("decode", 4, {60, 0, 40});
  decode.ahead = 4;
  EXPECT_EQ(verdict(pipeline({decode}, {70, 30, 0})),
            "Too little is read ahead: decode was blocked 40 % of the time, and the loop waited 30 %. ahead is 4 "
            "chunks for 4 threads: give 16.");
}

TEST(Verdict, ThatWorkComesInBursts) {
  auto decode = stage("decode", 4, {60, 0, 40});
  decode.ahead = 16;
  EXPECT_EQ(verdict(pipeline({decode}, {70, 30, 0})),
            "Work comes in bursts: decode was blocked 40 % of the time, and the loop waited 30 %. More ahead, or a "
            "prefetch, would even it out.");
}

TEST(Verdict, ThatNobodyLimits) {
  EXPECT_EQ(verdict(pipeline({stage("decode", 4, {80, 20, 0})}, {70, 30, 0})),
            "Nobody limits by himself: the loop waited 30 % of the time. At 1.25 times as fast, decode would limit.");
}

TEST(Verdict, ThatNothingCameOutSaysWhoWaitsForWhat) {
  auto statistics = pipeline({stage("read", 1, {0, 0, 100}), stage("decode", 4, {100, 0, 0})}, {0, 100, 0});
  statistics.stages.push_back(stage("pack", 1, {0, 0, 0}));
  statistics.loop.elements = 0;
  EXPECT_EQ(verdict(statistics),
            "Nothing came out in 10.0 s: read waits for room, decode works, pack has not begun, the loop waits for "
            "input.");
}

TEST(Verdict, OfNothingIsOne) {
  EXPECT_EQ(verdict(PipelineStatistics()), "Nothing came out in 0.0 s: the loop has not begun.");
}

TEST(Verdict, ThatLimitsIsAMemberOfTheStatistics) {
  auto statistics = pipeline({stage("read", 1, {95, 0, 5}), stage("read", 1, {20, 80, 0})}, {30, 70, 0});
  EXPECT_EQ(limiting_stage(statistics), statistics.stages.data());
  statistics.loop.working = 10s;
  statistics.loop.starved = 0s;
  EXPECT_EQ(limiting_stage(statistics), &statistics.loop);
  const auto even = pipeline({stage("decode", 4, {80, 20, 0})}, {70, 30, 0});
  EXPECT_EQ(limiting_stage(even), nullptr);
}

// ---- The time since

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

TEST(PipelineStatistics, OfATimeThatWentBackAMomentAreNotNegative) {
  const auto earlier = pipeline({stage("read", 1, {30, 20, 50})}, {40, 60, 0});
  auto now = earlier;
  now.stages[0].working -= 1ms;
  now.stages[0].starved -= 1ms;
  now.stages[0].blocked -= 1ms;
  const StageStatistics since = now.since(earlier).stages[0];
  EXPECT_EQ(since.working + since.starved + since.blocked, 0ms);
}

TEST(PipelineStatistics, OfOtherStagesAreNotCompared) {
  const auto one = pipeline({stage("read", 1, {30, 0, 70})}, {40, 60, 0});
  EXPECT_THROW(static_cast<void>(one.since(PipelineStatistics())), std::invalid_argument);
}

// ---- The table

TEST(Report, IsTheVerdictAndATable) {
  auto read = stage("read", 1, {98, 0, 2});
  read.is_serial = true;
  const auto statistics = pipeline({read, stage("decode", 4, {49, 51, 0})}, {20, 80, 0});
  EXPECT_EQ(forebay::report(statistics),
            verdict(statistics) +
                "\n\n"
                "stage                            threads   per second   working   starved   blocked\n"
                "read                              serial          100      98 %       0 %       2 %   limits\n"
                "decode                                 4          100      49 %      51 %       0 %\n"
                "loop                                   1          100      20 %      80 %       0 %\n");
}

TEST(Report, FitsIntoAHundredColumnsWhateverTheNames) {
  auto read = stage(std::string(31, 'r') + "\xC3\xA9\n", 100000000, {100, 0, 0});
  read.elements = 99999999999999;
  read.name[3] = '\n';
  const std::string text = forebay::report(pipeline({read, stage("", 1, {0, 0, 0})}, {0, 100, 0}));
  const std::string table = text.substr(text.find('\n') + 1);
  std::istringstream lines(table);
  std::string line;
  std::size_t rows = 0;
  for (; std::getline(lines, line); ++rows) EXPECT_LE(line.size(), 100U) << line;
  EXPECT_EQ(rows, 5U);
  EXPECT_EQ(table.find('\xC3'), std::string::npos) << "half a character";
}

// ---- Prometheus

/// Reads the text format 0.0.4 and fails at whatever is not so: samples by name and labels.
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
  const auto metrics =
      metrics_of(pipeline({stage("read", 1, {30, 5, 65}), stage("decode", 4, {99, 1, 0})}, {40, 60, 0}, 12345678us));
  EXPECT_EQ(metrics.size(), 18U);
  EXPECT_EQ(metrics["forebay_stage_elements_total{stage=\"decode\",place=\"1\"}"], "1000");
  EXPECT_EQ(metrics["forebay_stage_seconds_total{stage=\"read\",place=\"0\",state=\"working\"}"], "3.000000");
  EXPECT_EQ(metrics["forebay_stage_seconds_total{stage=\"read\",place=\"0\",state=\"starved\"}"], "0.500000");
  EXPECT_EQ(metrics["forebay_stage_seconds_total{stage=\"read\",place=\"0\",state=\"blocked\"}"], "6.500000");
  EXPECT_EQ(metrics["forebay_stage_threads{stage=\"loop\",place=\"2\"}"], "1");
  EXPECT_EQ(metrics["forebay_pipeline_seconds_total"], "10.000000");
  EXPECT_EQ(metrics["forebay_pipeline_processor_seconds_total"], "12.345678");
}

TEST(Metrics, AreOneSeriesForEachOfTwoStagesWithOneName) {
  EXPECT_EQ(metrics_of(pipeline({stage("map", 1, {50, 50, 0}), stage("map", 1, {50, 50, 0})}, {40, 60, 0})).size(),
            18U);
}

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
