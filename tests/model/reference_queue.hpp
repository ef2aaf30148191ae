// SPDX-License-Identifier: MIT
//
// reference_queue.hpp: ReferenceQueue, the contract of a queue as a sequential program: the possible results of a call
// that happens at one moment.

#ifndef FOREBAY_TESTS_MODEL_REFERENCE_QUEUE_HPP
#define FOREBAY_TESTS_MODEL_REFERENCE_QUEUE_HPP

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
};

/// The circumstances of a call.
struct Surroundings {
  bool contended = false;              ///< another call of its kind waits, so this one may have to line up after it
  std::size_t gathered_elsewhere = 0;  ///< elements in batches larger than the capacity that are not complete yet
  bool called_before_close = true;     ///< an enqueue that waited when the queue was closed completes
  bool more_of_batch_follows = false;  ///< enqueue_many: the next element goes in, too
};

class ReferenceQueue {
 public:
  explicit ReferenceQueue(const QueueLimits& limits) : limits_(limits) {}

  /// Returns whether `call` may happen now with its result. If so, performs it.
  [[nodiscard]] bool happens(const Call& call, std::size_t index, const Surroundings& around) {
    switch (call.action) {
      case Call::Action::enqueue: return enqueue(call, index, around);
      case Call::Action::dequeue: return dequeue(call, around);
      case Call::Action::close: return close(call);
    }
    return false;
  }

  [[nodiscard]] const std::vector<int>& stored() const noexcept { return stored_; }

 private:
  bool enqueue(const Call& call, std::size_t index, const Surroundings& around) {
    const bool full = stored_.size() >= limits_.capacity + around.gathered_elsewhere;
    if (call.status == forebay::QueueStatus::closed) return closed_;
    if (call.status != forebay::QueueStatus::ok) return stored_.size() >= limits_.capacity || around.contended;
    if (full || ended_ || cancelled_ || (closed_ && !around.called_before_close)) return false;
    if (unfinished_batch_ != Call::none && call.after != unfinished_batch_) return false;
    unfinished_batch_ = around.more_of_batch_follows ? index : Call::none;
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

  bool close(const Call& call) {
    closed_ = true;
    cancelled_ = cancelled_ || call.cancels;
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
};

}  // namespace forebay_model

#endif  // FOREBAY_TESTS_MODEL_REFERENCE_QUEUE_HPP
