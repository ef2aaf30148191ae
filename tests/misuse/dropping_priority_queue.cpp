// SPDX-License-Identifier: MIT
//
// expect: forebay: only a FIFO queue knows what to drop

#include <forebay/queues.hpp>

int main() {
  forebay::PriorityQueue<int> queue(1);
  static_cast<void>(queue.enqueue(1, forebay::drop_oldest));
}
