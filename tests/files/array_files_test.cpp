// SPDX-License-Identifier: MIT
//
// array_files_test.cpp: npy_rows and idx_rows, on files that numpy wrote (data/README.md) and on damaged ones.

#include "forebay/array_files.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <numeric>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "forebay/dataset.hpp"
#include "forebay/file.hpp"
#include "tests/support/contains.hpp"
#include "tests/support/damaged_files.hpp"
#include "tests/support/pipeline_output.hpp"
#include "tests/support/repository.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/thrown.hpp"

#if __has_include(<sys/stat.h>)
#include <sys/stat.h>
#endif

namespace forebay_test {
namespace {

using forebay::DatasetError;
using forebay::FileError;
using forebay::idx_rows;
using forebay::npy_rows;
using forebay::detail::array_rows;
using forebay::detail::read_idx_header;
using forebay::detail::read_npy_header;
using namespace std::string_literals;

/// Returns a .npy file of version 1 with this dictionary and data.
std::string npy_file(const std::string& type, const std::string& shape, std::string_view bytes) {
  std::string dictionary = "{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + ", }";
  dictionary.resize(118, ' ');
  return "\x93NUMPY\x01\x00\x76\x00"s + dictionary + std::string(bytes);
}

/// Returns the numbers from 0 to `count` - 1, one byte each, in a file of one dimension.
std::string counting_file(std::size_t count) {
  std::string bytes(count, '\0');
  std::iota(bytes.begin(), bytes.end(), '\0');
  return npy_file("|i1", "(" + std::to_string(count) + ",)", bytes);
}

std::string file_error(auto call) { return message_of<FileError>(std::move(call)); }

// ---- The files of numpy

/// Reads a row into memory that an earlier row has left.
template <class T>
T read_row(const forebay::detail::ArrayRows<T>& rows, std::uint64_t row) {
  T into{};
  rows.read((row + 1) % rows.size(), into);
  rows.read(row, into);
  return into;
}

/// The numbers of all files in data: 24 multiples of 5, from -60 on if the type has a sign, in 4 rows of shape (3, 2).
template <class T>
void expect_numbers_of_numpy(const std::string& name, int first, const auto& read_header) {
  const auto rows = array_rows<std::vector<T>>({data_file(name)}, read_header);
  ASSERT_EQ(rows->size(), 4U) << name;
  for (int row = 0; row < 4; ++row) {
    std::vector<T> expected;
    for (int i = 0; i < 6; ++i) expected.push_back(static_cast<T>(first + 5 * (6 * row + i)));
    EXPECT_EQ(read_row(*rows, static_cast<std::uint64_t>(row)), expected) << name;
  }
}

TEST(NpyRows, HasTheNumbersOfEachTypeAndByteOrderOfNumpy) {
  const auto check = [](auto zero, const std::string& name) {
    using T = decltype(zero);
    const int first = std::is_signed_v<T> ? -60 : 0;
    expect_numbers_of_numpy<T>(name + ".npy", first, read_npy_header);
    if (sizeof(T) > 1) expect_numbers_of_numpy<T>(name + "_big_endian.npy", first, read_npy_header);
  };
  check(std::int8_t(), "int8");
  check(std::int16_t(), "int16");
  check(std::int32_t(), "int32");
  check(std::int64_t(), "int64");
  check(std::uint8_t(), "uint8");
  check(std::uint16_t(), "uint16");
  check(std::uint32_t(), "uint32");
  check(std::uint64_t(), "uint64");
  check(float(), "float32");
  check(double(), "float64");
}

TEST(IdxRows, HasTheNumbersOfEachType) {
  expect_numbers_of_numpy<std::uint8_t>("uint8.idx", 0, read_idx_header);
  expect_numbers_of_numpy<std::int8_t>("int8.idx", -60, read_idx_header);
  expect_numbers_of_numpy<std::int16_t>("int16.idx", -60, read_idx_header);
  expect_numbers_of_numpy<std::int32_t>("int32.idx", -60, read_idx_header);
  expect_numbers_of_numpy<float>("float32.idx", -60, read_idx_header);
  expect_numbers_of_numpy<double>("float64.idx", -60, read_idx_header);
}

TEST(NpyRows, HasBoolsOfAnyByte) {
  const TemporaryDirectory directory;
  const std::string file = directory.file("bools.npy", npy_file("|b1", "(2, 3)", "\x00\x01\xFF\x00\x00\x02"s));
  EXPECT_EQ(read_row(*array_rows<std::vector<bool>>({file}, read_npy_header), 0),
            (std::vector<bool>{false, true, true}));
  EXPECT_EQ((read_row(*array_rows<std::array<bool, 3>>({file}, read_npy_header), 1)),
            (std::array<bool, 3>{false, false, true}));
  EXPECT_EQ(read_row(*array_rows<std::vector<bool>>({data_file("bool.npy")}, read_npy_header), 3),
            (std::vector<bool>{false, true, false, true, false, true}));
}

TEST(NpyRows, ReadsVersions1To3) {
  for (const char* const name : {"version_2.npy", "version_3.npy"}) {
    const auto rows = array_rows<std::vector<std::int32_t>>({data_file(name)}, read_npy_header);
    EXPECT_EQ(read_row(*rows, 3), (std::vector<std::int32_t>{18, 19, 20, 21, 22, 23})) << name;
  }
}

// ---- Types of rows

TEST(NpyRows, AreNumbersIfTheFileHasOneDimension) {
  const auto rows = array_rows<float>({data_file("one_dimension.npy")}, read_npy_header);
  EXPECT_EQ(rows->size(), 5U);
  EXPECT_EQ(read_row(*rows, 4), 2.0F);
}

TEST(NpyRows, AreArraysOfAsManyNumbersOrNestedArraysOfTheSameShape) {
  const std::string file = data_file("int16_big_endian.npy");
  EXPECT_EQ((read_row(*array_rows<std::array<std::int16_t, 6>>({file}, read_npy_header), 0)),
            (std::array<std::int16_t, 6>{-60, -55, -50, -45, -40, -35}));
  using Nested = std::array<std::array<std::int16_t, 2>, 3>;
  EXPECT_EQ(read_row(*array_rows<Nested>({file}, read_npy_header), 0), (Nested{{{-60, -55}, {-50, -45}, {-40, -35}}}));
}

template <class T>
std::string mismatch(const std::string& name) {
  const std::string message = file_error([&] { return array_rows<T>({data_file(name)}, read_npy_header); });
  const std::size_t place = message.find("byte ");
  EXPECT_TRUE(contains(message, data_file(name) + ": byte "));
  return place == std::string::npos ? message : message.substr(place);
}

TEST(NpyRows, OfAnotherTypeOrShapeAreRejectedWithBothNames) {
  EXPECT_EQ((mismatch<std::array<float, 6>>("int64.npy")),
            "byte 20: the rows are int64 of shape (3, 2), but T holds float32 of 6 numbers");
  EXPECT_EQ((mismatch<std::array<float, 5>>("float32.npy")),
            "byte 60: the rows are float32 of shape (3, 2), but T holds float32 of 5 numbers");
  EXPECT_EQ((mismatch<std::array<std::array<float, 3>, 2>>("float32.npy")),
            "byte 60: the rows are float32 of shape (3, 2), but T holds float32 of shape (2, 3)");
  EXPECT_EQ((mismatch<float>("float32.npy")),
            "byte 60: the rows are float32 of shape (3, 2), but T holds float32 without a shape");
  EXPECT_EQ((mismatch<std::vector<float>>("one_dimension.npy")),
            "byte 60: the rows are float32 of shape (), but T holds float32 of any shape");
  EXPECT_EQ((mismatch<std::vector<std::uint8_t>>("bool.npy")),
            "byte 20: the rows are bool of shape (3, 2), but T holds uint8 of any shape");
}

TEST(NpyRows, OfUnsupportedFilesAreRejectedByName) {
  const auto rejected = [](const std::string& name, std::string_view reason) {
    const std::string message = file_error([&] { return npy_rows<std::int32_t>(data_file(name)); });
    EXPECT_TRUE(contains(message, data_file(name) + ": byte ")) << name;
    EXPECT_TRUE(contains(message, reason)) << name;
  };
  rejected("fortran_order.npy", "the array is in Fortran order");
  rejected("objects.npy", "arrays of objects (dtype '|O') are not supported");
  rejected("structures.npy", "arrays of structures are not supported");
  rejected("archive.npz", "is a .npz archive");
  rejected("complex64.npy", "the dtype '<c8' is not supported");
  rejected("strings.npy", "the dtype '<U3' is not supported");
  rejected("no_dimension.npy", "the array has no dimension");
  rejected("empty_rows.npy", "the rows of shape (0,) are empty");
  rejected("uint8.idx", "is no .npy file");
}

TEST(NpyRows, OfFloat16AreReadAsTheirBits) {
  const TemporaryDirectory directory;
  const std::string little = directory.file("little.npy", npy_file("<f2", "(2,)", "\x00\x3C\x01\xC0"s));
  const std::string big = directory.file("big.npy", npy_file(">f2", "(1, 2)", "\x3C\x00\xC0\x01"s));
  EXPECT_EQ(outputs_of(npy_rows<std::uint16_t>(little)), (std::vector<std::uint16_t>{0x3C00, 0xC001}));
  EXPECT_EQ((npy_rows<std::array<std::uint16_t, 2>>(big)[0]), (std::array<std::uint16_t, 2>{0x3C00, 0xC001}));
  EXPECT_EQ(npy_rows<std::uint16_t>(data_file("float16.npy")).size(), 3U);
}

TEST(NpyRows, OfFloat16AreNoNumbersOfAnotherType) {
  EXPECT_EQ(mismatch<float>("float16.npy"),
            "byte 20: the rows are float16 of shape (), but T holds float32 without a shape; "
            "the bits of float16 can be read into std::uint16_t");
  EXPECT_EQ(mismatch<std::int16_t>("float16.npy").substr(0, 29), "byte 20: the rows are float16");
  const TemporaryDirectory directory;
  const std::string integers = directory.file("integers.npy", npy_file("<u2", "(1,)", "12"));
  EXPECT_TRUE(contains(
      file_error([&] {
        return npy_rows<std::uint16_t>({data_file("float16.npy"), integers});
      }),
      "integers.npy: byte 20: the numbers are uint16, but those of " + data_file("float16.npy") + " are float16"));
}

TEST(NpyRows, OfOneColumnMayBeMarkedFortran) {
  const TemporaryDirectory directory;
  std::string file = npy_file("|i1", "(3, 1)", "123");
  file.replace(file.find("False"), 5, "True ");
  EXPECT_EQ(outputs_of(npy_rows<std::array<std::int8_t, 1>>(directory.file("column.npy", file))),
            (std::vector<std::array<std::int8_t, 1>>{{'1'}, {'2'}, {'3'}}));
}

// ---- Sets of files

TEST(NpyRows, OfSeveralFilesFollowOneAnother) {
  const TemporaryDirectory directory;
  const std::string a = directory.file("a.npy", counting_file(3));
  const std::string none = directory.file("none.npy", counting_file(0));
  const std::string b = directory.file("b.npy", counting_file(2));
  const auto rows = npy_rows<std::int8_t>({a, none, b});
  EXPECT_EQ(rows.size(), 5U);
  EXPECT_EQ(outputs_of(rows), (std::vector<std::int8_t>{0, 1, 2, 0, 1}));
  EXPECT_EQ(rows[4], 1);
  EXPECT_EQ(npy_rows<std::int8_t>(std::filesystem::path(a)).size(), 3U);
  EXPECT_EQ(npy_rows<std::int8_t>(std::vector<std::string>()).size(), 0U);
  EXPECT_EQ(array_rows<std::vector<std::int32_t>>({data_file("no_rows.npy")}, read_npy_header)->size(), 0U);
}

TEST(NpyRows, OfSeveralFilesHaveOneShapeAndOneByteOrder) {
  using Row = std::vector<std::int32_t>;
  EXPECT_TRUE(contains(
      file_error([] {
        return array_rows<Row>({data_file("int32.npy"), data_file("no_rows.npy")}, read_npy_header);
      }),
      "no_rows.npy: byte 60: the rows have the shape (3,), but those of " + data_file("int32.npy") + " have (3, 2)"));
  EXPECT_TRUE(
      contains(file_error([] {
                 return array_rows<Row>({data_file("int32.npy"), data_file("int32_big_endian.npy")}, read_npy_header);
               }),
               "int32_big_endian.npy: byte 20: the byte order is not that of " + data_file("int32.npy")));
}

TEST(NpyRows, MayBeShuffledShardedSkippedAndTaken) {
  const TemporaryDirectory directory;
  const auto rows = npy_rows<std::int8_t>(directory.file("a.npy", counting_file(100)));
  EXPECT_EQ(outputs_of(rows.skip(2).take(3)), (std::vector<std::int8_t>{2, 3, 4}));
  EXPECT_EQ(outputs_of(rows.shard(1, 30)), (std::vector<std::int8_t>{1, 31, 61, 91}));
  const auto shuffled = outputs_of(rows.shuffle());
  EXPECT_NE(shuffled, outputs_of(rows));
  EXPECT_EQ(std::accumulate(shuffled.begin(), shuffled.end(), 0), 99 * 50);
}

// proves: checkpoint
TEST(NpyRows, ResumeAtEachRow) {
  const TemporaryDirectory directory;
  const std::string a = directory.file("a.npy", counting_file(5));
  const std::string b = directory.file("b.npy", counting_file(4));
  const auto rows = npy_rows<std::int8_t>({a, b}).shuffle().repeat(2);
  const auto expected = outputs_of(rows);
  auto run = rows.run();
  for (std::size_t taken = 0; taken <= expected.size(); ++taken) {
    std::vector<std::int8_t> rest;
    for (const std::int8_t number : rows.run(run.checkpoint())) rest.push_back(number);
    EXPECT_EQ(rest, std::vector<std::int8_t>(expected.begin() + static_cast<std::ptrdiff_t>(taken), expected.end()));
    static_cast<void>(run.next());
  }
}

TEST(NpyRows, AreTheSameIfSeveralThreadsReadThem) {
  const TemporaryDirectory directory;
  std::vector<std::string> files;
  for (int i = 0; i < 20; ++i) files.push_back(directory.file(std::to_string(i) + ".npy", counting_file(100)));
  const auto rows = npy_rows<std::int8_t>(files);
  const auto same = [](std::int8_t number) { return number; };
  EXPECT_EQ(outputs_of(rows.shuffle().map({.threads = 3, .chunk = 4}, same)), outputs_of(rows.shuffle()));
  EXPECT_EQ(outputs_of(rows.map({.threads = 3, .chunk = 4}, same)), outputs_of(rows));
}

TEST(IdxRows, IsADataSetOfFiles) {
  EXPECT_EQ((idx_rows<std::array<std::uint8_t, 6>>(data_file("uint8.idx"))[1][0]), 30);
  EXPECT_EQ((idx_rows<std::array<std::uint8_t, 6>>({data_file("uint8.idx"), data_file("uint8.idx")}).size()), 8U);
}

// ---- Files that cannot be read

TEST(NpyRows, OfAMissingFileOrADirectoryAreRejected) {
  const TemporaryDirectory directory;
  EXPECT_TRUE(
      contains(file_error([&] { return npy_rows<std::int8_t>(directory.name("none")); }), "none: cannot open"));
  EXPECT_TRUE(contains(file_error([&] { return npy_rows<std::int8_t>(directory.name("")); }), "s a directory"));
}

#if __has_include(<sys/stat.h>) && !defined(_WIN32)
TEST(NpyRows, OfAPipeAreRejectedWithoutWaitingForAWriter) {
  const TemporaryDirectory directory;
  const std::string name = directory.name("pipe");
  ASSERT_EQ(mkfifo(name.c_str(), 0600), 0);
  EXPECT_EQ(file_error([&] { return npy_rows<std::int8_t>(name); }), name + ": is not a regular file");
}
#endif

// proves: file-changed
TEST(NpyRows, OfAFileThatIsTruncatedLaterAreAFailureOfTheDataSet) {
  const TemporaryDirectory directory;
  const std::string whole = counting_file(100);
  const std::string file = directory.file("a.npy", whole);
  const auto rows = npy_rows<std::int8_t>(file);
  write_file(file, whole.substr(0, whole.size() - 1));
  EXPECT_TRUE(contains(message_of<DatasetError>([&] { return outputs_of(rows); }), file + ": byte 227: "));
}

// ---- Damaged files

/// Returns a function that reads all rows of a file of int16.
auto reads_all(const auto& read_header) {
  return [&read_header](const std::string& name) {
    const auto rows = array_rows<std::vector<std::int16_t>>({name}, read_header);
    std::vector<std::vector<std::int16_t>> read;
    for (std::uint64_t row = 0; row < rows->size(); ++row) read.push_back(read_row(*rows, row));
    return read;
  };
}

// proves: file-damage
TEST(NpyRows, OfATruncatedOrTooLongFileAreRejected) {
  const std::string whole = bytes_of(data_file("int16.npy"));
  check_truncated_files(whole, reads_all(read_npy_header));
  const TemporaryDirectory directory;
  EXPECT_TRUE(contains(file_error([&] {
                         return array_rows<std::vector<std::int16_t>>({directory.file("long", whole + "x")},
                                                                      read_npy_header);
                       }),
                       "long: byte 176: the file is too long: it has 177 bytes, its header promises 176"));
}

// proves: file-damage
TEST(IdxRows, OfATruncatedFileAreRejected) {
  check_truncated_files(bytes_of(data_file("int16.idx")), reads_all(read_idx_header));
}

// proves: file-damage
TEST(NpyRows, OfAFileWithADamagedHeaderAreRejectedOrComplete) {
  const auto count_numbers = [](const std::string& name) {  // their byte order may change: '<' and '>' differ in a bit
    std::size_t numbers = 0;
    for (const auto& row : reads_all(read_npy_header)(name)) numbers += row.size();
    return std::vector<bool>(numbers);
  };
  check_flipped_bits(bytes_of(data_file("int16.npy")), 0, 72, count_numbers);
}

// proves: file-damage
TEST(IdxRows, OfAFileWithADamagedHeaderAreRejectedOrComplete) {
  check_flipped_bits(bytes_of(data_file("int16.idx")), 0, 16, reads_all(read_idx_header));
}

// proves: file-damage
TEST(NpyRows, OfHugeExtentsAllocateNothing) {
  const TemporaryDirectory directory;
  for (const char* const shape : {"(9223372036854775808, 1)", "(1, 9223372036854775808)", "(4294967296, 4294967296)",
                                  "(1, 1152921504606846976)", "(1152921504606846976, 1)"}) {
    const std::string file = directory.file("huge.npy", npy_file("<i2", shape, "numbers"));
    EXPECT_TRUE(contains(file_error([&] { return npy_rows<std::int16_t>(file); }), file)) << shape;
  }
  const std::string idx = "\x00\x00\x0B\x03\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"s;
  const std::string file = directory.file("huge.idx", idx);
  EXPECT_EQ(file_error([&] { return idx_rows<std::int16_t>(file); }),
            file + ": byte 3: an array of shape (4294967295, 4294967295, 4294967295) is larger than any file");
}

}  // namespace
}  // namespace forebay_test
