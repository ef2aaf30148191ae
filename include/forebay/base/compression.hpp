// SPDX-License-Identifier: MIT
//
// compression.hpp: tells whether a file is compressed, by its first bytes.

#ifndef FOREBAY_BASE_COMPRESSION_HPP
#define FOREBAY_BASE_COMPRESSION_HPP

#include <cstddef>
#include <string>
#include <string_view>

#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// The bytes by which all formats can be told.
inline constexpr std::size_t compression_magic_size = 10;

/// Returns whether the bytes begin a bzip2 file: with the size of its blocks, and the first block or the end.
[[nodiscard]] inline bool is_bzip2(std::string_view begin) noexcept {
  if (begin.size() < compression_magic_size || !begin.starts_with("BZh") || begin[3] < '1' || begin[3] > '9') {
    return false;
  }
  const std::string_view block = begin.substr(4, 6);
  return block == "1AY&SY" || block == "\x17\x72\x45\x38\x50\x90";
}

/// Returns the name of the format of a compressed file that begins with these bytes, or null.
[[nodiscard]] inline const char* compressor_of(std::string_view begin) noexcept {
  using namespace std::string_view_literals;
  if (begin.starts_with("\x1f\x8b\x08"sv)) return "gzip";
  if (begin.starts_with("\x28\xb5\x2f\xfd"sv)) return "zstd";
  if (begin.starts_with("\xfd\x37\x7a\x58\x5a\x00"sv)) return "xz";
  if (begin.starts_with("\x04\x22\x4d\x18"sv)) return "lz4";
  return is_bzip2(begin) ? "bzip2" : nullptr;
}

/// Returns why a file that begins with these bytes cannot be read, if it is compressed; otherwise "".
[[nodiscard]] inline std::string compression_fault(std::string_view begin) {
  const char* const compressor = compressor_of(begin);
  if (compressor == nullptr) return {};
  const bool is_gzip = begin[0] == '\x1f';
  return std::string("the file is compressed by ") + compressor +
         ": decompress it, or read it in order with the option .open, as in " +
         (is_gzip ? "examples/gzip_records.cpp" : "examples/zstd_lines.cpp");
}

/// Returns the same as a guess, behind the reason of another failure: a file of records may begin with any bytes.
[[nodiscard]] inline std::string compression_hint(std::string_view begin) {
  const std::string fault = compression_fault(begin);
  return fault.empty() ? fault : "; perhaps " + fault;
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_BASE_COMPRESSION_HPP
