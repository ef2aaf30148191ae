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
#include "forebay/stage/node.hpp"
#include "forebay/stage/round_input.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

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
  void skip_to(const Rounds& rounds) override {
    if (!epoch_.is_before(rounds.epoch())) return;
    wanted_ = rounds.epoch();
    if (rounds.is_in_round_of(epoch_, first_input().level())) return;
    over_ = false;
    first_input().go_to(rounds);
  }

  void save_state(Snapshot& to) override {
    epoch_.save(to);
    wanted_.save(to);
    to.add(over_ ? 1 : 0);
    numbering_.save(to);
    std::apply([&to](auto&... inputs) { (inputs->save(to), ...); }, inputs_);
  }
  void restore_state(SnapshotReader& from) override {
    epoch_ = Epoch::restored(from);
    wanted_ = Epoch::restored(from);
    over_ = from.flag();
    numbering_.restore(from);
    std::apply([&from](auto&... inputs) { (inputs->restore(from), ...); }, inputs_);
  }

 private:
  template <std::size_t... index>
  ZipChain(const Nodes& nodes, const Opening& opening, std::index_sequence<index...> /*indices*/)
      : inputs_(make_input<index>(nodes, opening)...), leaver_(opening.leavers) {}

  template <std::size_t index>
  static auto make_input(const Nodes& nodes, const Opening& opening) {
    return std::make_unique<RoundInput<typename std::tuple_element_t<index, Nodes>::element_type::value_type>>(
        *std::get<index>(nodes), opening.into_branch(index));
  }

  [[nodiscard]] RoundInput<First>& first_input() noexcept { return *std::get<0>(inputs_); }

  /// Answers `more` if every input has an element; `epoch_ended` at a mark of the first, and where another one comes
  /// to its end, which ends the round.
  Answer look(std::size_t wanted, const PullWait& wait) {
    RoundInput<First>& first = first_input();
    Answer answer = first.look(wanted, wait);
    if (answer == Answer::ended && first.next_round()) answer = first.look(wanted, wait);
    if (answer == Answer::not_now || answer == Answer::ended) return answer;
    const bool begins = first.epoch() != epoch_ && first.epoch().begins_round(first.level());
    epoch_ = first.epoch();
    if (begins)
      std::apply(
          [&](auto& /*first*/, auto&... others) { (others->begin(first.rounds(), first.level(), leaver_), ...); },
          inputs_);
    if (answer == Answer::epoch_ended) return answer;
    const auto is_there = [&](auto& input) {
      answer = input->look_for_element(wanted, wait);
      return answer == Answer::more;
    };
    std::apply([&](auto& /*first*/, auto&... others) { static_cast<void>((is_there(others) && ...)); }, inputs_);
    if (answer != Answer::ended) return answer;
    Rounds rounds = first.rounds();
    rounds.leave(first.level(), leaver_);
    over_ = rounds.over();
    if (!over_) first.go_to(rounds);
    epoch_ = epoch_.left(first.level());
    return Answer::epoch_ended;
  }

  Element take() {
    return std::apply([](auto&... inputs) { return Element{inputs->take()...}; }, inputs_);
  }

  std::tuple<std::unique_ptr<RoundInput<First>>, std::unique_ptr<RoundInput<Rest>>...> inputs_;
  Epoch epoch_;
  Epoch wanted_;
  bool over_ = false;
  std::size_t leaver_;
  Numbering numbering_;
};

/// What is known of both of them together.
[[nodiscard]] inline Facts zipped_facts(const Facts& first, const Facts& second) {
  Facts facts = first;
  facts.add_branch(second);
  facts.size.reset();
  const bool of_one_epoch_each = first.repeats.empty() && second.repeats.empty();
  if (of_one_epoch_each && first.size && second.size) facts.size = smaller(*first.size, *second.size);
  facts.ends = first.ends || second.ends;
  facts.leaves_early = first.leaves_early || !first.repeats.empty();
  return facts;
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_STAGE_ZIP_HPP
