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

#include "forebay/base/serial_time_sum.hpp"
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

/// Thread safety: only the thread that has the turn may call claim; call input, restore and skip_to before the threads
/// start. Any thread may call elements.
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

  /// Begins `generation` at the position that `restore(input)` sets.
  template <class Restore>
  void restore(const Generation& generation, Restore restore) {
    begin(generation);
    restore(*input_);
  }

  /// See AnyStream. Begins `generation` unless it was restored.
  void skip_to(const Generation& generation, std::uint64_t number) {
    begin(generation);
    input_->skip_to(number);
  }

  /// Returns the number of claimed elements.
  [[nodiscard]] std::uint64_t elements() const noexcept { return elements_.load(std::memory_order_relaxed); }

  /// Claims a chunk of `generation` for the schedule. Requires the turn, which it releases; the thread has had it since
  /// `since`. `chunk` is storage to reuse, or null. Returns the result of Schedule::end_claim(); nothing if `wait` is
  /// over.
  std::optional<ChunkPointer> claim(const Generation& generation, ChunkPointer& chunk, const Role& role, Time since,
                                    const PullWait& wait, Times& pulled) {
    pulled.begin(since);
    if (chunk == nullptr) chunk = types_.make_input();
    begin(generation);
    const bool has_chunk = pull_next(chunk, wait);
    const Time now = Sync::clock::now();
    pulled.end(now);
    const auto number = has_chunk ? std::optional(chunk->sequence_number) : std::nullopt;
    trace_.span(TraceKind::claim, since, now, number, chunk->size());
    if (has_chunk) return schedule_.end_claim(role, std::move(chunk), generation_.epoch, now - since);
    schedule_.give_up_claim(role);
    return std::nullopt;
  }

 private:
  /// Returns false if nothing was pulled since `wait` is over.
  bool pull_next(ChunkPointer& chunk, const PullWait& wait) {
    chunk->clear();
    if (pull_with_end(chunk, wait) == PullResult::not_now) {
      if (chunk->resume_point.is_known) pace_.hurry();
      return false;
    }
    chunk->epoch = generation_.epoch;
    chunk->generation = generation_.number;
    chunk->sequence_number = next_sequence_number_++;
    const Epoch next = generation_.epoch.next();
    if (chunk->end == End::epoch && settings_.epochs.includes(next)) begin_epoch(next);
    elements_.store(elements() + chunk->size(), std::memory_order_relaxed);
    ThreadRecord<Sync>::note_progress();
    return true;
  }

  /// Completes the chunk with the end that follows its elements.
  PullResult pull_with_end(ChunkPointer& chunk, const PullWait& wait) noexcept {
    PullResult result = PullResult::more;
    try {
      if (settings_.saves && begun_->empty() && pace_.is_due(wait)) {
        pace_.take(wait, [this, &chunk] { input_->save(chunk->resume_point); });
      }
      result = pull(chunk, wait);
    } catch (...) {
      result = fail(*chunk);
    }
    if (result == PullResult::last || result == PullResult::ended) chunk->end = End::epoch;
    if (result == PullResult::failed) chunk->end = End::failure;
    return result;
  }

  /// With any_order, the end of an epoch is a separate chunk, so that the last elements wait for no other chunk.
  PullResult pull(ChunkPointer& chunk, const PullWait& wait) noexcept {
    const PullResult result = settings_.fills_chunks ? fill_chunk(chunk, wait) : pull_some(chunk, wait);
    const bool has_ended = result == PullResult::last || result == PullResult::ended;
    return settings_.order == any_order && has_ended && !chunk->empty() ? PullResult::more : result;
  }

  PullResult pull_some(ChunkPointer& chunk, const PullWait& wait) noexcept {
    return types_.pull(*input_, *chunk, settings_.chunk, wait);
  }

  /// Keeps an incomplete chunk.
  PullResult fill_chunk(ChunkPointer& chunk, const PullWait& wait) noexcept {
    if (!begun_->empty()) std::swap(chunk, begun_);
    PullResult result = PullResult::more;
    while (result == PullResult::more && chunk->size() < settings_.chunk) result = pull_some(chunk, wait);
    if (result == PullResult::not_now && !chunk->empty()) {
      std::swap(chunk, begun_);
      chunk->clear();
    }
    return result;
  }

  /// Moves to the beginning of a run, unless the last claim was in it.
  void begin(const Generation& generation) {
    if (generation.number == generation_.number) return;
    generation_.number = generation.number;
    begun_->clear();
    begin_epoch(generation.epoch);
  }

  void begin_epoch(const Epoch& epoch) noexcept {
    generation_.epoch = epoch;
    input_->begin(epoch);
  }

  const ChunkTypes& types_;
  const ParallelSettings& settings_;
  const StageTrace<Sync>& trace_;
  Schedule<Sync>& schedule_;

  // Guarded by the turn. Separate from data that all threads read.
  alignas(128) const std::unique_ptr<AnyInput> input_;
  std::uint64_t next_sequence_number_ = 0;
  Generation generation_;  // of the next element
  ChunkPointer begun_;     // the incomplete chunk
  SnapshotPace pace_;
  typename Sync::template relaxed_atomic<std::uint64_t> elements_{0};
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_PARALLEL_SHARED_INPUT_HPP
