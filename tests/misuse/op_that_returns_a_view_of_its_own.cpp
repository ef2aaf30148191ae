// SPDX-License-Identifier: MIT
//
// expect: not another type that converts to an element

#include <string>
#include <string_view>

#include <forebay/queues.hpp>

int main() {
  forebay::FIFOQueue<std::string_view> queue(1);
  forebay::QueueRunner runner(queue, 2, [] { return std::string("gone"); });
}
