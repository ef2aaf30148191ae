// SPDX-License-Identifier: MIT

/// @file
/// Defines QueueRunner, whose threads keep a queue filled and close it at the end of the input.
///
/// @code
/// forebay::FIFOQueue<Image> images(50);
/// forebay::Coordinator coordinator;
/// forebay::QueueRunner runner(images, 4, [&]() -> std::optional<Image> { return next_image(); });
/// runner.start(coordinator);
/// for (auto&& image : images) train(image);  // ends when the ops have returned std::nullopt
/// coordinator.join();                        // rethrows the first failure
/// @endcode
///
/// A QueueRunner takes a queue and ops, one for each thread. An op is a callable that its thread calls repeatedly. Its
/// result may be:
///
/// | result | meaning |
/// |---|---|
/// | `std::optional<T>` | the next element; `std::nullopt` at the end of the input |
/// | `std::optional<std::vector<T>>` | the next elements, as any range; `std::nullopt` at the end of the input |
/// | `T` | the next element; the op throws OutOfRangeError at the end of the input |
/// | `std::vector<T>` | the next elements, as any range; the op throws OutOfRangeError at the end of the input |
/// | `Dequeued<T>` | an element or a batch from another queue (see below) |
/// | `QueueStatus`, `EnqueueManyResult` | the op enqueues by itself; any status but `ok` is the end |
/// | `void` | the op enqueues by itself, as in TensorFlow; it throws OutOfRangeError at the end |
///
/// For an op that returns a Dequeued, `closed` and `stopped` are the end; after `timed_out` and `empty`, it is called
/// again. An exception from the dequeue is a failure.
///
/// An empty range is not the end of the input: the op is called again at once. A result that converts to T is one
/// element; any other range is several. A closed queue ends every op.
///
/// The result must have the queue's element type, or convert to it under the rules of BlockingQueue::enqueue_many().
/// Accidental conversions do not compile: a `bool` or a character to a number, a `std::string` to a string view.
///
/// If an op has state, such as an open file, make it a mutable lambda, one for each thread. If several threads share
/// one op, they call it concurrently through a const reference, so a mutable op does not compile. Use
/// per_thread(factory) instead, which makes an op in each thread. (A mutable lambda in a `std::function` is const to
/// the compiler. Do not share it between threads.)
///
/// In place of a queue, you can use a type of your own that has value_type, enqueue(), close(), close(cause),
/// is_closed() and statistics(). Use it with a single runner, because each runner that finishes closes it.
///
/// Lifetime: the queue must outlive the runner. Runner and coordinator may be destroyed in either order. If threads
/// still run, the destructor cancels the queue, asks the coordinator to stop, and waits for them. An op must not run
/// the destructor or own the runner: this ends the program with std::terminate and a message.
///
/// Thread safety: every member function except the destructor may be called from any thread at any time. Ops, what they
/// capture and the destructors of exceptions may call the runner and the coordinator. Do not end the thread of an op
/// with pthread_exit or pthread_cancel, which would end the program.

#ifndef FOREBAY_QUEUE_RUNNER_HPP
#define FOREBAY_QUEUE_RUNNER_HPP

#include <concepts>
#include <cstddef>
#include <exception>
#include <initializer_list>
#include <memory>
#include <ranges>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "forebay/base/mutex.hpp"
#include "forebay/base/queue_of_elements.hpp"
#include "forebay/base/thread_annotations.hpp"
#include "forebay/coordinator.hpp"
#include "forebay/count.hpp"
#include "forebay/factories.hpp"
#include "forebay/queue_status.hpp"
#include "forebay/statistics.hpp"
#include "forebay/sync.hpp"
#include "forebay/threads/enqueue_op.hpp"
#include "forebay/threads/runner.hpp"
#include "forebay/threads/startable.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI {

