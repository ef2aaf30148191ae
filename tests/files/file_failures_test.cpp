// SPDX-License-Identifier: MIT
//
// file_failures_test.cpp: the messages with which data sets of files fail.

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <tuple>

#include "forebay/dataset.hpp"
#include "forebay/dataset_error.hpp"
#include "forebay/files.hpp"
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
            "forebay: length_prefixed_records, epoch 0, number 1, FILE: byte 7: the file ends within the length of a "
            "record");
  const std::string table = directory.file("table", "1\nx\n");
  EXPECT_EQ(failure_of(forebay::csv_rows<std::tuple<bool>>(table), table),
            "forebay: csv_rows, epoch 0, number 1, FILE:2: byte 2: column 1: 'x' is not true, false, 1 or 0");
  const std::string archive = directory.file("archive", tar_entry("a", "1") + std::string(512, 'x'));
  EXPECT_EQ(failure_of(forebay::tar_entries(archive), archive),
            "forebay: tar_entries, epoch 0, number 1, FILE: byte 1024: the checksum of the tar header is wrong");
  EXPECT_EQ(failure_of(forebay::text_lines(directory.path()), directory.path()).substr(0, 61),
            "forebay: text_lines, epoch 0, number 0, FILE:1: cannot read: ");
  const std::string lines = directory.file("lines", std::string_view("\x1f\x8b\x08\x00", 4));
  EXPECT_EQ(failure_of(forebay::text_lines(lines), lines).substr(0, 83),
            "forebay: text_lines, epoch 0, number 0, FILE:1: the file is compressed by gzip: dec");
}

// proves: file-failure
TEST(FailureOfAFile, NamesTheFileOnceInAFlatMap) {
  const TemporaryDirectory directory;
  const std::string file = directory.file("records", std::string_view("\1\0\0\0x\2\0", 7));
  const auto records = forebay::from_slices({file}).flat_map(
      [](const std::string& name) { return forebay::LengthPrefixedReader(name); });
  EXPECT_EQ(failure_of(records, file),
            "forebay: flat_map, epoch 0, number 1, FILE: byte 7: the file ends within the length of a record");
}

}  // namespace
}  // namespace forebay_test
