// SPDX-License-Identifier: MIT
//
// serial_time_sum.hpp: SerialTimeSum, the total duration of an activity that one thread at a time performs.

#ifndef FOREBAY_BASE_SERIAL_TIME_SUM_HPP
#define FOREBAY_BASE_SERIAL_TIME_SUM_HPP

#include <atomic>  // the memory orders
#include <chrono>
#include <cstdint>

#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Algorithm: stores twice the time in ticks; during the activity, subtracts twice its start and adds one. Each change
/// is a single store, without a lock.
///
/// Thread safety: any thread may read the sum. Calls of begin and end need external synchronisation.
template <class Sync>
class SerialTimeSum {
 public:
  using Clock = typename Sync::clock;
  using Time = typename Clock::time_point;

  void begin(Time now) noexcept { add(1 - 2 * ticks(now)); }
  void end(Time now) noexcept { add(2 * ticks(now) - 1); }

  /// Returns the sum up to now. Reads the clock only during the activity.
  [[nodiscard]] std::chrono::nanoseconds so_far() const noexcept {
    const std::uint64_t sum = sum_.load(std::memory_order_relaxed);
    const std::uint64_t twice = sum % 2 != 0 ? sum - 1 + 2 * ticks(Clock::now()) : sum;
    const auto time = typename Clock::duration(twice / 2);
    return std::chrono::duration_cast<std::chrono::nanoseconds>(time);
  }

  /// Counts the time from its creation to its destruction.
  class Timed {
   public:
    explicit Timed(SerialTimeSum& sum) noexcept : sum_(sum) { sum_.begin(Clock::now()); }
    Timed(const Timed&) = delete;
    Timed& operator=(const Timed&) = delete;
    ~Timed() { sum_.end(Clock::now()); }

   private:
    SerialTimeSum& sum_;
  };

  /// Pauses the count from its creation to its destruction. Requires that the activity has begun.
  class Paused {
   public:
    explicit Paused(SerialTimeSum& sum) noexcept : sum_(sum) { sum_.end(Clock::now()); }
    Paused(const Paused&) = delete;
    Paused& operator=(const Paused&) = delete;
    ~Paused() { sum_.begin(Clock::now()); }

   private:
    SerialTimeSum& sum_;
  };

 private:
  static std::uint64_t ticks(Time time) noexcept {
    return static_cast<std::uint64_t>(time.time_since_epoch().count());
  }
  void add(std::uint64_t what) noexcept {
    sum_.store(sum_.load(std::memory_order_relaxed) + what, std::memory_order_relaxed);
  }

  typename Sync::template relaxed_atomic<std::uint64_t> sum_{0};
};

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_BASE_SERIAL_TIME_SUM_HPP