/// Runs threads that keep a queue filled, and closes the queue at the end of the input.
///
/// Write `QueueRunner` without template arguments: it is an alias of `BasicQueueRunner<StdSync>`. The file
/// queue_runner.hpp has an example, the kinds of ops, lifetime and thread safety. (TensorFlow: `tf.train.QueueRunner`.)
///
/// The end of the input:
///  - One op at its end does not stop the others. When the last thread has ended, the runner has finished. join() then
///    returns without a stop. The queue is closed and drains, unless another runner holds it open.
///  - Several runners may feed one queue; it closes when the last of them has finished. Each runner holds the queue
///    open from its construction until its threads have ended, or until it is destroyed without a start. So construct
///    all runners before you start the first one.
///  - While one runner is neither started nor destroyed, the queue stays open. If no runner of a queue was ever
///    started, the queue stays open when they are destroyed.
///  - A finished runner no longer holds the queue open; starting it again does. If that start fails, it holds the queue
///    open until its next start or its destruction.
///
/// Failures and stops:
///  - A failure, a stop, and the destruction of a runner whose threads still run close the queue at once, even if other
///    runners feed it. The ops of the other runners get `closed`, which is the end of their input and not a failure.
///  - A failure closes the queue with its cause, which consumers receive after the stored elements. It is reported to
///    the coordinator. It stops the other ops, also in a runner without a coordinator of yours.
///  - A stop ends the runner now. It cancels the queue through one more thread (the closer), so no op stays blocked in
///    it. Give the coordinator to ops that block elsewhere, too.
///  - If a stop or a failure cancels the queue, the runner drops elements that ops have returned and the queue has not
///    accepted. An op that enqueues by itself gets `closed` and keeps its element.
///  - In a chain of runners, a stop loses elements: those that the ops have taken are dropped, and those stored between
///    two runners stay there. Only the elements in the last queue can still be dequeued. To lose none, use end_input()
///    instead.
///  - An OutOfRangeError of an op, also if the coordinator lists it, ends the thread of that op only. The other ops
///    continue, and no stop is requested.
///  - If an op throws another of the coordinator's clean-stop types, the input of the runner ends. No op is called
///    again, and the queue still accepts what the other ops return, however long that takes. The runner then finishes
///    and requests a stop. Nothing is lost, unless a stop is requested earlier. (The runner waits for ops that are in a
///    call. To interrupt those, request a stop.)
///  - Starting is all or nothing: no op runs before all threads exist.
template <class Sync = StdSync>
class BasicQueueRunner {
 public:
  using Coordinator = BasicCoordinator<Sync>;  ///< The coordinator that start() takes.

  /// Creates a runner with `threads` threads that all run `op`.
  ///
  /// The threads call `op` concurrently, through a const reference. If it is a per_thread(factory), the factory makes
  /// an op in each thread. Throws std::invalid_argument if `threads` is less than 1. (TensorFlow:
  /// `QueueRunner(queue, [op] * threads)`.)
  template <detail::QueueOfElements Queue, std::integral Threads, class Op>
  BasicQueueRunner(Queue& queue, Threads threads, Op&& op, std::string name = "QueueRunner")
      : BasicQueueRunner(queue,
                         std::vector(Count(threads).at_least(1, "QueueRunner: threads"),
                                     detail::EnqueueOp<Queue>::shared(std::forward<Op>(op))),
                         std::move(name)) {}

  /// Creates a runner with one thread for each op: `QueueRunner(queue, {[&] { ... }, [&] { ... }})`.
  ///
  /// Throws std::invalid_argument if there is no op.
  template <detail::QueueOfElements Queue>
  BasicQueueRunner(Queue& queue, detail::ListOfOps<Queue> ops, std::string name = "QueueRunner")
      : BasicQueueRunner(queue, std::vector(ops), std::move(name)) {}

  /// Creates a runner with one thread for each op of a range, such as a `std::vector<std::function<void()>>`.
  ///
  /// Moves the ops out of an rvalue container, which may hold move-only ops. Throws std::invalid_argument if the range
  /// is empty.
  template <detail::QueueOfElements Queue, std::ranges::input_range Ops>
  BasicQueueRunner(Queue& queue, Ops&& ops, std::string name = "QueueRunner")
      : runner_(std::make_shared<Runner>(queue, detail::ops_for(queue, std::forward<Ops>(ops)), std::move(name))) {}

  /// @cond
  template <detail::QueueOfElements Queue>
  BasicQueueRunner(Queue&, Count, detail::ListOfOps<Queue>) = delete;  // forebay: a list of ops needs no number
  explicit BasicQueueRunner(...) = delete;  // forebay: QueueRunner(queue, threads, op) or QueueRunner(queue, {op, op})
  /// @endcond

  /// Ends the runner: if threads still run, cancels the queue, asks the coordinator to stop, and waits for the threads.
  /// Never throws.
  ~BasicQueueRunner() { runner_->end(); }

  /// @cond
  BasicQueueRunner(const BasicQueueRunner&) = delete;
  BasicQueueRunner& operator=(const BasicQueueRunner&) = delete;
  /// @endcond

  /// Starts one thread for each op, and the closer. `coordinator` launches them, and its join() waits for them.
  ///
  /// Throws std::logic_error if the threads are running; once they have ended, the runner may be started again. If a
  /// thread cannot be created, throws std::system_error, and none is left. (TensorFlow:
  /// `create_threads(coord, start=True)`, which does nothing if the threads are running.)
  void start(Coordinator& coordinator) { Runner::start({runner_}, coordinator.core()); }

