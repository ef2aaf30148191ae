// SPDX-License-Identifier: MIT
//
// expect: forebay: an op must be callable without arguments

#include <forebay/queues.hpp>

int main() {
  forebay::FIFOQueue<int> queue(1);
  forebay::QueueRunner runner(queue, 2, [](int number) { return number; });
}
