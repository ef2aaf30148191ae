// SPDX-License-Identifier: MIT
//
// tfrecord.hpp: the layout of a TFRecord.

#ifndef FOREBAY_FILES_TFRECORD_HPP
#define FOREBAY_FILES_TFRECORD_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "forebay/file.hpp"
#include "forebay/files/byte_order.hpp"
#include "forebay/files/crc32c.hpp"
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

/// Leaves only the data of a record, after checking that it has changed in no way. Throws a FileError.
inline void take_tfrecord_data(std::string& record, const std::string& file, std::uint64_t position) {
  const std::string_view data(record.data() + tfrecord_header, record.size() - tfrecord_frame);
  std::uint64_t length = 0;
  const char* const fault = read_tfrecord_length(record.data(), length);
  if (fault != nullptr) throw FileError(file, position, fault);
  if (length != data.size()) throw FileError(file, position, "the length of the record has changed");
  check_tfrecord_data(data, data.data() + data.size(), file, position);
  record.resize(tfrecord_header + data.size());
  record.erase(0, tfrecord_header);
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_FILES_TFRECORD_HPP
