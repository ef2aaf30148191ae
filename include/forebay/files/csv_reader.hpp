// SPDX-License-Identifier: MIT
//
// csv_reader.hpp: CsvRowReader<Row>, which reads the rows of a CSV file as texts or as tuples.

#ifndef FOREBAY_FILES_CSV_READER_HPP
#define FOREBAY_FILES_CSV_READER_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "forebay/base/text.hpp"
#include "forebay/file.hpp"
#include "forebay/files/csv_fields.hpp"
#include "forebay/files/csv_scanner.hpp"
#include "forebay/files/file_reader.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// The settings of all readers of a data set.
struct CsvSettings {
  CsvFormat format;
  bool has_header = false;
  std::vector<std::string> columns;  // empty: all
  std::string first_file;            // its header is the model of all others
};

template <class Row>
inline constexpr bool is_csv_tuple = false;
template <class... Fields>
inline constexpr bool is_csv_tuple<std::tuple<Fields...>> = sizeof...(Fields) > 0 &&
                                                            (CsvFieldOf<Fields>::is_right && ...);

/// Returns the names in one line, for messages: "x, y, z".
[[nodiscard]] inline std::string text_of_fields(const CsvFields& fields) {
  constexpr std::size_t most = 200;
  std::string text;
  for (std::size_t i = 0; i < fields.size() && text.size() < most; ++i) {
    text += i > 0 ? ", " : "";
    text += fields[i].substr(0, most);
  }
  return in_one_line(std::move(text));
}

/// Reads the header of the file that the scanner has opened.
[[nodiscard]] inline CsvFields read_csv_header(CsvScanner& scanner) {
  if (!scanner.next()) scanner.file().fail(0, "the file has no header");
  CsvFields header;
  header.assign(scanner.row());
  return header;
}

/// A reader (see from_callable). Row is a tuple, or has CsvFields that fields() returns.
template <class Row>
class CsvRowReader : public FileReader {
 public:
  /// Opens the file and checks its header. Throws a FileError.
  CsvRowReader(const std::string& name, std::shared_ptr<const CsvSettings> settings)
      : settings_(std::move(settings)), scanner_(name, settings_->format) {
    if (settings_->has_header) open_header();
  }

  /// Fills `into` with the next row. Returns false at the end. Throws a FileError; the next call continues with the
  /// next row.
  bool operator()(Row& into) {
    if (!next()) return false;
    if constexpr (is_csv_tuple<Row>) {
      convert(into, std::make_index_sequence<std::tuple_size_v<Row>>());
    } else if (selected_.empty()) {
      into.fields().assign(scanner_.row());
    } else {
      into.fields().clear();
      for (const std::size_t column : selected_) into.fields().add(scanner_.row()[column]);
    }
    return true;
  }

  /// Skips up to `count` rows, fewer only at the end, and returns their number. Does not convert their fields.
  std::uint64_t skip(std::uint64_t count) {
    std::uint64_t skipped = 0;
    while (skipped < count && next()) ++skipped;
    return skipped;
  }

  /// Return the file, and the line at which the row begins that was read last or is damaged.
  [[nodiscard]] const std::string& file() const noexcept { return scanner_.file().name(); }
  [[nodiscard]] std::uint64_t line() const noexcept { return scanner_.line(); }
  [[nodiscard]] std::string location() const { return file() + ':' + std::to_string(line()); }

  /// Return, and go to, the position of the next row.
  [[nodiscard]] auto cursor() const noexcept { return scanner_.cursor(); }
  void seek(const std::pair<std::uint64_t, std::uint64_t>& cursor) { scanner_.seek(cursor); }

 private:
  void open_header() {
    header_ = read_csv_header(scanner_);
    if (scanner_.file().name() != settings_->first_file) compare_with_first_file();
    for (const std::string& column : settings_->columns) selected_.push_back(index_of(column));
  }

  void compare_with_first_file() const {
    CsvFormat format = settings_->format;
    format.buffer_size = smaller<std::size_t>(format.buffer_size, 4096);
    CsvScanner first(settings_->first_file, format);
    const CsvFields expected = read_csv_header(first);
    if (same_texts(header_, expected)) return;
    scanner_.file().fail(0, "the header is " + text_of_fields(header_) + ", but that of " + settings_->first_file +
                                " is " + text_of_fields(expected));
  }

  [[nodiscard]] static bool same_texts(const CsvFields& a, const CsvFields& b) noexcept {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (a[i] != b[i]) return false;
    }
    return true;
  }

  [[nodiscard]] std::size_t index_of(const std::string& column) const {
    std::size_t found = header_.size();
    for (std::size_t i = 0; i < header_.size(); ++i) {
      if (header_[i] != column) continue;
      if (found < header_.size()) scanner_.file().fail(0, "there are several columns '" + column + "'");
      found = i;
    }
    if (found < header_.size()) return found;
    scanner_.file().fail(0, "there is no column '" + column + "'; the header is " + text_of_fields(header_));
  }

  /// Reads the next row, and checks the number of its fields.
  bool next() {
    if (!scanner_.next()) return false;
    std::size_t wanted = header_.size();
    if constexpr (is_csv_tuple<Row>) {
      if (selected_.empty()) wanted = std::tuple_size_v<Row>;
    }
    if (wanted == 0 || scanner_.row().size() == wanted) return true;
    fail("the row has " + counted(scanner_.row().size(), "field") + " instead of " + std::to_string(wanted));
  }

  template <std::size_t... indices>
  void convert(Row& into, std::index_sequence<indices...> /*fields*/) const {
    (convert(indices, std::get<indices>(into)), ...);
  }

  template <class Field>
  void convert(std::size_t index, Field& into) const {
    const std::size_t column = selected_.empty() ? index : selected_[index];
    if (!parse_field(scanner_.row()[column], into)) fail_at<Field>(column);
  }

  // Not inlined, so that the loop over the fields stays small.
  template <class Field>
  [[noreturn, gnu::noinline]] void fail_at(std::size_t column) const {
    constexpr std::size_t most = 40;  // characters of the message
    const std::string text = in_one_line(std::string(scanner_.row()[column].substr(0, most)));
    const bool may_be_header = !settings_->has_header && scanner_.line() == 1;
    fail("column " + name_of(column) + ": '" + text + "' is not " + wanted_field<Field>() +
         (may_be_header ? " (if this row has the names of the columns, set header = true)" : ""));
  }

  /// Returns the name of a column, or its number, from 1.
  [[nodiscard]] std::string name_of(std::size_t column) const {
    if (header_.size() <= column) return std::to_string(column + 1);
    return "'" + in_one_line(std::string(header_[column])) + "'";
  }

  [[noreturn]] void fail(const std::string& reason) const { scanner_.file().fail(scanner_.row_begin(), reason); }

  std::shared_ptr<const CsvSettings> settings_;
  CsvScanner scanner_;
  CsvFields header_;                   // empty if there is none
  std::vector<std::size_t> selected_;  // the columns, empty for all
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_FILES_CSV_READER_HPP
