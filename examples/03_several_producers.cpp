// SPDX-License-Identifier: MIT
//
// 03_several_producers.cpp: four threads fill one queue. What you learn here:
//
//   - a QueueRunner calls an op, again and again, on threads of its own, and puts what it returns into a queue;
//   - who closes: not the first thread that finds the end of the input, for the others still hold elements, but the
//     last one. Counting them is the runner's business;
//   - a loop over batches gets the last, short one, too;
//   - a Coordinator waits for all threads. Who forgets start() waits for ever, as in any queue that nobody fills.

#include <atomic>
#include <iostream>
#include <optional>

#include <forebay/forebay.hpp>

int main() {
  forebay::FIFOQueue<int> numbers(50);  // at most 50 are stored
  std::atomic<int> next = 0;
  forebay::QueueRunner runner(numbers, 4, [&]() -> std::optional<int> {  // four threads; nullopt: end of the input
    if (const int number = next++; number < 100) return number;
    return std::nullopt;
  });

  forebay::Coordinator coordinator;
  runner.start(coordinator);
  int sum = 0;
  for (auto&& batch : numbers.batches(32)) {  // a std::vector<int>& each time
    for (const int number : batch) sum += number;
    std::cout << "a batch of " << batch.size() << '\n';
  }
  coordinator.join();  // waits for the threads; rethrows the first failure
  std::cout << "the sum is " << sum << '\n';
}

// Prints:
//
//   a batch of 32
//   a batch of 32
//   a batch of 32
//   a batch of 4
//   the sum is 4950
