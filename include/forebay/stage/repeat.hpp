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
#include "forebay/describe/facts.hpp"
#include "forebay/describe/node.hpp"
#include "forebay/flow/chunk.hpp"
#include "forebay/flow/errors.hpp"
#include "forebay/flow/input.hpp"
#include "forebay/flow/pull_wait.hpp"
#include "forebay/flow/stage_stream.hpp"
#include "forebay/flow/stream.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Passes on all elements. An empty epoch is a failure, because an endless repeat would spin.
template <class T>
struct NonEmpty {
  using Output = T;

  Answer step(Input<T>& input, Chunk<T>& chunk, std::size_t most, const PullWait& wait) {
    const std::size_t before = chunk.size();
    const Answer answer = input.pull(chunk, most, wait);
    is_empty = is_empty && chunk.size() == before;
    if (answer == Answer::ended && is_empty) fail(chunk.epoch);
    return answer;
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

/// The node of a name, a seed or a repeat, which only configures the upstream stage.
template <class T>
class ConfiguredNode final : public Node<T> {
 public:
  ConfiguredNode(Facts&& facts, NodePointer<T> node, std::string name, std::optional<EpochCount> repeats = {})
      : Node<T>(std::move(facts)), node_(std::move(node)), name_(std::move(name)), repeats_(repeats) {}

  [[nodiscard]] std::unique_ptr<Stream<T>> do_open(Opening&& opening) const override {
    std::string name = opening.name.empty() ? "repeat" : opening.name;
    alter(opening);
    return checked(node_->open(std::move(opening)), std::move(name));
  }
  [[nodiscard]] std::unique_ptr<Stream<T>> do_open_whole(Opening&& opening, const Whole<T>& whole) const override {
    if (repeats_) return do_open(std::move(opening));
    alter(opening);
    return node_->open_whole(std::move(opening), whole);
  }
  [[nodiscard]] std::shared_ptr<const IndexedSource<T>> indexed_source() const noexcept override {
    return node_->indexed_source();
  }
  [[nodiscard]] std::unique_ptr<Stream<T>> do_open_numbers(Opening&& opening) const override {
    alter(opening);
    return node_->open_numbers(std::move(opening));
  }
  [[nodiscard]] bool takes_extra_ahead() const noexcept override { return node_->takes_extra_ahead(); }

 private:
  void alter(Opening& opening) const {
    if (repeats_) {
      opening.epochs = *repeats_ * opening.epochs;
      opening.name.clear();  // it was the repeat's
    }
    if (opening.name.empty()) opening.name = name_;
  }

  /// An endless repeat checks for empty epochs, unless the size is known.
  [[nodiscard]] std::unique_ptr<Stream<T>> checked(std::unique_ptr<Stream<T>> stream, std::string name) const {
    if (!repeats_ || !repeats_->is_endless() || this->facts().size) return stream;
    return make_stream(NonEmpty<T>{std::move(name)}, std::move(stream));
  }

  NodePointer<T> node_;
  std::string name_;
  std::optional<EpochCount> repeats_;
};

// ---- repeat

/// A checkpoint does not depend on `count`, unless seamless() adds it to the description.
[[nodiscard]] inline Facts describe_repeat(Facts facts, const EpochCount& count) {
  if (!facts.single_uses.empty()) {
    throw std::invalid_argument("forebay: repeat: " + facts.single_uses.front()->what() + " can be run once");
  }
  if (count.is_endless() && facts.size == std::uint64_t{0}) {
    facts.endless = "forebay: an endless repeat of an empty data set";
  }
  facts.add_stage("repeat", count.is_endless() ? "" : text_of({count.number()}));
  facts.epochs = facts.epochs * count;
  facts.ends = facts.ends && !count.is_endless();
  return facts;
}

template <class T>
[[nodiscard]] NodePointer<T> repeat_node(const NodePointer<T>& node, const EpochCount& count = EpochCount::endless()) {
  return shared_node(new ConfiguredNode<T>(describe_repeat(node->facts(), count), node, {}, count));
}
template <class T>
[[nodiscard]] NodePointer<T> repeat_node(const NodePointer<T>& node, Count count) {
  return repeat_node(node, EpochCount(count.at_least(1, "repeat: count")));
}

// ---- seed, named and traced

[[nodiscard]] inline Facts describe_seed(Facts facts, std::uint64_t seed) {
  facts.seed = seed;
  facts.add_to_description("seed" + text_of({seed}));
  return facts;
}
template <class T>
[[nodiscard]] NodePointer<T> seed_node(const NodePointer<T>& node, std::uint64_t seed) {
  return shared_node(new ConfiguredNode<T>(describe_seed(node->facts(), seed), node, {}));
}

[[nodiscard]] inline Facts describe_name(Facts facts, const std::string& name) {
  facts.rename(name);
  return facts;
}
template <class T>
[[nodiscard]] NodePointer<T> named_node(const NodePointer<T>& node, std::string name) {
  Facts facts = describe_name(node->facts(), name);
  return shared_node(new ConfiguredNode<T>(std::move(facts), node, std::move(name)));
}

[[nodiscard]] inline Facts describe_trace(Facts facts, MakeTrace make_trace) {
  facts.make_trace = make_trace;
  return facts;
}
template <class T>
[[nodiscard]] NodePointer<T> traced_node(const NodePointer<T>& node, MakeTrace make_trace) {
  return shared_node(new ConfiguredNode<T>(describe_trace(node->facts(), make_trace), node, {}));
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_STAGE_REPEAT_HPP
