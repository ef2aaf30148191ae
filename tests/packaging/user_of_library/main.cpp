// SPDX-License-Identifier: MIT
//
// Returns exit status 0 if all elements come out.

#include <numbers.hpp>

int main() {
  forebay::FIFOQueue<int> queue(3);
  static_cast<void>(queue.enqueue_many({1, 2, 3}));
  queue.close();
  return numbers::sum(queue) == 6 ? 0 : 1;
}
