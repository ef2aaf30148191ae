// SPDX-License-Identifier: MIT
//
// map_node.hpp: the descriptions of map and prefetch, the stages with threads.

#ifndef FOREBAY_PARALLEL_MAP_NODE_HPP
#define FOREBAY_PARALLEL_MAP_NODE_HPP

#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "forebay/base/arithmetic.hpp"
#include "forebay/base/reject.hpp"
#include "forebay/count.hpp"
#include "forebay/dataset_options.hpp"
#include "forebay/describe/properties.hpp"
#include "forebay/describe/node.hpp"
#include "forebay/flow/row_chunk.hpp"
#include "forebay/flow/stage_node.hpp"
#include "forebay/parallel/parallel_settings.hpp"
#include "forebay/parallel/parallel_stage.hpp"
#include "forebay/parallel/pipeline_runtime.hpp"
#include "forebay/stage/map.hpp"
#include "forebay/sync.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Returns the factory of the storage for a function that fills. Throws std::invalid_argument if there is none.
template <class Traits>
[[nodiscard]] std::function<typename Traits::Made()> storage_factory(const StorageFactory& given) {
  using U = typename Traits::Made;
  if constexpr (!Traits::fills) {
    if (given.given()) reject({"map: .make requires a function of the form void f(T, U&)"});
    return nullptr;
  } else {
    if (given.given()) {
      if (const std::function<U()>* made = given.makes<U>()) return *made;
      reject({"map: .make must create the type that the function fills"});
    }
    if constexpr (std::default_initializable<U>) return [] { return U(); };
    reject({"map: the type that the function fills has no default constructor: set .make"});
  }
}

/// Checks the options. Throws std::invalid_argument, which names the option, if one is impossible.
inline void check_map_options(const MapOptions& options) {
  static_cast<void>(options.threads.between(1, most_threads, "map: threads"));
  if (options.ahead) static_cast<void>(options.ahead->at_least(1, "map: ahead"));
  if (options.chunk) static_cast<void>(options.chunk->at_least(1, "map: chunk"));
}

[[nodiscard]] inline bool has_threads(const MapOptions& options) { return options.threads > 1 || !options.loop_helps; }

[[nodiscard]] inline std::size_t ahead_of(const MapOptions& options) {
  constexpr std::size_t ahead_of_a_thread = 4;
  return options.ahead.value_or(ahead_of_a_thread * options.threads);
}

/// The number of elements that a thread claims at a time, unless batches are made directly downstream.
[[nodiscard]] inline std::size_t chunk_of(const MapOptions& options, const Properties& properties) {
  return options.chunk.value_or(properties.batched ? 1 : 32);
}

/// `draws` says whether the function takes a Context; `is_indexed`, whether the threads also fetch the elements.
[[nodiscard]] inline Properties describe_map(Properties properties, const MapOptions& options, bool draws,
                                             bool is_indexed) {
  if (draws) ++properties.random_stages;
  const std::string details = draws ? " with a Context" : "";
  if (options.on_error.limit()) {
    properties.describe("map", details + text_of(options.on_error));
    properties.size.reset();
  } else {
    properties.describe_elastic("map", details, details);
  }
  if (options.order == any_order) properties.cannot_resume = "a map in any order has no position";
  DescribedStage& stage = properties.stages.back();
  stage.reads_early = !has_threads(options);
  if (stage.reads_early) return properties;
  properties.has_threads = properties.takes_extra_ahead = true;
  stage.known.threads = options.threads;
  stage.known.ahead = ahead_of(options);
  stage.known.chunk = chunk_of(options, properties);
  stage.takes_fused = !options.chunk;
  stage.is_complete = !options.on_error.limit();
  stage.works_on_inputs = !is_indexed;
  return properties;
}

template <class T, class U>
class MapNode final : public Node<U> {
 public:
  /// Requires options that check_map_options() accepts.
  MapNode(NodePointer<T> node, const MapOptions& options, bool draws, std::function<StorageOf<U>()> make,
          MapFunction<T, U> function)
      : Node<U>(describe_map(node->properties(), options, draws, node->indexed_source() != nullptr)),
        node_(std::move(node)),
        options_(options),
        has_threads_(has_threads(options)),
        make_(std::move(make)),
        function_(std::move(function)) {}

