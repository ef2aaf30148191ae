// SPDX-License-Identifier: MIT
//
// expect: forebay: an op is something that can be called without arguments

#include <forebay/queues.hpp>

int main() {
  forebay::FIFOQueue<int> queue(1);
  forebay::QueueRunner runner(queue, 2, [](int number) { return number; });
}
