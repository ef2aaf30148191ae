// SPDX-License-Identifier: MIT
//
// async_scenarios.hpp: scenarios of coroutines that await calls of a queue. The scenarios of blocking calls also run
// with awaited ones: see async_model_test.cpp.

#ifndef FOREBAY_TESTS_MODEL_ASYNC_SCENARIOS_HPP
#define FOREBAY_TESTS_MODEL_ASYNC_SCENARIOS_HPP

#include <coroutine>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "forebay/async.hpp"
#include "forebay/coordinator.hpp"
#include "forebay/queue_status.hpp"
#include "tests/model/explore.hpp"
#include "tests/model/model_sync.hpp"
#include "tests/model/threads.hpp"
#include "tests/support/coroutines.hpp"

namespace forebay_model {

using forebay_test::Detached;
using forebay_test::Owned;

template <class QueueKind>
class AsyncScenarios {
 public:
  using Queue = typename QueueKind::Queue;
  using Item = typename QueueKind::Item;
  using Status = forebay::QueueStatus;

  /// The elements that a destroyed coroutine could have received go to a thread that waits.
  static void destroyed_before_its_batch_is_complete() {
    Queue queue(QueueKind::options(2, 0));
    Owned batch = await_many(queue, 2);
    run_together([&] { put(queue, 1); }, [&] { check(queue.dequeue().has_value(), "the element is lost"); },
                 [&] { batch.destroy(); });
    require_drained(queue);
  }

  /// Needs QueueKind::accumulates.
  static void destroyed_while_it_gathers() {
    Queue queue(QueueKind::options(1, 0));
    Owned batch = await_many(queue, 3);
    run_together([&] { put(queue, 1), put(queue, 2); },
                 [&] {
                   check(queue.dequeue().has_value(), "an element is lost");
                   check(queue.dequeue().has_value(), "an element is lost");
                 },
                 [&] { batch.destroy(); });
    require_drained(queue);
  }

  /// What a destroyed enqueue_many has stored stays; the room that it waited for goes to another producer.
  static void destroyed_while_it_enqueues() {
    Queue queue(QueueKind::options(1, 0));
    std::vector<Item> items;
    for (const int value : {1, 2, 3}) items.push_back(QueueKind::make_item(value));
    Owned batch = await_room(queue, items);
    run_together([&] { check(queue.dequeue().has_value(), "an element is lost"); }, [&] { batch.destroy(); });
    while (queue.dequeue(forebay::no_wait)) {
    }
    require_drained(queue);
  }

  /// A resumed coroutine may call the queue, because no lock is held.
  static void resumes_without_a_lock() {
    Queue queue(QueueKind::options(1, 0));
    int passed = 0;
    run_together([&] { pass_on(queue, passed); }, [&] { static_cast<void>(queue.enqueue(QueueKind::make_item(1))); },
                 [&] { queue.close(); });
    check(queue.invariants_hold(), "the queue's invariants do not hold");
  }

  /// The coroutine that receives the last element destroys the queue, in the call of a producer.
  static void destroys_the_queue() {
    std::optional<Queue> queue(std::in_place, QueueKind::options(1, 0));
    take_two_and_destroy(queue);
    run_together([&] { check(queue->enqueue(QueueKind::make_item(1)) == Status::ok, "closed"); },
                 [&] { check(queue->enqueue(QueueKind::make_item(2)) == Status::ok, "closed"); });
    check(!queue, "the coroutine has not ended");
  }

  /// A stop, an element and a close come at once. If the stop wins, the other call receives the element.
  static void stopped_while_an_element_arrives() {
    Queue queue(QueueKind::options(1, 0));
    const ModelStopSource source;
    Status first = Status::full;
    bool received = false;
    run_together([&] { take(queue, source.get_token(), first); }, [&] { put(queue, 1); },
                 [&] { source.request_stop(); }, [&] { received = queue.dequeue(source.get_token()).has_value(); });
    const bool is_left = queue.dequeue(forebay::no_wait).has_value();
    check(first == Status::ok || first == Status::stopped, "the call is not over");
    check((first == Status::ok) + received + is_left == 1, "the element is lost or duplicated");
    require_drained(queue);
  }

  /// A coordinator stops two coroutines, of which one may receive an element.
  static void stopped_by_a_coordinator() {
    Queue queue(QueueKind::options(1, 0));
    forebay::BasicCoordinator<ModelSync> coordinator;
    Status first = Status::full;
    Status second = Status::full;
    run_together([&] { take(queue, coordinator, first); }, [&] { take(queue, coordinator, second); },
                 [&] { coordinator.request_stop(); }, [&] { put(queue, 1); });
    const bool is_left = queue.dequeue(forebay::no_wait).has_value();
    check((first == Status::ok) + (second == Status::ok) + is_left == 1, "the element is lost or duplicated");
    check(first != Status::full && second != Status::full, "a call is not over");
    require_drained(queue);
  }

