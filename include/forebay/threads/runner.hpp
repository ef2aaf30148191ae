// SPDX-License-Identifier: MIT
//
// runner.hpp: Runner, the implementation of a QueueRunner, which its threads share. It outlives both.

#ifndef FOREBAY_THREADS_RUNNER_HPP
#define FOREBAY_THREADS_RUNNER_HPP

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "forebay/base/mutex.hpp"
#include "forebay/base/open_hold.hpp"
#include "forebay/base/processor_times.hpp"
#include "forebay/base/processors.hpp"
#include "forebay/base/reject.hpp"
#include "forebay/base/thread_annotations.hpp"
#include "forebay/base/thread_cpu_time.hpp"
#include "forebay/queue_status.hpp"
#include "forebay/statistics.hpp"
#include "forebay/threads/coordinator_core.hpp"
#include "forebay/threads/op.hpp"
#include "forebay/threads/thread_group.hpp"
#include "forebay/version.hpp"
#include "forebay/waiting/parker.hpp"
#include "forebay/waiting/stop_signal.hpp"
#include "forebay/waiting/thread_slot.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Runs a thread for each op, and one more, the closer. When the ops have ended, the closer releases the queue, which
/// closes unless another runner holds it open. At a stop, the closer cancels the queue.
///
/// Invariants, under the mutex of threads_:
///  - threads_ are the threads of the ops. The coordinator launches and joins them; they leave threads_ before they
///    end;
///  - while one of them or the closer runs, *coordinator_ exists, because it waits for them;
///  - user code (ops, close functions, the destructors of ops and exceptions) runs without the lock.
template <class Sync>
class Runner {
 public:
  using Coordinator = CoordinatorCore<Sync>;
  using Pointer = std::shared_ptr<Runner>;

  /// Throws std::invalid_argument if there are no ops.
  template <class Queue>
  Runner(Queue& queue, std::vector<std::shared_ptr<Op>> ops, std::string name)
      : name_(std::move(name)),
        ops_(std::move(ops)),
        cpu_times_(ops_.size()),
        hold_open_([&queue] { return detail::hold_open(queue); }),
        cancel_([&queue](const std::exception_ptr& cause) { queue.close(cause); }),
        statistics_([&queue] { return queue.statistics(); }),
        hold_(hold_open_()) {
    if (ops_.empty()) reject({"a QueueRunner needs at least 1 op, not 0"});
  }

  /// Starts the threads of all `runners`, or none.
  static void start(const std::vector<Pointer>& runners, Coordinator& coordinator) {
    Members threads;
    std::size_t begun = 0;
    try {
      for (; begun < runners.size(); ++begun) runners[begun]->begin(coordinator, runners[begun], threads);
      coordinator.launch(std::move(threads));
    } catch (...) {
      while (begun > 0) runners[--begun]->take_back();
      throw;
    }
  }

  void throw_if_running() const {
    const Guard guard(threads_.mutex);
    throw_unless_ended();
  }

  void join() {
    std::exception_ptr first;
    {
      const Guard guard(threads_.mutex);
      throw_if_called_by_op("waits for itself");
      const IdleWait<Sync> waiting("join", name_);
      threads_.wait([this]() FOREBAY_REQUIRES(threads_.mutex) { return ended(); });
      if (!raised_.empty()) first = raised_.front();
    }
    if (first != nullptr) std::rethrow_exception(std::move(first));
  }

  /// Ends the input: no op is called again in this run.
  void end_input() noexcept {
    const Guard guard(threads_.mutex);
    if (!ended()) input_has_ended_.store(true, std::memory_order_relaxed);
  }

  /// Ends the run, for the destructor of the QueueRunner. The ops may refer to objects that the caller destroys next.
  [[gnu::noinline]] void end() noexcept {
    throw_if_destroyed_by_op();            // before there is anything to unwind, or the message would be lost
    std::vector<std::shared_ptr<Op>> ops;  // destroyed without the lock
    OpenHold hold;                         // released without the lock
    const Guard guard(threads_.mutex);
    if (threads_.running() > 0) request_stop();
    threads_.wait([this]() FOREBAY_REQUIRES(threads_.mutex) { return ended(); });
    ops.swap(ops_);
    std::swap(hold, hold_);
  }

  // It is attached to the coordinator while it runs, to report the progress of the queue. The closer handles a stop.
  void close() const noexcept {}
  [[nodiscard]] std::uint64_t progress() const {
    const QueueStatistics queue = statistics_();
    return queue.producers.elements + queue.consumers.elements;
  }

  [[nodiscard]] std::vector<std::exception_ptr> exceptions_raised() const {
    const Guard guard(threads_.mutex);
    return raised_;
  }

