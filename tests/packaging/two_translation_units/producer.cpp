// SPDX-License-Identifier: MIT
//
// The translation unit that enqueues.

#include "produce.hpp"

void produce(forebay::RandomShuffleQueue<int>& queue, forebay::Coordinator& coordinator) {
  coordinator.launch("producer", [&queue] {
    for (int i = 1; i <= 100; ++i) static_cast<void>(queue.enqueue(i));
    queue.close();
  });
}
