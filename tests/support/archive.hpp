// SPDX-License-Identifier: MIT
//
// archive.hpp: Archive, a tar archive in a temporary directory.

#ifndef FOREBAY_TESTS_SUPPORT_ARCHIVE_HPP
#define FOREBAY_TESTS_SUPPORT_ARCHIVE_HPP

#include <string>
#include <string_view>

#include "tests/support/temporary_directory.hpp"

namespace forebay_test {

/// An archive in a directory of its own.
struct Archive {
  explicit Archive(std::string_view bytes) : name(directory.file("a.tar", bytes)) {}
  TemporaryDirectory directory;
  std::string name;
};

}  // namespace forebay_test

#endif  // FOREBAY_TESTS_SUPPORT_ARCHIVE_HPP
