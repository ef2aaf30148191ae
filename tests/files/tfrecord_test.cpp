// SPDX-License-Identifier: MIT
//
// tfrecord_test.cpp: tfrecords and indexed_tfrecords, of valid and damaged files; and CRC32C.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/dataset_error.hpp"
#include "forebay/files/crc32c.hpp"
#include "forebay/record_files.hpp"
#include "tests/support/contains.hpp"
#include "tests/support/damaged_files.hpp"
#include "tests/support/pipeline_output.hpp"
#include "tests/support/repository.hpp"
#include "tests/support/resume_points.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/tfrecord_bytes.hpp"
#include "tests/support/thrown.hpp"

namespace forebay_test {
namespace {

using forebay::DatasetError;
using forebay::FileError;
using forebay::indexed_tfrecords;
using forebay::Position;
using forebay::TFRecordReader;
using forebay::tfrecords;

using Strings = std::vector<std::string>;

// ---- CRC32C

struct Vector {
  std::string bytes;
  std::uint32_t crc;
};

/// RFC 3720, B.4, and the usual check value.
std::vector<Vector> vectors() {
  std::string ascending;
  for (char i = 0; i < 32; ++i) ascending += i;
  const std::string command(
      "\x01\xc0\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x14\x00\x00\x00\x00\x00\x04\x00\x00\x00\x00"
      "\x14"
      "\x00\x00\x00\x18\x28\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00",
      48);
  return {{std::string(32, '\0'), 0x8a9136aa},
          {std::string(32, '\xff'), 0x62a8ab43},
          {ascending, 0x46dd794e},
          {{ascending.rbegin(), ascending.rend()}, 0x113fdb5c},
          {command, 0xd9963a56},
          {"123456789", 0xe3069283},
          {"", 0}};
}

TEST(Crc32c, IsThatOfTheStandard) {
  for (const Vector& vector : vectors()) {
    EXPECT_EQ(forebay::detail::crc32c(vector.bytes), vector.crc);
    EXPECT_EQ(~forebay::detail::crc32c_by_tables(~0U, vector.bytes), vector.crc);
  }
}

TEST(Crc32c, IsTheSameByTablesAndByInstruction) {
  std::string bytes(9000, '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>((i * i * 31) >> 5U);
  for (const std::size_t begin : {0U, 1U, 2U, 3U, 7U}) {
    for (const std::size_t size : {1U, 2U, 7U, 8U, 9U, 63U, 64U, 65U, 767U, 768U, 769U, 3000U, 8900U}) {
      const std::string_view part = std::string_view(bytes).substr(begin, size);
      const std::uint32_t crc = crc32c_by_bits(part);
      EXPECT_EQ(~forebay::detail::crc32c_by_tables(~0U, part), crc) << begin << ' ' << size;
      if (!forebay::detail::has_crc32c_instruction()) continue;
      EXPECT_EQ(~forebay::detail::crc32c_by_instruction(~0U, part), crc) << begin << ' ' << size;
    }
  }
}

TEST(Crc32c, IsMasked) {
  // RFC 3720's zeros, rotated by 15 bits and increased
  EXPECT_EQ(forebay::detail::masked_crc32c(std::string(32, '\0')),
            ((0x8a9136aaU >> 15U) | (0x8a9136aaU << 17U)) + 0xa282ead8U);
}

// ---- Valid files

const Strings few{"one", "", "three", std::string("a\0b", 3), "a somewhat longer record"};

std::string bytes_of_records(const Strings& records) {
  std::string bytes;
  for (const std::string& record : records) bytes += tfrecord(record);
  return bytes;
}

Strings read_all(const std::string& name) {
  TFRecordReader reader(name, {.buffer_size = 16});
  Strings records;
  for (std::string record; reader(record);) records.push_back(record);
  return records;
}

TEST(TFRecords, OfKnownBytesAreRead) {
  // One record, "x", with the checksums of TensorFlow's own writer
  const std::string bytes = tfrecord("x");
  EXPECT_EQ(bytes.substr(0, 8), std::string("\x01\0\0\0\0\0\0\0", 8));
  EXPECT_EQ(bytes.size(), 17U);
  const TemporaryDirectory directory;
  EXPECT_EQ(outputs_of(tfrecords(directory.file("a", bytes))), Strings{"x"});
}

TEST(TFRecords, OfSeveralFilesAreReadInOrder) {
  const TemporaryDirectory directory;
  const std::string a = directory.file("a", bytes_of_records(few));
  const std::string empty = directory.file("empty", "");
  Strings twice = few;
  twice.insert(twice.end(), few.begin(), few.end());
  EXPECT_EQ(outputs_of(tfrecords({a, empty, a})), twice);
  EXPECT_EQ(outputs_of(tfrecords(Strings{a, a})), twice);
  EXPECT_EQ(outputs_of(tfrecords(std::filesystem::path(a))), few);
  EXPECT_EQ(outputs_of(indexed_tfrecords({a, empty, a})), twice);
}

TEST(TFRecords, OfAnotherWriterAreRead) {
  const Strings records = outputs_of(tfrecords(data_file("three.tfrecord")));
  ASSERT_EQ(records.size(), 3U);
  for (std::size_t i = 0; i < records.size(); ++i) {
    EXPECT_EQ(records[i].size(), 133U);
    EXPECT_TRUE(contains(records[i], "image" + std::to_string(i) + ".png"));
  }
  EXPECT_EQ(outputs_of(indexed_tfrecords(data_file("three.tfrecord"))), records);
}

TEST(TFRecords, MayBeLargerThanTheBuffer) {
  const TemporaryDirectory directory;
  const Strings records{std::string(1'000'000, 'a'), "b", std::string(300'000, 'c')};
  const std::string file = directory.file("a", bytes_of_records(records));
  EXPECT_TRUE(outputs_of(tfrecords(file)) == records);
  EXPECT_TRUE(outputs_of(indexed_tfrecords(file)) == records);
}

// proves: file-resume
TEST(TFRecords, ResumeAfterEveryElement) {
  const TemporaryDirectory directory;
  const Strings files{directory.file("a", bytes_of_records(few)), directory.file("b", bytes_of_records({"6", "7"}))};
  check_every_resume_point(tfrecords(files).repeat(2));
  check_every_resume_point(tfrecords(files).seed(2).shuffle(3).shard(1, 2));
  check_every_resume_point<std::string>(indexed_tfrecords(files).seed(2).shuffle().shard(1, 2).repeat(2));
}

// proves: file-resume
TEST(TFRecords, DoNotResumeInAFileThatIsShorterNow) {
  const TemporaryDirectory directory;
  const std::string file = directory.file("a", bytes_of_records(few));
  const auto data = tfrecords(file);
  const std::string checkpoint = checkpoint_after(data, 2);
  write_file(file, tfrecord("one"));
  EXPECT_THROW(drained(data.run(checkpoint)), DatasetError);
  TFRecordReader reader(file);
  EXPECT_EQ(message_of<FileError>([&] { reader.seek(35); }),
            file + ": byte 19: the file ends before byte 35, where the run should resume");
  reader.seek(19);
  std::string record;
  EXPECT_FALSE(reader(record));
}

TEST(TFRecords, AreSkippedByTheirLengths) {
  const TemporaryDirectory directory;
  std::string bytes = bytes_of_records(few);
  bytes[31] = 'x';  // the checksum of the second record: skipping does not look at it
  const std::string file = directory.file("a", bytes);
  TFRecordReader reader(file, {.buffer_size = 8});
  std::string record;
  EXPECT_EQ(reader.skip(2), 2U);
  EXPECT_TRUE(reader(record));
  EXPECT_EQ(record, "three");
  EXPECT_EQ(reader.location(), file + ": byte 35");
  EXPECT_EQ(reader.skip(100), 2U);
  EXPECT_FALSE(reader(record));
  EXPECT_EQ(outputs_of(tfrecords(file).step_by(2)), (Strings{few[0], few[2], few[4]}));
}

TEST(TFRecords, WithAnIndexAreReadInAnyOrder) {
  const TemporaryDirectory directory;
  const std::string file = directory.file("a", bytes_of_records(few));
  const auto records = indexed_tfrecords({file, file});
  EXPECT_EQ(records.size(), 10U);
  EXPECT_EQ(records[9], few[4]);
  EXPECT_EQ(records[3], few[3]);
  Strings shuffled = outputs_of(records.seed(1).shuffle());
  Strings twice = few;
  twice.insert(twice.end(), few.begin(), few.end());
  EXPECT_NE(shuffled, twice);
  std::sort(shuffled.begin(), shuffled.end());
  std::sort(twice.begin(), twice.end());
  EXPECT_EQ(shuffled, twice);
}

// ---- Damaged files

// proves: file-damage
TEST(TFRecords, OfDamagedFilesAreErrorsOrData) {
  const std::string valid = bytes_of_records(few);
  check_truncated_files(valid, read_all);
  check_flipped_bits(valid, 0, valid.size(), read_all);
}

// proves: file-damage
TEST(TFRecords, OfDamagedFilesWithAnIndexAreErrorsOrData) {
  const auto read = [](const std::string& name) {
    const auto records = indexed_tfrecords(name);
    Strings all;
    for (std::size_t i = 0; i < records.size(); ++i) all.push_back(records[i]);
    return all;
  };
  const std::string valid = bytes_of_records(few);
  check_truncated_files(valid, read);
  check_flipped_bits(valid, 0, valid.size(), read);
}

// proves: file-damage
TEST(TFRecords, OfAnImpossibleLengthAreAFailureEvenIfItsChecksumIsRight) {
  const TemporaryDirectory directory;
  for (const std::uint64_t length : {std::uint64_t{5}, std::uint64_t{1} << 31U, std::uint64_t{1} << 63U,
                                     ~std::uint64_t{0}, ~std::uint64_t{0} - 3}) {
    const std::string file = directory.file("a", tfrecord("one") + tfrecord_header(length) + "four");
    const std::string message = message_of<DatasetError>([&] { return outputs_of(tfrecords(file)); });
    EXPECT_TRUE(contains(message, file + ": byte 19: the record has " + std::to_string(length) + " bytes, more than"));
    EXPECT_TRUE(contains(message_of<FileError>([&] { return indexed_tfrecords(file); }), file + ": byte 19: "));
  }
}

// proves: file-damage, file-resume, skip
TEST(TFRecords, ContinueAfterDamagedData) {
  const TemporaryDirectory directory;
  std::string bytes = bytes_of_records({"one", "two", "three", "four", "five", "six"});
  for (const char* const damaged : {"two", "three", "four", "six"}) bytes[bytes.find(damaged)] = 'X';
  const Strings files{directory.file("a", bytes), directory.file("b", tfrecord("seven"))};
  const auto data = tfrecords(files, {.on_error = forebay::skip(4)});
  EXPECT_EQ(outputs_of(data), (Strings{"one", "five", "seven"}));
  check_every_resume_point(data.repeat(2));
  EXPECT_EQ(
      message_of<DatasetError>([&] { return outputs_of(tfrecords(files, {.on_error = forebay::skip(2)})); }),
      "forebay: tfrecords, epoch 0, number 1: " + files[0] + ": byte 59: the data of the record has a wrong checksum");
}

TEST(TFRecords, ContinueWithTheNextFileAfterADamagedLength) {
  const TemporaryDirectory directory;
  const std::string one = tfrecord("one");
  std::string damaged = one + tfrecord("two") + tfrecord("three");
  damaged[one.size()] = 9;
  const Strings files{directory.file("a", damaged), directory.file("b", one + "\x01"), directory.name("missing"),
                      directory.file("c", tfrecord("four"))};
  const auto data = tfrecords(files, {.on_error = forebay::skip(3)});
  EXPECT_EQ(outputs_of(data), (Strings{"one", "one", "four"}));
  check_every_resume_point(data);
}

TEST(TFRecords, NameTheDamagedRecord) {
  const TemporaryDirectory directory;
  std::string bytes = bytes_of_records({"one", "two"});
  bytes.back() = static_cast<char>(bytes.back() + 1);
  const std::string file = directory.file("a", bytes);
  try {
    static_cast<void>(outputs_of(tfrecords(file)));
    FAIL() << "nothing was thrown";
  } catch (const DatasetError& error) {
    EXPECT_EQ(error.stage(), "tfrecords");
    EXPECT_EQ(error.position(), (Position{0, 1}));
    EXPECT_EQ(error.location(), file + ": byte 19");
    EXPECT_EQ(message_of<FileError>([&] { error.rethrow_nested(); }),
              file + ": byte 19: the data of the record has a wrong checksum");
  }
}

// proves: file-changed
TEST(TFRecords, OfAFileThatHasChangedAreAFailureWithAnIndex) {
  const TemporaryDirectory directory;
  const std::string file = directory.file("a", bytes_of_records({"one", "two"}));
  const auto records = indexed_tfrecords(file);
  write_file(file, bytes_of_records({"one"}));
  EXPECT_TRUE(contains(message_of<FileError>([&] { return records[0]; }), "when the data set was created"));
  write_file(file, bytes_of_records({"four", "fi"}));  // the same size
  EXPECT_TRUE(contains(message_of<FileError>([&] { return records[0]; }), "the length of the record has changed"));
}

}  // namespace
}  // namespace forebay_test
