// SPDX-License-Identifier: MIT

/// @file
/// Defines Wait, which says how long a call may block.
///
/// @code
/// queue.dequeue();                      // blocks without a limit
/// queue.dequeue(forebay::no_wait);      // does not block
/// queue.dequeue(200ms);                 // blocks for at most 200 ms
/// queue.dequeue(deadline);              // until a time point of any clock
/// queue.dequeue(stop_token);            // until a stop is requested (if the standard library has stop tokens)
/// queue.dequeue(coordinator);           // until the coordinator is asked to stop
/// queue.dequeue({200ms, coordinator});  // until the first of both
/// @endcode
///
/// Guarantees:
///  - A call that can succeed at once does so, even if its time has passed or a stop was requested.
///  - Times saturate. A duration or time point too large to represent never ends. A negative duration or NaN does not
///    block; the status is still `timed_out`.
///  - Deadlines use the steady clock. A time point of another clock is converted once, when the Wait is created.

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

/// Tag type for a call that must not block.
struct NoWait {
  /// Creates the tag; use the constant `no_wait` instead.
  explicit constexpr NoWait() = default;
};
/// Says that a call must not block: `queue.dequeue(no_wait)` returns `empty` if there is no element.
inline constexpr NoWait no_wait{};

/// Says how long a call may block.
///
/// It converts implicitly from durations, time points, stop tokens and coordinators; wait.hpp lists all forms. If it is
/// created from a duration, the time starts to run at its creation. You can pass one Wait to several calls, which then
/// share the time. A Wait refers to its coordinator, which must outlive the call.
///
/// Write `Wait` without template arguments: it is an alias of `BasicWait<StdSync>`.
///
/// @code
/// const forebay::Wait wait(200ms, coordinator);
/// auto images = image_queue.dequeue_many(32, wait);
/// auto labels = label_queue.dequeue_many(32, wait);  // both together take at most 200 ms
/// @endcode
template <class Sync = StdSync>
class BasicWait {
 public:
  using clock = typename Sync::clock;                           ///< The clock of deadlines.
  using stop_token = typename detail::StopTokenOf<Sync>::type;  ///< The type of stop tokens, if there are any.

  /// Blocks without a limit.
  constexpr BasicWait() noexcept = default;

  /// Does not block.
  BasicWait(NoWait) noexcept : may_block_(false) {}

  /// Blocks for at most `duration`, counted from now.
  template <class Rep, class Period>
  BasicWait(std::chrono::duration<Rep, Period> duration) : deadline_(detail::deadline_after<clock>(duration)) {}

  /// Blocks until `time` at most.
  template <class Source, class Duration>
  BasicWait(std::chrono::time_point<Source, Duration> time) : deadline_(detail::deadline_at<clock>(time)) {}

  /// Blocks until a stop is requested of `stop`, a stop token or a coordinator.
  template <detail::StopsWaits<Sync> Stop>
  BasicWait(const Stop& stop) noexcept {
    stop_at(stop);
  }

  /// Blocks for at most `duration`, and only until a stop is requested of `stop`.
  template <class Rep, class Period, detail::StopsWaits<Sync> Stop>
  BasicWait(std::chrono::duration<Rep, Period> duration, const Stop& stop) : BasicWait(duration) {
    stop_at(stop);
  }

  /// Blocks until `time` at most, and only until a stop is requested of `stop`.
  template <class Source, class Duration, detail::StopsWaits<Sync> Stop>
  BasicWait(std::chrono::time_point<Source, Duration> time, const Stop& stop) : BasicWait(time) {
    stop_at(stop);
  }

  /// A Wait without a limit: the default argument of calls that block.
  static const BasicWait forever;

  /// @cond
  // ---- For calls that were given a Wait

  /// Returns whether the call may block at all.
  [[nodiscard]] bool may_block() const noexcept { return may_block_; }

  /// Returns the time at which the call has to give up; none means never.
  [[nodiscard]] const detail::Deadline<clock>& deadline() const noexcept { return deadline_; }

  /// Returns whether a stop was requested.
  [[nodiscard]] bool stop_requested() const noexcept {
    return (signal_ != nullptr && signal_->requested()) || token_.stop_requested();
  }

  /// Returns the status with which a call that cannot succeed now has to give up, or none if it may keep waiting. If it
  /// may not block, the status is `not_now`; otherwise stopped or timed_out.
  [[nodiscard, gnu::noinline]] std::optional<QueueStatus> given_up(QueueStatus not_now) const noexcept {
    if (!may_block_) return not_now;
    if (stop_requested()) return QueueStatus::stopped;
    if (deadline_ && clock::now() >= *deadline_) return QueueStatus::timed_out;
    return std::nullopt;
  }

  /// Interrupts a parked thread when a stop is requested. Do not hold a lock: the destructor waits for an interruption
  /// in progress.
  class Interruption;
  /// @endcond

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

/// @cond
template <class Sync>
class BasicAwaitOptions;  // forebay: include forebay/async.hpp to await a queue

template <class Sync>
class BasicWait<Sync>::Interruption {
 public:
  [[gnu::noinline]] Interruption(const BasicWait& wait, detail::Parker<Sync>& parker)
      : subscription_(wait.signal_, parker), callback_(wait.token_, Interrupt{&parker}) {}

  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;
  [[gnu::noinline]] ~Interruption() = default;

 private:
  struct Interrupt {
    detail::Parker<Sync>* parker;
    void operator()() const noexcept { parker->interrupt(); }
  };
  struct NoCallback {
    NoCallback(const stop_token& /*token*/, Interrupt /*interrupt*/) noexcept {}
  };

  template <class Policy>
  static auto callback_of() {
    if constexpr (detail::HasStopTokens<Sync>) {
      return std::type_identity<typename Policy::template stop_callback<Interrupt>>{};
    } else {
      return std::type_identity<NoCallback>{};
    }
  }

  const typename detail::StopSignal<Sync>::Subscription subscription_;
  const typename decltype(callback_of<Sync>())::type callback_;
};

template <class Sync>
inline const BasicWait<Sync> BasicWait<Sync>::forever{};

/// Says how long a call may block: BasicWait with the standard synchronisation.
using Wait = BasicWait<>;
/// @endcond

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_WAIT_HPP
