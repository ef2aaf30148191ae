// SPDX-License-Identifier: MIT
//
// pipeline_output.hpp: the epochs that come out of a Pipeline, however its outputs are taken.

#ifndef FOREBAY_TESTS_SUPPORT_PIPELINE_OUTPUT_HPP
#define FOREBAY_TESTS_SUPPORT_PIPELINE_OUTPUT_HPP

#include <cstdint>
#include <utility>
#include <vector>

#include "forebay/pipeline.hpp"

namespace forebay_test {

/// Takes all outputs of an epoch with `take(epoch, outputs)`, until an epoch is not there.
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
