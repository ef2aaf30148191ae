// SPDX-License-Identifier: MIT
//
// processor_times.hpp: ProcessorTimes, the CPU time of the process and of the machine.

#ifndef FOREBAY_BASE_PROCESSOR_TIMES_HPP
#define FOREBAY_BASE_PROCESSOR_TIMES_HPP

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <string>
#include <string_view>

#include "forebay/base/text_fields.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// The CPU times of all cores together, up to now. A time that the system does not report is 0.
struct ProcessorTimes {
  using Time = std::chrono::nanoseconds;

  /// Reads the times. `cores` is the number of cores that this process may use; if it is 0 (unknown), no file is read.
  /// The caller provides `throttled`.
  [[nodiscard]] static ProcessorTimes now(std::size_t cores, Time throttled) {
    return {of_process(), of_machine(cores), throttled};
  }

  /// Returns the difference. It is never negative, even if the system no longer reports a time, or has moved the
  /// process to another control group.
  [[nodiscard]] ProcessorTimes since(const ProcessorTimes& earlier) const noexcept {
    return {std::max(process - earlier.process, Time()), std::max(machine - earlier.machine, Time()),
            std::max(throttled - earlier.throttled, Time())};
  }

  Time process;    // used by this process; on Windows, the time since its start
  Time machine;    // used by all processes
  Time throttled;  // in which threads were stopped by a CPU quota

 private:
  [[nodiscard]] static Time of_process() noexcept {
    const std::chrono::duration<double> time(static_cast<double>(std::clock()) / CLOCKS_PER_SEC);
    return std::chrono::duration_cast<Time>(time);
  }

  /// Reads /proc/stat of Linux, in hundredths of a second: one line for all cores, then one for each core. Returns 0
  /// (unknown) if this process may not use all cores, because its own cores could then be idle.
  [[nodiscard]] static Time of_machine(std::size_t cores) {
    if (cores == 0) return {};
    const std::string text = text_of_file("/proc/stat");
    std::string_view rest = text;
    const std::string_view of_all = take_field(rest, '\n');
    std::size_t lines = 0;
    for (; rest.starts_with("cpu"); ++lines) static_cast<void>(take_field(rest, '\n'));
    return lines == cores ? std::chrono::milliseconds(10) * busy_ticks(of_all) : Time();
  }

  /// Sums the numbers of a line, except the fourth and the fifth (idle times) and those after the eighth (counted
  /// twice).
  [[nodiscard]] static std::int64_t busy_ticks(std::string_view line) noexcept {
    static_cast<void>(take_field(line, ' '));  // "cpu", which two spaces follow
    static_cast<void>(take_field(line, ' '));
    std::uint64_t busy = 0;
    for (int i = 1; i <= 8; ++i) {
      const std::uint64_t ticks = number_of(take_field(line, ' ')).value_or(0);
      if (i != 4 && i != 5) busy += ticks;
    }
    return static_cast<std::int64_t>(busy);
  }
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_BASE_PROCESSOR_TIMES_HPP
