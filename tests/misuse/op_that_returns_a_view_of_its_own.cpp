// SPDX-License-Identifier: MIT
//
// expect: and not what happens to convert to an element

#include <string>
#include <string_view>

#include <forebay/queues.hpp>

int main() {
  forebay::FIFOQueue<std::string_view> queue(1);
  forebay::QueueRunner runner(queue, 2, [] { return std::string("gone"); });
}
