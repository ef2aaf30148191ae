// SPDX-License-Identifier: MIT

#include <iostream>
#include <optional>

#include <forebay/queues.hpp>

int main() {
  forebay::FIFOQueue<int> numbers(10);
  forebay::FIFOQueue<int> squares(10);

  int made = 0;
  forebay::QueueRunner source(numbers, 1, [&made] { return ++made % 1000; });  // never ends by itself
  forebay::QueueRunner squarer(squares, 2, [&numbers]() -> std::optional<int> {
    const auto number = numbers.dequeue();
    if (!number) return std::nullopt;  // the queue is closed and empty: the end of this runner's input, too
    return *number * *number;
  });

  forebay::Coordinator coordinator;
  forebay::start_queue_runners(coordinator, source, squarer);

  int taken = 0;
  while (taken < 100 && squares.dequeue()) ++taken;
  std::cout << "taken before the end: " << taken << '\n';

  source.end_input();                 // 1. no new elements
  while (squares.dequeue()) ++taken;  // 2. take what is left
  coordinator.join();                 // 3. wait for the threads; rethrows the first failure

  std::cout << "all threads have ended\n";
  std::cout << "made, but not taken: " << made - taken << '\n';
}
