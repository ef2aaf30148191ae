// SPDX-License-Identifier: MIT
//
// queue_scenarios.hpp: scenarios of threads with one queue, for every kind of queue. Each function is one scenario. The
// first thread makes the queue and joins the others; at the end the history is checked (ObservedQueue::finish).
//
// A close wakes all threads and so hides lost wake-ups: there are scenarios with and without one.

#ifndef FOREBAY_TESTS_MODEL_QUEUE_SCENARIOS_HPP
#define FOREBAY_TESTS_MODEL_QUEUE_SCENARIOS_HPP

#include <chrono>
#include <concepts>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "forebay/coordinator.hpp"
#include "forebay/overflow.hpp"
#include "tests/model/explore.hpp"
#include "tests/model/model_sync.hpp"
#include "tests/model/observed_queue.hpp"
#include "tests/model/threads.hpp"

namespace forebay_model {

using forebay::drop_newest;
using forebay::drop_oldest;
using forebay::no_wait;

template <class QueueKind>
class QueueScenarios {
 public:
  using Observed = ObservedQueue<QueueKind>;
  static constexpr std::chrono::milliseconds short_time{1};

  // ---- Two by two

  static Scenario two_by_two(std::size_t capacity = 1) {
    return with_queue(capacity, [](Observed& queue) {
      const auto consume = [&] { queue.dequeue(); };
      run_together([&] { queue.enqueue(1); }, [&] { queue.enqueue(2); }, consume, consume);
    });
  }

  static Scenario two_by_two_twice(std::size_t capacity = 1) {
    return with_queue(capacity, [](Observed& queue) {
      const auto consume = [&] {
        queue.dequeue();
        queue.dequeue();
      };
      const auto produce = [&](int first) {
        queue.enqueue(first);
        queue.enqueue(first + 1);
      };
      run_together([&] { produce(1); }, [&] { produce(3); }, consume, consume);
    });
  }

  /// No later call could compensate for a lost wake-up.
  static Scenario one_dequeue_serves_a_producer() {
    return with_queue(1, [](Observed& queue) {
      run_together([&] { queue.enqueue(1); }, [&] { queue.enqueue(2); }, [&] { queue.dequeue(); });
    });
  }
  static Scenario one_batch_serves_two_producers() {
    return with_queue(2, [](Observed& queue) {
      queue.enqueue_many({1, 2});
      run_together([&] { queue.enqueue(3); }, [&] { queue.enqueue(4); }, [&] { queue.dequeue_many(2); });
    });
  }
  static Scenario one_batch_serves_two_consumers() {
    return with_queue(2, [](Observed& queue) {
      run_together([&] { queue.dequeue(); }, [&] { queue.dequeue(); }, [&] { queue.enqueue_many({1, 2}); });
    });
  }

  /// The first thread closes in one of the three ways while the others use the queue.
  template <class Close>
  static Scenario two_by_two_and(Close close) {
    return with_queue(1, [close](Observed& queue) {
      const auto consume = [&] { queue.dequeue(); };
      run_together([&] { queue.enqueue(1); }, [&] { queue.enqueue(2); }, consume, consume, [&] { close(queue); });
    });
  }

  static Scenario close_while_producers_wait() {
    return with_queue(1, [](Observed& queue) {
      queue.enqueue(1);
      run_together([&] { queue.enqueue(2); }, [&] { queue.enqueue(3); }, [&] { queue.close(); },
                   [&] {
                     while (queue.dequeue()) {
                     }
                   });
    });
  }

  template <class Close>
  static Scenario consumers_wait_and(Close close) {
    return with_queue(1, [close](Observed& queue) {
      run_together([&] { queue.dequeue(); }, [&] { queue.dequeue_many(2); }, [&] { close(queue); });
    });
  }

  // ---- Batches

  static Scenario many_against_single() {
    return with_queue(2, [](Observed& queue) {
      run_together([&] { queue.dequeue_many(2); }, [&] { queue.dequeue(); },
                   [&] {
                     queue.enqueue_many({1, 2});
                   },
                   [&] { queue.enqueue(3); });
    });
  }

  /// Needs QueueKind::accumulates.
  static Scenario many_exceeds_capacity() {
    return with_queue(1, [](Observed& queue) {
      run_together([&] { queue.dequeue_many(2); }, [&] { queue.enqueue(1); }, [&] { queue.enqueue(2); });
    });
  }

