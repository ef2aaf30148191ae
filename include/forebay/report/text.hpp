// SPDX-License-Identifier: MIT
//
// text.hpp: numbers as text, the same in every locale. Durations, counts and names: base/text.hpp.

#ifndef FOREBAY_REPORT_TEXT_HPP
#define FOREBAY_REPORT_TEXT_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "forebay/base/text.hpp"  // IWYU pragma: export
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Formats a number with the given number of decimals. Requires 0 <= number < 10^12.
[[nodiscard]] inline std::string decimal(double number, std::size_t digits) {
  std::uint64_t scale = 1;
  for (std::size_t i = 0; i < digits; ++i) scale *= 10;
  const std::uint64_t scaled = (static_cast<std::uint64_t>(2 * number * static_cast<double>(scale)) + 1) / 2;
  std::string text = std::to_string(scaled / scale);
  if (digits == 0) return text;
  const std::string fraction = std::to_string(scaled % scale);
  return text + "." + std::string(digits - fraction.size(), '0') + fraction;
}

/// Formats a number a second.
[[nodiscard]] inline std::string rate_text(double rate) { return decimal(rate, rate < 100 ? 1 : 0); }

/// Formats a share of 1.
[[nodiscard]] inline std::string percent(double share) { return decimal(100 * share, 0) + " %"; }

[[nodiscard]] inline std::string memory(std::uint64_t bytes) {
  if (bytes < 1'000'000) return decimal(static_cast<double>(bytes) / 1e3, 1) + " kB";
  return decimal(static_cast<double>(bytes) / 1e6, bytes < 1'000'000'000 ? 1 : 0) + " MB";
}

/// Wraps the text at spaces to at most `columns` columns; a longer word has its own line.
[[nodiscard]] inline std::string wrapped(std::string text, std::size_t columns) {
  std::size_t begin = 0;  // of the line
  while (text.size() - begin > columns) {
    std::size_t space = text.rfind(' ', begin + columns);
    if (space == std::string::npos || space < begin) space = text.find(' ', begin + columns);
    if (space == std::string::npos) break;
    text[space] = '\n';
    begin = space + 1;
  }
  return text;
}

[[nodiscard]] inline double seconds(std::chrono::nanoseconds time) noexcept {
  return std::chrono::duration<double>(time).count();
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_REPORT_TEXT_HPP
