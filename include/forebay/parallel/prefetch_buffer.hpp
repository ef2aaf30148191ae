// SPDX-License-Identifier: MIT
//
// prefetch_buffer.hpp: PrefetchBuffer, the elements of one input of an interleave that a thread has read and the
// consumer has not taken; and PrefetchedElements, the consumer's end of a buffer.
//
// Algorithm: the reader adds to a chunk under the lock of the buffer, the consumer swaps it for an empty one. The
// reader waits for room in a condition of the buffer. The consumer announces under the lock that it has to wait, and
// waits in a semaphore for all buffers, which a stop closes. A permit may be left from an earlier wait, so the consumer
// looks again.

#ifndef FOREBAY_PARALLEL_PREFETCH_BUFFER_HPP
#define FOREBAY_PARALLEL_PREFETCH_BUFFER_HPP

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
#include "forebay/parallel/condition.hpp"
#include "forebay/parallel/pipeline_runtime.hpp"
#include "forebay/stage/inner_elements.hpp"
#include "forebay/trace/trace.hpp"
#include "forebay/trace/trace_record.hpp"
#include "forebay/version.hpp"
#include "forebay/wait.hpp"
#include "forebay/waiting/waiting_room.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// The semaphore in which the consumer of an interleave waits, and the time that its readers have waited for room.
template <class Sync>
class PrefetchWaits {
 public:
  PrefetchWaits(std::string its_stage, StageTrace<Sync> its_trace)
      : stage(std::move(its_stage)), consumer(stage.c_str(), "an input"), trace(its_trace) {}

  void close() noexcept { consumer.close(); }

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
  BinarySemaphore<Sync> consumer;
  const StageTrace<Sync> trace;

 private:
  mutable Mutex<Sync> mutex_;
  TimeSum<typename Sync::clock> blocked_ FOREBAY_GUARDED_BY(mutex_);
};

template <class Sync>
using SharedWaits = std::shared_ptr<PrefetchWaits<Sync>>;

/// Thread safety: one thread reads, and one at a time takes.
template <class U, class Sync>
class PrefetchBuffer {
 public:
  /// Creates a buffer with room for `room` elements.
  PrefetchBuffer(std::size_t room, SharedWaits<Sync> waits)
      : room_(room), waits_(std::move(waits)), has_room_("room ahead", waits_->stage.c_str()) {}

  // ---- The reader's side

  /// Set when the consumer has left the buffer.
  [[nodiscard]] const auto& is_left() const noexcept { return is_left_; }

  /// Waits until there is room. Returns false if the consumer has left, or the wait ends.
  bool await_room(const BasicWait<Sync>& wait) {
    const Guard guard(mutex_);
    const auto ready = [this]() FOREBAY_REQUIRES(mutex_) {
      return is_left_.load() || chunk_.size() + chunk_.skipped.size() < room_;
    };
    if (!ready()) {
      const TraceSpan<Sync> span(waits_->trace, TraceKind::wait_for_room);
      waits_->begin();
      const bool came = has_room_.await(mutex_, wait, ready);
      waits_->end();
      if (!came) return false;
    }
    return !is_left_.load();
  }

  /// Adds the elements of `read`, and its failures.
  void add(Chunk<U>& read) {
    const WakeConsumer wake(*this);
    const Guard guard(mutex_);
    ThreadRecord<Sync>::note_progress();
    for (std::size_t i = 0; i < read.size(); ++i) chunk_.push(std::move(read[i]), 0);
    for (Skipped& skipped : read.skipped) {
      chunk_.skipped.push_back({chunk_.size(), {}, std::move(skipped.failure), std::move(skipped.location)});
    }
  }

  /// Marks the end of the input; with a failure, user code could not open it.
  void end(std::exception_ptr&& failure = nullptr) noexcept { end_with(End::epoch, std::move(failure)); }

  /// Marks the end of the run.
  void fail(std::exception_ptr&& failure) noexcept { end_with(End::failure, std::move(failure)); }

  // ---- The consumer's side

  /// Waits until the buffer is not empty, and swaps its content with the empty `chunk`. Returns false if the wait ends
  /// first.
  bool take(Chunk<U>& chunk, const PullWaitOf<Sync>& wait) {
    const TraceSpan<Sync> span(waits_->trace, TraceKind::wait_for_output);
    while (!take_or_announce(chunk)) {
      if (!wait.may_block() || waits_->consumer.acquire(wait.wait()) != QueueStatus::ok) return false;
    }
    return true;
  }

  /// Leaves the buffer: the consumer needs no more elements.
  void leave() noexcept {
    Notifications notifications;
    const Guard guard(mutex_);
    is_left_.store(true);
    has_room_.notify_one(notifications);
  }

 private:
  using Notifications = typename Condition<Sync>::Notifications;

