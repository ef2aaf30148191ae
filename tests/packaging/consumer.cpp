// SPDX-License-Identifier: MIT
//
// A user's program: a queue, a thread that fills it, and a coordinator. Returns exit status 0 if all elements come out.

#include <cstdio>

#include <forebay/forebay.hpp>

int main() {
  forebay::FIFOQueue<int> queue(4);
  forebay::Coordinator coordinator;
  coordinator.launch("producer", [&queue] {
    for (int i = 1; i <= 100; ++i) static_cast<void>(queue.enqueue(i));
    queue.close();
  });
  int sum = 0;
  for (const int element : queue) sum += element;
  coordinator.join();
  std::printf("forebay %d.%d.%d: %d\n", FOREBAY_VERSION_MAJOR, FOREBAY_VERSION_MINOR, FOREBAY_VERSION_PATCH, sum);
  return sum == 5050 ? 0 : 1;
}
