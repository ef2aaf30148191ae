// SPDX-License-Identifier: MIT
//
// parse_with_stream.hpp: parse_with_stream(), which converts floating-point numbers that are too small for
// std::from_chars, and all where the library lacks it (libc++ before version 20).

#ifndef FOREBAY_FILES_PARSE_WITH_STREAM_HPP
#define FOREBAY_FILES_PARSE_WITH_STREAM_HPP

#include <cmath>
#include <concepts>
#include <cstddef>
#include <limits>
#include <locale>
#include <sstream>
#include <string>
#include <string_view>

#include "forebay/base/arithmetic.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Returns whether a text is a decimal number without a sign: digits with at most one point, and perhaps an exponent.
[[nodiscard]] inline bool is_decimal(std::string_view text) noexcept {
  const auto skip_digits = [&text] {
    const std::size_t count = smaller(text.find_first_not_of("0123456789"), text.size());
    text.remove_prefix(count);
    return count;
  };
  std::size_t digits = skip_digits();
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    digits += skip_digits();
  }
  if (digits == 0) return false;
  if (!text.starts_with('e') && !text.starts_with('E')) return text.empty();
  text.remove_prefix(1);
  if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
  return skip_digits() > 0 && text.empty();
}

/// Converts a whole text to a number, as std::from_chars does, independently of the locale. Returns false if the text
/// is no number or is too large. A number that is too small becomes the nearest one.
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
  if (!is_decimal(digits)) return false;  // a stream accepts more
  std::istringstream stream{std::string(text)};
  stream.imbue(std::locale::classic());
  stream >> into;
  // A stream may fail although it has the nearest number, which is subnormal or zero.
  return !stream.fail() || std::abs(into) < std::numeric_limits<Number>::min();
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_FILES_PARSE_WITH_STREAM_HPP
