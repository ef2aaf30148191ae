// SPDX-License-Identifier: MIT
//
// csv_fields.hpp: CsvFields, the fields of one row of a CSV file, and the conversion of a field to a number.

#ifndef FOREBAY_FILES_CSV_FIELDS_HPP
#define FOREBAY_FILES_CSV_FIELDS_HPP

#include <bit>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <vector>
#include <version>

#include "forebay/files/byte_order.hpp"
#include "forebay/files/parse_with_stream.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Returns a field of a text in which a character follows each field. `ends` are the offsets of these characters.
[[nodiscard]] inline std::string_view csv_field(std::string_view text, const std::vector<std::size_t>& ends,
                                                std::size_t index) noexcept {
  const std::size_t begin = index == 0 ? 0 : ends[index - 1] + 1;
  return {text.data() + begin, ends[index] - begin};
}

/// The row that was read last: a line in the buffer of the file, or a text without the quotes of the file.
class CsvLine {
 public:
  CsvLine() = default;
  CsvLine(const CsvLine&) = delete;
  CsvLine& operator=(const CsvLine&) = delete;
  CsvLine(CsvLine&&) = default;
  CsvLine& operator=(CsvLine&&) = default;
  ~CsvLine() = default;

  [[nodiscard]] std::size_t size() const noexcept { return count_; }
  [[nodiscard]] std::string_view operator[](std::size_t index) const noexcept {
    return csv_field(text(), ends_, index);
  }
  [[nodiscard]] bool is_empty_field() const noexcept { return count_ == 1 && ends_.front() == 0; }

  [[nodiscard]] std::string_view text() const noexcept { return is_own_ ? std::string_view(own_) : line_; }
  [[nodiscard]] const std::vector<std::size_t>& ends() const noexcept { return ends_; }

  /// Refers to a line without quotes, and splits it. Compares eight characters at a time, because most fields are
  /// short.
  void split(std::string_view line, char delimiter) {
    is_own_ = false;
    line_ = line;
    const std::uint64_t pattern = bytes_of(delimiter);
    std::size_t count = 0;
    std::size_t at = 0;
    for (; at + 8 <= line.size(); at += 8) {
      std::uint64_t found = zero_bytes(load_little<std::uint64_t>(line.data() + at) ^ pattern);
      make_room(count);
      for (; found != 0; found &= found - 1) {
        ends_[count++] = at + static_cast<std::size_t>(std::countr_zero(found)) / 8;
      }
    }
    make_room(count);
    for (; at < line.size(); ++at) {
      if (line[at] == delimiter) ends_[count++] = at;
    }
    ends_[count++] = line.size();
    count_ = count;
  }

  /// Begins a text of its own, which the other functions complete.
  void begin() noexcept {
    is_own_ = true;
    own_.clear();
    count_ = 0;
  }
  void append(std::string_view part) { own_.append(part); }
  void end_field() {
    make_room(count_);
    ends_[count_++] = own_.size();
    own_ += ',';
  }

 private:
  /// Makes room for the ends of nine more fields.
  void make_room(std::size_t count) {
    if (ends_.size() < count + 9) ends_.resize(2 * count + 16);
  }

  /// Returns a number of eight equal bytes.
  [[nodiscard]] static constexpr std::uint64_t bytes_of(char byte) noexcept {
    return 0x0101'0101'0101'0101U * static_cast<unsigned char>(byte);
  }

  /// Returns a number in which the highest bit of each byte says whether this byte of `bytes` is zero.
  [[nodiscard]] static constexpr std::uint64_t zero_bytes(std::uint64_t bytes) noexcept {
    const std::uint64_t low_bits = bytes_of('\x7F');
    return ~(((bytes & low_bits) + low_bits) | bytes | low_bits);
  }

  std::string own_;
  std::string_view line_;
  bool is_own_ = true;
  std::size_t count_ = 0;
  std::vector<std::size_t> ends_;  // the first count_ are valid; it never shrinks, because push_back() is slower
};

