// SPDX-License-Identifier: MIT
//
// 09_timeouts_and_stop_tokens.cpp: how long a call waits is its last argument. What you learn here:
//
//   - it is left out (for ever), or no_wait, a duration, a time point, a stop token, a coordinator, or a time and a
//     stop together;
//   - the status tells why the wait ended;
//   - a batch that does not come together in time loses nothing: what is there stays there, in order;
//   - what can be done at once is done, even when the time has passed or the stop was requested.

#include <chrono>
#include <ios>
#include <iostream>
#include <stop_token>
#include <thread>

#include <forebay/queues.hpp>

using namespace std::chrono_literals;

int main() {
  forebay::FIFOQueue<int> queue(2);

  std::cout << "empty queue, no_wait: " << to_string(queue.dequeue(forebay::no_wait).status()) << '\n';
  std::cout << "empty queue, 10 ms: " << to_string(queue.dequeue(10ms).status()) << '\n';

  std::cout << "in go " << queue.enqueue_many({1, 2, 3}, 10ms).count << " of 3\n";
  std::cout << "full queue, no_wait: " << to_string(queue.enqueue(4, forebay::no_wait)) << '\n';

  std::cout << "a batch of 3, 10 ms: " << to_string(queue.dequeue_many(3, 10ms).status()) << '\n';
  std::cout << "still stored: " << queue.size() << '\n';

  {
    std::jthread consumer([&](const std::stop_token& stop) {
      while (const auto number = queue.dequeue(stop)) std::cout << "got " << *number << '\n';
      std::cout << "no more: " << to_string(queue.dequeue({1h, stop}).status()) << '\n';
    });
  }  // here the consumer is asked to stop, perhaps before it has begun; what is stored is taken all the same

  std::cout << "the queue is open: " << std::boolalpha << !queue.is_closed() << '\n';
}

// Prints:
//
//   empty queue, no_wait: empty
//   empty queue, 10 ms: timed_out
//   in go 2 of 3
//   full queue, no_wait: full
//   a batch of 3, 10 ms: timed_out
//   still stored: 2
//   got 1
//   got 2
//   no more: stopped
//   the queue is open: true
