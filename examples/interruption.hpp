// SPDX-License-Identifier: MIT
//
// Ctrl-C as a request to stop now. Tutorial 11 (11_interrupt.cpp) explains how it is done and why, and how to drain a
// chain of queues instead.

#ifndef FOREBAY_EXAMPLES_INTERRUPTION_HPP
#define FOREBAY_EXAMPLES_INTERRUPTION_HPP

#include <atomic>
#include <chrono>
#include <csignal>

#include <forebay/coordinator.hpp>

/// The signals SIGINT (Ctrl-C) and SIGTERM. There is one handler of each in a program, so all is static.
class Interruption {
 public:
  /// From now on the first signal is noted. A second one ends the program at once, should the first not get through.
  static void listen() {
    std::signal(SIGINT, &note);
    std::signal(SIGTERM, &note);
  }

  /// The signal that came, or 0.
  static int signal_number() { return noted_; }

  /// Requests a stop when a signal has come, and returns when a stop was requested. For a thread of the coordinator.
  static void pass_on(forebay::Coordinator& coordinator) {
    while (!coordinator.wait_for_stop(std::chrono::milliseconds(100))) {
      if (noted_ != 0) coordinator.request_stop();
    }
  }

 private:
  static inline std::atomic<int> noted_ = 0;
  static_assert(std::atomic<int>::is_always_lock_free);  // what a handler may touch

  static void note(int number) {
    std::signal(number, SIG_DFL);
    noted_ = number;
  }
};

#endif  // FOREBAY_EXAMPLES_INTERRUPTION_HPP
