// SPDX-License-Identifier: MIT
//
// printing_test.cpp: the text that `stream << value` writes for statistics, statuses, positions and descriptions.

#include <gtest/gtest.h>

#include <chrono>
#include <iomanip>
#include <limits>
#include <locale>
#include <sstream>
#include <string>

#include "forebay/base/text.hpp"
#include "forebay/queue_status.hpp"
#include "forebay/statistics.hpp"
#include "forebay/thread_activity.hpp"
#include "tests/support/printed.hpp"

namespace forebay_test {
namespace {

using namespace std::chrono_literals;

using forebay::PipelineStatistics;
using forebay::QueueStatistics;
using forebay::QueueStatus;
using forebay::StageStatistics;
using forebay::detail::text_of;

/// Groups digits by three, as a program's locale may.
struct Grouping : std::numpunct<char> {
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

QueueStatistics some_queue() {
  return {.producers = {.elements = 1200, .waits = 3, .waited = 1250ms, .longest_wait = 800ms, .waiting = 1},
          .consumers = {.elements = 1},
          .high_water = 50};
}

TEST(Printing, OfAStatusIsItsName) {
  EXPECT_EQ(printed(QueueStatus::ok), "ok");
  EXPECT_EQ(printed(QueueStatus::timed_out), "timed_out");
}

TEST(Printing, OfQueueStatisticsIsOneLineOfBothSides) {
  EXPECT_EQ(printed(some_queue()),
            "producers: 1200 elements, 3 waits, 1.250 s waited, 800.000 ms the longest, 1 waiting now; "
            "consumers: 1 element, 0 waits, 0 ns waited, 0 ns the longest, 0 waiting now; "
            "50 elements at high water");
  EXPECT_EQ(printed(QueueStatistics::Side{.elements = 2, .waits = 1}),
            "2 elements, 1 wait, 0 ns waited, 0 ns the longest, 0 waiting now");
}

TEST(Printing, OfQueueStatisticsNamesDrops) {
  QueueStatistics statistics = some_queue();
  statistics.dropped = 1;
  EXPECT_EQ(printed(statistics), printed(some_queue()) + "; 1 element dropped");
}

TEST(Printing, OfStageStatisticsIsOneLine) {
  EXPECT_EQ(printed(StageStatistics{
                .name = "decode", .threads = 4, .elements = 25120, .working = 3880ms, .starved = 120ms, .ahead = 16}),
            "decode: 25120 elements, 4 threads, 3.880 s working, 120.000 ms starved, 0 ns blocked, 16 chunks ahead");
  EXPECT_EQ(printed(StageStatistics{.name = "two\nlines",
                                    .threads = 2,
                                    .is_serial = true,
                                    .elements = 3,
                                    .working = 2s,
                                    .processor_time = 1s,
                                    .unit = "batches",
                                    .failed = 1,
                                    .left_out = 20}),
            "two lines: 3 batches, 2 threads (one at a time), 2.000 s working, 0 ns starved, 0 ns blocked, "
            "1.000 s of processor time, 1 failed, 20 left out");
}

TEST(Printing, OfPipelineStatisticsIsOneLineOfAllStagesAndTheLoop) {
  PipelineStatistics statistics;
  statistics.stages.push_back({.name = "read", .elements = 7});
  statistics.time = 12500ms;
  statistics.processor_time = 30200ms;
  EXPECT_EQ(printed(statistics),
            "in 12.500 s, 30.200 s of processor time; "
            "read: 7 elements, 1 thread, 0 ns working, 0 ns starved, 0 ns blocked; "
            "loop: 0 elements, 1 thread, 0 ns working, 0 ns starved, 0 ns blocked");
  statistics.machine_time = 41s;
  statistics.cores = 4;
  EXPECT_EQ(printed(statistics).substr(0, 82),
            "in 12.500 s, 30.200 s of processor time, 41.000 s of the machine's, 4 cores; read:");
}

TEST(Printing, OfAThreadIsItsText) {
  EXPECT_EQ(printed(forebay::ThreadActivity{.name = "decode-1"}), "decode-1 runs");
}

TEST(Printing, IsTheSameInEveryLocale) {
  std::ostringstream out;
  out.imbue(std::locale(out.getloc(), new Grouping));  // the locale owns it
  out << some_queue();
  EXPECT_EQ(out.str(), some_queue().text());
}

TEST(Printing, FillsTheWidthThatIsAskedFor) {
  std::ostringstream out;
  out << std::setw(8) << QueueStatus::ok << std::left << std::setw(8) << QueueStatus::full << '|';
  EXPECT_EQ(out.str(), "      okfull    |");
}

TEST(Printing, OfADurationIsInTheLargestUnitThatItReaches) {
  EXPECT_EQ(text_of(0ns), "0 ns");
  EXPECT_EQ(text_of(999ns), "999 ns");
  EXPECT_EQ(text_of(1us), "1.000 us");
  EXPECT_EQ(text_of(999'999ns), "999.999 us");
  EXPECT_EQ(text_of(17'003'999ns), "17.003 ms");
  EXPECT_EQ(text_of(999'999'999ns), "999.999 ms");
  EXPECT_EQ(text_of(3600s), "3600.000 s");
  EXPECT_EQ(text_of(-1250ms), "-1.250 s");
  EXPECT_EQ(text_of(std::chrono::nanoseconds::min()), "-9223372036.854 s");
}

}  // namespace
}  // namespace forebay_test