 private:
  [[nodiscard]] std::unique_ptr<Stream<U>> do_open(OpenContext&& opening, const Request<U>& request) const override {
    MapSettings<T, U> settings{.name = opening.take_name("map", node_->properties()),
                               .stream = opening.stream(this->properties()),
                               .skips = options_.on_error.limit().has_value(),
                               .function = function_,
                               .make = make_};
    if (has_threads_ && opening.runtime.runs_threads()) {
      return open_parallel(std::move(opening), request, std::move(settings));
    }
    opening.extra_ahead = 0;
    SkipCount skipped(options_.on_error, settings.name, opening.left_out);
    SerialMap<T, U> stage(map_work(std::move(settings)), std::move(skipped));
    return make_stream(std::move(stage), node_->open(std::move(opening)));
  }

  /// If batches are made directly downstream, a chunk is a batch, unless elements of it may be skipped.
  [[nodiscard]] std::unique_ptr<Stream<U>> open_parallel(OpenContext&& opening, const Request<U>& request,
                                                         MapSettings<T, U>&& settings) const {
    const std::size_t chunk =
        request.fused_batch > 0 && !options_.chunk ? request.fused_batch : chunk_of(options_, this->properties());
    const bool makes_batches = chunk == request.fused_batch && !settings.skips;
    if (makes_batches) settings.collate = request.collate;
    const std::size_t extra = divided_up(std::exchange(opening.extra_ahead, 0), chunk);

    auto& runtime = static_cast<PipelineRuntime<StdSync>&>(opening.runtime);
    auto left_out = make_left_out();
    opening.left_out = make_left_out();
    ParallelSettings stage{.name = settings.name,
                           .threads = options_.threads,
                           .ahead = saturating_add(ahead_of(options_), extra),
                           .chunk = chunk,
                           .epochs = opening.epochs_of(this->properties()),
                           .order = options_.order,
                           .fills_chunks = makes_batches,
                           .saves = opening.can_resume,
                           .loop_helps = options_.loop_helps && options_.order == Order::in_order,
                           .unit = node_->properties().unit,
                           .left_out = left_out,
                           .left_out_upstream = opening.left_out};
    settings.source = node_->indexed_source();
    auto stream = node_->open(std::move(opening), {.numbers_only = settings.source != nullptr});
    SkipCount skipped(options_.on_error, settings.name, std::move(left_out));
    return std::unique_ptr<ParallelStage<T, U, StdSync>>(new ParallelStage<T, U, StdSync>(
        runtime, std::move(stream), map_work(std::move(settings)), std::move(stage), std::move(skipped)));
  }

  NodePointer<T> node_;
  MapOptions options_;
  bool has_threads_;
  std::function<StorageOf<U>()> make_;
  MapFunction<T, U> function_;
};

/// The number of elements that the thread of a prefetch claims at a time.
[[nodiscard]] inline std::size_t prefetched_chunk(std::size_t count, const Properties& properties) noexcept {
  return properties.batched ? 1 : smaller<std::size_t>(divided_up<std::size_t>(count, 4), 32);
}

/// A prefetch changes no output, so checkpoints do not depend on it.
[[nodiscard]] inline Properties describe_prefetch(Properties properties, std::size_t count) {
  const bool of_map = properties.takes_extra_ahead;
  properties.has_threads = true;
  if (of_map) {
    std::uint64_t extra = count;
    DescribedStage* stage = &properties.stages.back();
    for (; stage->known.chunk == 0; --stage) {
      extra = saturating_multiply(extra, larger<std::uint64_t>(stage->elements, 1));
    }
    stage->extra_ahead = saturating_add(stage->extra_ahead, extra);
  }
  properties.add_stage("prefetch", text_of({count}));
  properties.takes_extra_ahead = of_map;
  if (of_map) return properties;
  StageDescription& known = properties.stages.back().known;
  known.threads = 1;
  known.chunk = prefetched_chunk(count, properties);
  known.ahead = divided_up<std::uint64_t>(count, known.chunk);
  return properties;
}

/// The work of a prefetch: exchanges the elements, so that none remains in the input.
template <class T>
class PassingOn final : public Work {
 public:
  [[nodiscard]] std::unique_ptr<Worker> begin() const override { return std::unique_ptr<Worker>(new PassingWorker()); }

 private:
  class PassingWorker final : public Worker {
   public:
    void run(AnyChunk& in, std::size_t& /*next*/, std::size_t /*last*/, AnyChunk& out,
             const PullWait& /*wait*/) override {
      swap_elements(static_cast<Chunk<T>&>(in), static_cast<Chunk<T>&>(out));
    }
  };
};

