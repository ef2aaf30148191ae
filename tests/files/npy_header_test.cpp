// SPDX-License-Identifier: MIT
//
// npy_header_test.cpp: the parsers of the headers of .npy and IDX files, on texts and numbers in memory.

#include "forebay/files/npy_header.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "forebay/files/array_header.hpp"
#include "forebay/files/idx_header.hpp"
#include "tests/support/contains.hpp"

namespace forebay_test {
namespace {

using forebay::detail::ArrayHeader;
using forebay::detail::check_array_length;
using forebay::detail::check_extents;
using forebay::detail::DamagedHeader;
using forebay::detail::npy_dictionary_place;
using forebay::detail::NpyDictionary;
using forebay::detail::NumberType;
using forebay::detail::parse_idx_header;
using forebay::detail::Shape;
using forebay::detail::text_of_shape;
using namespace std::string_literals;

/// The header of a file in which the dictionary begins at byte 10.
ArrayHeader parsed(std::string_view dictionary) { return NpyDictionary(dictionary, 10).parse(); }

/// Returns "BYTE: REASON", or an empty text if `call` does not throw.
template <class Call>
std::string damage(Call call) {
  try {
    static_cast<void>(call());
  } catch (const DamagedHeader& error) {
    return std::to_string(error.byte()) + ": " + error.what();
  }
  return "";
}

std::string damage_of(const std::string& dictionary) {
  return damage([&] { return parsed(dictionary); });
}

std::string with_type(const std::string& type) {
  return "{'descr': " + type + ", 'fortran_order': False, 'shape': (3,)}";
}
std::string with_shape(const std::string& shape) {
  return "{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + ", }";
}

// ---- The place of the dictionary

TEST(NpyPrefix, HasTwoBytesOfLengthInVersion1AndFourInVersions2And3) {
  const auto version_1 = npy_dictionary_place("\x93NUMPY\x01\x00\x76\x00{'"s);
  EXPECT_EQ(version_1.begin, 10U);
  EXPECT_EQ(version_1.length, 0x76U);
  for (const char version : {'\x02', '\x03'}) {
    const auto later = npy_dictionary_place("\x93NUMPY"s + version + "\x00\x74\x01\x00\x00"s);
    EXPECT_EQ(later.begin, 12U);
    EXPECT_EQ(later.length, 0x174U);
  }
}

TEST(NpyPrefix, OfAnotherFormatIsRejectedByName) {
  EXPECT_EQ(damage([] { return npy_dictionary_place("PK\x03\x04"s); }),
            "0: the file is a .npz archive: unzip it, and read its .npy files");
  EXPECT_EQ(damage([] { return npy_dictionary_place("\x1F\x8B\x08"s); }),
            "0: the file is compressed by gzip: decompress it, or read it in order with the option .open, as in "
            "examples/gzip_records.cpp");
  EXPECT_EQ(damage([] { return npy_dictionary_place("1,2,3\n4,5,6\n"); }),
            "0: the file is no .npy file: it does not begin with \\x93NUMPY");
  EXPECT_EQ(damage([] { return npy_dictionary_place("\x93NUMPY\x04\x01\x00\x00\x00\x00"s); }),
            "6: version 4.1 of the format is unknown; 1.0, 2.0 and 3.0 are known");
}

TEST(NpyPrefix, ThatIsTruncatedIsRejectedAtEachByte) {
  const std::string whole = "\x93NUMPY\x02\x00\x76\x00\x00\x00"s;
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_EQ(damage([&] { return npy_dictionary_place(whole.substr(0, length)); }),
              std::to_string(length) + ": the file is truncated: it ends within its header");
  }
}

TEST(NpyPrefix, WithAHugeLengthIsRejected) {
  EXPECT_EQ(damage([] { return npy_dictionary_place("\x93NUMPY\x02\x00\xFF\xFF\xFF\xFF"s); }),
            "8: a header of 4294967295 bytes is too long");
}

// ---- The dictionary

TEST(NpyDictionary, StatesTypeShapeAndWhereTheDataBegins) {
  const std::string text = "{'descr': '<f4', 'fortran_order': False, 'shape': (60000, 28, 28), }      \n";
  const ArrayHeader header = parsed(text);
  EXPECT_EQ(header.type.name(), "float32");
  EXPECT_FALSE(header.is_big_endian);
  EXPECT_EQ(header.shape, (Shape{60000, 28, 28}));
  EXPECT_EQ(header.row_shape(), (Shape{28, 28}));
  EXPECT_EQ(header.row_bytes(), 4U * 28U * 28U);
  EXPECT_EQ(header.data_at, 10 + text.size());
  EXPECT_EQ(header.type_at, 10 + text.find("'<f4'"));
  EXPECT_EQ(header.shape_at, 10 + text.find('('));
}

TEST(NpyDictionary, MayHaveItsKeysInAnyOrderAndWithOtherQuotesAndSpaces) {
  const ArrayHeader header = parsed("{\"shape\":(2 , 3),'fortran_order' : False,'descr':'>i2'}");
  EXPECT_EQ(header.shape, (Shape{2, 3}));
  EXPECT_EQ(header.type.name(), "int16");
  EXPECT_TRUE(header.is_big_endian);
}

