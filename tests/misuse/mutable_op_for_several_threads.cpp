// SPDX-License-Identifier: MIT
//
// expect: cannot be mutable: give one op for each thread

#include <optional>

#include <forebay/queues.hpp>

int main() {
  forebay::FIFOQueue<int> queue(1);
  forebay::QueueRunner runner(queue, 4, [number = 0]() mutable { return std::optional(number++); });
}
