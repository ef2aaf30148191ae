// SPDX-License-Identifier: MIT
//
// csv_scanner.hpp: CsvScanner, which splits a CSV file into rows and fields, according to RFC 4180.

#ifndef FOREBAY_FILES_CSV_SCANNER_HPP
#define FOREBAY_FILES_CSV_SCANNER_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "forebay/base/arithmetic.hpp"
#include "forebay/base/compression.hpp"
#include "forebay/file.hpp"
#include "forebay/files/csv_fields.hpp"
#include "forebay/files/file_reader.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

struct CsvFormat {
  char delimiter = ',';
  char quote = '"';                // '\0': none
  bool keeps_empty_lines = false;  // as rows of one empty field
  std::size_t largest_row = 0;     // in bytes of the file; the end of the line counts as one
  std::size_t buffer_size = 0;
  OpenByteSource open{};
};

/// Finds the next of certain characters in the buffer of a file, and searches each part of the file once.
class CharacterSearch {
 public:
  explicit CharacterSearch(char character) noexcept : character_(character) {}

  /// Returns the index of the first such character in `buffer`, or its size. `buffer` is what is left of the buffer,
  /// and begins at `offset` in the file.
  [[nodiscard]] std::size_t find(std::string_view buffer, std::uint64_t offset) noexcept {
    if (found_at_ <= offset) found_at_ = offset + smaller(buffer.find(character_), buffer.size());
    return static_cast<std::size_t>(found_at_ - offset);
  }

  /// Lets the next search be anywhere in the file.
  void restart() noexcept { found_at_ = 0; }

 private:
  char character_;
  std::uint64_t found_at_ = 0;  // or the end of the buffer
};

/// Reads row by row. After the failure of a row, reading continues at the next row; after a failure of the file, there
/// are no more rows.
class CsvScanner {
 public:
  /// Opens the file. Throws a FileError.
  CsvScanner(std::string name, const CsvFormat& format)
      : file_(std::move(name), {.buffer_size = format.buffer_size, .open = format.open}),
        format_(format),
        quotes_(format.quote) {}

  /// Reads the next row. Returns false at the end. Throws a FileError.
  bool next() {
    if (is_broken_) return false;
    is_broken_ = true;  // unless the file can be read
    if (file_.position() == 0) check_beginning();
    bool there = false;
    do {
      there = read_row();
    } while (there && is_empty_line_ && !format_.keeps_empty_lines);
    is_broken_ = false;
    return there;
  }

  /// Returns the row that was read last, which is valid until the next call of next() or seek().
  [[nodiscard]] const CsvLine& row() const noexcept { return row_; }

  [[nodiscard]] const File& file() const noexcept { return file_; }

  /// Returns where the row begins that was read last or is damaged: its byte, and its line, from 1.
  [[nodiscard]] std::uint64_t row_begin() const noexcept { return row_begin_; }
  [[nodiscard]] std::uint64_t line() const noexcept { return line_; }

