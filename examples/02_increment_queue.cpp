// SPDX-License-Identifier: MIT
//
// 02_increment_queue.cpp: dequeue a number, add one, enqueue it again: the example in TensorFlow's guide to queues.
// What you learn here:
//
//   - an element belongs to the thread that dequeued it, so that thread can change it without a lock;
//   - a thread that finds the queue empty sleeps until another thread enqueues an element;
//   - one call can enqueue or dequeue several elements.

#include <array>
#include <cstddef>
#include <iostream>
#include <thread>

#include <forebay/queues.hpp>

namespace {

/// Dequeues the number at the front, adds one, and enqueues it at the end.
forebay::QueueStatus increment(forebay::FIFOQueue<int>& queue) {
  const auto number = queue.dequeue();
  if (!number) return number.status();
  return queue.enqueue(*number + 1);
}

/// Prints the numbers from front to back. Enqueues each one again, so the queue is unchanged afterwards.
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
