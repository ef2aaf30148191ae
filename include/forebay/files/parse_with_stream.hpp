// SPDX-License-Identifier: MIT
//
// parse_with_stream.hpp: parse_with_stream(), which replaces std::from_chars for floating-point numbers where the
// library lacks it (libc++ before version 20).

#ifndef FOREBAY_FILES_PARSE_WITH_STREAM_HPP
#define FOREBAY_FILES_PARSE_WITH_STREAM_HPP

#include <concepts>
#include <cstddef>
#include <limits>
#include <locale>
#include <sstream>
#include <string>
#include <string_view>

#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Converts a whole text to a number, as std::from_chars does, independently of the locale. Returns false if the text
/// is no number or is out of range.
template <std::floating_point Number>
[[nodiscard]] bool parse_with_stream(std::string_view text, Number& into) {
  const std::string_view digits = text.substr(text.starts_with('-') ? 1 : 0);
  const bool is_negative = digits.size() < text.size();
  const auto is = [digits](std::string_view word) {
    if (digits.size() != word.size()) return false;
    for (std::size_t i = 0; i < word.size(); ++i) {
      if ((static_cast<unsigned char>(digits[i]) | 0x20U) != static_cast<unsigned char>(word[i])) return false;
    }
    return true;
  };
  const bool is_infinite = is("inf") || is("infinity");
  if (is_infinite || is("nan")) {
    into = is_infinite ? std::numeric_limits<Number>::infinity() : std::numeric_limits<Number>::quiet_NaN();
    if (is_negative) into = -into;
    return true;
  }
  if (digits.empty() || digits.front() == '+' ||
      digits.find_first_not_of("0123456789+-.eE") != std::string_view::npos) {
    return false;  // a stream accepts a sign, and letters of hexadecimal numbers
  }
  std::istringstream stream{std::string(text)};
  stream.imbue(std::locale::classic());
  stream >> into;
  return !stream.fail() && stream.peek() == std::istringstream::traits_type::eof();
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_FILES_PARSE_WITH_STREAM_HPP
