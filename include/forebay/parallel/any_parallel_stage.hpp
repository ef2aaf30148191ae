// SPDX-License-Identifier: MIT
//
// any_parallel_stage.hpp: AnyParallelStage, a stage with threads, independent of the types of its elements. Its threads
// claim chunks from the upstream stages, one thread at a time, work on them concurrently, and deliver the results in
// the order of the claims. Only this class and the pipeline's loop synchronise; every other stage is sequential code.
//
// Claiming and working are separate: `schedule_` assigns each thread its next task. A thread that works on a chunk
// waits only for its own work.

#ifndef FOREBAY_PARALLEL_ANY_PARALLEL_STAGE_HPP
#define FOREBAY_PARALLEL_ANY_PARALLEL_STAGE_HPP

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "forebay/base/serial_time_sum.hpp"
#include "forebay/base/thread_cpu_time.hpp"
#include "forebay/base/thread_record.hpp"
#include "forebay/checkpoint/resume_point.hpp"
#include "forebay/flow/errors.hpp"
#include "forebay/flow/input.hpp"
#include "forebay/flow/stream.hpp"
#include "forebay/parallel/chunk_types.hpp"
#include "forebay/parallel/parallel_settings.hpp"
#include "forebay/parallel/pipeline_runtime.hpp"
#include "forebay/parallel/schedule.hpp"
#include "forebay/parallel/shared_input.hpp"
#include "forebay/stage/work.hpp"
#include "forebay/trace/trace.hpp"
#include "forebay/trace/trace_record.hpp"
#include "forebay/version.hpp"
#include "forebay/wait.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Lifetime: may be destroyed when the threads of the runtime have ended.
///
/// Thread safety: only the thread that owns the stream may call members that are not from StageThreads.
template <class Sync>
class AnyParallelStage : public StageThreads<Sync> {
  using Wait = BasicWait<Sync>;
  using Span = TraceSpan<Sync>;
  using Times = SerialTimeSum<Sync>;
  using Time = typename Times::Time;

 public:
  /// Ends all waits, because the pipeline stops.
  void close() noexcept { schedule_.close(); }

  // ---- The threads

  [[nodiscard]] bool loop_may_help() const noexcept override { return settings_.loop_helps; }

  void add_threads(std::vector<NamedThread>& threads, Help help) override {
    help_ = help;
    for (std::size_t i = help == Help::none ? 0 : 1; i < settings_.threads; ++i) {
      std::function<void()> body = [this, &times = thread_times_[i]] {
        constexpr Role worker{.works = true, .claims = true};
        work(times, worker, Wait(runtime_.coordinator()));
      };
      NamedThread thread(settings_.name + "-" + std::to_string(i), std::move(body));
      threads.push_back(std::move(thread));
    }
  }

  void work(const Wait& wait) noexcept override {
    schedule_.set_stepping(true);
    work(thread_times_[0], {.works = true, .claims = help_ == Help::claims_and_works, .is_loop = true}, wait);
    schedule_.set_stepping(false);
  }

  void do_work_in_hand(const PullWait& wait) noexcept override {
    {
      const typename Times::Timed timed(helped_);
      try {
        work_on(worker_of_loop(), std::move(in_hand_), wait);
      } catch (...) {
        runtime_.fail(std::current_exception());
      }
    }
    schedule_.end_work(helper);
  }

  [[nodiscard]] bool has_output() const noexcept override { return schedule_.has_output(); }

