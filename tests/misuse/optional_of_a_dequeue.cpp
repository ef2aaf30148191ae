// SPDX-License-Identifier: MIT
//
// expect: forebay: write auto, whose status() says why there is no element

#include <forebay/queues.hpp>
#include <optional>

int main() {
  forebay::FIFOQueue<int> queue(1);
  const std::optional<int> element = queue.dequeue();
  return *element;
}