  /// Needs QueueKind::accumulates.
  static Scenario two_large_batches() {
    return with_queue(1, [](Observed& queue) {
      run_together([&] { queue.dequeue_many(2); }, [&] { queue.dequeue_many(2); },
                   [&] {
                     queue.enqueue_many({1, 2});
                   },
                   [&] {
                     queue.enqueue_many({3, 4});
                   });
    });
  }

  /// Needs QueueKind::accumulates.
  static Scenario large_batch_is_cut_off_by_close() {
    return with_queue(1, [](Observed& queue) {
      run_together([&] { queue.dequeue_many(3); }, [&] { queue.enqueue(1), queue.enqueue(2); },
                   [&] { queue.dequeue(); }, [&] { queue.close(); });
    });
  }

  static Scenario batches_stay_together() {
    return with_queue(1, [](Observed& queue) {
      run_together(
          [&] {
            queue.enqueue_many({1, 2});
          },
          [&] {
            queue.enqueue_many({3, 4});
          },
          [&] { queue.dequeue(), queue.dequeue(), queue.dequeue(), queue.dequeue(); });
    });
  }

  static Scenario different_needs() {
    return with_queue(3, [](Observed& queue) {
      run_together([&] { queue.dequeue_many(2); }, [&] { queue.dequeue(); }, [&] { queue.dequeue_available(2); },
                   [&] {
                     queue.enqueue_many({1, 2, 3});
                     queue.enqueue(4);
                     queue.enqueue(5);
                   });
    });
  }

  static Scenario up_to_takes_what_is_left() {
    return with_queue(2, [](Observed& queue) {
      run_together([&] { queue.dequeue_up_to(2); }, [&] { queue.dequeue_up_to(2); },
                   [&] {
                     queue.enqueue_many({1, 2, 3});
                   },
                   [&] { queue.close(); });
    });
  }

  // ---- Batches in steps, for kinds that move one element in a hold of a lock

  static Scenario enqueue_many_in_steps() {
    return with_queue(4, [](Observed& queue) {
      run_together(
          [&] {
            queue.enqueue_many({1, 2, 3});
          },
          [&] { queue.enqueue(4); }, [&] { queue.dequeue(), queue.dequeue(); });
    });
  }

  static Scenario dequeue_many_in_steps() {
    return with_queue(3, [](Observed& queue) {
      queue.enqueue_many({2, 3, 4});
      run_together([&] { queue.dequeue_many(3); }, [&] { queue.enqueue(1); }, [&] { queue.dequeue(); });
    });
  }

  static Scenario two_dequeue_manys_in_steps() {
    return with_queue(4, [](Observed& queue) {
      queue.enqueue_many({2, 3});
      run_together([&] { queue.dequeue_many(2); }, [&] { queue.dequeue_many(2); },
                   [&] {
                     queue.enqueue_many({1, 4});
                   });
    });
  }

  /// Needs QueueKind::accumulates.
  static Scenario large_batch_in_steps() {
    return with_queue(2, [](Observed& queue) {
      run_together([&] { queue.dequeue_many(3); }, [&] { queue.dequeue(); },
                   [&] {
                     queue.enqueue_many({1, 2, 3, 4});
                   });
    });
  }

  static Scenario available_in_steps_without_waiting() {
    return with_queue(3, [](Observed& queue) {
      queue.enqueue_many({2, 3});
      run_together([&] { queue.dequeue_available(3, no_wait); }, [&] { queue.enqueue(1, no_wait); },
                   [&] { queue.dequeue(no_wait); });
    });
  }

  static Scenario enqueue_many_in_steps_without_waiting() {
    return with_queue(3, [](Observed& queue) {
      run_together(
          [&] {
            queue.enqueue_many({1, 2, 3, 4}, no_wait);
          },
          [&] { queue.enqueue(5, no_wait); }, [&] { queue.dequeue_available(2, no_wait); });
    });
  }

  template <class Close>
  static Scenario enqueue_many_in_steps_and(Close close) {
    return with_queue(3, [close](Observed& queue) {
      run_together([&] { queue.enqueue_many({1, 2, 3}); }, [&] { queue.dequeue(); }, [&] { close(queue); });
    });
  }

  template <class Close>
  static Scenario dequeue_many_in_steps_and(Close close) {
    return with_queue(3, [close](Observed& queue) {
      queue.enqueue_many({1, 2, 3});
      run_together([&] { queue.dequeue_up_to(3); }, [&] { queue.dequeue_up_to(2); }, [&] { close(queue); });
    });
  }

