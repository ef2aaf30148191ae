// SPDX-License-Identifier: MIT
//
// tar_header.hpp: TarHeader, what a block of 512 bytes in front of a file in a tar archive says, in the formats v7,
// ustar, pax and GNU; TarExtension, what the pax and GNU extensions in front of it say instead; and TarCursor.

#ifndef FOREBAY_FILES_TAR_HEADER_HPP
#define FOREBAY_FILES_TAR_HEADER_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "forebay/base/text_fields.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// An archive consists of blocks: headers, and data that are padded to whole blocks.
inline constexpr std::size_t tar_block_size = 512;
using TarBlock = std::array<char, tar_block_size>;
using TarBlockView = std::span<const char, tar_block_size>;

/// The largest size of a file: the largest offset of operating systems.
inline constexpr std::uint64_t largest_tar_size = std::numeric_limits<std::int64_t>::max();

/// How the data after a header are read.
enum class TarKind {
  file,           // or a directory of an old archive, if its whole name ends in a slash
  no_data,        // a link, device, directory or pipe
  skipped,        // a volume label or something else that has data, but is no file
  sparse,         // a GNU sparse file: its data are not the contents of the file
  pax,            // names and sizes of the next file
  pax_global,     // the same, of all files that follow
  gnu_name,       // the name of the next file
  gnu_link_name,  // the target of the next link
};

/// Refers to the header's block.
struct TarHeader {
  TarKind kind = TarKind::file;
  std::uint64_t size = 0;  // of the data that follow; 0 if the kind has no data
  std::string_view prefix;
  std::string_view name;

  /// Sets `into` to the name with its prefix.
  void path(std::string& into) const {
    into.clear();
    if (!prefix.empty()) into.append(prefix) += '/';
    into += name;
  }
};

/// The position and length of a field.
struct TarField {
  std::size_t begin;
  std::size_t length;

  [[nodiscard]] std::string_view in(TarBlockView block) const noexcept { return {block.data() + begin, length}; }
};
inline constexpr TarField tar_name{0, 100};
inline constexpr TarField tar_size{124, 12};
inline constexpr TarField tar_checksum{148, 8};
inline constexpr TarField tar_type{156, 1};
inline constexpr TarField tar_magic{257, 6};
inline constexpr TarField tar_prefix{345, 155};

/// Returns the text up to a NUL, or the whole field.
[[nodiscard]] inline std::string_view tar_text(std::string_view field) noexcept {
  return field.substr(0, field.find('\0'));
}

/// Returns the decimal number; nothing if `digits` is empty, has other characters, or exceeds largest_tar_size.
[[nodiscard]] inline std::optional<std::uint64_t> tar_decimal(std::string_view digits) noexcept {
  const std::optional<std::uint64_t> number = take_number(digits, 10);
  return digits.empty() && number <= largest_tar_size ? number : std::nullopt;
}

/// Returns the number in octal digits up to a space or a NUL; nothing if there are other characters, or if it exceeds
/// largest_tar_size. (take_number() divides for each digit, which takes a fifth of the time to read a small file.)
[[nodiscard]] inline std::optional<std::uint64_t> tar_octal(std::string_view digits) noexcept {
  std::uint64_t number = 0;
  for (const char digit : digits) {
    if (digit == ' ' || digit == '\0') break;
    if (digit < '0' || digit > '7' || number > largest_tar_size / 8) return std::nullopt;
    number = number * 8 + static_cast<std::uint64_t>(digit - '0');
  }
  return number;
}

/// Returns the number in a field, octal or in base 256. Nothing if it is no number, negative, or larger than
/// largest_tar_size. An empty field is 0.
[[nodiscard]] inline std::optional<std::uint64_t> tar_number(std::string_view field) noexcept {
  const auto first = static_cast<unsigned char>(field.front());
  if ((first & 0x80U) == 0) {
    while (!field.empty() && field.front() == ' ') field.remove_prefix(1);
    return tar_octal(field);
  }
  if ((first & 0x40U) != 0) return std::nullopt;  // the sign
  std::uint64_t number = first & 0x3fU;
  for (const char byte : field.substr(1)) {
    if (number > largest_tar_size >> 8U) return std::nullopt;
    number = number << 8U | static_cast<unsigned char>(byte);
  }
  return number;
}

/// Returns the sum of the bytes, as numbers from 0 to 255.
[[nodiscard]] inline std::uint64_t tar_sum(TarBlockView block) noexcept {
  constexpr std::uint64_t every_other_byte = 0x00ff00ff00ff00ff;
  std::uint64_t sums = 0;  // four sums of 16 bits, each of at most 128 bytes
  for (std::size_t at = 0; at < block.size(); at += sizeof(std::uint64_t)) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, block.data() + at, sizeof bytes);
    sums += (bytes & every_other_byte) + (bytes >> 8U & every_other_byte);
  }
  return (sums & 0xffffU) + (sums >> 16U & 0xffffU) + (sums >> 32U & 0xffffU) + (sums >> 48U);
}

/// Returns whether the block has only zeros: the end of the archive.
[[nodiscard]] inline bool is_tar_end(TarBlockView block) noexcept { return block[0] == 0 && tar_sum(block) == 0; }

