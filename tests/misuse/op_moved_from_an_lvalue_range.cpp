// SPDX-License-Identifier: MIT
//
// expect: forebay: an op that cannot be copied has to be given away

#include <memory>
#include <optional>
#include <vector>

#include <forebay/queues.hpp>

int main() {
  forebay::FIFOQueue<int> queue(1);
  std::vector<decltype([number = std::unique_ptr<int>()] { return std::optional(*number); })> owners;
  forebay::QueueRunner runner(queue, owners);
}
