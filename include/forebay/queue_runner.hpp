// SPDX-License-Identifier: MIT
//
// queue_runner.hpp: QueueRunner, which keeps a queue filled from threads of its own and closes it at the end.
//
// It is given a queue and ops, one for each thread. An op is anything that can be called, again and again:
//
//   [&]() -> std::optional<T>     returns the next element; none: the end of the input
//   [&]() -> std::optional<std::vector<T>>   returns the next elements as a range; none: the end of the input
//   [&]() -> T                    returns the next element; throws OutOfRangeError at the end of the input
//   [&]() -> std::vector<T>       returns the next elements as a range; throws OutOfRangeError at the end of the input
//   [&]() -> Dequeued<T>          returns what it took from another queue, an element or a batch: closed or stopped:
//                                 the end; timed out or empty: it is called again; what the dequeue throws is a
//                                 failure
//   [&]() -> QueueStatus          enqueues by itself, and returns how that went; not ok: the end
//   [&]() -> EnqueueManyResult    the same
//   [&]() -> void                 enqueues by itself, as in the original; throws OutOfRangeError at the end
//
// An empty range is no element and not the end of the input: the op is called again at once. A result that converts to
// T is one element; any other range is its elements. A closed queue ends every op.
//
// What an op returns is of the queue's element type, or converts to it as the elements of an enqueue_many do (see
// blocking_queue.hpp). What merely happens to convert does not compile: a bool ("go on?") or a character for a number,
// an std::string for a view of it.
//
// State of its own, such as an open file, an op has as a mutable lambda, one for each thread. One op that several
// threads run is called through a const reference, at the same time, so there a mutable one does not compile; that is
// what per_thread(factory) is for, which makes one in each thread. (A mutable lambda in a std::function is const to
// the compiler. Do not give it to several threads.)
//
// A type of yours may stand in for a queue if it has value_type, enqueue, close(), close(cause), is_closed() and
// statistics(). It is closed whenever a runner finishes, so give it one runner.
//
// Lifetime: the queue outlives the runner. Runner and coordinator may be destroyed in either order. The destructor
// leaves no thread behind: if threads still run, it cancels the queue, asks the coordinator to stop, and waits. So an
// op must not run it, and must not own the runner: that ends the program (std::terminate, with a message).
//
// Thread safety: every member function may be called from any thread at any time, the destructor excepted. Ops, what
// they capture and the destructors of exceptions may call the runner and the coordinator. An op must not end its
// thread by pthread_exit, nor may the thread be cancelled by pthread_cancel: that would end the program.

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

/// Guarantees:
///  - One op at its end does not stop the others. When the last thread has ended, the runner has finished: `join()`
///    returns without a stop. Its queue is closed and drains, unless another runner holds it open.
///  - Several runners may feed one queue. It closes when the last of them has finished. Each runner holds the queue
///    open from its construction until its threads have ended, or until it is destroyed without a start. So construct
///    all of them before you start the first one. While one of them is neither started nor destroyed, the queue stays
///    open. If no runner of a queue was ever started, it stays open when they are destroyed.
///  - A runner that has finished no longer holds the queue open. From a further start on it does so again. If that
///    start fails, it does so until the next start or its destruction.
///  - A failure, a stop, and the destruction of a runner whose threads still run close the queue at once, whoever else
///    feeds it. The ops of the other runners are told `closed`, which is an end of their input and no failure.
///  - A failure closes the queue with its cause, which consumers are told after the stored elements. The coordinator is
///    told too. The failure stops the other ops, also when the runner has no coordinator but its own.
///  - A stop ends the runner now. It cancels the queue, through one more thread (the closer), so that no op stays
///    blocked in it. An op that blocks elsewhere has to be given the coordinator too. What an op has returned and the
///    queue did not take before it was cancelled, by a stop or a failure, is dropped; an op that enqueues by itself is
///    told `closed`, and has its element still.
///  - In a chain of runners, a stop loses elements: what the ops have taken is dropped, and what is stored between two
///    runners stays in its queue. Only what is stored in the last queue still comes out. If every accepted element is
///    to come out, use end_input() in place of the stop.
///  - An op that throws one of the coordinator's clean-stop types ends the input of the runner: no op is called again,
///    and what the others are about to put in goes in, for which they wait as long as it takes. Then the runner has
///    finished, and it requests a stop. Nothing is lost, unless a stop is requested before. (An op that does not end by
///    itself is waited for. To stop it at once, request a stop.)
///  - Starting is all or nothing: no op runs before all threads are there.
template <class Sync = StdSync>
class BasicQueueRunner {
 public:
  using Coordinator = BasicCoordinator<Sync>;

  /// `threads` threads, all of which run `op`, at the same time and through a const reference; or, if it is a
  /// per_thread(factory), one op that the factory makes in each. Throws std::invalid_argument if there are none.
  /// (TensorFlow: QueueRunner(queue, [op] * threads).)
  template <detail::QueueOfElements Queue, std::integral Threads, class Op>
  BasicQueueRunner(Queue& queue, Threads threads, Op&& op, std::string name = "QueueRunner")
      : BasicQueueRunner(queue,
                         std::vector(Count(threads).at_least(1, "QueueRunner: threads"),
                                     detail::EnqueueOp<Queue>::shared(std::forward<Op>(op))),
                         std::move(name)) {}

  /// One thread for each op: `QueueRunner(queue, {[&] { ... }, [&] { ... }})`. Throws std::invalid_argument if there
  /// are none.
  template <detail::QueueOfElements Queue>
  BasicQueueRunner(Queue& queue, detail::ListOfOps<Queue> ops, std::string name = "QueueRunner")
      : BasicQueueRunner(queue, std::vector(ops), std::move(name)) {}

