// SPDX-License-Identifier: MIT
//
// expect: forebay: include forebay/async.hpp to await a queue

#include <forebay/queues.hpp>

int main() {
  forebay::FIFOQueue<int> queue(2);
  static_cast<void>(queue.async_dequeue());
}
