// SPDX-License-Identifier: MIT
//
// interleave_node.hpp: the description of an interleave with threads.

#ifndef FOREBAY_PARALLEL_INTERLEAVE_NODE_HPP
#define FOREBAY_PARALLEL_INTERLEAVE_NODE_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "forebay/base/arithmetic.hpp"
#include "forebay/count.hpp"
#include "forebay/dataset_options.hpp"
#include "forebay/describe/facts.hpp"
#include "forebay/describe/node.hpp"
#include "forebay/parallel/lanes.hpp"
#include "forebay/parallel/parallel_settings.hpp"
#include "forebay/parallel/pipeline_host.hpp"
#include "forebay/stage/inner_elements.hpp"
#include "forebay/stage/interleave.hpp"
#include "forebay/sync.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Adds the threads to the description of a serial interleave.
[[nodiscard]] inline Facts describe_interleave_threads(Facts facts, std::size_t cycle, std::size_t prefetch) {
  facts.has_threads = true;
  StageDescription& known = facts.stages.back().known;
  known.threads = cycle;
  // For an input that is being consumed while its thread reads another one.
  const std::uint64_t ended{divided_up(prefetch, std::size_t{2})};
  known.outputs = saturating_multiply<std::uint64_t>(cycle, saturating_add<std::uint64_t>(prefetch, ended));
  return facts;
}

template <class T, class F>
class InterleaveNode final : public Node<typename InnerOf<T, F>::value_type> {
 public:
  using Element = typename InnerOf<T, F>::value_type;

  /// `serial` is the node of the same interleave without threads.
  InterleaveNode(NodePointer<T> node, NodePointer<Element> serial, std::shared_ptr<const F> function, Turns turns,
                 std::size_t prefetch, OnError on_error)
      : Node<Element>(describe_interleave_threads(serial->facts(), turns.cycle, prefetch)),
        node_(std::move(node)),
        serial_(std::move(serial)),
        function_(std::move(function)),
        turns_(turns),
        prefetch_(prefetch),
        on_error_(std::move(on_error)) {
    static_cast<void>(Count(turns.cycle).between(1, most_threads, "interleave: cycle with prefetch"));
  }

  [[nodiscard]] std::unique_ptr<Stream<Element>> do_open(Opening&& opening) const override {
    if (!opening.host.runs_threads()) return serial_->open(std::move(opening));
    auto& host = static_cast<PipelineHost<StdSync>&>(opening.host);
    const StageName name = opening.take_name("interleave", node_->facts());
    const std::uint64_t stream = opening.stream(this->facts());
    const EpochCount epochs = opening.epochs_of(this->facts());
    InnerFunction<F> inner{function_, stream, &host, name, {}, make_left_out()};
    auto upstream = opening.left_out = make_left_out();
    return open_lanes<T, F>(host, node_->open(std::move(opening)), epochs, std::move(inner), turns_, prefetch_,
                            on_error_, name, std::move(upstream));
  }

 private:
  NodePointer<T> node_;
  NodePointer<Element> serial_;
  std::shared_ptr<const F> function_;
  Turns turns_;
  std::size_t prefetch_;
  OnError on_error_;
};

/// The node has no threads unless options.prefetch is set.
template <class T, class F>
[[nodiscard]] auto interleave_node(const NodePointer<T>& node, const InterleaveOptions& options, F&& f) {
  const auto function = shared_inner_function<T>(std::forward<F>(f));
  const Turns turns(options.cycle, options.block);
  auto serial = serial_interleave_node(node, "interleave", turns, options.on_error, function);
  if (!options.prefetch) return serial;
  const std::size_t prefetch = options.prefetch->at_least(1, "interleave: prefetch");
  using Node = InterleaveNode<T, std::decay_t<F>>;
  return decltype(serial)(shared_node(new Node(node, serial, function, turns, prefetch, options.on_error)));
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_PARALLEL_INTERLEAVE_NODE_HPP
