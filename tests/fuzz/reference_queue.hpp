// SPDX-License-Identifier: MIT
//
// reference_queue.hpp: ReferenceQueue, the contract as a sequential program: the result that a call must have. (The one
// in tests/model judges concurrent calls: it says whether a result was possible.)

#ifndef FOREBAY_TESTS_FUZZ_REFERENCE_QUEUE_HPP
#define FOREBAY_TESTS_FUZZ_REFERENCE_QUEUE_HPP

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "forebay/queue_status.hpp"
#include "tests/fuzz/require.hpp"

namespace forebay_fuzz {

inline constexpr int priorities = 4;
inline int priority(int number) { return number % priorities; }

enum class Order { of_arrival, any, in_window, by_priority };

/// How a call ends: with how many elements, or with which cause.
struct Outcome {
  enum class End { returned, rejected, cause, failed } end = End::returned;
  forebay::QueueStatus status = forebay::QueueStatus::ok;
  std::size_t count = 0;

  friend bool operator==(const Outcome&, const Outcome&) = default;
};
inline constexpr Outcome rejected{Outcome::End::rejected};

struct Demand {
  std::size_t least;
  std::size_t most;
  std::size_t least_at_end;
};

struct Limits {
  std::size_t capacity;
  std::size_t min_after_dequeue;
  bool batch_may_exceed_capacity;
};

/// Stores numbers, with the oldest first.
class ReferenceQueue {
 public:
  ReferenceQueue(Limits limits, Order order) : limits_(limits), order_(order) {}

  [[nodiscard]] std::size_t size() const { return stored_.size(); }
  [[nodiscard]] bool is_closed() const { return closed_; }

  /// Closes with the cause of this number, or without a cause.
  void close(std::optional<std::size_t> cause) {
    closed_ = true;
    if (!cause_) cause_ = cause;
  }

  /// Returns the outcome of an enqueue of `wanted` elements, the first `acceptable` of which the queue accepts.
  [[nodiscard]] Outcome enqueue(std::size_t wanted, std::size_t acceptable, forebay::QueueStatus not_now) const {
    if (wanted == 0) return {};
    if (closed_) return {.status = forebay::QueueStatus::closed};
    const std::size_t fits = std::min(wanted, limits_.capacity - stored_.size());
    if (acceptable < fits) return {.end = Outcome::End::rejected, .count = acceptable};
    return {.status = fits == wanted ? forebay::QueueStatus::ok : not_now, .count = fits};
  }
  void put(int number) { stored_.push_back(number); }

  [[nodiscard]] Outcome dequeue(const Demand& demand, forebay::QueueStatus not_now) const {
    if (demand.least > limits_.capacity && !limits_.batch_may_exceed_capacity) return rejected;
    if (demand.most == 0) return {};
    const std::size_t reserve = closed_ ? 0 : limits_.min_after_dequeue;
    const std::size_t available = stored_.size() - std::min(stored_.size(), reserve);
    const std::size_t least = closed_ ? demand.least_at_end : demand.least;
    if (available >= least) return {.count = std::min(available, demand.most)};
    if (!closed_) return {.status = not_now};
    return cause_ ? Outcome{.end = Outcome::End::cause, .count = *cause_}
                  : Outcome{.status = forebay::QueueStatus::closed};
  }

  /// Removes an element that has left the queue.
  void take(int number) {
    const auto next = next_to_leave(number);
    require(next != stored_.end() && *next == number, "an element leaves that was not the next");
    stored_.erase(next);
  }

 private:
  std::vector<int>::iterator next_to_leave(int number) {
    switch (order_) {
      case Order::of_arrival: return stored_.begin();
      case Order::any: return std::ranges::find(stored_, number);
      case Order::in_window: return std::find(stored_.begin(), end_of_window(), number);
      case Order::by_priority: return std::ranges::min_element(stored_, {}, priority);
    }
    return stored_.end();
  }

  /// Returns the end of the elements to draw from; min_after_dequeue of them stay in the queue.
  std::vector<int>::iterator end_of_window() {
    return stored_.begin() + static_cast<std::ptrdiff_t>(std::min(stored_.size(), limits_.min_after_dequeue + 1));
  }

  Limits limits_;
  Order order_;
  std::vector<int> stored_;
  bool closed_ = false;
  std::optional<std::size_t> cause_;
};

}  // namespace forebay_fuzz

#endif  // FOREBAY_TESTS_FUZZ_REFERENCE_QUEUE_HPP
