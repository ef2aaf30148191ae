// SPDX-License-Identifier: MIT
//
// 07_stopping_together.cpp: stops an endless chain of threads and queues. What you learn here:
//
//   - a blocked thread cannot check a flag. Pass the coordinator to each call that may block: a stop ends its wait;
//   - a QueueRunner needs no such argument, because a stop closes its queue;
//   - what the queues store at a stop is not waited for. Tutorial 11 drains a chain instead;
//   - a thread that ends closes the queue that it fills, so the end of the input passes down the chain;
//   - a thread with periodic work waits for the stop with a timeout instead of sleeping.
//
//   counter -> numbers -> squarer -> squares -> main(), which stops after five squares

#include <chrono>
#include <ios>
#include <iostream>

#include <forebay/queues.hpp>

using namespace std::chrono_literals;

int main() {
  forebay::FIFOQueue<int> numbers(4);
  forebay::FIFOQueue<int> squares(4);
  forebay::Coordinator coordinator;

  int next = 1;
  forebay::QueueRunner counter(numbers, 1, [&] { return next++; });  // endless
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

  for (int i = 0; i < 5; ++i) {
    if (const auto square = squares.dequeue(coordinator)) std::cout << *square << '\n';
  }

  // By now, or soon, both queues are full, and all threads wait for room or for the end of their ten seconds.
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
