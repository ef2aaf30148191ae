// SPDX-License-Identifier: MIT
//
// lane.hpp: Lane, what a thread has read of one input of an interleave and the taker has not taken; and LaneInput, the
// taker's end of it.
//
// Algorithm: the reader adds to a chunk under the lock of the lane, the taker swaps it for an empty one. Who has to
// wait says so under the lock, and waits for a token: the reader in a queue of the lane's own, the taker in one for all
// lanes, which a stop closes. A token may be left from a wait that is over; so who gets one looks again.

#ifndef FOREBAY_PARALLEL_LANE_HPP
#define FOREBAY_PARALLEL_LANE_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <utility>

#include "forebay/base/thread_record.hpp"
#include "forebay/base/mutex.hpp"
#include "forebay/base/thread_annotations.hpp"
#include "forebay/base/time_sum.hpp"
#include "forebay/parallel/pipeline_host.hpp"
#include "forebay/trace/trace.hpp"
#include "forebay/trace/trace_record.hpp"
#include "forebay/stage/inner_input.hpp"
#include "forebay/version.hpp"
#include "forebay/wait.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Where the taker of all lanes of an interleave waits, and how long their readers have waited for room.
template <class Sync>
class LaneWaits {
 public:
  LaneWaits(const std::string& stage, StageTrace<Sync> stage_trace) : trace(stage_trace) {
    taker.set_name(stage, "an input");
  }

  void close() noexcept { taker.close(cancel_pending_enqueues); }

  void begin() {
    const Guard guard(mutex_);
    blocked_.begin(Sync::clock::now());
  }
  void end() {
    const Guard guard(mutex_);
    blocked_.end(Sync::clock::now());
  }
  [[nodiscard]] std::chrono::nanoseconds blocked() const {
    const Guard guard(mutex_);
    return blocked_.so_far();
  }

  TokenQueue<Sync> taker{1};
  const StageTrace<Sync> trace;

 private:
  mutable Mutex<Sync> mutex_;
  TimeSum<typename Sync::clock> blocked_ FOREBAY_GUARDED_BY(mutex_);
};

template <class Sync>
using SharedWaits = std::shared_ptr<LaneWaits<Sync>>;

/// Thread safety: one thread reads, and one at a time takes.
template <class U, class Sync>
class Lane {
 public:
  /// Has room for `room` elements. `waits` is where the taker waits.
  Lane(std::size_t room, SharedWaits<Sync> waits) : room_(room), waits_(std::move(waits)) {
    reader_.set_name(waits_->taker.name(), "room ahead");
  }

  // ---- The reader's side

  /// Whether the taker wants nothing more.
  [[nodiscard]] bool is_left() const noexcept { return is_left_.load(); }

  /// Waits until there is room. Returns false if the taker has left, or the wait ends.
  bool await_room(const BasicWait<Sync>& wait) {
    for (;;) {
      {
        const Guard guard(mutex_);
        if (is_left()) return false;
        if (chunk_.size() + chunk_.skipped.size() < room_) return true;
        reader_waits_ = true;
      }
      if (!await_token(wait)) return false;
    }
  }

  /// Adds the elements of `read`, and what failed there.
  void add(Chunk<U>& read) {
    const WakeTaker wake(*this);
    const Guard guard(mutex_);
    ThreadRecord<Sync>::note_progress();
    for (std::size_t i = 0; i < read.size(); ++i) chunk_.push(std::move(read[i]), 0);
    for (Skipped& skipped : read.skipped) {
      chunk_.skipped.push_back({chunk_.size(), {}, std::move(skipped.failure), std::move(skipped.location)});
    }
  }

  /// There will be no more; with a failure, user code could not open it.
  void end(std::exception_ptr&& failure = nullptr) noexcept { end_with(End::epoch, std::move(failure)); }

  /// The run ends here.
  void fail(std::exception_ptr&& failure) noexcept { end_with(End::failure, std::move(failure)); }

  // ---- The taker's side

  /// Waits until there is something, and swaps all of it with `chunk`, which is empty. Returns false if the wait ends.
  bool take(Chunk<U>& chunk, const PullWaitOf<Sync>& wait) {
    const TraceSpan<Sync> span(waits_->trace, TraceKind::wait_for_output);
    while (!take_or_announce(chunk)) {
      if (!wait.may_block() || !waits_->taker.dequeue(wait.wait())) return false;
    }
    return true;
  }

  /// Nothing more is wanted.
  void leave() noexcept {
    {
      const Guard guard(mutex_);
      is_left_.store(true);
    }
    put_token(reader_);
  }

