// SPDX-License-Identifier: MIT
//
// claims.hpp: Claims, the input of a segment, from which its threads claim chunks in turn, each with a ticket.
//
// Algorithm: a queue holds the turn, or nothing while somebody has it. Who took it owns the input, may block in it, and
// holds no lock meanwhile. A claim takes a ticket: an end and a failure, too.

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
#include "forebay/flow/input.hpp"
#include "forebay/flow/resume_point.hpp"
#include "forebay/map_options.hpp"
#include "forebay/pipeline/chunk_types.hpp"
#include "forebay/pipeline/output_order.hpp"
#include "forebay/pipeline/pipeline_host.hpp"
#include "forebay/pipeline/segment_settings.hpp"
#include "forebay/stage/snapshot_pace.hpp"
#include "forebay/pipeline/trace.hpp"
#include "forebay/pipeline/trace_record.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// What was claimed, where the input was before, if that was saved, and when.
template <class Sync>
struct Claimed {
  Token in;
  ResumePoint place{};
  typename Sync::clock::time_point at{};
};

/// The claims go through the epochs by themselves. When they are told to begin an epoch that they would not come to, a
/// new run of claims begins there. Before the first one is begun, there is nothing to claim.
///
/// Thread safety: claim and put_back are for who has the turn; input and restore come before the threads. Any thread
/// may call any other member.
template <class Sync>
class Claims {
 public:
  using Times = SerialTimeSum<Sync>;
  using Time = typename Times::Time;

  /// The others outlive it.
  Claims(const ChunkTypes& types, std::unique_ptr<AnyInput> input, const SegmentSettings& settings,
         const StageTrace<Sync>& trace, OutputOrder<Sync>& outputs)
      : types_(types),
        settings_(settings),
        trace_(trace),
        outputs_(outputs),
        input_(std::move(input)),
        begun_(storage()),
        turn_(1) {
    turn_.set_name(settings_.name, "its turn at the input");
  }

  [[nodiscard]] AnyInput& input() noexcept { return *input_; }
  [[nodiscard]] const AnyInput& input() const noexcept { return *input_; }

  /// Claims go on in `epoch`, where `restore(input)` goes to. Requires begin() of that epoch.
  template <class Restore>
  void restore(const Epoch& epoch, Restore restore) {
    input_->begin(epoch);
    restore(*input_);
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
  std::uint64_t begin(const Epoch& epoch, const Epoch& before) noexcept {
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
    in.epoch = epoch_;
    in.run = run_of_claims_;
    const bool goes_on = in.end == End::epoch && settings_.epochs.includes(epoch_.next());
    if (goes_on) begin_epoch(epoch_.next());
    const std::uint64_t ticket = next_ticket_++;
    elements_.store(elements() + in.size(), std::memory_order_relaxed);
    ThreadRecord<Sync>::note_progress();
    outputs_.begin(ticket, in.end);
    put_back(in.end != End::none && !goes_on);
    return ticket;
  }

  /// With what comes behind the elements.
  Answer pull_with_end(Claimed<Sync>& claimed, const PullWait& wait) noexcept {
    Answer answer = Answer::more;
    try {
      if (settings_.saves && begun_.in->empty() && pace_.is_due()) {
        pace_.take([this, &claimed] { input_->save(claimed.place); });
      }
      answer = pull(claimed, wait);
      if (answer == Answer::last || answer == Answer::ended) claimed.in->end = End::epoch;
    } catch (...) {
      claimed.in->end = End::failure;
      claimed.in->failure = std::current_exception();
    }
    return answer;
  }

  /// In any order, the end of an epoch is a chunk of its own: elements in front of it need not wait for those before them.
  Answer pull(Claimed<Sync>& claimed, const PullWait& wait) {
    const Answer answer = settings_.fills_chunks ? fill_chunk(claimed, wait) : pull_some(claimed, wait);
    const bool has_ended = answer == Answer::last || answer == Answer::ended;
    return settings_.order == any_order && has_ended && !claimed.in->empty() ? Answer::more : answer;
  }

  Answer pull_some(Claimed<Sync>& claimed, const PullWait& wait) {
    return types_.pull(*input_, *claimed.in, settings_.chunk, wait);
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
    const Epoch epoch = reached_;
    lock.unlock();
    begun_.in->clear();
    begin_epoch(epoch);
  }

  void begin_epoch(const Epoch& epoch) noexcept {
    epoch_ = epoch;
    input_->begin(epoch);
  }

  const ChunkTypes& types_;
  const SegmentSettings& settings_;
  const StageTrace<Sync>& trace_;
  OutputOrder<Sync>& outputs_;

  // Of whoever has the turn. Apart from what all read.
  alignas(128) const std::unique_ptr<AnyInput> input_;
  std::uint64_t next_ticket_ = 0;
  std::uint64_t run_of_claims_ = 0;
  Epoch epoch_;  // of what comes next
  Claimed<Sync> begun_;
  SnapshotPace<Sync> pace_;
  typename Sync::template relaxed_atomic<std::uint64_t> elements_{0};

  TokenQueue<Sync> turn_;

  typename Sync::mutex mutex_;  // guards what follows
  bool is_over_ = true;         // there is nothing more to claim, and the turn is not in its queue
  std::uint64_t run_ = 0;       // counts the runs: each began an epoch that the claims would not have come to
  Epoch reached_;               // in this run: that of the next claim
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_PIPELINE_CLAIMS_HPP
