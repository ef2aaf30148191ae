// SPDX-License-Identifier: MIT
//
// The translation unit that dequeues. Exit status 0 if it receives all elements.

#include <forebay/forebay.hpp>

#include "produce.hpp"

int main() {
  forebay::RandomShuffleQueue<int> queue({.capacity = 4, .min_after_dequeue = 2, .seed = 7});
  forebay::Coordinator coordinator;
  produce(queue, coordinator);
  int sum = 0;
  for (const int element : queue) sum += element;
  coordinator.join();
  return sum == 5050 ? 0 : 1;
}