  /// A thread of a pool continues the coroutine, which returns to the pool for its next element.
  static void continues_in_a_pool() {
    Queue queue(QueueKind::options(1, 0));
    Pool pool;
    int taken = 0;
    run_together([&] { take_two(queue, pool, taken); }, [&] { put(queue, 1), put(queue, 2); },
                 [&] { pool.run([&taken] { return taken == 2; }); });
    require_drained(queue);
  }

  /// Two coroutines whose stops arrive at once, and whose ends end the wait of the other one.
  static void stops_end_each_others_waits() {
    Queue one(QueueKind::options(1, 0));
    Queue other(QueueKind::options(1, 0));
    const ModelStopSource first;
    const ModelStopSource second;
    int over = 0;
    take_and_put(one, other, first.get_token(), over);
    take_and_put(other, one, second.get_token(), over);
    run_together([&] { first.request_stop(); }, [&] { second.request_stop(); });
    check(over == 2, "a coroutine has not ended");
  }

  /// Two coroutines whose own stop callbacks end the wait of the other one. A pool resumes them.
  static void own_callbacks_end_each_others_waits() {
    Queue one(QueueKind::options(1, 0));
    Queue other(QueueKind::options(1, 0));
    const ModelStopSource first;
    const ModelStopSource second;
    Pool pool;
    int over = 0;
    take_beside_own_callback(one, other, first.get_token(), pool, over);
    take_beside_own_callback(other, one, second.get_token(), pool, over);
    run_together([&] { first.request_stop(); }, [&] { second.request_stop(); },
                 [&] { pool.run([&over] { return over == 2; }); });
  }

 private:
  /// Resumes coroutines in the thread that calls run().
  class Pool {
   public:
    void operator()(std::coroutine_handle<> coroutine) noexcept {
      const std::unique_lock lock(mutex_);
      ready_.push_back(coroutine);
      changed_.notify_one();
    }
    template <class IsOver>
    void run(IsOver is_over) {
      std::unique_lock lock(mutex_);
      while (true) {
        changed_.wait(lock, [&] { return !ready_.empty() || is_over(); });
        if (ready_.empty()) return;
        const std::coroutine_handle<> coroutine = ready_.back();
        ready_.pop_back();
        lock.unlock();
        coroutine.resume();
        lock.lock();
      }
    }
    template <class Change>
    void change(Change change) noexcept {
      const std::unique_lock lock(mutex_);
      change();
      changed_.notify_one();
    }

   private:
    ModelSync::mutex mutex_;
    ModelSync::condition_variable changed_;
    std::vector<std::coroutine_handle<>> ready_;
  };

  static Owned await_many(Queue& queue, int count) {
    static_cast<void>(co_await queue.async_dequeue_many(count));
    check(false, "the batch cannot be complete");
  }

  static Owned await_room(Queue& queue, std::vector<Item>& items) {
    static_cast<void>(co_await queue.async_enqueue_many(std::move(items)));
    check(false, "the batch cannot be complete");
  }

  static Detached pass_on(Queue& queue, int& passed) {
    while (auto element = co_await queue.async_dequeue()) {
      ++passed;
      check(queue.size() <= 1, "more than the capacity");
      if (passed == 1) static_cast<void>(queue.enqueue(std::move(*element), forebay::no_wait));
    }
  }

  static Detached take_two_and_destroy(std::optional<Queue>& queue) {
    const auto first = co_await queue->async_dequeue();
    const auto second = co_await queue->async_dequeue();
    check(first && second, "closed");
    queue.reset();
  }

  static Detached take(Queue& queue, forebay::BasicAwaitOptions<ModelSync> stop, Status& status) {
    const auto element = co_await queue.async_dequeue(stop);
    status = element.status();
  }

  static Detached take_two(Queue& queue, Pool& pool, int& taken) {
    for (int i = 0; i < 2; ++i) {
      const auto element = co_await queue.async_dequeue(forebay::on(pool));
      check(element.has_value(), "closed");
      pool.change([&taken] { ++taken; });
    }
  }

  static Detached take_and_put(Queue& from, Queue& into, ModelStopToken stop, int& over) {
    const auto element = co_await from.async_dequeue(stop);
    put(into, 1);
    ++over;
  }

  static Detached take_beside_own_callback(Queue& from, Queue& into, ModelStopToken stop, Pool& pool, int& over) {
    const auto end_other = [&into] { static_cast<void>(into.enqueue(QueueKind::make_item(1), forebay::no_wait)); };
    {
      const ModelStopCallback<decltype(end_other)> callback(stop, end_other);
      const auto element = co_await from.async_dequeue(forebay::on(pool));
      check(element.has_value(), "closed");
    }
    end_other();
    pool.change([&over] { ++over; });
  }

  static void put(Queue& queue, int value) {
    check(queue.enqueue(QueueKind::make_item(value)) == Status::ok, "the queue is open");
  }

  static void require_drained(Queue& queue) {
    check(queue.size() == 0, "an element is left");
    check(queue.waiting_producers() == 0 && queue.waiting_consumers() == 0, "somebody is left in a line");
    check(queue.invariants_hold(), "the queue's invariants do not hold");
  }
};

}  // namespace forebay_model

#endif  // FOREBAY_TESTS_MODEL_ASYNC_SCENARIOS_HPP
