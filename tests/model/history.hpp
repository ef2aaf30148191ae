// SPDX-License-Identifier: MIT
//
// history.hpp: History, the calls on a queue and their results, in the order in which they happened.

#ifndef FOREBAY_TESTS_MODEL_HISTORY_HPP
#define FOREBAY_TESTS_MODEL_HISTORY_HPP

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "forebay/queue_status.hpp"
#include "tests/model/scheduler.hpp"

namespace forebay_model {

/// One call with its result. An enqueue_many is recorded as consecutive Calls, one for each element.
struct Call {
  enum class Action { enqueue, dequeue, close, hold, release };
  enum class Drops { nothing, newest, oldest };
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  Action action = Action::close;
  std::vector<int> values;  ///< the enqueued element, or the dequeued ones
  forebay::QueueStatus status = forebay::QueueStatus::ok;
  std::size_t least = 1;         ///< dequeue: the minimum while more elements may arrive
  std::size_t most = 1;          ///< dequeue: the maximum
  std::size_t least_at_end = 1;  ///< dequeue: the minimum when no more can arrive
  bool cancels = false;          ///< close: rejects the pending enqueues; hold, release: of a consumer
  Drops drops = Drops::nothing;  ///< enqueue: what it drops instead of waiting
  std::vector<int> dropped{};    ///< enqueue: the element that made room
  std::size_t after = none;      ///< enqueue_many: the preceding element
  std::size_t called = 0;        ///< when it was called, as a number of calls and results
  std::size_t returned = 0;      ///< when it returned
};

[[nodiscard]] inline std::string to_string(const Call& call) {
  constexpr const char* names[] = {"enqueue", "dequeue", "close", "hold", "release"};
  std::string text = names[static_cast<std::size_t>(call.action)];
  if (call.action == Call::Action::dequeue) {
    text +=
        " " + std::to_string(call.least) + ".." + std::to_string(call.most) + "/" + std::to_string(call.least_at_end);
  }
  if (call.cancels) text += " cancel";
  if (call.drops != Call::Drops::nothing) text += call.drops == Call::Drops::newest ? " newest" : " oldest";
  for (const int value : call.values) text += " " + std::to_string(value);
  for (const int value : call.dropped) text += " instead of " + std::to_string(value);
  text += std::string(" -> ") + forebay::to_string(call.status);
  if (call.after != Call::none) text += " (same batch)";
  return text + " [" + std::to_string(call.called) + "," + std::to_string(call.returned) + "]";
}

class History {
 public:
  /// Records the calls that `run` returns. All of them last as long as `run` does.
  template <class Run>
  void record(const char* what, Run run) {
    const std::size_t called = event(Kind::call, false, what);
    std::vector<Call> added = run();
    const std::size_t returned = event(Kind::result, true, what);
    const std::size_t first = calls_.size();
    for (Call& call : added) {
      call.called = called;
      call.returned = returned;
      if (call.after != Call::none) call.after += first;
      if (Scheduler::current().tracing()) Scheduler::current().trace("  " + to_string(call));
      calls_.push_back(std::move(call));
    }
  }

  [[nodiscard]] const std::vector<Call>& calls() const noexcept { return calls_; }

 private:
  std::size_t event(Kind kind, bool is_result, const char* what) {
    Scheduler& scheduler = Scheduler::current();
    if (scheduler.model().real_time) {
      scheduler.perform({.kind = kind, .object = history_object, .writes = is_result});
    }
    if (scheduler.tracing()) scheduler.trace(std::string("  ") + name_of(kind) + " of " + what);
    return events_++;
  }

  std::size_t events_ = 0;
  std::vector<Call> calls_;
};

}  // namespace forebay_model

#endif  // FOREBAY_TESTS_MODEL_HISTORY_HPP
