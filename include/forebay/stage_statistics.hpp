// SPDX-License-Identifier: MIT
//
// stage_statistics.hpp: StageStatistics, what the threads of one stage have done so far.

#ifndef FOREBAY_STAGE_STATISTICS_HPP
#define FOREBAY_STAGE_STATISTICS_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI {

/// A value. A thread works, is starved (waits for input), or is blocked (waits for room). The times are those of all
/// threads of the stage together.
struct StageStatistics {
  std::string name;
  /// How many it has; 0 if it runs in the thread of the loop.
  std::size_t threads = 1;
  /// Whether only one thread at a time can run it, however many there are.
  bool is_serial = false;
  /// How many it has handed on.
  std::uint64_t elements = 0;
  std::chrono::nanoseconds working{};
  std::chrono::nanoseconds starved{};
  std::chrono::nanoseconds blocked{};
  /// How many chunks it may be ahead of who takes them; 0 if that is not what limits it.
  std::size_t ahead = 0;

  friend bool operator==(const StageStatistics&, const StageStatistics&) = default;
};

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_STAGE_STATISTICS_HPP
