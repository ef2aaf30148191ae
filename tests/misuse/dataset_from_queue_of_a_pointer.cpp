// SPDX-License-Identifier: MIT
//
// expect: from_queue(queue), of a queue that outlives it: no temporary, no pointer

#include <forebay/dataset.hpp>
#include <forebay/fifo_queue.hpp>

int main() {
  forebay::FIFOQueue<int> queue(1);
  auto* pointer = &queue;
  auto data = forebay::from_queue(pointer);
}
