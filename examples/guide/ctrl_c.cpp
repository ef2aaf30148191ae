// SPDX-License-Identifier: MIT

#include <atomic>
#include <chrono>
#include <csignal>
#include <iostream>
#include <vector>

#include <forebay/forebay.hpp>

std::atomic<int> signal_number = 0;
static_assert(std::atomic<int>::is_always_lock_free);

extern "C" void note_signal(int number) {
  std::signal(number, SIG_DFL);  // a second Ctrl-C ends the program at once
  signal_number = number;
}

int main() {
  std::signal(SIGINT, &note_signal);   // Ctrl-C
  std::signal(SIGTERM, &note_signal);  // kill, service managers, containers

  forebay::Coordinator coordinator;
  coordinator.launch("signals", [&coordinator] {
    while (!coordinator.wait_for_stop(std::chrono::milliseconds(100))) {
      if (signal_number != 0) coordinator.request_stop();
    }
  });

  // Stands for a connection that delivers twelve numbers, then nothing more, and stays open.
  forebay::FIFOQueue<int> connection(12);
  for (int number = 0; number < 12; ++number) static_cast<void>(connection.enqueue(number));

  auto batches =
      forebay::from_queue(connection).map(2, [](int number) { return 2 * number; }).batch(4).run(coordinator);
  int trained = 0;
  for (const std::vector<int>& batch : batches) {
    std::cout << "batch " << trained++ << " begins with " << batch.front() << '\n';
    if (trained == 3) std::raise(SIGINT);  // stands for your Ctrl-C
  }

  coordinator.request_stop();  // ends the thread "signals" if the input has ended by itself
  coordinator.join();          // rethrows the first failure
  std::cout << "stopped by signal " << signal_number << " after " << trained << " batches\n";
  std::cout << "exit status for the shell: " << 128 + signal_number << '\n';
}
