// SPDX-License-Identifier: MIT
//
// pipeline_output.hpp: the outputs of a data set, and the epochs of a Pipeline, for every way to take outputs.

#ifndef FOREBAY_TESTS_SUPPORT_PIPELINE_OUTPUT_HPP
#define FOREBAY_TESTS_SUPPORT_PIPELINE_OUTPUT_HPP

#include <cstdint>
#include <utility>
#include <vector>

#include "forebay/dataset.hpp"
#include "forebay/pipeline.hpp"
#include "tests/support/numbers.hpp"

namespace forebay_test {

template <class T>
std::vector<T> outputs_of(const forebay::Dataset<T>& data) {
  return drained(data.run());
}

/// Takes all outputs of each epoch with `take(epoch, outputs)`, until there are no more epochs.
template <class T, class Take>
std::vector<std::vector<T>> epochs_by(forebay::Pipeline<T>& pipeline, Take take) {
  std::vector<std::vector<T>> epochs;
  for (;;) {
    const std::uint64_t before = pipeline.position().epoch;
    std::vector<T> outputs;
    take(pipeline.one_epoch(), outputs);
    if (pipeline.position().epoch == before && outputs.empty()) return epochs;
    epochs.push_back(std::move(outputs));
    if (pipeline.position().epoch == before) return epochs;
  }
}

}  // namespace forebay_test

#endif  // FOREBAY_TESTS_SUPPORT_PIPELINE_OUTPUT_HPP
