// SPDX-License-Identifier: MIT
//
// parallel_text.cpp: examples/train_parallel_text.cpp beside the same work by hand, which cannot resume.

#define main run_example                     // NOLINT(readability-identifier-naming)
#include "examples/train_parallel_text.cpp"  // NOLINT(bugprone-suspicious-include): what users copy is measured
#undef main

#include <fstream>
#include <optional>
#include <random>
#include <thread>

#include "../textbook_queue.hpp"
#include "compare.hpp"

namespace {

using forebay_benchmark::ModelByHand;
using forebay_benchmark::TextbookQueue;

std::size_t length_of(const Pair& pair) { return std::max(pair.source.size(), pair.target.size()); }

/// Sorts windows of 1,000 pairs by length, and learns from batches of up to 2,000 words in random order.
class Batches {
 public:
  explicit Batches(ModelByHand& trained) : trained_(&trained) {}

  void add(Pair&& pair) {
    window_.push_back(std::move(pair));
    if (window_.size() >= 1'000) flush(false);
  }

  void flush(bool is_end) {
    std::stable_sort(window_.begin(), window_.end(),
                     [](const Pair& a, const Pair& b) { return length_of(a) < length_of(b); });
    std::vector<std::vector<Pair>> batches;
    std::vector<Pair> batch;
    for (Pair& pair : window_) {
      if ((batch.size() + 1) * length_of(pair) > 2'000) batches.push_back(std::exchange(batch, {}));
      batch.push_back(std::move(pair));
    }
    if (is_end) batches.push_back(std::exchange(batch, {}));
    window_ = std::move(batch);
    std::shuffle(batches.begin(), batches.end(), random_);
    for (const std::vector<Pair>& made : batches) trained_->learn_from(made, learn);
  }

 private:
  ModelByHand* trained_;
  std::vector<Pair> window_;
  std::mt19937_64 random_{1};
};

/// Reads one epoch and calls use(pairs) for each 32 pairs.
template <class Use>
void read_pairs(const std::string& source, const std::string& target, const Use& use) {
  std::ifstream sources(source);
  std::ifstream targets(target);
  std::vector<Pair> pairs;
  std::string from;
  std::string to;
  while (std::getline(sources, from) && std::getline(targets, to)) {
    Pair pair{words_of(from), words_of(to)};
    if (pair.source.empty() || pair.target.empty() || length_of(pair) > 100) continue;
    pairs.push_back(std::move(pair));
    if (pairs.size() == 32) use(std::exchange(pairs, {}));
  }
  use(std::move(pairs));
}

void train_by_hand(const std::string& source, const std::string& target, const std::string& file, int threads) {
  ModelByHand trained({{}, std::vector<float>(vocabulary)}, file);
  std::mt19937_64 random(1);
  std::vector<Pair> window;
  Batches batches(trained);
  const auto shuffle = [&](std::vector<Pair>&& pairs) {
    for (Pair& pair : pairs) {
      if (window.size() < 10'000) {
        window.push_back(std::move(pair));
      } else {
        std::swap(window[random() % window.size()], pair);
        batches.add(std::move(pair));
      }
    }
  };
  const auto end_epoch = [&] {
    for (; !window.empty(); window.pop_back()) {
      std::swap(window[random() % window.size()], window.back());
      batches.add(std::move(window.back()));
    }
    batches.flush(true);
  };
  for (int epoch = 0; epoch < 3; ++epoch) {
    if (threads == 0) {
      read_pairs(source, target, shuffle);
    } else {
      TextbookQueue<std::vector<Pair>> read(8);
      std::jthread reader([&] {
        read_pairs(source, target, [&](std::vector<Pair>&& pairs) { read.push(std::move(pairs)); });
        read.close();
      });
      while (std::optional<std::vector<Pair>> pairs = read.pop()) shuffle(std::move(*pairs));
    }
    end_epoch();
  }
  trained.save();
}

}  // namespace

int main(int argument_count, char** arguments) {
  const bool is_quick = forebay_benchmark::is_quick(argument_count, arguments);
  const forebay_benchmark::Scratch scratch;
  const std::string source = scratch.file("source");
  const std::string target = scratch.file("target");
  std::ofstream sources(source);
  std::ofstream targets(target);
  std::mt19937_64 random(1);
  for (int i = 0; i < (is_quick ? 2'000 : 40'000); ++i) {
    const std::size_t words = 1 + random() % 8 + random() % 8 + random() % 8;
    for (std::size_t k = 0; k < words; ++k) sources << "w" << random() % 5'000 << ' ';
    for (std::size_t k = 0; k < words + random() % 3; ++k) targets << "v" << random() % 5'000 << ' ';
    sources << '\n';
    targets << '\n';
  }
  sources.close();
  targets.close();
  const std::string model = scratch.file("model");
  const std::string by_hand = scratch.file("model_by_hand");
  forebay_benchmark::compare({.name = "parallel text",
                              .main = run_example,
                              .arguments = {source, target, model},
                              .model = model,
                              .by_hand = [&](int threads) { return train_by_hand(source, target, by_hand, threads); }},
                             is_quick);
}
