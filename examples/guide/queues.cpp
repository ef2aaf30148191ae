// SPDX-License-Identifier: MIT
//
// queues.cpp: one producer, one consumer, and the ways in which a queue ends.

#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>
#include <thread>

#include <forebay/queues.hpp>

/// The producer closes the queue, because it alone knows that nothing more will come.
void produce_and_consume() {
  forebay::FIFOQueue<std::string> jobs(2);
  std::thread producer([&] {
    for (int i = 1; i <= 5; ++i) {
      if (jobs.enqueue("job " + std::to_string(i)) != forebay::QueueStatus::ok) return;
    }
    jobs.close();
  });
  while (auto job = jobs.dequeue()) std::cout << *job << '\n';
  producer.join();
}

/// A producer that waits for room is released by a cancel; what is stored still comes out.
void cancel() {
  forebay::FIFOQueue<int> numbers(2);
  std::thread producer([&] {
    const forebay::EnqueueManyResult result = numbers.enqueue_many({1, 2, 3, 4});
    std::cout << "accepted " << result.count << " of 4, then " << result.status << '\n';
  });
  while (numbers.waiting_producers() == 0) std::this_thread::yield();
  numbers.close(forebay::cancel_pending_enqueues);
  producer.join();
  for (const int number : numbers) std::cout << "left: " << number << '\n';
}

/// A queue that is closed with a cause hands out what is stored, and then throws the cause.
void fail() {
  forebay::PriorityQueue<int> urgent(10);
  if (urgent.enqueue_many({3, 1, 2}).status != forebay::QueueStatus::ok) return;
  urgent.close(std::make_exception_ptr(std::runtime_error("the disk is full")));
  try {
    for (const int number : urgent) std::cout << "smallest: " << number << '\n';
  } catch (const std::exception& error) {
    std::cout << "failed: " << error.what() << '\n';
  }
}

int main() {
  produce_and_consume();
  cancel();
  fail();
}
