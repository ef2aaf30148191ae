// SPDX-License-Identifier: MIT
//
// indexed_files.hpp: IndexedFiles, files that consist of rows of the same size, which it reads by their numbers.

#ifndef FOREBAY_FILES_INDEXED_FILES_HPP
#define FOREBAY_FILES_INDEXED_FILES_HPP

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "forebay/base/arithmetic.hpp"
#include "forebay/file.hpp"
#include "forebay/files/open_files.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// The rows of one file. All members are as they were when the data set was created.
struct RowsOfFile {
  std::string name;
  std::uint64_t size;   // of the file
  std::uint64_t begin;  // of the first row
  std::uint64_t rows;
};

/// Reads rows of `row_size` bytes by their numbers, which go on from one file to the next.
///
/// Thread safety: any number of threads may read.
class IndexedFiles {
 public:
  /// Requires that the rows of each file end within the file. Throws a FileError if there are more rows than a
  /// std::size_t can count.
  IndexedFiles(const std::vector<RowsOfFile>& files, std::uint64_t row_size)
      : row_size_(row_size), files_(known(files)) {
    std::uint64_t rows = 0;
    for (const RowsOfFile& file : files) {
      if (file.rows > std::numeric_limits<std::size_t>::max() - rows) {
        throw FileError(file.name, file.begin, "the data set has too many rows for this system");
      }
      rows += file.rows;
      begins_.push_back(file.begin);
      ends_.push_back(rows);
    }
  }

  /// Returns the number of rows of all files.
  [[nodiscard]] std::uint64_t size() const noexcept { return ends_.empty() ? 0 : ends_.back(); }

  [[nodiscard]] std::uint64_t buffer_bytes() const { return files_.buffer_bytes(); }

  [[nodiscard]] std::uint64_t row_size() const noexcept { return row_size_; }

  /// Fills `into`, which has row_size() bytes for each row, with the rows from `row` on. Requires that they are there.
  /// Throws a FileError.
  void read(std::uint64_t row, std::span<char> into) const {
    while (!into.empty()) {
      const auto [index, before] = place_in_files(ends_, row);
      const auto rows = smaller<std::uint64_t>(into.size() / row_size_, ends_[index] - row);
      const std::span<char> of_file = into.first(static_cast<std::size_t>(rows * row_size_));
      files_.read(index, begins_[index] + before * row_size_, of_file, "a record");
      into = into.subspan(of_file.size());
      row += rows;
    }
  }

 private:
  [[nodiscard]] static std::vector<KnownFile> known(const std::vector<RowsOfFile>& files) {
    std::vector<KnownFile> known;
    known.reserve(files.size());
    for (const RowsOfFile& file : files) known.push_back({file.name, file.size});
    return known;
  }

  std::uint64_t row_size_;
  OpenFiles files_;
  std::vector<std::uint64_t> begins_;  // for each file: the position of its first row
  std::vector<std::uint64_t> ends_;    // for each file: the number of rows up to its end
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_FILES_INDEXED_FILES_HPP
