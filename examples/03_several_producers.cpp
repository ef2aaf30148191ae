// SPDX-License-Identifier: MIT
//
// 03_several_producers.cpp: four threads fill one queue. What you learn here:
//
//   - a QueueRunner calls an op, again and again, on threads of its own, and puts what it returns into a queue;
//   - the queue is closed when the last of its producers has ended. The first one to find the end of the input must
//     not close it, because the others may still hold elements. A runner has a closer for that;
//   - a loop over batches gets the last, short one, too;
//   - nothing runs before start(). Without it, the loop would wait for ever.

#include <atomic>
#include <iostream>
#include <optional>

#include <forebay/queues.hpp>

int main() {
  forebay::FIFOQueue<int> numbers(50);  // at most 50 are stored
  std::atomic<int> next = 0;
  forebay::QueueRunner runner(numbers, 4, [&]() -> std::optional<int> {  // four threads; nullopt: end of the input
    if (const int number = next++; number < 100) return number;
    return std::nullopt;
  });

  forebay::Coordinator coordinator;
  runner.start(coordinator);
  for (auto&& batch : numbers.batches(32)) std::cout << batch.size() << '\n';  // a std::vector<int>& each time
  coordinator.join();  // waits for the threads; rethrows the first failure
}

// Prints:
//
//   32
//   32
//   32
//   4
