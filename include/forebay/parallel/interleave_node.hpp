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
#include "forebay/describe/properties.hpp"
#include "forebay/describe/node.hpp"
#include "forebay/flow/stage_node.hpp"
#include "forebay/parallel/prefetched_interleave.hpp"
#include "forebay/parallel/parallel_settings.hpp"
#include "forebay/parallel/pipeline_runtime.hpp"
#include "forebay/stage/inner_elements.hpp"
#include "forebay/stage/interleave.hpp"
#include "forebay/sync.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Adds the threads to the description of a serial interleave.
[[nodiscard]] inline Properties describe_interleave_threads(Properties properties, std::size_t cycle,
                                                            std::size_t prefetch) {
  properties.has_threads = true;
  StageDescription& known = properties.stages.back().known;
  known.threads = cycle;
  // For an input that is being consumed while its thread reads another one.
  const std::uint64_t ended{divided_up(prefetch, std::size_t{2})};
  known.outputs = saturating_multiply<std::uint64_t>(cycle, saturating_add<std::uint64_t>(prefetch, ended));
  return properties;
}

/// The node has no threads unless options.prefetch is set.
template <class T, class F>
[[nodiscard]] auto interleave_node(const NodePointer<T>& node, const InterleaveOptions& options, F&& f) {
  using Function = std::decay_t<F>;
  using Element = typename InnerOf<T, Function>::value_type;
  const auto function = shared_inner_function<T>(std::forward<F>(f));
  const Turns turns(options.cycle, options.block);
  const StageText text("interleave", options.prefetch ? ", prefetched" : "");  // their checkpoints differ
  NodePointer<Element> serial = serial_interleave_node(node, text, turns, options.on_error, function);
  if (!options.prefetch) return serial;
  const std::size_t prefetch = options.prefetch->at_least(1, "interleave: prefetch");
  static_cast<void>(Count(turns.cycle).between(1, most_threads, "interleave: cycle with prefetch"));
  Properties properties = describe_interleave_threads(serial->properties(), turns.cycle, prefetch);
  auto open = [node, serial, function, turns, prefetch, on_error = options.on_error](
                  OpenContext&& opening, const Properties& its_properties) {
    if (!opening.runtime.runs_threads()) return serial->open(std::move(opening));
    auto& runtime = static_cast<PipelineRuntime<StdSync>&>(opening.runtime);
    const StageName name = opening.take_name("interleave", node->properties());
    const EpochCount epochs = opening.epochs_of(its_properties);
    InnerFunction<Function> inner{function, opening.stream(its_properties), &runtime, name, {}, make_left_out()};
    auto upstream = opening.left_out = make_left_out();
    return open_prefetched<T, Function>(runtime, node->open(std::move(opening)), epochs, std::move(inner), turns,
                                        prefetch, on_error, name, std::move(upstream));
  };
  return make_node<Element>(std::move(properties), std::move(open));
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_PARALLEL_INTERLEAVE_NODE_HPP
