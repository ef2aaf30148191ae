// SPDX-License-Identifier: MIT
//
// statistics.hpp: what has happened so far: QueueStatistics, how many elements went through a queue and who waited how
// long; StageStatistics, how the threads of one stage spent their time; PipelineStatistics, the same for all stages.
//
// report.hpp turns the statistics of a pipeline into advice.
//
// Thread safety: that of any value. Each is a snapshot.

#ifndef FOREBAY_STATISTICS_HPP
#define FOREBAY_STATISTICS_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "forebay/base/reject.hpp"
#include "forebay/base/text.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI {

/// What statistics() of a queue returns: a value, true when it was taken.
///
/// Who waits long on the consumers' side wants faster producers, and the other way round. A wait is one for which a
/// thread lined up: what comes while it tries again for a short while needs none.
struct QueueStatistics {
  struct Side {
    /// How many elements went in, or came out: what a batch has gathered is not out before it has all.
    std::uint64_t elements = 0;
    /// How many waits have ended.
    std::uint64_t waits = 0;
    /// How long all have waited together, up to now. Threads that wait at the same time are added up.
    std::chrono::nanoseconds waited{};
    /// Of the waits that have ended.
    std::chrono::nanoseconds longest_wait{};
    /// How many threads wait now.
    std::size_t waiting = 0;

    /// Returns a line such as "1200 elements, 3 waits, 1.250 s waited, 800.000 ms the longest, 1 waiting now".
    [[nodiscard]] std::string text() const {
      return detail::counted(elements, "element") + ", " + detail::counted(waits, "wait") + ", " +
             detail::text_of(waited) + " waited, " + detail::text_of(longest_wait) + " the longest, " +
             std::to_string(waiting) + " waiting now";
    }

    friend bool operator==(const Side&, const Side&) = default;
    template <class Traits>
    friend std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out, const Side& side) {
      return out << side.text().c_str();
    }
  };

  Side producers;
  Side consumers;
  /// The most elements that were stored when a thread began to wait, or one was let go. More may have been stored while
  /// nobody waited.
  std::size_t high_water = 0;

  /// Returns one line: the text of both sides, and the high water. `std::cout << queue.statistics()` writes it.
  [[nodiscard]] std::string text() const {
    return "producers: " + producers.text() + "; consumers: " + consumers.text() + "; " +
           detail::counted(high_water, "element") + " at high water";
  }

  friend bool operator==(const QueueStatistics&, const QueueStatistics&) = default;
  template <class Traits>
  friend std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out,
                                                      const QueueStatistics& statistics) {
    return out << statistics.text().c_str();
  }
};

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

/// A value, true when it was taken.
struct PipelineStatistics {
  /// From the source to the last one before the loop.
  std::vector<StageStatistics> stages;
  /// What takes the outputs: it works in its body, and is starved while it waits for an output.
  StageStatistics loop{.name = "loop"};
  /// Since it was started.
  std::chrono::nanoseconds time{};
  /// CPU time that the whole process has used since then, on all cores.
  std::chrono::nanoseconds processor_time{};
  /// CPU time that all programs have used together since then; 0 if the system does not tell, or if this program may
  /// not use all cores.
  std::chrono::nanoseconds machine_time{};
  /// Time since then in which a CPU quota stopped threads of this program's control groups (cgroups), added up over the
  /// cores; 0 if there is no quota.
  std::chrono::nanoseconds throttled_time{};
  /// How many cores this program could use when the pipeline was made, as usable_cores() counts them; 0 if unknown.
  std::size_t cores = 0;

  /// What has been done since `earlier`, which is of the same pipeline. Throws std::invalid_argument if that has
  /// another number of stages.
  [[nodiscard]] PipelineStatistics since(const PipelineStatistics& earlier) const {
    if (stages.size() != earlier.stages.size()) {
      detail::reject({"statistics of ", stages.size(), " stages, compared with those of ", earlier.stages.size()});
    }
    PipelineStatistics difference = *this;
    for (std::size_t i = 0; i < stages.size(); ++i) subtract(difference.stages[i], earlier.stages[i]);
    subtract(difference.loop, earlier.loop);
    difference.time -= earlier.time;
    difference.processor_time = after(processor_time, earlier.processor_time);
    difference.machine_time = after(machine_time, earlier.machine_time);
    difference.throttled_time = after(throttled_time, earlier.throttled_time);
    return difference;
  }

  /// Returns one line: "in 12.500 s, 30.200 s of processor time, 41.000 s of the machine's, 4 cores", and then the text
  /// of each stage and of the loop behind a semicolon each. What the system does not tell is left out. What follows
  /// from it, as sentences and a table: report().
  [[nodiscard]] std::string text() const {
    std::string line =
        "in " + detail::text_of(time) + ", " + detail::text_of(processor_time) + " of processor time" +
        (machine_time.count() > 0 ? ", " + detail::text_of(machine_time) + " of the machine's" : std::string()) +
        (cores > 0 ? ", " + detail::counted(cores, "core") : std::string());
    for (const StageStatistics& stage : stages) line += "; " + stage.text();
    return line + "; " + loop.text();
  }

  friend bool operator==(const PipelineStatistics&, const PipelineStatistics&) = default;
  template <class Traits>
  friend std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out,
                                                      const PipelineStatistics& statistics) {
    return out << statistics.text().c_str();
  }

 private:
  static void subtract(StageStatistics& stage, const StageStatistics& earlier) {
    stage.elements -= earlier.elements;
    stage.working = after(stage.working, earlier.working);
    stage.starved = after(stage.starved, earlier.starved);
    stage.blocked = after(stage.blocked, earlier.blocked);
    if (stage.processor_time) {
      stage.processor_time = after(*stage.processor_time, earlier.processor_time.value_or(std::chrono::nanoseconds()));
    }
  }

  /// What is reckoned as the rest of other times may be a moment less than before.
  static std::chrono::nanoseconds after(std::chrono::nanoseconds time, std::chrono::nanoseconds earlier) noexcept {
    return time > earlier ? time - earlier : std::chrono::nanoseconds(0);
  }
};

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_STATISTICS_HPP
