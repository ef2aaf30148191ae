// SPDX-License-Identifier: MIT
//
// progress_line_test.cpp: ProgressLine, and the text of its line for made-up statistics.

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <ios>
#include <limits>
#include <optional>
#include <ostream>
#include <sstream>
#include <streambuf>
#include <string>
#include <type_traits>
#include <vector>

#include "forebay/dataset.hpp"
#include "forebay/progress_line.hpp"
#include "tests/support/contains.hpp"
#include "tests/support/thrown.hpp"

namespace forebay_test {
namespace {

using namespace std::chrono_literals;
using forebay::PipelineStatistics;
using forebay::ProgressLine;
using forebay::ProgressLineOptions;
using forebay::range;
using forebay::detail::ProgressGoal;
using forebay::detail::ProgressMoment;
using forebay::detail::ProgressText;

constexpr std::size_t any_width = 1000;

/// Returns the moment at which the loop has used `batches` batches of 32 elements; all stages have worked.
ProgressMoment moment(std::chrono::nanoseconds time, std::uint64_t batches, std::uint64_t epoch,
                      std::uint64_t batches_of_epoch) {
  PipelineStatistics statistics{.stages = {{.name = "decode", .working = time}},
                                .loop = {.name = "loop", .elements = batches, .starved = time},
                                .time = time};
  return {32 * batches, batches, epoch, batches_of_epoch, statistics};
}

std::string line(const ProgressGoal& goal, const ProgressMoment& before, const ProgressMoment& now,
                 std::size_t columns = any_width) {
  return ProgressText(goal, before, now).line("loss 0.409", "images", columns);
}

// proves: progress-line
TEST(ProgressText, HasAllThatIsKnown) {
  EXPECT_EQ(line({20, 64'000}, moment(1s, 100, 0, 100), moment(11s, 5100, 2, 1100)),
            "epoch  3/20  loss 0.409   13 %  [#.........]    16000 images/s  1:10 left  decode limits");
}

// proves: progress-line
TEST(ProgressText, HasTheShareOfTheEpochIfTheNumberOfEpochsIsUnknown) {
  EXPECT_EQ(line({0, 64'000}, moment(0s, 0, 0, 0), moment(10s, 5000, 2, 1000)),
            "epoch 3  loss 0.409   50 %  [#####.....]    16000 images/s  0:02 left  decode limits");
}

// proves: progress-line
TEST(ProgressText, CountsElementsIfTheirNumberIsUnknown) {
  const ProgressMoment now = moment(10s, 10, 2, 2);
  EXPECT_EQ(line({}, moment(0s, 0, 0, 0), now), "epoch 3  loss 0.409  320 images     32.0 images/s  decode limits");
  EXPECT_EQ(line({3, 0}, moment(0s, 0, 0, 0), now),
            "epoch 3/3  loss 0.409  320 images     32.0 images/s  decode limits");
}

// proves: progress-line
TEST(ProgressText, LeavesOutWhatDoesNotFit) {
  const ProgressGoal goal{20, 64'000};
  const ProgressMoment before = moment(1s, 100, 0, 100);
  const ProgressMoment now = moment(11s, 5100, 2, 1100);
  const std::string all_but_the_bar = "epoch  3/20  loss 0.409   13 %    16000 images/s  1:10 left  decode limits";
  EXPECT_EQ(line(goal, before, now, all_but_the_bar.size() + 13), all_but_the_bar);
  EXPECT_EQ(line(goal, before, now, all_but_the_bar.size()), all_but_the_bar);
  EXPECT_EQ(line(goal, before, now, all_but_the_bar.size() - 1),
            "epoch  3/20  loss 0.409   13 %    16000 images/s  1:10 left");
  EXPECT_EQ(line(goal, before, now, 30), "epoch  3/20  loss 0.409   13 %");
  EXPECT_EQ(line(goal, before, now, 29), "epoch  3/20  loss 0.409");
  EXPECT_EQ(line(goal, before, now, 10), "");
}

// proves: progress-line
TEST(ProgressText, HasNoSpeedOfAMomentThatIsTooShort) {
  const ProgressMoment start = moment(1s, 0, 0, 0);
  EXPECT_FALSE(contains(line({1, 3200}, start, moment(1s + 99ms, 10, 0, 10)), "images/s"));
  EXPECT_FALSE(contains(line({1, 3200}, start, moment(1s + 99ms, 10, 0, 10)), "left"));
  EXPECT_TRUE(contains(line({1, 3200}, start, moment(1s + 100ms, 10, 0, 10)), "  3200 images/s  0:01 left"));
}

// proves: progress-line
TEST(ProgressText, CountsCharactersAndWritesOneLine) {
  const ProgressMoment now = moment(10s, 10, 0, 10);
  const auto text = [&](const std::string& unit, std::size_t columns) {
    return ProgressText({}, moment(0s, 0, 0, 0), now).line("größe 1.00", unit, columns);
  };
  EXPECT_EQ(text("µ\n\x1b", 19), "epoch 1  größe 1.00");
  EXPECT_EQ(text("µ\n\x1b", 28), "epoch 1  größe 1.00  320 µ  ");
  EXPECT_EQ(text("µ\n\x1b", 27), "epoch 1  größe 1.00");
}

// proves: progress-line
TEST(ProgressText, WritesTimesInMinutesAndHours) {
  const auto last_line = [](std::chrono::nanoseconds time) {
    return ProgressText({}, moment(0s, 0, 0, 0), moment(time, 1, 0, 1)).last_line("", "images", any_width);
  };
  EXPECT_TRUE(contains(last_line(499ms), "  in 0:00"));
  EXPECT_TRUE(contains(last_line(65s), "  in 1:05"));
  EXPECT_TRUE(contains(last_line(59min + 59s), "  in 59:59"));
  EXPECT_TRUE(contains(last_line(26h + 2min + 3s), "  in 26:02:03"));
}

// proves: progress-line
TEST(ProgressText, CountsTheElementsBeforeAResume) {
  // A resumed run: 10 batches of its own, the 60th of the epoch.
  EXPECT_TRUE(contains(line({1, 3200}, moment(0s, 0, 0, 50), moment(1s, 10, 0, 60)), "  60 %  [######....]"));
}

// proves: progress-line
TEST(ProgressText, StaysWithinTheWholeForAnyCount) {
  const auto most = std::numeric_limits<std::uint64_t>::max();
  EXPECT_TRUE(contains(line({1, 1}, moment(0s, 0, 0, 0), moment(1s, 10, 7, 10)), "100 %  [##########]"));
  EXPECT_TRUE(contains(line({most, most}, moment(0s, 0, 0, 0), moment(1s, 10, 0, 10)), "  0 %  [..........]"));
  EXPECT_EQ(line({1, 3200}, moment(0s, 0, 0, 0), moment(0s, 0, 0, 0)), "epoch 1/1  loss 0.409    0 %  [..........]");
  EXPECT_TRUE(line({2, 3200}, moment(0s, 0, 0, 0), moment(1s, 10, 2, 10)).starts_with("epoch 3  loss"));
}

// proves: progress-line
TEST(ProgressText, StaysAtTheLastEpochWhenItIsComplete) {
  EXPECT_TRUE(line({2, 3200}, moment(0s, 0, 0, 0), moment(1s, 200, 2, 0)).starts_with("epoch 2/2  loss 0.409  100 %"));
  EXPECT_TRUE(line({0, 3200}, moment(0s, 0, 0, 0), moment(1s, 200, 2, 0)).starts_with("epoch 2  loss 0.409  100 %"));
  EXPECT_TRUE(line({0, 3200}, moment(0s, 0, 0, 0), moment(1s, 0, 0, 0)).starts_with("epoch 1  loss 0.409    0 %"));
}

// ---- The line

constexpr auto at_once = 0ms;

template <class Use>
std::string written(const ProgressLineOptions& options, Use use) {
  std::ostringstream out;
  auto batches = range(100).repeat(2).batch(10).run();
  {
    ProgressLine progress(out, batches, options);
    use(progress, batches);
  }
  return out.str();
}

void use_all(ProgressLine& progress, forebay::Pipeline<std::vector<int>>& batches) {
  for (const std::vector<int>& batch : batches) progress.add(batch.size());
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);) parts.push_back(part);
  return parts;
}

// proves: progress-line
TEST(ProgressLine, WritesLinesToALog) {
  const auto lines =
      split(written({.epochs = 2, .elements_per_epoch = 100, .unit = "numbers", .interval = at_once}, use_all), '\n');
  ASSERT_EQ(lines.size(), 21U);
  EXPECT_TRUE(lines[0].starts_with("epoch 1/2    5 %  [#.........]")) << lines[0];
  EXPECT_TRUE(lines[9].starts_with("epoch 1/2   50 %  [#####.....]")) << lines[9];
  EXPECT_TRUE(lines[19].starts_with("epoch 2/2  100 %  [##########]")) << lines[19];
  EXPECT_TRUE(contains(lines[20], " numbers/s  in 0:0"));
}

// proves: progress-line
TEST(ProgressLine, WritesTheFirstAndTheLastTextAlsoOfAShortRun) {
  EXPECT_EQ(split(written({.interval = 24h}, use_all), '\n').size(), 2U);
  EXPECT_EQ(split(written({.interval = std::chrono::milliseconds::max()}, use_all), '\n').size(), 2U);
}

// proves: progress-line
TEST(ProgressLine, WritesNothingBeforeTheFirstElement) {
  EXPECT_EQ(written({.redraw = true}, [](auto&, auto&) {}), "");
  EXPECT_EQ(written({}, [](auto&, auto&) {}), "");
}

// proves: progress-line
TEST(ProgressLine, RewritesOneLineThatFits) {
  const std::string text = written({.redraw = true, .columns = 33, .epochs = 2, .interval = at_once}, use_all);
  ASSERT_EQ(text.find('\n'), text.size() - 1);
  const auto parts = split(text.substr(0, text.size() - 1), '\r');
  ASSERT_EQ(parts.size(), 22U);  // the first is empty
  for (const std::string& part : parts) EXPECT_LE(part.size(), 30U);
  EXPECT_TRUE(parts[1].starts_with("epoch 1/2  10 elements")) << parts[1];
}

// proves: progress-line
TEST(ProgressLine, OverwritesALongerText) {
  const std::string text = written({.redraw = true, .interval = at_once}, [](ProgressLine& progress, auto& batches) {
    static_cast<void>(batches.next());
    progress.add(1, {{"a long name of a loss", 1.5}});
    progress.set_columns(20);
    progress.add(1, {{"b", 1}});
  });
  const auto parts = split(text, '\r');
  ASSERT_GE(parts.size(), 3U);
  EXPECT_EQ(parts[2], "epoch 1  b 1.00    ");
}

// proves: progress-line
TEST(ProgressLine, OverwritesTheEchoOfControlC) {
  std::ostringstream out;
  auto batches = range(100).batch(10).run();
  {
    ProgressLine progress(out, batches, {.redraw = true, .interval = at_once});
    progress.add(1, {{"a löng name of a loss", 1.5}});
    progress.add(1, {{"b", 1}});
    out << "^C";
  }
  const auto parts = split(out.str().substr(0, out.str().size() - 1), '\r');
  ASSERT_EQ(parts.size(), 4U);
  EXPECT_GE(parts[3].size() + 1, parts[2].size());  // of the parts, only the first one has an ö
  EXPECT_TRUE(parts[2].ends_with("^C"));
}

static_assert(!std::is_constructible_v<ProgressLine, std::ostream&, forebay::Pipeline<int>>);

// proves: progress-line
TEST(ProgressLine, ShowsTheLastValues) {
  const std::string text = written({.interval = 24h}, [&](ProgressLine& progress, auto& batches) {
    double loss = 2;
    for (const auto& batch : batches) progress.add(batch.size(), {{"the\nloss", loss /= 2}, {"rate", 0.5}});
  });
  EXPECT_TRUE(contains(text, "epoch 1  the loss 1.00  rate 0.500  10 elements"));
  EXPECT_TRUE(contains(text, "epoch 2  the loss 1.91e-06  rate 0.500  200 elements"));
}

// proves: progress-line
TEST(ProgressLine, ShowsThreeDigitsOfAValue) {
  using forebay::detail::three_digits;
  EXPECT_EQ(three_digits(0.40949), "0.409");
  EXPECT_EQ(three_digits(-12), "-12.0");
  EXPECT_EQ(three_digits(0), "0.00");
  EXPECT_EQ(three_digits(99.97), "100");
  EXPECT_EQ(three_digits(1234.75), "1235");
  EXPECT_EQ(three_digits(-123456789), "-123456789");
  EXPECT_EQ(three_digits(1.5e-5), "1.50e-05");
  EXPECT_EQ(three_digits(1e300), "1.00e+300");
  EXPECT_EQ(three_digits(std::numeric_limits<double>::infinity()), "inf");
  EXPECT_EQ(three_digits(std::numeric_limits<double>::quiet_NaN()), "nan");
}

// proves: progress-line
TEST(ProgressLine, ShowsAResumedRunAsAWhole) {
  const auto data = range(100).batch(10);
  std::optional<std::string> checkpoint;
  {
    auto batches = data.run();
    for (int i = 0; i < 5; ++i) static_cast<void>(batches.next());
    checkpoint = batches.checkpoint();
  }
  auto batches = data.run(checkpoint);
  std::ostringstream out;
  ProgressLine progress(out, batches, {.epochs = 1, .elements_per_epoch = 100, .interval = at_once});
  progress.add(batches.next().value().size());
  EXPECT_TRUE(out.str().starts_with("epoch 1/1   60 %  [######....]")) << out.str();
}

// proves: progress-line
TEST(ProgressLine, BeginsToCountWhenItIsCreated) {
  auto batches = range(100).batch(10).run();
  for (int i = 0; i < 5; ++i) static_cast<void>(batches.next());
  std::ostringstream out;
  ProgressLine progress(out, batches, {.epochs = 1, .elements_per_epoch = 100, .interval = at_once});
  progress.add(batches.next().value().size());
  EXPECT_TRUE(out.str().starts_with("epoch 1/1   60 %  [######....]")) << out.str();
}

// proves: progress-line
TEST(ProgressLine, RejectsNegativeOptions) {
  std::ostringstream out;
  auto batches = range(1).batch(1).run();
  const auto message = [&](const ProgressLineOptions& options) {
    return rejection([&] {
      const ProgressLine line(out, batches, options);
      return 0;
    });
  };
  EXPECT_TRUE(contains(message({.columns = -1}), "ProgressLine: columns must be at least 0, not -1"));
  EXPECT_TRUE(contains(message({.epochs = -2}), "ProgressLine: epochs must be at least 0, not -2"));
  EXPECT_TRUE(contains(message({.elements_per_epoch = -3}), "ProgressLine: elements_per_epoch must be at least 0"));
  EXPECT_TRUE(contains(message({.interval = -4ms}), "ProgressLine: interval must be at least 0 ms, not -4 ms"));
}

// proves: progress-line
TEST(ProgressLine, OnAStreamThatFailsDoesNotStopTheLoop) {
  struct Full : std::streambuf {};
  Full nothing_fits;
  std::ostream out(&nothing_fits);
  auto batches = range(100).batch(10).run();
  {
    ProgressLine progress(out, batches, {.interval = at_once});
    use_all(progress, batches);
  }
  out.clear();
  out.exceptions(std::ios::badbit | std::ios::failbit);
  auto others = range(100).batch(10).run();
  ProgressLine progress(out, others, {.interval = at_once});
  EXPECT_THROW(use_all(progress, others), std::ios::failure);
}  // the destructor ignores the failure

// proves: progress-line
TEST(ProgressLine, MayBeUsedInTheStepsOfForEach) {
  std::ostringstream out;
  auto numbers = range(1000).map(2, [](int i) { return i; }).run();
  {
    ProgressLine progress(out, numbers, {.elements_per_epoch = 1000, .interval = at_once});
    numbers.for_each([&](int) { progress.add(1); });
  }
  EXPECT_TRUE(contains(out.str(), "  100 %  [##########]"));
}

}  // namespace
}  // namespace forebay_test
