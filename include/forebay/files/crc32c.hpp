// SPDX-License-Identifier: MIT
//
// crc32c.hpp: crc32c(), the checksum of TFRecords (Castagnoli; RFC 3720). It uses the instruction of the processor if
// there is one, and tables otherwise.

#ifndef FOREBAY_FILES_CRC32C_HPP
#define FOREBAY_FILES_CRC32C_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "forebay/files/byte_order.hpp"
#include "forebay/version.hpp"

#if defined(_MSC_VER) && (defined(_M_X64) || defined(_M_IX86))
#include <intrin.h>
#include <nmmintrin.h>
#elif defined(__x86_64__) || defined(__i386__)
#include <nmmintrin.h>
#elif defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#endif

namespace forebay::FOREBAY_ABI::detail {

/// Table k holds, for each byte, the checksum of that byte followed by k zeros.
using Crc32cTables = std::array<std::array<std::uint32_t, 256>, 8>;

[[nodiscard]] constexpr Crc32cTables make_crc32c_tables() noexcept {
  Crc32cTables tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1U) ^ ((crc & 1U) != 0 ? 0x82F63B78U : 0U);
    tables[0][byte] = crc;
  }
  for (std::size_t k = 1; k < tables.size(); ++k) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t crc = tables[k - 1][byte];
      tables[k][byte] = (crc >> 8U) ^ tables[0][crc & 0xffU];
    }
  }
  return tables;
}

inline constexpr Crc32cTables crc32c_tables = make_crc32c_tables();

/// Continues a checksum, which is inverted before the first byte and after the last one. Reads eight bytes at a time.
[[nodiscard]] inline std::uint32_t crc32c_by_tables(std::uint32_t crc, std::string_view bytes) noexcept {
  const auto& t = crc32c_tables;
  while (bytes.size() >= 8) {
    const std::uint32_t a = crc ^ load_little<std::uint32_t>(bytes.data());
    const auto b = load_little<std::uint32_t>(bytes.data() + 4);
    crc = t[7][a & 0xffU] ^ t[6][(a >> 8U) & 0xffU] ^ t[5][(a >> 16U) & 0xffU] ^ t[4][a >> 24U] ^  //
          t[3][b & 0xffU] ^ t[2][(b >> 8U) & 0xffU] ^ t[1][(b >> 16U) & 0xffU] ^ t[0][b >> 24U];
    bytes.remove_prefix(8);
  }
  for (const char byte : bytes) crc = (crc >> 8U) ^ t[0][(crc ^ static_cast<unsigned char>(byte)) & 0xffU];
  return crc;
}

#if defined(__x86_64__) || defined(__i386__) || (defined(_MSC_VER) && (defined(_M_X64) || defined(_M_IX86)))

[[nodiscard]] inline bool has_crc32c_instruction() noexcept {
#if defined(_MSC_VER)
  int registers[4] = {};
  __cpuid(registers, 1);
  return (static_cast<unsigned>(registers[2]) & (1U << 20U)) != 0;
#else
  return static_cast<bool>(__builtin_cpu_supports("sse4.2"));
#endif
}

/// Continues a checksum. Requires the instruction.
[[nodiscard]] [[gnu::target("sse4.2")]] inline std::uint32_t crc32c_by_instruction(std::uint32_t crc,
                                                                                   std::string_view bytes) noexcept {
#if defined(__x86_64__) || defined(_M_X64)
  std::uint64_t wide = crc;
  for (; bytes.size() >= 8; bytes.remove_prefix(8))
    wide = _mm_crc32_u64(wide, load_little<std::uint64_t>(bytes.data()));
  crc = static_cast<std::uint32_t>(wide);
#else
  for (; bytes.size() >= 4; bytes.remove_prefix(4)) crc = _mm_crc32_u32(crc, load_little<std::uint32_t>(bytes.data()));
#endif
  for (const char byte : bytes) crc = _mm_crc32_u8(crc, static_cast<unsigned char>(byte));
  return crc;
}

#elif defined(__aarch64__) && (defined(__GNUC__) || defined(__clang__)) && \
    (defined(__linux__) || defined(__ARM_FEATURE_CRC32))

[[nodiscard]] inline bool has_crc32c_instruction() noexcept {
#if defined(__ARM_FEATURE_CRC32)
  return true;
#else
  return (::getauxval(AT_HWCAP) & (1UL << 7U)) != 0;  // HWCAP_CRC32
#endif
}

/// Continues a checksum. Requires the instruction. The assembler needs no option of the compiler for it.
[[nodiscard]] inline std::uint32_t crc32c_by_instruction(std::uint32_t crc, std::string_view bytes) noexcept {
  for (; bytes.size() >= 8; bytes.remove_prefix(8)) {
    const auto eight = load_little<std::uint64_t>(bytes.data());
    asm(".arch_extension crc\n\tcrc32cx %w0, %w0, %x1" : "+r"(crc) : "r"(eight));
  }
  for (const char byte : bytes) {
    const auto one = static_cast<std::uint32_t>(static_cast<unsigned char>(byte));
    asm(".arch_extension crc\n\tcrc32cb %w0, %w0, %w1" : "+r"(crc) : "r"(one));
  }
  return crc;
}

#else

[[nodiscard]] inline bool has_crc32c_instruction() noexcept { return false; }
[[nodiscard]] inline std::uint32_t crc32c_by_instruction(std::uint32_t crc, std::string_view bytes) noexcept {
  return crc32c_by_tables(crc, bytes);
}

#endif

/// Returns the checksum of some bytes.
[[nodiscard]] inline std::uint32_t crc32c(std::string_view bytes) noexcept {
  static const bool has_instruction = has_crc32c_instruction();
  return ~(has_instruction ? crc32c_by_instruction(~0U, bytes) : crc32c_by_tables(~0U, bytes));
}

/// Returns the checksum as TFRecords store it: rotated and increased, because the data may contain checksums.
[[nodiscard]] inline std::uint32_t masked_crc32c(std::string_view bytes) noexcept {
  const std::uint32_t crc = crc32c(bytes);
  return ((crc >> 15U) | (crc << 17U)) + 0xa282ead8U;
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_FILES_CRC32C_HPP
