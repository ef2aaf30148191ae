// SPDX-License-Identifier: MIT
//
// tfrecord_bytes.hpp: builds TFRecords byte by byte, with a checksum that is computed bit by bit.

#ifndef FOREBAY_TESTS_SUPPORT_TFRECORD_BYTES_HPP
#define FOREBAY_TESTS_SUPPORT_TFRECORD_BYTES_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace forebay_test {

/// Returns the lowest `size` bytes of a number, the lowest first.
inline std::string little_endian(std::uint64_t number, std::size_t size) {
  std::string bytes;
  for (std::size_t i = 0; i < size; ++i) bytes += static_cast<char>((number >> (8 * i)) & 0xffU);
  return bytes;
}

inline std::uint32_t crc32c_by_bits(std::string_view bytes) {
  std::uint32_t crc = ~0U;
  for (const char byte : bytes) {
    crc ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1U) ^ ((crc & 1U) != 0 ? 0x82F63B78U : 0U);
  }
  return ~crc;
}

/// Returns the checksum as it stands in a record.
inline std::string checksum_bytes(std::string_view bytes) {
  const std::uint32_t crc = crc32c_by_bits(bytes);
  return little_endian(((crc >> 15U) | (crc << 17U)) + 0xa282ead8U, 4);
}

/// Returns the first 12 bytes of a record.
inline std::string tfrecord_header(std::uint64_t length) {
  const std::string bytes = little_endian(length, 8);
  return bytes + checksum_bytes(bytes);
}

inline std::string tfrecord(std::string_view data) {
  return tfrecord_header(data.size()) + std::string(data) + checksum_bytes(data);
}

}  // namespace forebay_test

#endif  // FOREBAY_TESTS_SUPPORT_TFRECORD_BYTES_HPP
