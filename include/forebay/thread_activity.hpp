// SPDX-License-Identifier: MIT

/// @file
/// Defines ThreadActivity, which says whether a thread runs, or where and for how long it waits.
///
/// @code
/// std::cerr << to_string(coordinator.threads());  // loader-0 waits for enqueue of images (12.3 s) ...
/// @endcode

#ifndef FOREBAY_THREAD_ACTIVITY_HPP
#define FOREBAY_THREAD_ACTIVITY_HPP

#include <chrono>
#include <iosfwd>
#include <ratio>
#include <string>
#include <vector>

#include "forebay/version.hpp"

namespace forebay::FOREBAY_ABI {

namespace detail {

/// "12.3 s"
[[nodiscard]] inline std::string seconds_text(std::chrono::nanoseconds time) {
  const auto tenths = std::chrono::duration_cast<std::chrono::duration<long long, std::deci>>(time).count();
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " s";
}

}  // namespace detail

/// A snapshot of what a thread does: it waits, or it runs.
///
/// A thread waits while it sleeps in a call of forebay. In all other code it counts as running, even if that code waits
/// for something else.
struct ThreadActivity {
  /// The name under which the thread was launched.
  std::string name;
  /// The operation in which it waits; empty while it runs.
  ///
  /// In a queue: "dequeue", "enqueue", "dequeue_many(32)", "dequeue_any". In a Coordinator: "join", "wait_for_stop". In
  /// a pipeline: "room ahead", "its turn at the input", "an output".
  std::string operation{};
  /// The place where it waits: the name or the kind of the queue, or the stage.
  std::string place{};
  /// The time for which it has moved no element; for a running thread, an upper bound.
  ///
  /// Includes earlier waits that timed out. Starts again at 0 when a part of a batch has moved.
  std::chrono::nanoseconds time{};
  /// Whether it waits for a stop or for other threads to end, not for elements.
  bool idle = false;

  /// Returns whether the thread waits in a call of forebay.
  [[nodiscard]] bool waits() const noexcept { return !operation.empty(); }

  /// Returns a description such as "loader-0 waits for enqueue of images (12.3 s)" or "decode-1 runs".
  [[nodiscard]] std::string text() const {
    if (!waits()) return name + " runs";
    return name + " waits for " + operation + " of " + place + " (" + detail::seconds_text(time) + ")";
  }

  /// Returns whether all members are equal.
  friend bool operator==(const ThreadActivity&, const ThreadActivity&) = default;
  /// Writes text().
  template <class Traits>
  friend std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out,
                                                      const ThreadActivity& thread) {
    return out << thread.text().c_str();
  }
};

/// Returns a line for each of `threads` that says what it does.
[[nodiscard]] inline std::string to_string(const std::vector<ThreadActivity>& threads) {
  std::string lines;
  for (const ThreadActivity& each : threads) lines += each.text() + "\n";
  return lines;
}

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_THREAD_ACTIVITY_HPP
