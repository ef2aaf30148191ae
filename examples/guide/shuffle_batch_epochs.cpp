// SPDX-License-Identifier: MIT

#include <iostream>
#include <string>
#include <vector>

#include <forebay/dataset.hpp>

using Batches = forebay::Dataset<std::vector<int>>;

/// Prints each epoch on a line of its own.
void print(const std::string& title, const Batches& data) {
  std::cout << title << '\n';
  auto pipeline = data.run();
  for (;;) {
    std::string line;
    for (const std::vector<int>& batch : pipeline.one_epoch()) {
      line += " [";
      for (const int number : batch) line += ' ' + std::to_string(number);
      line += " ]";
    }
    if (line.empty()) return;  // the input has ended
    std::cout << ' ' << line << '\n';
  }
}

int main() {
  const auto numbers = forebay::range(7).seed(1);

  print("all elements shuffled, two epochs", numbers.shuffle().repeat(2).batch(3));
  print("shuffled in a window of 3", numbers.repeat(2).shuffle(3).batch(3));
  print("without the remainder", numbers.shuffle().repeat(2).batch(3, {.remainder = forebay::drop}));
  print("epochs joined", numbers.shuffle().repeat(2).seamless().batch(3));
}
