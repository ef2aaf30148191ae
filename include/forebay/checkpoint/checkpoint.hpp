// SPDX-License-Identifier: MIT
//
// checkpoint.hpp: Checkpoint, the state of a pipeline as a line of text.

#ifndef FOREBAY_CHECKPOINT_CHECKPOINT_HPP
#define FOREBAY_CHECKPOINT_CHECKPOINT_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "forebay/base/hash.hpp"
#include "forebay/base/text_fields.hpp"
#include "forebay/checkpoint/snapshot.hpp"
#include "forebay/position.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// `forebay checkpoint 2 | range 100 > shuffle > batch 32 | epoch 3 output 17 | 1(3 1(96)0)0 | 16885654694`: the
/// version, the description, the position in the outputs, the snapshot with its frames in parentheses, and a checksum
/// of the preceding text. Each checkpoint has exactly one text: parse() rejects whatever text() does not write.
struct Checkpoint {
  std::string description{};
  Position position{};
  Snapshot snapshot{};
  std::vector<std::size_t> columns{};  // of the items and the end of the snapshot, in the parsed text

  [[nodiscard]] std::string text() const {
    std::string text = std::string(head) + description + " | epoch " + std::to_string(position.epoch) + " output " +
                       std::to_string(position.number) + " |";
    SnapshotReader items(snapshot, {});
    while (items.next() != Item::none) add_item(text, items);
    text += " | ";
    return text + sum(text);
  }

  /// Parses a result of text(). Throws std::invalid_argument, which names the column, for any other text.
  [[nodiscard]] static Checkpoint parse(std::string_view text) { return Parser(text).parse(); }

  /// Throws std::invalid_argument, which names the first difference, if another data set made it.
  void require(const std::string& expected) const {
    if (description == expected) return;
    throw std::invalid_argument("forebay: checkpoint: it is of another data set: " +
                                difference(expected, description));
  }

  /// Throws std::invalid_argument with the column of the item that does not fit the data set.
  [[noreturn]] void reject(const SnapshotError& error) const {
    throw std::invalid_argument("forebay: checkpoint, column " + std::to_string(columns.at(error.item)) + ": " +
                                error.what());
  }

 private:
  using Item = Snapshot::Item;

  static constexpr std::string_view head = "forebay checkpoint 2 | ";
  static constexpr std::string_view head_of_version_1 = "forebay checkpoint 1 | ";

  /// A space or a parenthesis precedes each number and text. No space precedes a parenthesis.
  static void add_item(std::string& text, SnapshotReader& items) {
    const Item item = items.next();
    if (item == Item::begin_of_frame || item == Item::end_of_frame) {
      items.pass();
      text += item == Item::begin_of_frame ? '(' : ')';
      return;
    }
    if (!ends_with_parenthesis(text)) text += ' ';
    text += item == Item::text ? quoted(items.text()) : std::to_string(items.number());
  }

  [[nodiscard]] static bool ends_with_parenthesis(std::string_view text) noexcept {
    return text.ends_with('(') || text.ends_with(')');
  }

  [[nodiscard]] static std::string quoted(const std::string& text) {
    static constexpr std::string_view digits = "0123456789abcdef";
    std::string made = "\"";
    for (const char character : text) {
      const auto code = static_cast<unsigned char>(character);
      if (code >= 0x20 && code < 0x7f && character != '"' && character != '%') {
        made += character;
      } else {
        made += {'%', digits[code >> 4U], digits[code & 15U]};
      }
    }
    return made + '"';
  }

  [[nodiscard]] static std::string sum(std::string_view text) {
    std::uint64_t hash = 0;
    for (std::size_t i = 0; i < text.size(); i += 8) {  // eight characters at once: a window has many numbers
      std::uint64_t word = 0;
      for (const char character : text.substr(i, 8)) word = word << 8 | static_cast<unsigned char>(character);
      hash = hash_combine(hash, word);
    }
    return std::to_string(hash);
  }

  // The difference between two descriptions. "(range 3) and (range 4) > mix 1 1" has two stages; the first one is the
  // inputs of the second one. Three inputs are "((range 3) and (range 4)) and (range 5)".

  using Parts = std::vector<std::string>;

