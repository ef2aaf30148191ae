// SPDX-License-Identifier: MIT
//
// any_segment.hpp: AnySegment, a part of a pipeline that has threads, whatever the types of its elements: they claim
// chunks from the stream before it, one at a time, work on them all at once, and hand out what they have made
// in the order of the claims. With the pipeline's loop this is all that synchronises; every stage is sequential code.
//
// Algorithm: three queues and a ring.
//  - `claims` has the turn at the input, which is the element of a queue.
//  - `permits` holds a permit for each output that may be read ahead. A worker takes one before it claims; it returns
//    when the output is taken. So input k + ahead is not read before output k was taken.
//  - `outputs` brings them in order, by a ring, and holds those that may be taken in a queue.
//  A worker that has a ticket waits for nothing but its own work: the next ticket is always under way.

#ifndef FOREBAY_PIPELINE_ANY_SEGMENT_HPP
#define FOREBAY_PIPELINE_ANY_SEGMENT_HPP

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "forebay/base/arithmetic.hpp"
#include "forebay/base/serial_time_sum.hpp"
#include "forebay/base/thread_cpu_time.hpp"
#include "forebay/base/thread_record.hpp"
#include "forebay/dequeue_any.hpp"
#include "forebay/flow/input.hpp"
#include "forebay/flow/resume_point.hpp"
#include "forebay/flow/stream.hpp"
#include "forebay/pipeline/chunk_types.hpp"
#include "forebay/pipeline/claims.hpp"
#include "forebay/pipeline/output_order.hpp"
#include "forebay/pipeline/permits.hpp"
#include "forebay/pipeline/pipeline_host.hpp"
#include "forebay/pipeline/segment_settings.hpp"
#include "forebay/pipeline/trace.hpp"
#include "forebay/pipeline/trace_record.hpp"
#include "forebay/stage/failing.hpp"
#include "forebay/stage/work.hpp"
#include "forebay/version.hpp"
#include "forebay/wait.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Lifetime: may be destroyed when the threads of the host have ended.
///
/// Thread safety: what is not of SegmentThreads is for the thread that has the stream of which this is a part.
template <class Sync>
class AnySegment : public SegmentThreads<Sync> {
  using Wait = BasicWait<Sync>;
  using Span = TraceSpan<Sync>;
  using Times = SerialTimeSum<Sync>;

 public:
  /// The pipeline stops: nobody waits any more.
  void close() noexcept {
    claims_.turn().close(cancel_pending_enqueues);
    permits_.close();
    outputs_.queue().close(cancel_pending_enqueues);
  }

  // ---- The threads

  [[nodiscard]] bool loop_may_help() const noexcept override { return settings_.loop_helps; }

  void add_threads(std::vector<NamedThread>& threads, bool loop_helps) override {
    loop_helps_ = loop_helps;
    for (std::size_t i = loop_helps ? 1 : 0; i < settings_.threads; ++i) {
      threads.push_back({settings_.name + "-" + std::to_string(i),
                         [this, &times = thread_times_[i]] { work(times, Wait(host_.coordinator())); }});
    }
  }

  void work(const Wait& wait) noexcept override { work(thread_times_.front(), wait); }

  bool do_work_in_hand() noexcept override {
    if (!ticket_in_hand_) return false;
    helped_.begin(in_hand_.at);
    try {
      make(worker_of_loop(), in_hand_, *std::exchange(ticket_in_hand_, std::nullopt));
    } catch (...) {
      host_.fail(std::current_exception());
    }
    helped_.end(Sync::clock::now());
    is_helped_.store(false, std::memory_order_release);
    return true;
  }

  [[nodiscard]] bool has_output() const noexcept override { return outputs_.queue().size() > 0; }

