// SPDX-License-Identifier: MIT
//
// 20_source_that_blocks.cpp: reads from a pipe that may never receive another byte. What you learn here:
//
//   - a reader with a Context parameter can check should_stop(), so that leaving the loop need not wait for input;
//   - what the reader returns after a stop does not count as the end of the data;
//   - location() says where the reader was when it failed, for the message of the DatasetError.

#include <array>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <string>
#include <poll.h>
#include <unistd.h>

#include <forebay/dataset.hpp>

namespace {

/// Reads digits from a pipe.
class Digits {
 public:
  explicit Digits(int pipe) : pipe_(pipe) {}

  std::optional<int> operator()(forebay::Context& context) {
    pollfd bytes{pipe_, POLLIN, 0};
    while (poll(&bytes, 1, 20) == 0) {  // 20 ms
      if (context.should_stop()) return std::nullopt;
    }
    char byte = 0;
    if (read(pipe_, &byte, 1) != 1) return std::nullopt;
    ++count_;
    if (byte < '0' || byte > '9') throw std::runtime_error("no digit");
    return byte - '0';
  }

  [[nodiscard]] std::string location() const { return "byte " + std::to_string(count_); }

 private:
  int pipe_;
  int count_ = 0;
};

}  // namespace

int main() {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return 1;
  const auto numbers =
      forebay::from_callable(Digits(ends[0])).map({.threads = 2, .chunk = 1}, [](int digit) { return -digit; });

  if (write(ends[1], "123", 3) != 3) return 1;
  {
    auto pipeline = numbers.run();
    for (int i = 0; i < 3; ++i) std::cout << pipeline.next().value() << '\n';
  }
  std::cout << "the pipeline has ended, and the pipe is still open\n";
  if (write(ends[1], "45x", 3) != 3) return 1;
  try {
    for (const int number : numbers.run()) std::cout << number << '\n';
  } catch (const forebay::DatasetError& error) {
    std::cout << error.what() << '\n';
  }
}

// Prints:
//
//   -1
//   -2
//   -3
//   the pipeline has ended, and the pipe is still open
//   -4
//   -5
//   forebay: from_callable, epoch 0, number 2 (byte 3): no digit
