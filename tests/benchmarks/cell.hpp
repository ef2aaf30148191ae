// SPDX-License-Identifier: MIT

#ifndef FOREBAY_BENCHMARK_CELL_HPP
#define FOREBAY_BENCHMARK_CELL_HPP

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace forebay_benchmark {

inline constexpr std::size_t batch_size = 32;

// A throughput scenario. Without consumers, the only producer takes each element out again itself.
struct Cell {
  std::string name;
  std::size_t capacity;
  std::size_t producers;
  std::size_t consumers;
  std::size_t pushed_together;
  std::size_t popped_together;
};

inline Cell one_thread(std::size_t capacity) { return {"1 thread in and out", capacity, 1, 0, 1, 1}; }

inline Cell pairing(std::size_t producers, std::size_t consumers, std::size_t capacity, std::size_t together) {
  const std::string shape = std::to_string(producers) + "P" + std::to_string(consumers) + "C";
  return {shape + (together == 1 ? "" : " batches of 32"), capacity, producers, consumers, together, together};
}

// The training loop: several threads prepare single records, one takes batches.
inline Cell training(std::size_t capacity) { return {"4P1C dequeue_many(32)", capacity, 4, 1, 1, batch_size}; }

inline std::vector<Cell> priority_cells() {
  std::vector<Cell> cells = {one_thread(1024), pairing(4, 1, 1024, 1), pairing(4, 1, 1024, batch_size)};
  for (Cell& cell : cells) cell.name = "priority " + cell.name;
  return cells;
}

inline std::vector<Cell> throughput_cells() {
  std::vector<Cell> cells = {one_thread(64), one_thread(1024)};
  for (std::size_t together : {std::size_t{1}, batch_size}) {
    for (auto [producers, consumers] : {std::pair{1u, 1u}, {2u, 2u}, {4u, 1u}, {4u, 4u}}) {
      for (std::size_t capacity : {1u, 64u, 1024u}) cells.push_back(pairing(producers, consumers, capacity, together));
    }
  }
  cells.push_back(training(64));
  cells.push_back(training(1024));
  return cells;
}

}  // namespace forebay_benchmark

#endif  // FOREBAY_BENCHMARK_CELL_HPP
