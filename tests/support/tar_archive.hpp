// SPDX-License-Identifier: MIT
//
// tar_archive.hpp: writes the headers and entries of tar archives, right ones and wrong ones.

#ifndef FOREBAY_TESTS_SUPPORT_TAR_ARCHIVE_HPP
#define FOREBAY_TESTS_SUPPORT_TAR_ARCHIVE_HPP

#include <array>
#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

namespace forebay_test {

/// The fields of a header, as they stand in it.
struct TarFields {
  std::string name = "name";
  std::string size = "00000000000";
  char type = '0';
  std::string magic{"ustar\00000", 8};
  std::string prefix{};
};

/// Writes a checksum as GNU tar does.
inline void put_tar_checksum(std::array<char, 512>& block, unsigned sum) {
  static_cast<void>(std::snprintf(block.data() + 148, 7, "%06o", sum & 0777777U));
  block[155] = ' ';
}

inline std::array<char, 512> tar_block(const TarFields& fields) {
  std::array<char, 512> block{};
  const auto put = [&block](std::size_t at, std::string_view text) { text.copy(block.data() + at, text.size()); };
  put(0, fields.name);
  put(100, "0000644");
  put(124, fields.size);
  put(148, "        ");
  block[156] = fields.type;
  put(257, fields.magic);
  put(345, fields.prefix);
  unsigned sum = 0;
  for (const char byte : block) sum += static_cast<unsigned char>(byte);
  put_tar_checksum(block, sum);
  return block;
}

/// Returns the octal digits of a size.
inline std::string tar_octal(std::size_t size) {
  std::array<char, 24> text{};
  static_cast<void>(std::snprintf(text.data(), text.size(), "%011llo", static_cast<unsigned long long>(size)));
  return text.data();
}

/// Returns a header and data that are padded to whole blocks.
inline std::string tar_entry(TarFields fields, std::string_view bytes) {
  fields.size = tar_octal(bytes.size());
  const std::array<char, 512> block = tar_block(fields);
  std::string entry(block.data(), block.size());
  entry += bytes;
  entry.resize((entry.size() + 511) / 512 * 512);
  return entry;
}
inline std::string tar_entry(const std::string& name, std::string_view bytes) {
  return tar_entry(TarFields{.name = name}, bytes);
}

/// Returns a record of a pax header.
inline std::string pax_record(const std::string& key, const std::string& value) {
  const std::size_t rest = key.size() + value.size() + 3;
  std::size_t length = rest + 1;
  while (length < rest + std::to_string(length).size()) ++length;
  return std::to_string(length) + ' ' + key + '=' + value + '\n';
}

/// Returns an entry with any name, as GNU tar writes it. The name in its own header is cut.
inline std::string gnu_entry(TarFields fields, std::string_view bytes) {
  fields.magic = std::string("ustar  \0", 8);
  const std::string name = std::exchange(fields.name, fields.name.substr(0, 100));
  if (name.size() <= 100) return tar_entry(fields, bytes);
  return tar_entry(TarFields{.name = "././@LongLink", .type = 'L', .magic = fields.magic}, name + '\0') +
         tar_entry(fields, bytes);
}

/// Returns an entry with any name, in the format pax. The name in its own header is cut.
inline std::string pax_entry(TarFields fields, std::string_view bytes) {
  const std::string name = std::exchange(fields.name, fields.name.substr(0, 100));
  return tar_entry(TarFields{.name = "PaxHeaders/x", .type = 'x'}, pax_record("path", name)) +
         tar_entry(fields, bytes);
}

/// Returns an entry in the format ustar, with a prefix if the name is long; "" if this format has no room for the name.
inline std::string ustar_entry(TarFields fields, std::string_view bytes) {
  if (fields.name.size() > 100) {
    const std::size_t slash = fields.name.find('/', fields.name.size() - 101);
    if (slash == std::string::npos || slash == 0 || slash > 155 || slash + 1 == fields.name.size()) return "";
    fields.prefix = fields.name.substr(0, slash);
    fields.name.erase(0, slash + 1);
  }
  return tar_entry(fields, bytes);
}

/// Returns the zero blocks at the end of an archive.
inline std::string tar_end() { return std::string(1024, '\0'); }

}  // namespace forebay_test

#endif  // FOREBAY_TESTS_SUPPORT_TAR_ARCHIVE_HPP
