// SPDX-License-Identifier: MIT

/// @file
/// Defines QueueStatistics, the traffic and waits of a queue; StageStatistics, how the threads of a stage spent their
/// time; and PipelineStatistics, the same for all stages.
///
/// @code
/// std::cout << queue.statistics() << "\n";      // how long producers and consumers have waited
/// std::cout << pipeline.statistics() << "\n";   // how long each stage worked, starved and was blocked
/// @endcode
///
/// When to use: for logs and metrics. For advice, call report() (report.hpp).
///
/// Lifetime and thread safety: values; each is a snapshot.

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

/// Counts the elements and waits of a queue up to the call of its statistics().
///
/// Long waits of consumers call for faster producers, and long waits of producers for faster consumers. A call that
/// succeeds while it still spins does not count as a wait.
struct QueueStatistics {
  /// Counts the elements and waits of the producers, or of the consumers.
  struct Side {
    /// Counts the elements enqueued, or dequeued. The elements of a batch count when the batch is complete.
    std::uint64_t elements = 0;
    /// Counts the waits that have ended.
    std::uint64_t waits = 0;
    /// Adds up the time of all waits, also of those in progress. Threads that wait concurrently count separately.
    std::chrono::nanoseconds waited{};
    /// Holds the longest time of a wait that has ended.
    std::chrono::nanoseconds longest_wait{};
    /// Counts the threads that wait now.
    std::size_t waiting = 0;

    /// Returns a line such as "1200 elements, 3 waits, 1.250 s waited, 800.000 ms the longest, 1 waiting now".
    [[nodiscard]] std::string text() const {
      return detail::counted(elements, "element") + ", " + detail::counted(waits, "wait") + ", " +
             detail::text_of(waited) + " waited, " + detail::text_of(longest_wait) + " the longest, " +
             std::to_string(waiting) + " waiting now";
    }

    /// Returns whether all members are equal.
    friend bool operator==(const Side&, const Side&) = default;
    /// Writes text().
    template <class Traits>
    friend std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out, const Side& side) {
      return out << side.text().c_str();
    }
  };

  /// Counts what the threads that enqueue did.
  Side producers;
  /// Counts what the threads that dequeue did.
  Side consumers;
  /// Holds the largest number of stored elements seen when a thread began a wait or was woken, or when an enqueue found
  /// no room. The queue may have held more while no call had to wait.
  std::size_t high_water = 0;
  /// Counts the elements that `drop_newest` rejected or `drop_oldest` removed: see overflow.hpp; and those that
  /// close(discard_elements) destroyed. An element that was removed or destroyed counts as enqueued, but not as
  /// dequeued.
  std::uint64_t dropped = 0;

  /// Returns one line: the text of both sides, and the high-water mark. `std::cout << queue.statistics()` writes it.
  ///
  /// "; 3 elements dropped" follows if there are any.
  [[nodiscard]] std::string text() const {
    return "producers: " + producers.text() + "; consumers: " + consumers.text() + "; " +
           detail::counted(high_water, "element") + " at high water" +
           (dropped > 0 ? "; " + detail::counted(dropped, "element") + " dropped" : "");
  }

  /// Returns whether all members are equal.
  friend bool operator==(const QueueStatistics&, const QueueStatistics&) = default;
  /// Writes text().
  template <class Traits>
  friend std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out,
                                                      const QueueStatistics& statistics) {
    return out << statistics.text().c_str();
  }
};

/// Describes how the threads of a stage spent their time.
///
/// A thread works, is starved (waits for input), is blocked (waits for room), or has no core although it could work.
/// The times are sums over all threads of the stage.
struct StageStatistics {
  /// Holds the name that Dataset::named gave the stage, or else its kind, such as "map".
  std::string name;
  /// Counts the threads of the stage; 0 if it runs in the thread of the loop.
  std::size_t threads = 1;
  /// Says whether only one thread at a time can run the stage, whatever the number of threads.
  bool is_serial = false;
  /// Counts the results that the stage has passed on, in `unit`. In a map with threads this includes the elements that
  /// it works on, and those that failed.
  std::uint64_t elements = 0;
  /// Adds up the time in which the threads worked, or waited inside your code.
  std::chrono::nanoseconds working{};
  /// Adds up the time in which the threads waited for input.
  std::chrono::nanoseconds starved{};
  /// Adds up the time in which the threads waited for room downstream.
  std::chrono::nanoseconds blocked{};
  /// Limits how many chunks the stage may be ahead of its consumer; 0 if something else limits it.
  std::size_t ahead = 0;
  /// Adds up the CPU time of the threads, also while they read. An estimate if the loop helps; std::nullopt if the
  /// system does not report it.
  ///
  /// If it is much less than the time in which they worked and read, the threads waited inside your code, for a device
  /// or a lock.
  std::optional<std::chrono::nanoseconds> processor_time{};
  /// Names what `elements` counts: "elements", "batches", or "inputs" of an interleave.
  std::string unit = "elements";
  /// Adds up the time in which the threads could have worked, but had no core, because other threads used all of them.
  /// An estimate; 0 if the system does not report it. Then it is part of `working`.
  std::chrono::nanoseconds without_core{};
  /// Counts the elements that failed and were left out, because `.on_error`, `.too_long` or `.too_costly` is skip(n) or
  /// redirect(f).
  std::uint64_t failed = 0;
  /// Counts the other elements that were left out: those that filter or split rejected, and remainders that batch,
  /// bucket_by_length or batch_by_cost dropped.
  std::uint64_t left_out = 0;
  /// Holds the message of the first element that `failed` counts; empty if there is none. In a difference to earlier
  /// statistics, it is empty also if that element is older.
  std::string first_failure{};
  /// Counts how often each input of a mix with `.restart` has ended, in the order of the inputs. Empty without such a
  /// mix; several mixes follow each other.
  std::vector<std::uint64_t> passes{};

