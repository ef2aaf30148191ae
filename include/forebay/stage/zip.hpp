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

/// One of the inputs, and where it is in its epochs. A round of the zip comprises all epochs of the input's own
/// repeats.
template <class T>
class ZipInput {
 public:
  ZipInput(const Node<T>& node, const Opening& opening)
      : input_(node.open(opening)), repeats_(node.facts().repeats), rounds_(opening.rounds(node.facts())) {}

  /// Answers `more` if there is an element, `epoch_ended` at a mark, `ended` if that is the last of the round.
  Answer look(std::size_t wanted, const PullWait& wait) {
    const Answer answer = input_.look(smaller(wanted, most_at_once), wait);
    if (answer != Answer::epoch_ended) return answer;
    rounds_.next();
    return rounds_.over() || rounds_.begins_round(level()) ? Answer::ended : Answer::epoch_ended;
  }

  [[nodiscard]] T take() {
    T element = std::move(input_.element());
    input_.pass();
    return element;
  }
  [[nodiscard]] const Epoch& epoch() const noexcept { return input_.epoch(); }
  [[nodiscard]] const Rounds& rounds() const noexcept { return rounds_; }
  [[nodiscard]] std::size_t level() const noexcept { return repeats_.size(); }

  void go_to(const Rounds& rounds) {
    if (rounds_.epoch().is_before(rounds.epoch())) rounds_ = rounds;
    if (!rounds.over()) input_.go_to(rounds);
  }

  /// Begins the round that the first input begins.
  template <class First>
  void follow(const ZipInput<First>& first) {
    go_to(first.rounds().in_branch(first.level(), repeats_));
  }

 private:
  Input<T> input_;
  std::vector<std::uint64_t> repeats_;
  Rounds rounds_;
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
    if (first_input().rounds().over()) return Answer::ended;
    const Answer answer = look(most - chunk.size(), wait);
    if (answer == Answer::not_now) return answer;
    if (!epoch_.is_before(wanted_)) {
      chunk.epoch = epoch_;
      if (answer == Answer::more) chunk.push(take(), numbering_.next(epoch_));
      return answer;
    }
    if (answer == Answer::more) static_cast<void>(take());
    return Answer::more;
  }

  /// An epoch that is left in the middle of a round is read to its end, so that the others are where they would be.
  void go_to(const Rounds& rounds) override {
    const Rounds& here = first_input().rounds();
    if (!here.epoch().is_before(rounds.epoch())) return;
    wanted_ = rounds.epoch();
    const std::size_t level = first_input().level();
    const bool in_this_round =
        here.epoch().generation == rounds.epoch().generation && here.round(level) == rounds.round(level);
    if (in_this_round) return;
    first_input().go_to(rounds);
    begin_round();
  }

 private:
  template <std::size_t... index>
  ZipChain(const Nodes& nodes, const Opening& opening, std::index_sequence<index...> /*indices*/)
      : inputs_(make_input<index>(nodes, opening)...) {}

  template <std::size_t index>
  static auto make_input(const Nodes& nodes, const Opening& opening) {
    return std::make_unique<ZipInput<typename std::tuple_element_t<index, Nodes>::element_type::value_type>>(
        *std::get<index>(nodes), opening.into_branch(index));
  }

  [[nodiscard]] ZipInput<First>& first_input() noexcept { return *std::get<0>(inputs_); }

  /// Answers `more` if every input has an element; `epoch_ended` at a mark of the first, and where another one comes
  /// to its end, which ends the round.
  Answer look(std::size_t wanted, const PullWait& wait) {
    epoch_ = first_input().rounds().epoch();
    Answer answer = first_input().look(wanted, wait);
    if (answer == Answer::not_now) return answer;
    if (answer == Answer::more) answer = look_at_others(wanted, wait, std::index_sequence_for<Rest...>());
    if (answer == Answer::not_now || answer == Answer::more) return answer;
    if (answer == Answer::ended) begin_round();
    return Answer::epoch_ended;
  }

  template <std::size_t... index>
  Answer look_at_others(std::size_t wanted, const PullWait& wait, std::index_sequence<index...> /*indices*/) {
    Answer answer = Answer::more;
    const auto look_at = [&](auto& input) {
      do {
        answer = input.look(wanted, wait);
      } while (answer == Answer::epoch_ended);
      return answer == Answer::more;
    };
    if ((look_at(*std::get<index + 1>(inputs_)) && ...)) return Answer::more;
    if (answer == Answer::ended) leave_first_round();
    return answer;
  }

  void leave_first_round() {
    Rounds rounds = first_input().rounds();
    rounds.leave(first_input().level());
    first_input().go_to(rounds);
  }

  void begin_round() {
    std::apply([this](auto& /*first*/, auto&... others) { (others->follow(first_input()), ...); }, inputs_);
  }

  Element take() {
    return std::apply([](auto&... inputs) { return Element{inputs->take()...}; }, inputs_);
  }

  std::tuple<std::unique_ptr<ZipInput<First>>, std::unique_ptr<ZipInput<Rest>>...> inputs_;
  Epoch epoch_;
  Epoch wanted_;
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