  static Scenario enqueue_many_in_steps_times_out() {
    return with_queue(2, [](Observed& queue) {
      run_together(
          [&] {
            queue.enqueue_many({1, 2, 3}, short_time);
          },
          [&] { queue.enqueue(4); }, [&] { queue.dequeue(), queue.dequeue(); });
    });
  }

  // ---- Calls that give up

  static Scenario calls_that_do_not_wait() {
    return with_queue(1, [](Observed& queue) {
      run_together([&] { queue.enqueue(1, no_wait); }, [&] { queue.enqueue(2, no_wait); },
                   [&] { queue.dequeue(no_wait); }, [&] { queue.dequeue(no_wait); });
    });
  }

  /// One consumer may give up. Then the other one must get the element.
  static Scenario dequeue_times_out() {
    return with_queue(1, [](Observed& queue) {
      run_together(
          [&] {
            if (queue.dequeue(short_time)) queue.enqueue(2);
          },
          [&] { queue.dequeue(); }, [&] { queue.enqueue(1); });
    });
  }

  static Scenario enqueue_times_out() {
    return with_queue(1, [](Observed& queue) {
      queue.enqueue(1);
      run_together(
          [&] {
            if (queue.enqueue(2, short_time)) queue.dequeue();
          },
          [&] { queue.enqueue(3); }, [&] { queue.dequeue(); });
    });
  }

  static Scenario enqueue_many_times_out() {
    return with_queue(2, [](Observed& queue) {
      run_together(
          [&] {
            queue.enqueue_many({1, 2, 3}, short_time);
          },
          [&] { queue.enqueue(4); }, [&] { queue.dequeue(), queue.dequeue(); });
    });
  }

  /// The elements that it had gathered go to the other calls. Needs QueueKind::accumulates.
  static Scenario large_batch_times_out() {
    return with_queue(1, [](Observed& queue) {
      run_together(
          [&] {
            if (queue.dequeue_many(2, short_time)) queue.enqueue(3);
          },
          [&] { queue.dequeue(); }, [&] { queue.enqueue(1), queue.enqueue(2, no_wait); });
    });
  }

  static Scenario dequeue_is_stopped() {
    return with_queue(1, [](Observed& queue) {
      const ModelStopSource source;
      run_together(
          [&] {
            if (queue.dequeue(source.get_token())) queue.enqueue(2);
          },
          [&] { queue.dequeue(); }, [&] { queue.enqueue(1); }, [&] { source.request_stop(); });
    });
  }

  /// Needs QueueKind::accumulates.
  static Scenario large_batch_is_stopped() {
    return with_queue(1, [](Observed& queue) {
      const ModelStopSource source;
      run_together([&] { queue.dequeue_many(2, source.get_token()); }, [&] { queue.enqueue(1, source.get_token()); },
                   [&] { source.request_stop(); });
    });
  }

  static Scenario coordinator_stops_both_sides() {
    return with_queue(1, [](Observed& queue) {
      forebay::BasicCoordinator<ModelSync> coordinator;
      run_together(
          [&] {
            queue.enqueue_many({1, 2}, coordinator);
          },
          [&] { queue.dequeue_many(2, coordinator); }, [&] { coordinator.request_stop(); });
    });
  }

  // ---- Handles

  static Scenario last_producer_ends_while_consumers_wait() {
    return with_queue(1, [](Observed& queue) {
      auto first = queue.producer();
      auto second = queue.producer();
      run_together([&] { queue.enqueue(1), queue.end(first); }, [&] { queue.end(second); }, [&] { queue.dequeue(); },
                   [&] { queue.dequeue(); });
    });
  }

  static Scenario last_consumer_ends_while_producers_wait() {
    return with_queue(1, [](Observed& queue) {
      auto first = queue.consumer();
      auto second = queue.consumer();
      run_together([&] { queue.enqueue(1); }, [&] { queue.enqueue(2); }, [&] { queue.dequeue(), queue.end(first); },
                   [&] { queue.end(second); });
    });
  }

  static Scenario handles_of_both_sides_end() {
    return with_queue(1, [](Observed& queue) {
      auto producer = queue.producer();
      auto consumer = queue.consumer();
      run_together([&] { queue.enqueue(1), queue.enqueue(2), queue.end(producer); },
                   [&] { queue.dequeue(), queue.end(consumer); });
    });
  }

