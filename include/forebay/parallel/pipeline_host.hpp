// SPDX-License-Identifier: MIT
//
// pipeline_host.hpp: PipelineHost, what a description is opened in to be run with threads: their coordinator, and the
// parallel stages that they work for.

#ifndef FOREBAY_PARALLEL_PIPELINE_HOST_HPP
#define FOREBAY_PARALLEL_PIPELINE_HOST_HPP

#include <algorithm>
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

/// A parallel stage, seen by those who do not know what it makes.
template <class Sync>
class StageThreads {
 public:
  StageThreads() = default;
  StageThreads(const StageThreads&) = delete;
  StageThreads& operator=(const StageThreads&) = delete;

  /// Whether the loop's thread may be one of its threads.
  [[nodiscard]] virtual bool loop_may_help() const noexcept = 0;

  /// Adds its threads; one less if the loop's thread helps.
  virtual void add_threads(std::vector<NamedThread>& threads, Help help) = 0;

  /// Works on the chunk that a pull of the calling thread has left to it, until `wait` is over.
  virtual void do_work_in_hand(const PullWait& wait) noexcept = 0;

  /// Works like one of its threads until `wait` ends, or the pipeline stops.
  virtual void work(const BasicWait<Sync>& wait) noexcept = 0;

  /// Whether an output is ready to be taken.
  [[nodiscard]] virtual bool has_output() const noexcept = 0;

  /// Adds the statistics of the upstream stages, which one thread at a time runs, and of its own threads. `time` has
  /// passed, and its threads have waited for `starved` for the outputs of parallel stages upstream. Returns how long
  /// consumers have waited for its own outputs.
  virtual std::chrono::nanoseconds add_statistics(std::vector<StageStatistics>& to, std::chrono::nanoseconds time,
                                                  std::chrono::nanoseconds starved) const = 0;

 protected:
  ~StageThreads() = default;
};

/// Is notified when an output is ready: the loop of a for_each.
class OutputObserver {
 public:
  OutputObserver() = default;
  OutputObserver(const OutputObserver&) = delete;
  OutputObserver& operator=(const OutputObserver&) = delete;
  virtual ~OutputObserver() = default;

  /// Called by the thread that has made it.
  virtual void output_is_ready() noexcept = 0;
};

/// Lifetime: outlives the stream that was opened in it.
template <class Sync>
class PipelineHost final : public Host {
 public:
  using Coordinator = BasicCoordinator<Sync>;

  explicit PipelineHost(bool traced = false) : trace_(traced ? std::make_unique<Trace<Sync>>() : nullptr) {}

  [[nodiscard]] Coordinator& coordinator() noexcept { return coordinator_; }
  [[nodiscard]] bool stop_requested() const noexcept { return coordinator_.should_stop(); }
  [[nodiscard]] Wait until_stop() const noexcept { return SignalledStop::wait_for(coordinator_.stop_signal()); }

  /// What is no failure of a stage, and so has no place among the outputs: there is no memory to go on with. Stops, so
  /// that nobody waits for what is lost with it; whoever takes outputs is told, and not that somebody wanted a stop.
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
  /// Why no other run can go on where this one is; empty if one can.
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

  /// A parallel stage has been opened.
  void add(StageThreads<Sync>& stage) { parallel_stages_.push_back(&stage); }
  [[nodiscard]] bool has_parallel_stages() const noexcept { return !parallel_stages_.empty(); }

  /// The one that the loop's thread helps; null if there is none.
  [[nodiscard]] StageThreads<Sync>* helped() const noexcept { return helped_; }