/// Returns whether the checksum is right. Some old programs added the bytes as numbers from -128 to 127.
[[nodiscard]] inline bool has_tar_checksum(TarBlockView block) noexcept {
  const std::string_view field = tar_checksum.in(block);
  const std::optional<std::uint64_t> expected = tar_number(field);
  if (!expected || *expected == 0) return false;
  std::uint64_t sum = tar_sum(block) + field.size() * ' ';  // the field counts as spaces
  for (const char byte : field) sum -= static_cast<unsigned char>(byte);
  if (sum == *expected) return true;
  for (const char byte : block) sum -= (static_cast<unsigned char>(byte) & 0x80U) << 1U;
  return sum == *expected;
}

/// Returns the kind that the type stands for.
[[nodiscard]] inline TarKind tar_kind(char type) noexcept {
  if (type == '\0' || type == '0' || type == '7') return TarKind::file;
  if (type >= '1' && type <= '6') return TarKind::no_data;
  switch (type) {
    case 'x':
    case 'X':  // the same in archives of old Solaris
      return TarKind::pax;
    case 'g': return TarKind::pax_global;
    case 'L': return TarKind::gnu_name;
    case 'K': return TarKind::gnu_link_name;
    case 'S': return TarKind::sparse;
    default: return TarKind::skipped;
  }
}

/// Fills `header` from the block. Returns what is wrong with the block, or null.
[[nodiscard]] inline const char* read_tar_header(TarBlockView block, TarHeader& header) noexcept {
  if (!has_tar_checksum(block)) return "the checksum of the tar header is wrong";
  const std::optional<std::uint64_t> size = tar_number(tar_size.in(block));
  if (!size) return "the size in the tar header is no number from 0 to 2^63 - 1";
  header.name = tar_text(tar_name.in(block));
  header.kind = tar_kind(block[tar_type.begin]);
  header.size = header.kind == TarKind::no_data ? 0 : *size;
  const bool has_prefix = tar_magic.in(block) == std::string_view("ustar\0", 6);  // GNU's magic is "ustar  "
  header.prefix = has_prefix ? tar_text(tar_prefix.in(block)) : std::string_view();
  return nullptr;
}

/// Returns whether the block, which may be damaged, was probably the header of a name or a size of the file after it.
[[nodiscard]] inline bool resembles_tar_extension(TarBlockView block) noexcept {
  if (std::string_view("xXgLK").find(block[tar_type.begin]) != std::string_view::npos) return true;
  const std::string_view name = tar_name.in(block);
  return name.find("PaxHeader") != std::string_view::npos || name.find("@LongLink") != std::string_view::npos;
}

/// What extended headers say about the next file.
struct TarExtension {
  std::optional<std::string> path;
  std::optional<std::uint64_t> size;
  bool is_sparse = false;

  /// Reads the data of a pax header: records "LENGTH KEY=VALUE\n", whose length includes all of this. Returns what is
  /// wrong with them, or null.
  [[nodiscard]] const char* read_pax(std::string_view records) {
    while (!records.empty()) {
      const std::size_t space = records.find(' ');
      const std::optional<std::uint64_t> length = tar_decimal(records.substr(0, space));
      if (space == std::string_view::npos || !length || *length > records.size() || *length < space + 2 ||
          records[static_cast<std::size_t>(*length) - 1] != '\n') {
        return "a record of the pax header has a wrong length";
      }
      const auto end = static_cast<std::size_t>(*length);
      const std::string_view record = records.substr(space + 1, end - space - 2);
      const std::size_t equals = record.find('=');
      if (equals == std::string_view::npos) return "a record of the pax header has no value";
      if (const char* wrong = set(record.substr(0, equals), record.substr(equals + 1))) return wrong;
      records.remove_prefix(end);
    }
    return nullptr;
  }

 private:
  /// An empty value removes an earlier one.
  [[nodiscard]] const char* set(std::string_view key, std::string_view value) {
    if (key == "path") {
      path.reset();
      if (!value.empty()) path.emplace(value);
    } else if (key == "size") {
      size = tar_decimal(value);
      if (!size && !value.empty()) return "the size in the pax header is no number from 0 to 2^63 - 1";
    } else if (key.starts_with("GNU.sparse.")) {
      is_sparse = true;
    }
    return nullptr;
  }
};

/// What the global pax headers up to a position say of all files that follow; null if they say nothing of the path or
/// the size.
using TarGlobals = std::shared_ptr<const TarExtension>;

/// Where reading goes on.
struct TarCursor {
  std::uint64_t position = 0;
  TarGlobals globals{};

  /// Returns "1024", or "1024 SIZE PATH" if global headers say so.
  [[nodiscard]] std::string text() const {
    std::string text = std::to_string(position);
    if (globals == nullptr) return text;
    text += ' ';
    if (globals->size) text += std::to_string(*globals->size);
    return globals->path ? text + ' ' + *globals->path : text;
  }

  /// Returns nothing if text() does not begin so.
  [[nodiscard]] static std::optional<TarCursor> parse(std::string_view text) {
    const std::optional<std::uint64_t> position = take_number(text, 10);
    if (!position) return std::nullopt;
    TarCursor cursor{*position};
    if (text.empty()) return cursor;
    text.remove_prefix(1);
    TarExtension globals;
    const std::size_t space = text.find(' ');
    globals.size = tar_decimal(text.substr(0, space));
    if (space != std::string_view::npos) globals.path = text.substr(space + 1);
    cursor.globals = std::make_shared<const TarExtension>(std::move(globals));
    return cursor;
  }
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_FILES_TAR_HEADER_HPP
