// SPDX-License-Identifier: MIT
//
// serial_time_sum.hpp: SerialTimeSum, how long something has lasted together that one thread at a time does.

#ifndef FOREBAY_BASE_SERIAL_TIME_SUM_HPP
#define FOREBAY_BASE_SERIAL_TIME_SUM_HPP

#include <atomic>  // the memory orders
#include <chrono>
#include <cstdint>

#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// Algorithm: twice the time, in ticks, plus one while it is under way, less twice its beginning then. One store a
/// change, and no lock.
///
/// Thread safety: any thread may ask; begin and end are for one at a time, handed on by what synchronises them.
template <class Sync>
class SerialTimeSum {
 public:
  using Clock = typename Sync::clock;
  using Time = typename Clock::time_point;

  void begin(Time now) noexcept { add(1 - 2 * ticks(now)); }
  void end(Time now) noexcept { add(2 * ticks(now) - 1); }

  /// Up to now. Reads the clock only if it is under way.
  [[nodiscard]] std::chrono::nanoseconds so_far() const noexcept {
    const std::uint64_t sum = sum_.load(std::memory_order_relaxed);
    const std::uint64_t twice = sum % 2 != 0 ? sum - 1 + 2 * ticks(Clock::now()) : sum;
    const auto time = typename Clock::duration(twice / 2);
    return std::chrono::duration_cast<std::chrono::nanoseconds>(time);
  }

  /// Counts its own time.
  class Timed {
   public:
    explicit Timed(SerialTimeSum& sum) noexcept : sum_(sum) { sum_.begin(Clock::now()); }
    Timed(const Timed&) = delete;
    Timed& operator=(const Timed&) = delete;
    ~Timed() { sum_.end(Clock::now()); }

   private:
    SerialTimeSum& sum_;
  };

  /// Does not count its own time. Requires that it is under way.
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
