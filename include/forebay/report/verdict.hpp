// SPDX-License-Identifier: MIT
//
// verdict.hpp: Verdict, which determines the stage that limits a pipeline, and what would help.

#ifndef FOREBAY_REPORT_VERDICT_HPP
#define FOREBAY_REPORT_VERDICT_HPP

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <limits>
#include <string>

#include "forebay/report/shares.hpp"
#include "forebay/report/text.hpp"
#include "forebay/statistics.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Algorithm: the last stage that hardly waits limits the pipeline: upstream stages are blocked by it, downstream
/// stages starve. A stage that works for a share u of the time could produce 1 / u times as much, so the next limit is
/// the stage with the largest share among the others. Threads that compute need a core each. Threads that wait in user
/// code, as their CPU time shows, do not.
class Verdict {
 public:
  explicit Verdict(const PipelineStatistics& statistics) : of_(statistics), loop_(statistics.loop) {
    if (loop_.is_busy()) limits_ = &of_.loop;
    for (std::size_t i = of_.stages.size(); limits_ == nullptr && i > 0; --i) {
      const StageStatistics& stage = of_.stages[i - 1];
      if (occupied(stage) < Shares::busy) continue;
      const StageStatistics* const read = before(stage);
      limits_ = read != nullptr && Shares(*read).is_busy() ? read : &stage;
    }
  }

  /// Returns the limiting stage; null if no stage limits alone.
  [[nodiscard]] const StageStatistics* limiting() const noexcept { return limits_; }

  [[nodiscard]] std::string sentence() const {
    if (of_.loop.elements == 0) return nothing_came_out();
    if (limits_ == &of_.loop) return loop_limits();
    if (of_.stages.size() == 1 && of_.stages[0].threads == 0) return all_in_turn();
    if (limits_ != nullptr && limits_->is_serial) return serial_limits();
    if (limits_ != nullptr) return threads_limit();
    if (is_full()) return full_machine() + ". Less work would help, more threads would not.";
    return nobody_limits();
  }

 private:
  /// Returns the serial stage that the threads of a stage also run, one at a time; null if there is none.
  [[nodiscard]] const StageStatistics* before(const StageStatistics& stage) const {
    const bool has_threads = &stage != &of_.loop && !stage.is_serial;
    if (!has_threads || &stage == of_.stages.data() || !(&stage - 1)->is_serial) return nullptr;
    return &stage - 1;
  }

  /// Returns the share of the time in which the threads work or read.
  [[nodiscard]] double occupied(const StageStatistics& stage) const {
    return std::min(1.0, Shares(stage).occupied() + reading(stage));
  }
  [[nodiscard]] double reading(const StageStatistics& stage) const {
    const StageStatistics* const read = before(stage);
    const double all = Shares::total(stage);
    if (read == nullptr || !(all > 0)) return 0;
    const double time = Shares::time_of(read->working) + Shares::time_of(read->without_core);
    return std::min(time / all, Shares(stage).starved);
  }

  static constexpr double full = 0.9;          // of all cores
  static constexpr double some = 0.1;          // the same
  static constexpr double least = 0.01;        // a stage that works less never limits
  static constexpr double most_more = 8;       // the largest predicted factor of threads
  static constexpr double most_foretold = 10;  // with a larger factor, something else would limit long before
  static constexpr double computing = 0.5;     // of the time in which threads are busy; with less they mostly wait

  [[nodiscard]] std::string nothing_came_out() const {
    std::string text = "Nothing came out in " + decimal(seconds(of_.time), 1) + " s: ";
    for (const StageStatistics& stage : of_.stages)
      text += in_one_line(stage.name) + " " + most_of(Shares(stage), mostly_waits(stage)) + ", ";
    return text + "the loop " + most_of(loop_, false) + ".";
  }

  /// Returns what the threads mostly do. If they work, `waits` says whether they wait in user code meanwhile.
  static const char* most_of(const Shares& shares, bool waits) noexcept {
    if (shares.starved > std::max(shares.occupied(), shares.blocked)) return "waits for input";
    if (shares.blocked > shares.occupied()) return "waits for room";
    if (shares.without_core > shares.working) return "waits for a core";
    if (shares.working > 0) return waits ? "waits in your code" : "works";
    return "has not begun";
  }

  [[nodiscard]] std::string loop_limits() const {
    return "The loop limits: it waited " + percent(loop_.starved) + " of the time. A perfect input would make it " +
           times(1 / loop_.occupied()) + " as fast." + beside_the_loop();
  }