  /// One thread for each op of a range, such as a std::vector<std::function<void()>>. Ops that cannot be copied are
  /// moved out of a container that is given away. Throws std::invalid_argument if there are none.
  template <detail::QueueOfElements Queue, std::ranges::input_range Ops>
  BasicQueueRunner(Queue& queue, Ops&& ops, std::string name = "QueueRunner")
      : runner_(std::make_shared<Runner>(queue, detail::ops_for(queue, std::forward<Ops>(ops)), std::move(name))) {}

  template <detail::QueueOfElements Queue>
  BasicQueueRunner(Queue&, Count, detail::ListOfOps<Queue>) = delete;  // forebay: a list of ops needs no number
  explicit BasicQueueRunner(...) = delete;  // forebay: QueueRunner(queue, threads, op) or QueueRunner(queue, {op, op})

  /// If threads still run: cancels the queue, asks the coordinator to stop, and waits for them. Never throws.
  ~BasicQueueRunner() { runner_->end(); }

  BasicQueueRunner(const BasicQueueRunner&) = delete;
  BasicQueueRunner& operator=(const BasicQueueRunner&) = delete;

  /// Starts one thread for each op, and the closer, launched by `coordinator`: its join() waits for them. Throws
  /// std::logic_error if they run already; after they have ended it may be started again. If a thread cannot be
  /// created, none stays, and std::system_error is thrown. (TensorFlow: create_threads(coord, start=True), which does
  /// nothing if they run already.)
  void start(Coordinator& coordinator) { Runner::start({runner_}, coordinator.core()); }

  /// Starts them without a coordinator of the caller's: join() waits, the destructor cancels the queue, and an op that
  /// fails stops the others. Throws as above.
  void start() {
    auto coordinator = std::make_unique<Coordinator>();  // in the end the one before, destroyed without the lock
    const detail::Guard guard(starting_);
    runner_->throw_if_running();
    own_coordinator_.swap(coordinator);
    start(*own_coordinator_);
  }

  /// Blocks until all threads have ended, and rethrows the first of exceptions_raised(); again each time, until the
  /// next start. Throws std::system_error (resource_deadlock_would_occur) when called by one of them.
  void join() { runner_->join(); }

  /// Ends the input, as if each op returned its end in place of its next call. What the ops have returned and are about
  /// to return goes in. Then the runner has finished, and the queue is closed and drains, unless another runner holds
  /// it open. To drain a chain, end the input of each runner that feeds its first queue, take from its last queue until
  /// that is closed, and join.
  ///
  ///   source.end_input();
  ///   for (auto&& element : last_queue) use(element);
  ///   coordinator.join();
  ///
  /// Never blocks, and wakes nobody: the runner waits for an op that is in a call. Applies to the run under way; does
  /// nothing if there is none, so call start() first. May be called again, from any thread, but not from a signal
  /// handler: see examples/11_interrupt.cpp.
  void end_input() noexcept { runner_->end_input(); }

  /// The failures of the ops since the last start, the first one first.
  [[nodiscard]] std::vector<std::exception_ptr> exceptions_raised() const { return runner_->exceptions_raised(); }

  // ---- For forebay's own start_queue_runners()

  /// What its threads share with it.
  [[nodiscard]] const std::shared_ptr<detail::Runner<Sync>>& runner() const noexcept { return runner_; }

 private:
  using Runner = detail::Runner<Sync>;

  std::shared_ptr<Runner> runner_;  // shared with the threads
  detail::Mutex<Sync> starting_;
  std::unique_ptr<Coordinator> own_coordinator_ FOREBAY_GUARDED_BY(starting_);
};

/// Starts several runners together, all or none. Each of `runners` is a QueueRunner, or a pointer to one, or a range
/// of either. If one of them runs already (std::logic_error) or a thread cannot be created (std::system_error), none
/// is started. (TensorFlow: start_queue_runners(coord), without its global list.)
template <class Sync, class... Runners>
void start_queue_runners(BasicCoordinator<Sync>& coordinator, Runners&&... runners) {
  constexpr bool can_be_started = (detail::can_be_started<Runners, Sync> && ...);
  static_assert(can_be_started,
                "forebay: start_queue_runners(coordinator, runners...) starts QueueRunners, pointers to them, or "
                "ranges of either; a queue is given to a QueueRunner");
  static_assert((!detail::TemporaryRunner<Runners, Sync> && ...),
                "forebay: a QueueRunner that is started must not be a temporary, which would end at once");
  if constexpr (can_be_started) {
    std::vector<std::shared_ptr<detail::Runner<Sync>>> all;
    (detail::append_runners<Sync>(runners, all), ...);
    detail::Runner<Sync>::start(all, coordinator.core());
  }
}

/// What runners that are wired to a pipeline have done, for report(): the first reads, each other one takes from the
/// queue that the one before it fills, and a loop takes from the queue of the last. While threads wait in these queues
/// they are starved or blocked; the rest of the time they work. A queue counts since it was made, and all who use it.
template <class Sync, std::same_as<BasicQueueRunner<Sync>>... Runners>
[[nodiscard]] PipelineStatistics pipeline_statistics(const BasicQueueRunner<Sync>& first, const Runners&... others) {
  return detail::Runner<Sync>::statistics({first.runner(), others.runner()...});
}

using QueueRunner = BasicQueueRunner<>;

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_QUEUE_RUNNER_HPP
