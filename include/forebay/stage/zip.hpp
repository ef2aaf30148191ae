// SPDX-License-Identifier: MIT
//
// zip.hpp: several data sets become one of tuples (zip).

#ifndef FOREBAY_STAGE_ZIP_HPP
#define FOREBAY_STAGE_ZIP_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "forebay/base/arithmetic.hpp"
#include "forebay/describe/facts.hpp"
#include "forebay/stage/input.hpp"
#include "forebay/stage/node.hpp"
#include "forebay/stage/seamless.hpp"
#include "forebay/stage/stage_node.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Ends an epoch with the shortest input. Its inputs have one epoch each.
template <class First, class... Rest>
class ZipChain final : public SteppedChain<ZipChain<First, Rest...>, std::tuple<First, Rest...>> {
 public:
  using Element = std::tuple<First, Rest...>;
  using Nodes = std::tuple<NodePointer<First>, NodePointer<Rest>...>;

  ZipChain(const Nodes& nodes, const Opening& opening)
      : ZipChain(nodes, opening, std::index_sequence_for<First, Rest...>()) {}

  Answer step(Chunk<Element>& chunk, std::size_t most, const PullWait& wait) {
    const std::size_t wanted = smaller(most - chunk.size(), elements_at_once);
    Answer answer = Answer::more;
    const auto is_there = [&](auto& input) {
      answer = input.look(wanted, wait);
      return answer == Answer::more;
    };
    std::apply([&](auto&... inputs) { static_cast<void>((is_there(inputs) && ...)); }, inputs_);
    if (answer == Answer::more) chunk.push(take(), number_++);
    return answer;
  }

  void begin_epoch() override {
    number_ = 0;
    std::apply([&](auto&... inputs) { (inputs.begin(this->epoch()), ...); }, inputs_);
  }

  void save_state(Snapshot& to) override {
    to.add(number_);
    std::apply([&to](auto&... inputs) { (inputs.save(to), ...); }, inputs_);
  }
  void restore_state(SnapshotReader& from) override {
    number_ = from.number();
    std::apply([&from](auto&... inputs) { (inputs.restore(from), ...); }, inputs_);
  }

 private:
  template <std::size_t... index>
  ZipChain(const Nodes& nodes, const Opening& opening, std::index_sequence<index...> /*indices*/)
      : inputs_(std::get<index>(nodes)->open(opening.into_branch(index))...) {}

  Element take() {
    const auto take_from = [](auto& input) -> decltype(auto) {
      auto& element = input.element();
      input.pass();
      return std::move(element);
    };
    return std::apply([&](auto&... inputs) { return Element{take_from(inputs)...}; }, inputs_);
  }

  std::tuple<Input<First>, Input<Rest>...> inputs_;
  std::uint64_t number_ = 0;
};

/// Adds another input, before describe_zip().
inline void add_zipped(Facts& facts, const Facts& other) {
  facts.add_branch(other);
  facts.size = facts.size && other.size ? std::optional(smaller(*facts.size, *other.size)) : std::nullopt;
  facts.ends = facts.ends || other.ends;
}

template <class First, class... Rest>
[[nodiscard]] Facts describe_zip(const Node<First>& first, const Node<Rest>&... rest) {
  Facts facts = first.facts();
  (add_zipped(facts, rest.facts()), ...);
  facts.renumber();
  facts.describe("zip");
  return facts;
}

template <class First, class... Rest>
[[nodiscard]] NodePointer<std::tuple<First, Rest...>> zip_node(const NodePointer<First>& first,
                                                               const NodePointer<Rest>&... rest) {
  using Zip = ZipChain<First, Rest...>;
  const typename Zip::Nodes nodes(of_one_epoch(first), of_one_epoch(rest)...);
  Facts facts = std::apply([](const auto&... each) { return describe_zip(*each...); }, nodes);
  const auto open = [nodes](Opening opening) {
    opening.name.clear();
    return std::make_unique<Zip>(nodes, opening);
  };
  return make_node<std::tuple<First, Rest...>>(std::move(facts), open);
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_STAGE_ZIP_HPP
