// SPDX-License-Identifier: MIT
//
// runner_scenarios.hpp: scenarios of Coordinator, QueueRunner and queues together. In each of them, all calls have to
// return, and have to report correctly how it ended.

#ifndef FOREBAY_TESTS_MODEL_RUNNER_SCENARIOS_HPP
#define FOREBAY_TESTS_MODEL_RUNNER_SCENARIOS_HPP

#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "forebay/coordinator.hpp"
#include "forebay/fifo_queue.hpp"
#include "forebay/queue_runner.hpp"
#include "tests/model/explore.hpp"
#include "tests/model/model_sync.hpp"
#include "tests/model/queue_kinds.hpp"
#include "tests/model/threads.hpp"

namespace forebay_model {

template <class QueueKind>
class RunnerScenarios {
 public:
  using Queue = typename QueueKind::Queue;
  using Item = typename QueueKind::Item;
  using Coordinator = forebay::BasicCoordinator<ModelSync>;
  using QueueRunner = forebay::BasicQueueRunner<ModelSync>;

  /// Two ops with one element each; the last one to end closes the queue.
  static void last_thread_closes() {
    Queue queue(QueueKind::options(1, 0));
    Coordinator coordinator;
    QueueRunner runner(queue, {items(1), items(1)});
    runner.start(coordinator);
    check(drain(queue) == 2, "the consumer did not get both elements");
    coordinator.join();
    runner.join();
    check(queue.is_closed(), "nobody has closed the queue");
    check(runner.exceptions_raised().empty(), "there is a failure that nobody has raised");
  }

  /// The caller passes no coordinator.
  static void runner_of_its_own() {
    Queue queue(QueueKind::options(1, 0));
    QueueRunner runner(queue, {items(2)});
    runner.start();
    check(drain(queue) == 2, "the consumer did not get both elements");
    runner.join();
  }

  /// Two runners feed one queue. The second may start after the first has finished.
  static void two_runners_feed_one_queue() {
    Queue queue(QueueKind::options(1, 0));
    Coordinator coordinator;
    QueueRunner first(queue, {items(1)});
    QueueRunner second(queue, {items(1)});
    first.start(coordinator);
    second.start();
    check(drain(queue) == 2, "the consumer did not get the elements of both runners");
    coordinator.join();
    second.join();
    check(queue.is_closed(), "nobody has closed the queue");
  }

  /// One runner finishes while the other one is destroyed without having been started.
  static void runner_that_was_never_started_is_destroyed() {
    Queue queue(QueueKind::options(1, 0));
    QueueRunner first(queue, {items(1)});
    auto second = std::make_unique<QueueRunner>(queue, std::vector{items(1)});
    first.start();
    run_together([&] { second.reset(); }, [&] { check(drain(queue) == 1, "the consumer did not get the element"); });
    first.join();
    check(queue.is_closed(), "nobody has closed the queue");
  }

  /// One runner fails while the other one also feeds the queue.
  static void failure_of_one_of_two_runners() {
    Queue queue(QueueKind::options(1, 0));
    QueueRunner first(queue, {items(1)});
    QueueRunner second(queue, {failure("second")});
    first.start();
    second.start();
    check(drain_until_failure(queue) == "second", "the consumer takes the failure for the end");
    first.join();
  }

  /// One op fails, so the other one has to end, too. dequeue and join throw the failure.
  static void failure_in_one_op() {
    Queue queue(QueueKind::options(1, 0));
    Coordinator coordinator;
    QueueRunner runner(queue, {items(1), failure("first")});
    runner.start(coordinator);
    check(drain_until_failure(queue) == "first", "the consumer takes the failure for the end");
    check(failure_of([&] { coordinator.join(); }) == "first", "join does not tell the failure");
    check(failure_of([&] { runner.join(); }) == "first", "the runner's join does not tell the failure");
    check(runner.exceptions_raised().size() == 1, "exactly one failure was raised");
  }

