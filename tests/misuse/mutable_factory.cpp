// SPDX-License-Identifier: MIT
//
// expect: forebay: all threads call the factory given to per_thread

#include <optional>

#include <forebay/queues.hpp>

int main() {
  forebay::FIFOQueue<int> queue(1);
  forebay::QueueRunner runner(
      queue, 4, forebay::per_thread([made = 0]() mutable { return [made = made++] { return std::optional(made); }; }));
}
