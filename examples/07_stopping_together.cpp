// SPDX-License-Identifier: MIT
//
// 07_stopping_together.cpp: a chain of threads and queues that would run for ever stops as one. What you learn here:
//
//   - a thread that is blocked cannot look at a flag. Every call that may block is given the coordinator instead, and
//     returns when a stop is requested;
//   - the queue of a QueueRunner needs not even that: a stop closes it;
//   - who ends closes the queue that he fills, so the natural end of the input passes down the chain as well;
//   - work that is done now and then waits for the stop, with a timeout, instead of sleeping.
//
//   counter -> numbers -> squarer -> squares -> main(), which has seen enough after five

#include <chrono>
#include <ios>
#include <iostream>

#include <forebay/forebay.hpp>

using namespace std::chrono_literals;

int main() {
  forebay::FIFOQueue<int> numbers(4);
  forebay::FIFOQueue<int> squares(4);
  forebay::Coordinator coordinator;

  int next = 1;
  forebay::QueueRunner counter(numbers, 1, [&] { return next++; });  // never at its end
  counter.start(coordinator);

  coordinator.launch("squarer", [&] {
    while (const auto number = numbers.dequeue(coordinator)) {
      if (squares.enqueue(*number * *number, coordinator) != forebay::QueueStatus::ok) break;
    }
    squares.close();
  });

  coordinator.launch("reporter", [&] {
    while (!coordinator.wait_for_stop(10s)) std::cerr << squares.size() << " squares are waiting\n";
  });

  for (int i = 0; i < 5; ++i) std::cout << squares.dequeue().value() << '\n';

  // Now both queues are full or about to be, and all threads wait: for room, or for ten seconds to pass.
  coordinator.request_stop();
  coordinator.join();
  std::cout << "all threads have ended\n";
  std::cout << "the queues are closed: " << std::boolalpha << (numbers.is_closed() && squares.is_closed()) << '\n';
}

// Prints:
//
//   1
//   4
//   9
//   16
//   25
//   all threads have ended
//   the queues are closed: true
