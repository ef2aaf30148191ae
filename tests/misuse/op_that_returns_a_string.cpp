// SPDX-License-Identifier: MIT
//
// expect: and not what happens to convert to an element

#include <optional>
#include <string>

#include <forebay/queues.hpp>

int main() {
  forebay::FIFOQueue<int> queue(1);
  forebay::QueueRunner runner(queue, 2, [] { return std::optional<std::string>("characters"); });
}
