// SPDX-License-Identifier: MIT
//
// pipeline_loop.hpp: PipelineLoop, the implementation of a Pipeline: its threads, and its end, where outputs are taken.
//
// A caller that takes an output holds the turn meanwhile: the stages downstream of the last map, the chunk that is
// read, and the final result of the pipeline belong to it. The turn is the permit of a semaphore, so waiting threads
// keep their own deadlines, and no thread holds a lock while user code runs.

#ifndef FOREBAY_PARALLEL_PIPELINE_LOOP_HPP
#define FOREBAY_PARALLEL_PIPELINE_LOOP_HPP

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "forebay/base/mutex.hpp"
#include "forebay/base/serial_time_sum.hpp"
#include "forebay/base/thread_annotations.hpp"
#include "forebay/base/thread_cpu_time.hpp"
#include "forebay/base/thread_record.hpp"
#include "forebay/checkpoint/checkpoint.hpp"
#include "forebay/checkpoint/resume_point.hpp"
#include "forebay/checkpoint/snapshot_pace.hpp"
#include "forebay/flow/errors.hpp"
#include "forebay/flow/input.hpp"
#include "forebay/parallel/any_parallel_stage.hpp"
#include "forebay/parallel/binary_semaphore.hpp"
#include "forebay/parallel/ended_loops.hpp"
#include "forebay/parallel/pipeline_runtime.hpp"
#include "forebay/position.hpp"
#include "forebay/queue_status.hpp"
#include "forebay/statistics.hpp"
#include "forebay/thread_activity.hpp"
#include "forebay/trace/trace.hpp"
#include "forebay/trace/trace_record.hpp"
#include "forebay/version.hpp"
#include "forebay/wait.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// The epoch that a loop iterates over, and whether it began in the middle.
struct EpochBound {
  std::uint64_t epoch;
  bool begun;
};

/// Uses an output, given its address.
using UseOutput = std::function<void(void* output)>;

/// Returns a function that calls `use` with a T&, and refers to `use`.
template <class T, class Use>
[[nodiscard]] auto use_as(Use& use) {
  return [&use](void* output) { std::invoke(use, *static_cast<T*>(output)); };
}

/// Does not depend on the type of the outputs, so a program with several pipelines contains it once.
template <class Sync>
class PipelineLoop : public OutputObserver {
 public:
  using Wait = BasicWait<Sync>;
  using Coordinator = BasicCoordinator<Sync>;
  using Open = std::function<std::unique_ptr<AnyInput>(Runtime&)>;

  /// Opens a stream with `open`, of a node with these properties, and starts the threads. Pulls `most` elements at a
  /// time. Resumes at `from` unless that is null.
  PipelineLoop(const Open& open, const Properties& properties, std::size_t most, const Checkpoint* from = nullptr)
      : runtime_(properties.make_trace),
        input_(open(runtime_)),
        epochs_(properties.epochs),
        most_(most),
        unit_(properties.unit),
        can_resume_(properties.cannot_resume.empty()) {
    if (from != nullptr) position_ = from->position;
    begin_epoch();
    if (from != nullptr && has_epoch()) {
      restore(*from);
      if (properties.is_elastic()) input_->skip_to(position_.number);
    }
    give_turn_back();
    if (can_resume_ && has_epoch()) take_snapshot();
    runtime_.start(properties.may_block);
  }

  PipelineLoop(const PipelineLoop&) = delete;
  PipelineLoop& operator=(const PipelineLoop&) = delete;

  ~PipelineLoop() override {
    if (outer_ != nullptr) outer_->detach(*this);
    stop();
    try {
      runtime_.coordinator().join();
    } catch (...) {
      return;  // a caller that needs the failure has called join()
    }
  }

  /// Connects a coordinator: its stop stops the pipeline, and a failure that the loop receives stops the coordinator.
  void attach_to(Coordinator& outer) {
    outer_ = &outer;
    outer.attach(*this);
  }

