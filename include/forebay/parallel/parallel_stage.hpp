// SPDX-License-Identifier: MIT
//
// parallel_stage.hpp: ParallelStage, a stage with threads that transforms elements of type In to Out, as a stream.

#ifndef FOREBAY_PARALLEL_PARALLEL_STAGE_HPP
#define FOREBAY_PARALLEL_PARALLEL_STAGE_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "forebay/flow/errors.hpp"
#include "forebay/flow/input.hpp"
#include "forebay/flow/stream.hpp"
#include "forebay/parallel/any_parallel_stage.hpp"
#include "forebay/parallel/chunk_types.hpp"
#include "forebay/parallel/parallel_settings.hpp"
#include "forebay/parallel/pipeline_runtime.hpp"
#include "forebay/stage/work.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Lifetime: may be destroyed when the threads of the runtime have ended.
///
/// Thread safety: only the thread that owns the stream may call pull and begin.
template <class In, class Out, class Sync>
class ParallelStage final : public Stream<Out>, public AnyParallelStage<Sync> {
 public:
  ParallelStage(PipelineRuntime<Sync>& runtime, std::unique_ptr<Stream<In>> stream, std::unique_ptr<Work> work,
                ParallelSettings&& settings, SkipCount&& skipped = {{}, {}})
      : AnyParallelStage<Sync>(runtime, chunk_types<In, Out>, make_input(std::move(stream)), std::move(work),
                               std::move(settings), std::move(skipped)) {}

  void begin(const Epoch& epoch) noexcept override { this->begin_any(epoch); }
  PullResult pull(Chunk<Out>& chunk, std::size_t most, const PullWait& wait) noexcept override {
    return this->pull_any(chunk, most, wait);
  }

  std::uint64_t save(Snapshot& to) override { return this->save_any(to); }
  [[nodiscard]] bool can_save() const noexcept override { return this->can_save_any(); }
  void restore(SnapshotReader& from) override { this->restore_any(from); }
  void skip_to(std::uint64_t number) override { this->skip_to_any(number); }
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_PARALLEL_PARALLEL_STAGE_HPP
