// SPDX-License-Identifier: MIT
//
// any_scenarios.hpp: threads that wait for either of two queues, beside threads that wait for one. All calls have to
// return, and each element has to be received exactly once.

#ifndef FOREBAY_TESTS_MODEL_ANY_SCENARIOS_HPP
#define FOREBAY_TESTS_MODEL_ANY_SCENARIOS_HPP

#include <array>
#include <bit>
#include <chrono>
#include <cstddef>
#include <exception>
#include <optional>
#include <tuple>

#include "forebay/dequeue_any.hpp"
#include "forebay/queue_status.hpp"
#include "tests/model/explore.hpp"
#include "tests/model/model_stop.hpp"
#include "tests/model/observed_queue.hpp"
#include "tests/model/queue_kinds.hpp"
#include "tests/model/threads.hpp"

namespace forebay_model {

template <class QueueKind>
class AnyScenarios {
 public:
  /// Two calls share what two queues supply.
  static void two_calls() {
    Pair pair;
    run_together([&] { pair.dequeue_any(); }, [&] { pair.dequeue_any(); }, [&] { pair.enqueue(0, 1); },
                 [&] { pair.enqueue(1, 2); });
    check(pair.taken() == 2, "somebody returned without an element");
    pair.require_conserved();
  }

  /// Both queues may choose the call. It takes one element; the other one has to go to the call that waits at its
  /// queue.
  static void what_is_not_taken_is_passed_on() {
    Pair pair;
    run_together(
        [&] {
          if (pair.dequeue_any() == std::size_t{1}) pair.enqueue(1, 3);
        },
        [&] { pair.dequeue(1); }, [&] { pair.enqueue(0, 1); }, [&] { pair.enqueue(1, 2); });
    pair.require_conserved();
    check(pair.taken() >= 2, "somebody returned without an element");
  }

  /// Taking an element releases the producer that waits for room.
  static void a_producer_waits_for_room() {
    Pair pair;
    pair.enqueue(0, 1);
    run_together([&] { pair.dequeue_any(); }, [&] { pair.enqueue(0, 2); }, [&] { pair.dequeue_any(); });
    check(pair.taken() == 2, "somebody returned without an element");
    pair.require_conserved();
  }

  /// The call skips a closed and drained queue. It ends when both queues are closed and drained.
  static void both_are_closed() {
    Pair pair;
    run_together(
        [&] {
          while (pair.dequeue_any()) {
          }
        },
        [&] { pair.enqueue(0, 1), pair.queues[0].close(); }, [&] { pair.queues[1].close(); });
    check(pair.taken() == 1, "the element was not delivered");
    pair.require_conserved();
  }

  /// Both queues may choose the call while one of them ends. What the call leaves there has to go to the call behind.
  static void what_is_not_taken_at_the_end_is_passed_on() {
    Pair pair;
    run_together([&] { pair.dequeue_any(); },
                 [&] {
                   while (pair.dequeue_unless_closed(0)) {
                   }
                 },
                 [&] { pair.enqueue(1, 2), pair.enqueue(0, 1), pair.queues[0].close(); });
    check(pair.queues[0].size() == 0, "an element was left");
    pair.require_conserved();
  }

  /// The same, but what the call leaves has to be destroyed.
  static void what_is_not_taken_is_discarded() {
    Pair pair;
    run_together([&] { pair.dequeue_any(); },
                 [&] {
                   pair.enqueue(1, 2), pair.enqueue(0, 1), pair.queues[0].close(forebay::discard_elements);
                   check(pair.queues[0].size() == 0, "an element was left");
                 });
    check(pair.queues[0].invariants_hold() && pair.queues[1].invariants_hold(), "an invariant does not hold");
  }

  /// The call throws the cause, however late it joins the line of that queue.
  static void one_is_closed_with_a_cause() {
    Pair pair;
    bool told = false;
    run_together([&] { told = pair.is_told_a_cause(); },
                 [&] { pair.queues[1].close(std::make_exception_ptr(Cause())); });
    check(told, "the call has not told the cause");
  }

  /// One queue fails and the other one ends, in either order, before, between or after the call's looks at them.
  static void one_fails_and_the_other_ends() {
    Pair pair;
    bool told = false;
    run_together([&] { told = pair.is_told_a_cause(); },
                 [&] { pair.queues[0].close(std::make_exception_ptr(Cause())); }, [&] { pair.queues[1].close(); });
    check(told, "the call has not told the cause");
    pair.require_conserved();
  }

  /// The same with a third queue that stays open and empty.
  static void one_fails_another_ends_the_third_is_open() {
    Pair pair;
    typename Pair::Queue open(QueueKind::options(1, 0));
    bool told = false;
    run_together(
        [&] {
          try {
            std::ignore = forebay::dequeue_any(open, pair.queues[0], pair.queues[1]);
          } catch (const Cause&) {
            told = true;
          }
        },
        [&] { pair.queues[0].close(std::make_exception_ptr(Cause())), pair.queues[1].close(); });
    check(told, "the call has not told the cause");
    check(open.waiting_consumers() == 0, "somebody is still in line");
    pair.require_conserved();
  }

