// SPDX-License-Identifier: MIT
//
// observed_queue.hpp: ObservedQueue, a queue in a scenario. It records the history of its calls, and checks it at the
// end.

#ifndef FOREBAY_TESTS_MODEL_OBSERVED_QUEUE_HPP
#define FOREBAY_TESTS_MODEL_OBSERVED_QUEUE_HPP

#include <algorithm>
#include <cstddef>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "forebay/blocking_queue.hpp"
#include "forebay/overflow.hpp"
#include "tests/model/history.hpp"
#include "tests/model/linearizability.hpp"
#include "tests/model/scheduler.hpp"

namespace forebay_model {

/// The cause with which scenarios close queues.
struct Cause : std::runtime_error {
  Cause() : std::runtime_error("the cause") {}
};

template <class QueueKind>
class ObservedQueue {
 public:
  using Queue = typename QueueKind::Queue;
  using Item = typename QueueKind::Item;
  using Wait = typename Queue::Wait;
  using Status = forebay::QueueStatus;

  /// All executions of a scenario share the histories that were found correct.
  ObservedQueue(LinearizableHistories& right_ones, const QueueLimits& limits)
      : right_ones_(right_ones), queue_(QueueKind::options(limits.capacity, limits.min_after_dequeue)) {}

  /// The calls return true if they succeeded.
  bool enqueue(int value, const Wait& wait = {}) {
    Status status = Status::closed;
    history_.record("enqueue", [&] {
      Item item = QueueKind::make_item(value);
      status = queue_.enqueue(std::move(item), wait);
      if (status != Status::ok)
        check(QueueKind::values_of(item) == std::vector{value}, "a failed enqueue took its argument");
      return std::vector{put(value, status)};
    });
    return status == Status::ok;
  }

  /// For kinds that drop elements.
  bool enqueue(int value, forebay::DropNewest policy) {
    Status status = Status::closed;
    history_.record("enqueue", [&] {
      Item item = QueueKind::make_item(value);
      status = queue_.enqueue(std::move(item), policy);
      if (status != Status::ok)
        check(QueueKind::values_of(item) == std::vector{value}, "a dropped element was touched");
      Call call = put(value, status);
      call.drops = Call::Drops::newest;
      return std::vector{std::move(call)};
    });
    return status == Status::ok;
  }
  bool enqueue(int value, forebay::DropOldest policy) {
    Status status = Status::closed;
    history_.record("enqueue", [&] {
      Item item = QueueKind::make_item(value);
      std::optional<Item> dropped;
      status = queue_.enqueue(std::move(item), policy, dropped);
      if (status != Status::ok) {
        check(QueueKind::values_of(item) == std::vector{value}, "a dropped element was touched");
        check(!dropped.has_value(), "an element is dropped in vain");
      }
      Call call = put(value, status);
      call.drops = Call::Drops::oldest;
      if (dropped) call.dropped = QueueKind::values_of(*dropped);
      return std::vector{std::move(call)};
    });
    return status == Status::ok;
  }

  /// A handle, whose creation and end are recorded.
  auto producer() {
    return holding(false, [&] { return queue_.producer(); });
  }
  auto consumer() {
    return holding(true, [&] { return queue_.consumer(); });
  }
  template <class Handle>
  void end(Handle& handle) {
    history_.record("the end of a handle", [&] {
      handle.finish();
      Call call;
      call.action = Call::Action::release;
      call.cancels = std::is_same_v<Handle, typename Queue::Consumer>;
      return std::vector{std::move(call)};
    });
  }

  bool enqueue_many(const std::vector<int>& values, const Wait& wait = {}) {
    forebay::EnqueueManyResult result{Status::closed, 0};
    history_.record("enqueue_many", [&] {
      std::vector<Item> items;
      for (const int value : values) items.push_back(QueueKind::make_item(value));
      result = queue_.enqueue_many(std::move(items), wait);
      std::vector<Call> calls;
      for (std::size_t i = 0; i < values.size() && i <= result.count; ++i) {
        calls.push_back(put(values[i], i < result.count ? Status::ok : result.status));
        if (i > 0) calls.back().after = i - 1;
      }
      return calls;
    });
    return result.status == Status::ok;
  }

