// SPDX-License-Identifier: MIT
//
// expect: include from_queue.hpp

#include <forebay/dataset.hpp>
#include <forebay/fifo_queue.hpp>

int main() {
  forebay::FIFOQueue<int> queue(1);
  auto data = forebay::from_queue(queue);
}
