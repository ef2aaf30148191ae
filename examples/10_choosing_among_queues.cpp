// SPDX-License-Identifier: MIT
//
// 10_choosing_among_queues.cpp: which queue is decided while the program runs. What you learn here:
//
//   - QueueRef<T> is a reference to a queue of T of any kind: for functions to which the kind does not matter;
//   - from_list picks a queue by its number, and touches no other;
//   - dequeue_any waits for several queues at once, and takes one element from one that has any. It ends when all of
//     them are closed and drained. It has no favourite: to prefer a queue, ask it first, with no_wait.

#include <array>
#include <cstddef>
#include <iostream>
#include <thread>

#include <forebay/queues.hpp>

namespace {

void feed(forebay::QueueRef<int> queue, int count) {
  for (int number = count; number > 0; --number) {
    if (queue.enqueue(number) != forebay::QueueStatus::ok) return;
  }
}

}  // namespace

int main() {
  forebay::FIFOQueue<int> in_order(10);
  forebay::PriorityQueue<int> smallest_first(10);

  for (const int choice : {0, 1}) {
    const auto queue = forebay::from_list<int>(choice, {in_order, smallest_first});
    feed(queue, 3);
    std::cout << "3, 2, 1 go into queue " << choice << ", first comes " << *queue.dequeue() << '\n';
  }
  std::cout << "stored: " << in_order.size() << " and " << smallest_first.size() << '\n';

  const auto feed_and_close = [](forebay::QueueRef<int> queue, int count) {
    feed(queue, count);
    queue.close();
  };
  std::thread one(feed_and_close, forebay::QueueRef(in_order), 100);
  std::thread other(feed_and_close, forebay::QueueRef(smallest_first), 200);

  std::array<int, 2> taken{};
  while (const auto next = dequeue_any(in_order, smallest_first)) ++taken[next->index];  // and next->element
  std::cout << "taken: " << taken[0] << " and " << taken[1] << '\n';
  one.join();
  other.join();
}

// Prints:
//
//   3, 2, 1 go into queue 0, first comes 3
//   3, 2, 1 go into queue 1, first comes 1
//   stored: 2 and 2
//   taken: 102 and 202