  /// Returns a line such as "decode: 25120 elements, 4 threads, 3.880 s working, 120.000 ms starved, 0 ns blocked".
  ///
  /// ", 16 chunks ahead" follows if `ahead` limits, ", 3.750 s of processor time" if it is known, and ", 1.250 s
  /// without a core", ", 1 failed" and ", 20 left out" if there are any. "(one at a time)" follows the threads of a
  /// serial stage.
  [[nodiscard]] std::string text() const {
    return detail::in_one_line(name) + ": " + std::to_string(elements) + " " + unit + ", " +
           detail::counted(threads, "thread") + (is_serial ? " (one at a time)" : "") + ", " +
           detail::text_of(working) + " working, " + detail::text_of(starved) + " starved, " +
           detail::text_of(blocked) + " blocked" +
           (ahead > 0 ? ", " + detail::counted(ahead, "chunk") + " ahead" : "") +
           (processor_time ? ", " + detail::text_of(*processor_time) + " of processor time" : "") +
           (without_core.count() > 0 ? ", " + detail::text_of(without_core) + " without a core" : "") +
           (failed > 0 ? ", " + std::to_string(failed) + " failed" : "") +
           (left_out > 0 ? ", " + std::to_string(left_out) + " left out" : "");
  }

  /// Returns whether all members are equal.
  friend bool operator==(const StageStatistics&, const StageStatistics&) = default;
  /// Writes text().
  template <class Traits>
  friend std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out,
                                                      const StageStatistics& statistics) {
    return out << statistics.text().c_str();
  }
};

/// Describes how the stages and the loop of a pipeline spent their time since its start.
struct PipelineStatistics {
  /// Lists the stages from the source to the last one upstream of the loop.
  std::vector<StageStatistics> stages;
  /// Describes the loop that takes the outputs: it works in its body, and is starved while it waits for an output.
  StageStatistics loop{.name = "loop"};
  /// Measures the time since the start of the pipeline.
  std::chrono::nanoseconds time{};
  /// Adds up the CPU time of this process since the start, on all cores.
  std::chrono::nanoseconds processor_time{};
  /// Adds up the CPU time of all programs since the start; 0 if the system does not report it, or if this program may
  /// not use all cores.
  std::chrono::nanoseconds machine_time{};
  /// Adds up the time, over all cores, in which a CPU quota stopped threads of this program's control groups (cgroups)
  /// since the start; 0 without a quota.
  std::chrono::nanoseconds throttled_time{};
  /// Counts the cores that this program could use at the start, as usable_cores() does; 0 if unknown.
  std::size_t cores = 0;

  /// Returns the difference to `earlier`, statistics of the same pipeline.
  ///
  /// @code
  /// const auto now = pipeline.statistics();
  /// std::cout << report(now.since(a_second_ago));   // the last second only
  /// @endcode
  ///
  /// Throws std::invalid_argument if `earlier` has another number of stages.
  [[nodiscard]] PipelineStatistics since(const PipelineStatistics& earlier) const {
    if (stages.size() != earlier.stages.size()) {
      detail::reject({"statistics of ", stages.size(), " stages cannot be compared with those of ",
                      earlier.stages.size(), " stages"});
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
  /// of each stage and of the loop. Semicolons separate the parts. What the system does not report is left out.
  [[nodiscard]] std::string text() const {
    std::string line =
        "in " + detail::text_of(time) + ", " + detail::text_of(processor_time) + " of processor time" +
        (machine_time.count() > 0 ? ", " + detail::text_of(machine_time) + " of the machine's" : std::string()) +
        (cores > 0 ? ", " + detail::counted(cores, "core") : std::string());
    for (const StageStatistics& stage : stages) line += "; " + stage.text();
    return line + "; " + loop.text();
  }

  /// Returns whether all members are equal.
  friend bool operator==(const PipelineStatistics&, const PipelineStatistics&) = default;
  /// Writes text().
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
    stage.without_core = after(stage.without_core, earlier.without_core);
    stage.failed -= earlier.failed;
    stage.left_out -= earlier.left_out;
    if (earlier.failed > 0) stage.first_failure.clear();  // it is older
    for (std::size_t i = 0; i < stage.passes.size() && i < earlier.passes.size(); ++i) {
      stage.passes[i] -= earlier.passes[i];
    }
    if (stage.processor_time) {
      stage.processor_time = after(*stage.processor_time, earlier.processor_time.value_or(std::chrono::nanoseconds()));
    }
  }

  /// A time that is computed as the difference of other times may be slightly less than before.
  static std::chrono::nanoseconds after(std::chrono::nanoseconds time, std::chrono::nanoseconds earlier) noexcept {
    return time > earlier ? time - earlier : std::chrono::nanoseconds(0);
  }
};

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_STATISTICS_HPP