  /// Splits a text at each separator that is not in parentheses.
  [[nodiscard]] static Parts split(std::string_view text, std::string_view separator) {
    Parts parts;
    int depth = 0;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '(') ++depth;
      if (text[i] == ')') --depth;
      if (depth > 0 || i < begin || !text.substr(i).starts_with(separator)) continue;
      parts.emplace_back(text.substr(begin, i - begin));
      begin = i + separator.size();
    }
    parts.emplace_back(text.substr(begin));
    return parts;
  }

  /// Returns the inputs of the next stage, or nothing if `stage` has another text.
  [[nodiscard]] static Parts inputs(std::string stage) {
    Parts found;  // the last one first
    for (Parts pair = pair_of(stage); !pair.empty(); pair = pair_of(stage)) {
      found.push_back(std::move(pair[1]));
      stage = std::move(pair[0]);
    }
    if (!found.empty()) found.push_back(std::move(stage));
    std::reverse(found.begin(), found.end());
    return found;
  }

  /// Returns A and B if the text is "(A) and (B)", otherwise nothing.
  [[nodiscard]] static Parts pair_of(std::string_view text) {
    Parts pair = split(text, " and ");
    if (pair.size() != 2) return {};
    for (std::string& part : pair) {
      if (!part.starts_with('(') || !part.ends_with(')')) return {};
      part = part.substr(1, part.size() - 2);
    }
    return pair;
  }

  [[nodiscard]] static std::size_t first_difference(const Parts& one, const Parts& other) {
    std::size_t i = 0;
    while (i < one.size() && i < other.size() && one[i] == other[i]) ++i;
    return i;
  }

  [[nodiscard]] static std::string difference(std::string is, std::string was) {
    std::string where;
    while (true) {
      const Parts stages = split(is, " > ");
      const Parts stages_before = split(was, " > ");
      const std::size_t i = first_difference(stages, stages_before);
      const std::string stage = i < stages.size() ? stages[i] : "nothing";
      const std::string before = i < stages_before.size() ? stages_before[i] : "nothing";
      const Parts inputs_now = inputs(stage);
      const Parts inputs_before = inputs(before);
      if (inputs_now.empty() || inputs_before.empty() || i + 1 >= stages.size()) {
        return where.append("stage " + std::to_string(i + 1)).append(" is " + stage).append(", was " + before);
      }
      const std::string name = stages[i + 1].substr(0, stages[i + 1].find(' '));
      if (inputs_now.size() != inputs_before.size()) {
        return where + name + " has " + std::to_string(inputs_now.size()) + " inputs, had " +
               std::to_string(inputs_before.size());
      }
      const std::size_t input = first_difference(inputs_now, inputs_before);
      where += "input " + std::to_string(input + 1) + " of " + name + ": ";
      is = inputs_now[input];
      was = inputs_before[input];
    }
  }

  class Parser {
   public:
    explicit Parser(std::string_view text) : text_(text) {}

    Checkpoint parse() {
      if (text_.empty()) fail("it is empty");
      Checkpoint made;
      if (is_next(head_of_version_1)) fail("it is of version 1, and this library reads version 2");
      expect(head);
      const std::size_t end = text_.find(" | ", at_);
      if (end == std::string_view::npos) fail_at(text_.size(), "it is truncated");
      made.description = text_.substr(at_, end - at_);
      at_ = end;
      expect(" | epoch ");
      made.position.epoch = number();
      expect(" output ");
      made.position.number = number();
      expect(" |");
      while (!is_next(" |")) add_item(made);
      made.columns.push_back(at_ + 2);
      expect(" | ");
      const std::size_t end_of_sum = at_;
      if (text_.substr(at_) != sum(text_.substr(0, at_))) {
        fail_at(end_of_sum, "the sum is another one: the text was changed or truncated");
      }
      return made;
    }

   private:
    [[nodiscard]] bool is_next(std::string_view what) const { return text_.substr(at_, what.size()) == what; }

    void expect(std::string_view what) {
      for (const char character : what) {
        if (at_ == text_.size()) fail("it is truncated");
        if (text_[at_] != character) fail("this is not what a checkpoint of this version has here");
        ++at_;
      }
    }

    void add_item(Checkpoint& made) {
      const bool begins_frame = is_next("(");
      const bool is_parenthesis = begins_frame || is_next(")");
      if (!is_parenthesis && !ends_with_parenthesis(text_.substr(0, at_))) expect(" ");
      made.columns.push_back(at_ + 1);
      if (is_parenthesis) {
        ++at_;
        return begins_frame ? made.snapshot.begin_frame() : made.snapshot.end_frame();
      }
      if (is_next("\"")) {
        made.snapshot.add(text());
      } else {
        made.snapshot.add(number());
      }
    }

    std::uint64_t number() {
      std::string_view rest = text_.substr(at_);
      if (rest.empty()) fail("it is truncated");
      const bool begins_with_0 = rest.front() == '0';
      const std::optional<std::uint64_t> read = take_number(rest, 10);
      const std::size_t digits = text_.size() - at_ - rest.size();
      if (!read || (begins_with_0 && digits > 1)) fail("this is not a number");
      at_ += digits;
      return *read;
    }

    std::string text() {
      std::string made;
      expect("\"");
      while (!is_next("\"")) {
        if (at_ == text_.size()) fail("it is truncated");
        made += text_[at_] == '%' ? escaped() : text_[at_++];
      }
      expect("\"");
      return made;
    }

    char escaped() {
      std::string_view digits = text_.substr(at_ + 1, 2);
      const bool is_complete = digits.size() == 2;
      const std::optional<std::uint64_t> code = take_number(digits, 16);
      if (!is_complete || !code || !digits.empty()) fail("this is not an escaped character");
      at_ += 3;
      return static_cast<char>(*code);
    }

    [[noreturn]] void fail(const char* what) const { fail_at(at_, what); }
    [[noreturn]] static void fail_at(std::size_t at, const char* what) {
      throw std::invalid_argument("forebay: checkpoint, column " + std::to_string(at + 1) + ": " + what);
    }

    std::string_view text_;
    std::size_t at_ = 0;
  };
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_CHECKPOINT_CHECKPOINT_HPP
