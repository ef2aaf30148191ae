// SPDX-License-Identifier: MIT
//
// csv_files_test.cpp: csv_rows and its reader: RFC 4180, headers, conversions, damaged rows, and resumes.

#include "forebay/csv_files.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "forebay/dataset.hpp"
#include "forebay/file.hpp"
#include "forebay/files/csv_fields.hpp"
#include "forebay/files/parse_with_stream.hpp"
#include "tests/support/contains.hpp"
#include "tests/support/pipeline_output.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/thrown.hpp"

namespace forebay_test {
namespace {

using forebay::csv_rows;
using forebay::CsvOptions;
using forebay::CsvReader;
using forebay::CsvRow;
using forebay::DatasetError;
using forebay::FileError;
using forebay::skip;
using forebay::detail::parse_field;
using forebay::detail::parse_with_stream;

using Texts = std::vector<std::string>;
using Table = std::vector<Texts>;
using Measurement = std::tuple<std::string, double>;

Texts texts_of(const CsvRow& row) {
  Texts texts;
  for (std::size_t i = 0; i < row.size(); ++i) texts.emplace_back(row[i]);
  return texts;
}

/// Reads all rows of a file. A row that is damaged is replaced by its message, without the name of the file, and its
/// line.
Table table_of_file(const std::string& name, const CsvOptions& options = {}) {
  CsvReader reader(name, options);
  Table table;
  CsvRow row;
  for (;;) {
    try {
      if (!reader(row)) return table;
      table.push_back(texts_of(row));
    } catch (const FileError& error) {
      table.push_back({std::string(error.what()).substr(name.size() + 2), reader.location().substr(name.size())});
    }
  }
}

Table table_of(std::string_view text, const CsvOptions& options = {}) {
  const TemporaryDirectory directory;
  return table_of_file(directory.file("table.csv", text), options);
}

// ---- Rows and fields

TEST(CsvRows, HaveFieldsBetweenDelimiters) {
  EXPECT_EQ(table_of("a,bc,\n,1, 2 \n"), (Table{{"a", "bc", ""}, {"", "1", " 2 "}}));
  EXPECT_EQ(table_of("a;b,c\td\n", {.delimiter = ';'}), (Table{{"a", "b,c\td"}}));
  EXPECT_EQ(table_of(""), Table());
}

TEST(CsvRows, EndInEitherLineEndingOrAtTheEndOfTheFile) {
  EXPECT_EQ(table_of("1,2\r\n3,4\n5,6"), (Table{{"1", "2"}, {"3", "4"}, {"5", "6"}}));
  EXPECT_EQ(table_of("1,\"2\"\r\n3,\"4\"\n5,\"6\""), (Table{{"1", "2"}, {"3", "4"}, {"5", "6"}}));
  EXPECT_EQ(table_of("1,"), (Table{{"1", ""}}));
  EXPECT_EQ(table_of("a\rb,c\r"), (Table{{"a"}, {"b", "c"}}));
  EXPECT_EQ(table_of("1,\"2\"\r3,\"4\"\r\r\n\"5\"\n\r6\r"), (Table{{"1", "2"}, {"3", "4"}, {"5"}, {"6"}}));
}

TEST(CsvRows, MayHaveDelimitersNewlinesAndQuotesInQuotes) {
  EXPECT_EQ(table_of("\"a,b\",\"c\nd\r\ne\",\"say \"\"hi\"\"\"\nnext,,\"\"\n"),
            (Table{{"a,b", "c\nd\r\ne", "say \"hi\""}, {"next", "", ""}}));
}

TEST(CsvRows, LeaveOutEmptyLinesButNotEmptyQuotes) {
  EXPECT_EQ(table_of("\n1\n\r\n\n2\n\"\"\n\r\n"), (Table{{"1"}, {"2"}, {""}}));
}

TEST(CsvRows, KeepEmptyLinesIfAsked) {
  const CsvOptions keep{.keep_empty_lines = true};
  EXPECT_EQ(table_of("\n1\n\r\n\r2\n", keep), (Table{{""}, {"1"}, {""}, {""}, {"2"}}));
  EXPECT_EQ(table_of("\"1\"\n\n\"2\"", keep), (Table{{"1"}, {""}, {"2"}}));
  EXPECT_EQ(table_of("x,y\n\n1,2\n", {.header = true, .keep_empty_lines = true}),
            (Table{{"byte 4: the row has 1 field instead of 2", ":2"}, {"1", "2"}}));
}

TEST(CsvRows, MayHaveAnotherQuoteOrNone) {
  EXPECT_EQ(table_of("'a,''b'',c',\"d\n", {.quote = '\''}), (Table{{"a,'b',c", "\"d"}}));
  EXPECT_EQ(table_of("\"a\tb \"c\" d\t\"\n\"\n", {.delimiter = '\t', .quote = '\0'}),
            (Table{{"\"a", "b \"c\" d", "\""}, {"\""}}));
  const std::string_view zeros("\0,a\0b\n\0", 7);
  EXPECT_EQ(table_of(zeros, {.quote = '\0'}),
            (Table{{std::string(1, '\0'), std::string("a\0b", 3)}, {std::string(1, '\0')}}));
}

/// Splits a text without damage, character by character.
Table reference_table(std::string_view text, char quote, bool keep_empty_lines) {
  Table table;
  for (std::size_t at = 0; at < text.size();) {
    Texts row(1);
    bool has_quotes = false;
    for (bool is_quoted = false; at < text.size(); ++at) {
      const char letter = text[at];
      if (letter == quote && quote != '\0') {
        const bool is_doubled = is_quoted && text.substr(at + 1, 1).starts_with(quote);
        if (is_doubled)
          row.back() += text[at++];
        else
          is_quoted = !is_quoted;
        has_quotes = true;
      } else if (is_quoted || (letter != ',' && letter != '\r' && letter != '\n')) {
        row.back() += letter;
      } else if (letter == ',') {
        row.emplace_back();
      } else {
        at += text.substr(at).starts_with("\r\n") ? 2U : 1U;
        break;
      }
    }
    if (has_quotes || row != Texts{""} || keep_empty_lines) table.push_back(row);
  }
  return table;
}

/// Returns a random number that is less than `end`.
std::size_t below(std::minstd_rand& random, std::size_t end) {
  return std::uniform_int_distribution<std::size_t>(0, end - 1)(random);
}

/// Returns fields, delimiters and ends of lines of all kinds, at random. Fields may have quotes.
std::string random_text(std::minstd_rand& random, char quote) {
  const auto draw = [&random](const Texts& texts) { return texts[below(random, texts.size())]; };
  std::string text;
  for (std::size_t fields = below(random, 12); fields > 0; --fields) {
    if (quote != '\0' && below(random, 3) == 0) {
      text += quote;
      for (std::size_t parts = below(random, 5); parts > 0; --parts) {
        text += draw({",", "\n", "\r", "\r\n", "z", "it is long", std::string(2, quote)});
      }
      text += quote;
    } else {
      text += draw({"", "a", "b c", "longer than a word of a processor"});
    }
    text += draw({",", ",", ",", "\n", "\r", "\r\n", "\n\n", "\r\r", "\n\r", "\r\n\r\n"});
  }
  return text;
}

// proves: csv-rows
TEST(CsvRows, AreThoseOfASimpleReaderForEveryEndOfLineAndSizeOfTheBuffer) {
  std::minstd_rand random(46);
  const TemporaryDirectory directory;
  for (int round = 0; round < 400; ++round) {
    const char quote = std::string_view("\"'\0", 3)[below(random, 3)];
    const bool keep = below(random, 2) == 0;
    const std::string text = random_text(random, quote);
    const std::string file = directory.file("a.csv", text);
    const Table expected = reference_table(text, quote, keep);
    for (const std::size_t size : {std::size_t{1}, 1 + below(random, 9), 1 + below(random, 40), std::size_t{4096}}) {
      const CsvOptions options{.quote = quote, .keep_empty_lines = keep, .buffer_size = size};
      ASSERT_EQ(table_of_file(file, options), expected) << round << ", buffer of " << size << ": " << text;
    }
  }
}

TEST(CsvRows, LeaveOutAByteOrderMark) {
  EXPECT_EQ(table_of("\xEF\xBB\xBFx,y\n"), (Table{{"x", "y"}}));
  EXPECT_EQ(table_of("\xEF\xBB\xBF\"x\",y\n"), (Table{{"x", "y"}}));
  EXPECT_EQ(table_of("\xEF\xBB\xBFx,y\n", {.buffer_size = 1}), (Table{{"x", "y"}}));
}

TEST(CsvRows, AreTheSameForEverySizeOfTheBuffer) {
  const std::string text = "a,bc\r\n\r\n\"d\r\n,\"\"e\",\r\nf\"g\n\"h\"i,j\n\"k\"\r\n\nlast,\"";
  const Table expected = table_of(text);
  EXPECT_EQ(expected.size(), 6U);
  for (int size = 1; size <= 50; ++size) EXPECT_EQ(table_of(text, {.buffer_size = size}), expected) << size;
}

TEST(CsvRow, KeepsItsFieldsWhenItIsCopied) {
  const TemporaryDirectory directory;
  CsvReader reader(directory.file("a.csv", "first,row\nsecond,row,longer than the first one\n"));
  CsvRow row;
  ASSERT_TRUE(reader(row));
  const CsvRow copy = row;
  ASSERT_TRUE(reader(row));
  EXPECT_EQ(texts_of(copy), (Texts{"first", "row"}));
  EXPECT_EQ(copy.at(1), "row");
  EXPECT_EQ(message_of<std::out_of_range>([&] { return copy.at(2); }), "forebay: field 2 of a row of 2");
}

// ---- Damaged rows

// proves: file-damage
TEST(CsvRows, WithAMisplacedQuoteFailAndTheNextRowFollows) {
  EXPECT_EQ(table_of("1\nab\"c\n2\n"),
            (Table{{"1"}, {"byte 4: there is a quote in a field without quotes", ":2"}, {"2"}}));
  EXPECT_EQ(
      table_of("1\n\"a\nb\"c,\n2\n"),
      (Table{{"1"}, {"byte 7: there is text between the end of a quoted field and the next delimiter", ":2"}, {"2"}}));
  EXPECT_EQ(table_of("\"a\"b\r2\n"),
            (Table{{"byte 3: there is text between the end of a quoted field and the next delimiter", ":1"}, {"2"}}));
}

// proves: file-damage
TEST(CsvRows, WithoutAClosingQuoteFailAndTheNextLineFollows) {
  EXPECT_EQ(table_of("0\n1,\"a\n2,b\n3,c\n"),
            (Table{{"0"}, {"byte 2: the file ends within a quoted field of this row", ":2"}, {"2", "b"}, {"3", "c"}}));
  const auto expected = [](const char* byte) {
    return Table{{"0"}, {byte + std::string(": the file ends within a quoted field of this row"), ":2"}, {"2", "b"}};
  };
  EXPECT_EQ(table_of("0\r1,\"a\r2,b"), expected("byte 2"));
  EXPECT_EQ(table_of("0\r\n1,\"a\r\n2,b\r\n"), expected("byte 3"));
  EXPECT_EQ(table_of("1,\"a"), (Table{{"byte 0: the file ends within a quoted field of this row", ":1"}}));
}

TEST(CsvRows, LongerThanTheLimitFailAndTheNextLineFollows) {
  const CsvOptions options{.largest_row = 8};
  EXPECT_EQ(table_of("1234567\n12345678\n1\n", options),
            (Table{{"1234567"}, {"byte 8: the row is longer than 8 bytes", ":2"}, {"1"}}));
  EXPECT_EQ(table_of("\"1\n2\n3\n4\n5\n6\"", options)[0], (Texts{"byte 0: the row is longer than 8 bytes", ":1"}));
  EXPECT_EQ(table_of("\"1\n2\n3\n4\n5\n6\"", options)[1], (Texts{"2"}));
}

// proves: file-damage
TEST(CsvRows, ThatAreTruncatedAnywhereAreRejectedOrShorter) {
  const std::string text = "name,\"say \"\"x\"\"\"\r\n\"two\nlines\",3\n";
  for (std::size_t length = 0; length < text.size(); ++length) {
    const Table table = table_of(text.substr(0, length));
    EXPECT_LE(table.size(), 3U) << length;
    if (length < 19) continue;
    EXPECT_EQ(table.at(0), (Texts{"name", "say \"x\""})) << length;
  }
}

// proves: file-damage
TEST(CsvRows, OfAnyBytesEndAndNeverCrash) {
  const std::string text = "a,\"b\"\r\n\"c\n\",d\n";
  for (std::size_t at = 0; at < text.size(); ++at) {
    for (const char byte : {'"', ',', '\n', '\r', '\0', '\xFF'}) {
      std::string changed = text;
      changed[at] = byte;
      EXPECT_LE(table_of(changed).size(), 5U) << at;
    }
  }
}

// ---- Headers

TEST(CsvHeader, IsNoRowAndSelectsColumns) {
  const std::string text = "x,\"long name\",z\n1,2,3\n4,5,6\n";
  EXPECT_EQ(table_of(text, {.header = true}), (Table{{"1", "2", "3"}, {"4", "5", "6"}}));
  EXPECT_EQ(table_of(text, {.header = true, .columns = {"z", "long name"}}), (Table{{"3", "2"}, {"6", "5"}}));
}

TEST(CsvHeader, SetsTheNumberOfFields) {
  EXPECT_EQ(table_of("x,y\n1,2\n3\n4,5,6\n7,8\n", {.header = true}),
            (Table{{"1", "2"},
                   {"byte 8: the row has 1 field instead of 2", ":3"},
                   {"byte 10: the row has 3 fields instead of 2", ":4"},
                   {"7", "8"}}));
}

std::string header_error(std::string_view text, Texts columns) {
  return message_of<FileError>([&] { return table_of(text, {.header = true, .columns = std::move(columns)}); });
}

TEST(CsvHeader, ThatDoesNotFitIsRejected) {
  EXPECT_TRUE(contains(header_error("x,y\n", {"z"}), "table.csv: byte 0: there is no column 'z'; the header is x, y"));
  EXPECT_TRUE(contains(header_error("x,y,x\n", {"x"}), "there are several columns 'x'"));
  EXPECT_TRUE(contains(header_error("", {}), "the file has no header"));
}

TEST(CsvHeader, IsTheSameInAllFiles) {
  const TemporaryDirectory directory;
  const std::string a = directory.file("a.csv", "x,y\n1,2\n");
  const std::string b = directory.file("b.csv", "x,y\r\n3,4\n");
  const std::string c = directory.file("c.csv", "y,x\n5,6\n");
  EXPECT_EQ(outputs_of(csv_rows({a, b}, {.header = true})).size(), 2U);
  const std::string message = message_of<DatasetError>([&] {
    return outputs_of(csv_rows({a, b, c}, {.header = true}));
  });
  EXPECT_TRUE(contains(message, c + "): byte 0: the header is y, x, but that of " + a + " is x, y"));
}

TEST(CsvReaderTest, RejectsAnOptionOfStages) {
  const TemporaryDirectory directory;
  const std::string file = directory.file("a.csv", "1,2\n");
  EXPECT_TRUE(contains(rejection([&] { return CsvReader(file, {.on_error = skip(1)}).location(); }),
                       "CsvReader: on_error belongs to the interleave or flat_map"));
}

// ---- Tuples

template <class Row>
std::vector<Row> tuples_of(std::string_view text, const CsvOptions& options = {}) {
  const TemporaryDirectory directory;
  CsvReader<Row> reader(directory.file("table.csv", text), options);
  std::vector<Row> rows;
  for (Row row; reader(row);) rows.push_back(row);
  return rows;
}

TEST(CsvTuples, HaveNumbersTextsAndMissingValues) {
  using Row = std::tuple<int, float, std::string, std::optional<double>, bool>;
  EXPECT_EQ(tuples_of<Row>("-3,0.5,\"a,b\",1e3,true\n7,-2,,,0\n"),
            (std::vector<Row>{{-3, 0.5F, "a,b", 1000.0, true}, {7, -2.0F, "", std::nullopt, false}}));
}

template <class Row>
std::string tuple_error(std::string_view text, const CsvOptions& options = {}) {
  const std::string message = message_of<FileError>([&] { return tuples_of<Row>(text, options); });
  const std::size_t place = message.find("byte ");
  return place == std::string::npos ? message : message.substr(place);
}

TEST(CsvTuples, NameTheColumnThatCannotBeConverted) {
  using Row = std::tuple<std::string, std::int8_t>;
  EXPECT_EQ((tuple_error<Row>("a,1\nb,x1\n")), "byte 4: column 2: 'x1' is not a whole number from -128 to 127");
  EXPECT_EQ(
      (tuple_error<Row>("name,size\na,1\n")),
      "byte 0: column 2: 'size' is not a whole number from -128 to 127 (if this row has the names of the columns, "
      "set header = true)");
  const CsvOptions with_header{.header = true, .columns = {"name", "size"}};
  EXPECT_EQ((tuple_error<Row>("size,name\n1,a\n128,b\n", with_header)),
            "byte 14: column 'size': '128' is not a whole number from -128 to 127");
  EXPECT_EQ((tuple_error<Row>("a,1,2\n")), "byte 0: the row has 3 fields instead of 2");
  EXPECT_EQ(
      (tuple_error<std::tuple<std::optional<float>>>("\"1\n2\"\n")),
      "byte 0: column 1: '1 2' is not a number of type float (if this row has the names of the columns, set header "
      "= true)");
  EXPECT_EQ(tuple_error<std::tuple<bool>>("1\nyes\n"), "byte 2: column 1: 'yes' is not true, false, 1 or 0");
}

template <class T>
std::optional<T> parsed(std::string_view text) {
  T number{};
  return parse_field(text, number) ? std::optional<T>(number) : std::nullopt;
}

TEST(CsvNumbers, AreWholeFieldsInRange) {
  EXPECT_EQ(parsed<int>("-12"), -12);
  EXPECT_EQ(parsed<std::uint64_t>("18446744073709551615"), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(parsed<double>("1.5e-3"), 1.5e-3);
  EXPECT_EQ(parsed<float>("-inf"), -std::numeric_limits<float>::infinity());
  EXPECT_EQ(parsed<int>("+12"), 12);
  EXPECT_EQ(parsed<std::uint64_t>("+0"), 0U);
  EXPECT_EQ(parsed<double>("+1.5"), 1.5);
  for (const char* const text :
       {"", " 1", "1 ", "+", "+-1", "-+1", "++1", "+ 1", "1.0", "0x10", "2147483648", "1e3", "-", "١"}) {
    EXPECT_EQ(parsed<int>(text), std::nullopt) << text;
  }
  EXPECT_EQ(parsed<std::uint8_t>("-1"), std::nullopt);
  for (const char* const text :
       {"", " 1", "1 ", "+-1", "++1", "1,5", "0x10", "1e400", "-1e400", ".", "e5", "1e", "--1", "nanx", "1e-400x"}) {
    EXPECT_EQ(parsed<double>(text), std::nullopt) << text;
  }
}

// proves: csv-numbers
TEST(CsvNumbers, ThatAreTooSmallBecomeTheNearestOnes) {
  EXPECT_EQ(parsed<float>("1e-46"), 0.0F);
  EXPECT_EQ(parsed<float>("1e-45"), std::numeric_limits<float>::denorm_min());
  EXPECT_EQ(parsed<float>("1e-40"), 1e-40F);
  EXPECT_EQ(parsed<double>("1.5e-400"), 0.0);
  EXPECT_EQ(parsed<double>("1.5e-310"), 1.5e-310);
  EXPECT_EQ(parsed<double>("0." + std::string(400, '0') + "1"), 0.0);
  EXPECT_TRUE(std::signbit(parsed<double>("-1e-400").value()));
  EXPECT_EQ(parsed<float>("1e39"), std::nullopt);
}

// proves: csv-numbers
TEST(CsvNumbers, AreTheSameWithoutFromChars) {
  for (const char* const text : {"0", "-0.0", "1.5e-3", "123456789012345678", ".5", "5.", "1E5", "inf", "-INFINITY",
                                 "nan", "-nan", "3.4e38", "1e-400", "-2e-320"}) {
    double number = -1;
    ASSERT_TRUE(parse_with_stream(text, number)) << text;
    const double expected = parsed<double>(text).value();
    EXPECT_TRUE(number == expected || (std::isnan(number) && std::isnan(expected))) << text;
    EXPECT_EQ(std::signbit(number), std::signbit(expected)) << text;
  }
  for (const char* const text : {"", " 1", "1 ", "+1", "-+1", "1,5", "0x10", "1e400", ".", "e5", "1e", "1e+", "1.2.3",
                                 "--1", "nanx", "infinite"}) {
    double number = -1;
    EXPECT_FALSE(parse_with_stream(text, number)) << text;
  }
}

// ---- Data sets

TEST(CsvRows, SkipRowsAcrossNewlinesInQuotes) {
  const TemporaryDirectory directory;
  const std::string file = directory.file("a.csv", "\"1\n,\",a\n\n2,b\n\"3\r\n\r\",c\n4,d\n5,e\n");
  CsvReader reader(file);
  EXPECT_EQ(reader.skip(3), 3U);
  CsvRow row;
  ASSERT_TRUE(reader(row));
  EXPECT_EQ(texts_of(row), (Texts{"4", "d"}));
  EXPECT_EQ(reader.location(), file + ":8");
  EXPECT_EQ(reader.skip(3), 1U);
}

TEST(CsvRows, AreTheSameAfterASeek) {
  const TemporaryDirectory directory;
  CsvReader reader(directory.file("a.csv", "\"1\n,\",a\n2,b\n3,c\n"));
  CsvRow row;
  const auto begin = reader.cursor();
  ASSERT_EQ(reader.skip(3), 3U);
  reader.seek(begin);
  ASSERT_TRUE(reader(row));
  EXPECT_EQ(texts_of(row), (Texts{"1\n,", "a"}));
}

/// Writes two files with 5 good rows in all, and 3 damaged ones in the first.
struct Measurements {
  TemporaryDirectory directory;
  std::string a = directory.file("a.csv", "name,value\n\"x\ny\",1\nbad\nbad,b\nz,2\nbad,\"\"\"\n3,3\n");
  std::string b = directory.file("b.csv", "name,value\nu,4\nv,5\n");
  std::vector<Measurement> expected{{"x\ny", 1}, {"z", 2}, {"3", 3}, {"u", 4}, {"v", 5}};

  [[nodiscard]] auto rows(int skipped) const {
    return csv_rows<Measurement>({a, b}, {.header = true, .on_error = skip(skipped)});
  }
};

// proves: skip
TEST(CsvRows, SkipDamagedRowsAlsoSeveralInARow) {
  const Measurements measurements;
  EXPECT_EQ(outputs_of(measurements.rows(3)), measurements.expected);
  const std::string message = message_of<DatasetError>([&] { return outputs_of(measurements.rows(2)); });
  EXPECT_TRUE(contains(message, "csv_rows, epoch 0, number 2 (" + measurements.a + ":7): byte 33: "));
}

// proves: file-resume
TEST(CsvRows, ResumeAtEachRow) {
  const Measurements measurements;
  const auto rows = measurements.rows(3);
  auto run = rows.run();
  for (std::size_t taken = 0; taken <= measurements.expected.size(); ++taken) {
    std::vector<Measurement> outputs(measurements.expected.begin(),
                                     measurements.expected.begin() + static_cast<std::ptrdiff_t>(taken));
    for (const Measurement& row : rows.run(run.checkpoint())) outputs.push_back(row);
    EXPECT_EQ(outputs, measurements.expected) << taken;
    static_cast<void>(run.next());
  }
}

TEST(CsvRows, MayBeSkippedSteppedAndSharded) {
  const TemporaryDirectory directory;
  std::string text;
  for (int i = 0; i < 10; ++i) text += "\"row\n" + std::to_string(i) + "\"," + std::to_string(i) + "\n";
  const auto rows = csv_rows<Measurement>(directory.file("a.csv", text));
  const auto second = [](const auto& data) {
    std::vector<double> numbers;
    for (const Measurement& row : outputs_of(data)) numbers.push_back(std::get<1>(row));
    return numbers;
  };
  EXPECT_EQ(second(rows.skip(7)), (std::vector<double>{7, 8, 9}));
  EXPECT_EQ(second(rows.step_by(4)), (std::vector<double>{0, 4, 8}));
  EXPECT_EQ(second(rows.shard(2, 3)), (std::vector<double>{2, 5, 8}));
}

TEST(CsvRows, OfAMissingFileAreAFailure) {
  const Measurements measurements;
  const std::string missing = measurements.directory.name("none.csv");
  EXPECT_TRUE(contains(message_of<DatasetError>([&] { return outputs_of(csv_rows(missing)); }), missing));
  EXPECT_EQ(outputs_of(csv_rows({missing, measurements.b}, {.on_error = skip(1)})).size(), 3U);
}

// proves: impossible-setting
TEST(CsvRows, RejectImpossibleOptions) {
  const auto rejected = [](const CsvOptions& options) {
    return rejection([&] { return csv_rows<Measurement>("a.csv", options); });
  };
  for (const char delimiter : {'"', '\n', '\r'}) {
    EXPECT_EQ(rejected({.delimiter = delimiter}),
              "forebay: csv_rows: delimiter must be neither the quote nor part of the end of a line");
  }
  EXPECT_EQ(rejected({.quote = '\n'}), "forebay: csv_rows: quote must not be part of the end of a line");
  EXPECT_EQ(rejected({.delimiter = ';', .quote = ';'}),
            "forebay: csv_rows: delimiter must be neither the quote nor part of the end of a line");
  EXPECT_EQ(rejected({.columns = {"x", "y"}}), "forebay: csv_rows: columns needs a header");
  EXPECT_EQ(rejected({.header = true, .columns = {"x"}}),
            "forebay: csv_rows: the tuple has 2 elements, but columns names 1");
  EXPECT_EQ(rejected({.largest_row = 0}), "forebay: csv_rows: largest_row must be at least 1, not 0");
  EXPECT_EQ(rejected({.buffer_size = -1}), "forebay: csv_rows: buffer_size must be at least 1, not -1");
}

}  // namespace
}  // namespace forebay_test
