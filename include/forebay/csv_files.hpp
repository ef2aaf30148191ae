// SPDX-License-Identifier: MIT

/// @file
/// Defines csv_rows, which reads the rows of CSV files, as texts (CsvRow) or as tuples of numbers and texts.
///
/// @code
/// using Price = std::tuple<std::string, double>;
/// for (const auto& [name, price] :
///      forebay::csv_rows<Price>("prices.csv", {.header = true, .columns = {"name", "price"}}).run()) {
///   sum += price;
/// }
/// @endcode
///
/// The format is that of RFC 4180: fields in quotes may contain delimiters, ends of lines and doubled quotes. In
/// addition, a line ends in "\n", "\r\n" or "\r"; empty lines and a byte order mark at the beginning are left out; the
/// delimiter and the quote may be other characters. Spaces are part of a field.
///
/// When to use: for tables. For lines without quotes that you split yourself, text_lines is enough.
///
/// Lifetime: a CsvRow owns its text, and may be copied and stored. The views of its fields are valid until it is
/// changed or destroyed.
///
/// Thread safety: any number of threads may call csv_rows. Const members of a CsvRow may be called concurrently.

#ifndef FOREBAY_CSV_FILES_HPP
#define FOREBAY_CSV_FILES_HPP

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "forebay/base/reject.hpp"
#include "forebay/count.hpp"
#include "forebay/dataset.hpp"
#include "forebay/dataset_options.hpp"
#include "forebay/files/csv_fields.hpp"
#include "forebay/files/csv_reader.hpp"
#include "forebay/source/line_reader.hpp"
#include "forebay/sources.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI {

/// Holds the fields of one row of a CSV file, as texts without their quotes.
class CsvRow {
 public:
  /// Returns the number of fields.
  [[nodiscard]] std::size_t size() const noexcept { return fields_.size(); }

  /// Returns the field at an index, from 0. Requires index < size().
  [[nodiscard]] std::string_view operator[](std::size_t index) const noexcept { return fields_[index]; }

  /// Returns the field at an index, from 0. Throws std::out_of_range unless index < size().
  [[nodiscard]] std::string_view at(Count index) const {
    const std::size_t number = index.at_least(0, "CsvRow::at: index");
    if (number < size()) return fields_[number];
    throw std::out_of_range("forebay: field " + std::to_string(number) + " of a row of " + std::to_string(size()));
  }

  /// @cond
  // For the library.
  [[nodiscard]] detail::CsvFields& fields() noexcept { return fields_; }
  /// @endcond

 private:
  detail::CsvFields fields_;
};

/// Holds the options of csv_rows: `{.header = true, .columns = {"x", "y"}}`.
struct CsvOptions {
  /// Says whether the first row of each file has the names of the columns.
  ///
  /// It is then no row of the data set. All files need the same header, and each row needs as many fields as its
  /// header.
  bool header = false;
  /// Selects columns by their names in the header, in this order. Without names, all columns are read.
  std::vector<std::string> columns{};
  /// Sets the character between two fields, which is neither the quote nor part of the end of a line.
  char delimiter = ',';
  /// Sets the quote, which is not part of the end of a line. With 0, every character is part of its field, as in files
  /// of tab-separated values:
  /// @code
  /// csv_rows("a.tsv", {.delimiter = '\t', .quote = '\0'})
  /// @endcode
  char quote = '"';
  /// Says whether an empty line is a row with one empty field. Otherwise it is left out.
  ///
  /// Set it for a one-column file whose rows correspond to the rows of another file. In a table of several columns, an
  /// empty line is then a failure, if there is a header or T is a tuple.
  bool keep_empty_lines = false;
  /// Limits the bytes of a row, by default to 16 MiB. If a quote is missing, the rest of the file looks like one field;
  /// without a limit, all of it would be read into memory.
  Count largest_row = 16'777'216;
  /// Decides what happens to a row that is damaged or cannot be converted, and to a file that cannot be read. Reading
  /// continues with the next row. After a missing quote it continues with the line after the one in which the row
  /// begins.
  OnError on_error{};
  /// Sets the bytes of the buffer of each open file.
  Count buffer_size = 262'144;
  /// Opens each file as a source of bytes, for example to decompress it: see byte_source.hpp. By default, it is read as
  /// it is.
  OpenByteSource open{};
};