  /// Both ops fail. All calls report the first failure, and both failures are listed.
  static void failure_in_two_ops() {
    Queue queue(QueueKind::options(1, 0));
    Coordinator coordinator;
    QueueRunner runner(queue, {failure("first"), failure("second")});
    runner.start(coordinator);
    const std::string told = failure_of([&] { coordinator.join(); });
    check(told == "first" || told == "second", "join does not tell a failure");
    const std::size_t kept = coordinator.failures().size();
    check(kept == runner.exceptions_raised().size() || kept == 1, "a failure was kept twice");
    check(!drain_until_failure(queue).empty(), "the consumer takes the failure for the end");
  }

  /// A stop is requested while the producers wait for room.
  static void stop_while_producers_wait() {
    Queue queue(QueueKind::options(1, 0));
    Coordinator coordinator;
    QueueRunner runner(queue, {items(3)});
    runner.start(coordinator);
    run_together([&] { coordinator.request_stop(); });
    coordinator.join();
    check(queue.is_closed(), "the stop has not closed the queue");
    check(drain(queue) <= 1, "more than the capacity was stored");
  }

  /// The stop may be requested before, during or after the start.
  static void stop_during_start() {
    Queue queue(QueueKind::options(1, 0));
    Coordinator coordinator;
    QueueRunner runner(queue, {items(2)});
    run_together([&] { runner.start(coordinator); }, [&] { coordinator.request_stop(); });
    coordinator.join();
    runner.join();
    check(queue.is_closed(), "the stop has not closed the queue");
  }

  /// An op ends by a clean stop while the other one waits for room or makes an element. All elements made are
  /// delivered.
  static void clean_stop_by_an_op() {
    Queue queue(QueueKind::options(1, 0));
    Coordinator coordinator(forebay::clean_stop_types<CleanStop>);
    std::size_t made = 0;
    const auto makes = [&made]() -> std::optional<Item> {
      if (made == 2) return std::nullopt;
      return QueueKind::make_item(static_cast<int>(made++));
    };
    QueueRunner runner(queue, {makes, []() -> std::optional<Item> { throw CleanStop(); }});
    runner.start(coordinator);
    check(drain(queue) == made, "what an op had made is lost");
    coordinator.join();
    check(coordinator.should_stop(), "nobody has requested the stop");
    check(runner.exceptions_raised().empty(), "a clean stop is a failure");
  }

  /// Several threads join. A launched thread that tries to join is rejected.
  static void join_from_anywhere() {
    Coordinator coordinator;
    bool refused = false;
    coordinator.launch("worker", [&] {
      try {
        coordinator.join();
      } catch (const std::system_error&) {
        refused = true;
      }
    });
    run_together([&] { coordinator.join(); }, [&] { coordinator.join(); });
    check(refused, "a thread may join itself");
    check(coordinator.joined(), "it was joined");
  }

  /// Launched threads join ended ones while other threads join, too.
  static void launch_while_others_join() {
    Coordinator coordinator;
    std::size_t ran = 0;
    coordinator.launch("first", [&] {
      coordinator.launch("second", [&] { ++ran; });
      ++ran;
    });
    run_together([&] { coordinator.join(); });
    coordinator.join();
    check(ran == 2, "join has not waited for everybody");
  }

  /// An object captured by a body requests a stop while the coordinator is destroyed.
  static void capture_calls_the_coordinator_that_is_destroyed() {
    bool called = false;
    {
      Coordinator coordinator;
      const auto call = [&](void*) {
        coordinator.request_stop();
        called = true;
      };
      coordinator.launch("guarded", [guard = std::shared_ptr<void>(nullptr, call)] {});
    }
    check(called, "the body outlives its coordinator");
  }

