// SPDX-License-Identifier: MIT
//
// thread_cpu_time.hpp: ThreadCpuTime, the CPU time that threads have used between begin() and end(), and how long they
// had no core meanwhile.

#ifndef FOREBAY_BASE_THREAD_CPU_TIME_HPP
#define FOREBAY_BASE_THREAD_CPU_TIME_HPP

#include <algorithm>
#include <chrono>
#include <optional>

#include "forebay/base/mutex.hpp"
#include "forebay/base/run_delay.hpp"
#include "forebay/base/thread_annotations.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// A time that may be unknown.
using MaybeTime = std::optional<std::chrono::nanoseconds>;

/// Adds `time` to `sum` if it is known.
inline void add_known(MaybeTime& sum, const MaybeTime& time) noexcept {
  if (time) sum = sum.value_or(std::chrono::nanoseconds()) + *time;
}

/// A policy that measures the CPU time of threads.
template <class Sync>
concept HasThreadClock = requires {
  typename Sync::thread_clock;
};

/// If the policy has no such clock, the time is unknown.
template <class Sync>
class ThreadCpuTime {
 public:
  void begin() noexcept {}
  void end() noexcept {}
  [[nodiscard]] MaybeTime so_far() const noexcept { return std::nullopt; }
  [[nodiscard]] MaybeTime without_core() const noexcept { return std::nullopt; }
};

/// Costs nothing while the thread runs: a thread that asks reads the other thread's clock.
///
/// Thread safety: one thread at a time may call begin and end; any thread may read the time.
template <HasThreadClock Sync>
class ThreadCpuTime<Sync> {
 public:
  /// Starts counting the time of the calling thread.
  void begin() {
    const typename Sync::thread_clock clock;
    const Guard guard(mutex_);
    begun_ = clock.now();
    begun_without_core_ = run_delay(clock);
    if (begun_) clock_ = clock;
  }

  /// Stops counting the time of the calling thread. Requires begin().
  void end() {
    const Guard guard(mutex_);
    sum_ = sum();
    without_core_ = sum_without_core();
    clock_.reset();
  }

  /// Returns the time up to now; none until a thread with a readable clock has begun.
  [[nodiscard]] MaybeTime so_far() const {
    const Guard guard(mutex_);
    return sum();
  }

  /// Returns for how long the threads could have run up to now, but had no core; none if unknown.
  [[nodiscard]] MaybeTime without_core() const {
    const Guard guard(mutex_);
    return sum_without_core();
  }

 private:
  [[nodiscard]] MaybeTime sum() const FOREBAY_REQUIRES(mutex_) {
    MaybeTime sum = sum_;
    if (clock_) add_known(sum, clock_->now().value_or(*begun_) - *begun_);
    return sum;
  }

  [[nodiscard]] MaybeTime sum_without_core() const FOREBAY_REQUIRES(mutex_) {
    MaybeTime sum = without_core_;
    if (!clock_ || !begun_without_core_) return sum;
    add_known(sum, run_delay(*clock_).value_or(*begun_without_core_) - *begun_without_core_);
    return sum;
  }

  mutable Mutex<Sync> mutex_;
  // Of the thread that has begun and not ended.
  std::optional<typename Sync::thread_clock> clock_ FOREBAY_GUARDED_BY(mutex_);
  MaybeTime begun_ FOREBAY_GUARDED_BY(mutex_);
  MaybeTime begun_without_core_ FOREBAY_GUARDED_BY(mutex_);
  MaybeTime sum_ FOREBAY_GUARDED_BY(mutex_);  // of those that have ended
  MaybeTime without_core_ FOREBAY_GUARDED_BY(mutex_);
};

/// Returns the time in which threads that were busy for `busy`, and used the CPU for `used`, had no core.
/// `without_core` also has the time in which they had no core after a wait.
[[nodiscard]] inline std::chrono::nanoseconds busy_without_core(std::chrono::nanoseconds busy, const MaybeTime& used,
                                                                const MaybeTime& without_core) noexcept {
  if (!used || !without_core || *used >= busy) return {};
  return std::min(busy - *used, *without_core);
}

/// Counts the CPU time of a scope.
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

/// Returns `time` times `part` / `whole`, at most `time`.
[[nodiscard]] inline std::chrono::nanoseconds scaled(std::chrono::nanoseconds time, std::chrono::nanoseconds part,
                                                     std::chrono::nanoseconds whole) noexcept {
  if (part >= whole) return time;
  const std::chrono::duration<double, std::nano> exact = time;
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
      exact * (part / std::chrono::duration<double, std::nano>(whole)));
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_BASE_THREAD_CPU_TIME_HPP
