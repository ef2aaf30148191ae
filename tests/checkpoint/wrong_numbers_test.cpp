// SPDX-License-Identifier: MIT
//
// wrong_numbers_test.cpp: checkpoints whose checksum is right but whose numbers are wrong. The stage that saved a
// number rejects it by name, or accepts it as one of its positions.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <regex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "forebay/base/hash.hpp"
#include "forebay/base/random_bits.hpp"
#include "forebay/dataset.hpp"
#include "tests/support/contains.hpp"
#include "tests/support/described_data.hpp"
#include "tests/support/plain_run.hpp"
#include "tests/support/still_clock.hpp"
#include "tests/support/thrown.hpp"
#include "tests/support/typed_loop.hpp"

namespace forebay_test {
namespace {

using forebay::range;
using forebay::detail::RandomBits;

bool can_go_on(const Data& data) {
  const auto& properties = data.node()->properties();
  return properties.cannot_resume.empty() && properties.endless.empty();
}

std::string rejection_of(const Data& data, const std::string& checkpoint) {
  return rejection([&] { static_cast<void>(data.run(checkpoint)); });
}

/// A part of a text.
struct Span {
  std::size_t at;
  std::size_t size;
};

/// Returns all numbers of the snapshot in a checkpoint that are not in a text.
std::vector<Span> numbers_in(const std::string& checkpoint) {
  std::vector<Span> numbers;
  bool is_quoted = false;
  const std::size_t end = checkpoint.rfind(" | ");
  for (std::size_t at = checkpoint.rfind(" |", end - 1) + 2; at < end; ++at) {
    if (checkpoint[at] == '"') is_quoted = !is_quoted;
    if (is_quoted || checkpoint.find_first_of("0123456789", at) != at) continue;
    const std::size_t behind = checkpoint.find_first_not_of("0123456789", at);
    numbers.push_back({at, behind - at});
    at = behind - 1;
  }
  return numbers;
}

Number number_at(const std::string& checkpoint, const Span& span) {
  return std::stoull(checkpoint.substr(span.at, span.size));
}

/// Replaces `span` of a checkpoint with `text`, and updates the checksum.
std::string with(std::string checkpoint, const Span& span, const std::string& text) {
  checkpoint.resize(checkpoint.rfind(" | ") + 3);
  checkpoint.replace(span.at, span.size, text);
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < checkpoint.size(); i += 8) {
    std::uint64_t word = 0;
    for (const char character : checkpoint.substr(i, 8)) word = word << 8 | static_cast<unsigned char>(character);
    sum = forebay::detail::hash_combine(sum, word);
  }
  return checkpoint + std::to_string(sum);
}

/// Returns the checkpoint after `count` outputs, or nothing if there are fewer.
std::string checkpoint_behind(const Data& data, int count) {
  auto pipeline = data.run();
  try {
    for (int i = 0; i < count; ++i) {
      if (!pipeline.next()) return {};
    }
    return pipeline.checkpoint();
  } catch (const DatasetError&) {
    return {};
  }
}

/// Consistent texts with inconsistent numbers: run() rejects each, or accepts it as a position, and the run ends.
// proves: bad-checkpoint
TEST(WrongNumbers, NeitherCrashNorHang) {
  for (std::uint64_t number = 0; number < descriptions; ++number) {
    const Data data = description(number, one_thread);
    std::string checkpoint = can_go_on(data) ? checkpoint_behind(data, 5) : "";
    if (checkpoint.empty()) continue;
    RandomBits bits(number);
    for (std::size_t i = 0; i < numbers_in(checkpoint).size(); ++i) {
      const Number to = bits.below(bits.below(2) == 0 ? 5 : 5000);  // bounds the number of replayed elements
      if (bits.below(8) == 0) checkpoint = with(checkpoint, numbers_in(checkpoint)[i], std::to_string(to));
    }
    try {
      auto resumed = data.run(checkpoint);
      for (int i = 0; i < 100 && resumed.next(); ++i) continue;
    } catch (const std::exception&) {
      continue;
    }
  }
}

/// Returns the beginning of the frame that contains the character `at`.
std::size_t frame_of(std::string_view checkpoint, std::size_t at) {
  for (int open = 0; open > 0 || (checkpoint[at - 1] != '(' && checkpoint[at - 1] != '|'); --at) {
    open += checkpoint[at - 1] == ')' ? 1 : checkpoint[at - 1] == '(' ? -1 : 0;
  }
  return at;
}

/// Returns the index of the character that ends this frame.
std::size_t end_of_frame(std::string_view checkpoint, std::size_t at) {
  for (int open = 0; open > 0 || (checkpoint[at] != ')' && checkpoint[at] != '|'); ++at) {
    open += checkpoint[at] == '(' ? 1 : checkpoint[at] == ')' ? -1 : 0;
  }
  return checkpoint[at] == '|' ? at - 1 : at;
}

std::string without(const std::string& checkpoint, Span number) {
  if (checkpoint[number.at - 1] == ' ') {
    --number.at;
    ++number.size;
  } else if (const std::size_t end = number.at + number.size; checkpoint[end] == ' ' && checkpoint[end + 1] != '|') {
    ++number.size;
  }
  return with(checkpoint, number, "");
}

std::string with_one_more(const std::string& checkpoint, const Span& number) {
  const std::size_t end = end_of_frame(checkpoint, number.at);
  return with(checkpoint, {end, 0}, checkpoint[end - 1] == ')' ? "0" : " 0");
}

/// The parts of run()'s message about a checkpoint: "forebay: checkpoint, column COLUMN: STAGE: ...".
struct Refusal {
  std::size_t column = 0;
  std::string stage{};
};

/// Returns nothing if the checkpoint is accepted.
std::optional<Refusal> refusal_by_stage(const Data& data, const std::string& checkpoint) {
  static const std::regex pattern("forebay: checkpoint, column ([0-9]+): ([a-z_]+): [a-z ]+");
  const std::string message = rejection_of(data, checkpoint);
  std::smatch found;
  if (message == "nothing was thrown") return {};
  EXPECT_TRUE(std::regex_match(message, found, pattern)) << message << " of " << checkpoint;
  return found.empty() ? Refusal() : Refusal{std::stoul(found[1]), found[2]};
}

/// Returns the checkpoint after `count` outputs of a run without threads whose clock stands still. So no stage saves
/// its state less often because the machine is busy.
std::string checkpoint_in_standing_time(const Data& data, int count) {
  forebay::detail::PlainRuntime runtime;
  TypedLoop<Number, StillSync> loop(
      [&](forebay::detail::Runtime& /*of_the_loop*/) { return forebay::detail::open_run(*data.node(), runtime); },
      data.node()->properties(), 1);
  for (; count > 0; --count) {
    EXPECT_EQ(loop.take(forebay::BasicWait<StillSync>::forever, nullptr, [](Number) {}), forebay::QueueStatus::ok);
  }
  forebay::detail::Checkpoint checkpoint = loop.checkpoint();
  checkpoint.description = data.node()->properties().description;
  return checkpoint.text();
}

// proves: bad-checkpoint
TEST(WrongNumbers, AreRejectedByTheNameOfTheStageThatHasOneTooManyOrTooFew) {
  const auto all = [](Number /*number*/) { return true; };
  const auto same = [](Number number) { return number; };
  const Data data = range<Number>(0, 100).filter(all).named("all").shuffle(4).take(50).map(2, same).named("decode");
  const Data longer = data.repeat(2).skip(1).prefetch(2).batch(2).unbatch();
  const std::string checkpoint = checkpoint_in_standing_time(longer, 47);
  std::vector<std::string> stages;
  for (const Span& number : numbers_in(checkpoint)) {
    const auto more = refusal_by_stage(longer, with_one_more(checkpoint, number)).value_or(Refusal());
    const auto fewer = refusal_by_stage(longer, without(checkpoint, number)).value_or(Refusal());
    EXPECT_EQ(more.stage, fewer.stage) << checkpoint;
    if (std::find(stages.begin(), stages.end(), more.stage) == stages.end()) stages.push_back(more.stage);
  }
  const std::vector<std::string> downstream_first = {"loop",   "unbatch", "batch",   "skip", "repeat",
                                                     "decode", "take",    "shuffle", "all",  "range"};
  EXPECT_EQ(stages, downstream_first) << checkpoint;
}

/// Returns whether a stage is an interleave, or a flat_map, by which files are read, too.
bool opens_inputs(const std::string& stages) {
  constexpr std::array names = {
      "interleave", "flat_map", "text_lines", "csv_rows", "tfrecords", "webdataset", "length_prefixed_records",
      "tar_entries"};
  return std::any_of(names.begin(), names.end(), [&](const char* name) { return contains(stages, name); });
}

/// Changes each number of a checkpoint, inserts a number after it, and removes it. The stage that saved it accepts it
/// as a position or rejects it, and no other stage reads its numbers. An interleave reads what it saved of an input
/// only when it opens that input.
// proves: bad-checkpoint
TEST(WrongNumbers, AreRejectedByTheStageThatSavedThemAndReadByNoOther) {
  for (std::uint64_t number = 0; number < descriptions; ++number) {
    const Data data = description(number, one_thread);
    const std::string checkpoint = can_go_on(data) ? checkpoint_behind(data, 4 + static_cast<int>(number % 9)) : "";
    if (checkpoint.empty()) continue;
    SCOPED_TRACE(std::to_string(number) + ": " + checkpoint);
    const std::string stages = data.describe().text();
    for (const Span& span : numbers_in(checkpoint)) {
      const auto owner = refusal_by_stage(data, with_one_more(checkpoint, span));
      EXPECT_TRUE(owner || opens_inputs(stages));
      EXPECT_TRUE(!owner || contains("loop " + stages, owner->stage)) << owner->stage;
      const Number was = number_at(checkpoint, span);
      std::vector<std::string> wrong = {without(checkpoint, span)};
      for (const Number to : {was + 1, was - 1, Number{0}, Number{1}, Number{2}, Number{1} << 40U}) {
        if (to != was) wrong.push_back(with(checkpoint, span, std::to_string(to)));
      }
      for (const std::string& each : wrong) {
        const auto refusal = refusal_by_stage(data, each);
        if (!refusal) continue;
        ASSERT_TRUE(owner) << each;
        EXPECT_EQ(refusal->stage, owner->stage) << each;
        EXPECT_EQ(frame_of(each, refusal->column - 1), frame_of(checkpoint, span.at))
            << refusal->column << " of " << each;
      }
      if (testing::Test::HasFailure()) return;
    }
  }
}

/// A snapshot has exactly one text.
// proves: bad-checkpoint
TEST(WrongNumbers, AreNeitherReadWithASpaceMoreNorWithAParenthesisMoreOrLess) {
  const auto all = [](Number /*number*/) { return true; };
  const Data data = range<Number>(0, 9).filter(all).take(8).map(1, [](Number number) { return number; });
  const std::string checkpoint = checkpoint_behind(data, 3);
  ASSERT_EQ(rejection_of(data, with(checkpoint, {0, 0}, "")), "nothing was thrown");
  std::size_t parentheses = 0;
  for (std::size_t at = checkpoint.rfind(" |", checkpoint.rfind(" | ") - 1); at < checkpoint.rfind(" | "); ++at) {
    if (checkpoint[at] != '(' && checkpoint[at] != ')') continue;
    ++parentheses;
    for (const Span& span : {Span{at, 0}, Span{at + 1, 0}}) {
      for (const char* const more : {" ", "(", ")"}) {
        EXPECT_NE(rejection_of(data, with(checkpoint, span, more)), "nothing was thrown") << span.at << more;
      }
    }
    EXPECT_NE(rejection_of(data, with(checkpoint, {at, 1}, "")), "nothing was thrown") << at;
  }
  EXPECT_GE(parentheses, 4U) << checkpoint;
}

// proves: bad-checkpoint
TEST(WrongNumbers, OfAnInputAreRejectedByTheStageThatOpensIt) {
  const Data data = range<Number>(0, 5).flat_map([](Number) { return range<Number>(0, 40).shuffle(); });
  const std::string checkpoint = checkpoint_behind(data, 3);
  const auto refused = [&](const std::string& wrong) {
    auto pipeline = data.run(wrong);
    return message_of<DatasetError>([&] { static_cast<void>(pipeline.next()); });
  };
  std::vector<std::string> stages;
  for (const Span& span : numbers_in(checkpoint)) {
    const std::string longer = with_one_more(checkpoint, span);
    if (refusal_by_stage(data, longer)) continue;
    const std::string message = refused(longer);
    const std::string begin = "forebay: flat_map, epoch 0, number 0: checkpoint: ";
    EXPECT_EQ(message.substr(0, begin.size()), begin);
    stages.push_back(message.substr(begin.size()));
  }
  const std::string outer = "flat_map: there is more than it saves";
  const std::string inner = "shuffle: there is more than it saves";
  EXPECT_EQ(stages, (std::vector<std::string>{outer, outer, outer, inner, outer, outer})) << checkpoint;
}

/// While all its inputs are open, an interleave reads no element. A checkpoint that claims otherwise would make the run
/// hang.
// proves: bad-checkpoint
TEST(WrongNumbers, OfAnInterleaveWithThreadsThatCannotReadOnAreRejected) {
  const Data data = range<Number>(0, 9).interleave({.cycle = 2, .prefetch = 2},
                                                   [](Number first) { return range<Number>(first, first + 20); });
  const std::string checkpoint = checkpoint_behind(data, 5);
  std::size_t rejected = 0;
  for (const Span& span : numbers_in(checkpoint)) {
    const std::string wrong = with(checkpoint, span, std::to_string(number_at(checkpoint, span) + 1));
    if (contains(rejection_of(data, wrong), "interleave: it does not hold the element that it read last")) ++rejected;
  }
  EXPECT_EQ(rejected, 1U) << checkpoint;
}

}  // namespace
}  // namespace forebay_test
