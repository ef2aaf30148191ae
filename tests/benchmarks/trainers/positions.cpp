// SPDX-License-Identifier: MIT
//
// positions.cpp: examples/train_positions.cpp beside the same work by hand, which cannot resume.

#define main run_example                 // NOLINT(readability-identifier-naming)
#include "examples/train_positions.cpp"  // NOLINT(bugprone-suspicious-include): what users copy is measured
#undef main

#include <cstdio>
#include <fstream>
#include <random>

#include "compare.hpp"

namespace {

using forebay_benchmark::ModelByHand;

/// Reads all batches of two epochs and calls use(batch).
template <class Use>
void read_batches(const std::string& name, const Use& use) {
  std::mt19937_64 random(1);
  std::vector<Position> window;
  std::vector<Position> batch;
  const auto emit = [&](const Position& position) {
    batch.push_back(position);
    if (batch.size() < 16'384) return;
    use(batch);
    batch.clear();
  };
  std::vector<Position> buffer(1'600);
  for (int epoch = 0; epoch < 2; ++epoch) {
    std::FILE* const file = std::fopen(name.c_str(), "rb");
    if (file == nullptr) throw std::runtime_error(name + ": cannot open");
    while (const std::size_t count = std::fread(buffer.data(), sizeof(Position), buffer.size(), file)) {
      for (std::size_t i = 0; i < count; ++i) {
        if (random() % 4 != 0) continue;
        if (window.size() < 100'000) {
          window.push_back(buffer[i]);
          continue;
        }
        std::swap(window[random() % window.size()], buffer[i]);
        emit(buffer[i]);
      }
    }
    std::fclose(file);
  }
  for (; !window.empty(); window.pop_back()) {
    std::swap(window[random() % window.size()], window.back());
    emit(window.back());
  }
  if (!batch.empty()) use(batch);
}

void train_by_hand(const std::string& file, const std::string& model, int threads) {
  ModelByHand trained({{}, std::vector<float>(feature_count)}, model);
  const auto read = [&](const auto& use) { read_batches(file, use); };
  forebay_benchmark::learn_prepared(trained, threads, read, unpack, learn);
  trained.save();
}

}  // namespace

int main(int argument_count, char** arguments) {
  const bool is_quick = forebay_benchmark::is_quick(argument_count, arguments);
  const forebay_benchmark::Scratch scratch;
  const std::string file = scratch.file("positions");
  std::ofstream out(file, std::ios::binary);
  std::mt19937_64 random(1);
  for (int i = 0; i < (is_quick ? 200'000 : 2'400'000); ++i) {
    Position position{};
    for (std::uint8_t& squares : position.board) {
      const std::uint64_t bits = random();
      if (bits % 4 == 0) squares = static_cast<std::uint8_t>(bits >> 8 & 0x77);
    }
    position.score = static_cast<std::int16_t>(random() % 200);
    out.write(reinterpret_cast<const char*>(&position), sizeof position);
  }
  out.close();
  const std::string model = scratch.file("model");
  const std::string by_hand = scratch.file("model_by_hand");
  forebay_benchmark::compare({.name = "positions",
                              .main = run_example,
                              .arguments = {model, file},
                              .model = model,
                              .by_hand = [&](int threads) { return train_by_hand(file, by_hand, threads); }},
                             is_quick);
}
