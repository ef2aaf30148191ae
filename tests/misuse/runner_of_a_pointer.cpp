// SPDX-License-Identifier: MIT
//
// expect: QueueRunner(queue, threads, op) or QueueRunner(queue, {op, op})

#include <forebay/queues.hpp>

int main() {
  forebay::FIFOQueue<int> queue(1);
  auto* pointer = &queue;
  forebay::QueueRunner runner(pointer, 4, [] { return 1; });
}
