// SPDX-License-Identifier: MIT
//
// 18_training_loop.cpp: the training loop of the original's documents, first as short as it can be, then with its
// exceptions handled. What you learn here:
//
//   - a loop that nothing can fail in ends with a request to stop, and a join;
//   - where it can, what it throws is handed to the coordinator, which stops everybody, and join() throws it again: so
//     what fails in the loop and what fails in a thread is caught at one place;
//   - the catch is one call, stop_on_exception(). The end of the input is no failure.

#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>

#include <forebay/queues.hpp>

namespace {

/// Stands for the reading of a file that may be damaged at some place.
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
