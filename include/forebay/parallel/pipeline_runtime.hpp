// SPDX-License-Identifier: MIT
//
// pipeline_runtime.hpp: PipelineRuntime, in which a description is opened to run with threads: the coordinator of the
// threads, and their parallel stages.

#ifndef FOREBAY_PARALLEL_PIPELINE_RUNTIME_HPP
#define FOREBAY_PARALLEL_PIPELINE_RUNTIME_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "forebay/base/mutex.hpp"
#include "forebay/base/processor_times.hpp"
#include "forebay/base/processors.hpp"
#include "forebay/base/thread_annotations.hpp"
#include "forebay/base/thread_cpu_time.hpp"
#include "forebay/base/thread_record.hpp"
#include "forebay/coordinator.hpp"
#include "forebay/describe/node.hpp"
#include "forebay/flow/chunk.hpp"
#include "forebay/flow/pull_wait.hpp"
#include "forebay/statistics.hpp"
#include "forebay/thread_activity.hpp"
#include "forebay/trace/trace.hpp"
#include "forebay/trace/trace_record.hpp"
#include "forebay/version.hpp"
#include "forebay/wait.hpp"
#include "forebay/waiting/thread_slot.hpp"

namespace forebay::FOREBAY_ABI::detail {

template <class Sync>
class AnyParallelStage;

/// The interface of an AnyParallelStage, so that programs without a parallel stage contain nothing of it.
template <class Sync>
class StageThreads {
 public:
  StageThreads() = default;
  StageThreads(const StageThreads&) = delete;
  StageThreads& operator=(const StageThreads&) = delete;

  /// Returns whether the loop's thread may act as one of its threads.
  [[nodiscard]] virtual bool loop_may_help() const noexcept = 0;

  /// Adds its threads to the list; one less if the loop's thread helps.
  virtual void add_threads(std::vector<NamedThread>& threads, Help help) = 0;

  /// Works on the chunk that a pull left to the calling thread, until `wait` is over.
  virtual void do_work_in_hand(const PullWait& wait) noexcept = 0;

  /// Works like one of its threads, until `wait` ends or the pipeline stops.
  virtual void work(const BasicWait<Sync>& wait) noexcept = 0;

  /// Returns whether an output is ready.
  [[nodiscard]] virtual bool has_output() const noexcept = 0;

 protected:
  ~StageThreads() = default;
};

/// An observer that is notified when an output is ready: the loop of a for_each.
class OutputObserver {
 public:
  OutputObserver() = default;
  OutputObserver(const OutputObserver&) = delete;
  OutputObserver& operator=(const OutputObserver&) = delete;
  virtual ~OutputObserver() = default;

  /// Called by the thread that made the output.
  virtual void output_is_ready() noexcept = 0;
};

/// Lifetime: must outlive the stream that was opened in it.
template <class Sync>
class PipelineRuntime final : public Runtime {
 public:
  using Coordinator = BasicCoordinator<Sync>;

  /// Records the trace that `make_trace` returns; null if the pipeline is not traced.
  explicit PipelineRuntime(MakeTrace make_trace = nullptr) : trace_(make_trace != nullptr ? make_trace() : nullptr) {}

  [[nodiscard]] Coordinator& coordinator() noexcept { return coordinator_; }
  [[nodiscard]] bool stop_requested() const noexcept { return coordinator_.should_stop(); }

  /// Handles an error that is not a failure of a stage, and so has no position among the outputs: memory has run out.
  /// Stops the pipeline, so that no thread waits for lost outputs. The loop receives this error instead of the stop.
  void fail(std::exception_ptr failure) noexcept {
    {
      const Guard guard(mutex_);
      if (failure_ == nullptr) failure_ = std::move(failure);
    }
    coordinator_.request_stop();
  }
  [[nodiscard]] std::exception_ptr failure() const {
    const Guard guard(mutex_);
    return failure_;
  }

  void cannot_resume(const std::string& why) override {
    const Guard guard(mutex_);
    if (why_not_.empty()) why_not_ = why;
  }
  /// Returns why no other run can resume from here; empty if one can.
  [[nodiscard]] std::string why_not_resumable() const {
    const Guard guard(mutex_);
    return why_not_;
  }

  void on_stop(std::function<void()> action) override {
    StopAction* added = nullptr;
    {
      const Guard guard(mutex_);
      added = &actions_.emplace_back(StopAction{std::move(action)});
    }
    coordinator_.attach(*added);
  }
  [[nodiscard]] bool runs_threads() const noexcept override { return true; }
  [[nodiscard]] std::shared_ptr<LeftOut> left_out() const noexcept override { return left_out_; }

  /// Adds a parallel stage that was opened.
  void add(StageThreads<Sync>& stage) { parallel_stages_.push_back(&stage); }
  [[nodiscard]] bool has_parallel_stages() const noexcept { return !parallel_stages_.empty(); }

