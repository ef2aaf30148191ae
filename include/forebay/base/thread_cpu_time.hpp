// SPDX-License-Identifier: MIT
//
// thread_cpu_time.hpp: ThreadCpuTime, how much CPU time a thread has used in a part of its life.

#ifndef FOREBAY_BASE_THREAD_CPU_TIME_HPP
#define FOREBAY_BASE_THREAD_CPU_TIME_HPP

#include <chrono>
#include <optional>

#include "forebay/base/mutex.hpp"
#include "forebay/base/thread_annotations.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// A time that may be unknown.
using MaybeTime = std::optional<std::chrono::nanoseconds>;

/// Adds `time` to `sum` if it is known.
inline void add_known(MaybeTime& sum, const MaybeTime& time) noexcept {
  if (time) sum = sum.value_or(std::chrono::nanoseconds()) + *time;
}

/// A policy that can tell the CPU time of threads.
template <class Sync>
concept HasThreadClock = requires {
  typename Sync::thread_clock;
};

/// Where the policy has no such clock, nothing is known.
template <class Sync>
class ThreadCpuTime {
 public:
  void begin() noexcept {}
  void end() noexcept {}
  [[nodiscard]] MaybeTime so_far() const noexcept { return std::nullopt; }
};

/// Costs nothing while the thread runs: whoever asks reads the thread's clock.
///
/// Thread safety: begin and end are for one thread at a time; any thread may ask.
template <HasThreadClock Sync>
class ThreadCpuTime<Sync> {
 public:
  /// The calling thread uses time from now on.
  void begin() {
    const typename Sync::thread_clock clock;
    const Guard guard(mutex_);
    begun_ = clock.now();
    if (begun_) clock_ = clock;
  }

  /// The calling thread, which has begun, has used its last.
  void end() {
    const Guard guard(mutex_);
    sum_ = sum();
    clock_.reset();
  }

  /// All time up to now. None as long as no thread has begun whose clock can be read.
  [[nodiscard]] MaybeTime so_far() const {
    const Guard guard(mutex_);
    return sum();
  }

 private:
  /// With the lock the thread does not end meanwhile, which its clock would not survive.
  [[nodiscard]] MaybeTime sum() const FOREBAY_REQUIRES(mutex_) {
    MaybeTime sum = sum_;
    if (clock_) add_known(sum, clock_->now().value_or(*begun_) - *begun_);
    return sum;
  }

  mutable Mutex<Sync> mutex_;
  // Of the thread that has begun and not ended.
  std::optional<typename Sync::thread_clock> clock_ FOREBAY_GUARDED_BY(mutex_);
  MaybeTime begun_ FOREBAY_GUARDED_BY(mutex_);
  MaybeTime sum_ FOREBAY_GUARDED_BY(mutex_);  // of those that have ended
};

/// Its CPU time counts from now to the end of the scope.
template <class Sync>
class UsesCpu {
 public:
  explicit UsesCpu(ThreadCpuTime<Sync>& time) : time_(time) { time_.begin(); }
  UsesCpu(const UsesCpu&) = delete;
  UsesCpu& operator=(const UsesCpu&) = delete;
  ~UsesCpu() { time_.end(); }

 private:
  ThreadCpuTime<Sync>& time_;
};

/// The same share of `time` that `part` is of `whole`, at most all of it.
[[nodiscard]] inline std::chrono::nanoseconds scaled(std::chrono::nanoseconds time, std::chrono::nanoseconds part,
                                                     std::chrono::nanoseconds whole) noexcept {
  if (part >= whole) return time;
  const std::chrono::duration<double, std::nano> exact = time;
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
      exact * (part / std::chrono::duration<double, std::nano>(whole)));
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_BASE_THREAD_CPU_TIME_HPP
