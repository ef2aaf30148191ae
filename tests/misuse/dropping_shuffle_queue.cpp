// SPDX-License-Identifier: MIT
//
// expect: forebay: only a FIFO queue knows what to drop

#include <forebay/queues.hpp>

int main() {
  forebay::RandomShuffleQueue<int> queue({.capacity = 1});
  static_cast<void>(queue.enqueue(1, forebay::drop_newest));
}