  /// The last owner of an exception object releases it, in any thread. Its destructor calls the coordinator.
  static void exception_calls_the_coordinator() {
    Coordinator coordinator;
    bool called = false;
    run_together(
        [&] {
          const auto call = [&](void*) { called = !coordinator.joined(); };
          coordinator.request_stop(std::make_exception_ptr(CallsBack{std::shared_ptr<void>(nullptr, call)}));
        },
        [&] { coordinator.clear_stop(); });
    coordinator.clear_stop();
    check(called, "the failure was not forgotten");
  }

  /// A failure races a clean stop. It is still reported.
  static void failure_after_clean_stop() {
    Coordinator coordinator;
    coordinator.launch("fails", [] { throw std::runtime_error("first"); });
    run_together([&] { coordinator.request_stop(); });
    check(failure_of([&] { coordinator.join(); }) == "first", "the failure is lost behind the clean stop");
  }

  /// A thread that waits for the stop is woken, whatever causes the stop.
  static void wait_for_stop() {
    Coordinator coordinator;
    run_together([&] { check(coordinator.wait_for_stop(), "no stop was seen"); },
                 [&] { check(coordinator.wait_for_stop(), "no stop was seen"); }, [&] { coordinator.request_stop(); });
  }

  /// A thread begins to wait, waits, and ends, and its queue is destroyed. Meanwhile another thread lists the threads'
  /// activities.
  static void list_of_a_thread_that_waits() {
    Coordinator coordinator;
    const auto ask = [&] {
      for (const forebay::ThreadActivity& each : coordinator.threads()) {
        check(!each.waits() || each.text().find("consumer waits for dequeue of images") == 0, "it waits elsewhere");
      }
      static_cast<void>(coordinator.progress());
    };
    {
      Queue queue(QueueKind::options(1, 0));
      queue.set_name("images");
      coordinator.launch("consumer", [&] { static_cast<void>(queue.dequeue()); });
      run_together(ask, [&] { queue.close(); });
      coordinator.join();
    }
    check(coordinator.threads().empty(), "it has ended");
  }

  /// Attached objects are closed, whether they are attached before the stop or after it.
  static void attach_races_stop() {
    Queue queue(QueueKind::options(1, 0));
    Coordinator coordinator;
    run_together(
        [&] {
          coordinator.attach(queue);
          check(!queue.dequeue().has_value(), "there is an element that nobody put in");
          coordinator.detach(queue);
        },
        [&] { coordinator.request_stop(); });
  }

  /// An attached object calls the coordinator while it is closed, by two stops at once and by the end of a runner.
  static void close_calls_the_coordinator() {
    Queue queue(QueueKind::options(1, 0));
    auto coordinator = std::make_unique<Coordinator>();
    struct Channel {
      void close() noexcept { failed = coordinator->failure() != nullptr; }
      Coordinator* coordinator;
      typename ModelSync::template atomic<bool> failed{false};
    } channel{coordinator.get()};
    coordinator->attach(channel);
    {
      QueueRunner runner(queue, {items(3)});
      runner.start(*coordinator);
      run_together([&] { coordinator->request_stop(std::make_exception_ptr(std::runtime_error("first"))); });
    }
    coordinator->detach(channel);
    check(channel.failed, "it was not closed with the failure");
    coordinator.reset();
  }

  /// The runner is destroyed first, while it runs.
  static void runner_is_destroyed_while_it_runs() {
    Queue queue(QueueKind::options(1, 0));
    Coordinator coordinator;
    {
      QueueRunner runner(queue, {items(3)});
      runner.start(coordinator);
    }
    check(queue.is_closed(), "the runner's end has not closed the queue");
    coordinator.join();
  }

  /// The coordinator is destroyed first.
  static void coordinator_is_destroyed_while_it_runs() {
    Queue queue(QueueKind::options(1, 0));
    QueueRunner runner(queue, {items(3)});
    {
      Coordinator coordinator;
      runner.start(coordinator);
    }
    check(queue.is_closed(), "the stop has not closed the queue");
    runner.join();
  }

