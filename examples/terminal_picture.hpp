// SPDX-License-Identifier: MIT
//
// Draws what each class's template looks like, side by side, for people to look at.

#ifndef FOREBAY_EXAMPLES_TERMINAL_PICTURE_HPP
#define FOREBAY_EXAMPLES_TERMINAL_PICTURE_HPP

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <ostream>
#include <span>
#include <string>
#include <string_view>

#include "diverging_colour.hpp"
#include "fashion_mnist.hpp"
#include "terminal.hpp"

/// A grid of signed 28 x 28 pictures. In colour, a character cell shows two pixels, one above the other, as the two
/// colours of a half block; without colour, it shows the mean of the two as a letter of a ramp. As many pictures stand
/// side by side as fit; where not even one does, nothing is drawn.
class TerminalPicture {
 public:
  using Pixels = std::array<float, pixels_per_image>;

  struct Panel {
    std::string name;
    std::string value;  // set at the right end of the title
    Pixels pixels;
  };

  explicit TerminalPicture(const Terminal& terminal)
      : colour_(terminal.colour),
        columns_(terminal.columns()),
        panels_per_row_(std::min<std::size_t>((columns_ + gap.size()) / (image_width + gap.size()), 5)) {}

  void draw(std::ostream& out, std::span<const Panel> panels) const {
    if (panels_per_row_ == 0) return;
    draw_legend(out);
    while (!panels.empty()) {
      const std::size_t count = std::min(panels_per_row_, panels.size());
      draw_row(out, panels.first(count));
      panels = panels.subspan(count);
    }
  }

 private:
  static constexpr std::string_view gap = "  ";
  static constexpr std::string_view plain = "\x1b[0m";

  // From no strength to full strength. Both begin with blanks: weak weights are noise, and hide the shape.
  static constexpr std::string_view negative_ramp = "  ....::";
  static constexpr std::string_view positive_ramp = "  -=+*#%@";

  void draw_legend(std::ostream& out) const {
    constexpr int steps = 10;
    constexpr std::size_t width = 63;
    out << "\nweights of each class:" << (columns_ < width ? '\n' : ' ') << "negative ";
    for (int i = -steps; i <= steps; ++i) draw_cell(out, static_cast<float>(i) / steps, static_cast<float>(i) / steps);
    out << (colour_ ? plain : "") << " positive\n";
  }

  void draw_row(std::ostream& out, std::span<const Panel> panels) const {
    out << '\n';
    for (const Panel& panel : panels) out << (&panel == panels.data() ? "" : gap) << title(panel);
    out << '\n';
    for (std::size_t y = 0; y < image_height; y += 2) {
      for (const Panel& panel : panels) {
        out << (&panel == panels.data() ? "" : gap);
        draw_line(out, panel, y);
      }
      out << '\n';
    }
  }

  static std::string title(const Panel& panel) {
    const std::size_t used = std::min(panel.name.size() + panel.value.size(), image_width);
    return panel.name + std::string(image_width - used, ' ') + panel.value;
  }

  /// Two rows of pixels, `y` and the one below.
  void draw_line(std::ostream& out, const Panel& panel, std::size_t y) const {
    const float scale = 1.0F / full_strength(panel.pixels);
    for (std::size_t x = 0; x < image_width; ++x) {
      const std::size_t upper = y * image_width + x;
      draw_cell(out, panel.pixels[upper] * scale, panel.pixels[upper + image_width] * scale);
    }
    if (colour_) out << plain;
  }

  void draw_cell(std::ostream& out, float upper, float lower) const {
    if (!colour_) {
      out << letter((upper + lower) / 2);
      return;
    }
    out << "\x1b[38;2;" << DivergingColour::of(upper).code() << ";48;2;" << DivergingColour::of(lower).code() << 'm'
        << "\u2580";  // the upper half block
  }

  static char letter(float strength) {
    const std::string_view ramp = strength < 0 ? negative_ramp : positive_ramp;
    const float position = std::min(std::abs(strength), 1.0F) * static_cast<float>(ramp.size() - 1);
    return ramp[static_cast<std::size_t>(std::lround(position))];
  }

  /// Each picture has its own scale. The top fiftieth of the pixels may saturate, so that it does not dim the rest.
  static float full_strength(const Pixels& pixels) {
    Pixels sizes;
    std::ranges::transform(pixels, sizes.begin(), [](float pixel) { return std::abs(pixel); });
    const auto almost_highest = sizes.end() - pixels_per_image / 50;
    std::ranges::nth_element(sizes, almost_highest);
    return std::max(*almost_highest, 1e-6F);
  }

  bool colour_;
  std::size_t columns_;
  std::size_t panels_per_row_;
};

#endif  // FOREBAY_EXAMPLES_TERMINAL_PICTURE_HPP
