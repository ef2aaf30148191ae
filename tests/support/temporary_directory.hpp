// SPDX-License-Identifier: MIT
//
// temporary_directory.hpp: TemporaryDirectory, which holds the files of a test; and functions that write and read them.

#ifndef FOREBAY_TESTS_SUPPORT_TEMPORARY_DIRECTORY_HPP
#define FOREBAY_TESTS_SUPPORT_TEMPORARY_DIRECTORY_HPP

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>

namespace forebay_test {

inline void write_file(const std::string& name, std::string_view bytes) {
  std::ofstream out(name, std::ios::binary | std::ios::trunc);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  ASSERT_TRUE(out) << name;
}

inline std::string bytes_of(const std::string& name) {
  std::ifstream in(name, std::ios::binary);
  EXPECT_TRUE(in) << name;
  return {std::istreambuf_iterator<char>(in), {}};
}

/// A directory that no other test uses. The destructor removes it.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    static std::atomic<int> count{0};
    const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
    for (;;) {
      path_ =
          std::filesystem::temp_directory_path() / ("forebay_" + std::to_string(now) + "_" + std::to_string(++count));
      if (std::filesystem::create_directory(path_)) return;
    }
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  [[nodiscard]] std::string path() const { return path_.string(); }

  /// Returns the name of a file in the directory.
  [[nodiscard]] std::string name(const std::string& file) const { return (path_ / file).string(); }

  /// Writes a file, and returns its name.
  [[nodiscard]] std::string file(const std::string& file, std::string_view bytes) const {
    write_file(name(file), bytes);
    return name(file);
  }

 private:
  std::filesystem::path path_;
};

}  // namespace forebay_test

#endif  // FOREBAY_TESTS_SUPPORT_TEMPORARY_DIRECTORY_HPP
