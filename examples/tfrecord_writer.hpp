// SPDX-License-Identifier: MIT
//
// Writes TFRecord files.

#ifndef FOREBAY_EXAMPLES_TFRECORD_WRITER_HPP
#define FOREBAY_EXAMPLES_TFRECORD_WRITER_HPP

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <ios>
#include <stdexcept>
#include <string>
#include <string_view>

/// Writes a file record by record. The destructor closes it; call close() to learn whether that worked.
class TFRecordWriter {
 public:
  explicit TFRecordWriter(const std::string& name) : name_(name), out_(name, std::ios::binary) { check(); }

  void write(std::string_view data) {
    const std::string length = little_endian(data.size(), 8);
    out_ << length << little_endian(masked_crc32c(length), 4) << data << little_endian(masked_crc32c(data), 4);
    check();
  }

  void close() {
    out_.close();
    check();
  }

 private:
  static std::string little_endian(std::uint64_t number, std::size_t size) {
    std::string bytes;
    for (std::size_t i = 0; i < size; ++i) bytes += static_cast<char>((number >> (8 * i)) & 0xffU);
    return bytes;
  }

  /// Computes the checksum bit by bit: short, but slow.
  static std::uint32_t masked_crc32c(std::string_view bytes) {
    std::uint32_t crc = ~0U;
    for (const char byte : bytes) {
      crc ^= static_cast<unsigned char>(byte);
      for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1U) ^ ((crc & 1U) != 0 ? 0x82F63B78U : 0U);
    }
    crc = ~crc;
    return ((crc >> 15U) | (crc << 17U)) + 0xa282ead8U;
  }

  void check() const {
    if (!out_) throw std::runtime_error("cannot write " + name_);
  }

  std::string name_;
  std::ofstream out_;
};

#endif  // FOREBAY_EXAMPLES_TFRECORD_WRITER_HPP
