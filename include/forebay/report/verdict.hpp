// SPDX-License-Identifier: MIT
//
// verdict.hpp: Verdict, who limits a pipeline, and what would help.

#ifndef FOREBAY_REPORT_VERDICT_HPP
#define FOREBAY_REPORT_VERDICT_HPP

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>

#include "forebay/pipeline_statistics.hpp"
#include "forebay/report/shares.hpp"
#include "forebay/report/text.hpp"
#include "forebay/stage_statistics.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Algorithm: the last one that hardly waits limits: those before it are blocked by it, those behind it starve. A stage
/// that works a share u of the time could make 1 / u of what it makes now; so who comes next is the one with the
/// greatest share of the others.
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

  /// Null if nobody limits by himself.
  [[nodiscard]] const StageStatistics* limiting() const noexcept { return limits_; }

  [[nodiscard]] std::string sentence() const {
    if (of_.loop.elements == 0) return nothing_came_out();
    if (limits_ == &of_.loop) return loop_limits();
    if (of_.stages.size() == 1 && of_.stages[0].threads == 0) return all_in_turn();
    if (limits_ != nullptr && limits_->is_serial) return serial_limits();
    if (limits_ != nullptr) return threads_limit();
    if (is_full()) return "The machine is full: " + cores() + ". Less work would help, more threads would not.";
    return nobody_limits();
  }

 private:
  /// What the threads of a stage run besides, one at a time; null if there is nothing.
  [[nodiscard]] const StageStatistics* before(const StageStatistics& stage) const {
    const bool has_threads = &stage != &of_.loop && !stage.is_serial;
    if (!has_threads || &stage == of_.stages.data() || !(&stage - 1)->is_serial) return nullptr;
    return &stage - 1;
  }

  /// The share of the time in which its threads do either.
  [[nodiscard]] double occupied(const StageStatistics& stage) const {
    return std::min(1.0, Shares(stage).working + reading(stage));
  }
  [[nodiscard]] double reading(const StageStatistics& stage) const {
    const StageStatistics* const read = before(stage);
    const double all = seconds(stage.working + stage.starved + stage.blocked);
    return read != nullptr && all > 0 ? std::min(seconds(read->working) / all, Shares(stage).starved) : 0;
  }

  static constexpr double full = 0.9;    // of all cores
  static constexpr double some = 0.1;    // the same
  static constexpr double least = 0.01;  // who works less never limits

  [[nodiscard]] std::string nothing_came_out() const {
    std::string text = "Nothing came out in " + decimal(seconds(of_.time), 1) + " s: ";
    for (const StageStatistics& stage : of_.stages)
      text += in_one_line(stage.name) + " " + most_of(Shares(stage)) + ", ";
    return text + "the loop " + most_of(loop_) + ".";
  }

  static const char* most_of(const Shares& shares) noexcept {
    if (shares.starved > std::max(shares.working, shares.blocked)) return "waits for input";
    if (shares.blocked > shares.working) return "waits for room";
    return shares.working > 0 ? "works" : "has not begun";
  }

  [[nodiscard]] std::string loop_limits() const {
    return "The loop limits: it waited " + percent(loop_.starved) + " of the time. A perfect input would make it " +
           times(1 / loop_.working) + " as fast." + beside_the_loop();
  }

  /// The stages have no thread of their own.
  [[nodiscard]] std::string all_in_turn() const {
    const double working = Shares(of_.stages[0]).working;
    return "All stages run in the thread of the loop, which waited " + percent(loop_.starved) +
           " of the time for them. Beside it, with threads in a map or a prefetch, they would make it " +
           times(1 / std::max({working, loop_.working, least})) + " as fast; a perfect input " +
           times(1 / std::max(loop_.working, least)) + "." + beside_the_loop();
  }

  [[nodiscard]] std::string beside_the_loop() const {
    return is_full() ? " The machine is full: " + cores() + "; a loop that feeds a device needs some of them." : "";
  }

  [[nodiscard]] std::string serial_limits() const {
    return in_one_line(limits_->name) + " limits: it is serial, and works " + percent(Shares(*limits_).working) +
           " of the time. More threads would not help: do less there, or behind it in a map, or read several inputs " +
           "at once with interleave. " + next_limit();
  }

  [[nodiscard]] std::string threads_limit() const {
    const double busy = occupied(*limits_);
    const auto threads = static_cast<double>(limits_->threads);
    std::string text = in_one_line(limits_->name) + " limits: " + what_threads_do() + " of the time. ";
    if (is_full()) return text + "The machine is full: " + cores() + "; less work would help, more threads would not.";
    const double next = 1 / std::max(Shares(next_busiest()).working, least);
    const double gain = std::min({(threads + 1) / threads / busy, next, free_cores()});
    return text + "One more would make it " + times(gain) + " as fast. " + next_limit();
  }

  [[nodiscard]] std::string what_threads_do() const {
    const bool alone = limits_->threads == 1;
    const std::string working = percent(Shares(*limits_).working);
    const std::string text = "its " + std::to_string(limits_->threads) + (alone ? " thread" : " threads");
    if (reading(*limits_) < Shares::hardly) return text + (alone ? " works " : " work ") + working;
    return text + (alone ? " reads " : " read ") + percent(reading(*limits_)) +
           (alone ? " and works " : " and work ") + working;
  }

  /// Who limits when the one that does now is made faster.
  [[nodiscard]] std::string next_limit() const {
    const StageStatistics& next = next_busiest();
    const double working = Shares(next).working;
    if (working < least) return "No other would limit soon.";
    return "At " + times(1 / working) + " as fast, " + (&next == &of_.loop ? "the loop" : in_one_line(next.name)) +
           " would limit.";
  }

  [[nodiscard]] const StageStatistics& next_busiest() const {
    const StageStatistics* next = &of_.loop;
    for (const StageStatistics& stage : of_.stages) {
      if (&stage != limits_ && Shares(stage).working > Shares(*next).working) next = &stage;
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
    return "Nobody limits by himself: the loop waited " + percent(loop_.starved) + " of the time. " + next_limit();
  }

  [[nodiscard]] double own_cores() const noexcept {
    return of_.time.count() > 0 ? seconds(of_.processor_time) / seconds(of_.time) : 0;
  }
  [[nodiscard]] double used_cores() const noexcept {
    return of_.time.count() > 0 ? std::max(own_cores(), seconds(of_.machine_time) / seconds(of_.time)) : 0;
  }
  /// Who waits where others compute does not mind a full machine.
  [[nodiscard]] bool needs_cores() const noexcept {
    return of_.cores > 0 && own_cores() >= some * static_cast<double>(of_.cores);
  }
  [[nodiscard]] bool is_full() const noexcept {
    return needs_cores() && used_cores() > full * static_cast<double>(of_.cores);
  }
  /// How many times as many as now this program could use, as long as others use what they do.
  [[nodiscard]] double free_cores() const noexcept {
    if (!needs_cores()) return std::numeric_limits<double>::max();
    return 1 + std::max(0.0, static_cast<double>(of_.cores) - used_cores()) / own_cores();
  }
  [[nodiscard]] std::string cores() const {
    const std::string all = decimal(used_cores(), 1) + " of " + std::to_string(of_.cores) + " cores are in use";
    const bool has_neighbours = used_cores() - own_cores() >= 0.1;
    return has_neighbours ? all + ", " + decimal(own_cores(), 1) + " by this program" : all;
  }

  static std::string times(double factor) { return decimal(factor, 2) + " times"; }

  const PipelineStatistics& of_;
  const Shares loop_;
  const StageStatistics* limits_ = nullptr;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_REPORT_VERDICT_HPP
