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
#include "forebay/describe/properties.hpp"
#include "forebay/describe/node.hpp"
#include "forebay/describe/stage_name.hpp"
#include "forebay/flow/stage_stream.hpp"
#include "forebay/flow/stream.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Calls `open(opening, properties)`, or `open(opening, properties, request)`, to make the stream. The opening is for
/// this stage, which opens its upstream stages with the remainder of it; the properties are those of this stage.
template <class T, class Open>
class StageNode final : public Node<T> {
 public:
  StageNode(Properties&& properties, Open&& open, typename Node<T>::SourcePointer&& source)
      : Node<T>(std::move(properties), std::move(source)), open_(std::move(open)) {}

 private:
  [[nodiscard]] std::unique_ptr<Stream<T>> do_open(OpenContext&& opening, const Request<T>& request) const override {
    if constexpr (std::invocable<const Open&, OpenContext&&, const Properties&, const Request<T>&>) {
      return open_(std::move(opening), this->properties(), request);
    } else {
      return open_(std::move(opening), this->properties());
    }
  }

  Open open_;
};

/// `source` is the indexed source, if open() can comply with a request for numbers.
template <class T, class Open>
[[nodiscard]] NodePointer<T> make_node(Properties&& properties, Open open,
                                       typename Node<T>::SourcePointer source = nullptr) {
  return shared_node(new StageNode<T, Open>(std::move(properties), std::move(open), std::move(source)));
}

/// The arguments from which a stage is created.
struct StageContext {
  StageName name;
  std::uint64_t stream;  // the stream of its random numbers
  EpochCount epochs;
  std::shared_ptr<LeftOut> left_out;
};

/// Returns the node of a stage with one input. `make(opening)` creates the stage.
template <class U, class T, class Make>
[[nodiscard]] NodePointer<U> make_stage_node(const NodePointer<T>& node, Properties&& properties, const char* name,
                                             Make make) {
  properties.stages.back().reads_early = true;
  auto open = [node, name, make = std::move(make)](OpenContext&& opening, const Properties& its_properties) {
    StageContext of_stage{opening.take_name(name, node->properties()), opening.stream(its_properties),
                          opening.epochs_of(its_properties), opening.left_out};
    return make_stream(make(of_stage), node->open(std::move(opening)));
  };
  return make_node<U>(std::move(properties), std::move(open));
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_FLOW_STAGE_NODE_HPP