  /// The stages have no thread of their own.
  [[nodiscard]] std::string all_in_turn() const {
    const double working = Shares(of_.stages[0]).occupied();
    const bool waits = !is_full() && own_cores() < computing * working;  // the process uses no more than that
    const double perfect = 1 / std::max(loop_.occupied(), least);
    const double beside = std::min({1 / std::max(working, least), perfect, free_cores()});
    std::string text = "All stages run in the thread of the loop, which waited " + percent(loop_.starved) +
                       " of the time for them. Beside it, in a prefetch, they would make it " + times(beside) +
                       " as fast; ";
    const double gain = std::min(perfect, free_cores());
    if (const std::size_t threads = useful_threads(1, gain, waits); threads > 1 && !is_full()) {
      text += std::to_string(threads) + " threads in a map up to " +
              times(std::min(static_cast<double>(threads), gain)) + ", if its function takes most of the time; ";
    }
    text += is_foretold(perfect) ? "a perfect input " + times(perfect) + "." : "the loop itself does hardly anything.";
    if (waits) text += " The stages mostly wait, so more threads than cores help, too.";
    return text + beside_the_loop();
  }

  /// Returns the number of threads, instead of `threads` busy ones, for a speedup of `gain`. At most the number of
  /// cores, unless the threads mostly wait.
  [[nodiscard]] std::size_t useful_threads(double threads, double gain, bool wait) const {
    const double most = wait ? threads * most_more : static_cast<double>(of_.cores);
    const double needed = std::min(threads * gain - 0.001, most);
    const auto whole = static_cast<std::size_t>(needed);
    return static_cast<double>(whole) < needed ? whole + 1 : whole;
  }

  [[nodiscard]] std::string beside_the_loop() const {
    return is_full() ? " " + full_machine() + "; a loop that feeds a device needs some of them." : "";
  }

  [[nodiscard]] std::string serial_limits() const {
    return in_one_line(limits_->name) + " limits: it is serial, and works " + percent(Shares(*limits_).working) +
           " of the time. More threads would not help: do less there, or downstream of it in a map, or read several " +
           "inputs at once with interleave. " + next_limit();
  }

  [[nodiscard]] std::string threads_limit() const {
    const std::string text = in_one_line(limits_->name) + " limits: " + what_threads_do() + " of the time";
    if (is_full()) return text + ". " + full_machine() + "; less work would help, more threads would not.";
    if (!mostly_waits(*limits_)) return text + ". One more" + what_more_threads_give() + ". " + next_limit();
    return text + ", but " + (limits_->threads == 1 ? "uses " : "use ") +
           decimal(seconds(*limits_->processor_time) / std::max(seconds(of_.time), least), 1) +
           " cores: mostly they wait in your code" + (of_.machine_time.count() > 0 ? "" : ", or for a core") +
           ". If it is for a device or a network, more threads help, also more than there are cores: one more" +
           what_more_threads_give() + ". If it is for a lock, they would not. " + next_limit();
  }

  /// Behind "one more".
  [[nodiscard]] std::string what_more_threads_give() const {
    const auto now = static_cast<double>(limits_->threads);
    const double busy = occupied(*limits_);
    const double most = std::min(1 / std::max(Shares(next_busiest()).occupied(), least), free_cores());
    const auto gain = [&](double threads) { return std::min(threads / now / busy, most); };
    std::string text = " would make it " + times(gain(now + 1)) + " as fast";
    const auto threads = static_cast<double>(useful_threads(now, most * busy, mostly_waits(*limits_)));
    if (threads <= now + 1) return text;
    return text + ", " + std::to_string(static_cast<std::size_t>(threads)) + " threads " + times(gain(threads));
  }

  /// Returns whether threads that work and read mostly wait meanwhile.
  [[nodiscard]] bool mostly_waits(const StageStatistics& stage) const {
    const StageStatistics* const read = before(stage);
    const double busy = seconds(stage.working) + (read != nullptr ? seconds(read->working) : 0);
    return stage.processor_time && seconds(*stage.processor_time) < computing * busy;
  }

  [[nodiscard]] std::string what_threads_do() const {
    const bool alone = limits_->threads == 1;
    const std::string working = percent(Shares(*limits_).working);
    const std::string text = "its " + std::to_string(limits_->threads) + (alone ? " thread" : " threads");
    if (reading(*limits_) < Shares::hardly) return text + (alone ? " works " : " work ") + working;
    return text + (alone ? " reads " : " read ") + percent(reading(*limits_)) +
           (alone ? " and works " : " and work ") + working;
  }

  /// Names the stage that limits once the current limit is made faster.
  [[nodiscard]] std::string next_limit() const {
    const StageStatistics& next = next_busiest();
    const double working = Shares(next).occupied();
    if (working < least || !is_foretold(1 / working)) return "No other would limit soon.";
    return "At " + times(1 / working) + " as fast, " + (&next == &of_.loop ? "the loop" : in_one_line(next.name)) +
           " would limit.";
  }

