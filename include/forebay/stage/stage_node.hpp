// SPDX-License-Identifier: MIT
//
// stage_node.hpp: how the description of a stage is made of a function that opens it.

#ifndef FOREBAY_STAGE_STAGE_NODE_HPP
#define FOREBAY_STAGE_STAGE_NODE_HPP

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "forebay/stage/node.hpp"
#include "forebay/stage/selection.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// `open(opening)` makes the stream. The opening is for this stage; the stages before it are opened with what is left
/// of it.
template <class T, class Open>
class StageNode final : public Node<T> {
 public:
  StageNode(Facts facts, Open open) : Node<T>(std::move(facts)), open_(std::move(open)) {}

  [[nodiscard]] std::unique_ptr<Stream<T>> open(Opening opening) const override { return open_(std::move(opening)); }

 private:
  Open open_;
};

template <class T, class Open>
[[nodiscard]] NodePointer<T> make_node(Facts facts, Open open) {
  return shared_node(new StageNode<T, Open>(std::move(facts), std::move(open)));
}

/// A name, a seed or a repeat: no stage of its own, but something that the one before it is told.
template <class T>
class AlteredNode final : public Node<T> {
 public:
  AlteredNode(Facts facts, NodePointer<T> node, std::string name, std::optional<EpochCount> repeats = {})
      : Node<T>(std::move(facts)), node_(std::move(node)), name_(std::move(name)), repeats_(repeats) {}

  [[nodiscard]] std::unique_ptr<Stream<T>> open(Opening opening) const override {
    std::string name = opening.name.empty() ? "repeat" : opening.name;
    return checked(node_->open(altered(std::move(opening))), std::move(name));
  }
  [[nodiscard]] std::unique_ptr<Stream<T>> open_whole(Opening opening, const Whole<T>& whole) const override {
    if (repeats_) return open(std::move(opening));
    return node_->open_whole(altered(std::move(opening)), whole);
  }
  [[nodiscard]] std::shared_ptr<const IndexedSource<T>> indexed_source() const noexcept override {
    return node_->indexed_source();
  }
  [[nodiscard]] std::unique_ptr<Stream<T>> open_numbers(Opening opening) const override {
    return node_->open_numbers(altered(std::move(opening)));
  }
  [[nodiscard]] bool takes_extra_ahead() const noexcept override { return node_->takes_extra_ahead(); }

 private:
  [[nodiscard]] Opening altered(Opening opening) const {
    if (repeats_) {
      opening.epochs = *repeats_ * opening.epochs;
      opening.name.clear();  // it was the repeat's
    }
    if (opening.name.empty()) opening.name = name_;
    return opening;
  }

  /// An endless repeat looks whether it is given something, unless that is known.
  [[nodiscard]] std::unique_ptr<Stream<T>> checked(std::unique_ptr<Stream<T>> stream, std::string name) const {
    if (!repeats_ || !repeats_->is_endless() || this->facts().size) return stream;
    return make_stream(NonEmpty<T>{std::move(name)}, std::move(stream));
  }

  NodePointer<T> node_;
  std::string name_;
  std::optional<EpochCount> repeats_;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_STAGE_STAGE_NODE_HPP