  bool dequeue(const Wait& wait = {}) {
    return take("dequeue", 1, 1, 1, [&] { return queue_.dequeue(wait); });
  }
  bool dequeue_many(std::size_t count, const Wait& wait = {}) {
    return take("dequeue_many", count, count, count, [&] { return queue_.dequeue_many(count, wait); });
  }
  bool dequeue_up_to(std::size_t count, const Wait& wait = {}) {
    return take("dequeue_up_to", count, count, 1, [&] { return queue_.dequeue_up_to(count, wait); });
  }
  bool dequeue_available(std::size_t count, const Wait& wait = {}) {
    return take("dequeue_available", 1, count, 1, [&] { return queue_.dequeue_available(count, wait); });
  }

  void close() {
    closing(false, [&] { queue_.close(); });
  }
  void close_and_cancel() {
    closing(true, [&] { queue_.close(forebay::cancel_pending_enqueues); });
  }
  void close_with_cause() {
    const auto cause = std::make_exception_ptr(Cause());
    cause_is_given_ = true;
    closing(true, [&] { queue_.close(cause); });
    cause_is_there_ = true;
  }

  /// Called when all threads have ended: takes out the remaining elements, and checks everything.
  void finish() {
    check(queue_.invariants_hold(), "the queue's invariants do not hold");
    check(queue_.waiting_producers() == 0 && queue_.waiting_consumers() == 0, "somebody is left in a line");
    closing(false, [&] { queue_.close(); });
    while (dequeue(forebay::no_wait)) {
    }
    check(queue_.size() == 0, "something is left in a drained queue");
    check_conservation();
    if (!right_ones_.contain(history_.calls())) fail_with_history();
  }

  [[nodiscard]] Queue& queue() noexcept { return queue_; }
  [[nodiscard]] History& history() noexcept { return history_; }

 private:
  static Call put(int value, Status status) {
    Call call;
    call.action = Call::Action::enqueue;
    call.values = {value};
    call.status = status;
    return call;
  }

  template <class Make>
  auto holding(bool consumes, Make make) {
    std::optional<decltype(make())> handle;
    history_.record("a new handle", [&] {
      handle.emplace(make());
      Call call;
      call.action = Call::Action::hold;
      call.cancels = consumes;
      return std::vector{std::move(call)};
    });
    return *std::move(handle);
  }

  template <class Dequeue>
  bool take(const char* what, std::size_t least, std::size_t most, std::size_t least_at_end, Dequeue dequeue) {
    Status status = Status::closed;
    history_.record(what, [&] {
      Call call;
      call.action = Call::Action::dequeue;
      call.least = least;
      call.most = most;
      call.least_at_end = least_at_end;
      const bool must_throw = cause_is_there_;
      try {
        const auto taken = dequeue();
        status = taken.status();
        if (taken) call.values = QueueKind::values_of(*taken);
        check(!must_throw || status != Status::closed, "a dequeue takes a failure for the end");
      } catch (const Cause&) {
        check(cause_is_given_, "a dequeue throws a cause that nobody gave");
      }
      call.status = status;
      return std::vector{std::move(call)};
    });
    return status == Status::ok;
  }

  template <class Close>
  void closing(bool cancels, Close close) {
    history_.record("close", [&] {
      Call call;
      call.cancels = cancels;
      close();
      return std::vector{std::move(call)};
    });
  }

  void check_conservation() const {
    std::vector<int> in;
    std::vector<int> out;
    for (const Call& call : history_.calls()) {
      if (call.status != Status::ok) continue;
      if (call.action != Call::Action::enqueue && call.action != Call::Action::dequeue) continue;
      std::vector<int>& values = call.action == Call::Action::enqueue ? in : out;
      values.insert(values.end(), call.values.begin(), call.values.end());
      out.insert(out.end(), call.dropped.begin(), call.dropped.end());
    }
    std::sort(in.begin(), in.end());
    std::sort(out.begin(), out.end());
    check(std::includes(out.begin(), out.end(), in.begin(), in.end()), "an element is lost");
    check(in.size() == out.size(), "an element came out that did not go in, or twice");
  }

  [[noreturn]] void fail_with_history() const {
    std::string text = "no sequential queue does this:";
    for (const Call& call : history_.calls()) text += "\n  " + to_string(call);
    Scheduler::current().fail(text);
  }

  LinearizableHistories& right_ones_;
  Queue queue_;
  History history_;
  bool cause_is_given_ = false;
  bool cause_is_there_ = false;
};

}  // namespace forebay_model

#endif  // FOREBAY_TESTS_MODEL_OBSERVED_QUEUE_HPP
