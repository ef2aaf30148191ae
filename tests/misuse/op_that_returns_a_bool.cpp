// SPDX-License-Identifier: MIT
//
// expect: forebay: an op must not return a bool

#include <forebay/queues.hpp>

int main() {
  forebay::FIFOQueue<int> queue(1);
  forebay::QueueRunner runner(queue, 2, [] { return true; });
}
