// SPDX-License-Identifier: MIT
//
// lane.hpp: Lane, what a thread has read of one input of an interleave and the taker has not taken; and LaneElements,
// the taker's end of it.
//
// Algorithm: the reader adds to a chunk under the lock of the lane, the taker swaps it for an empty one. A thread
// that has to wait says so under the lock, and waits for a token: the reader in a queue of the lane, the taker in one
// for all lanes, which a stop closes. A token may be left from an earlier wait, so a thread that gets one looks again.

#ifndef FOREBAY_PARALLEL_LANE_HPP
#define FOREBAY_PARALLEL_LANE_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <utility>

#include "forebay/base/mutex.hpp"
#include "forebay/base/thread_annotations.hpp"
#include "forebay/base/thread_record.hpp"
#include "forebay/base/time_sum.hpp"
#include "forebay/parallel/binary_semaphore.hpp"
#include "forebay/parallel/pipeline_host.hpp"
#include "forebay/stage/inner_elements.hpp"
#include "forebay/trace/trace.hpp"
#include "forebay/trace/trace_record.hpp"
#include "forebay/version.hpp"
#include "forebay/wait.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Where the taker of all lanes of an interleave waits, and how long their readers have waited for room.
template <class Sync>
class LaneWaits {
 public:
  LaneWaits(std::string its_stage, StageTrace<Sync> its_trace)
      : stage(std::move(its_stage)), taker(stage, "an input"), trace(its_trace) {}

  void close() noexcept { taker.close(); }

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

  const std::string stage;
  BinarySemaphore<Sync> taker;
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
  Lane(std::size_t room, SharedWaits<Sync> waits)
      : room_(room), waits_(std::move(waits)), reader_(waits_->stage, "room ahead") {}

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
      if (!await_permit(wait)) return false;
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
      if (!wait.may_block() || waits_->taker.acquire(wait.wait()) != QueueStatus::ok) return false;
    }
    return true;
  }

  /// Nothing more is wanted.
  void leave() noexcept {
    {
      const Guard guard(mutex_);
      is_left_.store(true);
    }
    reader_.release();
  }

 private:
  /// Wakes the taker, if it waits, when the lock has been given back.
  class WakeTaker {
   public:
    explicit WakeTaker(Lane& lane) noexcept : lane_(lane) {}
    WakeTaker(const WakeTaker&) = delete;
    WakeTaker& operator=(const WakeTaker&) = delete;
    ~WakeTaker() {
      if (lane_.taker_waits_.exchange(false)) lane_.waits_->taker.release();
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

  bool await_permit(const BasicWait<Sync>& wait) {
    const TraceSpan<Sync> span(waits_->trace, TraceKind::wait_for_room);
    waits_->begin();
    const bool came = reader_.acquire(wait) == QueueStatus::ok;
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
    if (reader_waits) reader_.release();
    return true;
  }

  const std::size_t room_;
  const SharedWaits<Sync> waits_;
  BinarySemaphore<Sync> reader_;
  typename Sync::template atomic<bool> taker_waits_{false};
  typename Sync::template atomic<bool> is_left_{false};  // written under the mutex

  Mutex<Sync> mutex_;
  Chunk<U> chunk_ FOREBAY_GUARDED_BY(mutex_);
  bool reader_waits_ FOREBAY_GUARDED_BY(mutex_) = false;
};

/// The taker's end of a lane. It leaves the lane when it is given up.
template <class U, class Sync>
using LanePointer = std::shared_ptr<Lane<U, Sync>>;
template <class U, class Sync>
[[nodiscard]] LanePointer<U, Sync> end_of(const LanePointer<U, Sync>& lane) {
  return {lane.get(), [lane](Lane<U, Sync>* left) { left->leave(); }};
}

/// The elements of an input that another thread reads. See InnerElements. In a resumed run that thread reads them from
/// the beginning.
template <class U, class Sync>
class LaneElements {
 public:
  using Outer = LanePointer<U, Sync>;
  using Output = U;
  struct Function {};  // the other thread calls it

  LaneElements(Function /*function*/, InnerFailures& failures) noexcept : failures_(&failures) {}

  void begin(const Epoch& /*epoch*/) noexcept {
    lane_.reset();
    clear();
  }
  void give(Outer&& lane, std::uint64_t /*number*/) noexcept { lane_ = std::move(lane); }
  static void open(const PullWait& /*wait*/) noexcept {}
  void number_from(std::uint64_t number) noexcept { first_number_ = number; }

  /// Throws a UserFailure if the input could not be opened.
  Answer step(Chunk<U>& chunk, std::size_t /*most*/, const PullWait& wait) {
    if (is_used_up() && !take(static_cast<const PullWaitOf<Sync>&>(wait))) return Answer::not_now;
    const std::uint64_t number = first_number_ + chunk.size();
    if (failed_ < taken_.skipped.size() && taken_.skipped[failed_].before == next_) {
      const Skipped& failed = taken_.skipped[failed_++];
      failures_->skip(chunk.epoch, number, {failed.failure, failed.location});
      return Answer::more;
    }
    if (next_ == taken_.size()) return end();
    chunk.push(std::move(taken_[next_++]), number);
    return Answer::more;
  }

  [[nodiscard]] static constexpr bool can_save() noexcept { return false; }

 private:
  [[nodiscard]] Answer end() const {
    if (taken_.end == End::failure) std::rethrow_exception(taken_.failure);
    if (taken_.failure != nullptr) throw UserFailure{taken_.failure};
    return Answer::ended;
  }

  [[nodiscard]] bool is_used_up() const noexcept {
    return next_ == taken_.size() && failed_ == taken_.skipped.size() && taken_.end == End::none;
  }

  bool take(const PullWaitOf<Sync>& wait) {
    clear();
    return lane_->take(taken_, wait);
  }

  void clear() noexcept {
    taken_.clear();
    next_ = 0;
    failed_ = 0;
  }

  InnerFailures* failures_;
  Outer lane_;
  std::uint64_t first_number_ = 0;
  Chunk<U> taken_;
  std::size_t next_ = 0;    // of its elements
  std::size_t failed_ = 0;  // of its failures, so many were looked at
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_PARALLEL_LANE_HPP
