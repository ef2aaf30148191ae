// SPDX-License-Identifier: MIT
//
// expect: forebay: on(pool): pool(handle) must accept a std::coroutine_handle<> and be noexcept

#include <coroutine>

#include <forebay/async.hpp>
#include <forebay/fifo_queue.hpp>

int main() {
  forebay::FIFOQueue<int> queue(2);
  auto pool = [](std::coroutine_handle<> coroutine) { coroutine.resume(); };
  static_cast<void>(queue.async_dequeue(forebay::on(pool)));
}
