// SPDX-License-Identifier: MIT
//
// csv_fields.hpp: CsvFields, the fields of one row of a CSV file, and the conversion of a field to a number.

#ifndef FOREBAY_FILES_CSV_FIELDS_HPP
#define FOREBAY_FILES_CSV_FIELDS_HPP

#include <charconv>
#include <concepts>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <vector>
#include <version>

#include "forebay/version.hpp"

#if !defined(__cpp_lib_to_chars)
#include "forebay/files/parse_with_stream.hpp"
#endif

namespace forebay::FOREBAY_ABI::detail {

/// The fields, one after the other in a text, with a separator after each of them. Offsets instead of pointers make
/// copies safe.
class CsvFields {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return ends_.size(); }
  [[nodiscard]] std::string_view operator[](std::size_t index) const noexcept {
    const std::size_t begin = index == 0 ? 0 : ends_[index - 1] + 1;
    return std::string_view(text_).substr(begin, ends_[index] - begin);
  }
  [[nodiscard]] bool operator==(const CsvFields&) const = default;

  void clear() noexcept {
    text_.clear();
    ends_.clear();
  }

  /// Adds text to the last field, which end_field() completes.
  void append(std::string_view part) { text_.append(part); }
  void end_field() {
    ends_.push_back(text_.size());
    text_ += separator;
  }
  void add(std::string_view field) {
    append(field);
    end_field();
  }

  /// Removes the last character of an unfinished field if it is a carriage return.
  void drop_carriage_return() noexcept {
    const std::size_t begin = ends_.empty() ? 0 : ends_.back() + 1;
    if (text_.size() > begin && text_.back() == '\r') text_.pop_back();
  }

  /// Returns the bytes of all fields and separators.
  [[nodiscard]] std::size_t bytes() const noexcept { return text_.size(); }

  /// Replaces all fields by those of a line without quotes.
  void split(std::string_view line, char delimiter) {
    clear();
    text_.append(line);
    const char* const begin = text_.data();
    const char* const end = begin + text_.size();
    for (const char* next = begin; next != end; ++next) {
      if (*next == delimiter) ends_.push_back(static_cast<std::size_t>(next - begin));
    }
    end_field();
  }

 private:
  static constexpr char separator = ',';  // any character: split() keeps the delimiter of the file

  std::string text_;
  std::vector<std::size_t> ends_;
};

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;

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

/// Converts a whole field. Returns false if it is not a T, or out of range.
template <class T>
[[nodiscard]] bool parse_field(std::string_view field, T& into) {
  if constexpr (std::same_as<T, std::string>) {
    into.assign(field);
    return true;
  } else if constexpr (is_optional<T>) {
    if (field.empty()) {
      into.reset();
      return true;
    }
    return parse_field(field, into.emplace());
  } else if constexpr (std::same_as<T, bool>) {
    into = field == "1" || field == "true";
    return into || field == "0" || field == "false";
#if !defined(__cpp_lib_to_chars)
  } else if constexpr (std::floating_point<T>) {
    return parse_with_stream(field, into);
#endif
  } else {
    const char* const end = field.data() + field.size();
    const auto [stopped_at, error] = std::from_chars(field.data(), end, into);
    return error == std::errc() && stopped_at == end;
  }
}

/// Says what a field of type T contains: "a whole number from -128 to 127".
template <class T>
[[nodiscard]] std::string wanted_field() {
  if constexpr (is_optional<T>) {
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
