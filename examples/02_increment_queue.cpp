// SPDX-License-Identifier: MIT
//
// 02_increment_queue.cpp: zeros go in; take one, add one, put it back, as TensorFlow's documents draw it. What you
// learn here:
//
//   - an element belongs to the thread that took it out, which needs no lock to work on it;
//   - a thread that finds the queue empty sleeps until another one puts something back;
//   - several elements go in, and come out, with one call.

#include <array>
#include <cstddef>
#include <iostream>
#include <thread>

#include <forebay/queues.hpp>

namespace {

/// Takes the number at the front, adds one, puts it back at the end.
forebay::QueueStatus increment(forebay::FIFOQueue<int>& queue) {
  const auto number = queue.dequeue();
  if (!number) return number.status();
  return queue.enqueue(*number + 1);
}

/// Prints the numbers from front to back. Each goes back at the end, so that afterwards all are where they were.
void print(forebay::FIFOQueue<int>& queue) {
  std::cout << "queue:";
  for (std::size_t i = queue.size(); i > 0; --i) {
    const auto number = queue.dequeue();
    std::cout << ' ' << *number;
    if (queue.enqueue(*number) != forebay::QueueStatus::ok) return;
  }
  std::cout << '\n';
}

}  // namespace

int main() {
  forebay::FIFOQueue<int> queue(3);
  std::cout << queue.enqueue_many({0, 0, 0}).count << " zeros go in\n";

  print(queue);
  for (int step = 0; step < 4; ++step) {
    if (increment(queue) != forebay::QueueStatus::ok) return 1;
    print(queue);
  }

  std::array<std::thread, 8> threads;  // more threads than numbers: some of them wait
  for (std::thread& thread : threads) {
    thread = std::thread([&] {
      for (int step = 0; step < 100; ++step) {
        if (increment(queue) != forebay::QueueStatus::ok) return;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();

  int sum = 0;
  for (const int number : *queue.dequeue_many(3)) sum += number;
  std::cout << "the sum after 4 + 8 * 100 increments: " << sum << '\n';
}

// Prints:
//
//   3 zeros go in
//   queue: 0 0 0
//   queue: 0 0 1
//   queue: 0 1 1
//   queue: 1 1 1
//   queue: 1 1 2
//   the sum after 4 + 8 * 100 increments: 804
