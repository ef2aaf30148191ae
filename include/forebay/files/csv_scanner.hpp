// SPDX-License-Identifier: MIT
//
// csv_scanner.hpp: CsvScanner, which splits a CSV file into rows and fields, according to RFC 4180.

#ifndef FOREBAY_FILES_CSV_SCANNER_HPP
#define FOREBAY_FILES_CSV_SCANNER_HPP

#include <algorithm>
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
  std::size_t largest_row = 0;  // in bytes of the file, with the end of the line
  std::size_t buffer_size = 0;
};

/// Reads row by row. After the failure of a row, reading continues at the next row; after a failure of the file, there
/// are no more rows.
class CsvScanner {
 public:
  /// Opens the file. Throws a FileError.
  CsvScanner(std::string name, const CsvFormat& format)
      : file_(std::move(name), {.buffer_size = format.buffer_size}), format_(format) {}

  /// Reads the next row that is not an empty line. Returns false at the end. Throws a FileError.
  bool next() {
    if (is_broken_) return false;
    is_broken_ = true;  // unless the file can be read
    if (file_.position() == 0) check_beginning();
    bool there = false;
    do {
      there = read_row();
    } while (there && is_empty_line_);
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
    no_quotes_until_ = 0;
    if (!is_broken_) resume_at(file_, cursor.first);
  }

 private:
  /// Where the next character is.
  enum class State {
    field_begin,
    unquoted,
    quoted,
    after_quote,            // which ends the field, or is doubled
    after_carriage_return,  // of a line that ends in a quoted field
    row_end,
  };

  static constexpr std::uint64_t after_failure = std::numeric_limits<std::uint64_t>::max();

  /// Skips a byte order mark. Throws a FileError if the file is compressed.
  void check_beginning() {
    const std::string_view some = file_.buffered();
    if (const std::string fault = compression_fault(some); !fault.empty()) file_.fail(0, fault);
    if (some.starts_with("\xEF\xBB\xBF")) file_.consume(3);
  }

  bool read_row() {
    row_begin_ = file_.position();
    const std::string_view some = file_.buffered();
    if (some.empty()) return false;
    line_ = lines_ + 1;
    const std::string_view line = some.substr(0, some.find('\n'));
    const bool is_whole = line.size() < some.size() && line.size() < format_.largest_row;
    if (!is_whole || has_quote(some, line.size())) return scan_row();
    file_.consume(line.size() + 1);  // the line stays in the buffer
    ++lines_;
    row_.split(line.substr(0, line.size() - (line.ends_with('\r') ? 1 : 0)), format_.delimiter);
    is_empty_line_ = row_.is_empty_field();
    return true;
  }

  /// Returns whether the first `length` characters of `some`, which begin the row, contain a quote. Searches each part
  /// of the file once.
  [[nodiscard]] bool has_quote(std::string_view some, std::size_t length) noexcept {
    if (row_begin_ + length <= no_quotes_until_) return false;
    const std::uint64_t known = no_quotes_until_ > row_begin_ ? no_quotes_until_ - row_begin_ : 0;
    const std::size_t quote = some.find('"', static_cast<std::size_t>(known));
    no_quotes_until_ = row_begin_ + smaller(quote, some.size());
    return quote < length;
  }

  /// Reads a row that has quotes, is not complete in the buffer or is too long.
  bool scan_row() {
    row_.begin();
    state_ = State::field_begin;
    has_quotes_ = false;
    second_line_.reset();
    while (state_ != State::row_end) {
      const std::string_view some = file_.buffered();
      if (some.empty()) {
        end_file();
        break;
      }
      const std::uint64_t allowed = format_.largest_row - (file_.position() - row_begin_);
      if (allowed == 0) fail_at_row("the row is longer than " + std::to_string(format_.largest_row) + " bytes");
      file_.consume(scan(some.substr(0, static_cast<std::size_t>(smaller<std::uint64_t>(allowed, some.size())))));
    }
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
    state_ = letter == '"' ? State::quoted : State::unquoted;
    has_quotes_ = has_quotes_ || letter == '"';
    return letter == '"' ? 1 : 0;
  }

  std::size_t scan_unquoted(std::string_view some, std::size_t from) {
    const auto ends = [this](char letter) { return letter == format_.delimiter || letter == '\n' || letter == '"'; };
    const auto* const end = std::find_if(some.data() + from, some.data() + some.size(), ends);
    const auto count = static_cast<std::size_t>(end - some.data()) - from;
    row_.append(some.substr(from, count));
    if (from + count == some.size()) return count;
    if (*end == '"') fail_at(from + count, "there is a quote in a field without quotes");
    if (*end == '\n') row_.drop_carriage_return();
    row_.end_field();
    state_ = *end == '\n' ? State::row_end : State::field_begin;
    return count + 1;
  }

  std::size_t scan_quoted(std::string_view some, std::size_t from) {
    const std::string_view part = some.substr(from, some.find('"', from) - from);
    row_.append(part);
    lines_ += static_cast<std::uint64_t>(std::count(part.begin(), part.end(), '\n'));
    const std::size_t newline = part.find('\n');
    if (!second_line_ && newline != std::string_view::npos) second_line_ = file_.position() + from + newline + 1;
    if (from + part.size() == some.size()) return part.size();
    state_ = State::after_quote;
    return part.size() + 1;
  }

  void end_quoted(char letter, std::size_t at) {
    const bool may_end = state_ == State::after_quote;
    if (letter == '"' && may_end) {
      row_.append("\"");
      state_ = State::quoted;
    } else if (letter == '\r' && may_end) {
      state_ = State::after_carriage_return;
    } else if (letter == '\n' || (letter == format_.delimiter && may_end)) {
      row_.end_field();
      state_ = letter == '\n' ? State::row_end : State::field_begin;
    } else {
      fail_at(at, "there is text between the end of a quoted field and the next delimiter");
    }
  }

  /// Ends the last row of a file that does not end in a newline.
  void end_file() {
    if (state_ == State::quoted) fail_at_row("the file ends within a quoted field of this row");
    if (state_ == State::unquoted) row_.drop_carriage_return();
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
      no_quotes_until_ = 0;
      lines_ = line_;
    } else {
      continue_at_next_line();
    }
    is_broken_ = false;
    file_.fail(row_begin_, reason);
  }

  void continue_at_next_line() {
    for (std::string_view some = file_.buffered(); !some.empty(); some = file_.buffered()) {
      const std::size_t newline = some.find('\n');
      file_.consume(std::min(newline, some.size() - 1) + 1);
      if (newline != std::string_view::npos) break;
    }
    ++lines_;
  }

  File file_;
  CsvFormat format_;
  CsvLine row_;
  State state_ = State::field_begin;
  bool has_quotes_ = false;                     // the row
  bool is_empty_line_ = false;                  // the row
  bool is_broken_ = false;                      // the file cannot be read
  std::optional<std::uint64_t> second_line_{};  // of the row, if it has one
  std::uint64_t no_quotes_until_ = 0;           // from row_begin_ on, if it is greater
  std::uint64_t row_begin_ = 0;
  std::uint64_t line_ = 0;
  std::uint64_t lines_ = 0;  // that precede the next row
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_FILES_CSV_SCANNER_HPP
