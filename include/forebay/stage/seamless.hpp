// SPDX-License-Identifier: MIT
//
// seamless.hpp: SeamlessChain, which joins the epochs of its input into one; and the node that describes it.

#ifndef FOREBAY_STAGE_SEAMLESS_HPP
#define FOREBAY_STAGE_SEAMLESS_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "forebay/stage/chain.hpp"
#include "forebay/describe/epoch.hpp"
#include "forebay/stage/node.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Passes on all elements of `parts` epochs as those of one, and numbers them anew. The only stage that looks across
/// epochs.
template <class T>
class SeamlessChain final : public SteppedChain<SeamlessChain<T>, T> {
 public:
  /// Has so many `epochs` itself.
  SeamlessChain(std::unique_ptr<Chain<T>> chain, EpochCount parts, EpochCount epochs)
      : chain_(std::move(chain)), parts_(parts), epochs_(epochs) {}

  Answer step(Chunk<T>& chunk, std::size_t most, const PullWait& wait) {
    if (!epochs_.includes(this->epoch())) return Answer::ended;
    const Epoch part = chain_->epoch();
    const std::size_t before = chunk.size();
    try {
      const Answer answer = chain_->pull(chunk, most, wait);
      renumber(chunk, before);
      if (answer != Answer::epoch_ended || is_last_part(part, this->epoch(), parts_)) return answer;
      return Answer::more;
    } catch (...) {
      renumber(chunk, before);
      throw;
    }
  }

  void begin_epoch() override {
    number_ = 0;
    chain_->begin(first_part_of(this->epoch(), parts_));
  }

  void save_state(Snapshot& to) override {
    to.add(number_);
    to.add(chain_->epoch().number - first_part_of(this->epoch(), parts_).number);
    chain_->save(to);
  }
  void restore_state(SnapshotReader& from) override {
    number_ = from.number();
    Epoch part = first_part_of(this->epoch(), parts_);
    part.number += parts_.is_endless() ? from.number() : from.number_up_to(parts_.number() - 1);
    chain_->begin(part);
    chain_->restore(from);
  }

 private:
  void renumber(Chunk<T>& chunk, std::size_t first) {
    chunk.renumber(first, number_);
    number_ += chunk.size() - first;
  }

  std::unique_ptr<Chain<T>> chain_;
  const EpochCount parts_;
  const EpochCount epochs_;
  std::uint64_t number_ = 0;  // of the next element
};

template <class T>
class SeamlessNode final : public Node<T> {
 public:
  explicit SeamlessNode(NodePointer<T> node, Facts facts) : Node<T>(std::move(facts)), node_(std::move(node)) {}

  [[nodiscard]] std::unique_ptr<Chain<T>> open(Opening opening) const override {
    opening.name.clear();
    return joined(node_->open(opening), opening);
  }
  [[nodiscard]] std::shared_ptr<const IndexedSource<T>> indexed_source() const noexcept override {
    return node_->indexed_source();
  }
  [[nodiscard]] std::unique_ptr<Chain<T>> open_numbers(Opening opening) const override {
    opening.name.clear();
    return joined(node_->open_numbers(opening), opening);
  }

 private:
  [[nodiscard]] std::unique_ptr<Chain<T>> joined(std::unique_ptr<Chain<T>> chain, const Opening& opening) const {
    return std::unique_ptr<Chain<T>>(new SeamlessChain<T>(std::move(chain), node_->facts().epochs, opening.epochs));
  }

  NodePointer<T> node_;
};

/// The explicit seamless(), which is a row of describe().
[[nodiscard]] inline Facts describe_seamless(Facts facts) {
  facts.join_epochs();
  facts.add_stage("seamless");
  return facts;
}

template <class T>
[[nodiscard]] NodePointer<T> seamless_node(const NodePointer<T>& node) {
  return shared_node(new SeamlessNode<T>(node, describe_seamless(node->facts())));
}

/// The same data with all its epochs as one: as it is if there is but one.
template <class T>
[[nodiscard]] NodePointer<T> of_one_epoch(NodePointer<T> node) {
  if (node->facts().epochs.is_one()) return node;
  Facts facts = node->facts();
  facts.join_epochs();
  return shared_node(new SeamlessNode<T>(std::move(node), std::move(facts)));
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_STAGE_SEAMLESS_HPP
