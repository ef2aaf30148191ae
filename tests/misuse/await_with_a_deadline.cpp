// SPDX-License-Identifier: MIT
//
// expect: forebay: a coroutine has no timer

#include <chrono>

#include <forebay/async.hpp>
#include <forebay/fifo_queue.hpp>

int main() {
  forebay::FIFOQueue<int> queue(2);
  static_cast<void>(queue.async_dequeue(std::chrono::seconds(1)));
}
