// SPDX-License-Identifier: MIT
//
// 08_failure_and_its_cause.cpp: one of four files cannot be read. What you learn here:
//
//   - a failure differs from the end of the input. The loop over the queue first receives what was read before the
//     failure, then throws the reader's exception instead of ending;
//   - a failure in any thread stops all threads, and join() rethrows it;
//   - to tolerate an error, catch it in the op and continue with the next file.

#include <exception>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <forebay/queues.hpp>

namespace {

/// Pretends to read a file.
std::string read(const std::string& file) {
  if (file == "owl.png") throw std::runtime_error("cannot read owl.png");
  return "picture of " + file;
}

void show_pictures(bool skip_unreadable) {
  const std::vector<std::string> files = {"cat.png", "dog.png", "owl.png", "fox.png"};
  auto next = files.begin();
  forebay::FIFOQueue<std::string> pictures(10);
  forebay::QueueRunner reader(pictures, 1, [&]() -> std::optional<std::string> {
    while (next != files.end()) {
      try {
        return read(*next++);
      } catch (const std::runtime_error&) {
        if (!skip_unreadable) throw;  // closes the queue, with this exception as the cause
      }
    }
    return std::nullopt;
  });

  forebay::Coordinator coordinator;
  reader.start(coordinator);
  // Runs the loop, and reports what it throws: the reader's failure or a failure of the loop itself.
  coordinator.stop_on_exception([&] {
    for (const std::string& picture : pictures) std::cout << picture << '\n';
    std::cout << "these were all\n";
  });
  std::cout << "failures: " << coordinator.failures().size() << '\n';
  coordinator.join();  // throws the first one
}

}  // namespace

int main() {
  for (const bool skip_unreadable : {false, true}) {
    try {
      show_pictures(skip_unreadable);
    } catch (const std::exception& failure) {
      std::cout << "stopped: " << failure.what() << '\n';
    }
  }
}

// Prints:
//
//   picture of cat.png
//   picture of dog.png
//   failures: 1
//   stopped: cannot read owl.png
//   picture of cat.png
//   picture of dog.png
//   picture of fox.png
//   these were all
//   failures: 0
