// SPDX-License-Identifier: MIT
//
// expect: and not what happens to convert to an element

#include <forebay/queues.hpp>

struct Unrelated {};

int main() {
  forebay::FIFOQueue<int> queue(1);
  forebay::QueueRunner runner(queue, {[] { return Unrelated(); }});
}
