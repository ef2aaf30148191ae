// SPDX-License-Identifier: MIT
//
// train_newest_games.cpp: learns from the newest games, while other programs play and write them. What you learn here:
//
//   - a thread passes on archives as they arrive, over a queue that closes when the thread ends;
//   - a reader of one's own (newest_games.hpp) draws games from a pool; cursor() and seek() let a run resume within it;
//   - a stage takes random frames of each game, and all cores unpack batches into memory that is reused;
//   - model and checkpoint are saved together: after a kill, the program continues with the next batch, exactly.
//
//   train_newest_games <directory> <model>

#include <array>
#include <cstddef>
#include <cstring>
#include <exception>
#include <iostream>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include <forebay/coordinator.hpp>
#include <forebay/fifo_queue.hpp>
#include <forebay/files.hpp>
#include <forebay/usable_cores.hpp>

#include "newest_games.hpp"
#include "saved_model.hpp"

constexpr std::size_t bits_a_frame = std::size_t{104} * 64;  // a bit for each square of 104 planes
using Frame = std::array<char, 8'356>;

/// Takes one of eight frames of each game: neighbours are alike.
struct Sample {
  using value_type = Frame;
  void operator()(forebay::TarEntry&& game, forebay::Context& context, forebay::Out<Frame>& out) const {
    Frame frame;
    if (game.bytes.size() % frame.size() != 0) throw std::runtime_error(game.name + ": ends within a frame");
    for (std::size_t i = context.draw().below(8); i < game.bytes.size() / frame.size(); i += 8) {
      std::memcpy(frame.data(), game.bytes.data() + i * frame.size(), frame.size());
      out.emit(frame);
    }
  }
};

/// For each frame of a batch: a number for each bit, and the result of its game.
struct Planes {
  std::vector<float> bits;
  std::vector<float> results;
};

void unpack(const std::vector<Frame>& frames, Planes& into) {
  into.bits.clear();
  into.results.resize(frames.size());
  for (std::size_t i = 0; i < frames.size(); ++i) {
    for (std::size_t bit = 0; bit < bits_a_frame; ++bit) {
      into.bits.push_back(static_cast<float>(frames[i][7'440 + bit / 8] >> bit % 8 & 1));
    }
    std::memcpy(&into.results[i], frames[i].data() + 8'308, sizeof(float));
  }
}

/// Takes a step of gradient descent for a linear model of the results. (Train a network here.)
void learn(const Planes& batch, std::vector<float>& weights) {
  for (std::size_t i = 0; i < batch.results.size(); ++i) {
    const float* const bits = &batch.bits[i * weights.size()];
    const float error = std::inner_product(weights.begin(), weights.end(), bits, -batch.results[i]);
    for (std::size_t k = 0; k < weights.size(); ++k) weights[k] -= 0.0001F * error * bits[k];
  }
}

int main(int argument_count, char** arguments) {
  try {
    if (argument_count != 3) throw std::runtime_error("give it a directory and a model");
    SavedModel model = SavedModel::read(arguments[2], bits_a_frame);
    Names names(100);
    forebay::Coordinator coordinator;
    coordinator.launch("watch",
                       [&, producer = names.producer()]() mutable { watch(arguments[1], producer, coordinator); });
    const auto frames = forebay::from_callable(NewestGames(names)).apply(Sample()).shuffle(1'000);
    auto run = frames.batch(64).map(forebay::usable_cores(), unpack).run(model.place());
    train(run, model, arguments[2], learn);
    coordinator.join();
    std::cout << "the model is trained: " << std::accumulate(model.parameters.begin(), model.parameters.end(), 0.0F)
              << '\n';
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "train_newest_games: " << error.what() << '\n';
    return 1;
  }
}
