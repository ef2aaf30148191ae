// SPDX-License-Identifier: MIT
//
// segment.hpp: Segment, a part of a pipeline that has threads: they claim chunks from the chain of stages before it,
// one at a time, work on them all at once, and hand out what they have made in the order of the claims. With the
// pipeline's loop this is all that synchronises; every stage is sequential code.
//
// Algorithm: three queues and a ring.
//  - `claims` holds the chain, or nothing while somebody has it. Who took it owns it, may block in it, and holds no
//    lock meanwhile. A claim takes a ticket: an end, a mark and a failure, too.
//  - `permits` holds a permit for each output that may be read ahead. A worker takes one before it claims; it returns
//    when the output is taken. So input k + ahead is not read before output k was taken.
//  - `ring` has a place for the output of each ticket that is under way, as many as there are permits. Who fills the
//    place of the next ticket moves it, and those behind it that are there, on to `outputs`. That never waits. (In any
//    order, `overtaking` says what may move on.)
//  A worker that has a ticket waits for nothing but its own work: the next ticket is always under way.

#ifndef FOREBAY_PIPELINE_SEGMENT_HPP
#define FOREBAY_PIPELINE_SEGMENT_HPP

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "forebay/base/arithmetic.hpp"
#include "forebay/base/serial_time_sum.hpp"
#include "forebay/dequeue_any.hpp"
#include "forebay/map_options.hpp"
#include "forebay/pipeline/overtaking.hpp"
#include "forebay/pipeline/pipeline_host.hpp"
#include "forebay/pipeline/snapshot_pace.hpp"
#include "forebay/pipeline/trace.hpp"
#include "forebay/pipeline/trace_record.hpp"
#include "forebay/stage/chain.hpp"
#include "forebay/stage/failing.hpp"
#include "forebay/version.hpp"
#include "forebay/wait.hpp"

namespace forebay::FOREBAY_ABI::detail {

struct SegmentSettings {
  std::string name;
  std::size_t threads;
  std::size_t ahead;  // in chunks
  std::size_t chunk;  // in elements
  Order order = Order::in_order;
  bool fills_chunks = false;  // up to `chunk`, unless the epoch ends
  bool saves = true;          // where it is, now and then
  bool loop_helps = true;     // unless the host says otherwise
  bool passes_on = false;     // elements as they are, and a chunk that is not full to who waits for it
  bool works_on = false;      // on what was handed out; then nobody keeps a permit that he does not use
};

/// What goes from claim to claim, to whoever takes the token out of its queue.
struct Claim {
  std::uint64_t next_ticket = 0;
  Epoch epoch;                // of what comes next
  bool mark_is_next = false;  // for which elements do not wait
  bool is_over = false;       // guarded: there is nothing more to claim, and it is not in the queue
};

/// Lifetime: may be destroyed when the threads of the host have ended.
///
/// Thread safety: pull and go_to are for the thread that has the chain of which this is a part.
template <class In, class Out, class Sync>
class Segment final : public Chain<Out>, public SegmentThreads<Sync> {
  using Wait = BasicWait<Sync>;
  using Output = std::unique_ptr<Chunk<Out>>;
  using Span = TraceSpan<Sync>;
  using Times = SerialTimeSum<Sync>;
  using Time = typename Times::Time;

 public:
  Segment(PipelineHost<Sync>& host, std::unique_ptr<Chain<In>> chain, std::shared_ptr<const Work<In, Out>> work,
          SegmentSettings settings, SkipCount skipped = {{}, {}})
      : host_(host),
        settings_(std::move(settings)),
        trace_(host.trace_of(settings_.name)),
        work_(std::move(work)),
        chain_(std::move(chain)),
        claims_(1),
        permits_(settings_.ahead),
        outputs_(settings_.ahead),
        ring_(settings_.ahead),
        overtaking_(settings_.order == any_order ? settings_.ahead : 0),
        thread_times_(settings_.threads),
        skipped_(std::move(skipped)) {
    permits_.set_name(settings_.name, "room ahead");
    claims_.set_name(settings_.name, "its turn at the input");
    outputs_.set_name(settings_.name, "an output");
    for (std::size_t i = 0; i < settings_.ahead; ++i) put_token(permits_);
    put_token(claims_);
    host_.add(*this);
    host_.coordinator().attach(*this);
  }

