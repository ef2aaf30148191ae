// SPDX-License-Identifier: MIT
//
// schedule.hpp: Schedule, which assigns each thread of a parallel stage its next task: claim a chunk from the upstream
// stages, work on a claimed chunk, or take an output. All waits of a stage are here.
//
// Algorithm: one lock guards four things.
//  - The turn at the upstream stages: one thread at a time claims, without a lock, and may block there. The claims
//    proceed from epoch to epoch. When the consumer requests an epoch that they would not reach, a new generation of
//    claims begins there. Before the first request, there is nothing to claim.
//  - Permits, one for each output that may be in flight. A thread takes one with the turn; it returns when the output
//    is taken. So input k + ahead is not read before output k was taken.
//  - The claimed chunks that no thread works on, oldest first. A worker takes the oldest one, its own if no other
//    thread wanted chunks, and claims if there is none. While the loop's thread helps, the workers keep two chunks in
//    reserve for it: it need not wait for a claim, and the source stays in the cache of one core.
//  - The reorder buffer.
//  A thread waits only if it can do none of this. So no claimed chunk waits while a thread is idle, and the next output
//  is always being worked on or claimed.

#ifndef FOREBAY_PARALLEL_SCHEDULE_HPP
#define FOREBAY_PARALLEL_SCHEDULE_HPP

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "forebay/base/arithmetic.hpp"
#include "forebay/base/mutex.hpp"
#include "forebay/base/thread_annotations.hpp"
#include "forebay/describe/epoch.hpp"
#include "forebay/flow/chunk.hpp"
#include "forebay/parallel/chunk_types.hpp"
#include "forebay/parallel/condition.hpp"
#include "forebay/parallel/parallel_settings.hpp"
#include "forebay/parallel/reorder_buffer.hpp"
#include "forebay/trace/trace.hpp"
#include "forebay/trace/trace_record.hpp"
#include "forebay/version.hpp"
#include "forebay/wait.hpp"
#include "forebay/waiting/waiting_room.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// What kind of tasks a thread may do.
struct Role {
  bool takes_outputs = false;
  bool works = false;
  bool claims = false;
  bool is_loop = false;        // the thread is not one of the stage's own
  bool works_on_next = false;  // on the chunk of the next output alone
};

/// The claims between two times that they begin anew. Each but the first begins with an epoch that the claims before
/// would not have reached.
struct Generation {
  std::uint64_t number = 0;
  Epoch epoch{};  // of the next claim
};

/// The task of a thread: exactly one of these, or none.
struct Job {
  ChunkPointer output{};   // taken
  ChunkPointer claimed{};  // to be worked on
  bool has_turn = false;   // to claim a chunk of `generation`
  Generation generation{};

  [[nodiscard]] explicit operator bool() const noexcept { return output != nullptr || claimed != nullptr || has_turn; }
};

/// Thread safety: any thread may call any member. One thread at a time may take outputs.
template <class Sync>
class Schedule {
  using Notifications = typename Condition<Sync>::Notifications;
  using Wait = BasicWait<Sync>;

 public:
  /// The arguments must outlive the object.
  Schedule(const ParallelSettings& settings, const StageTrace<Sync>& trace)
      : trace_(trace),
        ahead_(settings.ahead),
        several_(settings.works_on ? 1 : larger<std::size_t>(settings.ahead / 4, 1)),
        permits_(settings.ahead),
        outputs_(settings),
        output_("an output", settings.name.c_str()),
        chunk_("a chunk to work on", settings.name.c_str()),
        turn_("its turn at the input", settings.name.c_str()),
        room_("room ahead", settings.name.c_str()) {}

  /// Sets whether a for_each waits for every output.
  void set_stepping(bool is_stepping) {
    const Section section(*this);
    is_stepping_ = is_stepping;
  }

  /// Stops: ends all waits, and assigns no more tasks.
  void close() noexcept {
    Notifications notifications;
    const Guard guard(mutex_);
    closed_ = true;
    for (Condition<Sync>* each : {&output_, &chunk_, &turn_, &room_}) each->notify_all(notifications);
  }

  // ---- For every thread

