// SPDX-License-Identifier: MIT
//
// expect: forebay: convert or move it

#include <forebay/queues.hpp>

int main() {
  forebay::FIFOQueue<int> queue(1);
  static_cast<void>(queue.producer().enqueue(1.5, forebay::drop_oldest));
}
