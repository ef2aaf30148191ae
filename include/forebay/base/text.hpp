// SPDX-License-Identifier: MIT
//
// text.hpp: counts, durations and names as text, for the text() of statistics, independent of the locale.

#ifndef FOREBAY_BASE_TEXT_HPP
#define FOREBAY_BASE_TEXT_HPP

#include <array>
#include <chrono>
#include <cstdint>
#include <string>

#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Returns `name` with spaces in place of characters that would break a line.
[[nodiscard]] inline std::string in_one_line(std::string name) {
  for (char& letter : name) {
    if (static_cast<unsigned char>(letter) < ' ' || letter == 0x7F) letter = ' ';
  }
  return name;
}

/// Returns "1 wait", or "3 waits".
[[nodiscard]] inline std::string counted(std::uint64_t count, const char* noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

/// Returns the time in the largest unit that makes it at least 1, cut off after three decimals: "1.250 s",
/// "17.003 ms", "2.500 us", "850 ns".
[[nodiscard]] inline std::string text_of(std::chrono::nanoseconds time) {
  struct Unit {
    std::uint64_t thousandth;  // in nanoseconds
    const char* name;
  };
  constexpr std::array<Unit, 3> units{{{1'000'000, " s"}, {1'000, " ms"}, {1, " us"}}};

  const char* const sign = time.count() < 0 ? "-" : "";
  const auto number = static_cast<std::uint64_t>(time.count());
  const std::uint64_t nanoseconds = time.count() < 0 ? 0 - number : number;
  for (const Unit& unit : units) {
    const std::uint64_t thousandths = nanoseconds / unit.thousandth;
    if (thousandths < 1'000) continue;
    const std::string decimals = std::to_string(thousandths % 1'000);
    return sign + std::to_string(thousandths / 1'000) + "." + std::string(3 - decimals.size(), '0') + decimals +
           unit.name;
  }
  return sign + std::to_string(nanoseconds) + " ns";
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_BASE_TEXT_HPP
