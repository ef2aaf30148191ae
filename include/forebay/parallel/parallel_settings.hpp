// SPDX-License-Identifier: MIT
//
// parallel_settings.hpp: ParallelSettings, the settings of a stage with threads.

#ifndef FOREBAY_PARALLEL_PARALLEL_SETTINGS_HPP
#define FOREBAY_PARALLEL_PARALLEL_SETTINGS_HPP

#include <cstddef>
#include <memory>
#include <string>

#include "forebay/dataset_options.hpp"
#include "forebay/describe/epoch.hpp"
#include "forebay/describe/left_out.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// The maximum number of threads; a larger number is assumed to be a mistake.
inline constexpr std::size_t most_threads = 65'536;

struct ParallelSettings {
  std::string name;
  std::size_t threads;
  std::size_t ahead;    // in chunks
  std::size_t chunk;    // in elements
  EpochCount epochs{};  // the number of epochs to claim
  Order order = Order::in_order;
  bool fills_chunks = false;      // up to `chunk`, unless the epoch ends
  bool saves = true;              // takes snapshots
  bool loop_helps = true;         // unless the runtime disables it
  bool passes_on = false;         // passes elements on unchanged, and incomplete chunks to a waiting consumer
  bool works_on = false;          // works on delivered outputs; then no thread keeps an unused permit
  const char* unit = "elements";  // of its input

  // What its threads leave out, and what the serial stages upstream do; null if nothing counts.
  std::shared_ptr<LeftOut> left_out{};
  std::shared_ptr<LeftOut> left_out_upstream{};
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_PARALLEL_PARALLEL_SETTINGS_HPP
