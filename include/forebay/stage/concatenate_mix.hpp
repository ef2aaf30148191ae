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
#include "forebay/checkpoint/snapshot.hpp"
#include "forebay/dataset_options.hpp"
#include "forebay/describe/epoch.hpp"
#include "forebay/describe/left_out.hpp"
#include "forebay/describe/node.hpp"
#include "forebay/describe/properties.hpp"
#include "forebay/flow/input.hpp"
#include "forebay/flow/stage_node.hpp"
#include "forebay/flow/stage_stream.hpp"
#include "forebay/stage/seamless.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Chooses one input after the other.
struct InTurn {
  [[nodiscard]] static bool takes(std::size_t /*input*/) noexcept { return true; }
  [[nodiscard]] static bool ends_with_first() noexcept { return false; }
  [[nodiscard]] static bool restarts() noexcept { return false; }
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
  [[nodiscard]] bool ends_with_first() const noexcept { return options.stop == MixStop::first_exhausted; }
  [[nodiscard]] bool restarts() const noexcept { return options.restart; }
  [[nodiscard]] Properties describe(Properties properties) const {
    properties.add_stage("mix");
    std::string words = "mix";
    for (const std::uint64_t weight : weights) words += text_of({weight});
    if (ends_with_first()) words += ", first_exhausted";
    if (restarts()) words += ", restart";
    properties.add_to_description(words);
    ++properties.random_stages;
    if ((ends_with_first() || restarts()) && properties.size != std::uint64_t{0}) properties.size.reset();
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
  MixOptions options{};
  std::uint64_t stream = 0;
};

/// Counts how often each input of a mix that restarts them has ended, and knows whether one is empty.
class Passes {
 public:
  /// `left_out` also counts them, for the statistics, unless it is null.
  Passes(std::size_t inputs, std::shared_ptr<LeftOut> left_out) : inputs_(inputs), left_out_(std::move(left_out)) {
    if (left_out_ != nullptr && inputs > 0) first_ = left_out_->add_inputs(inputs);
  }

  void begin() noexcept { inputs_.assign(inputs_.size(), Pass()); }
  void read(std::size_t input) noexcept { inputs_[input].is_empty = false; }

  /// Ends the pass of an input. Returns whether the next one may begin, because this one was not empty.
  bool end(std::size_t input) noexcept {
    Pass& pass = inputs_[input];
    ++pass.number;
    if (left_out_ != nullptr) left_out_->add_pass(first_ + input);
    return !std::exchange(pass.is_empty, true);
  }
  [[nodiscard]] bool has_ended(std::size_t input) const noexcept { return inputs_[input].number > 0; }

  /// Returns the epoch of an input in its present pass, during `epoch` of the mix. Each epoch has passes of its own.
  [[nodiscard]] Epoch epoch_of(std::size_t input, const Epoch& epoch) const noexcept {
    Epoch pass = first_part_of(epoch, EpochCount::endless());
    pass.number += inputs_[input].number;
    return pass;
  }

  void save(Snapshot& to) const {
    for (const Pass& pass : inputs_) {
      to.add(pass.number);
      to.add(pass.is_empty ? 1 : 0);
    }
  }
  void restore(SnapshotReader& from) {
    for (Pass& pass : inputs_) {
      pass.number = from.number();
      pass.is_empty = from.flag();
    }
  }

 private:
  struct Pass {
    std::uint64_t number = 0;
    bool is_empty = true;  // so far
  };

  std::vector<Pass> inputs_;
  std::shared_ptr<LeftOut> left_out_;
  std::size_t first_ = 0;  // the place of the first input in left_out_
};

/// Joins inputs that have one epoch each.
template <class T, class Choice>
class ConcatenateMix {
 public:
  using Output = T;
  using Inputs = std::deque<Input<T>>;

  ConcatenateMix(std::size_t inputs, Choice choice, Passes passes)
      : left_(inputs, true), choice_(std::move(choice)), passes_(std::move(passes)) {}

