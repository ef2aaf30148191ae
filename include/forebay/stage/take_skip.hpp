// SPDX-License-Identifier: MIT
//
// take_skip.hpp: take, which passes on the first elements of an epoch, and skip, which drops them.

#ifndef FOREBAY_STAGE_TAKE_SKIP_HPP
#define FOREBAY_STAGE_TAKE_SKIP_HPP

#include <cstddef>
#include <cstdint>
#include <utility>

#include "forebay/base/arithmetic.hpp"
#include "forebay/checkpoint/snapshot.hpp"
#include "forebay/count.hpp"
#include "forebay/describe/epoch.hpp"
#include "forebay/describe/properties.hpp"
#include "forebay/describe/node.hpp"
#include "forebay/flow/chunk.hpp"
#include "forebay/flow/input.hpp"
#include "forebay/flow/pull_wait.hpp"
#include "forebay/flow/stage_node.hpp"
#include "forebay/flow/stage_stream.hpp"
#include "forebay/flow/stream.hpp"
#include "forebay/stage/seamless.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Passes on the first elements of an epoch, then leaves the epoch.
template <class T>
struct Take {
  using Output = T;

  PullResult step(Input<T>& input, Chunk<T>& chunk, std::size_t most, const PullWait& wait) {
    if (taken == count) return PullResult::ended;
    const std::size_t before = chunk.size();
    const auto left = static_cast<std::size_t>(smaller<std::uint64_t>(count - taken, most - before));
    const PullResult result = input.pull(chunk, before + left, wait);
    taken += chunk.size() - before;
    return result == PullResult::more && taken == count ? PullResult::ended : result;
  }

  void begin(const Epoch& /*epoch*/) noexcept { taken = 0; }
  void save(Snapshot& to) const { to.add(taken); }
  void restore(SnapshotReader& from) { taken = from.number_up_to(count); }

  std::uint64_t count;
  std::uint64_t taken = 0;
};

/// Drops the first elements of an epoch.
template <class T>
struct Skip {
  using Output = T;

  PullResult step(Input<T>& input, Chunk<T>& chunk, std::size_t most, const PullWait& wait) {
    if (skipped < count && input.can_skip()) return skip(input, wait);
    const std::size_t before = chunk.size();
    const PullResult result = input.pull(chunk, most, wait);
    leave_out(chunk, before);
    return result;
  }

  PullResult skip(Input<T>& input, const PullWait& wait) {
    std::uint64_t left = count - skipped;
    const PullResult result = input.skip(left, wait);
    skipped = count - left;
    return result;
  }

  void leave_out(Chunk<T>& chunk, std::size_t first) {
    const auto elements = static_cast<std::size_t>(smaller<std::uint64_t>(count - skipped, chunk.size() - first));
    chunk.erase(first, elements);
    skipped += elements;
  }

  void begin(const Epoch& /*epoch*/) noexcept { skipped = 0; }
  void save(Snapshot& to) const { to.add(skipped); }
  void restore(SnapshotReader& from) { skipped = from.number_up_to(count); }

  std::uint64_t count;
  std::uint64_t skipped = 0;
};

[[nodiscard]] inline Properties describe_take(Properties properties, std::uint64_t count) {
  properties.ends = true;
  if (properties.size) properties.size = smaller(*properties.size, count);
  properties.describe("take", text_of({count}));
  return properties;
}

[[nodiscard]] inline Properties describe_skip(Properties properties, std::uint64_t count) {
  if (properties.size) properties.size = saturating_subtract(*properties.size, count);
  properties.describe("skip", text_of({count}));
  return properties;
}

template <class Stage, class T>
[[nodiscard]] NodePointer<T> counting_node(const NodePointer<T>& node, Properties&& properties, std::uint64_t count) {
  auto open = [node, count](OpenContext&& opening, const Properties& /*properties*/) {
    opening.name.clear();
    return make_stream(Stage{count}, node->open(std::move(opening)));
  };
  return make_node<T>(std::move(properties), std::move(open));
}

template <class T>
[[nodiscard]] NodePointer<T> take_node(NodePointer<T> node, Count count) {
  const std::uint64_t most = count.at_least(0, "take: count");
  node = of_one_epoch(std::move(node));
  return counting_node<Take<T>>(node, describe_take(node->properties(), most), most);
}

template <class T>
[[nodiscard]] NodePointer<T> skip_node(NodePointer<T> node, Count count) {
  const std::uint64_t skipped = count.at_least(0, "skip: count");
  node = of_one_epoch(std::move(node));
  return counting_node<Skip<T>>(node, describe_skip(node->properties(), skipped), skipped);
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_STAGE_TAKE_SKIP_HPP
