// SPDX-License-Identifier: MIT
//
// joining.hpp: several data sets become one with the elements of all: concatenate and mix.

#ifndef FOREBAY_STAGE_JOINING_HPP
#define FOREBAY_STAGE_JOINING_HPP

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "forebay/base/address.hpp"
#include "forebay/base/arithmetic.hpp"
#include "forebay/base/random_bits.hpp"
#include "forebay/base/reject.hpp"
#include "forebay/stage/node.hpp"
#include "forebay/stage/round_input.hpp"
#include "forebay/stage/stage_node.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// One input after the other.
struct InTurn {
  static constexpr const char* name = "concatenate";

  [[nodiscard]] static bool takes(std::size_t /*input*/) noexcept { return true; }
  [[nodiscard]] static std::size_t choose(const std::vector<bool>& left, std::uint64_t /*epoch*/,
                                          std::uint64_t /*number*/) noexcept {
    std::size_t chosen = 0;
    while (chosen < left.size() && !left[chosen]) ++chosen;
    return chosen;
  }
};

/// One that is drawn for each output, by weight, of those that are left. One without weight is never drawn.
struct ByWeight {
  static constexpr const char* name = "mix";

  [[nodiscard]] bool takes(std::size_t input) const noexcept { return weights[input] > 0; }
  [[nodiscard]] std::size_t choose(const std::vector<bool>& left, std::uint64_t epoch, std::uint64_t number) const {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < left.size(); ++i) sum += left[i] ? weights[i] : 0;
    if (sum == 0) return left.size();
    std::uint64_t drawn = RandomBits(joined(stream, epoch, number)).below(sum);
    std::size_t chosen = 0;
    for (; !left[chosen] || drawn >= weights[chosen]; ++chosen) drawn -= left[chosen] ? weights[chosen] : 0;
    return chosen;
  }

  std::vector<std::uint64_t> weights;
  std::uint64_t stream = 0;
};

/// Weights as integers, so that every machine draws the same. Throws std::invalid_argument unless there are `count` of
/// them, finite and not negative, and one is above 0.
[[nodiscard]] inline std::vector<std::uint64_t> whole_weights(const std::vector<double>& weights, std::size_t count) {
  if (weights.size() != count) {
    reject({"mix: there have to be as many weights as data sets, which are ", count, ", not ", weights.size()});
  }
  double sum = 0;
  for (const double weight : weights) {
    if (!std::isfinite(weight) || weight < 0) {
      throw std::invalid_argument("forebay: mix: a weight has to be a finite number from 0, not " +
                                  std::to_string(weight));
    }
    sum += weight;
  }
  if (!(sum > 0)) reject({"mix: one of the ", count, " weights has to be above 0"});
  std::vector<std::uint64_t> whole;
  whole.reserve(count);
  for (const double weight : weights) {
    whole.push_back(weight > 0 ? static_cast<std::uint64_t>(weight / sum * 0x1p40) + 1 : 0);
  }
  return whole;
}

/// Has one epoch, which comprises all epochs of its inputs; their marks are not seen.
template <class T, class Choice>
class JoinedChain final : public SteppedChain<JoinedChain<T, Choice>, T> {
 public:
  JoinedChain(const std::vector<NodePointer<T>>& nodes, const Opening& opening, Choice choice)
      : rounds_(opening.repeats), leaver_(opening.leavers), left_(nodes.size(), true), choice_(std::move(choice)) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      inputs_.push_back(std::make_unique<RoundInput<T>>(*nodes[i], opening.into_branch(i)));
    }
  }

  Answer step(Chunk<T>& chunk, std::size_t most, const PullWait& wait) {
    if (rounds_.over()) return Answer::ended;
    chunk.epoch = rounds_.epoch();
    const std::size_t chosen = choice_.choose(left_, chunk.epoch.number, number_);
    if (chosen == inputs_.size()) {
      rounds_.next();
      begin_epoch();
      return Answer::epoch_ended;
    }
    RoundInput<T>& input = *inputs_[chosen];
    const Answer answer = input.look_for_element(most - chunk.size(), wait);
    if (answer == Answer::not_now) return answer;
    if (answer == Answer::ended) {
      left_[chosen] = false;
    } else {
      chunk.push_from(input.chunk(), input.next(), number_++);
      input.pass();
    }
    return Answer::more;
  }

  void skip_to(const Rounds& rounds) override {
    if (!rounds_.epoch().is_before(rounds.epoch())) return;
    rounds_.go_to(rounds.epoch());
    begin_epoch();
  }

  void save_state(Snapshot& to) override {
    rounds_.save(to);
    to.add(number_);
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      to.add(left_[i] ? 1 : 0);
      inputs_[i]->save(to);
    }
  }
  void restore_state(SnapshotReader& from) override {
    rounds_.restore(from);
    number_ = from.number();
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      left_[i] = from.flag();
      inputs_[i]->restore(from);
    }
  }

 private:
  void begin_epoch() {
    number_ = 0;
    left_.assign(left_.size(), true);
    if (rounds_.over()) return;
    for (auto& input : inputs_) input->begin(rounds_, 0, leaver_);
  }

  std::vector<std::unique_ptr<RoundInput<T>>> inputs_;
  Rounds rounds_;
  std::size_t leaver_;
  std::uint64_t number_ = 0;
  std::vector<bool> left_;  // which inputs have more in this epoch
  Choice choice_;
};

/// Describes a JoinedChain. Requires that there are inputs.
template <class T, class Choice>
[[nodiscard]] NodePointer<T> join(std::vector<NodePointer<T>> nodes, Choice choice) {
  Facts facts = nodes[0]->facts();
  facts.size = 0;
  facts.ends = true;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Facts& branch = nodes[i]->facts();
    if (i > 0) facts.add_branch(branch);
    if (!choice.takes(i)) continue;
    if (!branch.repeats.empty() || !branch.size) facts.size.reset();
    if (facts.size) *facts.size = saturating_add(*facts.size, *branch.size);
    facts.ends = facts.ends && branch.ends;
    facts.batched = facts.batched || branch.batched;
  }
  facts.describe(Choice::name);
  if constexpr (requires { choice.weights; }) {
    for (const std::uint64_t weight : choice.weights) facts.description += ' ' + std::to_string(weight);
  }
  facts.number_anew();
  facts.repeats.clear();
  facts.leaves_early = false;
  if constexpr (requires { choice.stream; }) ++facts.random_stages;
  const auto open = [nodes = std::move(nodes), choice = std::move(choice), facts](Opening opening) {
    opening.name.clear();
    Choice own = choice;
    if constexpr (requires { own.stream; }) own.stream = opening.stream(facts);
    return std::make_unique<JoinedChain<T, Choice>>(nodes, opening, std::move(own));
  };
  return make_node<T>(facts, open);
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_STAGE_JOINING_HPP
