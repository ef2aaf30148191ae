// SPDX-License-Identifier: MIT
//
// Records of 784 pixels and a label, and the images of 784 floats into which they are decoded.

#ifndef FOREBAY_BENCHMARK_PIPELINE_RECORDS_HPP
#define FOREBAY_BENCHMARK_PIPELINE_RECORDS_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "../busy_work.hpp"
#include "../run_together.hpp"
#include "forebay/base/random_bits.hpp"

namespace forebay_benchmark::input {

inline constexpr std::size_t pixel_count = 784;
inline constexpr std::size_t label_count = 10;
inline constexpr std::size_t images_of_a_batch = 32;
inline constexpr std::size_t window_size = 1024;
inline constexpr std::size_t threads = 2;

// The format in the file: the pixels, then the label. The label's highest bit marks a record that takes long to decode.
struct Record {
  static constexpr std::uint8_t slow_bit = 0x80;

  std::array<std::uint8_t, pixel_count + 1> bytes;
};

struct Image {
  std::array<float, pixel_count> pixels;
  std::uint32_t label;
};

using Batch = std::vector<Image>;

// A file in memory that readers read cyclically.
class File {
 public:
  File() : records_(4096) {
    forebay::detail::RandomBits bits(19);
    for (Record& record : records_) {
      for (std::uint8_t& byte : record.bytes) byte = static_cast<std::uint8_t>(bits());
      record.bytes.back() = static_cast<std::uint8_t>(bits.below(label_count));
    }
  }

  const Record& operator[](std::uint64_t number) const { return records_[number % records_.size()]; }

 private:
  std::vector<Record> records_;
};

// Reads the first `count` records. If `slow_every` is not 0, one in every `slow_every` takes long. It can seek back, as
// the reader of a file can.
class Reader {
 public:
  Reader(const File& file, std::uint64_t count, std::uint64_t slow_every)
      : file_(&file), count_(count), slow_every_(slow_every) {}

  bool operator()(Record& into) {
    if (next_ == count_) return false;
    into = (*file_)[next_++];
    if (slow_every_ != 0 && next_ % slow_every_ == slow_every_ / 2) into.bytes.back() |= Record::slow_bit;
    return true;
  }

  std::uint64_t cursor() const { return next_; }
  void seek(std::uint64_t cursor) { next_ = cursor; }

 private:
  const File* file_;
  std::uint64_t count_;
  std::uint64_t slow_every_;
  std::uint64_t next_ = 0;
};

// Decodes a record, and does `work` in addition: 1,000 times that for a slow record.
class Decoder {
 public:
  explicit Decoder(Nanoseconds work) : has_work_(work > Nanoseconds(0)), work_(work) {}

  void operator()(const Record& record, Image& image) const { image.label = (*this)(record, image.pixels); }

  // Writes the pixels, and returns the label.
  std::uint32_t operator()(const Record& record, std::span<float, pixel_count> pixels) const {
    for (std::size_t i = 0; i < pixel_count; ++i) pixels[i] = static_cast<float>(record.bytes[i]) * (1.0F / 255);
    const int times = (record.bytes.back() & Record::slow_bit) != 0 ? 1000 : 1;
    for (int i = 0; has_work_ && i < times; ++i) work_();
    return record.bytes.back() & 0x7fU;
  }

 private:
  bool has_work_;
  BusyWork work_;
};

// The task of a contender: read a number of records, decode them, and train with all of them.
struct Task {
  const File& file;
  const Decoder& decode;
  std::uint64_t count;
  std::uint64_t slow_every = 0;

  Reader reader() const { return {file, count, slow_every}; }
};

}  // namespace forebay_benchmark::input

#endif  // FOREBAY_BENCHMARK_PIPELINE_RECORDS_HPP
