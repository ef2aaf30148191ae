// SPDX-License-Identifier: MIT
//
// expect: forebay: is_closed()

#include <forebay/queues.hpp>

int main() {
  const forebay::FIFOQueue<int> queue(1);
  return queue.closed() ? 1 : 0;
}
