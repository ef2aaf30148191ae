// SPDX-License-Identifier: MIT
//
// depth_first.hpp: DepthFirst, the strategy that tries every choice, or every choice that makes a difference, or every
// choice with a limited number of preemptions.
//
// Which choices make a difference: two steps of different threads that access no common object can be swapped without
// an effect. Sleep sets (P. Godefroid) omit an order if an equivalent one was explored. Partial-order reduction (C.
// Flanagan and P. Godefroid, 2005) does not even begin it. At a junction it tries a thread other than the first only if
// one of its later steps conflicted with the chosen step.
//
// A bound on preemptions is not combined with either: they may omit the only equivalent order with few preemptions.

#ifndef FOREBAY_TESTS_MODEL_DEPTH_FIRST_HPP
#define FOREBAY_TESTS_MODEL_DEPTH_FIRST_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "tests/model/strategy.hpp"

namespace forebay_model {

enum class Reduction { none, sleep_sets, partial_order };

class DepthFirst final : public Strategy {
  // Invariants: the first size_ nodes are the choices of the current or last execution. Those before prescribed_ are to
  // be repeated; all of them but the last were made before. The first examined_ nodes have been checked for conflicts
  // with earlier ones.
 public:
  explicit DepthFirst(Reduction reduction) : reduction_(reduction) {}

  /// Tries every order with at most `most` switches away from a thread that could have continued.
  static DepthFirst with_preemptions(std::size_t most) { return DepthFirst(most); }

  /// Returns how many executions turned out to be equivalent to earlier ones only while they ran.
  [[nodiscard]] std::size_t redundant() const noexcept { return redundant_; }

  [[nodiscard]] const Transition* prescribed(std::size_t step) noexcept override {
    return step < prescribed_ ? &nodes_[step].chosen().transition : nullptr;
  }

  [[nodiscard]] std::size_t choose(const Junction& junction) override {
    if (is_redundant_) return 0;
    if (size_ > 0) nodes_[size_ - 1].touched = junction.last_footprint;
    if (size_ == nodes_.size()) nodes_.emplace_back();
    Node& node = nodes_[size_++];
    node.begin(junction);
    if (size_ > 1) inherit(nodes_[size_ - 2], node);
    if (const auto first = find(node)) {
      node.current = *first;
      if (reduction_ == Reduction::partial_order) node.explore_only_thread_of_current();
      return *first;
    }
    is_redundant_ = true;
    --size_;
    blocked_.assign(junction.blocked.begin(), junction.blocked.end());
    return 0;
  }

  [[nodiscard]] bool next(std::size_t /*steps*/, const Footprint& last_footprint) override {
    if (is_redundant_) ++redundant_;
    if (!is_redundant_ && size_ > 0) nodes_[size_ - 1].touched = last_footprint;
    if (reduction_ == Reduction::partial_order) examine_new_steps();
    is_redundant_ = false;
    blocked_.clear();
    for (; size_ > 0; --size_) {
      Node& node = nodes_[size_ - 1];
      node.asleep.push_back({node.chosen().transition, node.touched});
      if (const auto other = find(node)) {
        node.current = *other;
        break;
      }
    }
    prescribed_ = size_;
    return size_ > 0;
  }

 private:
  static constexpr std::size_t no_step = static_cast<std::size_t>(-1);

  /// For each thread: the number of steps in the execution up to its last step that happened before.
  using Past = std::array<std::size_t, most_threads + 1>;

  struct Node {
    std::vector<Candidate> candidates;
    std::vector<Candidate> asleep;  // explored before, and independent of everything since then
    std::vector<bool> wanted;       // the candidates to explore unless they sleep
    std::size_t current = 0;
    std::size_t preemptions = 0;  // before this choice
    Footprint touched;            // by the current choice
    Past past{};                  // the choice and what happened before it
    bool last_can_go_on = false;

    void begin(const Junction& junction) {
      candidates.assign(junction.candidates.begin(), junction.candidates.end());
      wanted.assign(candidates.size(), true);
      asleep.clear();
      preemptions = 0;
      last_can_go_on = junction.last_can_go_on;
    }

    [[nodiscard]] const Candidate& chosen() const noexcept { return candidates[current]; }
    [[nodiscard]] std::uint8_t thread() const noexcept { return chosen().transition.thread; }

    [[nodiscard]] bool preempts(const Candidate& candidate) const noexcept {
      return last_can_go_on && candidate.transition.thread != candidates.front().transition.thread &&
             candidate.transition.thread != clock_thread;
    }

    [[nodiscard]] bool sleeps(const Candidate& candidate) const noexcept {
      return std::any_of(asleep.begin(), asleep.end(),
                         [&](const Candidate& each) { return each.transition == candidate.transition; });
    }

    /// Also tries all steps that a thread does not choose itself: only performing them shows their conflicts.
    void explore_only_thread_of_current() {
      for (std::size_t i = 0; i < candidates.size(); ++i) {
        const Transition& each = candidates[i].transition;
        wanted[i] = each.thread == thread() || each.thread == clock_thread || each.way >= spuriously;
      }
    }

    [[nodiscard]] bool offers(std::uint8_t wanted_thread) const noexcept {
      return std::any_of(candidates.begin(), candidates.end(),
                         [&](const Candidate& each) { return each.transition.thread == wanted_thread; });
    }

    /// Returns whether the thread will be explored here, or needs no exploration because it was explored before.
    [[nodiscard]] bool wants(std::uint8_t wanted_thread) const noexcept {
      for (std::size_t i = 0; i < candidates.size(); ++i) {
        if (candidates[i].transition.thread == wanted_thread && (wanted[i] || sleeps(candidates[i]))) return true;
      }
      return false;
    }

