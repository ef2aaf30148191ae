// SPDX-License-Identifier: MIT
//
// record_files_test.cpp: fixed_size_records and length_prefixed_records, of valid and damaged files; and the records
// and lines of an index.

#include "forebay/record_files.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <latch>
#include <string>
#include <thread>
#include <vector>

#include "forebay/dataset_error.hpp"
#include "forebay/sources.hpp"
#include "tests/support/contains.hpp"
#include "tests/support/damaged_files.hpp"
#include "tests/support/pipeline_output.hpp"
#include "tests/support/resume_points.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/tfrecord_bytes.hpp"
#include "tests/support/thrown.hpp"

namespace forebay_test {
namespace {

using forebay::DatasetError;
using forebay::FileError;
using forebay::fixed_size_records;
using forebay::FixedSizeReader;
using forebay::indexed_length_prefixed_records;
using forebay::indexed_text_lines;
using forebay::length_prefixed_records;
using forebay::LengthPrefixedReader;
using forebay::LengthPrefixOptions;

using Strings = std::vector<std::string>;

struct Sample {
  std::int32_t label;
  float value;
  friend bool operator==(const Sample&, const Sample&) = default;
};

std::string bytes_of_samples(int first, int count) {
  std::string bytes;
  for (int i = first; i < first + count; ++i) {
    const Sample sample{i, static_cast<float>(i) / 2};
    bytes.append(reinterpret_cast<const char*>(&sample), sizeof sample);
  }
  return bytes;
}

// ---- Records of the same size

TEST(FixedSizeRecords, AreObjectsOfSeveralFiles) {
  const TemporaryDirectory directory;
  const Strings files{directory.file("a", bytes_of_samples(0, 3)), directory.file("empty", ""),
                      directory.file("b", bytes_of_samples(3, 1))};
  const auto samples = fixed_size_records<Sample>(files);
  EXPECT_EQ(samples.size(), 4U);
  EXPECT_EQ(samples[2], (Sample{2, 1.0F}));
  EXPECT_EQ(samples[3], (Sample{3, 1.5F}));
  EXPECT_EQ(fixed_size_records<Sample>({files[0], files[2]}).size(), 4U);
  EXPECT_EQ(fixed_size_records<Sample>(std::filesystem::path(files[0])).size(), 3U);
}

TEST(FixedSizeRecords, AreStringsOfBytes) {
  const TemporaryDirectory directory;
  const std::string file = directory.file("a", "abcdefghi");
  EXPECT_EQ(outputs_of(fixed_size_records(file, 3)), (Strings{"abc", "def", "ghi"}));
  EXPECT_EQ(outputs_of(fixed_size_records({file, file}, 9)), (Strings{"abcdefghi", "abcdefghi"}));
}

TEST(FixedSizeRecords, FollowAHeader) {
  const TemporaryDirectory directory;
  const Strings files{directory.file("a", "12abc"), directory.file("b", "34"), directory.file("c", "56defghi")};
  EXPECT_EQ(outputs_of(fixed_size_records(files, 3, {.header = 2})), (Strings{"abc", "def", "ghi"}));
}

TEST(FixedSizeRecords, AreReadInAnyOrderByThreads) {
  const TemporaryDirectory directory;
  Strings files;
  Strings all;
  for (int i = 0; i < 100; ++i) {  // more than are kept open
    std::string bytes;
    for (int k = 0; k < 20; ++k) {
      all.push_back(std::to_string(1000 + 20 * i + k));
      bytes += all.back();
    }
    files.push_back(directory.file("file" + std::to_string(i), bytes));
  }
  const auto same = [](const std::string& record) { return record; };
  const auto records = fixed_size_records(files, 4).seed(3);
  EXPECT_EQ(outputs_of(records.map({.threads = 3, .chunk = 4}, same)), all);
  Strings shuffled = outputs_of(records.shuffle().map({.threads = 3, .chunk = 4}, same));
  EXPECT_NE(shuffled, all);
  std::sort(shuffled.begin(), shuffled.end());
  EXPECT_EQ(shuffled, all);
}

TEST(FixedSizeRecords, AreReadByIndexFromSeveralThreads) {
  const TemporaryDirectory directory;
  const auto records = fixed_size_records<Sample>(
      {directory.file("a", bytes_of_samples(0, 300)), directory.file("b", bytes_of_samples(300, 300))});
  std::atomic<int> wrong = 0;
  std::latch start(3);
  const auto read_all = [&] {
    start.arrive_and_wait();
    for (int i = 0; i < 20 * 600; ++i) {
      if (records[i % 600].label != i % 600) ++wrong;
    }
  };
  {
    const std::jthread first(read_all);
    const std::jthread second(read_all);
    read_all();
  }
  EXPECT_EQ(wrong, 0);
}

TEST(FixedSizeRecords, OfALoopReuseMemory) {
  int reused = 0;
  const auto fill = [&reused](std::size_t i, std::string& into) {
    if (into.size() == 200) ++reused;
    into.assign(200, static_cast<char>('a' + i));
  };
  const auto data = forebay::detail::indexed_dataset<std::string>(20, "filled", fill);
  char expected = 'a';
  for (const std::string& element : data.run()) EXPECT_EQ(element, std::string(200, expected++));
  EXPECT_GE(reused, 10);
}

TEST(FixedSizeRecords, ResumeAfterEveryElement) {
  const TemporaryDirectory directory;
  const std::string file = directory.file("a", "abcdefghijklmnopqr");
  const auto records = fixed_size_records(file, 2).seed(1);
  check_every_resume_point<std::string>(records.repeat(2));
  check_every_resume_point<std::string>(records.shuffle().shard(1, 2).repeat(2));
}

TEST(FixedSizeRecords, OfAnyNumberInAFileAreReadInRuns) {
  const TemporaryDirectory directory;
  Strings files;
  int next = 0;
  for (const int count : {0, 1, 31, 0, 32, 33, 1, 100}) {
    files.push_back(directory.file(std::to_string(files.size()), bytes_of_samples(next, count)));
    next += count;
  }
  const auto all = fixed_size_records<Sample>(files).seed(3);
  const auto check = [](const forebay::IndexedDataset<Sample>& samples) {
    std::vector<Sample> expected;
    for (std::size_t i = 0; i < samples.size(); ++i) expected.push_back(samples[i]);
    EXPECT_EQ(outputs_of(samples), expected);
    EXPECT_EQ(outputs_of(samples.batch(7).unbatch()), expected);
    const auto has_its_number = [](const Sample& sample, forebay::Context& context) {
      return static_cast<std::uint64_t>(sample.label) == context.position().number ? 1 : 0;
    };
    const auto any = [](const Sample&) { return true; };  // a map alone would fetch each record itself
    const auto each = samples.filter(any).map(has_its_number).batch(20).unbatch();  // a batch asks for several
    EXPECT_EQ(outputs_of(each), std::vector<int>(samples.size(), 1));
  };
  check(all);
  check(all.skip(30).take(40));
  check(all.take(40).skip(30).take(1));
  check(all.step_by(3));
  check(all.shard(1, 2).skip(5));
  check(all.shuffle_pages(10));
  check(all.shuffle().take(50));
  check(all.take(0));
}

TEST(FixedSizeRecords, ReadInRunsResumeAfterEveryElement) {
  const TemporaryDirectory directory;
  const auto samples = fixed_size_records<Sample>(
      {directory.file("a", bytes_of_samples(0, 33)), directory.file("b", bytes_of_samples(33, 7))});
  check_every_resume_point<Sample>(samples.repeat(2));
  check_every_resume_point<Sample>(samples.skip(3).shuffle(5));
}

TEST(FixedSizeRecords, RejectAFileThatEndsWithinARecord) {
  const TemporaryDirectory directory;
  const std::string file = directory.file("a", "12345678");
  EXPECT_EQ(message_of<FileError>([&] { return fixed_size_records(file, 3); }),
            file + ": byte 8: the file ends within a record: 2 of 3 bytes are there");
  EXPECT_EQ(message_of<FileError>([&] { return fixed_size_records(file, 3, {.header = 9}); }),
            file + ": byte 8: the file ends within its header of 9 bytes");
}

TEST(FixedSizeRecords, RejectARecordOfNoBytes) {
  EXPECT_EQ(rejection([] { return fixed_size_records("a", 0); }),
            "forebay: fixed_size_records: record_size must be at least 1, not 0");
  EXPECT_EQ(rejection([] { return fixed_size_records("a", 1, {.header = -1}); }),
            "forebay: fixed_size_records: header must be at least 0, not -1");
}

TEST(FixedSizeRecords, RejectADevice) {
  const std::string device = "/dev/zero";
  if (!std::filesystem::is_character_file(device)) GTEST_SKIP() << "there is no " << device;
  EXPECT_EQ(message_of<FileError>([&] { return fixed_size_records(device, 1); }), device + ": is not a regular file");
  EXPECT_EQ(message_of<FileError>([&] { return forebay::indexed_tfrecords(device); }),
            device + ": is not a regular file");
}

// proves: file-changed
TEST(FixedSizeRecords, OfAFileThatHasChangedAreAFailure) {
  const TemporaryDirectory directory;
  const std::string file = directory.file("a", "123456");
  const auto records = fixed_size_records(file, 3);
  for (const char* const bytes : {"123", "123456789", ""}) {
    write_file(file, bytes);
    const std::string message = message_of<DatasetError>([&] { return outputs_of(records); });
    EXPECT_TRUE(contains(message, "fixed_size_records, epoch 0, number 0: " + file + ": byte "));
    EXPECT_TRUE(contains(message, "but had 6 when the data set was created"));
  }
  std::filesystem::remove(file);
  EXPECT_TRUE(contains(message_of<DatasetError>([&] { return outputs_of(records); }), file + ": cannot open"));
}

TEST(FixedSizeRecords, OfAFileThatIsTruncatedWhileItIsReadAreAFailure) {
  const TemporaryDirectory directory;
  const std::string file = directory.file("a", std::string(20'000, 'a'));
  const auto records = fixed_size_records(file, 5000);
  EXPECT_EQ(records[0].size(), 5000U);
  std::filesystem::resize_file(file, 12'000);
  EXPECT_EQ(records[1].size(), 5000U);
  EXPECT_EQ(message_of<FileError>([&] { return records[3]; }), file + ": byte 15000: the file ends within a record");
  EXPECT_TRUE(contains(message_of<FileError>([&] { return records[0]; }), "has 12000 bytes now, but had 20000"));
}

TEST(FixedSizeReader, ReadsRecordsAfterAHeader) {
  const TemporaryDirectory directory;
  const std::string file = directory.file("a", "12abcdefghi");
  FixedSizeReader reader(file, 3, {.header = 2});
  std::string record;
  EXPECT_TRUE(reader(record));
  EXPECT_EQ(record, "abc");
  EXPECT_EQ(reader.cursor(), 5U);
  EXPECT_EQ(reader.skip(1), 1U);
  EXPECT_TRUE(reader(record));
  EXPECT_EQ(record, "ghi");
  EXPECT_EQ(reader.location(), file + ": byte 8");
  EXPECT_FALSE(reader(record));
  reader.seek(5);
  EXPECT_EQ(reader.skip(~std::uint64_t{0}), 2U);
}

TEST(FixedSizeReader, ReportsAFileThatEndsWithinARecord) {
  const TemporaryDirectory directory;
  const std::string file = directory.file("a", "abcde");
  const std::string message = file + ": byte 5: the file ends within a record: 2 of 3 bytes are there";
  FixedSizeReader reader(file, 3);
  std::string record;
  EXPECT_TRUE(reader(record));
  EXPECT_EQ(message_of<FileError>([&] { return reader(record); }), message);
  EXPECT_FALSE(reader(record));
  reader.seek(0);
  EXPECT_EQ(message_of<FileError>([&] { return reader.skip(2); }), message);
  EXPECT_EQ(message_of<FileError>([&] { FixedSizeReader(file, 3, {.header = 6}); }),
            file + ": byte 5: the file ends within its header of 6 bytes");
}

TEST(FixedSizeReader, ResumesInAnInterleave) {
  const TemporaryDirectory directory;
  const Strings files{directory.file("a", "aabbcc"), directory.file("b", "ddee"), directory.file("c", "ff")};
  const auto data =
      forebay::from_slices(files).interleave(2, 1, [](const std::string& name) { return FixedSizeReader(name, 2); });
  EXPECT_EQ(outputs_of(data), (Strings{"aa", "dd", "bb", "ee", "cc", "ff"}));
  check_every_resume_point(data);
}

// ---- Records with a length

std::string big_endian(std::uint64_t number, std::size_t size) {
  const std::string bytes = little_endian(number, size);
  return {bytes.rbegin(), bytes.rend()};
}

std::string prefixed(const Strings& records, std::size_t size = 4) {
  std::string bytes;
  for (const std::string& record : records) bytes += little_endian(record.size(), size) + record;
  return bytes;
}

const Strings few{"one", "", "three", "fourth record", "five"};

TEST(LengthPrefixedRecords, HaveLengthsOfEveryKind) {
  const TemporaryDirectory directory;
  for (const std::size_t size : {4U, 8U}) {
    for (const std::endian order : {std::endian::little, std::endian::big}) {
      const auto number = order == std::endian::little ? little_endian : big_endian;
      const std::string file = directory.file("a", number(2, size) + "ab" + number(0, size) + number(1, size) + "c");
      EXPECT_EQ(outputs_of(length_prefixed_records(file, {.bytes = size, .byte_order = order})),
                (Strings{"ab", "", "c"}));
    }
  }
}

TEST(LengthPrefixedRecords, OfSeveralFilesAreReadInOrder) {
  const TemporaryDirectory directory;
  const std::string a = directory.file("a", prefixed({"one", "two"}));
  const std::string empty = directory.file("empty", "");
  EXPECT_EQ(outputs_of(length_prefixed_records({a, empty, a})), (Strings{"one", "two", "one", "two"}));
}

TEST(LengthPrefixedRecords, MayBeLargerThanTheBuffer) {
  const TemporaryDirectory directory;
  const Strings records{std::string(1'000'000, 'a'), "b", std::string(300'000, 'c')};
  EXPECT_TRUE(outputs_of(length_prefixed_records(directory.file("a", prefixed(records)))) == records);
}

TEST(LengthPrefixedRecords, RejectLengthsOfOtherSizes) {
  for (const int bytes : {0, 3, 5, 16}) {
    EXPECT_TRUE(contains(rejection([&] { return length_prefixed_records("a", {.bytes = bytes}); }),
                         "length_prefixed_records: bytes must be "));
  }
}

// proves: file-resume
TEST(LengthPrefixedRecords, ResumeAfterEveryElement) {
  const TemporaryDirectory directory;
  const Strings files{directory.file("a", prefixed(few)), directory.file("b", prefixed({"six", "seven"}))};
  check_every_resume_point(length_prefixed_records(files).repeat(2));
  check_every_resume_point(length_prefixed_records(files).seed(2).shuffle(3).shard(1, 2));
}

TEST(LengthPrefixedRecords, AreSkippedByTheirLengths) {
  const TemporaryDirectory directory;
  const std::string file = directory.file("a", prefixed(few));
  LengthPrefixedReader reader(file);
  std::string record;
  EXPECT_EQ(reader.skip(3), 3U);
  EXPECT_TRUE(reader(record));
  EXPECT_EQ(record, "fourth record");
  EXPECT_EQ(reader.location(), file + ": byte 20");
  EXPECT_EQ(reader.skip(3), 1U);
  EXPECT_FALSE(reader(record));
}

// proves: file-damage
TEST(LengthPrefixedRecords, OfDamagedFilesAreErrorsOrData) {
  const auto read = [](const std::string& name) {
    LengthPrefixedReader reader(name, {}, {.buffer_size = 16});
    Strings records;
    for (std::string record; reader(record);) records.push_back(record);
    return records;
  };
  const std::string valid = prefixed(few);
  check_truncated_files(valid, read);
  check_flipped_bits(valid, 0, valid.size(), read, MayReturn::any_data);
}

// proves: file-damage
TEST(LengthPrefixedRecords, OfAnImpossibleLengthAreAFailure) {
  const TemporaryDirectory directory;
  const std::string ff(8, '\xff');
  for (const std::string& length :
       {little_endian(1, 8), little_endian(std::uint64_t{1} << 63U, 8), little_endian(1U << 31U, 8), ff}) {
    const std::string file = directory.file("a", prefixed({"one"}, 8) + length);
    const auto records = length_prefixed_records(file, {.bytes = 8});
    const std::string message = message_of<DatasetError>([&] { return outputs_of(records); });
    EXPECT_TRUE(
        contains(message, "length_prefixed_records, epoch 0, number 1: " + file + ": byte 11: the record has "));
    EXPECT_TRUE(contains(message, " bytes, more than are left in the file"));
  }
}

TEST(LengthPrefixedRecords, ContinueWithTheNextFileAfterDamage) {
  const TemporaryDirectory directory;
  const Strings files{directory.file("a", prefixed({"one"}) + "\xff\xff"),
                      directory.file("b", prefixed({"two"}) + "\x09\x01\x01\x01" + prefixed({"lost"})),
                      directory.name("missing"), directory.file("c", prefixed({"three"}))};
  const auto records = length_prefixed_records(files, {}, {.on_error = forebay::skip(3)});
  EXPECT_EQ(outputs_of(records), (Strings{"one", "two", "three"}));
  check_every_resume_point(records);
  EXPECT_TRUE(contains(message_of<DatasetError>([&] {
                         return outputs_of(length_prefixed_records(files, {}, {.on_error = forebay::skip(2)}));
                       }),
                       "missing): cannot open"));
}

// ---- Random access

std::string with_lengths(const std::string& magic, const Strings& records) {
  std::string bytes;
  for (const std::string& record : records) (bytes += magic + little_endian(record.size(), 4)) += record;
  return bytes;
}

TEST(IndexedLengthPrefixedRecords, AreThoseInOrder) {
  const TemporaryDirectory directory;
  const Strings records{"one", "", std::string(100'000, 'x'), "four"};
  for (const std::string magic : {"", "BINP", "12345678"}) {
    const std::string file = directory.file("a" + magic, with_lengths(magic, records));
    const std::string empty = directory.file("empty", "");
    const auto data = indexed_length_prefixed_records({file, empty, file}, {.magic = magic});
    Strings expected = records;
    expected.insert(expected.end(), records.begin(), records.end());
    EXPECT_TRUE(outputs_of(data) == expected);
    EXPECT_TRUE(outputs_of(length_prefixed_records({file, empty, file}, {.magic = magic})) == expected);
    std::string record;
    for (std::size_t i = data.size(); i-- > 0;) {
      data.read(i, record);
      EXPECT_TRUE(record == expected[i]) << i;
    }
  }
}

TEST(IndexedLengthPrefixedRecords, ResumeAfterEveryElement) {
  const TemporaryDirectory directory;
  const std::string file = directory.file("a", with_lengths("BINP", {"1", "22", "333", "4444"}));
  const auto data = indexed_length_prefixed_records(file, {.magic = "BINP"});
  check_every_resume_point<std::string>(data.seed(2).shuffle().repeat(2));
  check_every_resume_point<std::string>(length_prefixed_records(file, {.magic = "BINP"}).repeat(2));
}

// proves: file-damage
TEST(LengthPrefixedRecords, WithAWrongMagicAreFailures) {
  const TemporaryDirectory directory;
  const std::string file = directory.file("a", with_lengths("BINP", {"one", "two"}) + with_lengths("BIMP", {"three"}));
  const std::string fault = file + ": byte 22: the record does not begin with the magic bytes";
  const LengthPrefixOptions options{.magic = "BINP"};
  EXPECT_EQ(message_of<FileError>([&] { return indexed_length_prefixed_records(file, options); }), fault);
  LengthPrefixedReader reader(file, options);
  std::string record;
  EXPECT_TRUE(reader(record) && reader(record));
  EXPECT_EQ(message_of<FileError>([&] { return reader(record); }), fault);
  EXPECT_FALSE(reader(record));
  const std::string too_long = "forebay: length_prefixed_records: magic must have at most 8 bytes, not 9";
  EXPECT_EQ(rejection([&] { return length_prefixed_records(file, {.magic = "123456789"}); }), too_long);
  EXPECT_EQ(rejection([&] { return indexed_length_prefixed_records(file, {.magic = "123456789"}); }), too_long);
}

TEST(LengthPrefixedRecords, AreDescribedWithTheirMagic) {
  const TemporaryDirectory directory;
  const std::string file = directory.file("a", with_lengths("A\xff", {"one"}));
  auto pipeline = length_prefixed_records(file, {.magic = "A\xff"}).run();
  EXPECT_TRUE(contains(pipeline.checkpoint(), "length_prefixed_records 4 bytes little-endian, magic 41ff"));
}

/// Returns all elements of a data set with random access, by their numbers.
template <class Open>
auto all_by_index(const Open& open) {
  return [open](const std::string& name) {
    const auto records = open(name);
    Strings all;
    for (std::size_t i = 0; i < records.size(); ++i) all.push_back(records[i]);
    return all;
  };
}

// proves: file-damage
TEST(IndexedLengthPrefixedRecords, OfDamagedFilesAreErrorsOrData) {
  const std::string valid = with_lengths("BI", {"one", "", "three"});
  const auto read =
      all_by_index([](const std::string& name) { return indexed_length_prefixed_records(name, {.magic = "BI"}); });
  check_truncated_files(valid, read);
  check_flipped_bits(valid, 0, valid.size(), read, MayReturn::any_data);
}

// proves: file-changed
TEST(IndexedRecords, OfAFileThatHasChangedFail) {
  const TemporaryDirectory directory;
  const std::string name = directory.file("a", with_lengths("BINP", {"one", "two"}));
  const auto records = indexed_length_prefixed_records(name, {.magic = "BINP"});
  const std::string text = directory.file("b", "one\ntwo\n");
  const auto lines = indexed_text_lines(text);
  static_cast<void>(directory.file("a", with_lengths("BINP", {"1", "23456"})));
  EXPECT_EQ(message_of<FileError>([&] { return records[0]; }),
            name + ": byte 0: the length of the record has changed");
  static_cast<void>(directory.file("a", "BINP"));
  EXPECT_THROW(static_cast<void>(records[1]), FileError);
  static_cast<void>(directory.file("b", "one\n"));
  EXPECT_THROW(static_cast<void>(lines[1]), FileError);
  EXPECT_THROW(static_cast<void>(outputs_of(lines)), DatasetError);
}

// ---- Lines

TEST(IndexedTextLines, AreThoseOfTextLines) {
  const TemporaryDirectory directory;
  const std::string mark = "\xEF\xBB\xBF";
  int number = 0;
  for (const std::string& text :
       {std::string(), std::string("\n"), std::string("one"), std::string("one\n"), std::string("one\r\ntwo\r"), mark,
        mark + "\n", std::string("\xEF\xBB\xBFone\n\xEF\xBB\xBFtwo"), std::string("\r\n\r\n\n\r"),
        std::string("\0a\n\0", 4), std::string(200'000, 'x') + "\n" + std::string(70'000, 'y') + "\r\nend"}) {
    const std::string file = directory.file(std::to_string(++number), text);
    const auto data = indexed_text_lines({file, file});
    const Strings lines = outputs_of(forebay::text_lines({file, file}));
    EXPECT_TRUE(outputs_of(data) == lines) << number;
    ASSERT_EQ(data.size(), lines.size()) << number;
    std::string line;
    for (std::size_t i = lines.size(); i-- > 0;) {
      data.read(i, line);
      EXPECT_TRUE(line == lines[i]) << number << ' ' << i;
    }
  }
}

TEST(IndexedTextLines, AreShuffledAndReadByThreads) {
  const TemporaryDirectory directory;
  std::string text;
  for (int i = 0; i < 1000; ++i) (text += std::to_string(i)) += '\n';
  const auto data = indexed_text_lines(directory.file("a", text)).shuffle_pages(100).repeat(3);
  int sum = 0;
  for (const int i : data.map(3, [](const std::string& line) { return std::stoi(line); }).run()) sum += i;
  EXPECT_EQ(sum, 3 * 999 * 500);
}

TEST(IndexedTextLines, AreNamedByFailuresDownstream) {
  const TemporaryDirectory directory;
  const std::string bad = directory.file("bad", "4\n\xC3\n5");
  const auto lines = indexed_text_lines({directory.file("good", "1\n2\n3\n"), directory.file("none", ""), bad});
  EXPECT_EQ(lines.size(), 6U);
  const auto number = [](const std::string& line) { return std::stoi(line); };
  for (const forebay::Dataset<std::string>& each :
       {forebay::Dataset<std::string>(lines), forebay::Dataset<std::string>(lines.shuffle()),
        forebay::Dataset<std::string>(lines.skip(4).repeat(2))}) {
    EXPECT_TRUE(contains(message_of<DatasetError>([&] { return outputs_of(each.map(number)); }), bad + ":2)"));
    EXPECT_TRUE(contains(message_of<DatasetError>([&] { return outputs_of(each.map(2, number)); }), bad + ":2)"));
  }
}

TEST(IndexedTextLines, RejectADevice) {
  const std::string device = "/dev/zero";
  if (!std::filesystem::is_character_file(device)) GTEST_SKIP() << "there is no " << device;
  EXPECT_EQ(message_of<FileError>([&] { return indexed_text_lines(device); }), device + ": is not a regular file");
  EXPECT_EQ(message_of<FileError>([&] { return indexed_length_prefixed_records(device); }),
            device + ": is not a regular file");
}

}  // namespace
}  // namespace forebay_test