  /// Waits for a task. Returns no task if the wait ends or the pipeline stops.
  [[nodiscard]] Job next(const Role& role, const Wait& wait) {
    Section section(*this);
    Job job;
    const auto ready = [&]() FOREBAY_REQUIRES(mutex_) {
      job = take_job(role);
      return job || closed_;
    };
    if (ready() || !wait.may_block()) return job;
    if (role.takes_outputs) {
      consumer_ = &role;
      const TraceSpan<Sync> span(trace_, TraceKind::wait_for_output);
      note_starvation();
      output_.await(mutex_, wait, ready);
      consumer_ = nullptr;
    } else if (!role.claims) {
      const TraceSpan<Sync> span(trace_, TraceKind::wait_for_claim);
      ++awaiting_chunk_;
      chunk_.await(mutex_, wait, ready);
      --awaiting_chunk_;
    } else {
      while (!job && !closed_ && await_turn(wait, ready)) continue;
    }
    return job;
  }

  // ---- For the thread that has the turn

  /// Ends a claim with a chunk, which has a sequence number. The next claim of its run is in the epoch `next`. If that
  /// is an epoch whose end the chunk has reached, there is nothing more to claim until begin(). `took` is the duration
  /// of the claim. Returns the oldest chunk for the same thread to work on, unless the thread should claim another one
  /// in reserve.
  [[nodiscard]] ChunkPointer end_claim(const Role& role, ChunkPointer chunk, const Epoch& next,
                                       std::chrono::nanoseconds took) {
    const Section section(*this);
    turn_is_free_ = true;
    if (chunk->generation == generation_.number) {  // otherwise a new one was requested meanwhile
      is_over_ = chunk->end != End::none && next == chunk->epoch;
      generation_.epoch = next;
    }
    if (took > slow_claim) reserve_lasts_ = 0;
    if (role.is_loop) loop_has_job_ = loop_has_turn_ = false;
    outputs_.begin(chunk->sequence_number, chunk->end);
    ++in_flight_;
    claimed_.push_back(std::move(chunk));
    if (closed_ || is_reserved(role)) return {};
    loop_has_job_ = loop_has_job_ || role.is_loop;
    return take_claimed();
  }

  /// Ends a claim without a chunk.
  void give_up_claim(const Role& role) {
    const Section section(*this);
    turn_is_free_ = true;
    if (role.is_loop) loop_has_job_ = loop_has_turn_ = false;
    ++permits_;
  }

  // ---- For the thread that works

  void add(ChunkPointer output) {
    const Section section(*this);
    const std::uint64_t number = output->sequence_number;
    outputs_.add(number, std::move(output));
  }

  /// Returns unfinished work, which this or another thread continues.
  void put_back(ChunkPointer chunk) {
    const Section section(*this);
    const auto is_later = [&](const ChunkPointer& each) { return each->sequence_number > chunk->sequence_number; };
    claimed_.insert(std::find_if(claimed_.begin(), claimed_.end(), is_later), std::move(chunk));
  }

  /// Ends the work of a thread, which no longer uses data that the loop's threads share: another one may help.
  void end_work(const Role& role) {
    if (!role.is_loop) return;
    const Section section(*this);
    loop_has_job_ = false;
  }

  // ---- Reused storage of claimed chunks and of outputs

  using Spares = std::vector<ChunkPointer>;
  // Implement take_spare() and recycle(), which take the lock.
  [[nodiscard]] Spares& inputs() noexcept FOREBAY_NO_THREAD_SAFETY_ANALYSIS { return inputs_; }
  [[nodiscard]] Spares& outputs() noexcept FOREBAY_NO_THREAD_SAFETY_ANALYSIS { return spares_; }

  /// Returns the storage that was used last, or null.
  [[nodiscard]] ChunkPointer take_spare(Spares& from) {
    const Guard guard(mutex_);
    if (from.empty()) return nullptr;
    ChunkPointer chunk = std::move(from.back());
    from.pop_back();
    return chunk;
  }
  void recycle(Spares& to, ChunkPointer chunk) {
    const Guard guard(mutex_);
    to.push_back(std::move(chunk));
  }

  // ---- For the consumer

  /// Switches the consumer from the epoch `before` to `epoch`. Returns the number of the generation of claims that
  /// contains the outputs of `epoch`.
  std::uint64_t begin(const Epoch& epoch, const Epoch& before) noexcept {
    const Section section(*this);
    const bool is_claimed = epoch.round == generation_.epoch.round && epoch.number <= generation_.epoch.number &&
                            before.round == epoch.round && before.number < epoch.number;
    if (is_claimed) return generation_.number;
    generation_ = {generation_.number + 1, epoch};
    is_over_ = false;
    return generation_.number;
  }

