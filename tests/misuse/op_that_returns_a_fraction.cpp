// SPDX-License-Identifier: MIT
//
// expect: not another type that converts to an element

#include <optional>

#include <forebay/queues.hpp>

int main() {
  forebay::FIFOQueue<int> queue(1);
  forebay::QueueRunner runner(queue, 2, [] { return std::optional(1.5); });
}
