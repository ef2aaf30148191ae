// SPDX-License-Identifier: MIT
//
// claims.hpp: Claims, the chain before a segment, from which its threads claim chunks in turn.
//
// The thread that has the turn (see Schedule) owns the chain, may block in it, and holds no lock meanwhile. Each claim
// gets a sequence number: an end, a mark and a failure, too.

#ifndef FOREBAY_PIPELINE_CLAIMS_HPP
#define FOREBAY_PIPELINE_CLAIMS_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "forebay/base/serial_time_sum.hpp"
#include "forebay/base/thread_record.hpp"
#include "forebay/map_options.hpp"
#include "forebay/pipeline/chunk_types.hpp"
#include "forebay/pipeline/schedule.hpp"
#include "forebay/pipeline/segment_settings.hpp"
#include "forebay/stage/snapshot_pace.hpp"
#include "forebay/pipeline/trace.hpp"
#include "forebay/pipeline/trace_record.hpp"
#include "forebay/stage/chain.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// The claims go through the epochs by themselves. When they are told to begin an epoch that they would not come to, a
/// new run of claims begins there.
///
/// Thread safety: claim is for the thread that has the turn; chain and restore come before the threads. Any thread
/// may call any other member.
template <class Sync>
class Claims {
 public:
  using Times = SerialTimeSum<Sync>;
  using Time = typename Times::Time;

  /// The others outlive it.
  Claims(const ChunkTypes& types, std::unique_ptr<AnyChain> chain, const SegmentSettings& settings,
         const StageTrace<Sync>& trace, Schedule<Sync>& schedule)
      : types_(types),
        settings_(settings),
        trace_(trace),
        schedule_(schedule),
        chain_(std::move(chain)),
        begun_(types.make_input()) {}

  [[nodiscard]] AnyChain& chain() noexcept { return *chain_; }

  /// Claims go on where those of another run were, in `epoch`.
  void restore(SnapshotReader& from, const Epoch& epoch) {
    chain_->begin(epoch);
    chain_->restore(from);
    epoch_ = epoch;
    reached_ = epoch;
    run_of_claims_ = run_;
  }

  /// How many elements were claimed.
  [[nodiscard]] std::uint64_t elements() const noexcept { return elements_.load(std::memory_order_relaxed); }

  /// Claims a chunk for the schedule. `chunk` is storage, which is used up, or null. Requires the turn, since then; it
  /// goes back. Returns what Schedule::end_claim() does; nothing if `wait` is over.
  std::optional<Claimed> claim(ChunkPointer& chunk, const Role& role, Time since, const PullWait& wait,
                               Times& pulled) {
    pulled.begin(since);
    if (chunk == nullptr) chunk = types_.make_input();
    const bool has_chunk = pull_next(chunk, wait);
    const Time now = Sync::clock::now();
    pulled.end(now);
    const auto number = has_chunk ? std::optional(chunk->ticket) : std::nullopt;
    trace_.span(TraceKind::claim, since, now, number, chunk->size());
    return put_turn_back(role, chunk, has_chunk);
  }

  /// Whoever takes outputs was in the epoch `before`, and wants those of `epoch` next. Returns in which run of claims
  /// they come.
  std::uint64_t begin(const Epoch& epoch, const Epoch& before) {
    const Lock lock(mutex_);
    const bool is_claimed = epoch.round == reached_.round && epoch.number <= reached_.number &&
                            before.round == epoch.round && before.number < epoch.number;
    if (is_claimed) return run_;
    reached_ = epoch;
    ++run_;
    if (std::exchange(is_over_, false)) schedule_.reopen();
    return run_;
  }

 private:
  using Lock = std::unique_lock<typename Sync::mutex>;

  /// Returns false if nothing was pulled since `wait` is over.
  bool pull_next(ChunkPointer& chunk, const PullWait& wait) {
    begin_run();
    chunk->clear();
    if (pull_with_end(chunk, wait) == Answer::not_now) {
      if (chunk->place.is_known) pace_.hurry();
      return false;
    }
    chunk->epoch = epoch_;
    chunk->run = run_of_claims_;
    chunk->ticket = next_ticket_++;
    if (chunk->end == End::epoch) epoch_ = epoch_.next();
    elements_.store(elements() + chunk->size(), std::memory_order_relaxed);
    ThreadRecord<Sync>::note_progress();
    return true;
  }