  [[nodiscard]] bool should_stop() const noexcept { return runtime_.stop_requested(); }
  void stop() noexcept { runtime_.coordinator().request_stop(); }
  void close(std::exception_ptr cause) noexcept { runtime_.coordinator().request_stop(std::move(cause)); }

  void join() {
    runtime_.throw_if_inside("join()");
    stop();
    runtime_.coordinator().join();
    turn_.acquire();
    const std::exception_ptr failure = failure_;
    give_turn_back();
    if (failure != nullptr) std::rethrow_exception(failure);
  }

  [[nodiscard]] Position position() const {
    const Guard guard(mutex_);
    return position_;
  }

  /// Returns the checkpoint just after the delivered outputs. Throws std::logic_error if no other run can resume from
  /// there.
  [[nodiscard]] Checkpoint checkpoint() const {
    const std::string why_not = runtime_.why_not_resumable();
    if (!why_not.empty()) throw std::logic_error("forebay: checkpoint: " + why_not);
    const Guard guard(mutex_);
    Checkpoint made{.position = position_};
    place_.save(made.snapshot);
    return made;
  }

  /// Returns the statistics so far. With for_each, the steps count as the loop's work, in whichever thread they ran.
  [[nodiscard]] PipelineStatistics statistics() const {
    using std::chrono::nanoseconds;
    PipelineStatistics found = runtime_.statistics();
    const Guard guard(mutex_);
    const nanoseconds none{};
    const nanoseconds stepped = stepped_.so_far();
    StageStatistics& loop = found.loop;
    loop.elements = outputs_;
    loop.unit = unit_;
    const bool steps_anywhere = runtime_.helped() != nullptr && for_each_.so_far() > none;
    const nanoseconds waited = runtime_.has_parallel_stages() ? loop.starved : pulled_.so_far();
    loop.starved = std::clamp(steps_anywhere ? for_each_.so_far() - stepped : waited, none, found.time);
    loop.working = found.time - loop.starved;
    if (!runtime_.has_parallel_stages()) {
      StageStatistics& all =
          found.stages.emplace_back(StageStatistics{.name = "all stages", .threads = 0, .is_serial = true});
      all.elements = outputs_;
      all.unit = unit_;
      all.working = loop.starved;
      all.blocked = loop.working;
    } else if (runtime_.helped() != nullptr) {
      StageStatistics& helped = found.stages.back();
      const nanoseconds working = std::max(none, helped.working - stepped);
      if (helped.processor_time) helped.processor_time = scaled(*helped.processor_time, working, helped.working);
      helped.working = working;
    }
    runtime_.left_out()->add_to(runtime_.has_parallel_stages() ? loop : found.stages.back());
    if (!steps_anywhere) note_without_core(found);
    return found;
  }

  [[nodiscard]] std::vector<ThreadActivity> threads() const { return runtime_.threads(); }
  [[nodiscard]] std::uint64_t progress() const { return runtime_.progress(); }

  /// Returns std::nullopt if the pipeline is not traced.
  [[nodiscard]] std::optional<TraceRecord> trace_record() const { return runtime_.trace_record(); }

  /// Returns the epoch of the next output.
  [[nodiscard]] EpochBound next_epoch() const {
    runtime_.throw_if_inside("one_epoch()");
    const Position here = position();
    return {here.epoch, here.number > 0};
  }

  /// Records that a loop of the calling thread has reached the end of the input.
  void note_end_of_loop() { ended_loops_.add(); }

  /// Throws std::logic_error if a loop of the calling thread has reached the end of the input before.
  void throw_if_loop_has_ended() const { ended_loops_.throw_if_added(); }

  /// Calls `use` with the next output. With a `bound`, also returns `closed` at the end of that epoch.
  QueueStatus take(const Wait& wait, EpochBound* bound, const UseOutput& use) {
    const typename PipelineRuntime<Sync>::Taking taking(runtime_, "next()");
    if (is_stepping_.load()) throw_stepping("next()");
    for (bool is_first = true;; is_first = false) {
      const QueueStatus got_turn = turn_.acquire(wait);
      if (got_turn != QueueStatus::ok) return got_turn;
      if (stepping_ != nullptr) refuse("next()");
      const PullWait pull_wait(runtime_.coordinator(), wait, help_of(wait, is_first));
      const std::optional<QueueStatus> status = take_with_turn(pull_wait, bound, use);
      if (status) return *status;
      if (pull_wait.has_claimed()) help(pull_wait);
    }
  }

