// SPDX-License-Identifier: MIT
//
// 01_first_queue.cpp: one thread hands numbers to another. What you learn here:
//
//   - a queue holds at most as many elements as its capacity: the faster side waits for the slower one;
//   - the producer closes the queue at its end: what is stored still comes out, then the loop over the queue ends;
//   - the end is a value, not an exception, and an element that a closed queue refuses stays with the caller.

#include <iostream>
#include <memory>
#include <thread>
#include <utility>

#include <forebay/queues.hpp>

int main() {
  forebay::FIFOQueue<int> queue(2);  // first in, first out; at most two are stored

  std::thread producer([&] {
    for (int number = 1; number <= 5; ++number) {
      if (queue.enqueue(number) != forebay::QueueStatus::ok) return;  // waits while the queue is full
    }
    queue.close();  // without this line, the loop below would wait for a sixth number for ever
  });

  for (int number : queue) std::cout << "got " << number << '\n';  // waits while the queue is empty
  producer.join();

  // The same loop, written out. It ends at once, because a closed queue stays closed.
  while (auto number = queue.dequeue()) std::cout << "got " << *number << '\n';
  std::cout << "dequeue: " << to_string(queue.dequeue().status()) << '\n';

  // Elements have to be movable, nothing else. One that is not accepted has not been moved.
  forebay::FIFOQueue<std::unique_ptr<int>> pointers(1);
  pointers.close();
  auto seven = std::make_unique<int>(7);
  std::cout << "enqueue: " << to_string(pointers.enqueue(std::move(seven))) << '\n';
  std::cout << "still here: " << *seven << '\n';
}

// Prints:
//
//   got 1
//   got 2
//   got 3
//   got 4
//   got 5
//   dequeue: closed
//   enqueue: closed
//   still here: 7
