// SPDX-License-Identifier: MIT
//
// progress_watch.hpp: ProgressWatch, which calls a function when nothing moves, with who waits for whom.
//
//   forebay::ProgressWatch watch(coordinator, [](const auto& threads) { std::cerr << to_string(threads); });
//
//   loader-0 waits for enqueue of images (10.0 s)
//   trainer waits for dequeue of labels (10.0 s)
//
// When to use: while a program is written, or for good, as it costs nothing while all goes well. A function that throws
// ends the program's hang: what it throws stops all. When not: to limit how long a call may wait; give that a Wait.
//
// Lifetime: what it watches has to outlive it. The destructor waits for a call of the function that is under way, and
// must not be run by it: that ends the program.
//
// Thread safety: the function is called by a thread of the watch's own, which sleeps meanwhile.

#ifndef FOREBAY_PROGRESS_WATCH_HPP
#define FOREBAY_PROGRESS_WATCH_HPP

#include <chrono>
#include <exception>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "forebay/base/reject.hpp"
#include "forebay/coordinator.hpp"
#include "forebay/sync.hpp"
#include "forebay/thread_activity.hpp"
#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI {

/// Watches a Coordinator, in which nothing moves while all its threads wait; or a Pipeline, in which nothing moves
/// while all wait who take outputs. (A source that takes long for a single output looks the same; the list tells.)
template <class Sync = StdSync>
class BasicProgressWatch {
 public:
  using Callback = std::function<void(const std::vector<ThreadActivity>& threads)>;

  /// From now on calls `callback(watched.threads())` when nothing has moved for `after`, and again only after
  /// something has moved. What it throws ends the watch and stops what is watched, whose join() rethrows it.
  ///
  /// Throws std::invalid_argument if `callback` is null or `after` is not more than 0, std::system_error if the thread
  /// cannot be created.
  template <class Watched>
  BasicProgressWatch(Watched& watched, Callback callback, std::chrono::nanoseconds after = std::chrono::seconds(10))
      : callback_(std::move(callback)), after_(after) {
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
    std::optional<Time> told;
    std::chrono::nanoseconds sleep = after_;
    while (!own_.wait_for_stop(sleep)) {
      const std::optional<Time> since = watched.stalled_since();
      sleep = after_;
      if (!since) continue;
      const auto waited = std::chrono::duration_cast<std::chrono::nanoseconds>(Sync::clock::now() - *since);
      if (waited < after_) {
        sleep -= waited;
      } else if (told != since) {
        told = since;
        tell(watched);
      }
    }
  }

  template <class Watched>
  void tell(Watched& watched) {
    try {
      callback_(watched.threads());
    } catch (...) {
      own_.request_stop();
      if constexpr (requires { watched.close(std::current_exception()); }) {
        watched.close(std::current_exception());
      } else {
        watched.request_stop(std::current_exception());
      }
    }
  }

  const Callback callback_;
  const std::chrono::nanoseconds after_;
  BasicCoordinator<Sync> own_;
};

using ProgressWatch = BasicProgressWatch<>;

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_PROGRESS_WATCH_HPP
