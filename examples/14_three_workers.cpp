// SPDX-License-Identifier: MIT
//
// 14_three_workers.cpp: three threads work until one of them requests a stop. What you learn here:
//
//   - any thread may request a stop; the others check should_stop(), which never blocks;
//   - a thread that pauses waits for the stop with a timeout, so it never sleeps through a stop;
//   - join() returns when all threads that launch() started have ended.

#include <array>
#include <chrono>
#include <cstddef>
#include <ios>
#include <iostream>
#include <string>

#include <forebay/queues.hpp>

using namespace std::chrono_literals;

int main() {
  std::array<int, 3> rounds{};  // one for each worker; read them after join()
  forebay::Coordinator coordinator;

  const auto work = [&](std::size_t worker) {
    while (!coordinator.should_stop()) {
      ++rounds[worker];  // the work
      if (worker == 1 && rounds[worker] == 3) coordinator.request_stop();
      coordinator.wait_for_stop(10ms);
    }
  };
  for (std::size_t worker = 0; worker < rounds.size(); ++worker) {
    coordinator.launch("worker " + std::to_string(worker), [&work, worker] { work(worker); });
  }

  coordinator.join();  // would rethrow the exception of a worker
  std::cout << "all three have ended\n";
  std::cout << "worker 1 did " << rounds[1] << " rounds\n";
  std::cout << "a stop was requested: " << std::boolalpha << coordinator.should_stop() << '\n';
}

// Prints:
//
//   all three have ended
//   worker 1 did 3 rounds
//   a stop was requested: true
