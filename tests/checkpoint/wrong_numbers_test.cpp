// SPDX-License-Identifier: MIT
//
// wrong_numbers_test.cpp: a checkpoint whose sum is right and whose numbers are not is rejected by the name of the stage
// that saved them, or is a place of that stage.

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <regex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "forebay/base/address.hpp"
#include "forebay/base/random_bits.hpp"
#include "forebay/dataset.hpp"
#include "tests/support/contains.hpp"
#include "tests/support/described_data.hpp"
#include "tests/support/plain_run.hpp"
#include "tests/support/thrown.hpp"

namespace forebay_test {
namespace {

using forebay::range;
using forebay::detail::RandomBits;

bool can_go_on(const Data& data) {
  const auto& facts = data.node()->facts();
  return facts.cannot_resume.empty() && facts.endless.empty();
}

std::string rejection_of(const Data& data, const std::string& checkpoint) {
  return rejection([&] { static_cast<void>(data.run(checkpoint)); });
}

/// Where something stands in a text.
struct Span {
  std::size_t at;
  std::size_t size;
};

/// All numbers of the snapshot in a checkpoint. Texts have none here.
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

/// The checkpoint with another text there, and the sum of that.
std::string with(std::string checkpoint, const Span& span, const std::string& text) {
  checkpoint.resize(checkpoint.rfind(" | ") + 3);
  checkpoint.replace(span.at, span.size, text);
  std::uint64_t sum = 0;
  for (const char character : checkpoint) sum = forebay::detail::joined(sum, static_cast<unsigned char>(character));
  return checkpoint + std::to_string(sum);
}

/// Of a pipeline that has delivered `count` outputs; none if it has failed.
std::string checkpoint_behind(const Data& data, int count) {
  auto pipeline = data.run();
  try {
    for (int i = 0; i < count; ++i) static_cast<void>(pipeline.next());
    return pipeline.checkpoint();
  } catch (const DatasetError&) {
    return {};
  }
}

/// Texts that hold together, with numbers that do not: each is refused, or is a place, and what comes from there ends.
// proves: bad-checkpoint
TEST(WrongNumbers, NeitherCrashNorHang) {
  for (std::uint64_t number = 0; number < descriptions; ++number) {
    const Data data = description(number, one_thread);
    std::string checkpoint = can_go_on(data) ? checkpoint_behind(data, 5) : "";
    if (checkpoint.empty()) continue;
    RandomBits bits(number);
    for (std::size_t i = 0; i < numbers_in(checkpoint).size(); ++i) {
      const Number low = bits.below(5);
      const Number to = bits.below(2) == 0 ? low : bits();
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

/// The frame in a checkpoint that has the character `at`: the indices of its first character, and of the one behind it.
std::pair<std::size_t, std::size_t> frame_of(std::string_view checkpoint, std::size_t at) {
  std::size_t begin = at;
  for (int open = 0; open > 0 || (checkpoint[begin - 1] != '(' && checkpoint[begin - 1] != '|'); --begin) {
    open += checkpoint[begin - 1] == ')' ? 1 : checkpoint[begin - 1] == '(' ? -1 : 0;
  }
  std::size_t end = at;
  for (int open = 0; open > 0 || (checkpoint[end] != ')' && checkpoint[end] != '|'); ++end) {
    open += checkpoint[end] == '(' ? 1 : checkpoint[end] == ')' ? -1 : 0;
  }
  return {begin, end};
}

std::string without(const std::string& checkpoint, Span number) {
  if (checkpoint[number.at - 1] == ' ') {
    --number.at;
    ++number.size;
  } else if (checkpoint[number.at + number.size] == ' ') {
    ++number.size;
  }
  return with(checkpoint, number, "");
}

std::string with_one_more(const std::string& checkpoint, const Span& number) {
  std::size_t end = frame_of(checkpoint, number.at).second;
  if (checkpoint[end] == '|') --end;
  return with(checkpoint, {end, 0}, checkpoint[end - 1] == ')' ? "0" : " 0");
}

/// What run() says of a checkpoint: "forebay: checkpoint, column COLUMN: STAGE: ...".
struct Refusal {
  std::size_t column = 0;
  std::string stage{};
};

/// None if it is taken.
std::optional<Refusal> refusal_by_stage(const Data& data, const std::string& checkpoint) {
  static const std::regex pattern("forebay: checkpoint, column ([0-9]+): ([a-z_]+): [a-z ]+");
  const std::string message = rejection_of(data, checkpoint);
  std::smatch found;
  if (message == "nothing was thrown") return {};
  EXPECT_TRUE(std::regex_match(message, found, pattern)) << message << " of " << checkpoint;
  return found.empty() ? Refusal() : Refusal{std::stoul(found[1]), found[2]};
}

// proves: bad-checkpoint
TEST(WrongNumbers, AreRejectedByTheNameOfTheStageThatHasOneTooManyOrTooFew) {
  const auto all = [](Number /*number*/) { return true; };
  const auto same = [](Number number) { return number; };
  const Data data = range<Number>(0, 100).filter(all).named("all").shuffle(4).take(50).map(2, same).named("decode");
  const Data longer = data.repeat(2).skip(1).prefetch(2).batch(2).unbatch();
  const std::string checkpoint = checkpoint_behind(longer, 7);
  std::string stages;
  for (const Span& number : numbers_in(checkpoint)) {
    const auto more = refusal_by_stage(longer, with_one_more(checkpoint, number)).value_or(Refusal());
    const auto fewer = refusal_by_stage(longer, without(checkpoint, number)).value_or(Refusal());
    EXPECT_EQ(more.stage, fewer.stage) << checkpoint;
    if (!contains(stages, more.stage)) stages += (stages.empty() ? "" : " > ") + more.stage;
  }
  EXPECT_EQ(stages, "loop > unbatch > batch > skip > repeat > decode > take > shuffle > all > range") << checkpoint;
}

/// Each number of a checkpoint changed, with a number put in behind it, and left out: it is a place of the stage that
/// saved it, or is refused by that stage, and no number of another one is looked at. What an interleave saves of an
/// input is not looked at before that is opened.
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
      EXPECT_TRUE(owner || contains(stages, "interleave") || contains(stages, "flat_map"));
      EXPECT_TRUE(!owner || contains("loop " + stages, owner->stage)) << owner->stage;
      const Number was = number_at(checkpoint, span);
      std::vector<std::string> wrong = {without(checkpoint, span)};
      for (const Number to : {was + 1, was - 1, Number{0}, Number{1}, Number{2}, Number{1} << 40U}) {
        if (to != was) wrong.push_back(with(checkpoint, span, std::to_string(to)));
      }
      for (const std::string& each : wrong) {
        const auto refusal = refusal_by_stage(data, each);
        if (!refusal) EXPECT_EQ(data.run(each).checkpoint(), each);
        if (!refusal) continue;
        ASSERT_TRUE(owner) << each;
        EXPECT_EQ(refusal->stage, owner->stage) << each;
        EXPECT_EQ(frame_of(each, refusal->column - 1), frame_of(each, span.at)) << refusal->column << " of " << each;
      }
      EXPECT_EQ(refusal_by_stage(data, wrong.front()).has_value(), owner.has_value()) << wrong.front();
      if (testing::Test::HasFailure()) return;
    }
  }
}

// proves: bad-checkpoint
TEST(WrongNumbers, OfAnInputAreRejectedByTheStageThatOpensIt) {
  const Data data = range<Number>(0, 5).flat_map([](Number) { return range<Number>(0, 40).shuffle(); });
  const std::string checkpoint = checkpoint_behind(data, 3);
  const auto refused = [&](const std::string& wrong) {
    auto pipeline = data.run(wrong);
    return message_of<DatasetError>([&] { static_cast<void>(pipeline.next()); });
  };
  std::vector<std::string> said;
  for (const Span& span : numbers_in(checkpoint)) {
    if (refusal_by_stage(data, with_one_more(checkpoint, span))) continue;
    said.push_back(refused(with_one_more(checkpoint, span)));
  }
  EXPECT_EQ(said, std::vector<std::string>()) << checkpoint;
}

}  // namespace
}  // namespace forebay_test
