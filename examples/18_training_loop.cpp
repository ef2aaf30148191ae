// SPDX-License-Identifier: MIT
//
// 18_training_loop.cpp: the training loop of TensorFlow's documentation, first in its shortest form, then with
// exceptions handled. What you learn here:
//
//   - a loop that cannot fail ends with request_stop() and join();
//   - a loop that can fail reports its exception to the coordinator, which stops all threads. join() rethrows it, so
//     one handler catches the failures of the loop and of all threads;
//   - stop_on_exception() does that in one call. It does not treat the end of the input as a failure.

#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>

#include <forebay/queues.hpp>

namespace {

/// Pretends to read a record of a file that may be damaged.
int read(int number, int damaged_at) {
  if (number == damaged_at) throw std::runtime_error("record " + std::to_string(number) + " cannot be read");
  return number;
}

int train(int example) { return example < 700 ? example : throw std::domain_error("the loss is not a number"); }

void plain_loop() {
  forebay::FIFOQueue<int> examples(20);
  int next = 0;
  forebay::QueueRunner runner(examples, 1, [&] { return next++; });
  forebay::Coordinator coordinator;
  runner.start(coordinator);
  for (int step = 0; step < 1'000'000 && !coordinator.should_stop(); ++step) {
    if (train(examples.dequeue().value()) == 500) coordinator.request_stop();  // good enough
  }
  coordinator.request_stop();
  coordinator.join();
  std::cout << "trained\n";
}

void loop_that_handles_exceptions(int damaged_at) {
  forebay::FIFOQueue<int> examples(20);
  int next = 0;
  forebay::QueueRunner runner(examples, 1, [&] { return read(next++, damaged_at); });
  forebay::Coordinator coordinator;
  runner.start(coordinator);
  coordinator.stop_on_exception([&] {
    for (int step = 0; step < 1'000'000 && !coordinator.should_stop(); ++step) train(examples.dequeue().value());
    coordinator.request_stop();
  });
  coordinator.join();  // throws the first failure
}

}  // namespace

int main() {
  plain_loop();
  for (const int damaged_at : {600, 800}) {
    try {
      loop_that_handles_exceptions(damaged_at);
    } catch (const std::exception& failure) {
      std::cout << "failed: " << failure.what() << '\n';
    }
  }
}

// Prints:
//
//   trained
//   failed: record 600 cannot be read
//   failed: the loss is not a number
