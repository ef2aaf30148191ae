// SPDX-License-Identifier: MIT
//
// expect: forebay: convert or move it

#include <forebay/async.hpp>
#include <forebay/fifo_queue.hpp>

int main() {
  forebay::FIFOQueue<int> queue(2);
  static_cast<void>(queue.async_enqueue(1.5));
}
