// SPDX-License-Identifier: MIT
//
// expect: a list of ops needs no number

#include <forebay/queues.hpp>

int main() {
  forebay::FIFOQueue<int> queue(1);
  const auto op = [] { return 1; };
  forebay::QueueRunner runner(queue, 2, {op, op});
}