/// After a map with threads, a prefetch lets the map read further ahead. Elsewhere it adds a thread, which passes
/// elements on unchanged, as soon as a consumer waits for them.
template <class T>
[[nodiscard]] NodePointer<T> prefetch_node(const NodePointer<T>& node, Count given) {
  const std::size_t count = given.at_least(1, "prefetch: count");
  auto open = [node, count](OpenContext&& opening, const Properties& properties) -> std::unique_ptr<Stream<T>> {
    std::string name = opening.take_name("prefetch");
    if (properties.takes_extra_ahead) opening.extra_ahead = saturating_add(opening.extra_ahead, count);
    if (properties.takes_extra_ahead || !opening.runtime.runs_threads()) return node->open(std::move(opening));
    auto& runtime = static_cast<PipelineRuntime<StdSync>&>(opening.runtime);
    const std::size_t chunk = prefetched_chunk(count, properties);
    opening.left_out = make_left_out();
    ParallelSettings stage{.name = std::move(name),
                           .threads = 1,
                           .ahead = divided_up(count, chunk),
                           .chunk = chunk,
                           .epochs = opening.epochs_of(properties),
                           .saves = opening.can_resume,
                           .loop_helps = false,
                           .passes_on = true,
                           .unit = properties.unit,
                           .left_out_upstream = opening.left_out};
    auto stream = node->open(std::move(opening));
    std::string upstream = stream->name();
    std::unique_ptr<ParallelStage<T, T, StdSync>> made(new ParallelStage<T, T, StdSync>(
        runtime, std::move(stream), std::unique_ptr<Work>(new PassingOn<T>()), std::move(stage)));
    made->set_name(std::move(upstream));  // what it saves is the state of that stage
    return made;
  };
  return make_node<T>(describe_prefetch(node->properties(), count), std::move(open));
}

/// Rejects, at compile time, a function that has none of the forms.
template <class F, class T, class Given>
constexpr void check_map() {
  constexpr bool is_called = MapTraits<F, T, Given>::form != MapForm::none;
  if constexpr (is_called) {
    return;
  } else {
    constexpr bool would_be = MapTraits<F, T, Given, F&>::form != MapForm::none;
    static_assert(!would_be,
                  "forebay: all threads call the function given to map concurrently through a const reference, so it "
                  "cannot be mutable: use per_thread(factory) or apply(stage)");
    static_assert(would_be,
                  "forebay: the function given to map must be U f(T), U f(T, Context&), void f(T, U& into) or "
                  "void f(T, U& into, Context&), where T is the element, passed as an rvalue; for a generic lambda "
                  "that fills, name U: map<U>(f)");
  }
}

/// `Given` is the result type of the function, or void to deduce it.
template <class Given, class T, class Function>
[[nodiscard]] auto map_node(NodePointer<T> node, const MapOptions& options, Function&& function) {
  using F = std::decay_t<Function>;
  using Traits = MapTraits<F, T, Given>;
  check_map<F, T, Given>();
  if constexpr (Traits::form != MapForm::none) {
    using U = typename Traits::Made;
    check_map_options(options);
    return shared_node<U>(new MapNode<T, U>(std::move(node), options, Traits::has_context,
                                            storage_factory<Traits>(options.make),
                                            map_function<T, Traits>(F(std::forward<Function>(function)))));
  } else {
    return node;  // check_map() has reported the error
  }
}

/// A map whose function writes rows of batches, which the batch stage directly downstream delivers.
template <class U, class T, class Function>
[[nodiscard]] NodePointer<Row<U>> row_map_node(NodePointer<T> node, const MapOptions& options,
                                               const PaddingOptions<U>& padding, Function&& function) {
  using F = std::decay_t<Function>;
  using Traits = MapTraits<F, T, Row<U>>;
  static_assert(Traits::fills,
                "forebay: the function given to stacked_batch or padded_batch must be void f(T, Row<U>& into) or "
                "void f(T, Row<U>& into, Context&), where T is the element, passed as an rvalue; all threads call it "
                "concurrently through a const reference, so it cannot be mutable: use per_thread(factory)");
  if constexpr (Traits::fills) {
    check_map_options(options);
    if (options.make.given()) reject({"map: .make has no effect: the function writes into a batch"});
    return shared_node<Row<U>>(new MapNode<T, Row<U>>(
        std::move(node), options, Traits::has_context, [padding] { return PaddedBatch<U>(padding); },
        map_function<T, Traits>(F(std::forward<Function>(function)))));
  } else {
    return nullptr;
  }
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_PARALLEL_MAP_NODE_HPP
