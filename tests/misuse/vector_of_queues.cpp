// SPDX-License-Identifier: MIT
//
// expect: forebay: a queue stays where it is
// lines: 60, because the standard library complains first, twice; the third line names the queue

#include <vector>

#include <forebay/queues.hpp>

int main() {
  std::vector<forebay::FIFOQueue<int>> queues;
  queues.emplace_back(1);
}
