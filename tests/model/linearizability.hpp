// SPDX-License-Identifier: MIT
//
// linearizability.hpp: Linearizability checks a history: can each call have happened at one moment between its call and
// its result? A sequential queue has to give the same results in that order (J. Wing and C. Gong's search).

#ifndef FOREBAY_TESTS_MODEL_LINEARIZABILITY_HPP
#define FOREBAY_TESTS_MODEL_LINEARIZABILITY_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

#include "tests/model/history.hpp"
#include "tests/model/reference_queue.hpp"

namespace forebay_model {

class Linearizability {
 public:
  Linearizability(const std::vector<Call>& calls, const QueueLimits& limits) : calls_(calls), limits_(limits) {}

  /// Requires at most 32 calls.
  [[nodiscard]] bool holds() { return go_on(ReferenceQueue(limits_), 0); }

 private:
  using Done = std::uint32_t;

  bool go_on(const ReferenceQueue& queue, Done done) {
    bool all_done = true;
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      if (is_done(done, i)) continue;
      all_done = false;
      if (!may_be_next(done, i)) continue;
      ReferenceQueue after = queue;
      if (!after.happens(calls_[i], i, surroundings(done, i))) continue;
      const Done with_it = done | (Done{1} << i);
      if (!visited_.insert(state(after, with_it)).second) continue;
      if (go_on(after, with_it)) return true;
    }
    return all_done;
  }

  static bool is_done(Done done, std::size_t i) noexcept { return (done >> i & 1U) != 0; }

  [[nodiscard]] bool may_be_next(Done done, std::size_t i) const {
    if (calls_[i].after != Call::none && !is_done(done, calls_[i].after)) return false;
    for (std::size_t j = 0; j < calls_.size(); ++j) {
      if (!is_done(done, j) && calls_[j].returned < calls_[i].called) return false;
    }
    return true;
  }

  [[nodiscard]] Surroundings surroundings(Done done, std::size_t i) const {
    const Call& call = calls_[i];
    Surroundings around;
    around.called_before_close = !closed_before(call.called);
    for (std::size_t j = 0; j < calls_.size(); ++j) {
      const Call& other = calls_[j];
      if (other.after == i && other.status == forebay::QueueStatus::ok) around.more_of_batch_follows = true;
      if (j == i || other.called > call.returned || other.returned < call.called) continue;
      if (other.action == call.action) around.contended = true;
      if (other.action == Call::Action::dequeue && other.most > 1) around.batch_may_move = true;
      const bool gathers = other.action == Call::Action::dequeue &&
                           other.least > limits_.capacity - limits_.min_after_dequeue && !is_done(done, j);
      if (gathers) around.gathered_elsewhere += other.least;
    }
    return around;
  }

  /// Returns whether a close, or the last release of a side, had returned at that time.
  [[nodiscard]] bool closed_before(std::size_t time) const {
    std::array<int, 2> holds{};
    std::array<int, 2> releases{};
    for (const Call& call : calls_) {
      const std::size_t side = call.cancels ? 1 : 0;
      if (call.action == Call::Action::hold) ++holds.at(side);
      if (call.returned >= time) continue;
      if (call.action == Call::Action::close) return true;
      if (call.action == Call::Action::release) ++releases.at(side);
    }
    return (holds[0] > 0 && holds[0] == releases[0]) || (holds[1] > 0 && holds[1] == releases[1]);
  }

  static std::string state(const ReferenceQueue& queue, Done done) {
    std::string text = std::to_string(done);
    for (const int value : queue.stored()) text += " " + std::to_string(value);
    return text;
  }

  const std::vector<Call>& calls_;
  const QueueLimits limits_;
  std::unordered_set<std::string> visited_;
};

/// Remembers correct histories. Most executions have a history that was seen before.
class LinearizableHistories {
 public:
  explicit LinearizableHistories(const QueueLimits& limits) : limits_(limits) {}

  [[nodiscard]] bool contain(const std::vector<Call>& calls) {
    std::string key;
    for (const Call& call : calls) append(key, call);
    if (known_.contains(key)) return true;
    if (!Linearizability(calls, limits_).holds()) return false;
    known_.insert(std::move(key));
    return true;
  }

  [[nodiscard]] std::size_t size() const noexcept { return known_.size(); }

 private:
  static void append(std::string& key, const Call& call) {
    for (const std::size_t number :
         {static_cast<std::size_t>(call.action), static_cast<std::size_t>(call.status), call.least, call.most,
          call.least_at_end, call.cancels ? std::size_t{1} : 0, call.after, call.called, call.returned,
          static_cast<std::size_t>(call.drops), call.dropped.size(), call.values.size()}) {
      key.push_back(static_cast<char>(number));
    }
    for (const int value : call.values) key.push_back(static_cast<char>(value));
    for (const int value : call.dropped) key.push_back(static_cast<char>(value));
  }

  const QueueLimits limits_;
  std::unordered_set<std::string> known_;
};

}  // namespace forebay_model

#endif  // FOREBAY_TESTS_MODEL_LINEARIZABILITY_HPP
