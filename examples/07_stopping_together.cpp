// SPDX-License-Identifier: MIT
//
// 07_stopping_together.cpp: a chain of threads and queues that would run for ever stops as one. What you learn here:
//
//   - a blocked thread cannot look at a flag. So calls that may block are given the coordinator, and return when it is
//     asked to stop;
//   - a QueueRunner does not need even that: a stop closes its queue;
//   - a stop ends now: what is between the threads does not come out. Tutorial 11 drains a chain instead;
//   - a thread that ends closes the queue it filled, so that an end of the input would pass down the chain as well;
//   - what is done every few seconds waits for the stop, with a timeout, instead of sleeping.
//
//   counter -> numbers -> squarer -> squares -> main(), which has seen enough after five

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
  forebay::QueueRunner counter(numbers, 1, [&] { return next++; });  // without an end
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

  // By now, or soon, both queues are full, and all threads wait: for room, or for ten seconds to pass.
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