  /// Wakes the consumer, if it waits, after the lock was released.
  class WakeConsumer {
   public:
    explicit WakeConsumer(PrefetchBuffer& buffer) noexcept : buffer_(buffer) {}
    WakeConsumer(const WakeConsumer&) = delete;
    WakeConsumer& operator=(const WakeConsumer&) = delete;
    ~WakeConsumer() {
      if (buffer_.consumer_waits_.exchange(false)) buffer_.waits_->consumer.release();
    }

   private:
    PrefetchBuffer& buffer_;
  };

  void end_with(End end, std::exception_ptr&& failure) noexcept {
    const WakeConsumer wake(*this);
    const Guard guard(mutex_);
    chunk_.end = end;
    chunk_.failure = std::move(failure);
  }

  bool take_or_announce(Chunk<U>& chunk) {
    Notifications notifications;
    const Guard guard(mutex_);
    if (chunk_.empty() && chunk_.skipped.empty() && chunk_.end == End::none) {
      consumer_waits_.store(true);
      return false;
    }
    std::swap(chunk, chunk_);
    has_room_.notify_one(notifications);
    return true;
  }

  const std::size_t room_;
  const SharedWaits<Sync> waits_;
  typename Sync::template atomic<bool> consumer_waits_{false};
  typename Sync::template atomic<bool> is_left_{false};  // written under the mutex

  WaitingRoom<Sync> waiting_for_lock_;
  typename Condition<Sync>::Mutex mutex_{waiting_for_lock_};
  Chunk<U> chunk_ FOREBAY_GUARDED_BY(mutex_);
  Condition<Sync> has_room_ FOREBAY_GUARDED_BY(mutex_);
};

/// The consumer's end of a buffer, which it leaves on destruction.
template <class U, class Sync>
using PrefetchBufferPointer = std::shared_ptr<PrefetchBuffer<U, Sync>>;
template <class U, class Sync>
[[nodiscard]] PrefetchBufferPointer<U, Sync> end_of(const PrefetchBufferPointer<U, Sync>& buffer) {
  return {buffer.get(), [buffer](PrefetchBuffer<U, Sync>* left) { left->leave(); }};
}

/// The elements of an input that another thread reads (see InnerElements). In a resumed run, that thread reads them
/// from the beginning.
template <class U, class Sync>
class PrefetchedElements {
 public:
  using Outer = PrefetchBufferPointer<U, Sync>;
  using Output = U;
  struct Function {};  // the other thread calls it
  static constexpr bool gives_runs = false;

  PrefetchedElements(Function /*function*/, InnerFailures& failures) noexcept : failures_(&failures) {}

  void begin(const Epoch& /*epoch*/) noexcept {
    buffer_.reset();
    clear();
  }
  void give(Outer&& buffer, std::uint64_t /*number*/) noexcept { buffer_ = std::move(buffer); }
  static void open(const PullWait& /*wait*/) noexcept {}
  void number_from(std::uint64_t number) noexcept { first_number_ = number; }

  /// Throws a UserFailure if the input could not be opened.
  PullResult step(Chunk<U>& chunk, std::size_t /*most*/, const PullWait& wait) {
    if (is_used_up() && !take(static_cast<const PullWaitOf<Sync>&>(wait))) return PullResult::not_now;
    const std::uint64_t number = first_number_ + chunk.size();
    if (failed_ < taken_.skipped.size() && taken_.skipped[failed_].before == next_) {
      const Skipped& failed = taken_.skipped[failed_++];
      failures_->skip(chunk.epoch, number, {failed.failure, failed.location});
      return PullResult::more;
    }
    if (next_ == taken_.size()) return end();
    chunk.push(std::move(taken_[next_++]), number);
    return PullResult::more;
  }

  [[nodiscard]] static constexpr bool can_save() noexcept { return false; }

 private:
  [[nodiscard]] PullResult end() const {
    if (taken_.end == End::failure) std::rethrow_exception(taken_.failure);
    if (taken_.failure != nullptr) throw UserFailure{taken_.failure};
    return PullResult::ended;
  }

  [[nodiscard]] bool is_used_up() const noexcept {
    return next_ == taken_.size() && failed_ == taken_.skipped.size() && taken_.end == End::none;
  }

  bool take(const PullWaitOf<Sync>& wait) {
    clear();
    return buffer_->take(taken_, wait);
  }

  void clear() noexcept {
    taken_.clear();
    next_ = 0;
    failed_ = 0;
  }

  InnerFailures* failures_;
  Outer buffer_;
  std::uint64_t first_number_ = 0;
  Chunk<U> taken_;
  std::size_t next_ = 0;    // of its elements
  std::size_t failed_ = 0;  // the number of processed failures
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_PARALLEL_PREFETCH_BUFFER_HPP
