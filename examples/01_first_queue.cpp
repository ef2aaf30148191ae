// SPDX-License-Identifier: MIT
//
// 01_first_queue.cpp: one thread hands numbers to another. What you learn here:
//
//   - a queue stores a bounded number of elements: when it is full, producers wait; when it is empty, consumers wait;
//   - the producer closes the queue when it is done. The loop over the queue receives the stored elements, then ends;
//   - the end is a status, not an exception. An element that a closed queue rejects stays with the caller.

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
    queue.close();  // without this line, the loop below would wait forever for a sixth number
  });

  for (int number : queue) std::cout << "got " << number << '\n';  // waits while the queue is empty
  producer.join();

  // The same loop, written out. It ends at once, because a closed queue stays closed.
  while (auto number = queue.dequeue()) std::cout << "got " << *number << '\n';
  std::cout << "dequeue: " << to_string(queue.dequeue().status()) << '\n';

  // Elements only have to be movable. The queue does not move from an element that it rejects.
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
