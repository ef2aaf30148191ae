// SPDX-License-Identifier: MIT
//
// 19_going_on.cpp: trains a model, interrupts the training and resumes it. What you learn here:
//
//   - checkpoint() returns the position of a pipeline as one line of text: just after the last batch of the loop;
//   - save it in the same file as the model, so that both describe the same moment;
//   - run(checkpoint) resumes with exactly the next batch, with any number of threads;
//   - a checkpoint of a different data set is rejected instead of silently restarting.

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

/// The state that a training saves.
struct Model {
  std::uint64_t weights = 0;              // depend on the order of the training data
  std::optional<std::string> checkpoint;  // none: train from the start
};

/// Trains `model` with up to `most` batches, and returns their number.
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
  return trained;  // stops the pipeline; the resumed run repeats what it had read ahead
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
