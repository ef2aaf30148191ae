// SPDX-License-Identifier: MIT
//
// Turns Ctrl-C into a request to stop at once. Tutorial 11 (11_interrupt.cpp) explains this technique, and how to drain
// a chain of queues instead.

#ifndef FOREBAY_EXAMPLES_INTERRUPTION_HPP
#define FOREBAY_EXAMPLES_INTERRUPTION_HPP

#include <atomic>
#include <chrono>
#include <csignal>

#include <forebay/coordinator.hpp>

/// Handles the signals SIGINT (Ctrl-C) and SIGTERM. A program has one handler for each signal, so all members are
/// static.
class Interruption {
 public:
  /// Installs the handlers. The first signal is recorded; a second one ends the program at once.
  static void listen() {
    std::signal(SIGINT, &note);
    std::signal(SIGTERM, &note);
  }

  /// Returns the received signal, or 0.
  static int signal_number() { return noted_; }

  /// Requests a stop when a signal arrives, and returns once a stop was requested. Runs in a thread of the coordinator.
  static void pass_on(forebay::Coordinator& coordinator) {
    while (!coordinator.wait_for_stop(std::chrono::milliseconds(100))) {
      if (noted_ != 0) coordinator.request_stop();
    }
  }

 private:
  static inline std::atomic<int> noted_ = 0;
  static_assert(std::atomic<int>::is_always_lock_free);  // the condition for use in a signal handler

  static void note(int number) {
    std::signal(number, SIG_DFL);
    noted_ = number;
  }
};

#endif  // FOREBAY_EXAMPLES_INTERRUPTION_HPP
