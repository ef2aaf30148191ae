// SPDX-License-Identifier: MIT

/// @file
/// Defines ProgressWatch, which calls a function if no element has moved for some time.
///
/// The function receives a Stall: it lists the threads in user code, and those that wait, where and for how long.
///
/// @code
/// forebay::ProgressWatch watch(coordinator, [](const forebay::Stall& stall) { std::cerr << to_string(stall); });
/// @endcode
///
/// prints, for example:
///
/// @code{.unparsed}
/// no element has moved for 10.0 s
/// loader-1 is in user code (10.0 s)
/// loader-0 waits for enqueue of images (11.2 s)
/// trainer waits for dequeue of labels (10.4 s)
/// @endcode
///
/// When to use: during development, or always, as its cost is too small to measure. If the function throws, the
/// exception stops everything and so ends the hang. When not: to limit how long one call may wait; pass a Wait to that
/// call.
///
/// Lifetime: the watched object must outlive the watch. The destructor waits for a call of the function in progress.
/// The function must not run the destructor, which would end the program.
///
/// Thread safety: the watch has a thread, which calls the function and sleeps otherwise.

#ifndef FOREBAY_PROGRESS_WATCH_HPP
#define FOREBAY_PROGRESS_WATCH_HPP

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "forebay/base/reject.hpp"
#include "forebay/coordinator.hpp"
#include "forebay/sync.hpp"
#include "forebay/thread_activity.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI {

/// The report of a ProgressWatch. Neither list has threads that wait for a stop or for other threads to end.
struct Stall {
  /// The time for which no element has moved, at least.
  std::chrono::nanoseconds time{};
  /// The threads that do not wait in forebay: they run your code, or wait in it. Other threads may wait for them.
  std::vector<ThreadActivity> in_user_code{};
  /// The threads that wait in a queue or a pipeline.
  std::vector<ThreadActivity> waiting{};

  /// Returns whether all members are equal.
  friend bool operator==(const Stall&, const Stall&) = default;
};

/// Returns a line with the time, then a line for each thread, those in user code first.
[[nodiscard]] inline std::string to_string(const Stall& stall) {
  std::string lines = "no element has moved for " + detail::seconds_text(stall.time) + "\n";
  for (const ThreadActivity& each : stall.in_user_code) {
    lines += each.name + " is in user code (" + detail::seconds_text(each.time) + ")\n";
  }
  return lines + to_string(stall.waiting);
}

/// Watches a Coordinator or a Pipeline, and calls a function if no element has moved for some time.
///
/// An element moves if it goes into or out of a queue, through a stage, or to the loop: see their progress(). A call
/// that starts to wait again is not progress.
///
/// Write `ProgressWatch` without template arguments: it is an alias of `BasicProgressWatch<StdSync>`. The file
/// progress_watch.hpp has an example, lifetime and thread safety.
template <class Sync = StdSync>
class BasicProgressWatch {
 public:
  /// The type of the function to call.
  using Callback = std::function<void(const Stall& stall)>;

  /// Starts a watch that calls `callback` whenever no element has moved for `after`, by default 10 s.
  ///
  /// It calls again only after an element has moved. It does not call unless some thread has waited in a queue or a
  /// pipeline, or has been in user code, for `after`. So it ignores threads that only wait for a stop, or for other
  /// threads to end. It checks eight times per `after`, so a call may be late by an eighth of it.
  ///
  /// If `callback` throws, the watch ends and stops the watched object, whose join() rethrows the exception.
  ///
  /// Throws std::invalid_argument if `callback` is null or `after` is not positive, std::system_error if the thread
  /// cannot be created.
  template <class Watched>
  BasicProgressWatch(Watched& watched, Callback callback, std::chrono::nanoseconds after = std::chrono::seconds(10))
      : callback_(std::move(callback)), after_(after), progress_(watched.progress()) {
    if (callback_ == nullptr) detail::reject({"ProgressWatch needs a function to call"});
    if (after.count() <= 0) detail::reject({"ProgressWatch: after must be more than 0 ns, not ", after.count()});
    own_.launch("progress watch", [this, &watched] { watch(watched); });
  }

  /// @cond
  BasicProgressWatch(const BasicProgressWatch&) = delete;
  BasicProgressWatch& operator=(const BasicProgressWatch&) = delete;
  /// @endcond

  /// Ends the watch, after a call of the function in progress.
  ~BasicProgressWatch() = default;

 private:
  using Time = typename Sync::clock::time_point;

  template <class Watched>
  void watch(Watched& watched) {
    const std::chrono::nanoseconds pause = after_ / 8 + std::chrono::nanoseconds(1);
    bool reported = false;
    while (!own_.wait_for_stop(pause)) {
      if (has_moved(watched)) {
        reported = false;
      } else if (!reported && Sync::clock::now() - since_ >= after_) {
        reported = report(watched);
      }
    }
  }

  /// Returns whether an element has moved since the last check.
  template <class Watched>
  bool has_moved(Watched& watched) {
    const std::uint64_t before = std::exchange(progress_, watched.progress());
    if (progress_ == before) return false;
    since_ = Sync::clock::now();
    return true;
  }

  /// Returns whether there was anything to report.
  template <class Watched>
  bool report(Watched& watched) {
    try {
      const Stall stall = stall_of(watched.threads());
      const auto too_long = [this](const ThreadActivity& each) { return each.time >= after_; };
      if (std::none_of(stall.in_user_code.begin(), stall.in_user_code.end(), too_long) &&
          std::none_of(stall.waiting.begin(), stall.waiting.end(), too_long))
        return false;
      if (has_moved(watched)) return false;
      callback_(stall);
    } catch (...) {
      own_.request_stop();
      if constexpr (requires { watched.close(std::current_exception()); }) {
        watched.close(std::current_exception());
      } else {
        watched.request_stop(std::current_exception());
      }
    }
    return true;
  }

  [[nodiscard]] Stall stall_of(std::vector<ThreadActivity> threads) const {
    Stall stall{std::chrono::duration_cast<std::chrono::nanoseconds>(Sync::clock::now() - since_)};
    for (ThreadActivity& each : threads) {
      if (each.idle) continue;
      if (!each.waits()) each.time = std::min(each.time, stall.time);
      (each.waits() ? stall.waiting : stall.in_user_code).push_back(std::move(each));
    }
    return stall;
  }

  const Callback callback_;
  const std::chrono::nanoseconds after_;

  // Used by the thread of the watch only.
  std::uint64_t progress_;           // at the last check
  Time since_ = Sync::clock::now();  // when a check first saw it

  BasicCoordinator<Sync> own_;
};

/// @cond
/// Calls a function if no element has moved for some time: BasicProgressWatch with the standard synchronisation.
using ProgressWatch = BasicProgressWatch<>;
/// @endcond

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_PROGRESS_WATCH_HPP
