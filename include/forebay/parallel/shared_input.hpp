// SPDX-License-Identifier: MIT
//
// shared_input.hpp: SharedInput, the input of a parallel stage, from which its threads claim chunks in turn.
//
// The thread that has the turn (see Schedule) owns the input, may block in it, and holds no lock meanwhile. Each claim
// gets a sequence number, including ends and failures.

#ifndef FOREBAY_PARALLEL_SHARED_INPUT_HPP
#define FOREBAY_PARALLEL_SHARED_INPUT_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <utility>

#include "forebay/base/mutex.hpp"
#include "forebay/base/serial_time_sum.hpp"
#include "forebay/base/thread_annotations.hpp"
#include "forebay/base/thread_record.hpp"
#include "forebay/checkpoint/snapshot_pace.hpp"
#include "forebay/dataset_options.hpp"
#include "forebay/flow/input.hpp"
#include "forebay/parallel/chunk_types.hpp"
#include "forebay/parallel/parallel_settings.hpp"
#include "forebay/parallel/schedule.hpp"
#include "forebay/trace/trace.hpp"
#include "forebay/trace/trace_record.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// The claims proceed from epoch to epoch. When the consumer requests an epoch that they would not reach, a new run of
/// claims begins there. Before the first request, there is nothing to claim.
///
/// Thread safety: only the thread that has the turn may call claim; call input, restore and skip_to before the threads
/// start. Any thread may call any other member.
template <class Sync>
class SharedInput {
 public:
  using Times = SerialTimeSum<Sync>;
  using Time = typename Times::Time;

  /// The arguments must outlive the object.
  SharedInput(const ChunkTypes& types, std::unique_ptr<AnyInput> input, const ParallelSettings& settings,
              const StageTrace<Sync>& trace, Schedule<Sync>& schedule)
      : types_(types),
        settings_(settings),
        trace_(trace),
        schedule_(schedule),
        input_(std::move(input)),
        begun_(types.make_input()) {}

  [[nodiscard]] AnyInput& input() noexcept { return *input_; }
  [[nodiscard]] const AnyInput& input() const noexcept { return *input_; }

  /// Continues in `epoch` at the position that `restore(input)` sets. Requires begin() of that epoch.
  template <class Restore>
  void restore(const Epoch& epoch, Restore restore) {
    input_->begin(epoch);
    restore(*input_);
    epoch_ = epoch;
    const Guard guard(mutex_);
    reached_ = epoch;
    run_of_claims_ = run_;
  }

  /// See AnyStream. Requires begin(), or restore() of the same epoch.
  void skip_to(std::uint64_t number) {
    begin_run();
    input_->skip_to(number);
  }

  /// Returns the number of claimed elements.
  [[nodiscard]] std::uint64_t elements() const noexcept { return elements_.load(std::memory_order_relaxed); }

  /// Claims a chunk for the schedule. Requires the turn, which it releases; the thread has had it since `since`.
  /// `chunk` is storage to reuse, or null. Returns the result of Schedule::end_claim(); nothing if `wait` is over.
  std::optional<ChunkPointer> claim(ChunkPointer& chunk, const Role& role, Time since, const PullWait& wait,
                                    Times& pulled) {
    pulled.begin(since);
    if (chunk == nullptr) chunk = types_.make_input();
    const bool has_chunk = pull_next(chunk, wait);
    const Time now = Sync::clock::now();
    pulled.end(now);
    const auto number = has_chunk ? std::optional(chunk->sequence_number) : std::nullopt;
    trace_.span(TraceKind::claim, since, now, number, chunk->size());
    return put_turn_back(role, chunk, has_chunk, now - since);
  }

  /// Switches the consumer from the epoch `before` to `epoch`. Returns the run of claims that contains the outputs of
  /// `epoch`.
  std::uint64_t begin(const Epoch& epoch, const Epoch& before) noexcept {
    const Guard guard(mutex_);
    const bool is_claimed = epoch.round == reached_.round && epoch.number <= reached_.number &&
                            before.round == epoch.round && before.number < epoch.number;
    if (is_claimed) return run_;
    reached_ = epoch;
    ++run_;
    if (std::exchange(is_over_, false)) schedule_.reopen();
    return run_;
  }