  /// Three queues in a chain, each filled from the preceding one. A stop ends all of them, wherever they wait.
  static void chain_is_stopped() {
    Queue first(QueueKind::options(1, 0));
    Queue second(QueueKind::options(1, 0));
    Queue third(QueueKind::options(1, 0));
    Coordinator coordinator;
    QueueRunner fill(first, {items(2)}, "fill");
    QueueRunner carry(second, {from(first)}, "carry");
    QueueRunner carry_on(third, {from(second)}, "carry on");
    forebay::start_queue_runners(coordinator, fill, carry, carry_on);
    const bool got = third.dequeue().has_value();
    coordinator.request_stop();
    coordinator.join();
    check(got, "the first element got lost on its way");
    check(first.is_closed() && second.is_closed() && third.is_closed(), "a queue is left open");
  }

  /// The end of the input passes through the chain.
  static void chain_drains() {
    Queue first(QueueKind::options(1, 0));
    Queue second(QueueKind::options(1, 0));
    Coordinator coordinator;
    QueueRunner fill(first, {items(2)}, "fill");
    QueueRunner carry(second, {from(first)}, "carry");
    forebay::start_queue_runners(coordinator, fill, carry);
    check(drain(second) == 2, "an element got lost on its way");
    coordinator.join();
  }

  /// Ends the input of the first runner, whatever its op is doing.
  static void chain_is_drained() {
    Queue first(QueueKind::options(1, 0));
    Queue second(QueueKind::options(1, 0));
    Coordinator coordinator;
    std::size_t made = 0;
    const auto make = [&made]() -> std::optional<Item> {
      if (made == 3) return std::nullopt;
      return QueueKind::make_item(static_cast<int>(made++));
    };
    QueueRunner fill(first, {make}, "fill");
    QueueRunner carry(second, {from(first)}, "carry");
    forebay::start_queue_runners(coordinator, fill, carry);
    std::size_t taken = 0;
    run_together([&] { fill.end_input(); }, [&] { taken = drain(second); });
    coordinator.join();
    check(taken == made, "an element got lost on its way");
    check(!coordinator.should_stop(), "the end of the input is no stop");
  }

  /// A failure at the beginning of the chain is reported at its end, and is listed once.
  static void chain_tells_the_cause() {
    Queue first(QueueKind::options(1, 0));
    Queue second(QueueKind::options(1, 0));
    Coordinator coordinator;
    QueueRunner fill(first, {failure("first")}, "fill");
    QueueRunner carry(second, {from(first)}, "carry");
    forebay::start_queue_runners(coordinator, fill, carry);
    check(drain_until_failure(second) == "first", "the end of the chain takes the failure for the end");
    check(failure_of([&] { coordinator.join(); }) == "first", "join does not tell the failure");
    check(coordinator.failures().size() == 1, "the same exception object is listed more than once");
  }

 private:
  struct CleanStop {};
  struct CallsBack {
    std::shared_ptr<void> guard;
  };

  /// Returns an op that yields `count` elements.
  static auto items(int count) {
    return [left = count]() mutable -> std::optional<Item> {
      if (left == 0) return std::nullopt;
      return QueueKind::make_item(left--);
    };
  }

  static auto failure(const char* what) {
    return [what]() -> std::optional<Item> { throw std::runtime_error(what); };
  }

  /// Returns an op that passes on the elements of another queue.
  static auto from(Queue& queue) {
    return [&queue]() -> Item { return queue.dequeue().value(); };
  }

  static std::size_t drain(Queue& queue) {
    std::size_t count = 0;
    while (queue.dequeue()) ++count;
    return count;
  }

  static std::string drain_until_failure(Queue& queue) {
    return failure_of([&] { drain(queue); });
  }

  template <class Body>
  static std::string failure_of(Body body) {
    try {
      body();
    } catch (const std::runtime_error& failure) {
      return failure.what();
    }
    return "";
  }
};

}  // namespace forebay_model

#endif  // FOREBAY_TESTS_MODEL_RUNNER_SCENARIOS_HPP