TEST(NpyDictionary, HasEachShapeThatPythonWrites) {
  EXPECT_EQ(parsed(with_shape("()")).shape, Shape{});
  EXPECT_EQ(parsed(with_shape("(5,)")).shape, Shape{5});
  EXPECT_EQ(parsed(with_shape("(5, 0)")).shape, (Shape{5, 0}));
  EXPECT_EQ(parsed(with_shape("(5L, 6L)")).shape, (Shape{5, 6}));
  EXPECT_EQ(parsed(with_shape("(18446744073709551615, 2)")).shape, (Shape{18446744073709551615U, 2}));
}

TEST(NpyDictionary, HasEachTypeOfTheTable) {
  for (const auto& [text, name] : {std::pair("'|b1'", "bool"), std::pair("'|i1'", "int8"), std::pair("'<u1'", "uint8"),
                                   std::pair("'<i8'", "int64"), std::pair("'>u8'", "uint64"),
                                   std::pair("'<f8'", "float64"), std::pair("'>f2'", "float16")}) {
    EXPECT_EQ(parsed(with_type(text)).type.name(), name);
  }
}

TEST(NpyDictionary, RejectsByNameWhatIsNotSupported) {
  EXPECT_EQ(damage_of(with_type("'|O'")), "20: arrays of objects (dtype '|O') are not supported");
  EXPECT_EQ(damage_of(with_type("[('x', '<i4')]")),
            "20: arrays of structures are not supported: save each field as an array");
  for (const char* const type : {"|f2", "<c8", "<U3", "|S3", "<M8[s]", "|V4", "<i3", "|i4", "=i4", "", "<f"}) {
    EXPECT_EQ(damage_of(with_type("'"s + type + "'")),
              "20: the dtype '"s + type +
                  "' is not supported: use bool, int8 to int64, uint8 to uint64, or float16 to float64");
  }
}

std::string in_fortran_order(const std::string& shape) {
  return "{'descr': '<f4', 'fortran_order': True, 'shape': " + shape + ", }";
}

TEST(NpyDictionary, RejectsFortranOrderWithTheLineThatConvertsTheFile) {
  for (const char* const shape : {"(3, 2)", "(2, 1, 2)"}) {
    EXPECT_EQ(damage_of(in_fortran_order(shape)),
              "44: the array is in Fortran order; convert the file: "
              "numpy.save(name, numpy.ascontiguousarray(numpy.load(name)))");
  }
}

TEST(NpyDictionary, MayStateFortranOrderIfTheOrderIsTheSame) {
  for (const char* const shape : {"(3,)", "(1, 3)", "(3, 1)", "(1, 3, 1)", "(1, 1)", "(0, 3, 2)"}) {
    EXPECT_EQ(damage_of(in_fortran_order(shape)), "") << shape;
  }
}

TEST(NpyDictionary, ThatIsMalformedIsRejectedWithThePlace) {
  EXPECT_EQ(damage_of(""), "10: '{' is expected");
  EXPECT_EQ(damage_of("{}"), "12: the header lacks 'descr', 'fortran_order' or 'shape'");
  EXPECT_EQ(damage_of("{'size': 3}"), "11: the key 'size' is unknown or repeated");
  EXPECT_EQ(damage_of("{'descr': '<f4', 'descr': '<f4'}"), "27: the key 'descr' is unknown or repeated");
  EXPECT_EQ(damage_of("{'descr': '<f4"), "20: a quoted text does not end");
  EXPECT_EQ(damage_of("{'fortran_order': 0}"), "28: 'fortran_order' is neither True nor False");
  EXPECT_EQ(damage_of(with_shape("(3,)") + "x"), "67: there is text after the dictionary");
  EXPECT_EQ(damage_of(with_shape("(3)")), "62: a shape of one extent ends in a comma");
  EXPECT_EQ(damage_of(with_shape("(-3,)")), "61: a number is expected");
  EXPECT_EQ(damage_of(with_shape("(3, 2")), "67: a number is expected");
  EXPECT_TRUE(contains(damage_of(with_shape("(18446744073709551616,)")), "an extent is too large"));
  std::string many;
  for (int i = 0; i < 65; ++i) many += "1, ";
  EXPECT_TRUE(contains(damage_of(with_shape("(" + many + ")")), "too many dimensions"));
}

// proves: file-damage
TEST(NpyDictionary, ThatIsTruncatedAnywhereIsRejected) {
  const std::string whole = with_shape("(3, 2)");
  for (std::size_t length = 0; length < whole.size(); ++length) EXPECT_NE(damage_of(whole.substr(0, length)), "");
  EXPECT_EQ(damage_of(whole), "");
}

