// SPDX-License-Identifier: MIT
//
// damaged_files.hpp: damages a valid file in many ways, and checks that reading it gives right data or a FileError.

#ifndef FOREBAY_TESTS_SUPPORT_DAMAGED_FILES_HPP
#define FOREBAY_TESTS_SUPPORT_DAMAGED_FILES_HPP

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <filesystem>
#include <optional>
#include <string>

#include "forebay/dataset_error.hpp"
#include "forebay/file.hpp"
#include "tests/support/contains.hpp"
#include "tests/support/temporary_directory.hpp"

namespace forebay_test {

/// What reading a damaged file may return in place of a FileError.
enum class MayReturn {
  right_data,  ///< All elements of the valid file.
  beginning,   ///< The first ones: the file was truncated.
  any_data,    ///< Anything: the format cannot detect the damage.
};

/// Calls `read(name)`, which reads a whole file and returns its elements in a container. Returns nothing if it throws a
/// FileError, by itself or as the cause of a DatasetError, that names the file and a byte in it. Any other exception
/// fails the test.
template <class Read>
auto elements_or_error(const Read& read, const std::string& name, std::size_t size)
    -> std::optional<decltype(read(name))> {
  const auto check = [&](const forebay::FileError& error) {
    EXPECT_EQ(error.file(), name);
    EXPECT_TRUE(contains(error.what(), name));
    EXPECT_LE(error.byte(), size) << error.what();
  };
  try {
    try {
      return read(name);
    } catch (const forebay::DatasetError& error) {
      error.rethrow_nested();
    }
  } catch (const forebay::FileError& error) {
    check(error);
  } catch (const std::exception& exception) {
    ADD_FAILURE() << "another exception: " << exception.what();
  }
  return std::nullopt;
}

/// Checks what reading the damaged file `bytes` returns. `right` are the elements of the valid file.
template <class Read, class Elements>
void check_damaged_file(const TemporaryDirectory& directory, const std::string& bytes, const Read& read,
                        const Elements& right, MayReturn may_return) {
  std::filesystem::remove(directory.name("damaged"));  // ext4 writes a file that is truncated at once: 4 ms each
  const std::string name = directory.file("damaged", bytes);
  const std::optional<Elements> elements = elements_or_error(read, name, bytes.size());
  if (!elements || may_return == MayReturn::any_data) return;
  EXPECT_TRUE(may_return == MayReturn::beginning || elements->size() == right.size())
      << elements->size() << " of " << right.size() << " elements, and no error";
  ASSERT_LE(elements->size(), right.size());
  EXPECT_TRUE(std::equal(elements->begin(), elements->end(), right.begin())) << "wrong data, and no error";
}

/// Truncates the file after every number of bytes, and checks what `read(name)` makes of it.
template <class Read>
void check_truncated_files(const std::string& valid, const Read& read) {
  const TemporaryDirectory directory;
  const auto right = read(directory.file("damaged", valid));
  for (std::size_t size = 0; size < valid.size(); ++size) {
    SCOPED_TRACE("truncated after " + std::to_string(size) + " bytes");
    check_damaged_file(directory, valid.substr(0, size), read, right, MayReturn::beginning);
    if (testing::Test::HasFatalFailure()) return;
  }
}

/// Inverts every single bit of the bytes from `begin` to `end`, and checks what `read(name)` makes of it.
template <class Read>
void check_flipped_bits(const std::string& valid, std::size_t begin, std::size_t end, const Read& read,
                        MayReturn may_return = MayReturn::right_data) {
  const TemporaryDirectory directory;
  const auto right = read(directory.file("damaged", valid));
  for (std::size_t i = begin; i < std::min(end, valid.size()); ++i) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      SCOPED_TRACE("inverted bit " + std::to_string(bit) + " of byte " + std::to_string(i));
      std::string damaged = valid;
      damaged[i] = static_cast<char>(static_cast<unsigned char>(damaged[i]) ^ (1U << bit));
      check_damaged_file(directory, damaged, read, right, may_return);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

}  // namespace forebay_test

#endif  // FOREBAY_TESTS_SUPPORT_DAMAGED_FILES_HPP