  /// The consumer that finds the queue closed destroys it, whichever producer closed it.
  static Scenario destroyed_after_the_last_producer_ended() {
    return [] {
      using Queue = typename QueueKind::Queue;
      std::optional<Queue> queue(std::in_place, QueueKind::options(1, 0));
      auto first = queue->producer();
      auto second = queue->producer();
      run_together(
          [&first] {
            check(first.enqueue(QueueKind::make_item(1)) == forebay::QueueStatus::ok, "closed");
            first.finish();
          },
          [&second] { second.finish(); },
          [&queue] {
            check(queue->dequeue().has_value(), "closed");
            check(queue->dequeue().status() == forebay::QueueStatus::closed, "not closed");
            queue.reset();
          });
    };
  }

  /// A producer that is created beside the end of the last one finds the queue open, or is rejected.
  static Scenario producer_is_created_while_the_last_one_ends() {
    return [] {
      typename QueueKind::Queue queue(QueueKind::options(1, 0));
      auto first = queue.producer();
      run_together([&first] { first.finish(); },
                   [&queue] {
                     try {
                       const auto second = queue.producer();
                       check(second.enqueue(QueueKind::make_item(1)) == forebay::QueueStatus::ok, "closed");
                     } catch (const std::logic_error&) {
                       check(queue.is_closed(), "rejected by an open queue");
                     }
                   });
      check(queue.is_closed(), "the last producer has ended");
    };
  }

  // ---- Overflow, for kinds that drop elements

  static Scenario drop_oldest_beside_dequeues() {
    return with_queue(1, [](Observed& queue) {
      run_together([&] { queue.enqueue(1, drop_oldest), queue.enqueue(2, drop_oldest); },
                   [&] { queue.enqueue(3, drop_oldest); }, [&] { queue.dequeue(), queue.dequeue(no_wait); });
    });
  }

  static Scenario drop_newest_beside_dequeues() {
    return with_queue(1, [](Observed& queue) {
      run_together([&] { queue.enqueue(1, drop_newest), queue.enqueue(2, drop_newest); },
                   [&] { queue.enqueue(3, drop_newest); }, [&] { queue.dequeue(), queue.dequeue(no_wait); });
    });
  }

  static Scenario drop_oldest_beside_a_waiting_producer() {
    return with_queue(1, [](Observed& queue) {
      run_together([&] { queue.enqueue(1), queue.enqueue(2); }, [&] { queue.enqueue(3, drop_oldest); },
                   [&] { queue.dequeue(), queue.dequeue(); });
    });
  }

  /// Each batch has the elements that it has gathered, whatever is dropped behind them.
  static Scenario drop_oldest_beside_a_batch(std::size_t count, std::size_t capacity) {
    return with_queue(capacity, [count](Observed& queue) {
      run_together(
          [&] { queue.dequeue_many(count); },
          [&] { queue.enqueue(1, drop_oldest), queue.enqueue(2, drop_oldest), queue.enqueue(3, drop_oldest); },
          [&] { queue.enqueue(4), queue.close(); });
    });
  }

  /// The elements that a batch gives back exceed the capacity.
  static Scenario drop_oldest_beside_a_batch_that_times_out() {
    return with_queue(1, [](Observed& queue) {
      run_together([&] { queue.dequeue_many(4, short_time); },
                   [&] { queue.enqueue(1, no_wait), queue.enqueue(2, no_wait), queue.enqueue(3, no_wait); },
                   [&] { queue.enqueue(4, drop_oldest), queue.enqueue(5, drop_oldest); });
    });
  }

  static Scenario drop_oldest_beside_an_enqueue_many() {
    return with_queue(2, [](Observed& queue) {
      run_together(
          [&] {
            queue.enqueue_many({1, 2, 3});
          },
          [&] { queue.enqueue(4, drop_oldest); }, [&] { queue.dequeue(), queue.dequeue(); });
    });
  }

  static Scenario drop_oldest_beside_a_batch_in_steps() {
    return with_queue(3, [](Observed& queue) {
      queue.enqueue_many({1, 2, 3});
      run_together([&] { queue.dequeue_up_to(3); },
                   [&] { queue.enqueue(4, drop_oldest), queue.enqueue(5, drop_oldest); }, [&] { queue.close(); });
    });
  }

