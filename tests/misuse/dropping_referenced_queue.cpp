// SPDX-License-Identifier: MIT
//
// expect: forebay: only a FIFO queue knows what to drop

#include <optional>

#include <forebay/queues.hpp>

int main() {
  forebay::FIFOQueue<int> queue(1);
  const forebay::QueueRef<int> reference(queue);
  std::optional<int> dropped;
  static_cast<void>(reference.enqueue(1, forebay::drop_oldest, dropped));
}
