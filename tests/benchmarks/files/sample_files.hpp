// SPDX-License-Identifier: MIT
//
// The files that the benchmark reads, one of each format, which are removed at the end.

#ifndef FOREBAY_BENCHMARK_FILES_SAMPLE_FILES_HPP
#define FOREBAY_BENCHMARK_FILES_SAMPLE_FILES_HPP

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "../require.hpp"
#include "forebay/files/crc32c.hpp"
#include "tests/support/tar_archive.hpp"

namespace forebay_benchmark::files {

/// Writes `number` with the lowest byte first.
inline void append_little(std::string& to, std::uint64_t number, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) to += static_cast<char>(number >> (8 * i) & 0xFFU);
}

class SampleFiles {
 public:
  /// Each file has about `size` bytes.
  explicit SampleFiles(std::size_t size)
      : size_(size),
        directory_(std::filesystem::temp_directory_path() / ("forebay_files_" + std::to_string(getpid()))) {
    std::filesystem::create_directory(directory_);
  }
  SampleFiles(const SampleFiles&) = delete;
  SampleFiles& operator=(const SampleFiles&) = delete;
  ~SampleFiles() {
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
  }

  [[nodiscard]] std::string bytes() const { return file("bytes", std::string(size_ / 600'000 * 600'000, 'b')); }

  [[nodiscard]] std::string lines() const { return repeated("lines", "The river turns the wheel of the old mill.\n"); }

  [[nodiscard]] std::string csv() const {
    std::string text = "id,name,price,stock\n";
    for (unsigned row = 0; text.size() < size_; ++row) {
      text += std::to_string(row) + ",wheel of oak " + std::to_string(row % 97) + "," + std::to_string(row % 1000) +
              "." + std::to_string(row % 89 + 10) + "," + std::to_string(row % 3000) + "\n";
    }
    return file("csv", text);
  }

  [[nodiscard]] std::string prefixed(std::size_t record_size) const {
    std::string record;
    append_little(record, record_size, 4);
    return repeated("prefixed", record + std::string(record_size, 'p'));
  }

  [[nodiscard]] std::string tfrecords(std::size_t record_size) const {
    const std::string data(record_size, 't');
    std::string record;
    append_little(record, record_size, 8);
    append_little(record, forebay::detail::masked_crc32c(record), 4);
    record += data;
    append_little(record, forebay::detail::masked_crc32c(data), 4);
    return repeated("tfrecords", record);
  }

  /// A file "12.jpg" for each sample, and "12.cls" if it has a label.
  [[nodiscard]] std::string tar(std::size_t entry_size, bool has_labels) const {
    std::string archive;
    const std::string image(entry_size, 'i');
    for (unsigned sample = 0; archive.size() < size_; ++sample) {
      archive += forebay_test::tar_entry("train/" + std::to_string(sample) + ".jpg", image);
      if (!has_labels) continue;
      archive += forebay_test::tar_entry("train/" + std::to_string(sample) + ".cls", std::to_string(sample % 10));
    }
    return file("tar", archive + forebay_test::tar_end());
  }

  /// Rows of 784 floats.
  [[nodiscard]] std::string npy() const {
    const std::size_t rows = size_ / (784 * sizeof(float));
    std::string text = "{'descr': '<f4', 'fortran_order': False, 'shape': (" + std::to_string(rows) + ", 784), }";
    text.resize(117, ' ');
    return file("npy", std::string("\x93NUMPY\x01\x00\x76\x00", 10) + text + '\n' +
                           std::string(rows * 784 * sizeof(float), '\0'));
  }

  /// Rows of 28 times 28 bytes.
  [[nodiscard]] std::string idx() const {
    const std::size_t rows = size_ / 784;
    std::string header{"\0\0\x08\x03", 4};
    for (const std::size_t extent : {rows, std::size_t{28}, std::size_t{28}}) {
      for (std::size_t shift = 32; shift > 0; shift -= 8) header += static_cast<char>(extent >> (shift - 8) & 0xFFU);
    }
    return file("idx", header + std::string(rows * 784, 'x'));
  }

 private:
  [[nodiscard]] std::string repeated(const char* name, std::string_view record) const {
    std::string bytes;
    while (bytes.size() < size_) bytes += record;
    return file(name, bytes);
  }

  [[nodiscard]] std::string file(const char* name, const std::string& bytes) const {
    const std::string path = (directory_ / name).string();
    std::ofstream out(path, std::ios::binary);
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    out.close();
    require(static_cast<bool>(out), "a file cannot be written");
    return path;
  }

  std::size_t size_;
  std::filesystem::path directory_;
};

}  // namespace forebay_benchmark::files

#endif  // FOREBAY_BENCHMARK_FILES_SAMPLE_FILES_HPP
