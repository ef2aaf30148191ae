// SPDX-License-Identifier: MIT
//
// deadline.hpp: all conversions of user-supplied times to deadlines on the steady clock.
//
// All of them saturate: a time that is too far away to be represented means "never", and a past time or NaN means "at
// once". The standard library overflows here: wait_for(hours::max()) returns immediately.

#ifndef FOREBAY_WAITING_DEADLINE_HPP
#define FOREBAY_WAITING_DEADLINE_HPP

#include <chrono>
#include <optional>
#include <ratio>
#include <type_traits>

#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI::detail {

/// A time at which to give up; none means never.
template <class Clock>
using Deadline = std::optional<typename Clock::time_point>;

/// The widest floating-point representation, in which no chrono duration overflows.
using WideNanoseconds = std::chrono::duration<long double, std::nano>;

/// Returns the deadline `duration` from now. Negative, zero and NaN durations end at once.
template <class Clock, class Rep, class Period>
[[nodiscard]] Deadline<Clock> deadline_after(std::chrono::duration<Rep, Period> duration) {
  using ClockDuration = typename Clock::duration;
  const auto now = Clock::now();
  const WideNanoseconds wanted(duration);
  const WideNanoseconds representable(Clock::time_point::max() - now);
  if (!(wanted.count() > 0)) return now;
  if (wanted >= representable) return std::nullopt;
  if constexpr (std::chrono::treat_as_floating_point_v<Rep>) {
    return now + std::chrono::duration_cast<ClockDuration>(duration);
  } else {
    return now + std::chrono::ceil<ClockDuration>(duration);
  }
}

/// Returns the estimated deadline at which the clock `Source` shows `time`.
template <class Clock, class Source, class Duration>
[[nodiscard]] Deadline<Clock> deadline_at(std::chrono::time_point<Source, Duration> time) {
  if constexpr (std::is_same_v<Clock, Source> && std::is_same_v<Duration, typename Clock::duration>) {
    if (time == Clock::time_point::max()) return std::nullopt;
    return time;
  } else {
    const WideNanoseconds wanted(time.time_since_epoch());
    const WideNanoseconds now(Source::now().time_since_epoch());
    return deadline_after<Clock>(wanted - now);
  }
}

}  // namespace forebay::FOREBAY_ABI::detail

#endif  // FOREBAY_WAITING_DEADLINE_HPP