  /// Calls `step` with each output, up to the end or the end of the epoch.
  void for_each(UseOutput step, EpochBound* bound) {
    const typename PipelineRuntime<Sync>::Taking taking(runtime_, "for_each()");
    if (is_stepping_.load()) throw_stepping("for_each()");
    if (bound == nullptr) throw_if_loop_has_ended();
    Coordinator end;  // of this loop, for the threads that wait in it
    Stepping stepping{std::move(step), bound, end};
    begin(stepping);
    StageThreads<Sync>* const helped = runtime_.helped();
    runtime_.observe(helped != nullptr ? this : nullptr);
    if (helped != nullptr) {
      output_is_ready();
      helped->work(Wait(end));
    }
    finish(stepping);
  }

  void output_is_ready() noexcept override {
    while (turn_.acquire(no_wait_) == QueueStatus::ok) {
      const bool steps = stepping_ != nullptr && !stepping_->is_over;
      if (steps) step_ready();
      give_turn_back();
      if (!steps || !runtime_.helped()->has_output()) return;
    }
  }

 private:
  using Times = SerialTimeSum<Sync>;
  using PullWait = PullWaitOf<Sync>;

  /// Moves the time in which the thread of the loop had no core out of the time in which it worked. If that thread also
  /// works for stages, both have their share.
  void note_without_core(PipelineStatistics& found) const {
    using std::chrono::nanoseconds;
    const typename PipelineRuntime<Sync>::LoopUse use = runtime_.loop_use();
    const bool is_alone = !runtime_.has_parallel_stages();
    const nanoseconds busy = is_alone || runtime_.helped() != nullptr ? found.time : found.loop.working;
    const nanoseconds without_core = busy_without_core(busy, use.processor_time, use.without_core);
    const auto move_to = [&](StageStatistics& stage) {
      stage.without_core = scaled(without_core, stage.working, busy);
      stage.working -= stage.without_core;
    };
    move_to(found.loop);
    if (is_alone) move_to(found.stages.back());
  }

  struct Stepping {
    UseOutput step;
    EpochBound* bound;
    Coordinator& end;
    bool is_over = false;
    std::exception_ptr failure{};
  };

  [[nodiscard]] bool stop_requested() const noexcept { return runtime_.stop_requested(); }

  /// Returns how a consumer works instead of waiting, if it has the time. `is_first` says whether it may work on one
  /// element even if `wait` is over.
  [[nodiscard]] Help help_of(const Wait& wait, bool is_first) const noexcept {
    if (runtime_.helped() == nullptr || (!is_first && wait.given_up(QueueStatus::empty))) return Help::none;
    return wait.may_block() && !wait.deadline() ? Help::works : Help::works_on_next;
  }

  void give_turn_back() noexcept { turn_.release(); }

  // The members below require the turn; those that return a status release it.

  std::optional<QueueStatus> take_with_turn(const PullWait& wait, EpochBound* bound, const UseOutput& use) {
    struct GiveTurnBack {
      PipelineLoop& loop;
      ~GiveTurnBack() { loop.give_turn_back(); }
    } const give_back{*this};
    bool has_passed_end = false;
    for (;;) {
      if (bound != nullptr && here().epoch > bound->epoch) return QueueStatus::closed;
      const PullResult result = get(wait);
      if (end_) return result_at_end();
      if (result == PullResult::more) {
        use(input_->any_element());
        count_output();
        if (bound != nullptr) bound->begun = false;
        return QueueStatus::ok;
      }
      if (result == PullResult::ended) {
        pass_end(bound);
        if (!std::exchange(has_passed_end, true)) continue;  // the outputs of one epoch may be there at once
      }
      if (wait.has_claimed()) return std::nullopt;
      if (const auto status = wait.wait().given_up(QueueStatus::empty)) return status;
    }
  }

