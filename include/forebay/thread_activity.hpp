// SPDX-License-Identifier: MIT
//
// thread_activity.hpp: ThreadActivity, what a thread does: it waits for something, or it runs.

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

/// A value, true when it was taken. A thread waits while it sleeps in a call of forebay; it runs in all other code,
/// also where that waits for something else.
struct ThreadActivity {
  std::string name;
  /// What it waits for: "dequeue", "enqueue", "dequeue_many(32)", "dequeue_any" of a queue; "join", "wait_for_stop" of
  /// a Coordinator; in a pipeline "room ahead", "its turn at the input", "an output". Empty while it runs.
  std::string operation{};
  /// Of what: the queue's name, or its kind; the stage.
  std::string place{};
  /// Of a thread that waits: for how long it has moved no element. That includes earlier waits that timed out; it
  /// begins anew when a part of a batch has moved. Of one that runs: at most for how long it has moved none.
  std::chrono::nanoseconds time{};
  /// Whether it waits for a stop or for other threads to end, and not for elements.
  bool idle = false;

  [[nodiscard]] bool waits() const noexcept { return !operation.empty(); }

  /// "loader-0 waits for enqueue of images (12.3 s)", "decode-1 runs".
  [[nodiscard]] std::string text() const {
    if (!waits()) return name + " runs";
    return name + " waits for " + operation + " of " + place + " (" + detail::seconds_text(time) + ")";
  }

  friend bool operator==(const ThreadActivity&, const ThreadActivity&) = default;
  template <class Traits>
  friend std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out,
                                                      const ThreadActivity& thread) {
    return out << thread.text().c_str();
  }
};

/// What each of them does, a line each.
[[nodiscard]] inline std::string to_string(const std::vector<ThreadActivity>& threads) {
  std::string lines;
  for (const ThreadActivity& each : threads) lines += each.text() + "\n";
  return lines;
}

}  // namespace forebay::FOREBAY_ABI

#endif  // FOREBAY_THREAD_ACTIVITY_HPP