  /// Starts the threads of all parallel stages. The loop's thread helps if there is one parallel stage. It does not
  /// claim from a source that may block: outputs that are ready would have to wait for it.
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
    if (trace_ != nullptr) std::for_each(threads.begin(), threads.end(), [this](NamedThread& each) { trace(each); });
    if (!threads.empty()) coordinator_.launch(std::move(threads));
  }

  /// Where a stage with this name is traced, from when it is opened.
  [[nodiscard]] StageTrace<Sync> trace_of(const std::string& name) {
    if (trace_ == nullptr) return {};
    return {trace_.get(), trace_->add_stage(name)};
  }
  /// The same of the loop.
  [[nodiscard]] StageTrace<Sync> trace_of_loop() const noexcept { return {trace_.get()}; }

  /// What was traced. Throws std::logic_error if nothing is.
  [[nodiscard]] TraceRecord trace_record() const {
    if (trace_ != nullptr) return trace_->record();
    throw std::logic_error("forebay: write_trace: nothing is kept of a pipeline unless its data set is .traced()");
  }

  /// What all stages have done, and how long the loop has waited for the last.
  [[nodiscard]] PipelineStatistics statistics() const {
    PipelineStatistics found;
    found.cores = processors_.cores();
    found.time = std::chrono::duration_cast<std::chrono::nanoseconds>(Sync::clock::now() - started_);
    const ProcessorTimes used = processors_.used().since(processor_times_);
    found.processor_time = used.process;
    found.machine_time = used.machine;
    found.throttled_time = used.throttled;
    for (const StageThreads<Sync>* stage : parallel_stages_) {
      found.loop.starved = stage->add_statistics(found.stages, found.time, found.loop.starved);
    }
    return found;
  }

  /// Says that the calling thread runs user code, which must not wait for the pipeline.
  class Inside {
   public:
    /// A thread that takes outputs offers a slot, in which others see what it waits for unless it has one already.
    explicit Inside(PipelineHost& host, ThreadSlot<Sync>* offered = nullptr)
        : host_(host),
          loop_(offered != nullptr ? ThreadSlot<Sync>::of_this_thread() : nullptr),
          is_own_(loop_ != nullptr && loop_ == offered) {
      const Guard guard(host_.mutex_);
      if (is_own_) offered->go_on_from(host_.loop_);
      host_.inside_.push_back(this);
      if (loop_ != nullptr) host_.progress_of_loops_ -= record_.progress();
    }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;
    ~Inside() {
      const Guard guard(host_.mutex_);
      if (is_own_) host_.loop_ = loop_->standstill();
      if (loop_ != nullptr) host_.progress_of_loops_ += record_.progress();
      host_.inside_.erase(std::find(host_.inside_.begin(), host_.inside_.end(), this));
    }

   private:
    friend PipelineHost;

    PipelineHost& host_;
    const ThreadSlot<Sync>* const loop_;  // of a thread that takes outputs; else null
    const bool is_own_;                   // it has no other one
    ThreadRecord<Sync>& record_ = ThreadRecord<Sync>::of_this_thread();
    const typename Sync::thread::id thread_ = Sync::this_thread_id();
  };

  /// The same for a thread that takes outputs.
  class Taking {
   public:
    explicit Taking(PipelineHost& host) : use_(slot_), inside_(host, &slot_) {}

   private:
    ThreadSlot<Sync> slot_;
    const typename ThreadSlot<Sync>::Use use_;
    const Inside inside_;
  };

  /// What its threads do, and then those that take outputs, each as "loop"; unless it has stopped, there is one.
  [[nodiscard]] std::vector<ThreadActivity> threads() const {
    std::vector<ThreadActivity> found = coordinator_.threads();
    const std::size_t launched = found.size();
    const Guard guard(mutex_);
    for (const Inside* each : inside_) {
      if (each->loop_ != nullptr) found.push_back(each->loop_->activity("loop"));
    }
    if (found.size() > launched || stop_requested()) return found;
    found.push_back(ThreadSlot<Sync>(loop_).activity("loop"));
    return found;
  }

  /// See ThreadRecord::progress(): that of its threads, and of those that take outputs.
  [[nodiscard]] std::uint64_t progress() const {
    const std::uint64_t launched = coordinator_.progress();
    const Guard guard(mutex_);
    std::uint64_t sum = launched + progress_of_loops_;
    for (const Inside* each : inside_) {
      if (each->loop_ != nullptr) sum += each->record_.progress();
    }
    return sum;
  }

  /// Throws std::logic_error if it does.
  void throw_if_inside(const char* what) const {
    const Guard guard(mutex_);
    const auto caller = Sync::this_thread_id();
    if (std::none_of(inside_.begin(), inside_.end(), [&](const Inside* each) { return each->thread_ == caller; }))
      return;
    throw std::logic_error(std::string("forebay: ") + what +
                           " of a pipeline is called by a stage, a function or a step that runs in it");
  }

  /// From now on, who makes an output tells `observer`, if that is not null.
  void observe(OutputObserver* observer) noexcept { observer_.store(observer); }
  void output_is_ready() const noexcept {
    if (OutputObserver* const observer = observer_.load()) observer->output_is_ready();
  }

 private:
  void trace(NamedThread& thread) {
    thread.body = [this, number = trace_->add_thread(thread.name), body = std::move(thread.body)] {
      trace_->begin_thread(number);
      body();
    };
  }

  struct StopAction {
    std::function<void()> action;
    void close() const noexcept { action(); }
  };

  const std::unique_ptr<Trace<Sync>> trace_;  // null unless it is asked for
  mutable Mutex<Sync> mutex_;
  std::vector<const Inside*> inside_ FOREBAY_GUARDED_BY(mutex_);
  std::uint64_t progress_of_loops_ FOREBAY_GUARDED_BY(mutex_) = 0;           // see ThreadGroup
  typename ThreadSlot<Sync>::Standstill loop_ FOREBAY_GUARDED_BY(mutex_){};  // between two calls of a loop
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

#endif  // FOREBAY_PARALLEL_PIPELINE_HOST_HPP