  /// The statistics of a chain: each of `runners` dequeues from the queue of the previous one, and the loop from the
  /// last queue. Requires at least one runner.
  [[nodiscard]] static PipelineStatistics statistics(const std::vector<Pointer>& runners) {
    PipelineStatistics found;
    found.cores = runners.front()->processors_.cores();
    const ProcessorTimes used = runners.front()->processors_.used();
    QueueStatistics::Side input;
    for (const Pointer& runner : runners) {
      const QueueStatistics queue = runner->statistics_();
      const Time now = Sync::clock::now();
      StageStatistics& stage = found.stages.emplace_back(StageStatistics{runner->name_, runner->ops_.size()});
      stage.elements = queue.producers.elements;
      if (const std::optional<Run> run = runner->run()) {
        set_times(stage, run->ended.value_or(now) - run->started, input.waited, queue.producers.waited);
        stage.processor_time = runner->cpu_time();
        if (stage.processor_time) *stage.processor_time -= run->cpu_time.value_or(std::chrono::nanoseconds());
        MaybeTime delayed = runner->without_core();
        if (delayed) *delayed -= run->without_core.value_or(std::chrono::nanoseconds());
        stage.without_core = busy_without_core(stage.working, stage.processor_time, delayed);
        stage.working -= stage.without_core;
        found.time = std::max<std::chrono::nanoseconds>(found.time, now - run->started);
        found.processor_time = std::max(found.processor_time, used.since(run->used).process);
        found.machine_time = std::max(found.machine_time, used.since(run->used).machine);
        found.throttled_time = std::max(found.throttled_time, used.since(run->used).throttled);
      }
      input = queue.consumers;
    }
    found.loop.elements = input.elements;
    set_times(found.loop, found.time, input.waited, {});
    return found;
  }

 private:
  using Member = typename ThreadGroup<Sync>::Member;
  using Members = typename ThreadGroup<Sync>::Members;
  using Time = typename Sync::clock::time_point;

  /// The last one.
  struct Run {
    Time started;
    std::optional<Time> ended;
    ProcessorTimes used;  // when it was started
    MaybeTime cpu_time;   // the same of its threads, in earlier runs
    MaybeTime without_core;
  };

  /// Returns the CPU time that the threads of all runs have used; none if unknown.
  [[nodiscard]] MaybeTime cpu_time() const {
    MaybeTime sum;
    for (const ThreadCpuTime<Sync>& each : cpu_times_) add_known(sum, each.so_far());
    return sum;
  }

  /// Returns for how long they had no core; none if unknown.
  [[nodiscard]] MaybeTime without_core() const {
    MaybeTime sum;
    for (const ThreadCpuTime<Sync>& each : cpu_times_) add_known(sum, each.without_core());
    return sum;
  }

  [[nodiscard]] std::optional<Run> run() const noexcept {
    const Guard guard(threads_.mutex);
    return run_;
  }

  /// Returns how `threads` threads spent `time`, given the sum of their waits.
  static void set_times(StageStatistics& stage, std::chrono::nanoseconds time, std::chrono::nanoseconds starved,
                        std::chrono::nanoseconds blocked) noexcept {
    const auto all = time * static_cast<std::int64_t>(stage.threads);
    stage.starved = std::min(starved, all);
    stage.blocked = std::min(blocked, all - stage.starved);
    stage.working = all - stage.starved - stage.blocked;
  }

  [[gnu::noinline]] void throw_if_destroyed_by_op() const {
    const Guard guard(threads_.mutex);
    throw_if_called_by_op("destroys the runner that waits for it");
  }

  /// Marks the runner as running. Appends the threads to launch for it; each of these owns `self`.
  void begin(Coordinator& coordinator, const Pointer& self, Members& launched) {
    Members members;
    for (std::size_t i = 0; i < ops_.size(); ++i) {
      Member& member = members.emplace_back(name_ + "-" + std::to_string(i));
      launched.emplace_back(member.name, [self, &member, op = ops_[i].get(), &time = cpu_times_[i]] {
        self->run_op(member, *op, time);
      });
    }
    launched.emplace_back(name_ + "-closer", [self] { self->run_closer(); });
    std::vector<std::exception_ptr> raised;  // in the end those of the time before, destroyed without the lock
    raised.reserve(ops_.size());
    OpenHold hold = hold_open_();  // in the end the one before, released without the lock
    const ProcessorTimes used = processors_.used();

    const Guard guard(threads_.mutex);
    throw_unless_ended();
    coordinator.attach(*this);
    raised_.swap(raised);
    std::swap(hold_, hold);
    input_has_ended_.store(false, std::memory_order_relaxed);
    stops_at_the_end_ = false;
    coordinator_ = &coordinator;
    threads_.add(members);
    closer_runs_ = true;
    run_ = Run{Sync::clock::now(), {}, used, cpu_time(), without_core()};
  }

  /// Undoes begin() for a runner that was not launched. The runner keeps its hold, as before its first start.
  void take_back() noexcept {
    coordinator_->detach(this);
    const Guard guard(threads_.mutex);
    closer_runs_ = false;
    threads_.clear();
  }