  /// Returns the stage that the loop's thread helps; null if there is none.
  [[nodiscard]] StageThreads<Sync>* helped() const noexcept { return helped_; }

  /// Starts the threads of all parallel stages. The loop's thread helps if there is exactly one parallel stage. It does
  /// not claim from a source that may block, because ready outputs would then have to wait.
  void start(bool may_block) {
    if (parallel_stages_.size() == 1 && parallel_stages_[0]->loop_may_help()) helped_ = parallel_stages_[0];
    const Help help = may_block ? Help::works : Help::claims_and_works;
    started_ = Sync::clock::now();
    {
      const Guard guard(mutex_);
      loop_.since = started_;
    }
    processor_times_ = processors_.used();
    std::vector<NamedThread> threads;
    for (StageThreads<Sync>* stage : parallel_stages_) {
      stage->add_threads(threads, stage == helped_ ? help : Help::none);
    }
    for (NamedThread& thread : threads) trace(thread);
    if (!threads.empty()) coordinator_.launch(std::move(threads));
  }

  /// Returns the trace of a stage with the given name.
  [[nodiscard]] StageTrace<Sync> trace_of(const std::string& name) {
    if (trace_ == nullptr) return {};
    return {trace_.get(), trace_->add_stage(name)};
  }
  /// Returns the trace of the loop.
  [[nodiscard]] StageTrace<Sync> trace_of_loop() const noexcept { return {trace_.get()}; }

  /// Returns the recorded trace; std::nullopt if the pipeline is not traced.
  [[nodiscard]] std::optional<TraceRecord> trace_record() const {
    if (trace_ == nullptr) return std::nullopt;
    return trace_->record();
  }

  /// Returns the statistics of all stages, and how long the loop has waited for the last one.
  [[nodiscard]] PipelineStatistics statistics() const {
    PipelineStatistics found;
    found.cores = processors_.cores();
    found.time = std::chrono::duration_cast<std::chrono::nanoseconds>(Sync::clock::now() - started_);
    const ProcessorTimes used = processors_.used().since(processor_times_);
    found.processor_time = used.process;
    found.machine_time = used.machine;
    found.throttled_time = used.throttled;
    for (const StageThreads<Sync>* stage : parallel_stages_) {
      const auto& each = static_cast<const AnyParallelStage<Sync>&>(*stage);
      found.loop.starved = each.add_statistics(found.stages, found.time, found.loop.starved);
    }
    return found;
  }

  /// Describes how the thread of the loop used the processor since it took its first output.
  struct LoopUse {
    MaybeTime processor_time;
    MaybeTime without_core;
  };
  /// Returns no times if they are unknown, or if several threads have taken outputs.
  [[nodiscard]] LoopUse loop_use() const {
    const Guard guard(mutex_);
    return has_several_loops_ ? LoopUse() : LoopUse{loop_use_.so_far(), loop_use_.without_core()};
  }

  /// Marks the calling thread as running user code, which must not wait for the pipeline, for a scope.
  class Inside {
   public:
    /// A thread that takes outputs in `what` provides a slot, which shows what it waits for, unless the thread has one
    /// already. Throws std::logic_error if that thread runs user code of this pipeline.
    explicit Inside(PipelineRuntime& runtime, const char* what = nullptr, ThreadSlot<Sync>* offered = nullptr)
        : runtime_(runtime),
          loop_(offered != nullptr ? ThreadSlot<Sync>::of_this_thread() : nullptr),
          is_own_(loop_ != nullptr && loop_ == offered) {
      const Guard guard(runtime_.mutex_);
      if (what != nullptr) runtime_.require_outside(what, thread_);
      if (is_own_) offered->go_on_from(runtime_.loop_);
      next_ = std::exchange(runtime_.inside_, this);
      if (loop_ == nullptr) return;
      runtime_.progress_of_loops_ -= record_.progress();
      runtime_.note_loop(thread_);
    }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;
    ~Inside() {
      const Guard guard(runtime_.mutex_);
      if (is_own_) runtime_.loop_ = loop_->standstill();
      if (loop_ != nullptr) runtime_.progress_of_loops_ += record_.progress();
      const Inside** place = &runtime_.inside_;
      while (*place != this) place = &(*place)->next_;
      *place = next_;
    }

   private:
    friend PipelineRuntime;

    PipelineRuntime& runtime_;
    const ThreadSlot<Sync>* const loop_;  // of a thread that takes outputs; otherwise null
    const bool is_own_;                   // the thread has no other slot
    ThreadRecord<Sync>& record_ = ThreadRecord<Sync>::of_this_thread();
    const typename Sync::thread::id thread_ = Sync::this_thread_id();
    mutable const Inside* next_ = nullptr;  // in the list of the runtime, guarded by its mutex
  };

