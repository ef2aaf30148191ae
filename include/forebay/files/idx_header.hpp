// SPDX-License-Identifier: MIT
//
// idx_header.hpp: parses the header of an IDX file, the format of the MNIST family: two zero bytes, the type of the
// numbers, the count of extents, then each extent in four bytes. Headers and numbers are big-endian.

#ifndef FOREBAY_FILES_IDX_HEADER_HPP
#define FOREBAY_FILES_IDX_HEADER_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "forebay/base/compression.hpp"
#include "forebay/files/array_header.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// The bytes of the longest header: 255 extents.
inline constexpr std::size_t longest_idx_header = 4 + 4 * std::size_t{255};

[[nodiscard]] inline NumberType idx_number_type(unsigned char code) {
  switch (code) {
    case 0x08: return {'u', 1};
    case 0x09: return {'i', 1};
    case 0x0B: return {'i', 2};
    case 0x0C: return {'i', 4};
    case 0x0D: return {'f', 4};
    case 0x0E: return {'f', 8};
    default: throw DamagedHeader(2, "the type " + std::to_string(code) + " is no type of an IDX file");
  }
}

/// Parses the header at the beginning of a file. `bytes` are the first longest_idx_header bytes of the file, or the
/// whole file if it is shorter. Throws DamagedHeader.
[[nodiscard]] inline ArrayHeader parse_idx_header(std::string_view bytes) {
  const auto byte = [bytes](std::size_t at) {
    if (at >= bytes.size()) throw DamagedHeader(bytes.size(), "the file is truncated: it ends within its header");
    return static_cast<unsigned char>(bytes[at]);
  };
  if (const std::string fault = compression_fault(bytes); !fault.empty()) throw DamagedHeader(0, fault);
  if (byte(0) != 0 || byte(1) != 0)
    throw DamagedHeader(0, "the file is no IDX file: it does not begin with two zeros");
  ArrayHeader header;
  header.is_big_endian = true;
  header.type_at = 2;
  header.type = idx_number_type(byte(2));
  header.shape_at = 3;
  const std::size_t extents = byte(3);
  for (std::size_t at = 4; at < 4 + 4 * extents; at += 4) {
    std::uint64_t extent = 0;
    for (std::size_t i = 0; i < 4; ++i) extent = extent << 8U | byte(at + i);
    header.shape.push_back(extent);
  }
  header.data_at = 4 + 4 * extents;
  return header;
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_FILES_IDX_HEADER_HPP
