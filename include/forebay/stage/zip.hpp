// SPDX-License-Identifier: MIT
//
// zip.hpp: several data sets become one of tuples (zip).

#ifndef FOREBAY_STAGE_ZIP_HPP
#define FOREBAY_STAGE_ZIP_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "forebay/base/arithmetic.hpp"
#include "forebay/stage/input.hpp"
#include "forebay/stage/node.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// One of the inputs. A round of the zip comprises all epochs of the input's own repeats.
template <class T>
class ZipInput {
 public:
  ZipInput(const Node<T>& node, const Opening& opening)
      : input_(node.open(opening)), own_(node.facts().repeats), repeats_(opening.all_repeats(node.facts())) {}

  Answer look(std::size_t wanted, const PullWait& wait) {
    return input_.look(smaller(wanted, elements_at_once<T>), wait);
  }

  /// Answers `more` if there is an element of this round, `ended` if there is none.
  Answer look_in_round(std::size_t wanted, const PullWait& wait) {
    Answer answer = Answer::epoch_ended;
    while (answer == Answer::epoch_ended) answer = look(wanted, wait);
    if (answer != Answer::more || input_.epoch() == epoch_) return answer;
    if (input_.epoch().begins_round(level())) return Answer::ended;
    epoch_ = input_.epoch();
    return answer;
  }

  [[nodiscard]] T take() {
    T element = std::move(input_.element());
    input_.pass();
    return element;
  }
  [[nodiscard]] const Epoch& epoch() const noexcept { return input_.epoch(); }
  [[nodiscard]] Rounds rounds() const { return Rounds(repeats_, epoch()); }
  [[nodiscard]] std::size_t level() const noexcept { return own_.size(); }

  void go_to(const Rounds& rounds) { input_.go_to(rounds); }

  /// Begins the round in which the first input is.
  template <class First>
  void follow(const ZipInput<First>& first) {
    const Rounds rounds = first.rounds().in_branch(first.level(), own_);
    input_.go_to(rounds);
    epoch_ = rounds.epoch();
  }

 private:
  Input<T> input_;
  Rounds::Counts own_;
  Rounds::Counts repeats_;
  Epoch epoch_;  // of this round
};

/// Ends with the shortest input, and has the epochs of the first. Those of the others are not seen.
template <class First, class... Rest>
class ZipChain final : public SteppedChain<ZipChain<First, Rest...>, std::tuple<First, Rest...>> {
 public:
  using Element = std::tuple<First, Rest...>;
  using Nodes = std::tuple<NodePointer<First>, NodePointer<Rest>...>;

  ZipChain(const Nodes& nodes, const Opening& opening)
      : ZipChain(nodes, opening, std::index_sequence_for<First, Rest...>()) {}

  Answer step(Chunk<Element>& chunk, std::size_t most, const PullWait& wait) {
    if (over_) return Answer::ended;
    const Answer answer = look(most - chunk.size(), wait);
    if (answer == Answer::not_now || answer == Answer::ended) return answer;
    if (epoch_.is_before(wanted_)) {
      if (answer == Answer::more) static_cast<void>(take());
      return Answer::more;
    }
    chunk.epoch = epoch_;
    if (answer == Answer::more) chunk.push(take(), numbering_.next(epoch_));
    return answer;
  }

  /// An epoch that is left in the middle of a round is read to its end, so that the others are where they would be.
  void go_to(const Rounds& rounds) override {
    if (!epoch_.is_before(rounds.epoch())) return;
    wanted_ = rounds.epoch();
    if (rounds.is_in_round_of(epoch_, first_input().level())) return;
    over_ = false;
    first_input().go_to(rounds);
  }

 private:
  template <std::size_t... index>
  ZipChain(const Nodes& nodes, const Opening& opening, std::index_sequence<index...> /*indices*/)
      : inputs_(make_input<index>(nodes, opening)...), leaver_(opening.leavers) {}

  template <std::size_t index>
  static auto make_input(const Nodes& nodes, const Opening& opening) {
    return std::make_unique<ZipInput<typename std::tuple_element_t<index, Nodes>::element_type::value_type>>(
        *std::get<index>(nodes), opening.into_branch(index));
  }

  [[nodiscard]] ZipInput<First>& first_input() noexcept { return *std::get<0>(inputs_); }

  /// Answers `more` if every input has an element; `epoch_ended` at a mark of the first, and where another one comes
  /// to its end, which ends the round.
  Answer look(std::size_t wanted, const PullWait& wait) {
    ZipInput<First>& first = first_input();
    Answer answer = first.look(wanted, wait);
    if (answer == Answer::not_now || answer == Answer::ended) return answer;
    const bool begins = first.epoch() != epoch_ && first.epoch().begins_round(first.level());
    epoch_ = first.epoch();
    if (begins) std::apply([&](auto& /*first*/, auto&... others) { (others->follow(first), ...); }, inputs_);
    if (answer == Answer::epoch_ended) return answer;
    const auto is_there = [&](auto& input) {
      answer = input->look_in_round(wanted, wait);
      return answer == Answer::more;
    };
    std::apply([&](auto& /*first*/, auto&... others) { static_cast<void>((is_there(others) && ...)); }, inputs_);
    if (answer != Answer::ended) return answer;
    Rounds rounds = first.rounds();
    rounds.leave(first.level(), leaver_);
    over_ = rounds.over();
    if (!over_) first.go_to(rounds);
    return Answer::epoch_ended;
  }

  Element take() {
    return std::apply([](auto&... inputs) { return Element{inputs->take()...}; }, inputs_);
  }

  std::tuple<std::unique_ptr<ZipInput<First>>, std::unique_ptr<ZipInput<Rest>>...> inputs_;
  Epoch epoch_;
  Epoch wanted_;
  bool over_ = false;
  std::size_t leaver_;
  Numbering numbering_;
};

/// Adds what is known of a further branch of a zip to what is known of the first.
inline void add_branch(Facts& facts, const Facts& branch) {
  const bool of_one_epoch = facts.repeats.empty() && branch.repeats.empty();
  if (of_one_epoch && facts.size && branch.size) {
    facts.size = smaller(*facts.size, *branch.size);
  } else {
    facts.size.reset();
  }
  facts.may_block = facts.may_block || branch.may_block;
  facts.has_threads = facts.has_threads || branch.has_threads;
  facts.ends = facts.ends || branch.ends;
  if (facts.endless.empty()) facts.endless = branch.endless;
  facts.single_uses.insert(facts.single_uses.end(), branch.single_uses.begin(), branch.single_uses.end());
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_STAGE_ZIP_HPP
