// SPDX-License-Identifier: MIT
//
// data_file.hpp: finds the files in tests/files/data.

#ifndef FOREBAY_TESTS_SUPPORT_DATA_FILE_HPP
#define FOREBAY_TESTS_SUPPORT_DATA_FILE_HPP

#include <filesystem>
#include <string>

namespace forebay_test {

/// Returns the path of a file in tests/files/data.
inline std::string data_file(const std::string& name) {
  return (std::filesystem::path(__FILE__).parent_path().parent_path() / "files" / "data" / name).string();
}

}  // namespace forebay_test

#endif  // FOREBAY_TESTS_SUPPORT_DATA_FILE_HPP
