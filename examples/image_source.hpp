// SPDX-License-Identifier: MIT
//
// The source that all reader threads share: hands each caller the next image, decoded.

#ifndef FOREBAY_EXAMPLES_IMAGE_SOURCE_HPP
#define FOREBAY_EXAMPLES_IMAGE_SOURCE_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "idx_file.hpp"
#include "labelled_image.hpp"

/// A pair of IDX files, images and labels, read from front to back once per epoch.
///
/// Nothing is opened by the constructor: the first next() does it, in a reader's thread. So a bad file is an exception
/// that leaves the reader's op, and takes the way every failure in a reader takes: QueueRunner, queue, Coordinator.
class ImageSource {
 public:
  ImageSource(std::filesystem::path images, std::filesystem::path labels, std::size_t epochs)
      : images_path_(std::move(images)), labels_path_(std::move(labels)), epochs_left_(epochs) {}

  /// The next image, or nothing after the last image of the last epoch. Any number of threads may call it.
  std::optional<LabelledImage> next() {
    const std::optional<Record> record = next_record();  // one thread at a time: there is one file position
    if (!record) return std::nullopt;
    return decode(*record);  // all threads at once: the part of the work that is worth several readers
  }

  /// How many images one epoch has; 0 before the first next().
  std::size_t images_per_epoch() const {
    const std::lock_guard lock(mutex_);
    return files_ ? files_->images.record_count() : 0;
  }

 private:
  struct Record {
    std::array<std::uint8_t, pixels_per_image> pixels;
    std::uint8_t label;
  };

  struct Files {
    IdxFile images;
    IdxFile labels;
  };

  std::optional<Record> next_record() {
    const std::lock_guard lock(mutex_);
    if (!files_) open();
    if (position_ == files_->images.record_count()) start_next_epoch();
    if (epochs_left_ == 0) return std::nullopt;

    Record record;
    files_->images.read_record(record.pixels);
    files_->labels.read_record({&record.label, 1});
    if (record.label >= class_count) {
      files_->labels.fail("label " + std::to_string(record.label) + " of image " + std::to_string(position_) +
                          " is not a class (0 to " + std::to_string(class_count - 1) + ")");
    }
    ++position_;
    return record;
  }

  void open() {
    Files files{IdxFile(images_path_, {image_height, image_width}), IdxFile(labels_path_, {})};
    if (files.labels.record_count() != files.images.record_count()) {
      files.labels.fail("has " + std::to_string(files.labels.record_count()) + " labels for " +
                        std::to_string(files.images.record_count()) + " images in " + images_path_.string());
    }
    files_.emplace(std::move(files));
  }

  void start_next_epoch() {
    if (epochs_left_ > 0) --epochs_left_;
    if (epochs_left_ == 0) return;
    position_ = 0;
    files_->images.rewind();
    files_->labels.rewind();
  }

  static LabelledImage decode(const Record& record) {
    LabelledImage image;
    for (std::size_t i = 0; i < pixels_per_image; ++i) image.pixels[i] = static_cast<float>(record.pixels[i]) / 255.0F;
    image.label = record.label;
    return image;
  }

  const std::filesystem::path images_path_;
  const std::filesystem::path labels_path_;

  mutable std::mutex mutex_;    // guards all below
  std::optional<Files> files_;  // empty until the first next()
  std::size_t position_ = 0;    // records of this epoch handed out so far
  std::size_t epochs_left_;     // with the one under way
};

#endif  // FOREBAY_EXAMPLES_IMAGE_SOURCE_HPP
