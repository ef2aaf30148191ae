// SPDX-License-Identifier: MIT
//
// train_positions.cpp: learns from packed chess positions of 40 bytes. What you learn here:
//
//   - records of a fixed size are read as objects, in order through a buffer, and mixed by a window;
//   - a stage of apply draws with its Context, so it skips other records in each epoch, and the same after a resume;
//   - batch() copies many small records at once, and all cores unpack batches into rows whose memory is reused;
//   - model and checkpoint are saved together: after a kill, the program continues with the next batch, exactly.
//
//   train_positions <model> <file>...

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <forebay/files.hpp>
#include <forebay/usable_cores.hpp>

#include "saved_model.hpp"

/// A position as it is in the files.
struct Position {
  std::array<std::uint8_t, 32> board;  // two squares a byte; 0 is empty, otherwise one of 12 pieces
  std::int16_t score;                  // in hundredths of a pawn
  std::array<std::uint8_t, 6> others;  // ply, castling, ...
};
static_assert(sizeof(Position) == 40);

/// The rows of a batch: the numbers of all features that are 1, row after row.
struct SparseRows {
  std::vector<std::uint32_t> features;
  std::vector<std::uint32_t> ends;  // of each row in `features`
  std::vector<float> scores;
};

constexpr std::size_t feature_count = std::size_t{12} * 64;

void unpack(const std::vector<Position>& positions, SparseRows& into) {
  into.features.clear();
  into.ends.clear();
  into.scores.clear();
  for (const Position& position : positions) {
    for (std::uint32_t square = 0; square < 64; ++square) {
      const std::uint32_t piece = position.board[square / 2] >> (square % 2 * 4) & 15U;
      if (piece > 0 && piece <= 12) into.features.push_back((piece - 1) * 64 + square);
    }
    into.ends.push_back(static_cast<std::uint32_t>(into.features.size()));
    into.scores.push_back(static_cast<float>(position.score) / 100);
  }
}

auto batches_of(const std::vector<std::string>& files) {
  // Neighbours come from the same game, so most of them are left out.
  const auto skip_share = [](Position&& position, forebay::Context& context, forebay::Out<Position>& out) {
    if (context.draw().below(4) == 0) out.emit(position);
  };
  return forebay::fixed_size_records<Position>(files)
      .apply(skip_share)
      .repeat(2)
      .shuffle(100'000)
      .batch(16'384)
      .map(forebay::usable_cores(), unpack)
      .named("unpack");
}

/// Takes a step of gradient descent for a linear model of the scores. (Train a network here.)
void learn(const SparseRows& rows, std::vector<float>& weights) {
  std::size_t begin = 0;
  for (std::size_t row = 0; row < rows.ends.size(); ++row) {
    float error = -rows.scores[row];
    for (std::size_t i = begin; i < rows.ends[row]; ++i) error += weights[rows.features[i]];
    for (std::size_t i = begin; i < rows.ends[row]; ++i) weights[rows.features[i]] -= 0.001F * error;
    begin = rows.ends[row];
  }
}

int main(int argument_count, char** arguments) {
  try {
    if (argument_count < 3) throw std::runtime_error("give it a model and files");
    const std::string file = arguments[1];
    SavedModel model = SavedModel::read(file, feature_count);
    auto run = batches_of({arguments + 2, arguments + argument_count}).run(model.place());
    train(run, model, file, learn);

    float sum = 0;
    for (const float weight : model.parameters) sum += std::abs(weight);
    std::cout << "the model is trained: " << sum << '\n';
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "train_positions: " << error.what() << '\n';
    return 1;
  }
}
