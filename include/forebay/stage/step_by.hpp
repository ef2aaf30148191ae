// SPDX-License-Identifier: MIT
//
// step_by.hpp: StepBy, the stage that passes on every n-th element unchanged.

#ifndef FOREBAY_STAGE_STEP_BY_HPP
#define FOREBAY_STAGE_STEP_BY_HPP

#include <cstddef>
#include <cstdint>

#include "forebay/base/arithmetic.hpp"
#include "forebay/count.hpp"
#include "forebay/describe/epoch.hpp"
#include "forebay/describe/properties.hpp"
#include "forebay/describe/node.hpp"
#include "forebay/flow/input.hpp"
#include "forebay/flow/stage_stream.hpp"
#include "forebay/stage/take_skip.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Passes on the first element of an epoch, and then every `stride`-th one.
template <class T>
struct StepBy {
  using Output = T;

  PullResult step(Input<T>& input, Chunk<T>& chunk, std::size_t most, const PullWait& wait) {
    const bool skips = stride > 1 && input.can_skip();
    if (skips && left > 0) return input.skip(left, wait);
    const PullResult result = input.look(skips ? 1 : wanted(most, chunk), wait);
    if (result == PullResult::more) pass(input, chunk);
    return result;
  }

  void pass(Input<T>& input, Chunk<T>& chunk) {
    if (left == 0) chunk.push_from(input.chunk(), input.next(), input.number());
    left = left == 0 ? stride - 1 : left - 1;
    input.pass();
  }

  void begin(const Epoch& /*epoch*/) noexcept { left = 0; }
  void save(Snapshot& to) const { to.add(left); }
  void restore(SnapshotReader& from) { left = from.number_up_to(stride - 1); }

  std::uint64_t stride;
  std::uint64_t left = 0;  // to drop before the next element
};

[[nodiscard]] inline Properties describe_step_by(Properties properties, std::uint64_t stride) {
  if (properties.size) properties.size = divided_up(*properties.size, stride);
  properties.describe("step_by", text_of({stride}));
  return properties;
}

[[nodiscard]] inline std::uint64_t stride_of(Count step) { return step.at_least(1, "step_by: step"); }

template <class T>
[[nodiscard]] NodePointer<T> step_by_node(const NodePointer<T>& node, Count step) {
  const std::uint64_t stride = stride_of(step);
  Properties properties = describe_step_by(node->properties(), stride);
  properties.stages.back().reads_early = true;
  return counting_node<StepBy<T>>(node, std::move(properties), stride);
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_STAGE_STEP_BY_HPP
