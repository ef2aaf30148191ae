// SPDX-License-Identifier: MIT
//
// newest_games.cpp: examples/train_newest_games.cpp beside the same work by hand, which cannot resume. All
// archives are there from the beginning.

#define main run_example                    // NOLINT(readability-identifier-naming)
#include "examples/train_newest_games.cpp"  // NOLINT(bugprone-suspicious-include): what users copy is measured
#undef main

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <memory>
#include <random>

#include "compare.hpp"

namespace {

using forebay_benchmark::ModelByHand;

/// Where the bytes of a game are.
struct Game {
  std::shared_ptr<std::FILE> archive;
  long begin;
  std::size_t size;
};

/// Returns the files of a tar archive without long names.
std::vector<Game> games_of(const std::string& name) {
  const std::shared_ptr<std::FILE> archive(std::fopen(name.c_str(), "rb"), [](std::FILE* file) { std::fclose(file); });
  std::vector<Game> games;
  std::array<char, 512> header{};
  while (std::fread(header.data(), 1, header.size(), archive.get()) == header.size() && header[0] != 0) {
    const std::size_t size = std::stoull(std::string(header.data() + 124, 11), nullptr, 8);
    games.push_back({archive, std::ftell(archive.get()), size});
    std::fseek(archive.get(), static_cast<long>((size + 511) / 512 * 512), SEEK_CUR);
  }
  return games;
}

/// Reads all batches and calls use(batch).
template <class Use>
void read_batches(const std::vector<std::string>& archives, const Use& use) {
  std::mt19937_64 random(1);
  std::deque<Game> pool;
  std::vector<Frame> window;
  std::vector<Frame> batch;
  std::string bytes;
  const auto emit = [&](const Frame& frame) {
    batch.push_back(frame);
    if (batch.size() < 64) return;
    use(batch);
    batch.clear();
  };
  for (const std::string& name : archives) {
    const std::vector<Game> games = games_of(name);
    pool.insert(pool.end(), games.begin(), games.end());
    while (pool.size() > 10'000) pool.pop_front();
    for (std::size_t left = 8 * games.size(); left > 0; --left) {
      const Game& game = pool[random() % pool.size()];
      bytes.resize(game.size);
      std::fseek(game.archive.get(), game.begin, SEEK_SET);
      if (std::fread(bytes.data(), 1, bytes.size(), game.archive.get()) < bytes.size()) return;
      for (std::size_t i = random() % 8; i < bytes.size() / sizeof(Frame); i += 8) {
        Frame frame;
        std::memcpy(frame.data(), bytes.data() + i * sizeof(Frame), sizeof(Frame));
        if (window.size() < 1'000) {
          window.push_back(frame);
          continue;
        }
        Frame& place = window[random() % window.size()];
        emit(place);
        place = frame;
      }
    }
  }
  for (; !window.empty(); window.pop_back()) {
    std::swap(window[random() % window.size()], window.back());
    emit(window.back());
  }
  if (!batch.empty()) use(batch);
}

void train_by_hand(const std::vector<std::string>& archives, const std::string& file, int threads) {
  ModelByHand trained({{}, std::vector<float>(bits_a_frame)}, file);
  const auto read = [&](const auto& use) { read_batches(archives, use); };
  forebay_benchmark::learn_prepared(trained, threads, read, unpack, learn);
  trained.save();
}

/// Writes an archive of `games` files, each of `frames` frames.
void write_archive(const std::string& name, int games, int frames, std::mt19937_64& random) {
  std::ofstream out(name, std::ios::binary);
  for (int game = 0; game < games; ++game) {
    std::string bytes(sizeof(Frame) * static_cast<std::size_t>(frames), '\0');
    for (std::size_t i = 0; i + 8 <= bytes.size(); i += 8) {
      std::uint64_t bits = random();
      bits &= random();  // few bits are 1
      std::memcpy(bytes.data() + i, &bits, sizeof bits);
    }
    for (std::size_t at = 8'308; at < bytes.size(); at += sizeof(Frame)) {
      const float result = static_cast<float>(random() % 3) - 1;
      std::memcpy(bytes.data() + at, &result, sizeof result);
    }
    std::array<char, 512> header{};
    std::snprintf(header.data(), 100, "game%d", game);
    std::snprintf(header.data() + 100, 8, "%07o", 0644U);
    std::snprintf(header.data() + 124, 12, "%011zo", bytes.size());
    header[156] = '0';
    std::memcpy(header.data() + 257, "ustar\00000", 8);
    std::fill_n(header.data() + 148, 8, ' ');
    const auto sum = std::accumulate(header.begin(), header.end(), 0U,
                                     [](unsigned a, char b) { return a + static_cast<unsigned char>(b); });
    std::snprintf(header.data() + 148, 8, "%06o", sum);
    out.write(header.data(), header.size());
    bytes.resize((bytes.size() + 511) / 512 * 512);
    out << bytes;
  }
  out << std::string(1'024, '\0');
}

}  // namespace

int main(int argument_count, char** arguments) {
  const bool is_quick = forebay_benchmark::is_quick(argument_count, arguments);
  const forebay_benchmark::Scratch scratch;
  std::filesystem::create_directory(scratch.file("games"));
  std::vector<std::string> archives;
  std::mt19937_64 random(1);
  for (int i = 0; i < (is_quick ? 2 : 12); ++i) {
    archives.push_back(scratch.file("games/" + std::string(1, static_cast<char>('a' + i)) + ".tar"));
    write_archive(archives.back(), 12, 64, random);
  }
  std::ofstream(scratch.file("games/end")).close();
  const std::string model = scratch.file("model");
  const std::string by_hand = scratch.file("model_by_hand");
  forebay_benchmark::compare({.name = "newest games",
                              .main = run_example,
                              .arguments = {scratch.file("games"), model},
                              .model = model,
                              .by_hand = [&](int threads) { return train_by_hand(archives, by_hand, threads); }},
                             is_quick);
}