  /// Marks a thread that takes outputs in `what`, for a scope. Throws std::logic_error as Inside does.
  class Taking {
   public:
    Taking(PipelineRuntime& runtime, const char* what) : use_(slot_), inside_(runtime, what, &slot_) {}

   private:
    ThreadSlot<Sync> slot_;
    const typename ThreadSlot<Sync>::Use use_;
    const Inside inside_;
  };

  /// Returns what its threads do, then what the threads that take outputs do, each as "loop": at least one, unless the
  /// pipeline has stopped.
  [[nodiscard]] std::vector<ThreadActivity> threads() const {
    std::vector<ThreadActivity> found = coordinator_.threads();
    const std::size_t launched = found.size();
    const Guard guard(mutex_);
    for (const Inside* each = inside_; each != nullptr; each = each->next_) {
      if (each->loop_ != nullptr) found.push_back(each->loop_->activity("loop"));
    }
    if (found.size() > launched || stop_requested()) return found;
    found.push_back(ThreadSlot<Sync>(loop_).activity("loop"));
    return found;
  }

  /// Returns the sum of ThreadRecord::progress() over its threads and the threads that take outputs.
  [[nodiscard]] std::uint64_t progress() const {
    const std::uint64_t launched = coordinator_.progress();
    const Guard guard(mutex_);
    std::uint64_t sum = launched + progress_of_loops_;
    for (const Inside* each = inside_; each != nullptr; each = each->next_) {
      if (each->loop_ != nullptr) sum += each->record_.progress();
    }
    return sum;
  }

  /// Throws std::logic_error if the calling thread runs user code of this pipeline.
  void throw_if_inside(const char* what) const {
    const Guard guard(mutex_);
    require_outside(what, Sync::this_thread_id());
  }

  /// Sets the observer that is notified of each output; null for none.
  void observe(OutputObserver* observer) noexcept { observer_.store(observer); }
  void output_is_ready() const noexcept {
    if (OutputObserver* const observer = observer_.load()) observer->output_is_ready();
  }

 private:
  void require_outside(const char* what, typename Sync::thread::id thread) const FOREBAY_REQUIRES(mutex_) {
    const Inside* each = inside_;
    while (each != nullptr && each->thread_ != thread) each = each->next_;
    if (each == nullptr) return;
    throw std::logic_error(std::string("forebay: ") + what +
                           " of a pipeline must not be called by a stage, a function or a step that runs in it");
  }

  /// Notes that the calling thread takes outputs.
  void note_loop(typename Sync::thread::id thread) FOREBAY_REQUIRES(mutex_) {
    if (thread == loop_thread_) return;
    has_several_loops_ = loop_thread_ != typename Sync::thread::id();
    if (!has_several_loops_) loop_use_.begin();
    loop_thread_ = thread;
  }

  void trace(NamedThread& thread) {
    if (trace_ == nullptr) return;
    thread.body = [this, number = trace_->add_thread(thread.name), body = std::move(thread.body)] {
      trace_->begin_thread(number);
      body();
    };
  }

  struct StopAction {
    std::function<void()> action;
    void close() const noexcept { action(); }
  };

  const std::shared_ptr<LeftOut> left_out_ = make_left_out();  // by stages in the thread of the loop
  const std::unique_ptr<AnyTrace> trace_;                      // null unless the pipeline is traced
  mutable Mutex<Sync> mutex_;
  const Inside* inside_ FOREBAY_GUARDED_BY(mutex_) = nullptr;                // the first of a list
  std::uint64_t progress_of_loops_ FOREBAY_GUARDED_BY(mutex_) = 0;           // see ThreadGroup
  typename ThreadSlot<Sync>::Standstill loop_ FOREBAY_GUARDED_BY(mutex_){};  // between two calls of a loop
  ThreadCpuTime<Sync> loop_use_ FOREBAY_GUARDED_BY(mutex_);
  typename Sync::thread::id loop_thread_ FOREBAY_GUARDED_BY(mutex_){};  // the last that took an output
  bool has_several_loops_ FOREBAY_GUARDED_BY(mutex_) = false;
  std::exception_ptr failure_ FOREBAY_GUARDED_BY(mutex_);
  std::string why_not_ FOREBAY_GUARDED_BY(mutex_);
  std::list<StopAction> actions_ FOREBAY_GUARDED_BY(mutex_);  // outlives the coordinator
  std::vector<StageThreads<Sync>*> parallel_stages_;
  StageThreads<Sync>* helped_ = nullptr;
  typename Sync::clock::time_point started_{};
  const Processors<Sync> processors_;
  ProcessorTimes processor_times_{};
  typename Sync::template atomic<OutputObserver*> observer_{nullptr};
  Coordinator coordinator_{clean_stop_types<>};
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_PARALLEL_PIPELINE_RUNTIME_HPP
