// SPDX-License-Identifier: MIT

#ifndef FOREBAY_BENCHMARK_THROUGHPUT_HPP
#define FOREBAY_BENCHMARK_THROUGHPUT_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "cell.hpp"
#include "contenders.hpp"
#include "require.hpp"
#include "run_together.hpp"

namespace forebay_benchmark {

// Element counts are multiples of this, so every producer and every consumer of every cell processes whole batches.
inline constexpr std::uint64_t element_granularity = 4 * batch_size;

template <class Adapter>
void produce(Adapter& queue, std::size_t together, Element first, Element last) {
  if (together == 1) {
    for (Element value = first; value != last; ++value) queue.push(value);
    return;
  }
  std::vector<Element> batch(together);
  for (Element value = first; value != last; value += together) {
    std::iota(batch.begin(), batch.end(), value);
    queue.push_many(batch);
  }
}

// Returns the sum of the elements it took, as the others do: evidence that nothing was lost or duplicated.
template <class Adapter>
Element consume(Adapter& queue, std::size_t together, std::uint64_t count) {
  Element sum = 0;
  if (together == 1) {
    for (std::uint64_t i = 0; i != count; ++i) sum += queue.pop();
    return sum;
  }
  std::vector<Element> batch;
  for (std::uint64_t taken = 0; taken != count; taken += together) {
    queue.pop_many(together, batch);
    sum = std::accumulate(batch.begin(), batch.end(), sum);
  }
  return sum;
}

template <class Adapter>
Element in_and_out(Adapter& queue, std::uint64_t count) {
  Element sum = 0;
  for (Element value = 0; value != count; ++value) {
    queue.push(value);
    sum += queue.pop();
  }
  return sum;
}

// Sends the numbers from 0 to count - 1 through a fresh queue.
template <class Adapter>
Nanoseconds run_throughput(const Cell& cell, std::uint64_t count) {
  Adapter queue(cell.capacity);
  std::vector<Element> sums(cell.consumers + 1);
  std::vector<std::function<void()>> bodies;
  for (std::size_t i = 0; i < cell.consumers; ++i) {
    bodies.push_back([&, i] { sums[i] = consume(queue, cell.popped_together, count / cell.consumers); });
  }
  if (cell.consumers == 0) {
    bodies.push_back([&] { sums[0] = in_and_out(queue, count); });
  } else {
    const std::uint64_t share = count / cell.producers;
    for (std::size_t i = 0; i < cell.producers; ++i) {
      bodies.push_back([&, i, share] { produce(queue, cell.pushed_together, i * share, (i + 1) * share); });
    }
  }
  const std::string what =
      std::string(Adapter::name) + " in " + cell.name + " at capacity " + std::to_string(cell.capacity);
  const Nanoseconds elapsed = run_together(what, bodies);
  const Element popped = std::accumulate(sums.begin(), sums.end(), Element{0});
  require(popped == count / 2 * (count - 1), what + ": elements were lost or doubled");
  return elapsed;
}

}  // namespace forebay_benchmark

#endif  // FOREBAY_BENCHMARK_THROUGHPUT_HPP
