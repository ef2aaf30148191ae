// SPDX-License-Identifier: MIT
//
// expect: forebay: convert or move it

#include <forebay/queues.hpp>

int main() {
  forebay::FIFOQueue<int> queue(2);
  static_cast<void>(forebay::QueueRef(queue).enqueue(1.5));
}