/// The fields of a row, in a text of their own. Offsets instead of pointers make copies safe.
class CsvFields {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return ends_.size(); }
  [[nodiscard]] std::string_view operator[](std::size_t index) const noexcept {
    return csv_field(text_, ends_, index);
  }

  void assign(const CsvLine& line) {
    text_.assign(line.text());
    ends_.assign(line.ends().begin(), line.ends().begin() + static_cast<std::ptrdiff_t>(line.size()));
  }

  void clear() noexcept {
    text_.clear();
    ends_.clear();
  }
  void add(std::string_view field) {
    text_.append(field);
    ends_.push_back(text_.size());
    text_ += ',';
  }

 private:
  std::string text_;
  std::vector<std::size_t> ends_;
};

template <class T>
inline constexpr bool is_optional_field = false;
template <class T>
inline constexpr bool is_optional_field<std::optional<T>> = true;

/// A type to which a field can be converted. A char is excluded, because it might be meant as a number or a letter.
template <class T>
concept CsvNumber = (std::is_arithmetic_v<T> && !std::same_as<T, long double> && !std::same_as<T, char> &&
                     !std::same_as<T, wchar_t> && !std::same_as<T, char8_t> && !std::same_as<T, char16_t> &&
                     !std::same_as<T, char32_t>);
template <class T>
concept CsvPlainField = CsvNumber<T> || std::same_as<T, std::string>;
template <class T>
struct CsvFieldOf {
  static constexpr bool is_right = CsvPlainField<T>;
};
template <class T>
struct CsvFieldOf<std::optional<T>> {
  static constexpr bool is_right = CsvPlainField<T>;
};

#if defined(__cpp_lib_to_chars)
inline constexpr bool has_floating_from_chars = true;
#else
inline constexpr bool has_floating_from_chars = false;
#endif

/// Converts a whole text. Returns false if it is no number, or out of range. A number that is too small for its type
/// becomes the nearest one.
template <class Number>
[[nodiscard]] bool parse_number(std::string_view text, Number& into) {
  if constexpr (std::floating_point<Number> && !has_floating_from_chars) {
    return parse_with_stream(text, into);
  } else {
    const char* const end = text.data() + text.size();
    const auto [stopped_at, error] = std::from_chars(text.data(), end, into);
    if (error == std::errc()) return stopped_at == end;
    if constexpr (std::floating_point<Number>) {
      if (error == std::errc::result_out_of_range) return parse_with_stream(text, into);
    }
    return false;
  }
}

/// Converts a whole field. Returns false if it is not a T, or out of range.
template <class T>
[[nodiscard]] bool parse_field(std::string_view field, T& into) {
  if constexpr (std::same_as<T, std::string>) {
    into.assign(field);
    return true;
  } else if constexpr (is_optional_field<T>) {
    if (field.empty()) {
      into.reset();
      return true;
    }
    return parse_field(field, into.emplace());
  } else if constexpr (std::same_as<T, bool>) {
    into = field == "1" || field == "true";
    return into || field == "0" || field == "false";
  } else {
    const bool has_plus = field.starts_with('+') && !field.starts_with("+-");
    return parse_number(field.substr(has_plus ? 1 : 0), into);
  }
}

/// Says what a field of type T contains: "a whole number from -128 to 127".
template <class T>
[[nodiscard]] std::string wanted_field() {
  if constexpr (is_optional_field<T>) {
    return wanted_field<typename T::value_type>();
  } else if constexpr (std::same_as<T, bool>) {
    return "true, false, 1 or 0";
  } else if constexpr (std::integral<T>) {
    return "a whole number from " + std::to_string(std::numeric_limits<T>::min()) + " to " +
           std::to_string(std::numeric_limits<T>::max());
  } else {
    return "a number of type " + std::string(std::same_as<T, float> ? "float" : "double");
  }
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_FILES_CSV_FIELDS_HPP