  /// Adds the statistics of its own threads and of the serial stages upstream. `time` is the elapsed time, and
  /// `starved` the time that its threads have waited for outputs of parallel stages upstream. Returns how long
  /// consumers have waited for its outputs. (Not virtual: only programs that ask for statistics contain it.)
  std::chrono::nanoseconds add_statistics(std::vector<StageStatistics>& to, std::chrono::nanoseconds time,
                                          std::chrono::nanoseconds starved) const {
    using std::chrono::nanoseconds;
    const nanoseconds none{};
    const typename Schedule<Sync>::Waits waited = schedule_.waits();
    const WorkWaits waits = work_->waits();
    const nanoseconds blocked = waited.for_room + waits.blocked;
    const std::uint64_t elements = shared_input_.elements();
    nanoseconds worked{};
    nanoseconds pulled{};
    MaybeTime used;
    MaybeTime delayed;
    for (std::size_t i = 0; i < settings_.threads; ++i) {
      const ThreadTimes& each = thread_times_[i];
      worked += each.worked.so_far();
      pulled += each.pulled.so_far();
      add_known(used, each.used.so_far());
      add_known(delayed, each.used.without_core());
    }

    StageStatistics& before = to.emplace_back(StageStatistics{"before " + settings_.name});
    before.is_serial = true;
    before.elements = elements;
    before.unit = settings_.unit;
    before.starved = std::min(starved, pulled + loop_pulled_.so_far());
    before.working = pulled + loop_pulled_.so_far() - before.starved;
    before.blocked = std::max(none, time - before.starved - before.working);
    const nanoseconds read = before.working;

    StageStatistics& own = to.emplace_back(StageStatistics{settings_.name, settings_.threads});
    own.ahead = settings_.works_on ? 0 : settings_.ahead;
    own.elements = elements;
    own.unit = settings_.unit;
    own.blocked = blocked;
    own.starved = waited.for_input + pulled;
    const nanoseconds alone = std::max(none, worked - own.starved - own.blocked);
    own.working = alone + helped_.so_far();
    // The CPU time of the loop's thread, which helps, is unknown, so this assumes the same share as for the other
    // threads.
    const nanoseconds busy = alone + std::max(none, pulled - starved);
    if (used) own.processor_time = scaled(own.working + read, *used, busy);
    const nanoseconds without_core = busy_without_core(busy, used, delayed);
    const auto move_to = [&](StageStatistics& stage) {
      stage.without_core = without_core > none ? scaled(stage.working, without_core, busy) : none;
      stage.working -= stage.without_core;
    };
    if (settings_.left_out_upstream != nullptr) settings_.left_out_upstream->add_to(to[to.size() - 2]);
    if (settings_.left_out != nullptr) settings_.left_out->add_to(own);
    move_to(own);
    move_to(to[to.size() - 2]);
    return waited.for_outputs + waits.starved + loop_pulled_.so_far() + helped_.so_far();
  }

 protected:
  AnyParallelStage(PipelineRuntime<Sync>& runtime, const ChunkTypes& types, std::unique_ptr<AnyInput> input,
                   std::unique_ptr<Work> work, ParallelSettings&& settings, SkipCount&& skipped)
      : runtime_(runtime),
        types_(types),
        settings_(std::move(settings)),
        trace_(runtime.trace_of(settings_.name)),
        work_(std::move(work)),
        schedule_(settings_, trace_),
        shared_input_(types, std::move(input), settings_, trace_, schedule_),
        thread_times_(new ThreadTimes[settings_.threads]),
        skipped_(std::move(skipped)) {
    runtime_.add(*this);
    runtime_.coordinator().attach(*this);
  }

  ~AnyParallelStage() { runtime_.coordinator().detach(*this); }

  // ---- The outputs, as a stream

  void begin_any(const Epoch& epoch) noexcept {
    generation_ = schedule_.begin(epoch, std::exchange(epoch_, epoch));
    has_ended_ = false;
    resume_point_.begin_epoch();
    forget_handed_over();
  }

  PullResult pull_any(AnyChunk& chunk, std::size_t most, const PullWait& wait) noexcept {
    const std::size_t before = chunk.size();
    try {
      for (;;) {
        if (has_ended_) return PullResult::ended;
        if (taken_ == nullptr && !take_output(static_cast<const PullWaitOf<Sync>&>(wait))) return PullResult::not_now;
        if (!is_wanted(*taken_)) {
          taken_.reset();  // not kept as storage, because other threads may still use its content
          continue;
        }
        const PullResult result = hand_over(chunk, most);
        if (result != PullResult::more || chunk.size() > before) return after_adding(result, chunk, before);
        if (wait.over()) return PullResult::not_now;  // all of the output was skipped
      }
    } catch (...) {
      return fail(chunk);
    }
  }

  // The position is that of the input after the elements that were delivered, as if no further chunks had been claimed.
  // Skipped elements count as read. If elements are passed on unchanged, it is the position of the upstream stream.

  [[nodiscard]] bool can_save_any() const noexcept {
    return !settings_.passes_on || resume_point_.kind == ResumePoint::state;
  }
  std::uint64_t save_any(Snapshot& to) {
    if (settings_.passes_on) {
      to.add(resume_point_.stream);
      return resume_point_.since + handed_over_;
    }
    const auto skipped = static_cast<std::size_t>(std::count_if(
        skipped_before_.begin(), skipped_before_.end(), [this](std::size_t before) { return before < handed_over_; }));
    skipped_.save(to, epoch_, skipped_before_.size() - skipped);
    const std::uint64_t since = resume_point_.since;
    resume_point_.since += handed_over_ + skipped;
    resume_point_.save(to);
    resume_point_.since = since;
    return 0;
  }
  void restore_any(SnapshotReader& from) {
    if (!settings_.passes_on) skipped_.restore(from, epoch_);
    shared_input_.restore({generation_, epoch_}, [&](AnyInput& input) {
      if (settings_.passes_on) {
        input.restore_stream(from);
      } else {
        input.restore(from);
      }
      input.save(resume_point_);
    });
  }
  void skip_to_any(std::uint64_t number) { shared_input_.skip_to({generation_, epoch_}, number); }

