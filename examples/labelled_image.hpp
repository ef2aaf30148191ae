// SPDX-License-Identifier: MIT
//
// One element of the example's queues: a decoded Fashion-MNIST picture and what it shows.

#ifndef FOREBAY_EXAMPLES_LABELLED_IMAGE_HPP
#define FOREBAY_EXAMPLES_LABELLED_IMAGE_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

inline constexpr std::size_t image_height = 28;
inline constexpr std::size_t image_width = 28;
inline constexpr std::size_t pixels_per_image = image_height * image_width;

inline constexpr std::array<std::string_view, 10> class_names{
    "T-shirt/top", "Trouser", "Pullover", "Dress", "Coat", "Sandal", "Shirt", "Sneaker", "Bag", "Ankle boot"};
inline constexpr std::size_t class_count = class_names.size();

/// The pixels lie in the element itself, so moving one copies 3 KB: cheap beside the arithmetic done with them, and no
/// allocation per image (one that a reader's thread would make and the trainer's thread would have to free).
struct LabelledImage {
  std::array<float, pixels_per_image> pixels;  // row by row, 0 = background, 1 = full ink
  std::uint8_t label;                          // index into class_names
};

#endif  // FOREBAY_EXAMPLES_LABELLED_IMAGE_HPP