  void run_op(Member& member, Op& op, ThreadCpuTime<Sync>& time) noexcept {
    enter(member);
    try {
      const UsesCpu<Sync> uses(time);
      op.run([this] { return !coordinator_->should_stop() && !input_has_ended_.load(std::memory_order_relaxed); });
    } catch (const OutOfRangeError&) {
      // The end of the input.
    } catch (const CancelledError&) {
      // It is not a failure if a wait in the op ended because of the stop.
      if (!coordinator_->should_stop()) fail(std::current_exception());
    } catch (...) {
      fail(std::current_exception());
    }
    leave(member);
  }

  void enter(Member& member) noexcept {
    const Guard guard(threads_.mutex);
    threads_.enter(member);
  }

  void leave(Member& member) noexcept {
    const Guard guard(threads_.mutex);
    threads_.leave(member);
    threads_.remove_ended();
    if (threads_.running() == 0) closer_.signal();
  }

  /// A clean stop waits until the others have put in what they have; the closer requests it.
  /// The queue first: a consumer must not take a failure for the end of the input.
  void fail(const std::exception_ptr& cause) noexcept {
    if (coordinator_->is_clean_stop(cause)) {
      const Guard guard(threads_.mutex);
      stops_at_the_end_ = true;
      input_has_ended_.store(true, std::memory_order_relaxed);
      return;
    }
    cancel_(cause);
    {
      const Guard guard(threads_.mutex);
      raised_.push_back(cause);
    }
    coordinator_->request_stop(cause);
  }

  void run_closer() noexcept {
    {
      const typename StopSignal<Sync>::Subscription subscription(&coordinator_->stop_signal(), closer_);
      const IdleWait<Sync> waiting("the end", name_);
      while (!coordinator_->should_stop() && ops_run()) closer_.park(std::nullopt);
      close_queue();
    }
    if (stops_at_the_end()) coordinator_->request_stop(nullptr);
    coordinator_->detach(this);
    const Guard guard(threads_.mutex);
    run_->ended = Sync::clock::now();
    closer_runs_ = false;
    threads_.notify();
  }

  /// A stop cancels the queue and passes on its cause. At the end of the input, the last runner closes the queue.
  void close_queue() noexcept {
    if (coordinator_->should_stop()) cancel_(coordinator_->failure());
    hold_.finish();
  }

  /// Returns whether an op has requested a clean stop.
  [[nodiscard]] bool stops_at_the_end() const noexcept {
    const Guard guard(threads_.mutex);
    return stops_at_the_end_;
  }

  [[nodiscard]] bool ops_run() const noexcept {
    const Guard guard(threads_.mutex);
    return threads_.running() > 0;
  }

  [[nodiscard]] bool ended() const noexcept FOREBAY_REQUIRES(threads_.mutex) {
    return threads_.all_ended() && !closer_runs_;
  }

  /// Releases the lock, because the coordinator closes attached objects.
  void request_stop() noexcept FOREBAY_REQUIRES(threads_.mutex) {
    const typename Coordinator::Hold hold(*coordinator_);  // its threads, which it waits for, may end meanwhile
    const Unlocked unlocked(threads_.mutex);
    coordinator_->request_stop(nullptr);
  }

  void throw_if_called_by_op(const char* does) const FOREBAY_REQUIRES(threads_.mutex) {
    if (threads_.calling_member() == nullptr) return;
    throw_would_deadlock("a thread of the QueueRunner \"" + name_ + "\" " + does);
  }

  void throw_unless_ended() const FOREBAY_REQUIRES(threads_.mutex) {
    if (ended()) return;
    throw std::logic_error("forebay: the QueueRunner \"" + name_ + "\" is running already");
  }

  const std::string name_;
  std::vector<std::shared_ptr<Op>> ops_;
  std::vector<ThreadCpuTime<Sync>> cpu_times_;  // of their threads
  const std::function<OpenHold()> hold_open_;
  const std::function<void(const std::exception_ptr&)> cancel_;
  const std::function<QueueStatistics()> statistics_;
  const Processors<Sync> processors_;
  Parker<Sync> closer_;
  OpenHold hold_;  // the closer's while it runs, else guarded by the lock

  ThreadGroup<Sync> threads_;
  bool closer_runs_ FOREBAY_GUARDED_BY(threads_.mutex) = false;
  std::optional<Run> run_ FOREBAY_GUARDED_BY(threads_.mutex);
  bool stops_at_the_end_ FOREBAY_GUARDED_BY(threads_.mutex) = false;
  typename Sync::template atomic<bool> input_has_ended_{false};  // relaxed: the ops take it for a hint
  Coordinator* coordinator_ = nullptr;
  std::vector<std::exception_ptr> raised_ FOREBAY_GUARDED_BY(threads_.mutex);
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_THREADS_RUNNER_HPP