  std::chrono::nanoseconds add_statistics(std::vector<StageStatistics>& to, std::chrono::nanoseconds time,
                                          std::chrono::nanoseconds starved) const override {
    using std::chrono::nanoseconds;
    const nanoseconds none{};
    const nanoseconds for_outputs = outputs_.queue().statistics().consumers.waited;
    const WorkWaits waits = work_->waits();
    const nanoseconds blocked = permits_.waited() + waits.blocked;
    const nanoseconds for_claims = claims_.turn().statistics().consumers.waited;
    const nanoseconds by_loop = loop_helps_ ? for_outputs - awaited_output_.so_far() : none;
    const std::uint64_t elements = claims_.elements();
    nanoseconds worked{};
    nanoseconds pulled{};
    MaybeTime used;
    for (const ThreadTimes& each : thread_times_) {
      worked += each.worked.so_far();
      pulled += each.pulled.so_far();
      add_known(used, each.used.so_far());
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
    own.starved = std::max(none, for_claims - by_loop) + pulled;
    const nanoseconds alone = std::max(none, worked - own.starved - own.blocked);
    own.working = alone + helped_.so_far();
    // The CPU time of the loop, which helps, is unknown: this assumes the same share as for the other threads.
    const nanoseconds busy = alone + std::max(none, pulled - starved);
    if (used) own.processor_time = scaled(own.working + read, *used, busy);
    return for_outputs + waits.starved + loop_pulled_.so_far() + helped_.so_far();
  }

 protected:
  AnySegment(PipelineHost<Sync>& host, const ChunkTypes& types, std::unique_ptr<AnyInput> input,
             std::unique_ptr<const AnyWork> work, SegmentSettings settings, SkipCount skipped)
      : host_(host),
        types_(types),
        settings_(std::move(settings)),
        trace_(host.trace_of(settings_.name)),
        work_(std::move(work)),
        claims_(types, std::move(input), settings_, trace_, outputs_),
        permits_(settings_.ahead),
        outputs_(settings_),
        thread_times_(settings_.threads),
        skipped_(std::move(skipped)),
        in_hand_(claims_.storage()) {
    permits_.set_name(settings_.name);
    host_.add(*this);
    host_.coordinator().attach(*this);
  }

  ~AnySegment() { host_.coordinator().detach(*this); }

  // ---- The outputs, as a stream

  void set_scale(std::uint64_t scale) noexcept { claims_.input().set_scale(scale); }

  void begin_any(const Epoch& epoch) noexcept {
    run_ = claims_.begin(epoch, std::exchange(epoch_, epoch));
    has_ended_ = false;
    place_.begin_epoch();
    forget_handed_over();
  }

  Answer pull_any(AnyChunk& chunk, std::size_t most, const PullWait& wait) {
    const std::size_t before = chunk.size();
    for (;;) {
      if (has_ended_) return Answer::ended;
      if (taken_ == nullptr && !take_output(static_cast<const PullWaitOf<Sync>&>(wait))) return Answer::not_now;
      if (!is_wanted(*taken_)) {
        taken_.reset();  // not kept as storage: somebody may still work for what is in it
        continue;
      }
      const Answer answer = hand_over(chunk, most);
      if (answer != Answer::more || chunk.size() > before) return after_adding(answer, chunk, before);
      if (wait.over()) return Answer::not_now;  // all of the output was skipped
    }
  }

  // It is where its input would be if claims had gone no further than what was handed over. Elements that were skipped
  // count as read, too. Where elements are passed on as they are, it says what the stream before it would say.

  [[nodiscard]] bool can_save_any(std::uint64_t rewind) const noexcept {
    return rewind == 0 && (!settings_.passes_on || place_.is_state);
  }
  std::uint64_t save_any(Snapshot& to) {
    if (settings_.passes_on) {
      to.add(place_.stream);
      return place_.since + handed_over_;
    }
    const auto skipped = static_cast<std::size_t>(std::count_if(
        skipped_before_.begin(), skipped_before_.end(), [this](std::size_t before) { return before < handed_over_; }));
    skipped_.save(to, epoch_, skipped_before_.size() - skipped);
    const std::uint64_t since = place_.since;
    place_.since += handed_over_ + skipped;
    place_.save(to, claims_.input().scale());
    place_.since = since;
    return 0;
  }
  void restore_any(SnapshotReader& from) {
    if (!settings_.passes_on) skipped_.restore(from, epoch_);
    claims_.restore(epoch_, [&](AnyInput& input) {
      if (settings_.passes_on) {
        input.restore_stream(from);
      } else {
        input.restore(from);
      }
      input.save(place_);
    });
  }

 private:
  /// The worker of one thread, made when it is needed first, and what it fills next: storage that was emptied while it
  /// handed out, most likely by the thread itself, in whose cache it still is.
  struct WorkerOfThread {
    typename Sync::thread::id thread;
    std::unique_ptr<AnyWorker> worker{};
    Token storage{};
  };

  /// How long a thread has worked for the segment, and how much of that it has pulled. Apart, so that to write it down
  /// costs the other threads nothing.
  struct alignas(128) ThreadTimes {
    Times worked;
    Times pulled;
    ThreadCpuTime<Sync> used;
  };

  void work(ThreadTimes& times, const Wait& wait) noexcept {
    const typename Times::Timed timed(times.worked);
    const UsesCpu<Sync> uses(times.used);
    try {
      work_until(wait, times.pulled);
    } catch (...) {
      host_.fail(std::current_exception());
    }
  }

  void work_until(const Wait& wait, Times& pulled) {
    const typename PipelineHost<Sync>::Inside inside(host_);
    WorkerOfThread worker;
    Claimed<Sync> claimed = claims_.storage();
    std::vector<Token> permits;
    while (!wait.stop_requested() && !stop_requested() && take_permits(permits, wait)) {
      const auto ticket = claim(claimed, wait, pulled);
      if (!ticket) break;
      permits.pop_back();
      make(worker, claimed, *ticket);
    }
    for (; !permits.empty(); permits.pop_back()) permits_.give_back();
  }

  /// How long a claim may take: until the pipeline stops, or a stop ends `wait`.
  class ClaimWait final : public PullWaitOf<Sync> {
   public:
    ClaimWait(const AnySegment& segment, const Wait& wait) noexcept : PullWaitOf<Sync>(wait), segment_(segment) {}

    [[nodiscard]] bool stop_requested() const noexcept override { return segment_.stop_requested(); }
    [[nodiscard]] forebay::Wait until_stop() const noexcept override { return segment_.host_.until_stop(); }
    [[nodiscard]] bool over() const noexcept override {
      if (stop_requested() || this->wait().stop_requested()) return true;
      return this->noted(segment_.settings_.passes_on && segment_.is_waited_for_.load(std::memory_order_relaxed));
    }

   private:
    const AnySegment& segment_;
  };

  [[nodiscard]] bool stop_requested() const noexcept { return host_.coordinator().should_stop(); }

  /// Who has to wait for permits, waits for several, so as not to be woken for each.
  bool take_permits(std::vector<Token>& permits, const Wait& wait) {
    if (!permits.empty() || permits_.take_now(permits)) return true;
    const auto several = settings_.works_on ? 1 : larger<std::size_t>(settings_.ahead / 4, 1);
    const Span span(trace_, TraceKind::wait_for_room);
    return permits_.await(several, permits, wait);
  }

  /// Waits for the input and claims a chunk from it. None if the wait ends.
  std::optional<std::uint64_t> claim(Claimed<Sync>& claimed, const Wait& wait, Times& pulled) {
    for (;;) {
      const auto since = claims_.take_turn([&] {
        const Span span(trace_, TraceKind::wait_for_claim);
        return claims_.turn().dequeue(wait).has_value();
      });
      if (!since) return std::nullopt;
      if (const auto ticket = claims_.claim(claimed, *since, ClaimWait(*this, wait), pulled)) return ticket;
      if (stop_requested() || wait.stop_requested()) return std::nullopt;
    }
  }

  /// Makes the output of a ticket and hands it out.
  void make(WorkerOfThread& own, Claimed<Sync>& claimed, std::uint64_t ticket) {
    AnyChunk& in = *claimed.in;
    const std::uint64_t run = in.run;
    Token output = std::exchange(own.storage, nullptr);
    if (output == nullptr) output = outputs_.spare();
    if (output == nullptr) output = types_.make_output();
    try {
      if (own.worker == nullptr) own.worker = work_->begin();
      const Span span(trace_, TraceKind::work, ticket, in.size());
      own.worker->run_any(in, *output, ClaimWait(*this, Wait::forever));
    } catch (...) {
      output->clear();
      output->epoch = in.epoch;
      output->end = End::failure;
      output->failure = std::current_exception();
    }
    std::swap(output->place, claimed.place);
    output->ticket = ticket;
    output->run = run;
    outputs_.add(ticket, std::move(output));
    ThreadRecord<Sync>::note_progress();
    trace_.mark(TraceKind::ready, ticket, [this] { return outputs_.queue().size(); });
    host_.output_is_ready();
    own.storage = outputs_.spare();
    if (!settings_.works_on || own.worker == nullptr) return;
    const Span span(trace_, TraceKind::more_work, ticket, 0);
    own.worker->work_on(ClaimWait(*this, Wait(host_.coordinator())));
  }

  // ---- The consumers' side

  bool take_output(const PullWaitOf<Sync>& wait) {
    if (wait.stop_requested()) return false;
    if (keep(outputs_.queue().dequeue(no_wait))) return true;
    if (!wait.may_block()) return false;
    if (wait.may_claim() && !is_helped_.load(std::memory_order_acquire)) return take_output_or_claim(wait);
    const Span span(trace_, TraceKind::wait_for_output);
    is_waited_for_.store(true, std::memory_order_relaxed);
    const bool taken = await_output(wait);
    is_waited_for_.store(false, std::memory_order_relaxed);
    return taken;
  }

  /// Waits for nothing else.
  bool await_output(const PullWaitOf<Sync>& wait) {
    if (!loop_helps_) return keep(outputs_.queue().dequeue(wait.wait()));
    const typename Times::Timed timed(awaited_output_);
    return keep(outputs_.queue().dequeue(wait.wait()));
  }

  /// Waits for whatever comes first. With the turn it claims, and leaves the work on that to the caller, who lets
  /// others have the outputs first.
  bool take_output_or_claim(const PullWaitOf<Sync>& wait) {
    Token output;
    const auto since = claims_.take_turn([&] {
      const Span span(trace_, TraceKind::wait_for_output);
      auto any = dequeue_any(wait.wait(), outputs_.queue(), claims_.turn());
      if (any && any->index == 0) output = std::move(any->element);
      return any && any->index == 1;
    });
    if (!since) return output != nullptr && keep(std::move(output));
    if (!permits_.take_now()) {
      claims_.put_back(false);
      return await_output(wait);  // there is one, or about to be: they have all permits
    }
    const auto ticket = claims_.claim(in_hand_, *since, ClaimWait(*this, wait.wait()), loop_pulled_);
    if (!ticket) {
      permits_.give_back();
      return false;
    }
    ticket_in_hand_ = ticket;
    is_helped_.store(true, std::memory_order_relaxed);
    wait.claimed();
    return false;
  }

  bool keep(Dequeued<Token> output) {
    if (!output) return false;
    return keep(std::move(*output));
  }
  bool keep(Token output) {
    taken_ = std::move(output);
    trace_.mark(TraceKind::taken, taken_->ticket, [this] { return outputs_.queue().size(); });
    next_ = 0;
    is_counted_ = false;
    if (taken_->place.is_known && is_wanted(*taken_)) std::swap(place_, taken_->place);
    permits_.give_back();
    return true;
  }

  /// Whether it is of the epoch that is wanted. Others were claimed before that was known.
  [[nodiscard]] bool is_wanted(const AnyChunk& output) const noexcept {
    return output.run == run_ && output.epoch == epoch_;
  }

  /// Counts what was skipped, before anything of the output is handed over.
  void count_skipped_of_output() {
    is_counted_ = true;
    for (const Skipped& skipped : taken_->skipped) skipped_before_.push_back(skipped.before);
    try {
      count_skipped(*taken_, skipped_);
    } catch (...) {
      taken_->end = End::failure;
      taken_->failure = std::current_exception();
    }
  }

  Answer hand_over(AnyChunk& chunk, std::size_t most) {
    if (!is_counted_) count_skipped_of_output();
    const std::size_t before = chunk.size();
    types_.hand_over(*taken_, next_, chunk, most);
    handed_over_ += chunk.size() - before;
    if (next_ < taken_->size()) return Answer::more;
    if (taken_->end == End::failure && chunk.size() == most) return Answer::more;  // that is behind what is wanted
    place_.since += handed_over_ + skipped_before_.size();
    forget_handed_over();
    has_ended_ = taken_->end == End::epoch;
    const bool has_failed = taken_->end == End::failure;
    const std::exception_ptr failure = std::exchange(taken_->failure, nullptr);
    outputs_.recycle(std::move(taken_));
    if (has_failed) std::rethrow_exception(failure);
    return has_ended_ ? Answer::ended : Answer::more;
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

  PipelineHost<Sync>& host_;
  const ChunkTypes& types_;
  const SegmentSettings settings_;
  const StageTrace<Sync> trace_;
  const std::unique_ptr<const AnyWork> work_;

  Claims<Sync> claims_;
  Permits<Sync> permits_;
  OutputOrder<Sync> outputs_;
  typename Sync::template atomic<bool> is_waited_for_{false};

  std::vector<ThreadTimes> thread_times_;

  // Of who pulls.
  Token taken_;
  std::size_t next_ = 0;
  bool is_counted_ = false;
  SkipCount skipped_;
  Epoch epoch_;            // that is wanted
  std::uint64_t run_ = 0;  // of claims, in which it comes
  bool has_ended_ = false;
  bool loop_helps_ = false;
  ResumePoint place_;                        // of the input, before what was taken
  std::size_t handed_over_ = 0;              // elements of what was taken ...
  std::vector<std::size_t> skipped_before_;  // ... and before which of them some were skipped

  // Of who helps.
  typename Sync::template atomic<bool> is_helped_{false};
  Claimed<Sync> in_hand_;
  std::optional<std::uint64_t> ticket_in_hand_;
  std::vector<WorkerOfThread> workers_of_loop_;
  Times loop_pulled_;
  Times helped_;
  Times awaited_output_;  // otherwise
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_PIPELINE_ANY_SEGMENT_HPP