  /// Starts the threads without a coordinator of yours.
  ///
  /// join() waits for the threads, the destructor cancels the queue, and a failing op stops the others. Throws like the
  /// other overload.
  void start() {
    auto coordinator = std::make_unique<Coordinator>();  // swapped for the previous one, destroyed without the lock
    const detail::Guard guard(starting_);
    runner_->throw_if_running();
    own_coordinator_.swap(coordinator);
    start(*own_coordinator_);
  }

  /// Blocks until all threads have ended, and rethrows the first of exceptions_raised(), if there is one.
  ///
  /// Rethrows it in each call until the next start. Throws std::system_error (`resource_deadlock_would_occur`) if one
  /// of the threads calls it.
  void join() { runner_->join(); }

  /// Ends the input, as if each op reached its end instead of being called again.
  ///
  /// The queue still accepts what the ops have returned, and what ops in progress return. Then the runner has finished,
  /// and the queue is closed and drains, unless another runner holds it open. To drain a chain, end the input of each
  /// runner that feeds its first queue. Then dequeue from its last queue until that is closed, and join:
  ///
  /// @code
  /// source.end_input();
  /// for (auto&& element : last_queue) use(element);
  /// coordinator.join();
  /// @endcode
  ///
  /// Never blocks and wakes no thread: the runner waits for ops that are in a call. Applies to the current run, so call
  /// start() first; does nothing if the runner is not running. May be called again and from any thread, but not in a
  /// signal handler: see examples/11_interrupt.cpp.
  void end_input() noexcept { runner_->end_input(); }

  /// Returns the failures of the ops since the last start, first to last.
  [[nodiscard]] std::vector<std::exception_ptr> exceptions_raised() const { return runner_->exceptions_raised(); }

  /// @cond
  // ---- For start_queue_runners()

  /// Returns the state that the runner shares with its threads.
  [[nodiscard]] const std::shared_ptr<detail::Runner<Sync>>& runner() const noexcept { return runner_; }
  /// @endcond

 private:
  using Runner = detail::Runner<Sync>;

  std::shared_ptr<Runner> runner_;  // shared with the threads
  detail::Mutex<Sync> starting_;
  std::unique_ptr<Coordinator> own_coordinator_ FOREBAY_GUARDED_BY(starting_);
};

/// Starts several runners together, all or none.
///
/// Each of `runners` is a QueueRunner, a pointer to one, or a range of either. Throws std::logic_error if one of them
/// is running, std::system_error if a thread cannot be created; no runner is then started. (TensorFlow:
/// `start_queue_runners(coord)`, which starts a global list of runners.)
///
/// @code
/// start_queue_runners(coordinator, readers, decoders);
/// @endcode
template <class Sync, class... Runners>
void start_queue_runners(BasicCoordinator<Sync>& coordinator, Runners&&... runners) {
  constexpr bool can_be_started = (detail::can_be_started<Runners, Sync> && ...);
  static_assert(can_be_started,
                "forebay: start_queue_runners(coordinator, runners...) starts QueueRunners, pointers to them, or "
                "ranges of either; to fill a queue, construct a QueueRunner for it");
  static_assert((!detail::TemporaryRunner<Runners, Sync> && ...),
                "forebay: do not start a temporary QueueRunner, which would be destroyed at once: give it a name");
  if constexpr (can_be_started) {
    std::vector<std::shared_ptr<detail::Runner<Sync>>> all;
    (detail::append_runners<Sync>(runners, all), ...);
    detail::Runner<Sync>::start(all, coordinator.core());
  }
}

/// Returns the statistics of a chain of runners, for report().
///
/// The first runner reads; each other one dequeues from the queue that the previous one fills; your loop dequeues from
/// the last queue. While a thread waits in one of these queues, it is starved or blocked; otherwise it works. The
/// figures of a queue cover all of its users, from its construction on.
template <class Sync, std::same_as<BasicQueueRunner<Sync>>... Runners>
[[nodiscard]] PipelineStatistics pipeline_statistics(const BasicQueueRunner<Sync>& first, const Runners&... others) {
  return detail::Runner<Sync>::statistics({first.runner(), others.runner()...});
}

/// @cond
/// Runs threads that keep a queue filled, and closes it at the end: BasicQueueRunner with the standard synchronisation.
using QueueRunner = BasicQueueRunner<>;
/// @endcond

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_QUEUE_RUNNER_HPP
