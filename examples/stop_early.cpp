// SPDX-License-Identifier: MIT
//
// stop_early.cpp: ends a training when the validation loss no longer improves. What you learn here:
//
//   - training and validation are two pipelines, which keep their threads through all epochs;
//   - one_epoch() ends at the end of an epoch, so you can validate; the pipeline reads the next epoch meanwhile;
//   - to stop early, leave the loop: the pipeline stops reading.
//
//   stop_early <training file> <validation file>   each line of the files has two numbers, x and y

#include <cstdlib>
#include <exception>
#include <iostream>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <forebay/dataset.hpp>

struct Example {
  double x;
  double y;
};

Example parse(const std::string& line) {
  std::istringstream stream(line);
  Example example{};
  if (stream >> example.x >> example.y && (stream >> std::ws).eof()) return example;
  throw std::runtime_error("'" + line + "' is not two numbers");
}

/// y = slope * x + intercept.
struct Model {
  [[nodiscard]] double error(const Example& example) const { return slope * example.x + intercept - example.y; }
  void train(const Example& example) {
    const double step = 0.05 * error(example);
    slope -= step * example.x;
    intercept -= step;
  }

  double slope = 0;
  double intercept = 0;
};

int main(int argument_count, char** arguments) {
  try {
    if (argument_count != 3) throw std::runtime_error("give it a file to train with and one to validate with");
    const auto examples = [](const std::string& file) {
      return forebay::text_lines(file).repeat().shuffle(1000).map(2, parse).named(file).batch(32);
    };
    auto training = examples(arguments[1]).run();
    auto validation = examples(arguments[2]).run();

    Model model;
    Model best;
    double least_loss = std::numeric_limits<double>::infinity();
    for (int epoch = 0, in_vain = 0; in_vain < 3; ++epoch) {
      for (const std::vector<Example>& batch : training.one_epoch()) {
        for (const Example& example : batch) model.train(example);
      }
      double loss = 0;
      for (const std::vector<Example>& batch : validation.one_epoch()) {
        for (const Example& example : batch) loss += model.error(example) * model.error(example);
      }
      std::cout << "epoch " << epoch << ": loss " << loss << '\n';
      ++in_vain;
      if (!(loss < 0.99 * least_loss)) continue;  // also stops on NaN
      in_vain = 0;
      least_loss = loss;
      best = model;
    }
    std::cout << "y = " << best.slope << " * x + " << best.intercept << '\n';
    return EXIT_SUCCESS;
  } catch (const std::exception& error) {
    std::cerr << "stop_early: " << error.what() << '\n';
    return EXIT_FAILURE;
  }
}
