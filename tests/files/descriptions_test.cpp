// SPDX-License-Identifier: MIT
//
// descriptions_test.cpp: what the descriptions of data sets of files contain: every setting that affects the outputs,
// so that no checkpoint fits another setting, and the buffers of the files.

#include <gtest/gtest.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/files.hpp"
#include "tests/support/contains.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/thrown.hpp"

namespace forebay_test {
namespace {

using forebay::csv_rows;
using forebay::CsvOptions;
using forebay::Dataset;
using forebay::DatasetDescription;
using forebay::fixed_size_records;
using forebay::length_prefixed_records;

using Strings = std::vector<std::string>;

constexpr std::uint64_t usual = 262'144;

template <class T>
std::string description_of(const Dataset<T>& data) {
  return data.node()->properties().description;
}

std::string csv_description(const CsvOptions& options) { return description_of(csv_rows("a.csv", options)); }

std::uint64_t memory_of(const DatasetDescription& description, std::string_view name) {
  for (const auto& stage : description.stages) {
    if (stage.name == name) return stage.bytes;
  }
  ADD_FAILURE() << "there is no stage " << name;
  return 0;
}

// ---- Settings

// proves: bad-checkpoint
TEST(DescriptionOfFiles, HasEverySettingOfCsvRowsThatAffectsTheRows) {
  EXPECT_EQ(csv_description({}), "from_slices 1 > csv_rows");
  EXPECT_EQ(csv_description({.header = true}), "from_slices 1 > csv_rows header");
  EXPECT_EQ(csv_description({.header = true, .columns = {"id", "price"}, .delimiter = ';', .largest_row = 100}),
            "from_slices 1 > csv_rows header columns id,price delimiter ; largest row 100");
  EXPECT_EQ(csv_description({.quote = '\0', .keep_empty_lines = true}),
            "from_slices 1 > csv_rows quote %00 keeps empty lines");
  EXPECT_EQ(csv_description({.on_error = forebay::skip(6)}), "from_slices 1 > csv_rows, skips 6");
  EXPECT_EQ(csv_description({.buffer_size = 100}), csv_description({}));
}

TEST(DescriptionOfFiles, KeepsNamesOfColumnsApart) {
  const auto of_columns = [](const Strings& columns) {
    return csv_description({.header = true, .columns = columns, .delimiter = '\t'});
  };
  EXPECT_EQ(of_columns({"a > b", "c | d\n"}),
            "from_slices 1 > csv_rows header columns a%20%3E%20b,c%20%7C%20d%0A delimiter %09");
  EXPECT_NE(of_columns({"a,b"}), of_columns({"a", "b"}));
  EXPECT_NE(of_columns({"a%20b"}), of_columns({"a b"}));
}

// proves: bad-checkpoint
TEST(DescriptionOfFiles, HasTheSettingsOfRecords) {
  const TemporaryDirectory directory;
  const std::string file = directory.file("a", std::string(32, 'a'));
  EXPECT_EQ(description_of(fixed_size_records(file, 8)), "fixed_size_records 4 of 8 bytes");
  EXPECT_EQ(description_of(fixed_size_records(file, 4, {.header = 16})), "fixed_size_records 4 of 4 bytes, header 16");
  EXPECT_EQ(description_of(fixed_size_records<std::int32_t>(file, {.header = 8})),
            "fixed_size_records 6 of 4 bytes, header 8");
  EXPECT_EQ(description_of(length_prefixed_records(file)),
            "from_slices 1 > length_prefixed_records 4 bytes little-endian");
  EXPECT_EQ(description_of(length_prefixed_records(file, {.bytes = 8, .byte_order = std::endian::big})),
            "from_slices 1 > length_prefixed_records 8 bytes big-endian");
}

// proves: bad-checkpoint
TEST(DescriptionOfFiles, NamesTheFormat) {
  EXPECT_EQ(description_of(forebay::tfrecords("a")), "from_slices 1 > tfrecords");
  EXPECT_EQ(description_of(forebay::tar_entries("a")), "from_slices 1 > tar_entries");
  EXPECT_EQ(description_of(forebay::webdataset("a")), "from_slices 1 > webdataset");
}

// proves: bad-checkpoint
TEST(DescriptionOfFiles, RejectsTheCheckpointOfAnotherSetting) {
  const TemporaryDirectory directory;
  const std::string file = directory.file("a.csv", "x,y\n1,2\n3,4\n");
  auto run = csv_rows(file, {.header = true, .columns = {"x"}}).run();
  static_cast<void>(run.next());
  const std::string checkpoint = run.checkpoint();
  EXPECT_EQ(csv_rows(file, {.header = true, .columns = {"x"}}).run(checkpoint).next().value()[0], "3");
  const std::string message = message_of<std::invalid_argument>(
      [&] { return csv_rows(file, {.header = true, .columns = {"y"}}).run(checkpoint); });
  EXPECT_TRUE(contains(message, "csv_rows header columns x")) << message;
  EXPECT_TRUE(contains(message, "csv_rows header columns y")) << message;
}

// ---- Buffers

constexpr std::uint64_t a_name = sizeof(std::string);  // of a file, which the stage holds

// proves: describe
TEST(DescriptionOfFiles, CountsTheBufferOfTheFileThatIsRead) {
  EXPECT_EQ(memory_of(forebay::tfrecords({"a", "b"}).describe(), "tfrecords"), usual + a_name);
  EXPECT_EQ(memory_of(csv_rows("a", {.buffer_size = 5000}).describe(), "csv_rows"), 5000U + a_name);
  EXPECT_EQ(memory_of(forebay::text_lines("a").describe(), "text_lines"), 65'536U + a_name);
  EXPECT_EQ(forebay::tar_entries("a").describe().bytes(), usual + a_name + 2 * sizeof(forebay::TarEntry));
}

// proves: describe
TEST(DescriptionOfFiles, CountsTheBuffersOfAllOpenReaders) {
  const auto memory = [](std::size_t files, std::size_t cycle) {
    return memory_of(
        forebay::from_slices(Strings(files))
            .interleave({.cycle = cycle}, [](const std::string& name) { return forebay::TFRecordReader(name); })
            .describe(),
        "interleave");
  };
  EXPECT_EQ(memory(100, 8), 8 * usual + a_name);
  EXPECT_EQ(memory(3, 8), 3 * usual + a_name) << "there are no more files";
  const auto read_by_threads =
      forebay::from_slices(Strings(9)).interleave({.cycle = 4, .prefetch = 10}, [](const std::string& name) {
        return forebay::FixedSizeReader(name, 8);
      });
  EXPECT_EQ(memory_of(read_by_threads.describe(), "interleave"), 4 * usual + 60 * sizeof(std::string) + a_name);
  const auto one = forebay::from_callable(forebay::per_epoch([] { return forebay::TFRecordReader("a"); }));
  EXPECT_EQ(memory_of(one.describe(), "from_callable"), usual);
}

// proves: describe
TEST(DescriptionOfFiles, CountsABufferForEachIndexedFileUpToSixtyFour) {
  const TemporaryDirectory directory;
  const std::string small = directory.file("small", "a");
  const std::string large = directory.file("large", std::string(2 * usual, 'a'));
  EXPECT_EQ(memory_of(fixed_size_records({small, large}, 1).describe(), "fixed_size_records"), 4096 + usual);
  EXPECT_EQ(memory_of(fixed_size_records(Strings(100, small), 1).describe(), "fixed_size_records"), 64 * 4096U);
}

}  // namespace
}  // namespace forebay_test
