// SPDX-License-Identifier: MIT
//
// file_failures_test.cpp: the messages with which data sets of files fail.

#include <gtest/gtest.h>

#include <cstddef>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "forebay/dataset.hpp"
#include "forebay/dataset_error.hpp"
#include "forebay/dataset_options.hpp"
#include "forebay/files.hpp"
#include "forebay/position.hpp"
#include "forebay/sources.hpp"
#include "tests/support/pipeline_output.hpp"
#include "tests/support/tar_archive.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/thrown.hpp"

namespace forebay_test {
namespace {

using forebay::DatasetError;

/// Returns the failure of a data set, with FILE instead of the name of the file.
template <class T>
std::string failure_of(const forebay::Dataset<T>& data, const std::string& file) {
  std::string message = message_of<DatasetError>([&] { return outputs_of(data); });
  for (std::size_t at = message.find(file); at != std::string::npos; at = message.find(file)) {
    message.replace(at, file.size(), "FILE");
  }
  return message;
}

// proves: file-failure
TEST(FailureOfAFile, NamesTheFileOnce) {
  const TemporaryDirectory directory;
  const std::string lengths = directory.file("lengths", std::string_view("\1\0\0\0x\2\0", 7));
  EXPECT_EQ(failure_of(forebay::length_prefixed_records(lengths), lengths),
            "forebay: length_prefixed_records, epoch 0, number 1: FILE: byte 7: the file ends within the length of a "
            "record");
  const std::string table = directory.file("table", "1\nx\n");
  EXPECT_EQ(failure_of(forebay::csv_rows<std::tuple<bool>>(table), table),
            "forebay: csv_rows, epoch 0, number 1 (FILE:2): byte 2: column 1: 'x' is not true, false, 1 or 0");
  const std::string archive = directory.file("archive", tar_entry("a", "1") + std::string(512, 'x'));
  EXPECT_EQ(failure_of(forebay::tar_entries(archive), archive),
            "forebay: tar_entries, epoch 0, number 1: FILE: byte 1024: the checksum of the tar header is wrong");
  EXPECT_EQ(failure_of(forebay::text_lines(directory.path()), directory.path()).substr(0, 62),
            "forebay: text_lines, epoch 0, number 0 (FILE:1): cannot read: ");
  const std::string lines = directory.file("lines", std::string_view("\x1f\x8b\x08\x00", 4));
  EXPECT_EQ(failure_of(forebay::text_lines(lines), lines).substr(0, 84),
            "forebay: text_lines, epoch 0, number 0 (FILE:1): the file is compressed by gzip: dec");
}

// proves: file-failure
TEST(FailureOfAFile, NamesTheFileOnceInAFlatMap) {
  const TemporaryDirectory directory;
  const std::string file = directory.file("records", std::string_view("\1\0\0\0x\2\0", 7));
  const auto records = forebay::from_slices({file}).flat_map(
      [](const std::string& name) { return forebay::LengthPrefixedReader(name); });
  EXPECT_EQ(failure_of(records, file),
            "forebay: flat_map, epoch 0, number 1: FILE: byte 7: the file ends within the length of a record");
}

// proves: file-failure
TEST(FailureOfAFile, NamesTheFileOnceIfItIsTheElement) {
  const TemporaryDirectory directory;
  const std::string file = directory.name("missing");
  const auto records = forebay::from_slices({file}).flat_map(
      [](const std::string& name) { return forebay::LengthPrefixedReader(name); });
  const std::string expected = "forebay: flat_map, epoch 0, number 0 (FILE): cannot open: ";
  EXPECT_EQ(failure_of(records, file).substr(0, expected.size()), expected);
}

// proves: named-element
TEST(FailureDownstreamOfCsvRows, NamesTheLineOfTheRow) {
  const TemporaryDirectory directory;
  using Row = std::tuple<std::string, int>;
  const std::string table = directory.file("table", "name,number\na,1\n\n\"b\nb\",2\nc,x\nd,4\n\re,5\n");
  const auto rows = forebay::csv_rows<Row>(table, {.header = true, .on_error = forebay::skip(1)});
  std::vector<std::string> failures;
  const auto note = [&failures](forebay::Position /*position*/, const std::exception_ptr& failure) {
    failures.push_back(message_of<DatasetError>([&] { std::rethrow_exception(failure); }));
  };
  const auto fails = [](const Row& row) -> int { throw std::runtime_error(std::get<0>(row)); };
  for (const int threads : {1, 2}) {
    failures.clear();
    EXPECT_TRUE(outputs_of(rows.map({.threads = threads, .on_error = forebay::redirect(note)}, fails)).empty());
    const auto message = [&table](int number, int line, const char* cause) {
      return "forebay: map, epoch 0, number " + std::to_string(number) + " (" + table + ':' + std::to_string(line) +
             "): " + cause;
    };
    EXPECT_EQ(failures, (std::vector<std::string>{message(0, 2, "a"), message(1, 4, "b\nb"), message(2, 7, "d"),
                                                  message(3, 9, "e")}));
  }
}

}  // namespace
}  // namespace forebay_test
