// SPDX-License-Identifier: MIT
//
// A program that uses only queues, from their single header. Returns exit status 0 if it receives its elements.

#include <forebay_queues.hpp>
#include <optional>

int main() {
  forebay::FIFOQueue<int> numbers(10);
  forebay::Coordinator coordinator;
  const auto count_to_100 = [next = 0]() mutable { return next < 100 ? std::optional(next++) : std::nullopt; };
  forebay::QueueRunner runner(numbers, {count_to_100});
  runner.start(coordinator);
  int sum = 0;
  while (const auto number = numbers.dequeue()) sum += *number;
  coordinator.join();
  return sum == 4950 ? 0 : 1;
}