 private:
  /// Wakes the taker, if it waits, when the lock has been given back.
  class WakeTaker {
   public:
    explicit WakeTaker(Lane& lane) noexcept : lane_(lane) {}
    WakeTaker(const WakeTaker&) = delete;
    WakeTaker& operator=(const WakeTaker&) = delete;
    ~WakeTaker() {
      if (lane_.taker_waits_.exchange(false)) put_token(lane_.waits_->taker);
    }

   private:
    Lane& lane_;
  };

  void end_with(End end, std::exception_ptr&& failure) noexcept {
    const WakeTaker wake(*this);
    const Guard guard(mutex_);
    chunk_.end = end;
    chunk_.failure = std::move(failure);
  }

  bool await_token(const BasicWait<Sync>& wait) {
    const TraceSpan<Sync> span(waits_->trace, TraceKind::wait_for_room);
    waits_->begin();
    const bool came = reader_.dequeue(wait).has_value();
    waits_->end();
    return came;
  }

  bool take_or_announce(Chunk<U>& chunk) {
    bool reader_waits = false;
    {
      const Guard guard(mutex_);
      if (chunk_.empty() && chunk_.skipped.empty() && chunk_.end == End::none) {
        taker_waits_.store(true);
        return false;
      }
      std::swap(chunk, chunk_);
      reader_waits = std::exchange(reader_waits_, false);
    }
    if (reader_waits) put_token(reader_);
    return true;
  }

  const std::size_t room_;
  const SharedWaits<Sync> waits_;
  TokenQueue<Sync> reader_{1};
  typename Sync::template atomic<bool> taker_waits_{false};
  typename Sync::template atomic<bool> is_left_{false};  // written under the mutex

  Mutex<Sync> mutex_;
  Chunk<U> chunk_ FOREBAY_GUARDED_BY(mutex_);
  bool reader_waits_ FOREBAY_GUARDED_BY(mutex_) = false;
};

template <class U, class Sync>
class LaneInput final : public InnerInput<U> {
 public:
  /// `number` is that of the element of which the input was made.
  LaneInput(std::shared_ptr<Lane<U, Sync>> lane, std::uint64_t number) noexcept
      : lane_(std::move(lane)), number_(number) {}
  ~LaneInput() override { lane_->leave(); }

  Answer read(Chunk<U>& chunk, std::uint64_t number, SkipCount& skipped, const PullWait& wait) override {
    if (is_used_up() && !take(static_cast<const PullWaitOf<Sync>&>(wait))) return Answer::not_now;
    const bool fails = failed_ < taken_.skipped.size() && taken_.skipped[failed_].before == next_;
    if (!fails && next_ == taken_.size()) return end(chunk, skipped);
    const bool is_dropped = read_++ < to_drop_;
    if (fails) {
      const Skipped& failed = taken_.skipped[failed_++];
      if (!is_dropped) skipped.skip(chunk.epoch, number, {failed.failure, failed.location});
    } else {
      U& element = taken_[next_++];
      if (!is_dropped) chunk.push(std::move(element), number);
    }
    return Answer::more;
  }

  [[nodiscard]] bool was_opened() const noexcept override { return taken_.failure == nullptr; }

  void save(Snapshot& to) override {
    to.add(larger(read_, to_drop_));
    to.add(0);
  }
  /// It has been opened anew, and reads from its beginning.
  void restore(Snapshot place) override { to_drop_ = SnapshotReader(place).number(); }

 private:
  Answer end(const Chunk<U>& chunk, SkipCount& skipped) {
    if (taken_.end == End::failure) std::rethrow_exception(taken_.failure);
    if (!was_opened()) skipped.skip(chunk.epoch, number_, {taken_.failure});
    return Answer::ended;
  }

  [[nodiscard]] bool is_used_up() const noexcept {
    return next_ == taken_.size() && failed_ == taken_.skipped.size() && taken_.end == End::none;
  }

  bool take(const PullWaitOf<Sync>& wait) {
    taken_.clear();
    next_ = 0;
    failed_ = 0;
    return lane_->take(taken_, wait);
  }

  std::shared_ptr<Lane<U, Sync>> lane_;
  std::uint64_t number_;
  Chunk<U> taken_;
  std::size_t next_ = 0;       // of its elements
  std::size_t failed_ = 0;     // of its failures, so many were looked at
  std::uint64_t read_ = 0;     // elements and failures
  std::uint64_t to_drop_ = 0;  // so many of them were handed out by the run that was saved
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_PARALLEL_LANE_HPP
