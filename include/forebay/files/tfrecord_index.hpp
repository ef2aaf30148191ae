// SPDX-License-Identifier: MIT
//
// tfrecord_index.hpp: the layout of a TFRecord, and TFRecordIndex, which finds records by their numbers.

#ifndef FOREBAY_FILES_TFRECORD_INDEX_HPP
#define FOREBAY_FILES_TFRECORD_INDEX_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "forebay/file.hpp"
#include "forebay/files/byte_order.hpp"
#include "forebay/files/crc32c.hpp"
#include "forebay/files/open_files.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// A record is the length of its data in 8 bytes, the checksum of the length in 4, the data, and its checksum in 4.
inline constexpr std::size_t tfrecord_header = 12;
inline constexpr std::size_t tfrecord_frame = 16;

/// Sets `length` to that in a header of 12 bytes. Returns what is wrong with the header, or null.
[[nodiscard]] inline const char* read_tfrecord_length(const char* header, std::uint64_t& length) noexcept {
  length = load_little<std::uint64_t>(header);
  const bool is_right = load_little<std::uint32_t>(header + 8) == masked_crc32c({header, 8});
  return is_right ? nullptr : "the length of the record has a wrong checksum";
}

/// Throws a FileError if the data of the record at `position` does not have the checksum at `checksum`.
inline void check_tfrecord_data(std::string_view data, const char* checksum, const std::string& file,
                                std::uint64_t position) {
  if (load_little<std::uint32_t>(checksum) != masked_crc32c(data)) {
    throw FileError(file, position, "the data of the record has a wrong checksum");
  }
}

/// Reads the records of files by their numbers. `Reader` is a TFRecordReader.
///
/// Thread safety: any number of threads may read.
class TFRecordIndex {
 public:
  /// Reads the headers of all records. Throws a FileError if one is damaged.
  template <class Reader>
  [[nodiscard]] static std::unique_ptr<const TFRecordIndex> of(const std::vector<std::string>& names) {
    std::vector<KnownFile> files;
    std::vector<std::size_t> ends;
    std::vector<std::uint64_t> begins;
    for (const std::string& name : names) {
      static_cast<void>(open_regular_file(name));               // rejects a pipe
      Reader reader(name, FileOptions{.buffer_size = 16'384});  // data that is skipped should not be read
      std::uint64_t begin = reader.cursor();
      while (reader.skip(1) == 1) {
        begins.push_back(begin);
        begin = reader.cursor();
      }
      begins.push_back(begin);  // the end of the last record
      ends.push_back(begins.size() - files.size() - 1);
      files.push_back({name, begin});
    }
    return std::unique_ptr<const TFRecordIndex>(
        new TFRecordIndex(std::move(files), std::move(ends), std::move(begins)));
  }

  /// Returns the number of records of all files.
  [[nodiscard]] std::size_t size() const noexcept { return ends_.empty() ? 0 : ends_.back(); }

  [[nodiscard]] std::uint64_t buffer_bytes() const { return files_.buffer_bytes(); }

  /// Fills `into` with the data of a record. Requires number < size(). Throws a FileError.
  void read(std::size_t number, std::string& into) const {
    const auto file = static_cast<std::size_t>(std::upper_bound(ends_.begin(), ends_.end(), number) - ends_.begin());
    const std::uint64_t begin = begins_[number + file];  // each earlier file has one more entry than records
    const auto size = static_cast<std::size_t>(begins_[number + file + 1] - begin);
    const std::string& name = files_.file(file).name;
    into.resize(size);
    files_.read(file, begin, into, "a record");
    const std::string_view data(into.data() + tfrecord_header, size - tfrecord_frame);
    std::uint64_t length = 0;
    const char* const fault = read_tfrecord_length(into.data(), length);
    if (fault != nullptr) throw FileError(name, begin, fault);
    if (length != data.size()) throw FileError(name, begin, "the length of the record has changed");
    check_tfrecord_data(data, into.data() + size - 4, name, begin);
    into.resize(size - 4);
    into.erase(0, tfrecord_header);
  }

 private:
  TFRecordIndex(std::vector<KnownFile> files, std::vector<std::size_t> ends, std::vector<std::uint64_t> begins)
      : files_(std::move(files)), ends_(std::move(ends)), begins_(std::move(begins)) {}

  OpenFiles files_;
  std::vector<std::size_t> ends_;      // for each file: the number of records up to its end
  std::vector<std::uint64_t> begins_;  // for each file: the positions of its records and its end
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_FILES_TFRECORD_INDEX_HPP
