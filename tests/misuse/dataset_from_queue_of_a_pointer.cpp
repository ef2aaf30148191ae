// SPDX-License-Identifier: MIT
//
// expect: from_queue(queue) takes no temporary and no pointer

#include <forebay/fifo_queue.hpp>
#include <forebay/from_queue.hpp>

int main() {
  forebay::FIFOQueue<int> queue(1);
  auto* pointer = &queue;
  auto data = forebay::from_queue(pointer);
}
