// SPDX-License-Identifier: MIT

#include <cstddef>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>
#include <utility>

#include <forebay/queues.hpp>

namespace {

struct Sample {
  int shard;
  int number;
};
using Reservoir = forebay::FIFOQueue<Sample>;

/// Reads the 100 samples of a shard.
void read_shard(int shard, bool damaged, const Reservoir::Producer& samples) {
  for (int i = 0; i < 100; ++i) {
    if (damaged && i == 50) throw std::runtime_error("shard " + std::to_string(shard) + " is damaged");
    if (samples.enqueue({shard, i}) != forebay::QueueStatus::ok) return;  // the trainer has left
  }
}

/// Trains on at most `most` samples, which four threads read.
void train(std::size_t most, int damaged_shard) {
  Reservoir reservoir(64);
  forebay::Coordinator coordinator;
  for (int shard = 0; auto& samples : reservoir.producers(4)) {  // all of them exist before the first reader starts
    coordinator.launch("reader", [=, samples = std::move(samples)]() mutable {
      samples.run([&] { read_shard(shard, shard == damaged_shard, samples); });
    });
    ++shard;
  }
  std::size_t trained = 0;
  try {
    auto trainer = reservoir.consumer();
    for (auto&& batch : trainer.batches(32)) {
      trained += batch.size();
      if (trained >= most) break;
    }
    std::cout << "trained on " << trained << " samples\n";
  } catch (const std::exception& error) {
    std::cout << "failed: " << error.what() << '\n';
  }
  try {
    coordinator.join();  // no reader is left waiting
  } catch (const std::exception& error) {
    std::cout << "join: " << error.what() << '\n';
  }
}

}  // namespace

int main() {
  train(1000, -1);  // all samples
  train(64, -1);    // the trainer ends first
  train(1000, 2);   // a reader fails
}
