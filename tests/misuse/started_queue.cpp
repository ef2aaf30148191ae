// SPDX-License-Identifier: MIT
//
// expect: a queue is given to a QueueRunner

#include <forebay/queues.hpp>

int main() {
  forebay::FIFOQueue<int> queue(1);
  forebay::Coordinator coordinator;
  forebay::start_queue_runners(coordinator, queue);
}
