// SPDX-License-Identifier: MIT
//
// 15_my_loop.cpp: ten threads run MyLoop(), as in TensorFlow's documentation, until one of them finds a divisor. What
// you learn here:
//
//   - the coordinator can also join threads that you create yourself;
//   - such a thread has to report its own failures with stop_on_exception(): an exception that left it would end the
//     program;
//   - any thread may request the stop when the work is done. A second request has no effect.

#include <array>
#include <atomic>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <thread>

#include <forebay/queues.hpp>

namespace {

constexpr int threads_in_all = 10;
constexpr int product = 1009 * 1009;  // of two primes

/// Searches every tenth number for a divisor.
void my_loop(forebay::Coordinator& coordinator, int first, int last, std::atomic<int>& found) {
  for (int number = first; number <= last && !coordinator.should_stop(); number += threads_in_all) {
    if (number == 4000) throw std::runtime_error("4000 is too much for me");
    if (product % number != 0) continue;
    found = number;
    coordinator.request_stop();
  }
}

void look(int first, int last) {
  std::atomic<int> found = 0;
  forebay::Coordinator coordinator;
  std::array<std::thread, threads_in_all> threads;
  for (std::thread& thread : threads) {
    thread = std::thread(
        [&, from = first++] { coordinator.stop_on_exception([&] { my_loop(coordinator, from, last, found); }); });
  }
  coordinator.join(threads);  // waits for all ten; throws the first failure
  std::cout << "found " << found << '\n';
}

}  // namespace

int main() {
  look(2, 2000);
  try {
    look(1010, 5000);
  } catch (const std::exception& failure) {
    std::cout << "failed: " << failure.what() << '\n';
  }
}

// Prints:
//
//   found 1009
//   failed: 4000 is too much for me