  /// Returns whether an output may be taken.
  [[nodiscard]] bool has_output() const {
    const Guard guard(mutex_);
    return outputs_.has_next();
  }
  [[nodiscard]] std::size_t ready_outputs() const {
    const Guard guard(mutex_);
    return outputs_.ready();
  }

  /// Set while the consumer waits for the end of the current claim: because nothing is in flight, or because it claims
  /// itself while there is an output to take. This is a hint, read without the lock.
  [[nodiscard]] const auto& consumer_starves() const noexcept { return consumer_starves_; }

  // ---- Statistics: the total waits of all threads

  struct Waits {
    std::chrono::nanoseconds for_outputs;
    std::chrono::nanoseconds for_input;
    std::chrono::nanoseconds for_room;
  };
  [[nodiscard]] Waits waits() const {
    const Guard guard(mutex_);
    return {output_.waited(), turn_.waited() + chunk_.waited(), room_.waited()};
  }

 private:
  static constexpr std::size_t most_in_reserve = 2;
  /// A longer claim has probably waited for its source. A reserve would then wait, too, until the thread of the loop
  /// has the time, while the worker waits for the next chunk.
  static constexpr std::chrono::milliseconds slow_claim{10};

  /// Holds the lock. At its end, wakes the threads that changes under the lock have given a task.
  class FOREBAY_GUARD Section {
   public:
    explicit Section(Schedule& schedule) FOREBAY_ACQUIRES(schedule.mutex_)
        : schedule_(schedule), guard_(schedule.mutex_) {}
    Section(const Section&) = delete;
    Section& operator=(const Section&) = delete;
    ~Section() FOREBAY_RELEASES() { schedule_.wake(notifications_); }

   private:
    Schedule& schedule_;
    Notifications notifications_;  // end when the lock is free
    const Guard<typename Condition<Sync>::Mutex> guard_;
  };

  /// Waits for room if there is none, otherwise for the turn. Returns false if the wait ends.
  template <class Ready>
  bool await_turn(const Wait& wait, const Ready& ready) FOREBAY_REQUIRES(mutex_) {
    const bool has_room = permits_ > 0;
    const TraceSpan<Sync> span(trace_, has_room ? TraceKind::wait_for_claim : TraceKind::wait_for_room);
    if (has_room) return turn_.await(mutex_, wait, ready);
    return room_.await(mutex_, wait, [&]() FOREBAY_REQUIRES(mutex_) { return ready() || permits_ > 0; });
  }

  [[nodiscard]] bool may_claim(const Role& role) const noexcept FOREBAY_REQUIRES(mutex_) {
    return role.claims && turn_is_free_ && !is_over_ && permits_ > 0;
  }

  /// Returns whether the role may work or claim at all: only one thread of a loop helps at a time.
  [[nodiscard]] bool may_work(const Role& role) const noexcept FOREBAY_REQUIRES(mutex_) {
    return role.works && !(role.takes_outputs && loop_has_job_);
  }

  [[nodiscard]] bool has_chunk(const Role& role) const noexcept FOREBAY_REQUIRES(mutex_) {
    return !claimed_.empty() && (!role.works_on_next || claimed_.front()->sequence_number == outputs_.taken());
  }

  [[nodiscard]] bool has_job(const Role& role) const noexcept FOREBAY_REQUIRES(mutex_) {
    if (closed_) return false;
    if (role.takes_outputs && outputs_.has_next()) return true;
    return may_work(role) && (has_chunk(role) || may_claim(role));
  }

  /// Returns whether the claimed chunks are left to the thread of the loop.
  [[nodiscard]] bool is_reserved(const Role& role) const noexcept FOREBAY_REQUIRES(mutex_) {
    if (role.takes_outputs) return false;
    const bool consumer_waits = consumer_ != nullptr && consumer_->works && !consumer_->works_on_next;
    const bool is_wanted = consumer_waits || awaiting_chunk_ > 0 || reserve_lasts_ > 0;
    return is_wanted && claimed_.size() <= most_in_reserve;
  }

  [[nodiscard]] Job take_job(const Role& role) FOREBAY_REQUIRES(mutex_) {
    Job job;
    if (closed_) return job;
    if (role.takes_outputs && outputs_.has_next()) {
      job.output = outputs_.take();
      if (reserve_lasts_ > 0) --reserve_lasts_;
      ++permits_;
      --in_flight_;
      return job;
    }
    if (!may_work(role)) return job;
    if (role.is_loop && !role.works_on_next) reserve_lasts_ = ahead_;
    const bool claims = may_claim(role);
    if (has_chunk(role) && !(claims && is_reserved(role))) {
      job.claimed = take_claimed();
    } else if (claims) {
      turn_is_free_ = false;
      --permits_;
      job.has_turn = true;
      job.generation = generation_;
    } else {
      return job;
    }
    if (role.is_loop) loop_has_job_ = true;
    if (role.is_loop) loop_has_turn_ = job.has_turn;
    return job;
  }

