// SPDX-License-Identifier: MIT
//
// The data set Fashion-MNIST: the records of its files, their decoder and their data set.

#ifndef FOREBAY_EXAMPLES_FASHION_MNIST_HPP
#define FOREBAY_EXAMPLES_FASHION_MNIST_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

#include <forebay/array_files.hpp>
#include <forebay/sources.hpp>

inline constexpr std::size_t image_height = 28;
inline constexpr std::size_t image_width = 28;
inline constexpr std::size_t pixels_per_image = image_height * image_width;

inline constexpr std::array<std::string_view, 10> class_names{
    "T-shirt/top", "Trouser", "Pullover", "Dress", "Coat", "Sandal", "Shirt", "Sneaker", "Bag", "Ankle boot"};
inline constexpr std::size_t class_count = class_names.size();

/// An image and its label, in the format of the files. Records are shuffled, not images, as they are a quarter as
/// large.
struct Record {
  std::array<std::uint8_t, pixels_per_image> pixels;
  std::uint8_t label;
};

/// A decoded image. The pixels are stored in the element itself, so no thread frees memory that another allocated.
struct LabelledImage {
  std::array<float, pixels_per_image> pixels;  // row by row, 0 = background, 1 = full ink
  std::uint8_t label;                          // index into class_names
};

/// Decodes `record` into `image`, whose storage is reused. Any number of threads may call it concurrently.
inline void decode(const Record& record, LabelledImage& image) {
  std::ranges::transform(record.pixels, image.pixels.begin(),
                         [](std::uint8_t byte) { return static_cast<float>(byte) / 255.0F; });
  image.label = record.label;
}

/// Describes the records of the files in `folder` whose names begin with `set`, "train" or "t10k". Checks the files,
/// and throws std::runtime_error with one line that names a damaged one.
inline forebay::IndexedDataset<Record> records(const std::filesystem::path& folder, const std::string& set) {
  const auto images_file = folder / (set + "-images-idx3-ubyte");
  const auto labels_file = folder / (set + "-labels-idx1-ubyte");
  const auto images = forebay::idx_rows<decltype(Record::pixels)>(images_file);
  const auto labels = forebay::idx_rows<decltype(Record::label)>(labels_file);
  if (images.size() == 0) throw std::runtime_error(images_file.string() + ": holds no records");
  if (labels.size() != images.size()) {
    throw std::runtime_error(labels_file.string() + ": has " + std::to_string(labels.size()) + " labels for " +
                             std::to_string(images.size()) + " images");
  }
  return forebay::from_indexed(images.size(), [=](std::size_t i) {
    const Record record{images[i], labels[i]};
    if (record.label < class_count) return record;
    throw std::runtime_error(labels_file.string() + ": label " + std::to_string(record.label) + " of image " +
                             std::to_string(i) + " is not a class (0 to " + std::to_string(class_count - 1) + ")");
  });
}

#endif  // FOREBAY_EXAMPLES_FASHION_MNIST_HPP
