// SPDX-License-Identifier: MIT
//
// 11_interrupt.cpp: a chain of queues that runs until you press Ctrl-C, and then drains. What you learn here:
//
//   - request_stop(), close() and end_input() are not for signal handlers: they take locks, and the interrupted thread
//     may hold one of them. A handler sets a lock-free atomic, and no more;
//   - a thread of the coordinator looks at it ten times a second and ends the input of the source. Then the queues run
//     empty, one after the other, and every number that was made comes out;
//   - request_stop() ends the program sooner, but loses numbers: what the threads have taken, and what is stored in
//     any queue but the last, does not come out;
//   - exit status 130, 128 + the signal's number, tells the program's caller that it was interrupted.
//
//   source -> numbers -> squarer -> squares -> main()
//
// With POSIX a thread can wait for the signal instead: pthread_sigmask() before the first thread starts, and sigwait().

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
  std::signal(number, SIG_DFL);  // a second Ctrl-C ends the program at once, should the first not get through
  signal_number = number;
}

}  // namespace

int main() {
  std::signal(SIGINT, &note);
  std::signal(SIGTERM, &note);  // what `kill`, service managers and containers send

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
  coordinator.request_stop();  // ends the thread "signals", should the source have ended by itself
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
