// SPDX-License-Identifier: MIT
//
// processor_times.hpp: ProcessorTimes, the CPU time of the process and of the machine.

#ifndef FOREBAY_BASE_PROCESSOR_TIMES_HPP
#define FOREBAY_BASE_PROCESSOR_TIMES_HPP

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <string>

#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Up to now, of all cores together. Each time is 0 if the system does not tell it.
struct ProcessorTimes {
  using Time = std::chrono::nanoseconds;

  /// `cores` is how many this process may use; 0 if unknown, and then no file is read. The caller gives `throttled`.
  [[nodiscard]] static ProcessorTimes now(std::size_t cores, Time throttled) {
    return {of_process(), of_machine(cores), throttled};
  }

  /// Never negative, even if the system has stopped telling a time, or moved the process to another control group.
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

  /// As Linux tells, in hundredths of a second: of a line for each core behind that of all. Where this process may
  /// not use all cores, those that it may could be idle.
  [[nodiscard]] static Time of_machine(std::size_t cores) {
    if (cores == 0) return {};
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen("/proc/stat", "r"), &std::fclose);
    std::string line(256, '\0');
    const auto next_is_of_processor = [&] {
      return std::fgets(line.data(), static_cast<int>(line.size()), file.get()) != nullptr &&
             line.rfind("cpu", 0) == 0;
    };
    if (file == nullptr || !next_is_of_processor()) return {};
    const Time busy = std::chrono::milliseconds(10) * busy_ticks(line);
    std::size_t lines = 0;
    while (next_is_of_processor()) ++lines;
    return lines == cores ? busy : Time();
  }

  /// All but the fourth and the fifth number, in which it is idle, and those behind the eighth, of what is counted
  /// twice.
  [[nodiscard]] static long long busy_ticks(const std::string& line) {
    const char* place = line.c_str() + line.find(' ');
    long long busy = 0;
    for (int i = 1; i <= 8; ++i) {
      char* end = nullptr;
      const long long ticks = std::strtoll(place, &end, 10);
      if (i != 4 && i != 5) busy += ticks;
      place = end;
    }
    return busy;
  }
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_BASE_PROCESSOR_TIMES_HPP
