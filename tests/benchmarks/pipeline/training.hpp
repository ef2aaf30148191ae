// SPDX-License-Identifier: MIT

#ifndef FOREBAY_BENCHMARK_PIPELINE_TRAINING_HPP
#define FOREBAY_BENCHMARK_PIPELINE_TRAINING_HPP

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "../require.hpp"
#include "allocations.hpp"
#include "records.hpp"

namespace forebay_benchmark::input {

// Takes the batches of one run. Its cheap step looks at the first pixel and the label of each image. At the end it
// checks that every record has arrived once, as far as label counts and the sum of first pixels can show.
class Training {
 public:
  explicit Training(const Task& task)
      : task_(task), batches_((task.count + images_of_a_batch - 1) / images_of_a_batch) {}

  void step(std::span<const Image> batch) {
    if (steps_ == batches_ / 4) allocations_ = Allocations::count();
    if (steps_ == batches_ / 4 * 3) allocations_ = Allocations::count() - allocations_;
    ++steps_;
    for (const Image& image : batch) add(image.label, image.pixels[0]);
  }

  void require_complete(const std::string& contender) const {
    Training expected(task_);
    Reader reader = task_.reader();
    for (Record record{}; reader(record);) {
      expected.add(record.bytes.back() & 0x7fU, static_cast<float>(record.bytes[0]) * (1.0F / 255));
    }
    require(labels_ == expected.labels_ && pixels_ == expected.pixels_, contender + ": images are missing, or wrong");
    require(steps_ == batches_, contender + ": not so many batches as there have to be");
  }

  double batches() const { return static_cast<double>(batches_); }

  // Counted in the two middle quarters of the run.
  double allocations_a_batch() const {
    return static_cast<double>(allocations_) / static_cast<double>(batches_ / 4 * 3 - batches_ / 4);
  }

 private:
  void add(std::uint32_t label, float pixel) {
    ++labels_[label];
    pixels_ += static_cast<std::uint64_t>(pixel * 255 + 0.5F);
  }

  const Task& task_;
  std::uint64_t batches_;
  std::uint64_t steps_ = 0;
  std::array<std::uint64_t, label_count> labels_{};
  std::uint64_t pixels_ = 0;
  std::uint64_t allocations_ = 0;
};

}  // namespace forebay_benchmark::input

#endif  // FOREBAY_BENCHMARK_PIPELINE_TRAINING_HPP
