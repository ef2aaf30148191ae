// SPDX-License-Identifier: MIT
//
// described_stage.hpp: DescribedStage, the resources of a stage before it runs, and described(), which adds them up.

#ifndef FOREBAY_DESCRIBE_DESCRIBED_STAGE_HPP
#define FOREBAY_DESCRIBE_DESCRIBED_STAGE_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "forebay/base/arithmetic.hpp"
#include "forebay/base/reject.hpp"
#include "forebay/count.hpp"
#include "forebay/dataset_description.hpp"
#include "forebay/usable_cores.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// The most inputs that threads claim in reserve, before they have a thread that works on them.
inline constexpr std::uint64_t most_in_reserve = 3;

struct DescribedStage {
  StageDescription known{};       // inputs, outputs and chunks may still grow
  std::uint64_t extra_ahead = 0;  // elements that prefetches downstream request
  bool takes_fused = false;       // a batch directly downstream sets its chunk
  bool is_complete = false;       // no element of a chunk is skipped
  bool works_on_inputs = false;   // each thread holds a chunk of inputs
  bool collates = false;          // the threads of the upstream stage make its outputs
  bool is_source = false;         // nothing is upstream
  std::uint64_t elements = 0;     // of a batch: upstream elements in an output
  std::uint64_t asks = 0;         // elements that it requests at once; 0: as many as are requested of it
  bool reads_early = false;       // it receives them before it needs them
  std::size_t own_bytes = 0;      // of an output, without the memory that it owns
  std::uint64_t buffers = 0;      // bytes of the buffers of open files
  const void* type = nullptr;     // of an output, as the address of its type_mark
};

/// Its address identifies T.
template <class T>
inline constexpr char type_mark = 0;

/// The size of an element, without the memory that it owns.
template <class T>
inline constexpr std::size_t element_bytes = sizeof(T);

/// The maximum number of elements that a stage requests at once. Each request has a cost. Elements that are requested
/// too early may lie in the cache of another core, whose thread claimed before.
inline constexpr std::size_t elements_at_once = 32;

/// Adds, to the elements that each stage holds, those that it receives before it needs them: as many as it requests at
/// once, which depends on the stages downstream.
inline void add_received_early(std::vector<DescribedStage>& stages) {
  std::uint64_t requested = 1;  // by the loop
  std::uint64_t most = 1;       // of all stages downstream
  for (std::size_t i = stages.size(); i-- > 0;) {
    DescribedStage& stage = stages[i];
    const bool ends_branch = i + 1 < stages.size() && stages[i + 1].is_source;
    if (ends_branch) requested = most;                                         // by a stage that joins branches
    const std::uint64_t at_once = stage.elements > 0 ? 1 : stage.known.chunk;  // that it delivers; 0: any number
    const std::uint64_t received = at_once > 0 ? smaller(requested, at_once) : requested;
    if (ends_branch) {
      stage.known.outputs = saturating_add(stage.known.outputs, received);
    } else if (i + 1 < stages.size() && stages[i + 1].reads_early) {
      stages[i + 1].known.inputs = saturating_add(stages[i + 1].known.inputs, received);
    }
    const std::uint64_t chunk = stage.known.chunk;
    requested =
        stage.asks > 0 || chunk > 0 ? larger(stage.asks, chunk) : smaller<std::uint64_t>(requested, elements_at_once);
    most = larger(most, smaller<std::uint64_t>(requested, elements_at_once));
  }
}

/// Returns how many chunks of outputs a stage with threads may have: those ahead, one that the next stage reads, and
/// one that each thread keeps for its next output.
[[nodiscard]] inline std::uint64_t chunks_of(const StageDescription& stage) noexcept {
  return saturating_add(stage.ahead, saturating_add<std::uint64_t>(stage.threads, 1));
}

/// Returns what a run of the stages takes. `told` gives the bytes of an output by the name of its stage. Outputs of the
/// same type downstream have the same size.
[[nodiscard]] inline DatasetDescription described(std::vector<DescribedStage> stages,
                                                  const std::map<std::string, Count>& told) {
  for (const auto& [name, bytes] : told) {
    const auto is_it = [&wanted = name](const DescribedStage& stage) { return stage.known.name == wanted; };
    if (std::none_of(stages.begin(), stages.end(), is_it))
      reject({"describe: there is no stage '", name.c_str(), "'"});
  }
  add_received_early(stages);
  DatasetDescription all;
  std::uint64_t bytes = 0;       // of an output of the upstream stage
  std::uint64_t held_bytes = 0;  // of the same output while a stage holds it
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const DescribedStage& stage = stages[i];
    StageDescription known = stage.known;
    if (known.chunk > 0) {
      known.ahead = saturating_add(known.ahead, divided_up(stage.extra_ahead, known.chunk));
      known.outputs = saturating_multiply(chunks_of(known), known.chunk);
      const auto claimed = saturating_add<std::uint64_t>(known.threads, smaller(known.ahead, most_in_reserve));
      if (stage.works_on_inputs) known.inputs = saturating_multiply(claimed, known.chunk);
    }
    if (stage.collates) {  // each thread holds the elements of the batch that it makes
      known.outputs = chunks_of(all.stages.back());
      known.inputs = saturating_multiply<std::uint64_t>(all.stages.back().threads, known.inputs);
    }
    const std::uint64_t of_inputs = saturating_multiply(known.inputs, stage.collates ? bytes : held_bytes);
    if (const auto at = told.find(known.name); at != told.end()) {
      bytes = at->second.at_least(0, "describe: bytes");
    } else if (stage.elements > 0) {
      bytes = saturating_add<std::uint64_t>(stage.own_bytes, saturating_multiply(stage.elements, bytes));
    } else if (stage.is_source || stage.type != stages[i - 1].type) {
      bytes = stage.own_bytes;
    }
    const bool is_collated = i + 1 < stages.size() && stages[i + 1].collates;  // then it owns no memory
    held_bytes = is_collated ? smaller<std::uint64_t>(stage.own_bytes, bytes) : bytes;
    const std::uint64_t of_outputs = saturating_multiply(known.outputs, held_bytes);
    known.bytes = saturating_add(stage.buffers, saturating_add(of_inputs, of_outputs));
    all.stages.push_back(std::move(known));
  }
  all.stages.push_back(
      {.name = "loop", .what = "loop", .outputs = 2, .bytes = saturating_multiply<std::uint64_t>(2, bytes)});
  all.cores = usable_cores();
  return all;
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_DESCRIBE_DESCRIBED_STAGE_HPP
