// SPDX-License-Identifier: MIT
//
// 15_my_loop.cpp: ten threads run MyLoop(), as the original's documents call it, until one has found what all look for.
// What you learn here:
//
//   - threads that you make yourself can be joined by the coordinator, too, which then knows nothing else of them;
//   - so what fails in such a thread has to be reported by the thread, which stop_on_exception() does: an exception
//     that left it would end the program;
//   - whoever finds that the work is done asks all to stop. To do so twice does no harm.

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

/// Looks for a divisor among every tenth number.
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
