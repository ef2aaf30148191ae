// SPDX-License-Identifier: MIT
//
// 12_first_dataset.cpp: describes and runs the input of a training loop. What you learn here:
//
//   - a data set describes where elements come from and what happens to them; nothing runs before run();
//   - run() starts the threads, and the loop receives their results in order;
//   - a seed determines the order, independent of the timing of threads. Each epoch has a different order;
//   - the loop rethrows a failure in any thread, in order, with the stage and the element.

#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include <forebay/dataset.hpp>

int main() {
  const std::vector<std::string> words{"one", "two", "three", "four", "five"};

  // A data set is a value: copy it, return it from a function, run it several times.
  const auto data = forebay::from_slices(words)
                        .seed(1)
                        .shuffle()
                        .repeat(2)
                        .map(2, [](const std::string& word) { return word + "/" + std::to_string(word.size()); })
                        .batch(3);

  auto batches = data.run();  // two threads: a new one, and this one while it waits
  for (int epoch = 0; epoch < 2; ++epoch) {
    std::cout << "epoch " << epoch << ":";
    for (const std::vector<std::string>& batch : batches.one_epoch()) {
      std::cout << "  [";
      for (const std::string& word : batch) std::cout << ' ' << word;
      std::cout << " ]";
    }
    std::cout << '\n';
  }

  // The loop receives everything before the failure, and nothing after it.
  const auto numbers = forebay::from_slices(std::vector<std::string>{"1", "2", "three"})
                           .map(2, [](const std::string& text) { return std::stoi(text); })
                           .named("parse");
  try {
    for (const int number : numbers.run()) std::cout << "number " << number << '\n';
  } catch (const forebay::DatasetError& error) {
    std::cout << error.stage() << " failed at element " << error.position().number << '\n';
  }

  // skip(n) skips up to n failures instead.
  const auto lenient =
      forebay::from_slices(std::vector<std::string>{"1", "2", "three", "4"})
          .map({.threads = 2, .on_error = forebay::skip(1)}, [](const std::string& text) { return std::stoi(text); });
  int sum = 0;
  for (const int number : lenient.run()) sum += number;
  std::cout << "sum of the others: " << sum << '\n';
}

// Prints:
//
//   epoch 0:  [ four/4 three/5 five/4 ]  [ one/3 two/3 ]
//   epoch 1:  [ five/4 three/5 one/3 ]  [ four/4 two/3 ]
//   number 1
//   number 2
//   parse failed at element 2
//   sum of the others: 7
