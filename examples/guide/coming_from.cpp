// SPDX-License-Identifier: MIT
//
// coming_from.cpp: a oneTBB pipeline and a oneTBB bounded queue, as they are written with forebay.

#include <iostream>
#include <optional>
#include <thread>

#include <forebay/forebay.hpp>

/// parallel_pipeline(8, serial_in_order & parallel & serial_in_order)
void pipeline() {
  auto read = [n = 0]() mutable -> std::optional<int> {
    if (n < 5) return n++;
    return std::nullopt;  // flow_control::stop()
  };
  auto square = [](int number) { return number * number; };

  auto squares = forebay::from_callable(read)                               // filter_mode::serial_in_order
                     .map({.threads = 4, .ahead = 8, .chunk = 1}, square);  // filter_mode::parallel, 8 live tokens
  for (const int number : squares.run()) std::cout << number << '\n';       // filter_mode::serial_in_order
}

/// The same for a filter in the middle that keeps a state: one thread at a time, in order.
struct RunningSum {
  void operator()(int&& number, forebay::Out<int>& out) { out.emit(sum += number); }
  int sum = 0;
};

/// concurrent_bounded_queue, with an end in place of an agreed last element or an abort().
void bounded_queue() {
  forebay::FIFOQueue<int> queue(2);  // set_capacity(2)
  std::thread producer([&] {
    for (int i = 0; i < 4; ++i) {
      if (queue.enqueue(i) != forebay::QueueStatus::ok) return;  // push(i)
    }
    queue.close();
  });
  while (auto number = queue.dequeue()) std::cout << "popped " << *number << '\n';  // pop(number)
  producer.join();
  std::cout << "now: " << queue.dequeue(forebay::no_wait).status() << '\n';  // try_pop(number)
}

int main() {
  pipeline();
  for (const int sum : forebay::range(1, 5).apply(RunningSum()).run()) std::cout << "sum " << sum << '\n';
  bounded_queue();
}
