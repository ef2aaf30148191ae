// SPDX-License-Identifier: MIT
//
// wait.hpp: Wait, the one way to say how long a call may block.
//
//   queue.dequeue()                          for ever
//   queue.dequeue(forebay::no_wait)          not at all
//   queue.dequeue(200ms)                     at most that long
//   queue.dequeue(deadline)                  until a time point of any clock
//   queue.dequeue(stop_token)                until a stop is requested (where the standard library has stop tokens)
//   queue.dequeue(coordinator)               until the coordinator is asked to stop
//   queue.dequeue({200ms, coordinator})      whichever comes first
//
// Guarantees:
//  - what can be done at once is done, and wins over a time that has passed and a stop that was requested;
//  - times saturate: a duration or time point too large to represent waits for ever, a negative duration or NaN does
//    not wait (the status is still timed_out);
//  - deadlines are kept on the steady clock: a time point of another clock is converted once, when the Wait is made.

#ifndef FOREBAY_WAIT_HPP
#define FOREBAY_WAIT_HPP

#include <chrono>
#include <optional>
#include <type_traits>

#include "forebay/queue_status.hpp"
#include "forebay/sync.hpp"
#include "forebay/version.hpp"
#include "forebay/waiting/deadline.hpp"
#include "forebay/waiting/parker.hpp"
#include "forebay/waiting/stop_signal.hpp"
#include "forebay/waiting/stops_waits.hpp"

namespace forebay::FOREBAY_ABI {

/// Says that a call may not block.
struct NoWait {
  explicit constexpr NoWait() = default;
};
inline constexpr NoWait no_wait{};

/// How long a call may block. Made implicitly from what is at hand; see the banner for the forms.
///
/// A Wait made from a duration starts to run when it is made. One made from a coordinator refers to it: the
/// coordinator must outlive the call. It can be used for several calls, which then share the time.
template <class Sync = StdSync>
class BasicWait {
 public:
  using clock = typename Sync::clock;
  using stop_token = typename detail::StopTokenOf<Sync>::type;

  /// For ever.
  constexpr BasicWait() noexcept = default;

  /// Not at all.
  BasicWait(NoWait) noexcept : may_block_(false) {}

  /// At most `duration`.
  template <class Rep, class Period>
  BasicWait(std::chrono::duration<Rep, Period> duration) : deadline_(detail::deadline_after<clock>(duration)) {}

  /// Until `time`.
  template <class Source, class Duration>
  BasicWait(std::chrono::time_point<Source, Duration> time) : deadline_(detail::deadline_at<clock>(time)) {}

  /// Until `stop` (a stop token or a coordinator) is requested to stop.
  template <detail::StopsWaits<Sync> Stop>
  BasicWait(const Stop& stop) noexcept {
    stop_at(stop);
  }

  /// At most `duration`, and until `stop` is requested to stop.
  template <class Rep, class Period, detail::StopsWaits<Sync> Stop>
  BasicWait(std::chrono::duration<Rep, Period> duration, const Stop& stop) : BasicWait(duration) {
    stop_at(stop);
  }

  /// Until `time`, and until `stop` is requested to stop.
  template <class Source, class Duration, detail::StopsWaits<Sync> Stop>
  BasicWait(std::chrono::time_point<Source, Duration> time, const Stop& stop) : BasicWait(time) {
    stop_at(stop);
  }

  // ---- For forebay's own waits: what a call that was given a Wait asks it

  /// For ever, as a constant: what calls that are not told how long to wait refer to.
  static const BasicWait forever;

  /// Whether the call may block at all.
  [[nodiscard]] bool may_block() const noexcept { return may_block_; }

  /// When it has to give up; none means never.
  [[nodiscard]] const detail::Deadline<clock>& deadline() const noexcept { return deadline_; }

  /// Whether one of its stops was requested.
  [[nodiscard]] bool stop_requested() const noexcept {
    return (signal_ != nullptr && signal_->requested()) || token_.stop_requested();
  }

  /// The status with which a call that cannot be done now has to give up, if it has to: `not_now` for a call that may
  /// not block, stopped, or timed_out.
  [[nodiscard, gnu::noinline]] std::optional<QueueStatus> given_up(QueueStatus not_now) const noexcept {
    if (!may_block_) return not_now;
    if (stop_requested()) return QueueStatus::stopped;
    if (deadline_ && clock::now() >= *deadline_) return QueueStatus::timed_out;
    return std::nullopt;
  }

  /// Interrupts a parked thread when one of the wait's stops is requested. Belongs outside of every lock, because its
  /// end waits for an interruption under way.
  class Interruption;

 private:
  template <class Stop>
  void stop_at(const Stop& stop) noexcept {
    if constexpr (detail::HasStopSignal<Stop, Sync>) {
      signal_ = &stop.stop_signal();
    } else {
      token_ = stop;
    }
  }

  bool may_block_ = true;
  detail::Deadline<clock> deadline_;
  detail::StopSignal<Sync>* signal_ = nullptr;
  [[no_unique_address]] stop_token token_;
};

template <class Sync>
class BasicWait<Sync>::Interruption {
 public:
  [[gnu::noinline]] Interruption(const BasicWait& wait, detail::Parker<Sync>& parker) {
    if (wait.signal_ != nullptr) subscription_.emplace(*wait.signal_, parker);
    if constexpr (has_token) {
      if (wait.token_.stop_possible()) callback_.emplace(wait.token_, Interrupt{&parker});
    }
  }

  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;
  [[gnu::noinline]] ~Interruption() = default;

 private:
  static constexpr bool has_token = detail::HasStopTokens<Sync>;

  struct Interrupt {
    detail::Parker<Sync>* parker;
    void operator()() const noexcept { parker->interrupt(); }
  };
  struct Nothing {};

  template <class Policy>
  static auto callback_of() {
    if constexpr (has_token) {
      return std::type_identity<typename Policy::template stop_callback<Interrupt>>{};
    } else {
      return std::type_identity<Nothing>{};
    }
  }

  std::optional<typename detail::StopSignal<Sync>::Subscription> subscription_;
  std::optional<typename decltype(callback_of<Sync>())::type> callback_;
};

template <class Sync>
inline const BasicWait<Sync> BasicWait<Sync>::forever{};

using Wait = BasicWait<>;

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_WAIT_HPP
