// SPDX-License-Identifier: MIT
//
// progress_watch.hpp: ProgressWatch, which calls a function when no element has moved for a while; and Stall, what it
// is given: which threads are in user code, and which wait, where and for how long.
//
//   forebay::ProgressWatch watch(coordinator, [](const forebay::Stall& stall) { std::cerr << to_string(stall); });
//
//   no element has moved for 10.0 s
//   loader-1 is in user code (10.0 s)
//   loader-0 waits for enqueue of images (11.2 s)
//   trainer waits for dequeue of labels (10.4 s)
//
// When to use: while you write a program, or always: it costs nothing that can be measured. A function that throws ends
// the hang: what it throws stops everything. When not: to limit how long a call may wait; give that a Wait.
//
// Lifetime: what it watches has to outlive it. The destructor waits for a call of the function in progress; the
// function must not run it, which would end the program.
//
// Thread safety: a thread of the watch calls the function, and sleeps otherwise.

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

/// What a ProgressWatch reports. Threads that wait for a stop, or for other threads to end, are in neither list.
struct Stall {
  /// For at least how long no element has moved.
  std::chrono::nanoseconds time{};
  /// The threads that wait nowhere in forebay: they run code of yours, or wait in it. Others may wait for them.
  std::vector<ThreadActivity> in_user_code{};
  /// The threads that wait in a queue or a pipeline.
  std::vector<ThreadActivity> waiting{};

  friend bool operator==(const Stall&, const Stall&) = default;
};

/// The time, and each thread, a line each: first those in user code.
[[nodiscard]] inline std::string to_string(const Stall& stall) {
  std::string lines = "no element has moved for " + detail::seconds_text(stall.time) + "\n";
  for (const ThreadActivity& each : stall.in_user_code) {
    lines += each.name + " is in user code (" + detail::seconds_text(each.time) + ")\n";
  }
  return lines + to_string(stall.waiting);
}

/// Watches a Coordinator or a Pipeline. In it nothing moves while no element goes into or out of a queue, through a
/// stage, or to the loop: see their progress(). A call that waits anew is no progress.
template <class Sync = StdSync>
class BasicProgressWatch {
 public:
  using Callback = std::function<void(const Stall& stall)>;

  /// From now on calls `callback` when nothing has moved for `after`, and again only after something has moved.
  ///
  /// It is not called unless some thread has waited in a queue or a pipeline, or has been in user code, for `after`: it
  /// is silent about threads that wait for a stop, or for other threads to end, from time to time. It looks eight times
  /// in `after`, so it may call that much later. What `callback` throws ends the watch and stops what is watched, whose
  /// join() rethrows it.
  ///
  /// Throws std::invalid_argument if `callback` is null or `after` is not more than 0, std::system_error if the thread
  /// cannot be created.
  template <class Watched>
  BasicProgressWatch(Watched& watched, Callback callback, std::chrono::nanoseconds after = std::chrono::seconds(10))
      : callback_(std::move(callback)), after_(after), progress_(watched.progress()) {
    if (callback_ == nullptr) detail::reject({"ProgressWatch needs a function to call"});
    if (after.count() <= 0) detail::reject({"ProgressWatch: after ", after.count(), " ns, it has to be more than 0"});
    own_.launch("progress watch", [this, &watched] { watch(watched); });
  }

  BasicProgressWatch(const BasicProgressWatch&) = delete;
  BasicProgressWatch& operator=(const BasicProgressWatch&) = delete;

  /// Ends the watch.
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

  /// Since the last look.
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

  // Of the watch's thread.
  std::uint64_t progress_;           // at the last look
  Time since_ = Sync::clock::now();  // the look that saw it first

  BasicCoordinator<Sync> own_;
};

using ProgressWatch = BasicProgressWatch<>;

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_PROGRESS_WATCH_HPP