  [[nodiscard]] const StageStatistics& next_busiest() const {
    const StageStatistics* next = &of_.loop;
    for (const StageStatistics& stage : of_.stages) {
      if (&stage != limits_ && Shares(stage).occupied() > Shares(*next).occupied()) next = &stage;
    }
    return *next;
  }

  [[nodiscard]] std::string nobody_limits() const {
    for (std::size_t i = of_.stages.size(); i > 0; --i) {
      const StageStatistics& stage = of_.stages[i - 1];
      if (Shares(stage).blocked < Shares::hardly) continue;
      const std::string both = in_one_line(stage.name) + " was blocked " + percent(Shares(stage).blocked) +
                               " of the time, and the loop waited " + percent(loop_.starved);
      const bool is_small = stage.ahead > 0 && stage.ahead < 2 * stage.threads;
      if (is_small) {
        return "Too little is read ahead: " + both + ". ahead is " + std::to_string(stage.ahead) + " chunks for " +
               std::to_string(stage.threads) + " threads: give " + std::to_string(4 * stage.threads) + ".";
      }
      return "Work comes in bursts: " + both + ". More ahead, or a prefetch, would even it out.";
    }
    return "No stage limits alone: the loop waited " + percent(loop_.starved) + " of the time. " + next_limit();
  }

  [[nodiscard]] double own_cores() const noexcept {
    return of_.time.count() > 0 ? seconds(of_.processor_time) / seconds(of_.time) : 0;
  }
  /// Systems count the time of the machine in ticks of 10 ms, on all cores. In a short run, that says nothing.
  [[nodiscard]] double used_cores() const noexcept {
    constexpr std::chrono::milliseconds short_run(200);
    if (of_.time < short_run) return own_cores();
    return std::max(own_cores(),
                    std::min(seconds(of_.machine_time) / seconds(of_.time), static_cast<double>(of_.cores)));
  }
  /// Returns whether the pipeline computes: one that mostly waits is not slowed down by a busy machine.
  [[nodiscard]] bool needs_cores() const noexcept {
    return of_.cores > 0 && (most_without_core() != nullptr || own_cores() >= some * static_cast<double>(of_.cores));
  }
  [[nodiscard]] bool is_full() const noexcept {
    if (!needs_cores()) return false;
    return most_without_core() != nullptr || is_throttled() || used_cores() > full * static_cast<double>(of_.cores);
  }
  /// Returns the stage, or the loop, whose threads had no core for the largest share of the time, if it is a large one.
  [[nodiscard]] const StageStatistics* most_without_core() const noexcept {
    const StageStatistics* most = &of_.loop;
    for (const StageStatistics& stage : of_.stages) {
      if (Shares(stage).without_core > Shares(*most).without_core) most = &stage;
    }
    return Shares(*most).without_core >= Shares::hardly ? most : nullptr;
  }
  /// Returns by which factor this program could use more CPU time if other programs use the same as now.
  [[nodiscard]] double free_cores() const noexcept {
    if (!needs_cores()) return std::numeric_limits<double>::max();
    return 1 + std::max(0.0, static_cast<double>(of_.cores) - used_cores()) / own_cores();
  }
  /// A quota is used up even if it is less than `cores`, which is rounded up.
  [[nodiscard]] bool is_throttled() const noexcept {
    return of_.time.count() > 0 && seconds(of_.throttled_time) / seconds(of_.time) >= some;
  }
  [[nodiscard]] std::string full_machine() const {
    if (!is_throttled()) return "The machine is full: " + cores() + threads_without_core();
    return "The CPU quota is used up: " + cores() + ", and threads were stopped for " +
           decimal(seconds(of_.throttled_time), 1) + " s in " + decimal(seconds(of_.time), 1) + " s";
  }
  [[nodiscard]] std::string threads_without_core() const {
    const StageStatistics* const most = most_without_core();
    if (most == nullptr) return {};
    const std::string name = most == &of_.loop ? "the loop" : in_one_line(most->name);
    return ", and " + name + " had no core " + percent(Shares(*most).without_core) + " of the time";
  }
  [[nodiscard]] std::string cores() const {
    if (of_.machine_time.count() == 0 && most_without_core() != nullptr) {
      return "this program uses " + decimal(own_cores(), 1) + " of " + std::to_string(of_.cores) + " cores";
    }
    const std::string all = decimal(used_cores(), 1) + " of " + std::to_string(of_.cores) + " cores are in use";
    const bool has_neighbours = used_cores() - own_cores() >= 0.1;
    return has_neighbours ? all + ", " + decimal(own_cores(), 1) + " by this program" : all;
  }

  [[nodiscard]] static bool is_foretold(double factor) noexcept { return factor < most_foretold + 0.005; }

  static std::string times(double factor) { return decimal(factor, 2) + " times"; }

  const PipelineStatistics& of_;
  const Shares loop_;
  const StageStatistics* limits_ = nullptr;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_REPORT_VERDICT_HPP
