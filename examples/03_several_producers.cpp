// SPDX-License-Identifier: MIT
//
// 03_several_producers.cpp: four threads fill one queue. What you learn here:
//
//   - a QueueRunner calls an op repeatedly on its own threads, and enqueues what the op returns;
//   - the runner closes the queue when its last thread has finished. A thread that reaches the end of the input must
//     not close it, because other threads may still hold elements;
//   - a loop over batches also receives the last, shorter batch;
//   - nothing runs before start(). Without that call, the loop would wait forever.

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
