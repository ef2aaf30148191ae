// SPDX-License-Identifier: MIT

#include <iostream>
#include <utility>

#include <forebay/coordinator.hpp>
#include <forebay/dataset.hpp>
#include <forebay/fifo_queue.hpp>

int main() {
  using Queue = forebay::FIFOQueue<int>;
  Queue even(8);
  Queue odd(8);
  forebay::Coordinator coordinator;

  // One run of a data set fills both queues. They close when the thread ends, because no producer is left.
  coordinator.launch("split", [&coordinator, to_even = even.producer(), to_odd = odd.producer()] {
    auto squares = forebay::range(20).map(2, [](int i) { return i * i; }).run(coordinator);
    for (const int square : squares) {
      const Queue::Producer& to = square % 2 == 0 ? to_even : to_odd;
      if (to.enqueue(square, coordinator) != forebay::QueueStatus::ok) return;
    }
  });

  int sum_of_odd = 0;
  coordinator.launch("odd", [&sum_of_odd, squares = odd.consumer()] {
    while (const auto square = squares.dequeue()) sum_of_odd += *square;
  });
  int sum_of_even = 0;
  while (const auto square = even.dequeue()) sum_of_even += *square;

  coordinator.join();  // waits for both threads; rethrows the first failure
  std::cout << "even: " << sum_of_even << ", odd: " << sum_of_odd << '\n';
}