 private:
  /// The worker of one thread, created when it is first needed, and the storage that the thread used last, which is
  /// still in the cache of its core.
  struct WorkerOfThread {
    typename Sync::thread::id thread{};
    std::unique_ptr<Worker> worker{};
    ChunkPointer input{};
    ChunkPointer output{};
  };

  /// The role of the loop's thread while it waits for an output and can help.
  static constexpr Role helper{.takes_outputs = true, .works = true, .is_loop = true};

  /// The time that a thread has worked for the stage, and the part of it in which it has pulled. Separate from data
  /// that other threads write, so that updates cost them nothing.
  struct alignas(128) ThreadTimes {
    Times worked;
    Times pulled;
    ThreadCpuTime<Sync> used;
  };

  void work(ThreadTimes& times, const Role& role, const Wait& wait) noexcept {
    const typename Times::Timed timed(times.worked);
    const UsesCpu<Sync> uses(times.used);
    try {
      work_until(role, wait, times.pulled);
    } catch (...) {
      runtime_.fail(std::current_exception());
    }
  }

  void work_until(const Role& role, const Wait& wait, Times& pulled) {
    const typename PipelineRuntime<Sync>::Inside inside(runtime_);
    WorkerOfThread worker;
    while (!wait.stop_requested() && !stop_requested()) {
      Job job = schedule_.next(role, wait);
      if (job.has_turn) job.claimed = claim(job.generation, worker, role, wait, pulled).value_or(nullptr);
      if (job.claimed == nullptr) continue;
      work_on(worker, std::move(job.claimed), PullWaitOf<Sync>(runtime_.coordinator(), Wait::forever));
      schedule_.end_work(role);
    }
  }

  [[nodiscard]] bool stop_requested() const noexcept { return runtime_.coordinator().should_stop(); }

  /// See SharedInput::claim().
  std::optional<ChunkPointer> claim(const Generation& generation, WorkerOfThread& own, const Role& role,
                                    const Wait& wait, Times& pulled) {
    const Time now = Sync::clock::now();
    if (own.input == nullptr) own.input = schedule_.take_spare(schedule_.inputs());
    ClaimLimit<Sync> limit(settings_.passes_on, now, schedule_.consumer_starves());
    const PullWaitOf<Sync> claim_wait(runtime_.coordinator(), wait, settings_.fills_chunks ? nullptr : &limit);
    return shared_input_.claim(generation, own.input, role, now, claim_wait, pulled);
  }

  /// Processes a chunk and delivers the output, unless `wait` ends before the last element.
  void work_on(WorkerOfThread& own, ChunkPointer claimed, const PullWait& wait) {
    AnyChunk& in = *claimed;
    const std::uint64_t number = in.sequence_number;
    const std::uint64_t generation = in.generation;
    ChunkPointer out = std::move(in.output);
    if (out == nullptr) out = std::move(own.output);
    if (out == nullptr) out = schedule_.take_spare(schedule_.outputs());
    if (out == nullptr) out = types_.make_output();
    AnyChunk& output = *out;
    std::size_t next = in.next;
    if (next == 0) output.clear();
    output.epoch = in.epoch;
    try {
      if (own.worker == nullptr) own.worker = work_->begin();
      const Span span(trace_, TraceKind::work, number, in.size());
      own.worker->run(in, next, in.size(), output, wait);
      if (next < in.size()) {
        in.output = std::move(out);
        in.next = next;
        return schedule_.put_back(std::move(claimed));
      }
      output.end = in.end;
      output.failure = std::move(in.failure);
    } catch (...) {
      output.end = End::failure;
      output.failure = std::current_exception();
    }
    std::swap(output.resume_point, in.resume_point);
    output.sequence_number = number;
    output.generation = generation;
    schedule_.add(std::move(out));
    keep_input(own, std::move(claimed));
    ThreadRecord<Sync>::note_progress();
    trace_.mark(TraceKind::ready, number, [this] { return schedule_.ready_outputs(); });
    runtime_.output_is_ready();
    if (own.output == nullptr) own.output = schedule_.take_spare(schedule_.outputs());
    if (!settings_.works_on || own.worker == nullptr) return;
    const Span span(trace_, TraceKind::more_work, number, 0);
    own.worker->work_on(PullWaitOf<Sync>(runtime_.coordinator(), Wait(runtime_.coordinator())));
  }

  void keep_input(WorkerOfThread& own, ChunkPointer input) {
    if (own.input == nullptr) {
      own.input = std::move(input);
    } else {
      schedule_.recycle(schedule_.inputs(), std::move(input));
    }
  }

