// SPDX-License-Identifier: MIT
//
// text.hpp: numbers as text, the same in every locale, and names of stages.

#ifndef FOREBAY_REPORT_TEXT_HPP
#define FOREBAY_REPORT_TEXT_HPP

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// With so many digits behind the point. Requires a number that is not negative, and less than 10^12.
[[nodiscard]] inline std::string decimal(double number, std::size_t digits) {
  std::uint64_t scale = 1;
  for (std::size_t i = 0; i < digits; ++i) scale *= 10;
  const auto scaled = static_cast<std::uint64_t>(std::llround(number * static_cast<double>(scale)));
  std::string text = std::to_string(scaled / scale);
  if (digits == 0) return text;
  const std::string fraction = std::to_string(scaled % scale);
  return text + "." + std::string(digits - fraction.size(), '0') + fraction;
}

/// A share of 1.
[[nodiscard]] inline std::string percent(double share) { return decimal(100 * share, 0) + " %"; }

/// With spaces in the place of what would break a line.
[[nodiscard]] inline std::string in_one_line(std::string name) {
  std::replace_if(
      name.begin(), name.end(), [](unsigned char letter) { return letter < ' ' || letter == 0x7F; }, ' ');
  return name;
}

[[nodiscard]] inline double seconds(std::chrono::nanoseconds time) noexcept {
  return std::chrono::duration<double>(time).count();
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_REPORT_TEXT_HPP