  PullResult step(Inputs& inputs, Chunk<T>& chunk, std::size_t most, const PullWait& wait) {
    const std::size_t chosen = choice_.choose(left_, chunk.epoch, number_);
    if (chosen == inputs.size()) return PullResult::ended;
    Input<T>& input = inputs[chosen];
    const PullResult result = input.look(wanted(most, chunk), wait);
    if (result == PullResult::not_now) return result;
    if (result == PullResult::more) {
      chunk.push_from(input.chunk(), input.next(), number_++);
      input.pass();
      if (choice_.restarts()) passes_.read(chosen);
    } else if (choice_.ends_with_first()) {
      left_.assign(left_.size(), false);
    } else if (choice_.restarts()) {
      restart(inputs, chosen, chunk.epoch);
    } else {
      left_[chosen] = false;
    }
    return PullResult::more;
  }

  void begin(const Epoch& /*epoch*/) noexcept {
    number_ = 0;
    left_.assign(left_.size(), true);
    passes_.begin();
  }
  void begin_inputs(const Epoch& epoch, Inputs& inputs) const noexcept {
    for (std::size_t i = 0; i < inputs.size(); ++i) inputs[i].begin(epoch_of(i, epoch));
  }

  void save(Snapshot& to) const {
    to.add(number_);
    for (const bool is_left : left_) to.add(is_left ? 1 : 0);
    passes_.save(to);
  }
  void restore(SnapshotReader& from) {
    number_ = from.number();
    std::generate(left_.begin(), left_.end(), [&from] { return from.flag(); });
    passes_.restore(from);
  }

 private:
  [[nodiscard]] Epoch epoch_of(std::size_t input, const Epoch& epoch) const noexcept {
    return choice_.restarts() ? passes_.epoch_of(input, epoch) : epoch;
  }

  /// Begins the next pass of an input that has ended, unless it is empty or all have ended.
  void restart(Inputs& inputs, std::size_t ended, const Epoch& epoch) {
    left_[ended] = passes_.end(ended);
    for (std::size_t i = 0; i < left_.size(); ++i) {
      if (choice_.takes(i) && !passes_.has_ended(i)) {
        if (left_[ended]) inputs[ended].begin(epoch_of(ended, epoch));
        return;
      }
    }
    left_.assign(left_.size(), false);
  }

  std::uint64_t number_ = 0;
  std::vector<bool> left_;  // inputs with more elements in this epoch
  Choice choice_;
  Passes passes_;  // of no inputs, unless they restart
};

template <class T, class Choice>
[[nodiscard]] Properties describe_join(const std::vector<NodePointer<T>>& nodes, const Choice& choice) {
  Properties properties = nodes[0]->properties();
  properties.size = 0;
  bool all_end = true;
  bool one_ends = false;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Properties& branch = nodes[i]->properties();
    if (i > 0) properties.add_branch(branch);
    if (!choice.takes(i)) continue;
    if (!branch.size) properties.size.reset();
    if (properties.size) *properties.size = saturating_add(*properties.size, *branch.size);
    all_end = all_end && branch.ends;
    one_ends = one_ends || branch.ends;
    properties.batched = properties.batched || branch.batched;
  }
  properties.ends = choice.ends_with_first() ? one_ends : all_end;
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
    Passes passes(choice.restarts() ? nodes.size() : 0, opening.left_out);
    if (choice.restarts()) opening.epochs = EpochCount::endless();
    std::vector<std::unique_ptr<Stream<T>>> streams;
    for (std::size_t i = 0; i < nodes.size(); ++i) streams.push_back(nodes[i]->open(opening.into_branch(i)));
    using Stage = ConcatenateMix<T, Choice>;
    return std::make_unique<StageStream<Stage, typename Stage::Inputs>>(
        Stage(nodes.size(), std::move(own), std::move(passes)), std::make_move_iterator(streams.begin()),
        std::make_move_iterator(streams.end()));
  };
  return make_node<T>(std::move(properties), std::move(open));
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_STAGE_CONCATENATE_MIX_HPP
