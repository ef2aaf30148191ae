// SPDX-License-Identifier: MIT
//
// temporary_directory.hpp: an empty directory for the files of a test, which is removed with all of them.

#ifndef FOREBAY_TESTS_SUPPORT_TEMPORARY_DIRECTORY_HPP
#define FOREBAY_TESTS_SUPPORT_TEMPORARY_DIRECTORY_HPP

#include <filesystem>
#include <fstream>
#include <ios>
#include <iterator>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

namespace forebay_test {

class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::random_device random;
    do {
      path_ = std::filesystem::temp_directory_path() / ("forebay_test_" + std::to_string(random()));
    } while (!std::filesystem::create_directory(path_));
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  [[nodiscard]] std::string name_of(const std::string& file) const { return (path_ / file).string(); }

  /// Writes a file, replacing one of the same name, and returns its name.
  std::string write(const std::string& file, std::string_view bytes) const {  // NOLINT(modernize-use-nodiscard)
    std::ofstream stream(path_ / file, std::ios::binary | std::ios::trunc);
    stream << bytes << std::flush;
    if (!stream) throw std::runtime_error("cannot write " + name_of(file));
    return name_of(file);
  }

 private:
  std::filesystem::path path_;
};

/// Returns the bytes of a file.
inline std::string bytes_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
  if (!stream) throw std::runtime_error("cannot read " + file.string());
  return bytes;
}

}  // namespace forebay_test

#endif  // FOREBAY_TESTS_SUPPORT_TEMPORARY_DIRECTORY_HPP
