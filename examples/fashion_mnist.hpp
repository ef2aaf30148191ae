// SPDX-License-Identifier: MIT
//
// The data set Fashion-MNIST: the records of its files, their decoder and their reader.

#ifndef FOREBAY_EXAMPLES_FASHION_MNIST_HPP
#define FOREBAY_EXAMPLES_FASHION_MNIST_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "idx_file.hpp"

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

/// Reads a pair of IDX files, images and labels, from front to back.
class RecordReader {
 public:
  /// Opens the files in `folder` whose names begin with `set`, "train" or "t10k", and checks them. Throws
  /// std::runtime_error with one line that names the file.
  RecordReader(const std::filesystem::path& folder, const std::string& set)
      : images_(folder / (set + "-images-idx3-ubyte"), {image_height, image_width}),
        labels_(folder / (set + "-labels-idx1-ubyte"), {}) {
    if (labels_.record_count() == count()) return;
    labels_.fail("has " + std::to_string(labels_.record_count()) + " labels for " + std::to_string(count()) +
                 " images");
  }

  std::size_t count() const { return images_.record_count(); }

  /// Fills `record` with the next record, or returns false at the end: the interface of a reader.
  bool operator()(Record& record) {
    if (position_ == count()) return false;
    images_.read_record(record.pixels);
    labels_.read_record({&record.label, 1});
    if (record.label >= class_count) {
      labels_.fail("label " + std::to_string(record.label) + " of image " + std::to_string(position_) +
                   " is not a class (0 to " + std::to_string(class_count - 1) + ")");
    }
    ++position_;
    return true;
  }

 private:
  IdxFile images_;
  IdxFile labels_;
  std::size_t position_ = 0;
};

#endif  // FOREBAY_EXAMPLES_FASHION_MNIST_HPP
