// SPDX-License-Identifier: MIT
//
// trace_test.cpp: the output of Pipeline::write_trace, read by a strict reader (support/chrome_trace.hpp).
//
//   Common to all traces      TraceOf*, for every way to run a map
//   Special cases             Trace*
//   The format                TraceText*

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <latch>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "forebay/dataset.hpp"
#include "forebay/trace/trace.hpp"
#include "forebay/trace/trace_text.hpp"
#include "tests/support/await.hpp"
#include "tests/support/background.hpp"
#include "tests/support/chrome_trace.hpp"
#include "tests/support/thrown.hpp"
#include "tests/support/ways_to_run.hpp"

namespace forebay_test {
namespace {

using forebay::any_order;
using forebay::Dataset;
using forebay::DatasetError;
using forebay::MapOptions;
using forebay::no_wait;
using forebay::Pipeline;
using forebay::range;
using forebay::StdSync;
using forebay::detail::Trace;
using forebay::detail::TraceEvent;
using forebay::detail::TraceKind;
using forebay::detail::TraceRecord;
using forebay::detail::TraceText;

constexpr int count = 100;

int twice(int i) { return 2 * i; }

/// Returns the number of elements in the spans called `name`.
std::int64_t elements_of(const ChromeTrace& trace, const std::string& name) {
  std::int64_t elements = 0;
  for (const TraceLine& span : spans_of(trace, name)) elements += span.number("args.elements");
  return elements;
}

std::size_t count_of(const ChromeTrace& trace, const char* phase) {
  std::size_t found = 0;
  for (const TraceLine& line : trace) found += line.is(phase) ? 1U : 0U;
  return found;
}

/// A traced pipeline with a map that runs in one of the ways.
class TraceOf : public testing::TestWithParam<MapOptions> {
 protected:
  [[nodiscard]] static bool has_threads() { return GetParam().threads > 1 || !GetParam().loop_helps; }

  template <class F>
  [[nodiscard]] static Dataset<int> data(F f) {
    return range(count).map(GetParam(), std::move(f)).named("decode").traced();
  }

