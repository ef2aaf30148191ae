// SPDX-License-Identifier: MIT
//
// stage_statistics.hpp: StageStatistics, what the threads of one stage have done so far.

#ifndef FOREBAY_STAGE_STATISTICS_HPP
#define FOREBAY_STAGE_STATISTICS_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>

#include "forebay/base/text.hpp"
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
  /// How many it has handed on, in `unit`.
  std::uint64_t elements = 0;
  std::chrono::nanoseconds working{};
  std::chrono::nanoseconds starved{};
  std::chrono::nanoseconds blocked{};
  /// How many chunks it may be ahead of who takes them; 0 if that is not what limits it.
  std::size_t ahead = 0;
  /// CPU time that its threads used, also for what they read; an estimate if the loop helps; none if the system does
  /// not tell. If it is far less than the time in which they worked and read, they waited in code of the user's, for a
  /// device or a lock, or they waited for a core.
  std::optional<std::chrono::nanoseconds> processor_time{};
  /// What `elements` counts: "elements", "batches", or "inputs" of an interleave.
  std::string unit = "elements";

  /// Returns a line such as "decode: 25120 elements, 4 threads, 3.880 s working, 120.000 ms starved, 0 ns blocked". At
  /// its end stand ", 16 chunks ahead" where `ahead` limits, and ", 3.750 s of processor time" where the system tells
  /// it. It says "(one at a time)" of the threads of a serial stage.
  [[nodiscard]] std::string text() const {
    return detail::in_one_line(name) + ": " + std::to_string(elements) + " " + unit + ", " +
           detail::counted(threads, "thread") + (is_serial ? " (one at a time)" : "") + ", " +
           detail::text_of(working) + " working, " + detail::text_of(starved) + " starved, " +
           detail::text_of(blocked) + " blocked" +
           (ahead > 0 ? ", " + detail::counted(ahead, "chunk") + " ahead" : "") +
           (processor_time ? ", " + detail::text_of(*processor_time) + " of processor time" : "");
  }

  friend bool operator==(const StageStatistics&, const StageStatistics&) = default;
  template <class Traits>
  friend std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out,
                                                      const StageStatistics& statistics) {
    return out << statistics.text().c_str();
  }
};

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_STAGE_STATISTICS_HPP