  [[nodiscard]] ChunkPointer take_claimed() FOREBAY_REQUIRES(mutex_) {
    ChunkPointer oldest = std::move(claimed_.front());
    claimed_.erase(claimed_.begin());
    return oldest;
  }

  void note_starvation() noexcept FOREBAY_REQUIRES(mutex_) {
    const bool consumer_waits = consumer_ != nullptr || is_stepping_ || loop_has_turn_;
    const bool starves = (consumer_waits && in_flight_ == 0) || (loop_has_turn_ && outputs_.has_next());
    if (starves == consumer_starves_.load(std::memory_order_relaxed)) return;  // other threads read it often
    consumer_starves_.store(starves, std::memory_order_relaxed);
  }

  /// Wakes threads for the tasks that no thread woken before will do.
  void wake(Notifications& notifications) noexcept FOREBAY_REQUIRES(mutex_) {
    note_starvation();
    if (consumer_ != nullptr && has_job(*consumer_) && output_.notify_one(notifications) && !outputs_.has_next())
      return;
    if (!claimed_.empty() && chunk_.notify_one(notifications)) return;
    constexpr Role worker{.works = true, .claims = true};
    if (has_job(worker)) {
      if (turn_.notify_one(notifications)) return;
      if (permits_ >= several_ || !claimed_.empty()) room_.notify_one(notifications);
    } else if (permits_ >= several_) {
      room_.move_one_to(turn_);  // it has room, but not the turn
    }
  }

  const StageTrace<Sync>& trace_;
  const std::size_t ahead_;
  const std::size_t several_;  // the number of free permits that wakes a thread, instead of each one

  // Separate from data that changes with each chunk, because a claim reads it for each element.
  alignas(128) typename Sync::template relaxed_atomic<bool> consumer_starves_{false};

  alignas(128) mutable WaitingRoom<Sync> waiting_for_lock_;
  mutable typename Condition<Sync>::Mutex mutex_{waiting_for_lock_};
  bool closed_ FOREBAY_GUARDED_BY(mutex_) = false;
  bool turn_is_free_ FOREBAY_GUARDED_BY(mutex_) = true;
  bool is_over_ FOREBAY_GUARDED_BY(mutex_) = true;  // nothing more to claim in this run
  Generation generation_ FOREBAY_GUARDED_BY(mutex_);
  bool loop_has_job_ FOREBAY_GUARDED_BY(mutex_) = false;
  bool loop_has_turn_ FOREBAY_GUARDED_BY(mutex_) = false;
  bool is_stepping_ FOREBAY_GUARDED_BY(mutex_) = false;
  // How many outputs the loop may take, without having looked for work, before workers keep no reserve for it.
  std::size_t reserve_lasts_ FOREBAY_GUARDED_BY(mutex_) = 0;
  std::size_t permits_ FOREBAY_GUARDED_BY(mutex_);
  std::size_t in_flight_ FOREBAY_GUARDED_BY(mutex_) = 0;       // claimed sequence numbers whose output was not taken
  std::size_t awaiting_chunk_ FOREBAY_GUARDED_BY(mutex_) = 0;  // threads, also those that were notified
  const Role* consumer_ FOREBAY_GUARDED_BY(mutex_) = nullptr;  // while it waits
  std::vector<ChunkPointer> claimed_ FOREBAY_GUARDED_BY(mutex_);  // in their order
  Spares spares_ FOREBAY_GUARDED_BY(mutex_);
  Spares inputs_ FOREBAY_GUARDED_BY(mutex_);
  ReorderBuffer outputs_ FOREBAY_GUARDED_BY(mutex_);
  Condition<Sync> output_ FOREBAY_GUARDED_BY(mutex_);
  Condition<Sync> chunk_ FOREBAY_GUARDED_BY(mutex_);
  Condition<Sync> turn_ FOREBAY_GUARDED_BY(mutex_);
  Condition<Sync> room_ FOREBAY_GUARDED_BY(mutex_);
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_PARALLEL_SCHEDULE_HPP