  // ---- The consumers' side

  /// Takes an output. If it would have to wait, claims chunks instead, or leaves a chunk to the caller to work on,
  /// after the caller has released the outputs to other threads.
  bool take_output(const PullWaitOf<Sync>& wait) {
    Role role{.takes_outputs = true, .is_loop = true};
    for (;;) {
      if (wait.stop_requested()) return false;
      role.works = wait.help() != Help::none && !wait.is_blocking_forbidden() && !wait.wait().stop_requested();
      role.works_on_next = wait.help() == Help::works_on_next;
      role.claims = role.works && wait.help() == Help::works && help_ == Help::claims_and_works;
      Job job = schedule_.next(role, wait.may_block() ? wait.wait() : no_wait_);
      if (job.output != nullptr) return keep(std::move(job.output));
      if (job.has_turn) {
        auto claimed = claim(job.generation, worker_of_loop(), role, wait.wait(), loop_pulled_);
        if (!claimed) return false;
        job.claimed = std::move(*claimed);
        if (job.claimed == nullptr) continue;
      }
      if (job.claimed == nullptr) return false;
      in_hand_ = std::move(job.claimed);
      wait.claimed();
      return false;
    }
  }

  bool keep(ChunkPointer output) {
    taken_ = std::move(output);
    trace_.mark(TraceKind::taken, taken_->sequence_number, [this] { return schedule_.ready_outputs(); });
    next_ = 0;
    is_counted_ = false;
    if (taken_->resume_point.is_known && is_wanted(*taken_)) std::swap(resume_point_, taken_->resume_point);
    return true;
  }

  /// Returns whether the output belongs to the requested epoch. Outputs of other epochs were claimed before the
  /// request.
  [[nodiscard]] bool is_wanted(const AnyChunk& output) const noexcept {
    return output.generation == generation_ && output.epoch == epoch_;
  }

  /// Counts the skipped elements, before any element of the output is delivered.
  void count_skipped_of_output() {
    is_counted_ = true;
    try {
      count_skipped(*taken_, skipped_, [this](const Skipped& skipped) { skipped_before_.push_back(skipped.before); });
    } catch (...) {
      taken_->end = End::failure;
      taken_->failure = std::current_exception();
    }
  }

  PullResult hand_over(AnyChunk& chunk, std::size_t most) {
    if (!is_counted_) count_skipped_of_output();
    const std::size_t before = chunk.size();
    types_.hand_over(*taken_, next_, chunk, most, settings_.chunk);
    handed_over_ += chunk.size() - before;
    if (next_ < taken_->size()) return PullResult::more;
    resume_point_.since += handed_over_ + skipped_before_.size();
    forget_handed_over();
    has_ended_ = taken_->end == End::epoch;
    PullResult result = has_ended_ ? PullResult::ended : PullResult::more;
    if (taken_->end == End::failure) result = pass_failure(*taken_, chunk);
    taken_->clear();
    schedule_.recycle(schedule_.outputs(), std::move(taken_));
    return result;
  }

  void forget_handed_over() noexcept {
    handed_over_ = 0;
    skipped_before_.clear();
  }

  WorkerOfThread& worker_of_loop() {
    const auto thread = Sync::this_thread_id();
    for (WorkerOfThread& each : workers_of_loop_) {
      if (each.thread == thread) return each;
    }
    workers_of_loop_.push_back({thread});
    return workers_of_loop_.back();
  }

  PipelineRuntime<Sync>& runtime_;
  const ChunkTypes& types_;
  const ParallelSettings settings_;
  const StageTrace<Sync> trace_;
  const Wait no_wait_{no_wait};
  const std::unique_ptr<const Work> work_;

  Schedule<Sync> schedule_;
  SharedInput<Sync> shared_input_;

  const std::unique_ptr<ThreadTimes[]> thread_times_;  // of each thread

  // Used by the thread that pulls.
  ChunkPointer taken_;
  std::size_t next_ = 0;
  bool is_counted_ = false;
  SkipCount skipped_;
  Epoch epoch_;                   // the requested one
  std::uint64_t generation_ = 0;  // the generation of claims that contains it
  bool has_ended_ = false;
  Help help_ = Help::none;
  ResumePoint resume_point_;                 // of the input, before the taken output
  std::size_t handed_over_ = 0;              // delivered elements of the taken output ...
  std::vector<std::size_t> skipped_before_;  // ... and how many of them precede each element that was skipped

  // Used by the loop's thread that helps, one at a time, until end_work().
  ChunkPointer in_hand_;
  std::vector<WorkerOfThread> workers_of_loop_;
  Times loop_pulled_;
  Times helped_;
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_PARALLEL_ANY_PARALLEL_STAGE_HPP
