// SPDX-License-Identifier: MIT
//
// claims.hpp: Claims, the chain before a segment, from which its threads claim chunks in turn, each with a ticket.
//
// Algorithm: a queue holds the turn, or nothing while somebody has it. Who took it owns the chain, may block in it, and
// holds no lock meanwhile. A claim takes a ticket: an end, a mark and a failure, too.

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
#include "forebay/pipeline/output_order.hpp"
#include "forebay/pipeline/pipeline_host.hpp"
#include "forebay/pipeline/segment_settings.hpp"
#include "forebay/stage/snapshot_pace.hpp"
#include "forebay/pipeline/trace.hpp"
#include "forebay/pipeline/trace_record.hpp"
#include "forebay/stage/chain.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// What was claimed, where the chain was before, if that was saved, and when.
template <class Sync>
struct Claimed {
  Token in;
  ChainPlace place{};
  typename Sync::clock::time_point at{};
};

/// The claims go through the epochs by themselves. When they are told to begin an epoch that they would not come to, a
/// new run of claims begins there.
///
/// Thread safety: claim and put_back are for who has the turn; chain and restore come before the threads. Any thread
/// may call any other member.
template <class Sync>
class Claims {
 public:
  using Times = SerialTimeSum<Sync>;
  using Time = typename Times::Time;

  /// The others outlive it.
  Claims(const ChunkTypes& types, std::unique_ptr<AnyChain> chain, const SegmentSettings& settings,
         const StageTrace<Sync>& trace, OutputOrder<Sync>& outputs)
      : types_(types),
        settings_(settings),
        trace_(trace),
        outputs_(outputs),
        chain_(std::move(chain)),
        begun_(storage()),
        turn_(1) {
    turn_.set_name(settings_.name, "its turn at the input");
    put_token(turn_);
  }

  [[nodiscard]] AnyChain& chain() noexcept { return *chain_; }

  /// Claims go on where those of another run were, in `epoch`.
  void restore(SnapshotReader& from, const Epoch& epoch) {
    chain_->begin(epoch);
    chain_->restore(from);
    epoch_ = epoch;
    reached_ = epoch;
    run_of_claims_ = run_;
  }

  [[nodiscard]] TokenQueue<Sync>& turn() noexcept { return turn_; }
  [[nodiscard]] const TokenQueue<Sync>& turn() const noexcept { return turn_; }

  /// What a claim is written to.
  [[nodiscard]] Claimed<Sync> storage() const { return {types_.make_input()}; }

  /// How many elements were claimed.
  [[nodiscard]] std::uint64_t elements() const noexcept { return elements_.load(std::memory_order_relaxed); }

  /// Takes the turn, or else waits as told, if that gets it. Returns since when it has it. The clock is read before,
  /// and after it was put back: others wait meanwhile, and it takes longer than one would think.
  template <class WaitForIt>
  std::optional<Time> take_turn(WaitForIt wait_for_it) {
    const Time now = Sync::clock::now();
    if (turn_.dequeue(no_wait)) return now;
    if (!wait_for_it()) return std::nullopt;
    return Sync::clock::now();
  }

  /// Claims a chunk. Requires the turn, since then. It goes back.
  std::optional<std::uint64_t> claim(Claimed<Sync>& claimed, Time since, const PullWait& wait, Times& pulled) {
    pulled.begin(since);
    const auto ticket = pull_ticket(claimed, wait);
    claimed.at = Sync::clock::now();
    pulled.end(claimed.at);
    trace_.span(TraceKind::claim, since, claimed.at, ticket, claimed.in->size());
    return ticket;
  }

  /// When nothing more can be claimed, the turn stays where it is until another run begins.
  void put_back(bool is_over) {
    const Lock lock(mutex_);
    const bool is_of_this_run = run_of_claims_ == run_;  // else it is sent elsewhere already
    if (is_of_this_run) reached_ = epoch_;
    is_over_ = is_over && is_of_this_run;
    if (!is_over_) put_token(turn_);
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
    if (is_over_) put_token(turn_);
    is_over_ = false;
    return run_;
  }

