// SPDX-License-Identifier: MIT
//
// expect: forebay: keep the consumer in a variable, or the queue closes

#include <forebay/queues.hpp>

int main() {
  forebay::FIFOQueue<int> queue(1);
  for (auto&& batch : queue.consumer().batches(32)) static_cast<void>(batch);
}
