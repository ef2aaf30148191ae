// SPDX-License-Identifier: MIT
//
// 08_failure_and_its_cause.cpp: one of four files cannot be read. What you learn here:
//
//   - a failure is not an end: what was read before it still arrives, then the loop over the queue throws the very
//     exception that the reader threw, where at the end of the input it would have ended;
//   - whatever fails, in whichever thread, stops all of them and comes out of join(), once;
//   - an error that need not stop anything is caught where it happens, in the op, which goes on with the next file.

#include <exception>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <forebay/queues.hpp>

namespace {

/// Stands for the reading of a file.
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
  // Runs the loop and reports what it throws, be it the reader's failure or one of its own.
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