 private:
  /// Returns false if nothing was pulled since `wait` is over.
  bool pull_next(ChunkPointer& chunk, const PullWait& wait) {
    begin_run();
    chunk->clear();
    if (pull_with_end(chunk, wait) == Answer::not_now) {
      if (chunk->resume_point.is_known) pace_.hurry();
      return false;
    }
    chunk->epoch = epoch_;
    chunk->run = run_of_claims_;
    chunk->sequence_number = next_sequence_number_++;
    goes_on_ = chunk->end == End::none || (chunk->end == End::epoch && settings_.epochs.includes(epoch_.next()));
    if (goes_on_ && chunk->end == End::epoch) begin_epoch(epoch_.next());
    elements_.store(elements() + chunk->size(), std::memory_order_relaxed);
    ThreadRecord<Sync>::note_progress();
    return true;
  }

  /// If nothing more can be claimed, no thread gets the turn until another run begins.
  std::optional<ChunkPointer> put_turn_back(const Role& role, ChunkPointer& chunk, bool has_chunk,
                                            std::chrono::nanoseconds took) {
    const Guard guard(mutex_);
    const bool is_of_this_run = run_of_claims_ == run_;  // otherwise a new run was requested meanwhile
    if (is_of_this_run) reached_ = epoch_;
    if (!has_chunk) {
      schedule_.give_up_claim(role);
      return std::nullopt;
    }
    is_over_ = is_of_this_run && !goes_on_;
    return schedule_.end_claim(role, std::move(chunk), is_over_, took);
  }

  /// Completes the chunk with the end that follows its elements.
  Answer pull_with_end(ChunkPointer& chunk, const PullWait& wait) noexcept {
    Answer answer = Answer::more;
    try {
      if (settings_.saves && begun_->empty() && pace_.is_due(wait)) {
        pace_.take(wait, [this, &chunk] { input_->save(chunk->resume_point); });
      }
      answer = pull(chunk, wait);
    } catch (...) {
      answer = fail(*chunk);
    }
    if (answer == Answer::last || answer == Answer::ended) chunk->end = End::epoch;
    if (answer == Answer::failed) chunk->end = End::failure;
    return answer;
  }

  /// With any_order, the end of an epoch is a separate chunk, so that the last elements wait for no other chunk.
  Answer pull(ChunkPointer& chunk, const PullWait& wait) noexcept {
    const Answer answer = settings_.fills_chunks ? fill_chunk(chunk, wait) : pull_some(chunk, wait);
    const bool has_ended = answer == Answer::last || answer == Answer::ended;
    return settings_.order == any_order && has_ended && !chunk->empty() ? Answer::more : answer;
  }

  Answer pull_some(ChunkPointer& chunk, const PullWait& wait) noexcept {
    return types_.pull(*input_, *chunk, settings_.chunk, wait);
  }

  /// Keeps an incomplete chunk.
  Answer fill_chunk(ChunkPointer& chunk, const PullWait& wait) noexcept {
    if (!begun_->empty()) std::swap(chunk, begun_);
    Answer answer = Answer::more;
    while (answer == Answer::more && chunk->size() < settings_.chunk) answer = pull_some(chunk, wait);
    if (answer == Answer::not_now && !chunk->empty()) {
      std::swap(chunk, begun_);
      chunk->clear();
    }
    return answer;
  }

  /// Moves to the beginning of a new run, if one was requested.
  void begin_run() {
    Epoch epoch;
    {
      const Guard guard(mutex_);
      if (run_of_claims_ == run_) return;
      run_of_claims_ = run_;
      epoch = reached_;
    }
    begun_->clear();
    begin_epoch(epoch);
  }

  void begin_epoch(const Epoch& epoch) noexcept {
    epoch_ = epoch;
    input_->begin(epoch);
  }

  const ChunkTypes& types_;
  const ParallelSettings& settings_;
  const StageTrace<Sync>& trace_;
  Schedule<Sync>& schedule_;

  // Guarded by the turn. Separate from data that all threads read.
  alignas(128) const std::unique_ptr<AnyInput> input_;
  std::uint64_t next_sequence_number_ = 0;
  std::uint64_t run_of_claims_ = 0;
  Epoch epoch_;          // of the next element
  bool goes_on_ = true;  // the run continues after the last claim
  ChunkPointer begun_;   // the incomplete chunk
  SnapshotPace pace_;
  typename Sync::template relaxed_atomic<std::uint64_t> elements_{0};

  Mutex<Sync> mutex_;
  bool is_over_ FOREBAY_GUARDED_BY(mutex_) = true;  // nothing more to claim, and no thread gets the turn
  // The number of runs; each began with an epoch that the claims would not have reached.
  std::uint64_t run_ FOREBAY_GUARDED_BY(mutex_) = 0;
  Epoch reached_ FOREBAY_GUARDED_BY(mutex_);  // the epoch of the next claim in this run
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_PARALLEL_SHARED_INPUT_HPP
