// SPDX-License-Identifier: MIT

#ifndef FOREBAY_BENCHMARK_PIPELINE_DATASET_HPP
#define FOREBAY_BENCHMARK_PIPELINE_DATASET_HPP

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "forebay/dataset.hpp"
#include "records.hpp"

namespace forebay_benchmark::input {

// The pipeline as a user writes it.
inline forebay::Dataset<Batch> dataset(const Task& task, const forebay::MapOptions& options) {
  return forebay::from_callable(task.reader())
      .shuffle(window_size)
      .map(options, [&decode = task.decode](const Record& record, Image& image) { decode(record, image); })
      .batch(images_of_a_batch);
}

// Passes batches on. Because this is a user-defined stage, the pipeline can be saved only if the stage can be.
struct PassOn {
  void operator()(Batch&& batch, forebay::Out<Batch>& out) {
    ++batches;
    out.emit(std::move(batch));
  }
  std::uint64_t batches = 0;
};
struct SavedPassOn : PassOn {
  std::string save() const { return std::to_string(batches); }
  void restore(std::string_view saved) { batches = std::stoull(std::string(saved)); }
};

}  // namespace forebay_benchmark::input

#endif  // FOREBAY_BENCHMARK_PIPELINE_DATASET_HPP
