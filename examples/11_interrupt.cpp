// SPDX-License-Identifier: MIT
//
// 11_interrupt.cpp: runs a chain of queues until you press Ctrl-C, then drains it. What you learn here:
//
//   - a signal handler must not call request_stop(), close() or end_input(): they take locks, and the interrupted
//     thread may hold one of them. It may only set a lock-free atomic;
//   - a thread of the coordinator checks that atomic ten times a second and ends the input of the source. Then the
//     queues drain one after the other, and no number is lost;
//   - request_stop() ends the program sooner, but loses the numbers in the threads and in all queues except the last;
//   - the exit status 130 (128 plus the signal number) tells the caller of the program that it was interrupted.
//
//   source -> numbers -> squarer -> squares -> main()
//
// On POSIX, a thread can wait for the signal instead: pthread_sigmask() before the first thread starts, then sigwait().

#include <atomic>
#include <chrono>
#include <csignal>
#include <iostream>
#include <optional>

#include <forebay/queues.hpp>

using namespace std::chrono_literals;

namespace {

std::atomic<int> signal_number = 0;
static_assert(std::atomic<int>::is_always_lock_free);

extern "C" void note(int number) {
  std::signal(number, SIG_DFL);  // a second Ctrl-C ends the program at once
  signal_number = number;
}

}  // namespace

int main() {
  std::signal(SIGINT, &note);
  std::signal(SIGTERM, &note);  // sent by `kill`, service managers and containers

  forebay::FIFOQueue<int> numbers(10);
  forebay::FIFOQueue<int> squares(10);
  int made = 0;
  forebay::QueueRunner source(numbers, 1, [&] { return ++made % 1000; });
  forebay::QueueRunner squarer(squares, 2, [&]() -> std::optional<int> {
    const auto number = numbers.dequeue();
    return number ? std::optional(*number * *number) : std::nullopt;
  });
  forebay::Coordinator coordinator;
  forebay::start_queue_runners(coordinator, source, squarer);
  coordinator.launch("signals", [&] {
    while (signal_number == 0 && !coordinator.wait_for_stop(100ms)) continue;
    source.end_input();
  });

  int taken = 0;
  while (squares.dequeue()) {
    if (++taken == 100) std::cout << "running, press Ctrl-C" << std::endl;
  }
  coordinator.request_stop();  // ends the thread "signals" if the source ended by itself
  coordinator.join();

  std::cout << "all threads have ended\n";
  std::cout << "made, but not taken: " << made - taken << '\n';
  return 128 + signal_number;
}

// Prints:
//
//   running, press Ctrl-C
//   all threads have ended
//   made, but not taken: 0
