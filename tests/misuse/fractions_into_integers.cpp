// SPDX-License-Identifier: MIT
//
// expect: forebay: convert its elements

#include <vector>

#include <forebay/queues.hpp>

int main() {
  forebay::FIFOQueue<int> queue(2);
  static_cast<void>(queue.enqueue_many(std::vector{1.5, 2.7}));
}
