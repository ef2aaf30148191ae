// SPDX-License-Identifier: MIT
//
// expect: to fill a queue, construct a QueueRunner for it

#include <forebay/queues.hpp>

int main() {
  forebay::FIFOQueue<int> queue(1);
  forebay::Coordinator coordinator;
  forebay::start_queue_runners(coordinator, queue);
}
