// SPDX-License-Identifier: MIT
//
// expect: forebay: convert or move it

#include <forebay/queues.hpp>
#include <memory>

int main() {
  forebay::FIFOQueue<std::unique_ptr<int>> queue(1);
  auto element = std::make_unique<int>(1);
  static_cast<void>(queue.producer().enqueue(element));
}
