// SPDX-License-Identifier: MIT
//
// watchdog_and_deadlocks.cpp: two threads that wait for each other for ever, and a watch that ends it.

#include <algorithm>
#include <chrono>
#include <iostream>
#include <stdexcept>
#include <string>
#include <thread>

#include <forebay/queues.hpp>

using namespace std::chrono_literals;

int main() {
  forebay::Coordinator coordinator;
  forebay::FIFOQueue<int> requests(4);
  forebay::FIFOQueue<int> replies(4);
  requests.set_name("requests");
  replies.set_name("replies");

  // Each of them takes before it gives, so neither ever gives.
  coordinator.launch("client", [&] {
    while (auto reply = replies.dequeue(coordinator)) {
      if (requests.enqueue(*reply + 1, coordinator) != forebay::QueueStatus::ok) return;
    }
  });
  coordinator.launch("server", [&] {
    while (auto request = requests.dequeue(coordinator)) {
      if (replies.enqueue(*request + 1, coordinator) != forebay::QueueStatus::ok) return;
    }
  });
  // So that this program always prints the same: the watch begins when both wait.
  while (!std::ranges::all_of(coordinator.threads(), &forebay::ThreadActivity::waits)) std::this_thread::yield();

  forebay::ProgressWatch watch(
      coordinator,
      [](const forebay::Stall& stall) {
        std::string message = "nothing has moved";
        for (const forebay::ThreadActivity& thread : stall.waiting) {
          message += "\n  " + thread.name + " waits for " + thread.operation + " of " + thread.place;
        }
        throw std::runtime_error(message);
      },
      200ms);

  try {
    coordinator.join();
  } catch (const std::exception& error) {
    std::cout << "stopped: " << error.what() << '\n';
  }
}