 private:
  using Lock = std::unique_lock<typename Sync::mutex>;

  std::optional<std::uint64_t> pull_ticket(Claimed<Sync>& claimed, const PullWait& wait) {
    begin_run();
    claimed.in->clear();
    claimed.place.clear();
    if (pull_with_end(claimed, wait) == Answer::not_now) {
      if (claimed.place.is_known) pace_.hurry();
      put_back(false);
      return std::nullopt;
    }
    AnyChunk& in = *claimed.in;
    const bool is_over = in.end == End::input || in.end == End::failure;
    in.epoch = epoch_;
    in.run = run_of_claims_;
    if (in.end == End::epoch) epoch_ = epoch_.next();
    const std::uint64_t ticket = next_ticket_++;
    elements_.store(elements() + in.size(), std::memory_order_relaxed);
    ThreadRecord<Sync>::note_progress();
    outputs_.begin(ticket, in.end);
    put_back(is_over);
    return ticket;
  }

  /// With what comes behind the elements.
  Answer pull_with_end(Claimed<Sync>& claimed, const PullWait& wait) noexcept {
    Answer answer = Answer::more;
    try {
      if (settings_.saves && begun_.in->empty() && pace_.is_due()) {
        pace_.take([this, &claimed] { chain_->place_before(claimed.place, 0, false); });
      }
      answer = pull(claimed, wait);
      if (answer == Answer::ended) claimed.in->end = End::input;
      if (answer == Answer::epoch_ended) claimed.in->end = End::epoch;
    } catch (...) {
      claimed.in->end = End::failure;
      claimed.in->failure = std::current_exception();
    }
    return answer;
  }

  /// In any order, a mark is a chunk of its own: elements in front of it need not wait for those before them.
  Answer pull(Claimed<Sync>& claimed, const PullWait& wait) {
    if (std::exchange(mark_is_next_, false)) return Answer::epoch_ended;
    const Answer answer = settings_.fills_chunks ? fill_chunk(claimed, wait) : pull_some(claimed, wait);
    mark_is_next_ = settings_.order == any_order && answer == Answer::epoch_ended && !claimed.in->empty();
    return mark_is_next_ ? Answer::more : answer;
  }

  Answer pull_some(Claimed<Sync>& claimed, const PullWait& wait) {
    return types_.pull(*chain_, *claimed.in, settings_.chunk, wait);
  }

  /// What is not complete stays here.
  Answer fill_chunk(Claimed<Sync>& claimed, const PullWait& wait) {
    if (!begun_.in->empty()) std::swap(claimed, begun_);
    Answer answer = Answer::more;
    while (answer == Answer::more && claimed.in->size() < settings_.chunk) answer = pull_some(claimed, wait);
    if (answer == Answer::not_now && !claimed.in->empty()) {
      std::swap(claimed, begun_);
      claimed.in->clear();
      claimed.place.clear();
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
    begun_.in->clear();
    chain_->begin(epoch_);
  }

  const ChunkTypes& types_;
  const SegmentSettings& settings_;
  const StageTrace<Sync>& trace_;
  OutputOrder<Sync>& outputs_;

  // Of whoever has the turn. Apart from what all read.
  alignas(128) const std::unique_ptr<AnyChain> chain_;
  std::uint64_t next_ticket_ = 0;
  std::uint64_t run_of_claims_ = 0;
  Epoch epoch_;                // of what comes next
  bool mark_is_next_ = false;  // for which elements do not wait
  Claimed<Sync> begun_;
  SnapshotPace<Sync> pace_;
  typename Sync::template relaxed_atomic<std::uint64_t> elements_{0};

  TokenQueue<Sync> turn_;

  typename Sync::mutex mutex_;  // guards what follows
  bool is_over_ = false;        // there is nothing more to claim, and the turn is not in its queue
  std::uint64_t run_ = 0;       // counts the runs: each began an epoch that the claims would not have come to
  Epoch reached_;               // in this run: that of the next claim
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_PIPELINE_CLAIMS_HPP