  /// The batch gathers what an earlier one gave back; in steps, if the kind moves one element in a hold of a lock.
  static Scenario drop_oldest_beside_a_second_batch_that_times_out() {
    return with_queue(2, [](Observed& queue) {
      queue.enqueue_many({1, 2});
      queue.dequeue_many(5, short_time);
      run_together([&] { queue.dequeue_many(5, short_time); },
                   [&] { queue.enqueue(3, drop_oldest), queue.enqueue(4, drop_oldest); },
                   [&] { queue.enqueue(5, no_wait); });
    });
  }

  static Scenario drop_oldest_and_close() {
    return with_queue(1, [](Observed& queue) {
      queue.enqueue(1);
      run_together([&] { queue.enqueue(2, drop_oldest); }, [&] { queue.enqueue(3); }, [&] { queue.close(); },
                   [&] {
                     while (queue.dequeue()) {
                     }
                   });
    });
  }

  // ---- Order and the end

  /// Needs QueueKind::has_min_after_dequeue.
  static Scenario min_after_dequeue() {
    return with_queue(2, 1, [](Observed& queue) {
      run_together([&] { queue.enqueue(1), queue.enqueue(2), queue.enqueue(3); }, [&] { queue.dequeue(); },
                   [&] { queue.dequeue(); });
    });
  }

  /// Needs QueueKind::has_min_after_dequeue.
  static Scenario close_waives_min_after_dequeue() {
    return with_queue(2, 1, [](Observed& queue) {
      run_together([&] { queue.enqueue(1); }, [&] { queue.dequeue(); }, [&] { queue.close(); });
    });
  }

  /// Elements that pass through leave in the same order as if all had been there from the beginning. Needs
  /// QueueKind::has_min_after_dequeue.
  static Scenario one_order_in_a_window() {
    return [] {
      typename QueueKind::Queue queue(QueueKind::with_window(2, 2));
      typename QueueKind::Queue beforehand(QueueKind::with_window(3, 2));
      std::vector<int> order;
      const auto drain = [&order](auto& from) {
        while (auto batch = from.dequeue_up_to(2)) {
          for (const auto& item : *batch) order.push_back(QueueKind::values_of(item).front());
        }
      };
      run_together(
          [&] {
            const auto count = queue.enqueue_many(items({1, 2, 3})).count;
            std::vector<int> all{1, 2, 3};
            all.resize(count);
            check(beforehand.enqueue_many(items(all)).count == count, "there is room for them");
          },
          [&] { queue.close(); }, [&] { drain(queue); });
      beforehand.close();
      const std::vector<int> found = std::exchange(order, {});
      drain(beforehand);
      check(found == order, "the order depends on timing");
    };
  }

  /// The consumer of the last element destroys the queue, whichever producer enqueued it.
  static Scenario destroyed_after_the_last_dequeue() {
    return [] {
      using Queue = typename QueueKind::Queue;
      std::optional<Queue> queue(std::in_place, QueueKind::options(1, 0));
      run_together([&] { check(queue->enqueue(QueueKind::make_item(1)) == forebay::QueueStatus::ok, "closed"); },
                   [&] { check(queue->enqueue(QueueKind::make_item(2)) == forebay::QueueStatus::ok, "closed"); },
                   [&] {
                     check(queue->dequeue().has_value(), "closed");
                     check(queue->dequeue().has_value(), "closed");
                     queue.reset();
                   });
    };
  }

 private:
  static auto items(const std::vector<int>& values) {
    std::vector<typename QueueKind::Item> made;
    for (const int value : values) made.push_back(QueueKind::make_item(value));
    return made;
  }

  template <std::invocable<Observed&> Body>
  static Scenario with_queue(std::size_t capacity, Body body) {
    return with_queue(capacity, 0, body);
  }

  template <std::invocable<Observed&> Body>
  static Scenario with_queue(std::size_t capacity, std::size_t min_after_dequeue, Body body) {
    const QueueLimits limits{capacity, min_after_dequeue, &QueueKind::may_leave};
    return [body, limits, right_ones = std::make_shared<LinearizableHistories>(limits)] {
      Observed queue(*right_ones, limits);
      body(queue);
      queue.finish();
    };
  }
};

}  // namespace forebay_model

#endif  // FOREBAY_TESTS_MODEL_QUEUE_SCENARIOS_HPP
