// SPDX-License-Identifier: MIT
//
// expect: QueueRunner(queue, threads, op) or QueueRunner(queue, {op, op})

#include <forebay/queues.hpp>

int main() {
  forebay::FIFOQueue<int> queue(1);
  forebay::QueueRunner runner(
      queue, [] { return 1; }, 4);
}
