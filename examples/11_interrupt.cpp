// SPDX-License-Identifier: MIT
//
// 11_interrupt.cpp: a program that runs until you press Ctrl-C, and then ends in order. What you learn here:
//
//   - request_stop() and close() are not for signal handlers: they take locks, and the thread that was interrupted may
//     hold one of them. A handler sets a lock-free atomic, and no more;
//   - a thread of the coordinator looks at it ten times a second and requests the stop, which ends every wait;
//   - a stop loses nothing: what a queue has accepted is still taken out;
//   - whoever started the program learns from exit status 130, 128 + the signal's number, that it was interrupted.
//
// This works everywhere. Where there is POSIX, a thread can wait for the signal instead: all signals of interest are
// blocked before the first thread is made (pthread_sigmask), and sigwait() in one of them returns the signal that
// came; or the handler write()s a byte into a pipe, which a thread read()s. And a loop that never waits for long can
// look at the flag itself; then, if its thread is the only one, a volatile std::sig_atomic_t does.

#include <atomic>
#include <chrono>
#include <csignal>
#include <iostream>

#include <forebay/forebay.hpp>

using namespace std::chrono_literals;

namespace {

std::atomic<int> signal_number = 0;
static_assert(std::atomic<int>::is_always_lock_free);

extern "C" void note(int number) {
  std::signal(number, SIG_DFL);  // a second Ctrl-C ends the program at once, should the first not get through
  signal_number = number;
}

}  // namespace

int main() {
  std::signal(SIGINT, &note);
  std::signal(SIGTERM, &note);  // what `kill`, service managers and containers send

  forebay::FIFOQueue<int> numbers(10);
  forebay::Coordinator coordinator;
  coordinator.launch("signals", [&] {
    while (!coordinator.wait_for_stop(100ms)) {
      if (signal_number != 0) coordinator.request_stop();
    }
  });

  int accepted = 0;
  coordinator.launch("counter", [&] {
    while (!coordinator.wait_for_stop(1ms)) {
      if (numbers.enqueue(accepted + 1, coordinator) == forebay::QueueStatus::ok) ++accepted;
    }
    numbers.close();  // without it, main() would wait for ever
  });

  std::cout << "running, press Ctrl-C" << std::endl;
  int taken = 0;
  for (const int number : numbers) taken = number;
  coordinator.join();

  std::cout << "all threads have ended\n";
  std::cout << "accepted, but not taken: " << accepted - taken << '\n';
  return 128 + signal_number;
}

// Prints:
//
//   running, press Ctrl-C
//   all threads have ended
//   accepted, but not taken: 0
