// SPDX-License-Identifier: MIT
//
// record_index.hpp: RecordIndex, which reads the records of files by their numbers.

#ifndef FOREBAY_FILES_RECORD_INDEX_HPP
#define FOREBAY_FILES_RECORD_INDEX_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "forebay/file.hpp"
#include "forebay/files/open_files.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Finds the ends of the records that a reader skips.
template <class Reader>
class SkippedRecords {
 public:
  explicit SkippedRecords(Reader reader) : reader_(std::move(reader)) {}

  bool next(std::uint64_t& end) {
    const bool is_there = reader_.skip(1) == 1;
    end = reader_.cursor();
    return is_there;
  }

 private:
  Reader reader_;
};

/// Reads records that follow each other without a gap. Needs 8 bytes of memory for each.
///
/// Thread safety: any number of threads may read.
class RecordIndex {
 public:
  /// The buffer of files that are opened to find the records: data that is skipped should not be read.
  static constexpr std::size_t buffer_of_headers = 16'384;

  /// Finds all records. `open(name)` returns an object whose next(end) sets the end of the next record, and returns
  /// false if there is none. Throws what these throw, and a FileError for a file that is no regular file.
  template <class Open>
  [[nodiscard]] static std::shared_ptr<const RecordIndex> of(const std::vector<std::string>& names, const Open& open) {
    std::vector<KnownFile> files;
    std::vector<std::size_t> ends;
    std::vector<std::uint64_t> begins;
    for (const std::string& name : names) {
      static_cast<void>(open_regular_file(name));  // rejects a pipe
      auto records = open(name);
      std::uint64_t begin = 0;
      for (std::uint64_t end = 0; records.next(end); begin = end) begins.push_back(begin);
      begins.push_back(begin);  // the end of the last record
      ends.push_back(begins.size() - files.size() - 1);
      files.push_back({name, begin});
    }
    return std::shared_ptr<const RecordIndex>(new RecordIndex(std::move(files), std::move(ends), std::move(begins)));
  }

  /// Returns the number of records of all files.
  [[nodiscard]] std::size_t size() const noexcept { return ends_.empty() ? 0 : ends_.back(); }

  /// Returns where a record is. Requires number < size().
  [[nodiscard]] PlaceInFiles place_of(std::size_t number) const noexcept { return place_in_files(ends_, number); }
  [[nodiscard]] const std::string& name(std::size_t file) const noexcept { return files_.file(file).name; }

  [[nodiscard]] std::uint64_t buffer_bytes() const { return files_.buffer_bytes(); }

  /// Fills `into` with all bytes of a record, and then calls take(into, file, position), which leaves only its data.
  /// Requires number < size(). Throws a FileError.
  template <class Take>
  void read(std::size_t number, std::string& into, const Take& take) const {
    const std::size_t file = place_of(number).file;
    const std::uint64_t begin = begins_[number + file];  // each earlier file has one more entry than records
    into.resize(static_cast<std::size_t>(begins_[number + file + 1] - begin));
    files_.read(file, begin, into, "a record");
    take(into, name(file), begin);
  }

 private:
  RecordIndex(std::vector<KnownFile> files, std::vector<std::size_t> ends, std::vector<std::uint64_t> begins)
      : files_(std::move(files)), ends_(std::move(ends)), begins_(std::move(begins)) {}

  OpenFiles files_;
  std::vector<std::size_t> ends_;      // for each file: the number of records up to its end
  std::vector<std::uint64_t> begins_;  // for each file: the positions of its records and its end
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_FILES_RECORD_INDEX_HPP
