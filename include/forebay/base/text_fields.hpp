// SPDX-License-Identifier: MIT
//
// text_fields.hpp: reads small text files such as those in /proc. Malformed files do not cause exceptions.

#ifndef FOREBAY_BASE_TEXT_FIELDS_HPP
#define FOREBAY_BASE_TEXT_FIELDS_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

struct CloseFile {
  void operator()(std::FILE* file) const noexcept { static_cast<void>(std::fclose(file)); }
};
using FilePointer = std::unique_ptr<std::FILE, CloseFile>;

/// Returns the content of a file, at most its first 16 MiB. Empty if it cannot be read.
[[nodiscard]] inline std::string text_of_file(const std::string& name) {
  constexpr std::size_t most = std::size_t{16} << 20U;
  std::string text;
  const FilePointer file(std::fopen(name.c_str(), "rb"));
  std::array<char, 4096> part{};
  std::size_t count = file != nullptr ? part.size() : 0;
  while (count == part.size() && text.size() < most) {
    count = std::fread(part.data(), 1, part.size(), file.get());
    text.append(part.data(), count);
  }
  return text;
}

/// Removes the first field and its separator from `text`, and returns the field.
// Not inlined: GCC 12 would derive a text of impossible length, and warn of it in programs of users.
[[nodiscard, gnu::noinline]] inline std::string_view take_field(std::string_view& text, char separator) noexcept {
  const std::string_view field = text.substr(0, text.find(separator));
  text.remove_prefix(field.size() < text.size() ? field.size() + 1 : field.size());
  return field;
}

/// Whether `word` is one of the fields of `list`.
[[nodiscard]] inline bool has_field(std::string_view list, char separator, std::string_view word) noexcept {
  while (!list.empty()) {
    if (take_field(list, separator) == word) return true;
  }
  return false;
}

/// Returns the value of a hexadecimal digit in lower case, or 16 if the character is no such digit.
[[nodiscard]] constexpr unsigned digit_of(char character) noexcept {
  if (character >= '0' && character <= '9') return static_cast<unsigned>(character - '0');
  return character >= 'a' && character <= 'f' ? static_cast<unsigned>(character - 'a') + 10 : 16;
}

/// Removes the number at the beginning of `text`, and returns it. Returns nothing if `text` does not begin with a
/// digit, or if the number is too large; then `text` may have lost digits.
[[nodiscard]] constexpr std::optional<std::uint64_t> take_number(std::string_view& text, unsigned base) noexcept {
  if (text.empty() || digit_of(text.front()) >= base) return std::nullopt;
  std::uint64_t number = 0;
  while (!text.empty() && digit_of(text.front()) < base) {
    const std::uint64_t digit = digit_of(text.front());
    if (number > (std::numeric_limits<std::uint64_t>::max() - digit) / base) return std::nullopt;
    number = base * number + digit;
    text.remove_prefix(1);
  }
  return number;
}

/// Parses `text` as a decimal number, ignoring spaces and line ends around it. Returns nothing if it is not a number.
[[nodiscard]] inline std::optional<std::uint64_t> number_of(std::string_view text) noexcept {
  constexpr std::string_view space = " \t\r\n";
  text.remove_prefix(text.find_first_not_of(space) < text.size() ? text.find_first_not_of(space) : text.size());
  text = text.substr(0, text.find_last_not_of(space) + 1);
  const std::optional<std::uint64_t> number = take_number(text, 10);
  return text.empty() ? number : std::nullopt;
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_BASE_TEXT_FIELDS_HPP
