// SPDX-License-Identifier: MIT
//
// 14_three_workers.cpp: three threads work in a loop until one of them says that it is enough. What you learn here:
//
//   - any thread may ask all to stop; the others see it where they ask should_stop(), which never waits;
//   - a thread that has to wait a while waits for the stop, with a timeout, and so never sleeps through it;
//   - join() returns when all have ended. It is not told who takes part: launch() has put that down.

#include <array>
#include <chrono>
#include <cstddef>
#include <ios>
#include <iostream>
#include <string>

#include <forebay/queues.hpp>

using namespace std::chrono_literals;

int main() {
  std::array<int, 3> rounds{};  // each worker has one of its own: what it wrote can be read after join()
  forebay::Coordinator coordinator;

  const auto work = [&](std::size_t worker) {
    while (!coordinator.should_stop()) {
      ++rounds[worker];  // whatever a worker does
      if (worker == 1 && rounds[worker] == 3) coordinator.request_stop();
      coordinator.wait_for_stop(10ms);
    }
  };
  for (std::size_t worker = 0; worker < rounds.size(); ++worker) {
    coordinator.launch("worker " + std::to_string(worker), [&work, worker] { work(worker); });
  }

  coordinator.join();  // would throw what a worker had thrown
  std::cout << "all three have ended\n";
  std::cout << "worker 1 did " << rounds[1] << " rounds\n";
  std::cout << "a stop was requested: " << std::boolalpha << coordinator.should_stop() << '\n';
}

// Prints:
//
//   all three have ended
//   worker 1 did 3 rounds
//   a stop was requested: true
