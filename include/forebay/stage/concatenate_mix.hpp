// SPDX-License-Identifier: MIT
//
// concatenate_mix.hpp: the stages concatenate and mix, which join several data sets.

#ifndef FOREBAY_STAGE_CONCATENATE_MIX_HPP
#define FOREBAY_STAGE_CONCATENATE_MIX_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "forebay/base/hash.hpp"
#include "forebay/base/arithmetic.hpp"
#include "forebay/base/random_bits.hpp"
#include "forebay/describe/properties.hpp"
#include "forebay/describe/node.hpp"
#include "forebay/flow/input.hpp"
#include "forebay/flow/stage_node.hpp"
#include "forebay/flow/stage_stream.hpp"
#include "forebay/stage/seamless.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Chooses one input after the other.
struct InTurn {
  [[nodiscard]] static bool takes(std::size_t /*input*/) noexcept { return true; }
  [[nodiscard]] static Properties describe(Properties properties) {
    properties.describe("concatenate");
    return properties;
  }
  [[nodiscard]] static std::size_t choose(const std::vector<bool>& left, const Epoch& /*epoch*/,
                                          std::uint64_t /*number*/) noexcept {
    std::size_t chosen = 0;
    while (chosen < left.size() && !left[chosen]) ++chosen;
    return chosen;
  }
};

/// Draws an input for each output, by weight, among the inputs that have not ended. An input with weight 0 is never
/// drawn.
struct ByWeight {
  [[nodiscard]] bool takes(std::size_t input) const noexcept { return weights[input] > 0; }
  [[nodiscard]] Properties describe(Properties properties) const {
    properties.add_stage("mix");
    std::string words = "mix";
    for (const std::uint64_t weight : weights) words += text_of({weight});
    properties.add_to_description(words);
    ++properties.random_stages;
    return properties;
  }
  [[nodiscard]] std::size_t choose(const std::vector<bool>& left, const Epoch& epoch, std::uint64_t number) const {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < left.size(); ++i) sum += left[i] ? weights[i] : 0;
    if (sum == 0) return left.size();
    std::uint64_t drawn = RandomBits(hash_combine(epoch.stream_of(stream), epoch.number, number)).below(sum);
    std::size_t chosen = 0;
    for (; !left[chosen] || drawn >= weights[chosen]; ++chosen) drawn -= left[chosen] ? weights[chosen] : 0;
    return chosen;
  }

  std::vector<std::uint64_t> weights;
  std::uint64_t stream = 0;
};

/// Joins inputs that have one epoch each.
template <class T, class Choice>
class ConcatenateMix {
 public:
  using Output = T;
  using Inputs = std::deque<Input<T>>;

  ConcatenateMix(std::size_t inputs, Choice choice) : left_(inputs, true), choice_(std::move(choice)) {}

  PullResult step(Inputs& inputs, Chunk<T>& chunk, std::size_t most, const PullWait& wait) {
    const std::size_t chosen = choice_.choose(left_, chunk.epoch, number_);
    if (chosen == inputs.size()) return PullResult::ended;
    Input<T>& input = inputs[chosen];
    const PullResult result = input.look(wanted(most, chunk), wait);
    if (result == PullResult::not_now) return result;
    if (result == PullResult::more) {
      chunk.push_from(input.chunk(), input.next(), number_++);
      input.pass();
    } else {
      left_[chosen] = false;
    }
    return PullResult::more;
  }

  void begin(const Epoch& /*epoch*/) noexcept {
    number_ = 0;
    left_.assign(left_.size(), true);
  }

  void save(Snapshot& to) const {
    to.add(number_);
    for (const bool is_left : left_) to.add(is_left ? 1 : 0);
  }
  void restore(SnapshotReader& from) {
    number_ = from.number();
    std::generate(left_.begin(), left_.end(), [&from] { return from.flag(); });
  }

 private:
  std::uint64_t number_ = 0;
  std::vector<bool> left_;  // inputs with more elements in this epoch
  Choice choice_;
};

template <class T, class Choice>
[[nodiscard]] Properties describe_join(const std::vector<NodePointer<T>>& nodes, const Choice& choice) {
  Properties properties = nodes[0]->properties();
  properties.size = 0;
  properties.ends = true;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Properties& branch = nodes[i]->properties();
    if (i > 0) properties.add_branch(branch);
    if (!choice.takes(i)) continue;
    if (!branch.size) properties.size.reset();
    if (properties.size) *properties.size = saturating_add(*properties.size, *branch.size);
    properties.ends = properties.ends && branch.ends;
    properties.batched = properties.batched || branch.batched;
  }
  properties.renumber();
  Properties joined = choice.describe(std::move(properties));
  joined.stages.back().reads_early = true;
  return joined;
}

/// Requires at least one input.
template <class T, class Choice>
[[nodiscard]] NodePointer<T> join(std::vector<NodePointer<T>> nodes, Choice choice) {
  for (NodePointer<T>& node : nodes) node = of_one_epoch(std::move(node));
  Properties properties = describe_join(nodes, choice);
  auto open = [nodes = std::move(nodes), choice = std::move(choice)](OpenContext&& opening,
                                                                     const Properties& its_properties) {
    opening.name.clear();
    Choice own = choice;
    if constexpr (requires { own.stream; }) own.stream = opening.stream(its_properties);
    std::vector<std::unique_ptr<Stream<T>>> streams;
    for (std::size_t i = 0; i < nodes.size(); ++i) streams.push_back(nodes[i]->open(opening.into_branch(i)));
    using Stage = ConcatenateMix<T, Choice>;
    return std::make_unique<StageStream<Stage, typename Stage::Inputs>>(Stage(nodes.size(), std::move(own)),
                                                                        std::make_move_iterator(streams.begin()),
                                                                        std::make_move_iterator(streams.end()));
  };
  return make_node<T>(std::move(properties), std::move(open));
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_STAGE_CONCATENATE_MIX_HPP
