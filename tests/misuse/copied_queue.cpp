// SPDX-License-Identifier: MIT
//
// expect: forebay: a queue stays where it is

#include <forebay/queues.hpp>

int main() {
  forebay::FIFOQueue<int> queue(1);
  auto copy = queue;
}
