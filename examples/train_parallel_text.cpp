// SPDX-License-Identifier: MIT
//
// train_parallel_text.cpp: learns from two files whose lines are translations of each other. What you learn here:
//
//   - zip({.lengths = equal}, ...) pairs the lines, and fails if one file has more of them;
//   - batch_by_cost fills each batch with up to 2,000 words, padding included, and sorts the pairs of a window by
//     length, so there is little padding;
//   - model and checkpoint are saved together: after a kill, the program continues with the next batch, exactly.
//
//   train_parallel_text <source> <target> <model>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include <forebay/dataset.hpp>
#include <forebay/usable_cores.hpp>

#include "saved_model.hpp"

using Words = std::vector<std::uint32_t>;  // the number of each word
struct Pair {
  Words source;
  Words target;
};

constexpr std::uint32_t vocabulary = 512;

/// Numbers words by a hash. (A real program looks them up in a table.)
Words words_of(const std::string& line) {
  Words words;
  std::istringstream in(line);
  for (std::string word; in >> word;) {
    std::uint32_t hash = 2'166'136'261;
    for (const char character : word) hash = (hash ^ static_cast<unsigned char>(character)) * 16'777'619;
    words.push_back(hash % vocabulary);
  }
  return words;
}

auto batches_of(const std::string& source, const std::string& target) {
  const auto number = [](const std::tuple<std::string, std::string>& lines) {
    return Pair{words_of(std::get<0>(lines)), words_of(std::get<1>(lines))};
  };
  const auto is_usable = [](const Pair& pair) {
    return !pair.source.empty() && !pair.target.empty() && pair.source.size() <= 100 && pair.target.size() <= 100;
  };
  const auto length = [](const Pair& pair) { return std::max(pair.source.size(), pair.target.size()); };
  return forebay::zip({.lengths = forebay::equal}, forebay::text_lines(source), forebay::text_lines(target))
      .map(forebay::usable_cores(), number)
      .named("number")
      .filter(is_usable)
      .repeat(3)
      .shuffle(10'000)
      .batch_by_cost(length, {.limit = 2'000, .count_times_largest = true, .sort_window = 1'000});
}

/// Moves the parameter of each target word towards the mean of the source words. (Train a model here.)
void learn(const std::vector<Pair>& batch, std::vector<float>& parameters) {
  for (const Pair& pair : batch) {
    float mean = 0;
    for (const std::uint32_t word : pair.source) mean += parameters[word];
    mean /= static_cast<float>(pair.source.size());
    for (const std::uint32_t word : pair.target) parameters[word] += 0.1F * (mean - parameters[word]) + 0.01F;
  }
}

int main(int argument_count, char** arguments) {
  try {
    if (argument_count != 4) throw std::runtime_error("give it a source, a target and a model");
    const std::string file = arguments[3];
    SavedModel model = SavedModel::read(file, vocabulary);
    auto run = batches_of(arguments[1], arguments[2]).run(model.place());
    train(run, model, file, learn);

    float sum = 0;
    for (const float parameter : model.parameters) sum += parameter;
    std::cout << "the model is trained: " << sum << '\n';
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "train_parallel_text: " << error.what() << '\n';
    return 1;
  }
}
