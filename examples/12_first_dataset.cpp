// SPDX-License-Identifier: MIT
//
// 12_first_dataset.cpp: the input of a training loop, described and run. What you learn here:
//
//   - a data set says where elements come from and what is done to them; it does nothing until it is run;
//   - run() starts the threads, and the loop takes what they make, in the order of the elements;
//   - the same seed gives the same order, whatever the threads do, and another one in each epoch;
//   - what fails in any thread is thrown by the loop, in order, and names the stage and the element.

#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include <forebay/dataset.hpp>

int main() {
  const std::vector<std::string> words{"one", "two", "three", "four", "five"};

  // A value: to copy, to return from a function, to run any number of times.
  const auto data = forebay::from_slices(words)
                        .seed(1)
                        .shuffle()
                        .repeat(2)
                        .map(2, [](const std::string& word) { return word + "/" + std::to_string(word.size()); })
                        .batch(3);

  auto batches = data.run();  // two threads: one of its own, and this one while it waits
  for (int epoch = 0; epoch < 2; ++epoch) {
    std::cout << "epoch " << epoch << ":";
    for (const std::vector<std::string>& batch : batches.one_epoch()) {
      std::cout << "  [";
      for (const std::string& word : batch) std::cout << ' ' << word;
      std::cout << " ]";
    }
    std::cout << '\n';
  }

  // What is before a failure is delivered, and nothing behind it.
  const auto numbers = forebay::from_slices(std::vector<std::string>{"1", "2", "three"})
                           .map(2, [](const std::string& text) { return std::stoi(text); })
                           .named("parse");
  try {
    for (const int number : numbers.run()) std::cout << "number " << number << '\n';
  } catch (const forebay::DatasetError& error) {
    std::cout << error.stage() << " failed at element " << error.position().number << '\n';
  }

  // Or it is left out, up to a limit.
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
