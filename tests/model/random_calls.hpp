// SPDX-License-Identifier: MIT
//
// random_calls.hpp: random_calls(), scenarios of three threads that make random calls of a queue. The calls have short
// waits, so batches give their elements back while others gather, drop elements, or close the queue. Needs a kind whose
// batches move in steps.

#ifndef FOREBAY_TESTS_MODEL_RANDOM_CALLS_HPP
#define FOREBAY_TESTS_MODEL_RANDOM_CALLS_HPP

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <numeric>
#include <vector>

#include "forebay/overflow.hpp"
#include "tests/model/explore.hpp"
#include "tests/model/linearizability.hpp"
#include "tests/model/observed_queue.hpp"
#include "tests/model/reference_queue.hpp"
#include "tests/model/threads.hpp"
#include "tests/support/dice.hpp"

namespace forebay_model {

template <class QueueKind>
class CallDrawer {
 public:
  using Observed = ObservedQueue<QueueKind>;
  using Call = std::function<void(Observed&)>;

  CallDrawer(int seed, std::size_t capacity) : dice_(seed), capacity_(capacity) {}

  std::vector<Call> draw(std::size_t count) {
    std::vector<Call> calls;
    while (calls.size() < count) calls.push_back(dice_.up_to(2) == 1 ? draw_enqueue() : draw_dequeue());
    return calls;
  }

 private:
  using Wait = typename Observed::Wait;
  static constexpr bool drops = QueueKind::accumulates && !QueueKind::has_min_after_dequeue;

  static Wait wait(bool is_short) {
    if (is_short) return std::chrono::milliseconds(1);
    return forebay::no_wait;
  }

  Call draw_enqueue() {
    const int value = next_;
    next_ += 3;
    const bool is_short = dice_.up_to(2) == 1;
    if constexpr (drops) {
      switch (dice_.up_to(4)) {
        case 1: return [value](Observed& queue) { queue.enqueue(value, forebay::drop_newest); };
        case 2:
        case 3: return [value](Observed& queue) { queue.enqueue(value, forebay::drop_oldest); };
        default: break;
      }
    }
    if (dice_.up_to(2) == 1) return [value, is_short](Observed& queue) { queue.enqueue(value, wait(is_short)); };
    return [value, is_short](Observed& queue) { queue.enqueue_many({value, value + 1, value + 2}, wait(is_short)); };
  }

  Call draw_dequeue() {
    const bool is_short = dice_.up_to(3) > 1;
    const std::size_t count = dice_.up_to(QueueKind::accumulates ? 2 * capacity_ + 1 : capacity_);
    switch (dice_.up_to(6)) {
      case 1: return [is_short](Observed& queue) { queue.dequeue(wait(is_short)); };
      case 2: return [is_short, count](Observed& queue) { queue.dequeue_available(count, wait(is_short)); };
      case 3: return [is_short, count](Observed& queue) { queue.dequeue_up_to(count, wait(is_short)); };
      case 4: return [](Observed& queue) { queue.close(); };
      default: return [is_short, count](Observed& queue) { queue.dequeue_many(count, wait(is_short)); };
    }
  }

  forebay_test::Dice dice_;
  const std::size_t capacity_;
  int next_ = 100;
};

/// Draws the calls of three threads. Before, a batch gathers all elements and gives them back.
template <class QueueKind>
Scenario random_calls(int seed, std::size_t capacity) {
  using Drawer = CallDrawer<QueueKind>;
  using Observed = typename Drawer::Observed;
  const QueueLimits limits{capacity, 0, &QueueKind::may_leave, true};
  Drawer drawer(seed, capacity);
  const auto calls = std::make_shared<const std::vector<std::vector<typename Drawer::Call>>>(
      std::vector{drawer.draw(1), drawer.draw(2), drawer.draw(2)});
  return [calls, limits, right_ones = std::make_shared<LinearizableHistories>(limits)] {
    Observed queue(*right_ones, limits);
    std::vector<int> stored(limits.capacity);
    std::iota(stored.begin(), stored.end(), 1);
    queue.enqueue_many(stored);
    if (QueueKind::accumulates) queue.dequeue_many(2 * limits.capacity + 1, std::chrono::milliseconds(1));
    const auto run = [&](std::size_t thread) {
      return [&, thread] {
        for (const auto& call : (*calls)[thread]) call(queue);
      };
    };
    run_together(run(0), run(1), run(2));
    queue.finish();
  };
}

}  // namespace forebay_model

#endif  // FOREBAY_TESTS_MODEL_RANDOM_CALLS_HPP