  ~Segment() override { host_.coordinator().detach(*this); }

  /// The pipeline stops: nobody waits any more.
  void close() noexcept {
    claims_.close(cancel_pending_enqueues);
    permits_.close(cancel_pending_enqueues);
    outputs_.close(cancel_pending_enqueues);
  }

  // ---- The threads

  [[nodiscard]] bool loop_may_help() const noexcept override { return settings_.loop_helps; }

  void add_threads(std::vector<NamedThread>& threads, bool loop_helps) override {
    loop_helps_ = loop_helps;
    is_running_ = true;
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

  [[nodiscard]] bool has_output() const noexcept override { return outputs_.size() > 0; }

  std::chrono::nanoseconds add_statistics(std::vector<StageStatistics>& to, std::chrono::nanoseconds time,
                                          std::chrono::nanoseconds starved) const override {
    using std::chrono::nanoseconds;
    const nanoseconds none{};
    const QueueStatistics outputs = outputs_.statistics();
    const WorkWaits waits = work_->waits();
    const nanoseconds blocked = permits_.statistics().consumers.waited + waits.blocked;
    const nanoseconds for_claims = claims_.statistics().consumers.waited;
    const std::uint64_t elements = claimed_elements_.load(std::memory_order_relaxed);
    const nanoseconds by_loop = loop_helps_ ? outputs.consumers.waited - awaited_output_.so_far() : none;
    nanoseconds worked{};
    nanoseconds pulled{};
    for (const ThreadTimes& each : thread_times_) {
      worked += each.worked.so_far();
      pulled += each.pulled.so_far();
    }

    StageStatistics& before = to.emplace_back(StageStatistics{"before " + settings_.name});
    before.is_serial = true;
    before.elements = elements;
    before.starved = std::min(starved, pulled + loop_pulled_.so_far());
    before.working = pulled + loop_pulled_.so_far() - before.starved;
    before.blocked = std::max(none, time - before.starved - before.working);

    StageStatistics& own = to.emplace_back(StageStatistics{settings_.name, settings_.threads});
    own.ahead = settings_.works_on ? 0 : settings_.ahead;
    own.elements = elements;
    own.blocked = blocked;
    own.starved = std::max(none, for_claims - by_loop) + pulled;
    own.working = std::max(none, worked - own.starved - own.blocked) + helped_.so_far();
    return outputs.consumers.waited + waits.starved + loop_pulled_.so_far() + helped_.so_far();
  }

  // ---- The outputs, as a chain

  Answer pull_on(Chunk<Out>& chunk, std::size_t most, const PullWait& wait) override {
    const std::size_t before = chunk.size();
    for (;;) {
      if (ended_) return Answer::ended;
      if (taken_ == nullptr && !take_output(static_cast<const PullWaitOf<Sync>&>(wait))) return Answer::not_now;
      if (taken_->epoch.is_before(wanted_)) {
        taken_.reset();  // not kept as storage: somebody may still work for what is in it
        continue;
      }
      const Answer answer = hand_over(chunk, most);
      if (answer != Answer::more || chunk.size() > before) return answer;
      if (wait.over()) return Answer::not_now;  // all of the output was skipped
    }
  }

  // Where it is is where the chain was before an output was claimed, and what was skipped before it.
  [[nodiscard]] bool holds_outputs() const noexcept override { return is_running_; }

  void save_state(Snapshot& to) override {
    chain_->place_before(place_, 0, false);
    save_place(to);
  }
  void restore_state(SnapshotReader& from) override {
    chain_->restore(from);
    skipped_.restore(from);
    if (!from.flag()) return;
    wanted_ = Epoch::restored(from);
    chain_->go_to(Rounds::of(wanted_));
    claim_.epoch = wanted_;
  }

  /// Where elements are passed on as they are, it is where the chain is, or would be.
  void place_before(ChainPlace& place, std::uint64_t unread, bool mark_unread) override {
    this->Chain<Out>::place_before(place, unread, mark_unread);
    if (!settings_.passes_on) return;
    const Passed passed = place.passed;
    place = place_;
    if (goes_on_) {
      place.go_to(wanted_);
    } else {
      place.passed = place.passed + passed;
    }
  }
  void restore(SnapshotReader& from) override {
    if (!settings_.passes_on) return this->Chain<Out>::restore(from);
    chain_->restore(from);
    chain_->place_before(place_, 0, false);
    set_base_there(false);
  }

  void skip_to(const Rounds& rounds) override {
    if (!wanted_.is_before(rounds.epoch())) return;
    wanted_ = rounds.epoch();
    ended_ = false;
    if (handed_out_.is_before(wanted_)) set_base_there(true);
    const Lock lock(mutex_);
    target_ = rounds;
    if (!claim_.is_over || !claim_.epoch.is_before(wanted_)) return;
    claim_.is_over = false;
    put_token(claims_);
  }

 private:
  using Lock = std::unique_lock<typename Sync::mutex>;

  /// The worker of one thread, made when it is needed first, and what it fills next: storage that was emptied while it
  /// handed out, most likely by the thread itself, in whose cache it still is.
  struct WorkerOfThread {
    typename Sync::thread::id thread;
    std::unique_ptr<Worker<In, Out>> worker{};
    Output storage{};
  };

  /// What was claimed, where the chain was before, if that was saved, and when.
  struct Claimed {
    Chunk<In> in{};
    ChainPlace place{};
    typename Sync::clock::time_point at{};
  };

  /// How long a thread has worked for the segment, and how much of that it has pulled. Apart, so that to write it down
  /// costs the other threads nothing.
  struct alignas(128) ThreadTimes {
    Times worked;
    Times pulled;
  };

  void work(ThreadTimes& times, const Wait& wait) noexcept {
    const typename Times::Timed timed(times.worked);
    try {
      work_until(wait, times.pulled);
    } catch (...) {
      host_.fail(std::current_exception());
    }
  }

  void work_until(const Wait& wait, Times& pulled) {
    const typename PipelineHost<Sync>::Inside inside(host_);
    WorkerOfThread worker;
    Claimed claimed;
    std::vector<Token> permits;
    while (!wait.stop_requested() && !stop_requested() && take_permits(permits, wait)) {
      const auto ticket = claim(claimed, wait, pulled);
      if (!ticket) break;
      permits.pop_back();
      make(worker, claimed, *ticket);
    }
    for (; !permits.empty(); permits.pop_back()) put_token(permits_);
  }

  /// How long a claim may take.
  class ClaimWait final : public PullWaitOf<Sync> {
   public:
    ClaimWait(const Segment& segment, const Wait& wait) noexcept : PullWaitOf<Sync>(wait), segment_(segment) {}

    [[nodiscard]] bool stop_requested() const noexcept override { return segment_.stop_requested(); }
    [[nodiscard]] bool over() const noexcept override {
      if (stop_requested()) return true;
      return segment_.settings_.passes_on && segment_.is_waited_for_.load(std::memory_order_relaxed);
    }

   private:
    const Segment& segment_;
  };

  [[nodiscard]] bool stop_requested() const noexcept { return host_.coordinator().should_stop(); }

  /// Who has to wait for permits, waits for several, so as not to be woken for each.
  bool take_permits(std::vector<Token>& permits, const Wait& wait) {
    if (!permits.empty()) return true;
    if (permits_.dequeue_available(1, permits, no_wait) == QueueStatus::ok) return true;
    const auto several = settings_.works_on ? 1 : larger<std::size_t>(settings_.ahead / 4, 1);
    const Span span(trace_, TraceKind::wait_for_room);
    return permits_.dequeue_many(several, permits, wait) == QueueStatus::ok;
  }

  /// Waits for the chain and claims a chunk from it. None if the wait ends.
  std::optional<std::uint64_t> claim(Claimed& claimed, const Wait& wait, Times& pulled) {
    const Wait until_stop(host_.coordinator());
    for (;;) {
      const auto since = take_claim([&] {
        const Span span(trace_, TraceKind::wait_for_claim);
        return claims_.dequeue(wait).has_value();
      });
      if (!since) return std::nullopt;
      if (const auto ticket = claim_in_hand(claimed, *since, until_stop, pulled)) return ticket;
      if (stop_requested()) return std::nullopt;
    }
  }

  /// Takes the claim out of its queue, or else waits as told, if that gets it. Returns since when it has it. The clock
  /// is read before, and after it was put back: others wait meanwhile, and it takes longer than one would think.
  template <class WaitForIt>
  std::optional<Time> take_claim(WaitForIt wait_for_it) {
    const Time now = Sync::clock::now();
    if (claims_.dequeue(no_wait)) return now;
    if (!wait_for_it()) return std::nullopt;
    return Sync::clock::now();
  }

  /// Claims a chunk. Requires that the claim was taken out of its queue `since` then. It goes back.
  std::optional<std::uint64_t> claim_in_hand(Claimed& claimed, Time since, const Wait& wait, Times& pulled) {
    pulled.begin(since);
    const auto ticket = pull_ticket(claimed, wait);
    claimed.at = Sync::clock::now();
    pulled.end(claimed.at);
    trace_.span(TraceKind::claim, since, claimed.at, ticket, claimed.in.size());
    return ticket;
  }

  std::optional<std::uint64_t> pull_ticket(Claimed& claimed, const Wait& wait) {
    go_to_target();
    Chunk<In>& in = claimed.in;
    ChainPlace& place = claimed.place;
    in.clear();
    place.clear();
    Answer answer = Answer::more;
    try {
      if (settings_.saves && begun_.in.empty() && pace_.is_due()) {
        pace_.take([&chain = *chain_, &to = claimed.place] { chain.place_before(to, 0, false); });
      }
      answer = pull_chunk(claimed, ClaimWait(*this, wait));
      if (answer == Answer::ended) in.end = End::input;
      if (answer == Answer::epoch_ended) in.end = End::epoch;
    } catch (...) {
      in.end = End::failure;
      in.failure = std::current_exception();
    }
    if (answer == Answer::not_now) {
      if (place.is_known()) pace_.hurry();
      put_back(false);
      return std::nullopt;
    }
    const bool is_over = in.end == End::input || in.end == End::failure;
    if (is_over && in.empty()) in.epoch = claim_.epoch;  // which the chain could not say
    claim_.epoch = in.epoch;
    if (in.end == End::epoch) {
      ++claim_.epoch.number;
      pace_.hurry();  // so that what is told to go to an epoch knows where that begins
    }
    const std::uint64_t ticket = claim_.next_ticket++;
    claimed_elements_.store(claimed_elements_.load(std::memory_order_relaxed) + in.size(), std::memory_order_relaxed);
    if (settings_.order == any_order) {
      const Lock lock(mutex_);
      overtaking_.begin(ticket, in.end);
    }
    put_back(is_over);
    return ticket;
  }

  /// In any order, a mark is a chunk of its own: elements in front of it need not wait for those before them.
  Answer pull_chunk(Claimed& claimed, const PullWait& wait) {
    if (std::exchange(claim_.mark_is_next, false)) {
      claimed.in.epoch = claim_.epoch;
      return Answer::epoch_ended;
    }
    const Answer answer =
        settings_.fills_chunks ? fill_chunk(claimed, wait) : chain_->pull(claimed.in, settings_.chunk, wait);
    claim_.mark_is_next = settings_.order == any_order && answer == Answer::epoch_ended && !claimed.in.empty();
    return claim_.mark_is_next ? Answer::more : answer;
  }

  /// What is not complete stays here.
  Answer fill_chunk(Claimed& claimed, const PullWait& wait) {
    if (!begun_.in.empty()) std::swap(claimed, begun_);
    Answer answer = Answer::more;
    while (answer == Answer::more && claimed.in.size() < settings_.chunk) {
      answer = chain_->pull(claimed.in, settings_.chunk, wait);
    }
    if (answer == Answer::not_now && !claimed.in.empty()) {
      std::swap(claimed, begun_);
      claimed.in.clear();
      claimed.place.clear();
    }
    return answer;
  }

  void go_to_target() {
    Lock lock(mutex_);
    if (!target_ || !claim_.epoch.is_before(target_->epoch())) return;
    const Rounds rounds = *target_;
    lock.unlock();
    claim_.epoch = rounds.epoch();
    claim_.mark_is_next = false;
    chain_->go_to(rounds);
    if (begun_.in.epoch.is_before(rounds.epoch())) begun_.in.clear();
    pace_.hurry();
  }

  /// When nothing more can be claimed, the claim stays where it is until go_to wants more.
  void put_back(bool is_over) {
    const Lock lock(mutex_);
    claim_.is_over = is_over && !(target_ && claim_.epoch.is_before(target_->epoch()));
    if (!claim_.is_over) put_token(claims_);
  }

  /// Makes the output of a ticket and hands it out.
  void make(WorkerOfThread& own, Claimed& claimed, std::uint64_t ticket) {
    Chunk<In>& in = claimed.in;
    Output output = std::exchange(own.storage, nullptr);
    if (output == nullptr) output = spare();
    if (output == nullptr) output = std::make_unique<Chunk<Out>>();
    try {
      if (own.worker == nullptr) own.worker = work_->begin();
      const Span span(trace_, TraceKind::work, ticket, in.size());
      own.worker->run(in, *output, ClaimWait(*this, Wait::forever));
    } catch (...) {
      output->clear();
      output->epoch = in.epoch;
      output->end = End::failure;
      output->failure = std::current_exception();
    }
    std::swap(output->place, claimed.place);
    output->ticket = ticket;
    hand_out(ticket, std::move(output));
    trace_.mark(TraceKind::ready, ticket, [this] { return outputs_.size(); });
    host_.output_is_ready();
    own.storage = spare();
    if (!settings_.works_on || own.worker == nullptr) return;
    const Span span(trace_, TraceKind::more_work, ticket, 0);
    own.worker->work_on(ClaimWait(*this, Wait(host_.coordinator())));
  }

  void hand_out(std::uint64_t ticket, Output output) {
    const Lock lock(mutex_);
    if (settings_.order == any_order) {
      overtaking_.add(ticket, std::move(output), [this](Output ready) { put_output(std::move(ready)); });
      return;
    }
    ring_[place(ticket)] = std::move(output);
    while (ring_[place(next_to_hand_out_)] != nullptr) {
      put_output(std::exchange(ring_[place(next_to_hand_out_)], nullptr));
      ++next_to_hand_out_;
    }
  }

  void put_output(Output output) { static_cast<void>(outputs_.enqueue(std::move(output), no_wait)); }

  [[nodiscard]] std::size_t place(std::uint64_t ticket) const noexcept {
    return static_cast<std::size_t>(ticket % ring_.size());
  }

  /// Storage, if there is any; that which was used last is taken first.
  Output spare() {
    const Lock lock(mutex_);
    if (spares_.empty()) return nullptr;
    Output output = std::move(spares_.back());
    spares_.pop_back();
    return output;
  }

  // ---- The consumers' side

  bool take_output(const PullWaitOf<Sync>& wait) {
    if (wait.stop_requested()) return false;
    if (keep(outputs_.dequeue(no_wait))) return true;
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
    if (!loop_helps_) return keep(outputs_.dequeue(wait.wait()));
    const typename Times::Timed timed(awaited_output_);
    return keep(outputs_.dequeue(wait.wait()));
  }

  /// Waits for whatever comes first. With the claim it leaves the work on it to the caller, who lets others have the
  /// outputs first.
  bool take_output_or_claim(const PullWaitOf<Sync>& wait) {
    Token output;
    const auto since = take_claim([&] {
      const Span span(trace_, TraceKind::wait_for_output);
      auto any = dequeue_any(wait.wait(), outputs_, claims_);
      if (any && any->index == 0) output = std::move(any->element);
      return any && any->index == 1;
    });
    if (!since) return output != nullptr && keep(std::move(output));
    if (!permits_.dequeue(no_wait)) {
      put_back(false);
      return await_output(wait);  // there is one, or about to be: they have all permits
    }
    const auto ticket = claim_in_hand(in_hand_, *since, Wait(host_.coordinator()), loop_pulled_);
    if (!ticket) {
      put_token(permits_);
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
    taken_.reset(static_cast<Chunk<Out>*>(output.release()));
    trace_.mark(TraceKind::taken, taken_->ticket, [this] { return outputs_.size(); });
    next_ = 0;
    is_counted_ = false;
    if (taken_->place.is_known()) {
      std::swap(place_, taken_->place);
      set_base_there(taken_->epoch.is_before(wanted_));
    }
    put_token(permits_);
    return true;
  }

  /// The base is where the chain was. With `goes_on`, it is told then to go to what is wanted.
  void set_base_there(bool goes_on) {
    goes_on_ = goes_on;
    base_.clear();
    save_place(base_);
    this->set_base(base_);
  }
  void save_place(Snapshot& to) const {
    place_.save(to, this->scale());
    skipped_.save(to);
    to.add(goes_on_ ? 1 : 0);
    if (goes_on_) wanted_.save(to);
  }

  /// Counts what was skipped, before anything of the output is handed over.
  void count_skipped_of_output() {
    is_counted_ = true;
    try {
      count_skipped(*taken_, skipped_);
    } catch (...) {
      taken_->end = End::failure;
      taken_->failure = std::current_exception();
    }
  }

  Answer hand_over(Chunk<Out>& chunk, std::size_t most) {
    if (!is_counted_) count_skipped_of_output();
    handed_out_ = taken_->epoch;
    if (chunk.empty() && next_ == 0 && taken_->size() <= most) {
      std::swap(chunk, *taken_);
      std::swap(chunk.end, taken_->end);
      std::swap(chunk.failure, taken_->failure);
      std::swap(chunk.place, taken_->place);
      taken_->epoch = chunk.epoch;
    } else {
      chunk.epoch = taken_->epoch;
      for (; next_ < taken_->size() && chunk.size() < most; ++next_) {
        chunk.push(std::move((*taken_)[next_]), taken_->number(next_));
      }
      if (next_ < taken_->size()) return Answer::more;
    }
    if (taken_->end == End::failure && chunk.size() == most) return Answer::more;  // that is behind what is wanted
    const End end = taken_->end;
    const std::exception_ptr failure = std::exchange(taken_->failure, nullptr);
    recycle();
    if (end == End::failure) std::rethrow_exception(failure);
    if (end == End::epoch) return Answer::epoch_ended;
    ended_ = end == End::input;
    return ended_ ? Answer::ended : Answer::more;
  }

  void recycle() {
    taken_->clear();
    const Lock lock(mutex_);
    spares_.push_back(std::move(taken_));
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
  const SegmentSettings settings_;
  const StageTrace<Sync> trace_;
  const std::shared_ptr<const Work<In, Out>> work_;

  // Of whoever has the claim. Apart from what all read.
  alignas(128) std::unique_ptr<Chain<In>> chain_;
  Claim claim_;
  Claimed begun_;
  SnapshotPace<Sync> pace_;
  typename Sync::template relaxed_atomic<std::uint64_t> claimed_elements_{0};

  TokenQueue<Sync> claims_;
  TokenQueue<Sync> permits_;
  TokenQueue<Sync> outputs_;
  typename Sync::template atomic<bool> is_waited_for_{false};

  mutable typename Sync::mutex mutex_;  // guards what follows
  std::vector<Output> ring_;
  std::uint64_t next_to_hand_out_ = 0;
  Overtaking<Out> overtaking_;  // in the place of the ring, in any order
  std::vector<Output> spares_;
  std::optional<Rounds> target_;  // where the claims have to go to

  std::vector<ThreadTimes> thread_times_;

  // Of who pulls.
  Output taken_;
  std::size_t next_ = 0;
  bool is_counted_ = false;
  SkipCount skipped_;
  Epoch handed_out_;
  Epoch wanted_;
  bool ended_ = false;
  bool loop_helps_ = false;
  bool is_running_ = false;
  ChainPlace place_;      // where the chain was ...
  bool goes_on_ = false;  // ... before it was told to go to wanted_
  Snapshot base_;

  // Of who helps.
  typename Sync::template atomic<bool> is_helped_{false};
  Claimed in_hand_;
  std::optional<std::uint64_t> ticket_in_hand_;
  std::vector<WorkerOfThread> workers_of_loop_;
  Times loop_pulled_;
  Times helped_;
  Times awaited_output_;  // otherwise
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_PIPELINE_SEGMENT_HPP