    void want(std::uint8_t wanted_thread) {
      for (std::size_t i = 0; i < candidates.size(); ++i) {
        if (candidates[i].transition.thread == wanted_thread) wanted[i] = true;
      }
    }
  };

  explicit DepthFirst(std::size_t most_preemptions) : most_preemptions_(most_preemptions) {}

  void inherit(const Node& parent, Node& child) const {
    child.preemptions = parent.preemptions + (parent.preempts(parent.chosen()) ? 1 : 0);
    if (reduction_ == Reduction::none) return;
    for (const Candidate& each : parent.asleep) {
      if (each.transition.thread == parent.thread()) continue;
      if (!each.footprint.conflicts_with(parent.touched)) child.asleep.push_back(each);
    }
  }

  /// Returns a candidate that is still to be explored.
  [[nodiscard]] std::optional<std::size_t> find(const Node& node) const {
    for (std::size_t i = 0; i < node.candidates.size(); ++i) {
      if (!node.wanted[i] || node.sleeps(node.candidates[i])) continue;
      if (most_preemptions_ && node.preempts(node.candidates[i]) && node.preemptions == *most_preemptions_) continue;
      return i;
    }
    return std::nullopt;
  }

  // ---- Partial-order reduction

  void examine_new_steps() {
    for (std::size_t step = prescribed_ > 0 ? prescribed_ - 1 : 0; step < size_; ++step) {
      nodes_[step].past = examine(nodes_[step].chosen(), nodes_[step].touched, step);
    }
    // The blocked steps of a redundant execution have been seen nowhere else.
    for (const Candidate& each : blocked_) examine(each, each.footprint, size_);
  }

  /// Finds earlier steps that could have come after this one, and marks its thread to be tried there. Returns what
  /// happened before it.
  Past examine(const Candidate& candidate, const Footprint& touched, std::size_t step) {
    const std::uint8_t thread = candidate.transition.thread;
    const std::size_t previous = previous_of(thread, step);  // counted from 1
    Past known{};                                            // what happened before the thread reached this step
    join(known, previous);
    join(known, candidate.enabled_by);
    Past past = known;
    Past settled = known;  // the step cannot be swapped with anything that happened before this
    for (std::size_t i = step; i-- > 0;) {
      const Node& other = nodes_[i];
      if (settled[other.thread()] > i || !other.touched.conflicts_with(touched)) continue;
      join(past, i + 1);
      const bool stood_there = previous <= i;
      if (stood_there && !other.offers(thread)) continue;  // the thread was blocked
      reverse(i, step, candidate, touched, known);
      if (stood_there || !candidate.can_block) join(settled, i + 1);
    }
    past[thread] = step + 1;
    return past;
  }

  /// Makes the step be explored without step i before it. All other steps in between stay before it. One of the threads
  /// that can begin with those is tried instead of step i.
  void reverse(std::size_t i, std::size_t step, const Candidate& candidate, const Footprint& touched,
               const Past& known) {
    Node& junction = nodes_[i];
    constexpr std::size_t none = no_step;
    Past first_of;  // for each thread, its first step among those
    first_of.fill(none);
    const auto can_begin = [&first_of](const Past& past) {
      for (std::size_t t = 0; t < past.size(); ++t) {
        if (past[t] > first_of[t] && first_of[t] != none) return false;
      }
      return true;
    };
    std::optional<std::uint8_t> to_want;
    for (std::size_t k = i + 1; k < step; ++k) {
      const Node& between = nodes_[k];
      if (between.past[junction.thread()] > i || first_of[between.thread()] != none) continue;
      const bool begins = can_begin(between.past);
      first_of[between.thread()] = k;
      if (!begins || !junction.offers(between.thread())) continue;
      if (junction.wants(between.thread())) return;
      to_want = between.thread();
    }
    const std::uint8_t thread = candidate.transition.thread;
    if (first_of[thread] == none && can_begin(known) && junction.offers(thread) &&
        !conflicts_with_any(i, step, touched, junction)) {
      if (junction.wants(thread)) return;
      to_want = thread;
    }
    if (to_want) {
      junction.want(*to_want);
    } else {
      junction.wanted.assign(junction.wanted.size(), true);
    }
  }

  /// Returns whether a step between i and `step` conflicts with `touched`, among those that step i need not precede.
  [[nodiscard]] bool conflicts_with_any(std::size_t i, std::size_t step, const Footprint& touched,
                                        const Node& junction) const {
    for (std::size_t k = i + 1; k < step; ++k) {
      if (nodes_[k].past[junction.thread()] <= i && nodes_[k].touched.conflicts_with(touched)) return true;
    }
    return false;
  }

  void join(Past& past, std::size_t step_from_1) const {
    if (step_from_1 == 0) return;
    const Past& other = nodes_[step_from_1 - 1].past;
    for (std::size_t i = 0; i < past.size(); ++i) past[i] = std::max(past[i], other[i]);
  }

  [[nodiscard]] std::size_t previous_of(std::uint8_t thread, std::size_t step) const noexcept {
    while (step > 0 && nodes_[step - 1].thread() != thread) --step;
    return step;
  }

  const Reduction reduction_ = Reduction::none;
  const std::optional<std::size_t> most_preemptions_;
  std::vector<Node> nodes_;
  std::vector<Candidate> blocked_;  // the blocked steps where the execution turned out to be redundant
  std::size_t size_ = 0;
  std::size_t prescribed_ = 0;
  std::size_t redundant_ = 0;
  bool is_redundant_ = false;
};

}  // namespace forebay_model

#endif  // FOREBAY_TESTS_MODEL_DEPTH_FIRST_HPP
