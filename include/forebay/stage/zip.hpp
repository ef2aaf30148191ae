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

#include "forebay/base/arithmetic.hpp"
#include "forebay/describe/facts.hpp"
#include "forebay/describe/node.hpp"
#include "forebay/flow/input.hpp"
#include "forebay/flow/stage_node.hpp"
#include "forebay/flow/stage_stream.hpp"
#include "forebay/stage/seamless.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Ends an epoch with the shortest input. Its inputs have one epoch each.
template <class First, class... Rest>
class Zip {
 public:
  using Output = std::tuple<First, Rest...>;

  Answer step(Input<First>& first, Input<Rest>&... rest, Chunk<Output>& chunk, std::size_t most,
              const PullWait& wait) {
    Answer answer = Answer::more;
    const auto is_there = [&](auto& input) {
      answer = input.look(wanted(most, chunk), wait);
      return answer == Answer::more;
    };
    static_cast<void>(is_there(first) && (is_there(rest) && ...));
    if (answer == Answer::more) chunk.push(Output{take(first), take(rest)...}, number_++);
    return answer;
  }

  void begin(const Epoch& /*epoch*/) noexcept { number_ = 0; }
  void save(Snapshot& to) const { to.add(number_); }
  void restore(SnapshotReader& from) { number_ = from.number(); }

 private:
  template <class T>
  static T&& take(Input<T>& input) {
    T& element = input.element();
    input.pass();
    return std::move(element);
  }

  std::uint64_t number_ = 0;
};

/// Opens the inputs, each as a branch of its own.
template <class... T, std::size_t... index>
[[nodiscard]] std::unique_ptr<Stream<std::tuple<T...>>> open_zip(const std::tuple<NodePointer<T>...>& nodes,
                                                                 const Opening& opening,
                                                                 std::index_sequence<index...> /*indices*/) {
  return make_stream(Zip<T...>(), std::get<index>(nodes)->open(opening.into_branch(index))...);
}

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
  const std::tuple<NodePointer<First>, NodePointer<Rest>...> nodes(of_one_epoch(first), of_one_epoch(rest)...);
  Facts facts = std::apply([](const auto&... each) { return describe_zip(*each...); }, nodes);
  const auto open = [nodes](Opening opening) {
    opening.name.clear();
    return open_zip(nodes, opening, std::index_sequence_for<First, Rest...>());
  };
  return make_node<std::tuple<First, Rest...>>(std::move(facts), open);
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_STAGE_ZIP_HPP
