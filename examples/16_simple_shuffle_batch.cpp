// SPDX-License-Identifier: MIT
//
// 16_simple_shuffle_batch.cpp: the numbers from 1 to 99 in batches of ten, shuffled by a queue that holds twenty of
// them, as in the original's documents. What you learn here:
//
//   - a queue, and the runner that fills it, are what the original's helper functions made behind the scenes;
//   - with a seed, a window and one thread that fills the queue, the order is the same in every run;
//   - the last, short batch is delivered, too: by batches(), by dequeue_up_to(). dequeue_many() would leave it behind;
//   - a MonitoredSession is the same loop, to which others add hooks. It ends with the queue, where value() throws.

#include <cstddef>
#include <iostream>
#include <optional>
#include <vector>

#include <forebay/queues.hpp>

namespace {

struct SimpleShuffleBatch {
  explicit SimpleShuffleBatch(int capacity) : queue({.capacity = capacity, .seed = 7, .window = capacity * 9 / 10}) {}

  int next = 1;
  forebay::RandomShuffleQueue<int> queue;
  forebay::QueueRunner runner{queue, 1, [this] { return next < 100 ? std::optional(next++) : std::nullopt; }};
};

void print_each() {
  SimpleShuffleBatch input(20);
  input.runner.start();
  for (const std::vector<int>& batch : input.queue.batches(10)) {
    for (const int number : batch) std::cout << ' ' << number;
    std::cout << '\n';
  }
  input.runner.join();
}

void monitor() {
  SimpleShuffleBatch input(20);
  forebay::Coordinator coordinator;
  input.runner.start(coordinator);
  std::size_t numbers = 0;
  const auto report = [&](const forebay::MonitoredSession& session) {
    std::cout << session.steps() << " batches, " << numbers << " numbers\n";
  };
  forebay::MonitoredSession session(coordinator, {forebay::every_n_steps(5, report)});
  while (!session.should_stop()) session.run([&] { numbers += input.queue.dequeue_up_to(10).value().size(); });
  session.close();  // stops and joins; throws what has failed
}

}  // namespace

int main() {
  print_each();
  monitor();
}

// Prints:
//
//    13 7 18 21 22 4 8 9 16 12
//    20 25 29 1 23 26 6 2 17 5
//    24 33 35 14 38 28 27 10 32 3
//    19 34 47 51 31 43 36 50 55 57
//    56 45 53 11 41 46 60 62 48 49
//    30 67 40 71 66 70 58 52 73 76
//    15 72 79 78 54 83 39 61 44 82
//    59 86 77 80 84 87 90 88 75 63
//    81 42 65 92 96 91 93 89 74 68
//    98 69 94 97 64 99 95 85 37
//   5 batches, 50 numbers
//   10 batches, 99 numbers
