// SPDX-License-Identifier: MIT
//
// stage_node.hpp: makes the description of a stage from a function that opens it.

#ifndef FOREBAY_FLOW_STAGE_NODE_HPP
#define FOREBAY_FLOW_STAGE_NODE_HPP

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "forebay/describe/epoch.hpp"
#include "forebay/describe/facts.hpp"
#include "forebay/describe/node.hpp"
#include "forebay/describe/stage_name.hpp"
#include "forebay/flow/stage_stream.hpp"
#include "forebay/flow/stream.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Calls `open(opening, facts)`, or `open(opening, facts, request)`, to make the stream. The opening is for this stage,
/// which opens its upstream stages with the remainder of it; the facts are those of this stage.
template <class T, class Open>
class StageNode final : public Node<T> {
 public:
  StageNode(Facts&& facts, Open&& open, typename Node<T>::SourcePointer&& source)
      : Node<T>(std::move(facts), std::move(source)), open_(std::move(open)) {}

 private:
  [[nodiscard]] std::unique_ptr<Stream<T>> do_open(Opening&& opening, const Request<T>& request) const override {
    if constexpr (std::invocable<const Open&, Opening&&, const Facts&, const Request<T>&>) {
      return open_(std::move(opening), this->facts(), request);
    } else {
      return open_(std::move(opening), this->facts());
    }
  }

  Open open_;
};

/// `source` is the indexed source, if open() can comply with a request for numbers.
template <class T, class Open>
[[nodiscard]] NodePointer<T> make_node(Facts&& facts, Open open, typename Node<T>::SourcePointer source = nullptr) {
  return shared_node(new StageNode<T, Open>(std::move(facts), std::move(open), std::move(source)));
}

/// The arguments from which a stage is created.
struct StageOpening {
  StageName name;
  std::uint64_t stream;  // the stream of its random numbers
  EpochCount epochs;
  std::shared_ptr<LeftOut> left_out;
};

/// Returns the node of a stage with one input. `make(opening)` creates the stage.
template <class U, class T, class Make>
[[nodiscard]] NodePointer<U> make_stage_node(const NodePointer<T>& node, Facts&& facts, const char* name, Make make) {
  facts.stages.back().reads_early = true;
  auto open = [node, name, make = std::move(make)](Opening&& opening, const Facts& its_facts) {
    StageOpening of_stage{opening.take_name(name, node->facts()), opening.stream(its_facts),
                          opening.epochs_of(its_facts), opening.left_out};
    return make_stream(make(of_stage), node->open(std::move(opening)));
  };
  return make_node<U>(std::move(facts), std::move(open));
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_FLOW_STAGE_NODE_HPP
