// SPDX-License-Identifier: MIT
//
// repeat.hpp: repeat, seed, named and traced, which configure the upstream stage instead of adding one. Only an endless
// repeat adds a stage, which rejects empty epochs.

#ifndef FOREBAY_STAGE_REPEAT_HPP
#define FOREBAY_STAGE_REPEAT_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "forebay/checkpoint/snapshot.hpp"
#include "forebay/count.hpp"
#include "forebay/describe/epoch.hpp"
#include "forebay/describe/properties.hpp"
#include "forebay/describe/node.hpp"
#include "forebay/flow/chunk.hpp"
#include "forebay/flow/errors.hpp"
#include "forebay/flow/input.hpp"
#include "forebay/flow/pull_wait.hpp"
#include "forebay/flow/stage_node.hpp"
#include "forebay/flow/stage_stream.hpp"
#include "forebay/flow/stream.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Passes on all elements. An empty epoch is a failure, because an endless repeat would spin.
template <class T>
struct NonEmpty {
  using Output = T;

  PullResult step(Input<T>& input, Chunk<T>& chunk, std::size_t most, const PullWait& wait) {
    const std::size_t before = chunk.size();
    const PullResult result = input.pull(chunk, most, wait);
    is_empty = is_empty && chunk.size() == before;
    if (result == PullResult::ended && is_empty) fail(chunk.epoch);
    return result;
  }

  void begin(const Epoch& /*epoch*/) noexcept { is_empty = true; }
  void save(Snapshot& to) const { to.add(is_empty ? 1 : 0); }
  void restore(SnapshotReader& from) { is_empty = from.flag(); }
  std::uint64_t skip_to(std::uint64_t number) noexcept {
    is_empty = is_empty && number == 0;
    return number;
  }

  void fail(const Epoch& epoch) const {
    try {
      throw std::invalid_argument("an endless repeat received an empty epoch");
    } catch (...) {
      throw_as_dataset_error(name, {epoch.number, 0});
    }
  }

  std::string name;
  bool is_empty = true;
};

// ---- repeat

/// A checkpoint does not depend on `count`, unless seamless() adds it to the description.
[[nodiscard]] inline Properties describe_repeat(Properties properties, const EpochCount& count) {
  if (!properties.single_uses.empty()) {
    throw std::invalid_argument("forebay: repeat: " + properties.single_uses.front()->what() + " can be run once");
  }
  if (count.is_endless() && properties.size == std::uint64_t{0}) {
    properties.endless = "forebay: an endless repeat of an empty data set";
  }
  const bool takes_extra_ahead = properties.takes_extra_ahead;
  properties.add_stage("repeat", count.is_endless() ? "" : text_of({count.number()}));
  properties.takes_extra_ahead = takes_extra_ahead;
  properties.epochs = properties.epochs * count;
  properties.ends = properties.ends && !count.is_endless();
  return properties;
}

template <class T>
[[nodiscard]] NodePointer<T> repeat_node(const NodePointer<T>& node, const EpochCount& count = EpochCount::endless()) {
  auto open = [node, count](OpenContext&& opening, const Properties& its_properties, const Request<T>& request) {
    std::string name = opening.take_name("repeat");
    opening.epochs = count * opening.epochs;
    auto stream = node->open(std::move(opening), {.numbers_only = request.numbers_only});
    // An endless repeat checks for empty epochs, unless the size is known.
    if (!count.is_endless() || its_properties.size) return stream;
    return make_stream(NonEmpty<T>{std::move(name)}, std::move(stream));
  };
  return make_node<T>(describe_repeat(node->properties(), count), std::move(open), node->indexed_source());
}
template <class T>
[[nodiscard]] NodePointer<T> repeat_node(const NodePointer<T>& node, Count count) {
  return repeat_node(node, EpochCount(count.at_least(1, "repeat: count")));
}

// ---- seed, named and traced

/// Returns a node that only has other properties, and a name if it is not empty.
template <class T>
[[nodiscard]] NodePointer<T> configured_node(Properties&& properties, const NodePointer<T>& node,
                                             std::string name = {}) {
  auto open = [node, name = std::move(name)](OpenContext&& opening, const Properties& /*properties*/,
                                             const Request<T>& request) {
    if (opening.name.empty()) opening.name = name;
    return node->open(std::move(opening), request);
  };
  return make_node<T>(std::move(properties), std::move(open), node->indexed_source());
}

[[nodiscard]] inline Properties describe_seed(Properties properties, std::uint64_t seed) {
  properties.seed = seed;
  properties.add_to_description("seed" + text_of({seed}));
  return properties;
}
template <class T>
[[nodiscard]] NodePointer<T> seed_node(const NodePointer<T>& node, std::uint64_t seed) {
  return configured_node(describe_seed(node->properties(), seed), node);
}

[[nodiscard]] inline Properties describe_name(Properties properties, const std::string& name) {
  properties.rename(name);
  return properties;
}
template <class T>
[[nodiscard]] NodePointer<T> named_node(const NodePointer<T>& node, std::string name) {
  Properties properties = describe_name(node->properties(), name);
  return configured_node(std::move(properties), node, std::move(name));
}

[[nodiscard]] inline Properties describe_trace(Properties properties, MakeTrace make_trace) {
  properties.make_trace = make_trace;
  return properties;
}
template <class T>
[[nodiscard]] NodePointer<T> traced_node(const NodePointer<T>& node, MakeTrace make_trace) {
  return configured_node(describe_trace(node->properties(), make_trace), node);
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_STAGE_REPEAT_HPP
