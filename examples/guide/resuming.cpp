// SPDX-License-Identifier: MIT

#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <forebay/dataset.hpp>

forebay::Dataset<std::vector<int>> training_data(int threads, int window = 8) {
  return forebay::range(20).seed(1).shuffle(window).repeat(2).map(threads, [](int n) { return n; }).batch(5);
}

/// Prints up to `most` batches. Returns where it has stopped.
std::string train(const forebay::Dataset<std::vector<int>>& data, const std::optional<std::string>& checkpoint,
                  int most) {
  auto pipeline = data.run(checkpoint);
  for (int i = 0; i < most; ++i) {
    const auto batch = pipeline.next();
    if (!batch) break;
    for (const int number : *batch) std::cout << ' ' << number;
    std::cout << '\n';
  }
  return pipeline.checkpoint();
}

int main() {
  const auto file = std::filesystem::temp_directory_path() / ("guide-" + std::to_string(std::random_device()()));

  std::cout << "undisturbed\n";
  train(training_data(2), std::nullopt, 100);

  std::cout << "stopped after three batches\n";
  std::ofstream(file) << train(training_data(2), std::nullopt, 3) << '\n';

  std::cout << "resumed, with four threads\n";
  std::string checkpoint;
  std::ifstream stream(file);
  std::getline(stream, checkpoint);
  train(training_data(4), checkpoint, 100);

  std::cout << "resumed with another data set\n";
  try {
    train(training_data(2, 16), checkpoint, 100);
  } catch (const std::invalid_argument& error) {
    std::cout << error.what() << '\n';
  }
  std::filesystem::remove(file);
}
