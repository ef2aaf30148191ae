// SPDX-License-Identifier: MIT
//
// tar_header_test.cpp: the fields of a tar header, its checksum, and the records of pax headers.

#include "forebay/files/tar_header.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>

#include "tests/support/tar_archive.hpp"

namespace forebay_test {
namespace {

using forebay::detail::largest_tar_size;
using forebay::detail::read_tar_header;
using forebay::detail::tar_number;
using forebay::detail::TarBlock;
using forebay::detail::TarExtension;
using forebay::detail::TarHeader;
using forebay::detail::TarKind;

using Number = std::optional<std::uint64_t>;

constexpr Number none = std::nullopt;

std::string bytes(std::initializer_list<int> values) {
  std::string made;
  for (const int value : values) made.push_back(static_cast<char>(value));
  return made;
}

// ---- Numbers

TEST(TarNumber, IsOctalAndEndsWithANulASpaceOrTheField) {
  EXPECT_EQ(tar_number(std::string_view("00000000017\0", 12)), Number(15));
  EXPECT_EQ(tar_number("00000000017 "), Number(15));
  EXPECT_EQ(tar_number("777777777777"), Number((std::uint64_t{1} << 36U) - 1));
  EXPECT_EQ(tar_number(std::string_view("   17 \0", 7)), Number(15));
  EXPECT_EQ(tar_number(std::string_view("17\0009", 4)), Number(15)) << "what follows the end does not count";
}

TEST(TarNumber, OfAnEmptyFieldIs0) {
  EXPECT_EQ(tar_number(std::string(12, '\0')), Number(0));
  EXPECT_EQ(tar_number(std::string(12, ' ')), Number(0));
}

TEST(TarNumber, HasOnlyOctalDigits) {
  for (const char* field : {"18", "1a", "-1", "+1", "0x7", "1,", "\t1"}) EXPECT_EQ(tar_number(field), none) << field;
}

TEST(TarNumber, InBase256IsPositiveAndFitsAnOffset) {
  EXPECT_EQ(tar_number(bytes({0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2})), Number(258));
  EXPECT_EQ(tar_number(bytes({0x80, 0, 0, 0, 0x7f, 255, 255, 255, 255, 255, 255, 255})), Number(largest_tar_size));
  EXPECT_EQ(tar_number(bytes({0x80, 0, 0, 0, 0x80, 0, 0, 0, 0, 0, 0, 0})), none) << "2^63";
  EXPECT_EQ(tar_number(bytes({0x80, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0})), none) << "2^64";
  EXPECT_EQ(tar_number(bytes({0xbf, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0})), none) << "the largest one";
  EXPECT_EQ(tar_number(bytes({0xff, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255})), none) << "-1";
  EXPECT_EQ(tar_number(bytes({0xc0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1})), none) << "negative";
}

TEST(TarNumber, InOctalDoesNotOverflow) {
  EXPECT_EQ(tar_number("777777777777777777777"), Number(largest_tar_size));
  EXPECT_EQ(tar_number("1000000000000000000000"), none);
  EXPECT_EQ(tar_number(std::string(100, '7')), none);
}

// ---- Headers

TarBlock block_of(const TarFields& fields) { return tar_block(fields); }

/// Returns what is wrong with the block, or "".
std::string fault_of(const TarBlock& block) {
  TarHeader header;
  const char* const fault = read_tar_header(block, header);
  return fault == nullptr ? "" : fault;
}

TarHeader header_of(const TarBlock& block) {
  TarHeader header;
  EXPECT_EQ(read_tar_header(block, header), nullptr);
  return header;
}

std::string path_of(const TarBlock& block) {
  std::string path;
  header_of(block).path(path);
  return path;
}

TEST(TarHeader, HasANameASizeAndAKind) {
  const TarBlock block = block_of({.name = "a/b.txt", .size = "00000000012"});
  const TarHeader header = header_of(block);
  EXPECT_EQ(path_of(block), "a/b.txt");
  EXPECT_EQ(header.size, 10U);
  EXPECT_EQ(header.kind, TarKind::file);
}

TEST(TarHeader, MayHaveANameWithoutANul) {
  const std::string name(100, 'n');
  const TarBlock block = block_of({.name = name});
  EXPECT_EQ(path_of(block), name);
}

TEST(TarHeader, HasAPrefixOnlyWithPosixMagic) {
  const std::string_view posix("ustar\00000", 8);
  const std::string_view gnu("ustar  \0", 8);
  for (const auto& [magic, path] :
       {std::pair(posix, "dir/name"), std::pair(gnu, "name"), std::pair(std::string_view(), "name")}) {
    const TarBlock block = block_of({.name = "name", .magic = std::string(magic), .prefix = "dir"});
    EXPECT_EQ(path_of(block), path);
  }
}

TEST(TarHeader, HasAKindForEachType) {
  const auto kind_of = [](char type) { return header_of(block_of({.type = type})).kind; };
  for (const char type : {'\0', '0', '7'}) EXPECT_EQ(kind_of(type), TarKind::file) << type;
  for (const char type : {'1', '2', '3', '4', '5', '6'}) EXPECT_EQ(kind_of(type), TarKind::no_data) << type;
  for (const char type : {'A', 'D', 'I', 'M', 'V', 'Z', '8', '?'}) EXPECT_EQ(kind_of(type), TarKind::skipped) << type;
  EXPECT_EQ(kind_of('x'), TarKind::pax);
  EXPECT_EQ(kind_of('X'), TarKind::pax);
  EXPECT_EQ(kind_of('g'), TarKind::pax_global);
  EXPECT_EQ(kind_of('L'), TarKind::gnu_name);
  EXPECT_EQ(kind_of('K'), TarKind::gnu_link_name);
  EXPECT_EQ(kind_of('S'), TarKind::sparse);
}

TEST(TarHeader, OfALinkOrDirectoryHasNoData) {
  EXPECT_EQ(header_of(block_of({.size = "00000000012", .type = '1'})).size, 0U);
  EXPECT_EQ(header_of(block_of({.size = "00000000012", .type = 'V'})).size, 10U);
}

TEST(TarHeader, WithoutAValidSizeIsRejected) {
  EXPECT_EQ(fault_of(block_of({.size = "12x"})), "the size in the tar header is no number from 0 to 2^63 - 1");
  EXPECT_EQ(fault_of(block_of({.size = bytes({0x80, 0, 0, 0, 0x80, 0, 0, 0, 0, 0, 0, 0})})),
            "the size in the tar header is no number from 0 to 2^63 - 1");
}

// ---- Checksums

TEST(TarChecksum, DetectsEachFlippedBit) {
  const TarBlock block = block_of({.name = "a.txt", .size = "00000000012"});
  for (std::size_t bit = 0; bit < 8 * block.size(); ++bit) {
    TarBlock damaged = block;
    damaged[bit / 8] = static_cast<char>(static_cast<unsigned char>(damaged[bit / 8]) ^ 1U << bit % 8);
    TarHeader header;
    if (read_tar_header(damaged, header) != nullptr) continue;
    EXPECT_GE(bit / 8, 148U) << "only the end of the checksum's field may change";
    EXPECT_LT(bit / 8, 156U);
    EXPECT_EQ(header.name, "a.txt");
    EXPECT_EQ(header.size, 10U);
  }
}

TEST(TarChecksum, MayAddSignedBytes) {
  TarBlock block = block_of({.name = "\xc3\xa4.txt"});
  std::fill(block.begin() + 148, block.begin() + 156, ' ');
  const int sum = std::accumulate(block.begin(), block.end(), 0,
                                  [](int total, char byte) { return total + static_cast<signed char>(byte); });
  put_tar_checksum(block, static_cast<unsigned>(sum));
  EXPECT_EQ(fault_of(block), "");
  put_tar_checksum(block, static_cast<unsigned>(sum) + 256);
  EXPECT_EQ(fault_of(block), "the checksum of the tar header is wrong");
}

TEST(TarChecksum, OfABlockOfZerosOrSpacesIsWrong) {
  TarBlock block{};
  EXPECT_TRUE(forebay::detail::is_tar_end(block));
  EXPECT_NE(fault_of(block), "");
  block[511] = 1;
  EXPECT_FALSE(forebay::detail::is_tar_end(block));
  block.fill(' ');
  EXPECT_NE(fault_of(block), "");
}

TEST(TarChecksum, AddsTheLargestBytes) {
  TarBlock block;
  block.fill('\xff');
  EXPECT_EQ(forebay::detail::tar_sum(block), 512U * 255U);
}

// ---- pax records

std::string pax_fault(std::string_view records) {
  const char* const fault = TarExtension().read_pax(records);
  return fault == nullptr ? "" : fault;
}

TEST(PaxRecords, SetThePathAndTheSize) {
  TarExtension extension;
  EXPECT_EQ(extension.read_pax(pax_record("path", "a") + pax_record("mtime", "1.5") + pax_record("size", "12345678")),
            nullptr);
  EXPECT_EQ(extension.path, "a");
  EXPECT_EQ(extension.size, 12345678U);
  EXPECT_FALSE(extension.is_sparse);
}

TEST(PaxRecords, MayContainLineFeedsEqualsSignsAndNuls) {
  TarExtension extension;
  const std::string path("a=\n\0b", 5);
  EXPECT_EQ(extension.read_pax(pax_record("path", path) + pax_record("path2", "b")), nullptr);
  EXPECT_EQ(extension.path, path);
}

TEST(PaxRecords, WithoutAValueRemoveAnEarlierOne) {
  TarExtension extension;
  EXPECT_EQ(extension.read_pax("9 path=a\n9 size=1\n8 path=\n8 size=\n"), nullptr);
  EXPECT_FALSE(extension.path);
  EXPECT_FALSE(extension.size);
}

TEST(PaxRecords, OfAGnuSparseFileSaySo) {
  TarExtension extension;
  EXPECT_EQ(extension.read_pax("22 GNU.sparse.major=1\n"), nullptr);
  EXPECT_TRUE(extension.is_sparse);
}

TEST(PaxRecords, OfAWrongLengthAreRejected) {
  for (const char* records :
       {"8 path=a\n", "11 path=a\n", "path=a\n", " path=a\n", "10", "10 ", "2 \n", "0 path=a\n", "-1 path=a\n",
        "99999999999999999999 path=a\n", "18446744073709551626 path=a\n", "10 path=a", "10 path=ab"}) {
    EXPECT_EQ(pax_fault(records), "a record of the pax header has a wrong length") << records;
  }
}

TEST(PaxRecords, WithoutAnEqualsSignAreRejected) {
  EXPECT_EQ(pax_fault("9 path a\n"), "a record of the pax header has no value");
}

TEST(PaxRecords, OfAnImpossibleSizeAreRejected) {
  for (const char* records : {"11 size=-1\n", "12 size=1.5\n", "28 size=9223372036854775808\n"}) {
    EXPECT_EQ(pax_fault(records), "the size in the pax header is no number from 0 to 2^63 - 1") << records;
  }
}

}  // namespace
}  // namespace forebay_test
