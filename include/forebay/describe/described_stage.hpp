// SPDX-License-Identifier: MIT
//
// described_stage.hpp: DescribedStage, what a stage says of itself before it runs, and what follows from all of them.

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

struct DescribedStage {
  StageDescription known{};       // inputs, outputs and chunks that may still become more
  std::uint64_t extra_ahead = 0;  // elements that prefetches behind it ask for
  bool takes_whole = false;       // the chunk is that of a batch behind it
  bool is_complete = false;       // ... which has all of it
  bool works_on_inputs = false;   // each thread holds a chunk of them
  bool gathers = false;           // the threads before it make its outputs, too
  bool is_source = false;         // there is nothing before it
  std::uint64_t elements = 0;     // of a batch: so many of those before it are in an output
  std::size_t own_bytes = 0;      // of an output
  const void* type = nullptr;     // of it
};

/// Its address stands for T.
template <class T>
inline constexpr char type_mark = 0;

/// What all of them will take. `told` says for the names of stages how many bytes an output is; one of the same type
/// behind it is so many, too.
[[nodiscard]] inline DatasetDescription described(const std::vector<DescribedStage>& stages,
                                                  const std::map<std::string, Count>& told) {
  for (const auto& [name, bytes] : told) {
    const auto is_it = [&wanted = name](const DescribedStage& stage) { return stage.known.name == wanted; };
    if (std::none_of(stages.begin(), stages.end(), is_it))
      reject({"describe: there is no stage '", name.c_str(), "'"});
  }
  DatasetDescription all;
  std::uint64_t bytes = 0;       // of an output of the stage before
  std::uint64_t held_bytes = 0;  // ... while it is held
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const DescribedStage& stage = stages[i];
    StageDescription known = stage.known;
    if (known.chunk > 0) {
      known.ahead = saturating_add(known.ahead, divided_up(stage.extra_ahead, known.chunk));
      known.outputs = saturating_multiply(saturating_add<std::uint64_t>(known.ahead, 1), known.chunk);
      if (stage.works_on_inputs) known.inputs = saturating_multiply<std::uint64_t>(known.threads, known.chunk);
    }
    if (stage.gathers) known.outputs = saturating_add<std::uint64_t>(all.stages.back().ahead, 1);
    const std::uint64_t of_inputs = saturating_multiply(known.inputs, held_bytes);
    if (const auto at = told.find(known.name); at != told.end()) {
      bytes = at->second.at_least(0, "describe: bytes");
    } else if (stage.elements > 0) {
      bytes = saturating_add<std::uint64_t>(stage.own_bytes, saturating_multiply(stage.elements, bytes));
    } else if (stage.is_source || stage.type != stages[i - 1].type) {
      bytes = stage.own_bytes;
    }
    const bool is_gathered = i + 1 < stages.size() && stages[i + 1].gathers;  // then what it owned has been given up
    held_bytes = is_gathered ? smaller<std::uint64_t>(stage.own_bytes, bytes) : bytes;
    known.bytes = saturating_add(of_inputs, saturating_multiply(known.outputs, held_bytes));
    all.stages.push_back(std::move(known));
  }
  all.stages.push_back({.name = "loop", .what = "loop", .outputs = 1, .bytes = bytes});
  all.cores = usable_cores();
  return all;
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_DESCRIBE_DESCRIBED_STAGE_HPP
