// SPDX-License-Identifier: MIT
//
// reference_queue.hpp: ReferenceQueue, the contract of a queue as a sequential program: the possible results of a call
// that happens at one moment.

#ifndef FOREBAY_TESTS_MODEL_REFERENCE_QUEUE_HPP
#define FOREBAY_TESTS_MODEL_REFERENCE_QUEUE_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "tests/model/history.hpp"

namespace forebay_model {

/// Returns the index in `stored` (oldest first) of the element `value` that may leave next, or nothing if none may.
using MayLeave = std::optional<std::size_t> (*)(const std::vector<int>& stored, int value);

struct QueueLimits {
  std::size_t capacity;
  std::size_t min_after_dequeue = 0;
  MayLeave may_leave;
  bool in_steps = false;  ///< batches move in several steps, so an enqueue may find that some elements are still there
};

/// The circumstances of a call.
struct Surroundings {
  bool contended = false;              ///< another call of its kind waits, so this one may have to line up after it
  std::size_t gathered_elsewhere = 0;  ///< elements in batches larger than the capacity that are not complete yet
  bool called_before_close = true;     ///< an enqueue that waited when the queue was closed completes
  bool more_of_batch_follows = false;  ///< enqueue_many: the next element goes in, too
  bool batch_may_move = false;         ///< a dequeue of several elements is in progress
};

class ReferenceQueue {
 public:
  explicit ReferenceQueue(const QueueLimits& limits) : limits_(limits) {}

  /// Returns whether `call` may happen now with its result. If so, performs it.
  [[nodiscard]] bool happens(const Call& call, std::size_t index, const Surroundings& around) {
    switch (call.action) {
      case Call::Action::enqueue: return enqueue(call, index, around);
      case Call::Action::dequeue: return dequeue(call, around);
      case Call::Action::close: return close(call.cancels);
      case Call::Action::hold: return hold(call);
      case Call::Action::release: return release(call);
    }
    return false;
  }

  [[nodiscard]] const std::vector<int>& stored() const noexcept { return stored_; }

 private:
  bool enqueue(const Call& call, std::size_t index, const Surroundings& around) {
    const bool full = stored_.size() >= limits_.capacity + around.gathered_elsewhere;
    if (call.status == forebay::QueueStatus::closed) return closed_;
    if (call.drops == Call::Drops::oldest && call.status == forebay::QueueStatus::full)
      return around.contended || around.batch_may_move;
    if (!call.dropped.empty()) return replace(call, around);
    if (call.status != forebay::QueueStatus::ok)
      return stored_.size() >= limits_.capacity || around.contended || (limits_.in_steps && around.batch_may_move);
    if (full || ended_ || cancelled_ || (closed_ && !around.called_before_close)) return false;
    if (unfinished_batch_ != Call::none && call.after != unfinished_batch_) return false;
    unfinished_batch_ = around.more_of_batch_follows ? index : Call::none;
    stored_.push_back(call.values.front());
    return true;
  }

  /// Elements that a batch has gathered precede the oldest one that may be dropped.
  bool replace(const Call& call, const Surroundings& around) {
    const auto oldest = std::find(stored_.begin(), stored_.end(), call.dropped.front());
    if (oldest == stored_.end() || oldest - stored_.begin() > std::ptrdiff_t(around.gathered_elsewhere)) return false;
    if (closed_ || (stored_.size() < limits_.capacity && !around.contended)) return false;
    stored_.erase(oldest);
    stored_.push_back(call.values.front());
    return true;
  }

  bool dequeue(const Call& call, const Surroundings& around) {
    if (call.status == forebay::QueueStatus::ok) return take(call, around);
    if (call.status == forebay::QueueStatus::closed) {
      ended_ = true;
      return closed_ && (stored_.size() < call.least_at_end || around.contended);
    }
    return available() < call.least || around.contended;
  }

  bool take(const Call& call, const Surroundings& around) {
    const std::size_t count = call.values.size();
    if (count > call.most || count > available() || count < call.least_at_end) return false;
    for (const int value : call.values) {
      const auto index = limits_.may_leave(stored_, value);
      if (!index) return false;
      stored_.erase(stored_.begin() + static_cast<std::ptrdiff_t>(*index));
    }
    if (count >= call.least) return true;
    ended_ = true;  // the call knew that no more can arrive
    return closed_ && (stored_.empty() || around.contended);
  }

  bool close(bool cancels) {
    closed_ = true;
    cancelled_ = cancelled_ || cancels;
    return true;
  }

  bool hold(const Call& call) {
    ++holds_.at(call.cancels ? 1 : 0);
    return true;
  }
  bool release(const Call& call) {
    if (--holds_.at(call.cancels ? 1 : 0) == 0) close(call.cancels);
    return true;
  }

  [[nodiscard]] std::size_t available() const noexcept {
    const std::size_t reserve = closed_ ? 0 : limits_.min_after_dequeue;
    return stored_.size() < reserve ? 0 : stored_.size() - reserve;
  }

  QueueLimits limits_;
  std::vector<int> stored_;
  std::size_t unfinished_batch_ = Call::none;
  bool closed_ = false;
  bool cancelled_ = false;
  bool ended_ = false;
  std::array<int, 2> holds_{};  // of producers, of consumers
};

}  // namespace forebay_model

#endif  // FOREBAY_TESTS_MODEL_REFERENCE_QUEUE_HPP