// proves: file-damage
TEST(NpyDictionary, WithAnyByteReplacedIsRejectedOrMeansWhatItSays) {
  const std::string whole = with_shape("(3, 25)");
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (int byte = 0; byte < 256; ++byte) {
      std::string text = whole;
      text[at] = static_cast<char>(byte);
      if (!damage_of(text).empty()) continue;
      const ArrayHeader header = parsed(text);
      EXPECT_EQ(header.shape.size(), 2U) << text;
      EXPECT_TRUE(contains(text, "f" + std::to_string(header.type.bytes)) || header.type.letter != 'f') << text;
    }
  }
}

// ---- The header of an IDX file

const std::string idx_images = "\x00\x00\x08\x03\x00\x00\xEA\x60\x00\x00\x00\x1C\x00\x00\x00\x1B"s;

TEST(IdxHeader, StatesTypeShapeAndWhereTheDataBegins) {
  const ArrayHeader header = parse_idx_header(idx_images + "pixels");
  EXPECT_EQ(header.type.name(), "uint8");
  EXPECT_EQ(header.shape, (Shape{60000, 28, 27}));
  EXPECT_EQ(header.data_at, 16U);
  EXPECT_TRUE(header.is_big_endian);
}

TEST(IdxHeader, HasEachTypeOfTheFormatAndNoOther) {
  int known = 0;
  for (int code = 0; code < 256; ++code) {
    const std::string file = "\x00\x00"s + static_cast<char>(code) + "\x01\x00\x00\x00\x02"s;
    const std::string found = damage([&] { return parse_idx_header(file); });
    known += found.empty() ? 1 : 0;
    EXPECT_TRUE(found.empty() || found == "2: the type " + std::to_string(code) + " is no type of an IDX file")
        << found;
  }
  EXPECT_EQ(known, 6);
  EXPECT_EQ(parse_idx_header("\x00\x00\x0B\x00"s).type.name(), "int16");
  EXPECT_EQ(parse_idx_header("\x00\x00\x0E\x00"s).type.name(), "float64");
}

TEST(IdxHeader, OfAnotherFormatIsRejectedByName) {
  EXPECT_EQ(damage([] { return parse_idx_header("\x1F\x8B\x08"s); }),
            "0: the file is compressed by gzip: decompress it, or read it in order with the option .open, as in "
            "examples/gzip_records.cpp");
  EXPECT_EQ(damage([] { return parse_idx_header("P5\n28 28\n255\n"); }),
            "0: the file is no IDX file: it does not begin with two zeros");
}

// proves: file-damage
TEST(IdxHeader, ThatIsTruncatedIsRejectedAtEachByte) {
  for (std::size_t length = 0; length < idx_images.size(); ++length) {
    EXPECT_EQ(damage([&] { return parse_idx_header(idx_images.substr(0, length)); }),
              std::to_string(length) + ": the file is truncated: it ends within its header");
  }
}

TEST(IdxHeader, MayHave255Extents) {
  std::string file = "\x00\x00\x08\xFF"s;
  for (int i = 0; i < 255; ++i) file += "\x00\x00\x00\x01"s;
  EXPECT_EQ(parse_idx_header(file).shape.size(), 255U);
  EXPECT_EQ(parse_idx_header(file).data_at, forebay::detail::longest_idx_header);
}

// ---- The length of the file

std::string length_damage(const Shape& shape, std::uint64_t size) {
  ArrayHeader header;
  header.type = NumberType{'f', 4};
  header.shape = shape;
  header.shape_at = 60;
  header.data_at = 128;
  return damage([&] {
    check_extents(header);
    check_array_length(header, size);
    return 0;
  });
}

TEST(ArrayLength, OfTheFileIsExactlyThatOfHeaderAndArray) {
  EXPECT_EQ(length_damage({3, 2}, 128 + 24), "");
  EXPECT_EQ(length_damage({0, 2}, 128), "");
  EXPECT_EQ(length_damage({3, 2}, 128 + 23), "151: the file is truncated: its header promises 152 bytes");
  EXPECT_EQ(length_damage({3, 2}, 128 + 25), "152: the file is too long: it has 153 bytes, its header promises 152");
}

TEST(ArrayLength, CannotOverflow) {
  const std::uint64_t huge = std::uint64_t{1} << 63U;
  for (const Shape& shape : {Shape{huge}, Shape{1, huge}, Shape{huge, huge}, Shape{0, huge, huge},
                             Shape{std::uint64_t{1} << 32U, std::uint64_t{1} << 32U}}) {
    EXPECT_EQ(length_damage(shape, 128), "60: an array of shape " + text_of_shape(shape) + " is larger than any file");
  }
  EXPECT_TRUE(contains(length_damage({std::uint64_t{1} << 60U}, 128), "truncated"));
}

TEST(ArrayLength, OfAnArrayWithoutRowsOrWithEmptyRowsIsRejected) {
  EXPECT_EQ(length_damage({}, 132), "60: the array has no dimension, so it has no rows");
  EXPECT_EQ(length_damage({4, 0}, 128), "60: the rows of shape (0,) are empty");
}

}  // namespace
}  // namespace forebay_test
