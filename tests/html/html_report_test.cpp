// SPDX-License-Identifier: MIT
//
// html_report_test.cpp: the page that write_html_report() writes, read by a strict reader of its tags, and the averages
// that its charts show.

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <ios>
#include <memory>
#include <numeric>
#include <ostream>
#include <sstream>
#include <stdexcept>
#include <streambuf>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "forebay/dataset.hpp"
#include "forebay/html_report.hpp"
#include "tests/support/contains.hpp"

namespace forebay_test {
namespace {

using namespace std::chrono_literals;
using forebay::PipelineStatistics;
using forebay::range;
using forebay::skip;
using forebay::StageStatistics;
using forebay::write_html_report;
using forebay::detail::ReadyOutputs;
using forebay::detail::ReadyOutputsOf;
using forebay::detail::TraceKind;
using forebay::detail::TraceRecord;

std::size_t count_of(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

/// Fails unless each tag is closed in the right order, and each entity is complete.
void expect_well_formed(const std::string& page) {
  ASSERT_TRUE(page.starts_with("<!DOCTYPE html>\n"));
  std::vector<std::string> open;
  const std::size_t style = page.find("</style>");
  for (std::size_t at = page.find("<html"); at < page.size(); ++at) {
    if (page[at] == '&') {
      ASSERT_LT(page.find(';', at), at + 7) << page.substr(at, 20);
    }
    if (page[at] != '<') continue;
    const std::size_t end = page.find('>', at);
    ASSERT_NE(end, std::string::npos);
    const std::string tag = page.substr(at + 1, end - at - 1);
    const std::string name = tag.substr(0, tag.find_first_of(" /", 1));
    if (tag.front() == '/') {
      ASSERT_FALSE(open.empty());
      ASSERT_EQ("/" + open.back(), tag) << "at " << page.substr(at, 40);
      open.pop_back();
    } else if (tag.back() != '/' && name != "meta") {
      ASSERT_EQ(count_of(tag, "\"") % 2, 0) << tag;
      open.push_back(name);
      if (name == "style") at = style - 1;
    }
  }
  EXPECT_TRUE(open.empty());
}

template <class Source>
std::string page_of(const Source& source) {
  std::ostringstream out;
  write_html_report(source, out);
  expect_well_formed(out.str());
  return out.str();
}

StageStatistics stage(const std::string& name, std::chrono::nanoseconds working, std::chrono::nanoseconds starved) {
  return {.name = name, .elements = 1000, .working = working, .starved = starved};
}

PipelineStatistics statistics_of(const std::string& name) {
  return {
      .stages = {stage(name, 10s, 0s)}, .loop = stage("loop", 4s, 6s), .time = 10s, .processor_time = 14s, .cores = 8};
}

// proves: html-report
TEST(HtmlReport, HasTheVerdictAndABoxForEachStage) {
  const std::string page = page_of(statistics_of("decode"));
  EXPECT_TRUE(contains(page, "<p class=\"verdict\">decode limits: its 1 thread works 100 % of the time. One more"));
  EXPECT_EQ(count_of(page, "<li class=\"limits\"><em>limits</em><b>decode</b>"), 1U);
  EXPECT_TRUE(contains(page, "<li><b>loop</b><span>1 thread</span><span>100 elements a second</span>"));
  EXPECT_TRUE(contains(page, "<span>40 % working, 60 % starved</span>"));
  EXPECT_TRUE(contains(page, "<li>1.4 of 8 cores used</li>"));
  EXPECT_TRUE(contains(page, "<tr><td>decode</td><td>1</td><td>1000 elements</td><td>100</td>"));
}

// proves: html-report
TEST(HtmlReport, SharesTimesOfAnySize) {
  PipelineStatistics statistics = statistics_of("decode");
  statistics.stages[0].working = statistics.stages[0].starved = std::chrono::nanoseconds::max();
  statistics.stages[0].blocked = std::chrono::nanoseconds::min();
  EXPECT_TRUE(contains(page_of(statistics), "<span>50 % working, 50 % starved</span>"));
}

// proves: html-report
TEST(HtmlReport, NeedsNoOtherFileAndNoProgram) {
  const std::string page = page_of(statistics_of("decode"));
  for (const char* const reference : {"http:", "https:", "src=", "href=", "url(", "@import", "<script"}) {
    EXPECT_FALSE(contains(page, reference));
  }
  EXPECT_TRUE(contains(page, "prefers-color-scheme: dark"));
}

// proves: html-report
TEST(HtmlReport, ShowsNamesAndFailuresAsText) {
  PipelineStatistics statistics = statistics_of("<b>\"a\" & b\n</b>");
  statistics.stages[0].failed = 1;
  statistics.stages[0].first_failure = "image <7> & more";
  const std::string page = page_of(statistics);
  EXPECT_TRUE(contains(page, "<b>&lt;b&gt;&quot;a&quot; &amp; b &lt;/b&gt;</b>"));
  EXPECT_TRUE(contains(page, "1 failed, first: image &lt;7&gt; &amp; more"));
}

// proves: html-report
TEST(HtmlReport, OfAPipelineThatHasNotBegun) {
  const auto data = range(10).map(2, [](int i) { return i; }).batch(4);
  EXPECT_TRUE(contains(page_of(PipelineStatistics{}), "Nothing came out in 0.0 s"));
  EXPECT_TRUE(contains(page_of(*std::make_unique<forebay::Pipeline<std::vector<int>>>(data)), "<b>loop</b>"));
}

// proves: html-report
TEST(HtmlReport, HasAChartForEachTracedStageWithThreads) {
  const auto twice = [](int i) { return i == 7 ? throw std::runtime_error("seven") : 2 * i; };
  const auto data = range(1000)
                        .map({.threads = 2, .on_error = skip(1)}, twice)
                        .named("first")
                        .map({.threads = 1, .loop_helps = false}, [](int i) { return i; })
                        .named("second");
  auto traced = data.traced().run();
  auto plain = data.run();
  for ([[maybe_unused]] const int i : traced) continue;
  for ([[maybe_unused]] const int i : plain) continue;
  const std::string page = page_of(traced);
  EXPECT_EQ(count_of(page, "<svg"), 2U);
  EXPECT_LT(page.find("<figcaption>first<"), page.find("<figcaption>second<"));
  EXPECT_TRUE(contains(page, "999 of 1000 elements; 1 failed, first: first, epoch 0, number 7: seven"));
  EXPECT_FALSE(contains(page_of(plain), "<svg"));
}

// proves: html-report
TEST(HtmlReport, ThrowsWhatTheStreamThrows) {
  std::ostringstream full;
  full.setstate(std::ios::badbit);
  EXPECT_NO_THROW(write_html_report(statistics_of("decode"), full));
  struct Full : std::streambuf {};
  Full nothing_fits;
  std::ostream out(&nothing_fits);
  out.exceptions(std::ios::badbit | std::ios::failbit);
  EXPECT_THROW(write_html_report(statistics_of("decode"), out), std::ios::failure);
}

TraceRecord record_of(const std::vector<std::pair<std::int64_t, std::uint32_t>>& ready) {
  TraceRecord record{.events = {}, .stages = {"decode", "unused"}, .threads = {"loop"}};
  for (const auto& [time, count] : ready) {
    record.events.push_back({TraceKind::ready, 0, count, 0, 0, time, time});
    record.events.push_back({TraceKind::work, 1, count, 0, 0, time, time + 1});  // does not count
  }
  return record;
}

// proves: html-report
TEST(ReadyOutputsOfATrace, AreAveragesOverEqualParts) {
  constexpr auto half = static_cast<std::int64_t>(ReadyOutputs::intervals) / 2;
  // 4 outputs in the first half, 2 in half of the next part, then 1. The order in the trace does not matter.
  const std::vector<ReadyOutputs> made =
      ReadyOutputsOf(record_of({{200 * half, 0}, {0, 4}, {100 * half, 2}, {100 * half + 50, 1}})).result();
  ASSERT_EQ(made.size(), 1U);
  EXPECT_EQ(made[0].stage, "decode");
  EXPECT_DOUBLE_EQ(made[0].end, 200e-9 * half);
  EXPECT_NEAR(made[0].most(), 4, 1e-9);
  EXPECT_NEAR(made[0].mean[0], 4, 1e-9);
  EXPECT_NEAR(made[0].mean[half - 1], 4, 1e-9);
  EXPECT_NEAR(made[0].mean[half], 1.5, 1e-9);
  EXPECT_NEAR(made[0].mean[half + 1], 1, 1e-9);
  EXPECT_NEAR(made[0].mean[2 * half - 1], 1, 1e-9);
  EXPECT_NEAR(std::accumulate(made[0].mean.begin(), made[0].mean.end(), 0.0), 4 * half + 0.5 + half, 1e-6);
}

// proves: html-report
TEST(ReadyOutputsOfATrace, NeedTwoTimes) {
  EXPECT_TRUE(ReadyOutputsOf(record_of({})).result().empty());
  EXPECT_TRUE(ReadyOutputsOf(record_of({{5, 1}})).result().empty());
  EXPECT_TRUE(ReadyOutputsOf(record_of({{5, 1}, {5, 2}})).result().empty());
  EXPECT_EQ(ReadyOutputsOf(record_of({{5, 1}, {6, 2}})).result().size(), 1U);
  EXPECT_TRUE(ReadyOutputsOf(TraceRecord{}).result().empty());
}

// proves: html-report
TEST(ReadyOutputsOfATrace, HaveTheSameTimesForAllStages) {
  TraceRecord record = record_of({{100, 6}, {300, 5}});
  record.events.push_back({TraceKind::taken, 1, 3, 0, 0, 200, 200});
  const std::vector<ReadyOutputs> made = ReadyOutputsOf(record).result();
  ASSERT_EQ(made.size(), 2U);
  EXPECT_EQ(made[0].begin, made[1].begin);
  EXPECT_EQ(made[0].end, made[1].end);
  EXPECT_NEAR(made[1].mean.front(), 0, 1e-9);
  EXPECT_NEAR(made[1].mean.back(), 3, 1e-9);
}

}  // namespace
}  // namespace forebay_test