  /// A queue gets its cause after it has ended, but before all queues have.
  static void a_queue_that_ended_gets_a_cause() {
    Pair pair;
    bool told = false;
    run_together([&] { told = pair.is_told_a_cause(); },
                 [&] {
                   pair.queues[0].close();
                   pair.queues[0].close(std::make_exception_ptr(Cause()));
                   pair.queues[1].close();
                 });
    check(told, "the call has not told the cause");
    pair.require_conserved();
  }

  /// One queue fails while the other one supplies an element. The exception must not lose that element.
  static void an_element_comes_beside_a_cause() {
    Pair pair;
    run_together(
        [&] {
          try {
            pair.dequeue_any();
          } catch (const Cause&) {  // the other correct result
          }
        },
        [&] { pair.enqueue(0, 1); }, [&] { pair.queues[1].close(std::make_exception_ptr(Cause())); });
    pair.require_conserved();
  }

  /// The call may give up just when it is chosen. Then the element goes to the next call in line.
  static void the_call_times_out() {
    Pair pair;
    run_together(
        [&] {
          if (pair.dequeue_any(std::chrono::milliseconds(1))) pair.enqueue(0, 2);
        },
        [&] { pair.dequeue(0); }, [&] { pair.enqueue(0, 1); });
    pair.require_conserved();
  }

  static void the_call_is_stopped() {
    Pair pair;
    const ModelStopSource source;
    run_together(
        [&] {
          if (pair.dequeue_any(source.get_token())) pair.enqueue(0, 2);
        },
        [&] { pair.dequeue(0); }, [&] { pair.enqueue(0, 1); }, [&] { source.request_stop(); });
    pair.require_conserved();
  }

  /// The call is in the same line twice.
  static void a_queue_is_listed_twice() {
    Pair pair;
    run_together([&] { check(forebay::dequeue_any(pair.queues[0], pair.queues[0]).has_value(), "closed"); },
                 [&] { check(pair.queues[0].dequeue().has_value(), "closed"); },
                 [&] { pair.enqueue(0, 1), pair.enqueue(0, 2); });
    check(pair.queues[0].size() == 0, "an element was left");
  }

 private:
  /// Two queues of capacity 1, and a record of which elements they contain. Values are below 32, and each is enqueued
  /// once per queue.
  struct Pair {
    using Queue = typename QueueKind::Queue;
    using Item = typename QueueKind::Item;
    using Wait = typename Queue::Wait;

    std::array<Queue, 2> queues{Queue(QueueKind::options(1, 0)), Queue(QueueKind::options(1, 0))};

    void enqueue(std::size_t index, int value) {
      stored_[index] |= bit(value);
      check(queues[index].enqueue(QueueKind::make_item(value)) == forebay::QueueStatus::ok, "the queue was closed");
    }

    void dequeue(std::size_t index) { check(dequeue_unless_closed(index), "the queue was closed"); }

    bool dequeue_unless_closed(std::size_t index) {
      const auto item = queues[index].dequeue();
      if (item) take(index, *item);
      return item.has_value();
    }

    /// Returns the index of the queue from which the element came.
    std::optional<std::size_t> dequeue_any(const Wait& wait = Wait::forever) {
      const auto taken = forebay::dequeue_any(wait, queues[0], queues[1]);
      if (!taken) return std::nullopt;
      take(taken->index, taken->element);
      return taken->index;
    }

    /// Returns whether a call throws the cause.
    bool is_told_a_cause() {
      try {
        dequeue_any();
      } catch (const Cause&) {
        return true;
      }
      return false;
    }

    [[nodiscard]] int taken() const noexcept { return taken_; }

    void require_conserved() const {
      for (std::size_t i = 0; i < queues.size(); ++i) {
        check(queues[i].size() == static_cast<std::size_t>(std::popcount(stored_[i])), "an element was lost");
        check(queues[i].invariants_hold(), "an invariant does not hold");
        check(queues[i].waiting_consumers() == 0, "somebody is still in line");
      }
    }

   private:
    static constexpr unsigned bit(int value) noexcept { return 1U << static_cast<unsigned>(value); }

    void take(std::size_t index, const Item& item) {
      const unsigned taken = bit(QueueKind::values_of(item).front());
      check((stored_[index] & taken) != 0, "an element was doubled, or came from elsewhere");
      stored_[index] &= ~taken;
      ++taken_;
    }

    std::array<unsigned, 2> stored_{};
    int taken_ = 0;
  };
};

}  // namespace forebay_model

#endif  // FOREBAY_TESTS_MODEL_ANY_SCENARIOS_HPP