  /// When nothing more can be claimed, the turn is gone until another run begins.
  std::optional<Claimed> put_turn_back(const Role& role, ChunkPointer& chunk, bool has_chunk) {
    const Lock lock(mutex_);
    const bool is_of_this_run = run_of_claims_ == run_;  // else the claims are sent elsewhere already
    if (is_of_this_run) reached_ = epoch_;
    if (!has_chunk) {
      schedule_.give_up_claim(role);
      return std::nullopt;
    }
    is_over_ = is_of_this_run && (chunk->end == End::input || chunk->end == End::failure);
    return schedule_.end_claim(role, std::move(chunk), is_over_);
  }

  /// With what comes behind the elements.
  Answer pull_with_end(ChunkPointer& chunk, const PullWait& wait) noexcept {
    Answer answer = Answer::more;
    try {
      if (settings_.saves && begun_->empty() && pace_.is_due()) {
        pace_.take([this, &chunk] { chain_->place_before(chunk->place, 0, false); });
      }
      answer = pull(chunk, wait);
      if (answer == Answer::ended) chunk->end = End::input;
      if (answer == Answer::epoch_ended) chunk->end = End::epoch;
    } catch (...) {
      chunk->end = End::failure;
      chunk->failure = std::current_exception();
    }
    return answer;
  }

  /// In any order, a mark is a chunk of its own: elements in front of it need not wait for those before them.
  Answer pull(ChunkPointer& chunk, const PullWait& wait) {
    if (std::exchange(mark_is_next_, false)) return Answer::epoch_ended;
    const Answer answer = settings_.fills_chunks ? fill_chunk(chunk, wait) : pull_some(chunk, wait);
    mark_is_next_ = settings_.order == any_order && answer == Answer::epoch_ended && !chunk->empty();
    return mark_is_next_ ? Answer::more : answer;
  }

  Answer pull_some(ChunkPointer& chunk, const PullWait& wait) {
    return types_.pull(*chain_, *chunk, settings_.chunk, wait);
  }

  /// What is not complete stays here.
  Answer fill_chunk(ChunkPointer& chunk, const PullWait& wait) {
    if (!begun_->empty()) std::swap(chunk, begun_);
    Answer answer = Answer::more;
    while (answer == Answer::more && chunk->size() < settings_.chunk) answer = pull_some(chunk, wait);
    if (answer == Answer::not_now && !chunk->empty()) {
      std::swap(chunk, begun_);
      chunk->clear();
    }
    return answer;
  }

  /// Goes to where a new run begins, if there is one.
  void begin_run() {
    Lock lock(mutex_);
    if (run_of_claims_ == run_) return;
    run_of_claims_ = run_;
    epoch_ = reached_;
    lock.unlock();
    mark_is_next_ = false;
    begun_->clear();
    chain_->begin(epoch_);
  }

  const ChunkTypes& types_;
  const SegmentSettings& settings_;
  const StageTrace<Sync>& trace_;
  Schedule<Sync>& schedule_;

  // Of whoever has the turn. Apart from what all read.
  alignas(128) const std::unique_ptr<AnyChain> chain_;
  std::uint64_t next_ticket_ = 0;
  std::uint64_t run_of_claims_ = 0;
  Epoch epoch_;                // of what comes next
  bool mark_is_next_ = false;  // for which elements do not wait
  ChunkPointer begun_;         // not complete yet
  SnapshotPace<Sync> pace_;
  typename Sync::template relaxed_atomic<std::uint64_t> elements_{0};

  typename Sync::mutex mutex_;  // guards what follows
  bool is_over_ = false;        // there is nothing more to claim, and nobody gets the turn
  std::uint64_t run_ = 0;       // counts the runs: each began an epoch that the claims would not have come to
  Epoch reached_;               // in this run: that of the next claim
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_PIPELINE_CLAIMS_HPP
