// SPDX-License-Identifier: MIT

#ifndef FOREBAY_BENCHMARK_PIPELINE_DATASET_HPP
#define FOREBAY_BENCHMARK_PIPELINE_DATASET_HPP

#include "forebay/dataset.hpp"
#include "records.hpp"

namespace forebay_benchmark::input {

// As a user writes it.
inline forebay::Dataset<Batch> dataset(const Task& task, const forebay::MapOptions& options) {
  return forebay::from_callable(task.reader())
      .shuffle(window_size)
      .map(options, [&decode = task.decode](const Record& record, Image& image) { decode(record, image); })
      .batch(images_of_a_batch);
}

}  // namespace forebay_benchmark::input

#endif  // FOREBAY_BENCHMARK_PIPELINE_DATASET_HPP
