// SPDX-License-Identifier: MIT
//
// The colour scale of the picture: light blue at -1, almost black at 0, light orange at +1.

#ifndef FOREBAY_EXAMPLES_DIVERGING_COLOUR_HPP
#define FOREBAY_EXAMPLES_DIVERGING_COLOUR_HPP

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

/// A 24-bit colour that stands for a signed strength.
struct DivergingColour {
  float red;
  float green;
  float blue;

  /// Values outside -1 to +1 are clamped.
  static DivergingColour of(float strength) {
    constexpr DivergingColour middle{18, 18, 22};
    constexpr std::array<DivergingColour, 2> blues{{{35, 95, 205}, {165, 215, 255}}};
    constexpr std::array<DivergingColour, 2> oranges{{{225, 100, 15}, {255, 225, 150}}};
    constexpr float knee = 0.65F;  // saturated up to here, then paler: the strongest spots glow
    const auto& [saturated, pale] = strength < 0 ? blues : oranges;
    const float size = std::min(std::abs(strength), 1.0F);
    return size < knee ? mix(middle, saturated, size / knee) : mix(saturated, pale, (size - knee) / (1 - knee));
  }

  /// Returns the form that a terminal's escape sequence needs: red;green;blue.
  std::string code() const {
    return std::to_string(std::lround(red)) + ';' + std::to_string(std::lround(green)) + ';' +
           std::to_string(std::lround(blue));
  }

 private:
  static DivergingColour mix(const DivergingColour& from, const DivergingColour& to, float share) {
    return {std::lerp(from.red, to.red, share), std::lerp(from.green, to.green, share),
            std::lerp(from.blue, to.blue, share)};
  }
};

#endif  // FOREBAY_EXAMPLES_DIVERGING_COLOUR_HPP