  /// Pulls until there is an output to read, or returns why there is none. Sets end_ if the run has ended.
  PullResult get(const PullWait& wait) {
    if (end_) return PullResult::ended;
    if (stop_requested()) return stopped();
    if (input_->unread() > 0) return PullResult::more;
    if (!has_epoch()) return end(QueueStatus::closed);
    const auto kind = stepping_ != nullptr ? TraceKind::next_of_steps : TraceKind::next_of_loop;
    TraceSpan<Sync> span(runtime_.trace_of_loop(), kind, 0, 0);
    PullResult result = PullResult::ended;
    try {
      if (can_resume_ && pace_.is_due(wait)) pace_.take(wait, [this] { take_snapshot(); });
      result = look(wait);
    } catch (...) {
      return fail(std::current_exception());
    }
    span.is_of(0, input_->unread());
    if (result == PullResult::not_now) span.drop();
    return stop_requested() ? stopped() : result;
  }

  PullResult look(const PullWait& wait) {
    if (!runtime_.has_parallel_stages()) {
      const typename Times::Timed timed(pulled_);
      return input_->look(most_, wait);
    }
    if (stepping_ == nullptr || runtime_.helped() == nullptr || !wait.may_block()) return input_->look(most_, wait);
    const typename Times::Paused paused(stepped_);
    return input_->look(most_, wait);
  }

  /// Sets the result to all further calls.
  PullResult end(QueueStatus status) noexcept {
    end_ = status;
    stop();
    return PullResult::ended;
  }

  PullResult stopped() {
    if (const std::exception_ptr failure = runtime_.failure(); failure != nullptr) return fail(failure);
    return end(QueueStatus::stopped);
  }

  /// Delivers a failure.
  PullResult fail(const std::exception_ptr& failure) {
    try {
      failure_ = as_dataset_error(failure, "pipeline", here());
    } catch (const std::bad_alloc&) {
      failure_ = failure;
    }
    end(QueueStatus::closed);
    if (outer_ != nullptr) outer_->request_stop(failure_);
    return PullResult::ended;
  }

  QueueStatus result_at_end() const {
    if (failure_ != nullptr) std::rethrow_exception(failure_);
    return *end_;
  }

  /// Requires that all pulled outputs were read.
  void take_snapshot() {
    input_->save(next_place_);
    const Guard guard(mutex_);
    std::swap(place_, next_place_);
  }

  void restore(const Checkpoint& from) {
    SnapshotReader reader(from.snapshot, "loop");
    try {
      input_->restore(reader);
      reader.end();
    } catch (const SnapshotError& error) {
      from.reject(error);
    }
  }

  void count_output() {
    input_->pass();
    ThreadRecord<Sync>::note_progress();
    const Guard guard(mutex_);
    ++place_.since;
    ++position_.number;
    ++outputs_;
  }

  /// A loop that began after the last output of an epoch iterates over the next epoch.
  void pass_end(EpochBound* bound) {
    if (bound != nullptr && bound->begun && bound->epoch == here().epoch) {
      ++bound->epoch;
      bound->begun = false;
    }
    {
      const Guard guard(mutex_);
      place_.begin_epoch();
      ++position_.epoch;
      position_.number = 0;
    }
    begin_epoch();
  }

  /// Read without the lock by the thread with the turn, the only writer.
  [[nodiscard]] const Position& here() const noexcept FOREBAY_NO_THREAD_SAFETY_ANALYSIS { return position_; }

  [[nodiscard]] bool has_epoch() const noexcept { return epochs_.includes({here().epoch}); }
  void begin_epoch() noexcept {
    if (has_epoch()) input_->begin({here().epoch});
  }

  /// Calls the step for all ready outputs, however long that takes, because perhaps no other thread will.
  void step_ready() noexcept {
    const PullWait wait(runtime_.coordinator(), Wait::forever);
    wait.forbid_blocking();
    step_all(wait);
  }

