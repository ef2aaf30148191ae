// SPDX-License-Identifier: MIT
//
// expect: not another type that converts to an element

#include <forebay/queues.hpp>

struct Unrelated {};

int main() {
  forebay::FIFOQueue<int> queue(1);
  forebay::QueueRunner runner(queue, {[] { return Unrelated(); }});
}
