// SPDX-License-Identifier: MIT
//
// parallel_settings.hpp: ParallelSettings, what a stage with threads asks of them.

#ifndef FOREBAY_PARALLEL_PARALLEL_SETTINGS_HPP
#define FOREBAY_PARALLEL_PARALLEL_SETTINGS_HPP

#include <cstddef>
#include <string>

#include "forebay/dataset_options.hpp"
#include "forebay/describe/epoch.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// More threads than any machine runs: a larger number is a mistake.
inline constexpr std::size_t most_threads = 65'536;

struct ParallelSettings {
  std::string name;
  std::size_t threads;
  std::size_t ahead;    // in chunks
  std::size_t chunk;    // in elements
  EpochCount epochs{};  // how many may be claimed
  Order order = Order::in_order;
  bool fills_chunks = false;      // up to `chunk`, unless the epoch ends
  bool saves = true;              // where it is, now and then
  bool loop_helps = true;         // unless the host says otherwise
  bool passes_on = false;         // elements as they are, and a chunk that is not full to who waits for it
  bool works_on = false;          // on what was handed out; then nobody keeps a permit that he does not use
  const char* unit = "elements";  // what it takes
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_PARALLEL_PARALLEL_SETTINGS_HPP