  /// Calls the step for all ready outputs or, if `wait` may block, for all further outputs.
  void step_all(const PullWait& wait) noexcept {
    Stepping& stepping = *stepping_;
    EpochBound* const bound = stepping.bound;
    try {
      const typename Times::Timed timed(stepped_);
      while (!stepping.is_over) {
        if (bound != nullptr && here().epoch > bound->epoch) break;
        const PullResult result = get(wait);
        if (end_) break;
        if (result == PullResult::not_now) return;
        if (result == PullResult::ended) {
          pass_end(bound);
        } else {
          void* const output = input_->any_element();
          count_output();  // before the step, for which the output counts as received
          stepping.step(output);
          if (bound != nullptr) bound->begun = false;
        }
      }
    } catch (...) {
      stepping.failure = std::current_exception();
      end(QueueStatus::stopped);
    }
    stepping.is_over = true;
    stepping.end.request_stop();
  }

  /// The turn was taken from a for_each, which may have missed an output.
  [[noreturn]] void refuse(const char* what) {
    give_turn_back();
    if (runtime_.helped() != nullptr) output_is_ready();
    throw_stepping(what);
  }
  [[noreturn]] static void throw_stepping(const char* what) {
    throw std::logic_error(std::string("forebay: ") + what +
                           " of a pipeline must not be called while for_each() runs");
  }

  // Members that take the turn

  void begin(Stepping& stepping) {
    turn_.acquire();
    if (stepping_ != nullptr) refuse("for_each()");
    stepping_ = &stepping;
    for_each_.begin(Sync::clock::now());
    is_stepping_.store(true);
    give_turn_back();
  }

  /// Calls the step for the outputs that other threads left, and leaves the loop.
  void finish(Stepping& stepping) {
    turn_.acquire();
    while (!stepping.is_over) {
      const PullWait wait(runtime_.coordinator(), Wait::forever, help_of(Wait::forever, true));
      step_all(wait);
      if (wait.has_claimed()) help(wait);
    }
    runtime_.observe(nullptr);
    stepping_ = nullptr;
    for_each_.end(Sync::clock::now());
    is_stepping_.store(false);
    const std::exception_ptr failure = stepping.failure != nullptr ? stepping.failure : failure_;
    const bool is_at_end = end_ == QueueStatus::closed;
    give_turn_back();
    if (failure != nullptr) std::rethrow_exception(failure);
    if (is_at_end && stepping.bound == nullptr) note_end_of_loop();
  }

  /// Does the work that a pull has left to the caller.
  void help(const PullWait& wait) noexcept { runtime_.helped()->do_work_in_hand(wait); }

  PipelineRuntime<Sync> runtime_;
  Coordinator* outer_ = nullptr;
  const Wait no_wait_{no_wait};
  EndedLoops<Sync> ended_loops_;
  BinarySemaphore<Sync> turn_{"the pipeline", "its turn at the outputs"};

  // Guarded by the turn.
  const std::unique_ptr<AnyInput> input_;
  const EpochCount epochs_;
  const std::size_t most_;
  const char* const unit_;  // of outputs
  const bool can_resume_;
  SnapshotPace pace_;
  ResumePoint next_place_;  // kept only for its storage
  std::optional<QueueStatus> end_;
  std::exception_ptr failure_;
  Stepping* stepping_ = nullptr;
  Times pulled_;    // making outputs, if no other thread makes them
  Times for_each_;  // running for_each loops
  Times stepped_;   // running their steps, without waits for outputs if threads with other work call them

  // Whether stepping_ is set, for threads without the turn.
  typename Sync::template atomic<bool> is_stepping_{false};

  mutable Mutex<Sync> mutex_;
  std::uint64_t outputs_ FOREBAY_GUARDED_BY(mutex_) = 0;
  Position position_ FOREBAY_GUARDED_BY(mutex_);  // see here()
  ResumePoint place_ FOREBAY_GUARDED_BY(mutex_);
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_PARALLEL_PIPELINE_LOOP_HPP
