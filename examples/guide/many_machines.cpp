// SPDX-License-Identifier: MIT
//
// many_machines.cpp: three machines share the records, and two machines go on where those were.

#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include <forebay/dataset.hpp>

constexpr int global_batch = 6;

/// The part of the machine `rank`, of `machines`.
forebay::Dataset<std::vector<int>> batches(int rank, int machines) {
  return forebay::range(24)
      .seed(7)
      .shuffle()                                   // the same order on all machines
      .shard(rank, machines, forebay::Even::drop)  // a part of the same size for each machine
      .map(2, [](int record) { return record; })   // stands for the decoder
      .batch(global_batch / machines, {.remainder = forebay::drop});
}

/// Takes two steps on each machine, and returns where the first one is then.
std::string train(int machines, const std::optional<std::string>& checkpoint) {
  std::string place;
  for (int rank = 0; rank < machines; ++rank) {
    auto pipeline = batches(rank, machines).run(checkpoint);
    std::cout << "rank " << rank << " of " << machines << ':';
    for (int step = 0; step < 2; ++step) {
      std::cout << " [";
      for (const int record : pipeline.next().value()) std::cout << ' ' << record;
      std::cout << " ]";
    }
    std::cout << '\n';
    if (rank == 0) place = pipeline.checkpoint();
  }
  return place;
}

int main() {
  std::cout << "one machine would read:";
  for (const int record : batches(0, 1).unbatch().run()) std::cout << ' ' << record;
  std::cout << '\n';

  const std::string place = train(3, std::nullopt);
  train(2, place);
}