namespace detail {

/// Checks the options. `first_file` has the header that all others need.
template <class T>
[[nodiscard]] std::shared_ptr<const CsvSettings> csv_settings(std::string first_file, const CsvOptions& options) {
  static_assert(std::is_same_v<T, CsvRow> || is_csv_tuple<T>,
                "forebay: a row of a CSV file is a CsvRow or a std::tuple, of std::string, numbers (neither char nor "
                "long double) and std::optional of these");
  const auto ends_line = [](char letter) { return letter == '\r' || letter == '\n'; };
  if ((options.delimiter == options.quote && options.quote != '\0') || ends_line(options.delimiter)) {
    reject({"csv_rows: delimiter must be neither the quote nor part of the end of a line"});
  }
  if (ends_line(options.quote)) reject({"csv_rows: quote must not be part of the end of a line"});
  if (!options.columns.empty() && !options.header) reject({"csv_rows: columns needs a header"});
  if constexpr (is_csv_tuple<T>) {
    if (!options.columns.empty() && options.columns.size() != std::tuple_size_v<T>) {
      reject(
          {"csv_rows: the tuple has ", std::tuple_size_v<T>, " elements, but columns names ", options.columns.size()});
    }
  }
  const CsvFormat format{options.delimiter,
                         options.quote,
                         options.keep_empty_lines,
                         options.largest_row.at_least(1, "csv_rows: largest_row"),
                         options.buffer_size.at_least(1, "csv_rows: buffer_size"),
                         options.open};
  return std::make_shared<const CsvSettings>(
      CsvSettings{format, options.header, options.columns, std::move(first_file)});
}

/// Returns `text` as one word, without the characters that separate words or stages: "unit%20price".
[[nodiscard]] inline std::string word_of(std::string_view text) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  constexpr std::string_view special = "%,|>()";
  std::string word;
  for (const char letter : text) {
    const auto code = static_cast<unsigned char>(letter);
    if (code > ' ' && code != 0x7F && special.find(letter) == std::string_view::npos) {
      word += letter;
    } else {
      word += {'%', digits[code / 16U], digits[code % 16U]};
    }
  }
  return word;
}

/// Returns the settings that affect the rows as they follow the name in a description: " header columns id,price".
[[nodiscard]] inline std::string text_of(const CsvSettings& settings) {
  std::string text = settings.has_header ? " header" : "";
  for (std::size_t i = 0; i < settings.columns.size(); ++i) {
    text += (i == 0 ? " columns " : ",") + word_of(settings.columns[i]);
  }
  const char delimiter = settings.format.delimiter;
  if (delimiter != ',') text += " delimiter " + word_of({&delimiter, 1});
  const char quote = settings.format.quote;
  if (quote != '"') text += " quote " + word_of({&quote, 1});
  if (settings.format.keeps_empty_lines) text += " keeps empty lines";
  const std::size_t largest_row = settings.format.largest_row;
  if (largest_row != CsvOptions().largest_row) text += " largest row " + std::to_string(largest_row);
  return text;
}

}  // namespace detail

/// Reads the rows of one CSV file. See csv_rows for T.
///
/// @code
/// from_slices(names).interleave({.cycle = 8, .prefetch = 64, .on_error = skip(100)}, [](const std::string& name) {
///   return CsvReader<std::tuple<int, float>>(name, {.header = true});
/// })
/// @endcode
template <class T = CsvRow>
class CsvReader : public detail::CsvRowReader<T> {
 public:
  /// Opens the file and reads its header, if there is one. Throws a FileError, and std::invalid_argument for impossible
  /// options, such as `.on_error`, which belongs to interleave or flat_map.
  explicit CsvReader(const std::string& name, const CsvOptions& options = {})
      : detail::CsvRowReader<T>(name, detail::csv_settings<T>(name, options)) {
    if (options.on_error.limit()) {
      detail::reject({"CsvReader: on_error belongs to the interleave or flat_map that calls the reader"});
    }
  }
};

/// Reads the rows of CSV files, one file after the other.
///
/// `files` is the name of one file, as a string or a path, or a range of names. T is CsvRow or a std::tuple of
/// numbers and texts. An element of the tuple is a std::string, a bool ("true", "false", "1" or "0"), an integer, a
/// float, a double, or a std::optional of these, which has no value if the field is empty. A number may begin with "+".
/// A floating-point number that is too small for its type becomes the nearest one, which may be 0; a number that is too
/// large is a failure.
///
/// A row that is damaged or that cannot be converted is a failure with a FileError that names file, byte and column.
/// (TensorFlow: CsvDataset.)
///
/// @code
/// csv_rows("a.csv")                                          // a Dataset<CsvRow>
/// csv_rows<std::tuple<int, std::optional<float>>>("a.csv")   // all rows have two columns
/// csv_rows(list_files("*.csv"), {.header = true, .columns = {"x", "y"}, .on_error = skip(10)})
/// @endcode
///
/// For rows of a class of your own, make it from the tuple:
/// @code
/// csv_rows<std::tuple<std::string, double>>("prices.csv").map([](auto row) {
///   auto& [name, price] = row;
///   return Price{std::move(name), price};
/// })
/// @endcode
template <class T = CsvRow, class Files>
requires detail::FileName<Files> || detail::FileNames<Files>
[[nodiscard]] Dataset<T> csv_rows(Files&& files, const CsvOptions& options = {}) {
  std::vector<std::string> names = detail::file_names(files);
  auto settings = detail::csv_settings<T>(names.empty() ? std::string() : names.front(), options);
  detail::StageText text("csv_rows", detail::text_of(*settings), settings->format.buffer_size);
  const auto open = [settings = std::move(settings)](const std::string& name) {
    return detail::CsvRowReader<T>(name, settings);
  };
  return detail::read_in_order(std::move(names), std::move(text), options.on_error, open);
}

/// Reads the rows of the listed files: `csv_rows({"a.csv", "b.csv"})`.
template <class T = CsvRow, class Name = std::string>  // always std::string: compiled only where it is called
[[nodiscard]] Dataset<T> csv_rows(std::initializer_list<std::type_identity_t<Name>> files,
                                  const CsvOptions& options = {}) {
  return csv_rows<T>(std::vector<std::string>(files), options);
}
template <class T = CsvRow>
void csv_rows(...) = delete;  // forebay: csv_rows(files, options), by their names

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_CSV_FILES_HPP
