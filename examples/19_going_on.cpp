// SPDX-License-Identifier: MIT
//
// 19_going_on.cpp: train, interrupt, go on. What you learn here:
//
//   - checkpoint() says in one line of text where a pipeline is: behind what the loop has got to see;
//   - it belongs into the same file as what the loop has made of that, so that both are of the same moment;
//   - run(checkpoint) goes on with exactly the next batch, with any number of threads;
//   - what another data set would make of it is an error, not a silent restart.

#include <cstdint>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <forebay/dataset.hpp>

namespace {

forebay::Dataset<std::vector<int>> batches(int threads, int window = 16) {
  return forebay::range(100)
      .seed(1)
      .shuffle(window)
      .repeat(3)
      .map(threads,
           [](int number, forebay::Context& context) { return number + static_cast<int>(context.draw().below(7)); })
      .batch(8);
}

/// What a training keeps in its file.
struct Model {
  std::uint64_t weights = 0;              // of a model that sees in which order it is trained
  std::optional<std::string> checkpoint;  // none: from the start
};

/// Trains `model` for up to `most` batches, and returns how many there were.
int train(Model& model, const forebay::Dataset<std::vector<int>>& data, int most) {
  auto pipeline = data.run(model.checkpoint);
  int trained = 0;
  while (trained < most) {
    const auto batch = pipeline.next();
    if (!batch) break;
    for (const int number : *batch) model.weights = model.weights * 31 + static_cast<std::uint64_t>(number);
    model.checkpoint = pipeline.checkpoint();
    ++trained;
  }
  return trained;  // here the pipeline is stopped: what it had read ahead is nowhere
}

}  // namespace

int main() {
  Model undisturbed;
  std::cout << "undisturbed: " << train(undisturbed, batches(2), 1000) << " batches\n";

  Model interrupted;
  std::cout << "interrupted: " << train(interrupted, batches(4), 10) << " batches, ";
  std::cout << train(interrupted, batches(1), 7) << " batches, ";
  std::cout << train(interrupted, batches(3), 1000) << " batches\n";
  std::cout << "the same model: " << (interrupted.weights == undisturbed.weights ? "yes" : "no") << '\n';

  try {
    train(interrupted, batches(2, 32), 1000);
  } catch (const std::invalid_argument& error) {
    std::cout << error.what() << '\n';
  }
}

// Prints:
//
//   undisturbed: 39 batches
//   interrupted: 10 batches, 7 batches, 22 batches
//   the same model: yes
//   forebay: checkpoint: it is of another data set: stage 3 is shuffle 32, was shuffle 16
