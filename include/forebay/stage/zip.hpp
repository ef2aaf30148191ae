// SPDX-License-Identifier: MIT
//
// zip.hpp: zip, which joins several data sets into one of tuples.

#ifndef FOREBAY_STAGE_ZIP_HPP
#define FOREBAY_STAGE_ZIP_HPP

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "forebay/base/arithmetic.hpp"
#include "forebay/dataset_options.hpp"
#include "forebay/describe/properties.hpp"
#include "forebay/describe/node.hpp"
#include "forebay/flow/errors.hpp"
#include "forebay/flow/input.hpp"
#include "forebay/flow/stage_node.hpp"
#include "forebay/flow/stage_stream.hpp"
#include "forebay/position.hpp"
#include "forebay/stage/seamless.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Throws that some inputs have ended, but not all. `next` has the number of the next element of each input; nothing if
/// it has ended. `count` elements precede.
[[noreturn]] inline void throw_unequal(const std::string& stage, Position position, std::uint64_t count,
                                       std::initializer_list<std::optional<std::uint64_t>> next) {
  std::vector<std::string> ended;
  std::string others;
  std::size_t input = 0;
  for (const std::optional<std::uint64_t>& number : next) {
    const std::string name = std::to_string(++input);
    if (!number) {
      ended.push_back(name);
      continue;
    }
    others += others.empty() ? "; input " + name + " continues" : ", and input " + name;
    others += " with its number " + std::to_string(*number);
  }
  std::string text = ended.size() == 1 ? "input " : "inputs ";
  for (std::size_t i = 0; i < ended.size(); ++i) text += (i > 0 ? " and " : "") + ended[i];
  text += ended.size() == 1 ? " has" : " have";
  try {
    throw std::runtime_error(text + " ended after " + std::to_string(count) + (count == 1 ? " element" : " elements") +
                             others);
  } catch (...) {
    throw_as_dataset_error(stage, position);
  }
}

/// Ends an epoch with the shortest input, or requires that all have the same length. Its inputs have one epoch each.
template <Lengths lengths, class First, class... Rest>
class Zip {
 public:
  using Output = std::tuple<First, Rest...>;

  explicit Zip(std::string name) : name_(std::move(name)) {}

  PullResult step(Input<First>& first, Input<Rest>&... rest, Chunk<Output>& chunk, std::size_t most,
                  const PullWait& wait) {
    PullResult result = PullResult::more;
    std::size_t ended = 0;
    const auto goes_on = [&](auto& input) {
      result = input.look(wanted(most, chunk), wait);
      if (result == PullResult::ended) ++ended;
      return result == PullResult::more || (lengths == Lengths::equal && result == PullResult::ended);
    };
    static_cast<void>(goes_on(first) && (goes_on(rest) && ...));
    if constexpr (lengths == Lengths::equal) {
      const bool have_all = ended == 0 || ended == 1 + sizeof...(Rest);
      if (result != PullResult::not_now && !have_all) {
        throw_unequal(name_, {chunk.epoch.number, number_}, number_, {next_of(first), next_of(rest)...});
      }
    }
    if (result == PullResult::more) chunk.push(Output{take(first), take(rest)...}, number_++);
    return result;
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

  template <class T>
  static std::optional<std::uint64_t> next_of(const Input<T>& input) {
    return input.unread() > 0 ? std::optional(input.number()) : std::nullopt;
  }

  std::string name_;
  std::uint64_t number_ = 0;
};

/// Opens the inputs, each as a separate branch.
template <Lengths lengths, class... T, std::size_t... index>
[[nodiscard]] std::unique_ptr<Stream<std::tuple<T...>>> open_zip(const std::tuple<NodePointer<T>...>& nodes,
                                                                 OpenContext&& opening,
                                                                 std::index_sequence<index...> /*indices*/) {
  Zip<lengths, T...> stage(opening.take_name("zip"));
  return make_stream(std::move(stage), std::get<index>(nodes)->open(opening.into_branch(index))...);
}

/// Adds another input. Call it before describe_zip().
inline void add_zipped(Properties& properties, const Properties& other) {
  properties.add_branch(other);
  properties.size =
      properties.size && other.size ? std::optional(smaller(*properties.size, *other.size)) : std::nullopt;
  properties.ends = properties.ends || other.ends;
}

template <class First, class... Rest>
[[nodiscard]] Properties describe_zip(Lengths lengths, const Node<First>& first, const Node<Rest>&... rest) {
  Properties properties = first.properties();
  (add_zipped(properties, rest.properties()), ...);
  properties.renumber();
  properties.describe("zip", lengths == Lengths::equal ? ", equal" : "");
  properties.stages.back().reads_early = true;
  return properties;
}

template <Lengths lengths, class First, class... Rest>
[[nodiscard]] NodePointer<std::tuple<First, Rest...>> zip_node(const NodePointer<First>& first,
                                                               const NodePointer<Rest>&... rest) {
  const std::tuple<NodePointer<First>, NodePointer<Rest>...> nodes(of_one_epoch(first), of_one_epoch(rest)...);
  Properties properties = std::apply([](const auto&... each) { return describe_zip(lengths, *each...); }, nodes);
  auto open = [nodes](OpenContext&& opening, const Properties& /*properties*/) {
    return open_zip<lengths>(nodes, std::move(opening), std::index_sequence_for<First, Rest...>());
  };
  return make_node<std::tuple<First, Rest...>>(std::move(properties), std::move(open));
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_STAGE_ZIP_HPP
