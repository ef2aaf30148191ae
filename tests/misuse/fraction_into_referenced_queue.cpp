// SPDX-License-Identifier: MIT
//
// expect: forebay: convert it to value_type

#include <forebay/queues.hpp>

int main() {
  forebay::FIFOQueue<int> queue(2);
  static_cast<void>(forebay::QueueRef(queue).enqueue(1.5));
}