  /// Return, and go to, the position of the next row: its offset in bytes, and the number of preceding lines.
  [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> cursor() const noexcept {
    return {is_broken_ ? after_failure : file_.position(), lines_};
  }
  void seek(const std::pair<std::uint64_t, std::uint64_t>& cursor) {
    lines_ = line_ = cursor.second;
    is_broken_ = cursor.first == after_failure;
    restart_searches();
    if (!is_broken_) resume_at(file_, cursor.first);
  }

 private:
  /// Where the next character is.
  enum class State {
    field_begin,
    unquoted,
    quoted,
    after_quote,  // which ends the field, or is doubled
    row_end,
  };

  static constexpr std::uint64_t after_failure = std::numeric_limits<std::uint64_t>::max();

  /// Skips a byte order mark. Throws a FileError if the file is compressed.
  void check_beginning() {
    line_ = 1;
    std::array<char, compression_magic_size> begin{};
    const std::string_view some =
        file_.is_seekable() ? std::string_view(begin.data(), file_.read_at(0, begin)) : file_.buffered();
    if (const std::string fault = compression_fault(some); !fault.empty()) file_.fail(0, fault);
    if (some.starts_with("\xEF\xBB\xBF")) file_.skip(3);
  }

  bool read_row() {
    row_begin_ = file_.position();
    line_ = lines_ + 1;
    const std::string_view some = file_.buffered();
    if (some.empty()) return false;
    const std::size_t newline = newlines_.find(some, row_begin_);
    const std::size_t length = smaller(newline, carriage_returns_.find(some, row_begin_));
    const std::size_t after = length + (length < newline ? 2 : 1);  // the line, if it ends in "\n" or "\r\n"
    if (after > some.size() || length >= format_.largest_row || has_quote(some, length)) return scan_row();
    file_.consume(after - (some[after - 1] == '\n' ? 0 : 1));  // the line stays in the buffer
    ++lines_;
    row_.split(some.substr(0, length), format_.delimiter);
    is_empty_line_ = row_.is_empty_field();
    return true;
  }

  [[nodiscard]] bool has_quote(std::string_view some, std::size_t length) noexcept {
    return format_.quote != '\0' && quotes_.find(some, row_begin_) < length;
  }
  [[nodiscard]] bool is_quote(char letter) const noexcept { return letter == format_.quote && letter != '\0'; }

  /// Reads a row that has quotes, is not complete in the buffer or is too long.
  bool scan_row() {
    row_.begin();
    state_ = State::field_begin;
    has_quotes_ = false;
    second_line_.reset();
    char last = '\0';
    while (state_ != State::row_end) {
      const std::string_view some = file_.buffered();
      if (some.empty()) {
        end_file();
        break;
      }
      const std::uint64_t allowed = format_.largest_row - (file_.position() - row_begin_);
      if (allowed == 0) fail_at_row("the row is longer than " + std::to_string(format_.largest_row) + " bytes");
      const std::size_t scanned =
          scan(some.substr(0, static_cast<std::size_t>(smaller<std::uint64_t>(allowed, some.size()))));
      last = some[scanned - 1];
      file_.consume(scanned);
    }
    if (last == '\r') end_line();
    ++lines_;
    is_empty_line_ = !has_quotes_ && row_.is_empty_field();
    return true;
  }

  /// Scans up to the end of the row, or of `some`. Returns the number of scanned characters.
  std::size_t scan(std::string_view some) {
    std::size_t next = 0;
    while (next < some.size() && state_ != State::row_end) {
      switch (state_) {
        case State::field_begin: next += begin_field(some[next]); break;
        case State::unquoted: next += scan_unquoted(some, next); break;
        case State::quoted: next += scan_quoted(some, next); break;
        default: end_quoted(some[next], next); ++next;
      }
    }
    return next;
  }

  std::size_t begin_field(char letter) noexcept {
    const bool begins_quoted = is_quote(letter);
    state_ = begins_quoted ? State::quoted : State::unquoted;
    has_quotes_ = has_quotes_ || begins_quoted;
    return begins_quoted ? 1 : 0;
  }

  std::size_t scan_unquoted(std::string_view some, std::size_t from) {
    const auto ends = [this](char letter) {
      return letter == format_.delimiter || ends_line(letter) || is_quote(letter);
    };
    const auto* const end = std::find_if(some.data() + from, some.data() + some.size(), ends);
    const auto count = static_cast<std::size_t>(end - some.data()) - from;
    row_.append(some.substr(from, count));
    if (from + count == some.size()) return count;
    if (is_quote(*end)) fail_at(from + count, "there is a quote in a field without quotes");
    row_.end_field();
    state_ = ends_line(*end) ? State::row_end : State::field_begin;
    return count + 1;
  }

  std::size_t scan_quoted(std::string_view some, std::size_t from) {
    const std::string_view part = some.substr(from, some.find(format_.quote, from) - from);
    row_.append(part);
    count_lines(part, file_.position() + from);
    if (from + part.size() == some.size()) return part.size();
    state_ = State::after_quote;
    return part.size() + 1;
  }

  /// Counts the lines that end in a part of a quoted field, and notes where the second line of the row begins.
  void count_lines(std::string_view part, std::uint64_t offset) noexcept {
    for (std::size_t at = part.find_first_of("\r\n"); at < part.size(); at = part.find_first_of("\r\n", at + 1)) {
      const bool ends_pair = part[at] == '\n' && after_carriage_return_ == offset + at;
      if (part[at] == '\r') after_carriage_return_ = offset + at + 1;
      if (!ends_pair) ++lines_;
      if (!second_line_ || (ends_pair && *second_line_ == offset + at)) second_line_ = offset + at + 1;
    }
  }

  void end_quoted(char letter, std::size_t at) {
    if (is_quote(letter)) {
      row_.append({&letter, 1});
      state_ = State::quoted;
    } else if (ends_line(letter) || letter == format_.delimiter) {
      row_.end_field();
      state_ = ends_line(letter) ? State::row_end : State::field_begin;
    } else {
      fail_at(at, "there is text between the end of a quoted field and the next delimiter");
    }
  }

  [[nodiscard]] static bool ends_line(char letter) noexcept { return letter == '\n' || letter == '\r'; }

  /// Passes the newline that belongs to the carriage return before.
  void end_line() {
    if (file_.buffered().starts_with('\n')) file_.consume(1);
  }

  /// Ends the last row of a file that does not end in a newline.
  void end_file() {
    if (state_ == State::quoted) fail_at_row("the file ends within a quoted field of this row");
    row_.end_field();
  }

  /// Fails at the character that is `at` bytes ahead, and continues on the next line.
  [[noreturn]] void fail_at(std::size_t at, const char* reason) {
    const std::uint64_t byte = file_.position() + at;
    file_.consume(at);
    continue_at_next_line();
    is_broken_ = false;
    file_.fail(byte, reason);
  }

  /// Fails because the row does not end. Continues on the line after the first one of the row, because a quote may be
  /// missing there. A pipe cannot go back.
  [[noreturn]] void fail_at_row(const std::string& reason) {
    if (second_line_ && file_.is_seekable()) {
      file_.seek(*second_line_);
      restart_searches();
      lines_ = line_;
    } else {
      continue_at_next_line();
    }
    is_broken_ = false;
    file_.fail(row_begin_, reason);
  }

  void continue_at_next_line() {
    for (std::string_view some = file_.buffered(); !some.empty(); some = file_.buffered()) {
      const std::size_t end = some.find_first_of("\r\n");
      const bool is_pair = end != std::string_view::npos && some[end] == '\r';
      file_.consume(std::min(end, some.size() - 1) + 1);
      if (is_pair) end_line();
      if (end != std::string_view::npos) break;
    }
    ++lines_;
  }

  void restart_searches() noexcept {
    for (CharacterSearch* const search : {&newlines_, &carriage_returns_, &quotes_}) search->restart();
  }

  File file_;
  CsvFormat format_;
  CharacterSearch newlines_{'\n'};
  CharacterSearch carriage_returns_{'\r'};
  CharacterSearch quotes_;
  CsvLine row_;
  State state_ = State::field_begin;
  bool has_quotes_ = false;                     // the row
  bool is_empty_line_ = false;                  // the row
  bool is_broken_ = false;                      // the file cannot be read
  std::optional<std::uint64_t> second_line_{};  // of the row, if it has one
  std::uint64_t after_carriage_return_ = 0;     // the last one in a quoted field
  std::uint64_t row_begin_ = 0;
  std::uint64_t line_ = 0;
  std::uint64_t lines_ = 0;  // that precede the next row
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_FILES_CSV_SCANNER_HPP
