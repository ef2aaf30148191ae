// SPDX-License-Identifier: MIT
//
// expect: forebay: an op does not say with a bool whether to go on

#include <forebay/queues.hpp>

int main() {
  forebay::FIFOQueue<int> queue(1);
  forebay::QueueRunner runner(queue, 2, [] { return true; });
}