  static void expect_whole(const ChromeTrace& trace, const char* body, std::int64_t outputs) {
    EXPECT_EQ(elements_of(trace, "next output"), outputs);
    EXPECT_EQ(elements_of(trace, body), outputs);
    EXPECT_EQ(elements_of(trace, "before decode"), has_threads() ? count : 0);
    EXPECT_EQ(elements_of(trace, "decode"), has_threads() ? count : 0);
    EXPECT_EQ(count_of(trace, "s"), spans_of(trace, "decode").size());
  }
};

TEST_P(TraceOf, HasEachChunkInEachStageAndInTheLoop) {
  auto pipeline = data(twice).run();
  for ([[maybe_unused]] const int output : pipeline) continue;
  expect_whole(trace_of(pipeline), "loop", count);
}

TEST_P(TraceOf, HasTheStepsOfAForEach) {
  auto pipeline = data(twice).batch(4).run();
  pipeline.for_each([](const std::vector<int>& /*batch*/) {});
  pipeline.join();
  const ChromeTrace trace = trace_of(pipeline);
  EXPECT_EQ(spans_of(trace, "loop").size(), 0U);
  EXPECT_EQ(elements_of(trace, "next output"), count / 4);
  EXPECT_GT(elements_of(trace, "step"), 0);
}

// proves: trace
TEST_P(TraceOf, MayBeWrittenAtAnyMoment) {
  auto pipeline = data(twice).repeat(5).run();
  Background writer([&pipeline] {
    std::size_t written = 0;
    do {
      written += trace_of(pipeline).size();
    } while (!pipeline.should_stop());
    return written;
  });
  for ([[maybe_unused]] const int output : pipeline) continue;
  EXPECT_GT(writer.get(), 0U);
}

// proves: trace
TEST_P(TraceOf, MayBeWrittenByAFunction) {
  Pipeline<int>* running = nullptr;
  std::latch is_made(1);
  Pipeline<int> pipeline(data([&](int i) {
    is_made.wait();
    if (i == count / 2) static_cast<void>(trace_of(*running));
    return i;
  }));
  running = &pipeline;
  is_made.count_down();
  for ([[maybe_unused]] const int output : pipeline) continue;
}

// proves: trace
TEST_P(TraceOf, AFailureHasWhatIsBeforeIt) {
  auto pipeline = data([](int i) { return i < count / 2 ? i : throw Failure("half of it"); }).run();
  EXPECT_THROW(while (pipeline.next()) continue, DatasetError);
  pipeline.stop();
  EXPECT_EQ(elements_of(trace_of(pipeline), "loop"), count / 2);
}

// proves: trace
TEST_P(TraceOf, APipelineThatIsStoppedIsSound) {
  auto pipeline = data(twice).run();
  while (pipeline.position().number < count / 2) static_cast<void>(pipeline.next());
  pipeline.stop();
  EXPECT_FALSE(pipeline.next());
  EXPECT_GE(elements_of(trace_of(pipeline), "next output"), count / 2);
}

// proves: trace
TEST_P(TraceOf, OutputsTakenBySeveralThreadsIsSound) {
  auto pipeline = data(twice).run();
  const auto take = [&pipeline] {
    while (pipeline.next()) continue;
    return true;
  };
  Background one(take);
  Background other(take);
  EXPECT_TRUE(one.get() && other.get());
  EXPECT_EQ(elements_of(trace_of(pipeline), "next output"), count);
}

// proves: trace
TEST_P(TraceOf, TheRestOfARunGoesOnFromACheckpointOfOneThatIsNotTraced) {
  const auto described = range(count).map(GetParam(), twice);
  auto first = described.run();
  while (first.position().number < count / 2) static_cast<void>(first.next());
  auto rest = described.traced().run(first.checkpoint());
  EXPECT_EQ(*rest.next(), count);
  EXPECT_EQ(*described.run(rest.checkpoint()).next(), count + 2);
}

INSTANTIATE_TEST_SUITE_P(Ways, TraceOf, ways_to_run(), name_of_way);

// ---- Stages and their threads

/// Returns the names of the spans that contain the time of the line, outermost first.
std::vector<std::string> around(const ChromeTrace& trace, const TraceLine& line) {
  std::vector<std::string> names;
  for (const TraceLine& span : trace) {
    if (!span.is("X") || span["tid"] != line["tid"]) continue;
    if (span.begin() <= line.begin() && line.begin() <= span.end()) names.push_back(span["name"]);
  }
  return names;
}

/// Returns the first span called `name` that worked on `chunk`.
TraceLine span_of_chunk(const ChromeTrace& trace, const std::string& name, const std::string& chunk) {
  for (const TraceLine& span : spans_of(trace, name)) {
    if (span["args.chunk"] == chunk) return span;
  }
  throw std::runtime_error("chunk " + chunk + " is not in the trace");
}

/// Returns the time at which the arrow that begins at the end of `span` ends.
std::int64_t arrival_from(const ChromeTrace& trace, const TraceLine& span) {
  std::string id;
  for (const TraceLine& line : trace) {
    if (line.is("s") && line["tid"] == span["tid"] && span.begin() <= line.begin() && line.begin() <= span.end()) {
      id = line["id"];
    }
    if (line.is("f") && line["id"] == id) return line.begin();
  }
  throw std::runtime_error("no arrow begins in the span");
}

TEST(Trace, ArrowsFollowAChunkThroughTheStages) {
  const MapOptions beside{.threads = 1, .chunk = 1, .loop_helps = false};
  auto pipeline = range(5).map(beside, twice).named("read").map(beside, twice).named("decode").traced().run();
  for ([[maybe_unused]] const int output : pipeline) continue;
  const ChromeTrace trace = trace_of(pipeline);
  std::size_t to_decode = 0;
  std::size_t to_loop = 0;
  for (const TraceLine& line : trace) {
    if (!line.is("f")) continue;
    const std::string outermost = around(trace, line).front();
    to_decode += outermost == "before decode" ? 1U : 0U;
    to_loop += outermost == "next output" ? 1U : 0U;
  }
  EXPECT_EQ(to_decode, spans_of(trace, "read").size());
  EXPECT_EQ(to_loop, spans_of(trace, "decode").size());
}

TEST(Trace, InAnyOrderAnArrowIsOfTheChunkThatWasTaken) {
  std::atomic<bool> goes_on = false;
  auto pipeline = range(8)
                      .map({.threads = 2, .order = any_order, .ahead = 2, .chunk = 1},
                           [&goes_on](int i) {
                             while (i == 0 && !goes_on) std::this_thread::yield();
                             return i;
                           })
                      .traced()
                      .run();
  for (int i = 1; i < 8; ++i) EXPECT_NE(*pipeline.next(), 0);
  goes_on = true;
  while (pipeline.next()) continue;
  const ChromeTrace trace = trace_of(pipeline);
  const std::int64_t slow = arrival_from(trace, span_of_chunk(trace, "map", "0"));
  for (int i = 1; i < 8; ++i) {
    EXPECT_LT(arrival_from(trace, span_of_chunk(trace, "map", std::to_string(i))), slow) << "of chunk " << i;
  }
}

TEST(Trace, NamesTheThreads) {
  auto pipeline = range(count).map(3, twice).named("decode").traced().run();
  for ([[maybe_unused]] const int output : pipeline) continue;
  std::set<std::string> names;
  for (const TraceLine& line : trace_of(pipeline)) {
    if (line["name"] == "thread_name") names.insert(line["args.name"]);
  }
  EXPECT_EQ(names, (std::set<std::string>{"decode-1", "decode-2", "loop"}));
}

TEST(Trace, CountsTheOutputsOfEachStageEvenIfTwoHaveOneName) {
  const MapOptions beside{.threads = 2, .ahead = 3, .chunk = 1, .loop_helps = false};
  auto pipeline = range(count).map(beside, twice).map(beside, twice).traced().run();
  for ([[maybe_unused]] const int output : pipeline) continue;
  std::set<std::string> ids;
  for (const TraceLine& line : trace_of(pipeline)) {
    if (!line.is("C")) continue;
    EXPECT_EQ(line["name"], "map ready");
    EXPECT_LE(line.number("args.outputs"), 3);
    ids.insert(line["id"]);
  }
  EXPECT_EQ(ids.size(), 2U);
}

int slow(int i) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(200);
  while (std::chrono::steady_clock::now() < end) continue;
  return i;
}

TEST(Trace, ShowsWhoHasWaited) {
  const MapOptions beside{.threads = 2, .ahead = 2, .chunk = 1, .loop_helps = false};
  const auto everybody_waits = [&beside] {
    auto pipeline = range(8).map(slow).map(beside, twice).named("decode").traced().run();
    while (const auto output = pipeline.next()) {
      for (int i = 0; i < 4 && *output == 0; ++i) slow(i);
    }
    pipeline.join();
    const ChromeTrace trace = trace_of(pipeline);
    return !spans_of(trace, "wait for decode").empty() && !spans_of(trace, "wait for input").empty() &&
           !spans_of(trace, "wait for room").empty();
  };
  await(everybody_waits);  // unless a thread arrives too late for that
}

TEST(Trace, HasWhatAnInterleaveReads) {
  const auto file = [](int number) { return std::vector<int>(10, number); };
  auto pipeline = range(6).interleave({.cycle = 2, .prefetch = 4}, file).traced().run();
  for ([[maybe_unused]] const int output : pipeline) continue;
  pipeline.join();
  const ChromeTrace trace = trace_of(pipeline);
  EXPECT_EQ(elements_of(trace, "interleave"), 6) << "those that were opened";
  EXPECT_GE(spans_of(trace, "interleave").size(), 12U) << "and those that were read";
}

TEST(Trace, HasWhatAPrefetchReads) {
  auto pipeline = range(count).filter([](int i) { return i % 2 == 0; }).prefetch(8).traced().run();
  for ([[maybe_unused]] const int output : pipeline) continue;
  EXPECT_EQ(elements_of(trace_of(pipeline), "before prefetch"), count / 2);
}

TEST(Trace, HasNothingOfOutputsThatWereNotThere) {
  std::latch goes_on(1);
  const auto wait = [&goes_on](int i) {
    goes_on.wait();
    return i;
  };
  auto pipeline = range(1).map({.loop_helps = false}, wait).traced().run();
  for (int i = 0; i < 1000; ++i) EXPECT_FALSE(pipeline.next(no_wait));
  goes_on.count_down();
  EXPECT_TRUE(pipeline.next());
  EXPECT_EQ(spans_of(trace_of(pipeline), "next output").size(), 1U);
}

// ---- Whether a data set is traced

// proves: trace
TEST(Trace, OfADataSetThatIsNotTracedIsRefused) {
  const auto pipeline = range(3).run();
  std::ostringstream out;
  EXPECT_EQ(message_of<std::logic_error>([&] {
              pipeline.write_trace(out);
              return 0;
            }),
            "forebay: write_trace: the data set of the pipeline is not .traced()");
  EXPECT_EQ(out.str(), "");
}

TEST(Trace, IsAskedForAnywhereInADataSet) {
  const auto traced = range(3).traced().shuffle();  // it still has random access
  for (const Dataset<int>& data : {traced.map(twice), Dataset<int>(range(3)).concatenate(traced),
                                   Dataset<int>(range(3)).traced().batch(2).unbatch()}) {
    auto pipeline = data.run();
    EXPECT_TRUE(pipeline.next());
    EXPECT_GE(trace_of(pipeline).size(), 2U);
  }
}

// ---- Events that a trace keeps

// proves: trace
TEST(Trace, KeepsTheLastEvents) {
  using StdTrace = Trace<StdSync>;
  StdTrace trace;
  for (std::uint64_t i = 0; i < StdTrace::most + 10; ++i) trace.add({TraceKind::work, 0, 0, 0, i});
  const TraceRecord record = trace.record();
  EXPECT_EQ(record.events.size(), StdTrace::most);
  std::uint64_t oldest = StdTrace::most;
  for (const TraceEvent& event : record.events) oldest = std::min(oldest, event.sequence_number);
  EXPECT_EQ(oldest, 10U);
}

// proves: trace
TEST(Trace, WhereEventsAreMissingIsSound) {
  TraceRecord all{{}, {"map"}, {"map-0", "loop"}};
  for (std::uint64_t i = 0; i < 4; ++i) {
    const auto time = static_cast<std::int64_t>(100 * i);
    all.events.push_back({TraceKind::next_of_loop, 0, 1, 1, i, time, time + 60});
    all.events.push_back({TraceKind::wait_for_output, 0, 0, 1, 0, time + 5, time + 50});
    all.events.push_back({TraceKind::work, 0, 1, 0, i, time, time + 40});
    all.events.push_back({TraceKind::taken, 0, 0, 1, i, time + 45, time + 45});
  }
  for (std::size_t missing = 0; missing < 1U << 16U; missing += 331) {
    TraceRecord record = all;
    std::size_t place = 0;
    std::erase_if(record.events, [&](const TraceEvent&) { return (missing >> place++ & 1U) != 0; });
    std::ostringstream out;
    TraceText(std::move(record)).write_to(out);
    static_cast<void>(read_trace(out.str()));
    if (testing::Test::HasFailure()) return;
  }
}

// ---- The format

// proves: trace
TEST(TraceText, EscapesNames) {
  const std::string name = "a \"b\" \\ c\nd\x01 \xC3\xA4";
  auto pipeline = range(3).map({.loop_helps = false}, twice).named(name).traced().run();
  while (pipeline.next()) continue;
  EXPECT_EQ(elements_of(trace_of(pipeline), name), 3);
}

TEST(TraceText, PutsASpanBeforeThoseThatBeginWithIt) {
  TraceRecord record{{}, {"map"}, {"loop"}};
  record.events = {{TraceKind::wait_for_output, 0, 0, 0, 0, 1'000, 2'000},
                   {TraceKind::next_of_loop, 0, 1, 0, 0, 1'000, 3'000}};
  std::ostringstream out;
  TraceText(std::move(record)).write_to(out);
  EXPECT_EQ(read_trace(out.str())[2]["name"], "next output");
}

TEST(TraceText, BeginsTheLoopBehindTheWaitOfItsCall) {
  TraceRecord record{{}, {"map"}, {"loop"}};
  record.events = {{TraceKind::next_of_loop, 0, 1, 0, 0, 0, 60'000},
                   {TraceKind::wait_for_output, 0, 0, 0, 0, 5'000, 50'000},
                   {TraceKind::next_of_loop, 0, 1, 0, 1, 100'000, 160'000}};
  std::ostringstream out;
  TraceText(std::move(record)).write_to(out);
  const auto loops = spans_of(read_trace(out.str()), "loop");
  ASSERT_EQ(loops.size(), 1U);
  EXPECT_EQ(loops[0].begin(), 60'001);
  EXPECT_EQ(loops[0].end(), 99'999);
}

TEST(TraceText, LetsNoSpansTouch) {
  TraceRecord record{{}, {}, {"loop"}};
  for (std::int64_t i = 0; i < 1000; ++i) {
    const std::int64_t begin = 1'000'000'007 * i;
    record.events.push_back({TraceKind::next_of_loop, 0, 1, 0, 0, begin, begin + 123'457 * i});
  }
  std::ostringstream out;
  TraceText(std::move(record)).write_to(out);
  EXPECT_EQ(elements_of(read_trace(out.str()), "loop"), 999);
}

TEST(TraceText, IsWhatIsWritten) {
  std::ostringstream out;
  TraceRecord record{{}, {"map"}, {"map-0", "loop"}};
  record.events = {{TraceKind::work, 0, 2, 0, 7, 1'000, 3'500},
                   {TraceKind::next_of_loop, 0, 2, 1, 0, 2'000, 1'004'001},
                   {TraceKind::taken, 0, 0, 1, 7, 4'000, 4'000},
                   {TraceKind::next_of_loop, 0, 0, 1, 0, 1'005'000, 1'006'000}};
  TraceText(std::move(record)).write_to(out);
  EXPECT_EQ(out.str(), R"([
{"ph":"M","name":"process_name","pid":1,"tid":0,"ts":0.000,"args":{"name":"forebay pipeline"}},
{"ph":"M","name":"thread_name","pid":1,"tid":1,"ts":0.000,"args":{"name":"map-0"}},
{"ph":"M","name":"thread_name","pid":1,"tid":2,"ts":0.000,"args":{"name":"loop"}},
{"ph":"X","name":"map","pid":1,"tid":1,"ts":1.000,"dur":2.500,"cat":"work","args":{"chunk":7,"elements":2}},
{"ph":"X","name":"next output","pid":1,"tid":2,"ts":2.000,"dur":1002.001,"cat":"loop","args":{"elements":2}},
{"ph":"s","name":"output","pid":1,"tid":1,"ts":3.499,"cat":"output","id":1},
{"ph":"C","name":"map ready","pid":1,"tid":2,"ts":4.000,"id":0,"args":{"outputs":0}},
{"ph":"f","name":"output","pid":1,"tid":2,"ts":4.000,"cat":"output","bp":"e","id":1},
{"ph":"X","name":"loop","pid":1,"tid":2,"ts":1004.002,"dur":0.997,"cat":"loop","args":{"elements":2}},
{"ph":"X","name":"next output","pid":1,"tid":2,"ts":1005.000,"dur":1.000,"cat":"loop","args":{"elements":0}}
]
)");
}

}  // namespace
}  // namespace forebay_test
