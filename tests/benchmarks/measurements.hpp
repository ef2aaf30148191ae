// SPDX-License-Identifier: MIT
//
// Repetitions, calibration and quantiles.

#ifndef FOREBAY_BENCHMARK_MEASUREMENTS_HPP
#define FOREBAY_BENCHMARK_MEASUREMENTS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "cell.hpp"
#include "contender.hpp"
#include "row.hpp"

namespace forebay_benchmark {

using Samples = std::vector<double>;

// Calls measure(contender), which returns samples, and gathers them by contender. The contenders take turns within each
// repetition, so that a slow minute of the machine affects all of them.
template <class Measure>
std::vector<Samples> take_turns(const std::vector<Contender>& contenders, std::size_t repetitions, Measure measure) {
  std::vector<Samples> gathered(contenders.size());
  for (std::size_t repetition = 0; repetition < repetitions; ++repetition) {
    for (const Contender& contender : contenders) {
      const Samples samples = measure(contender);
      gathered[contender.index].insert(gathered[contender.index].end(), samples.begin(), samples.end());
    }
  }
  return gathered;
}

// Returns for each contender the sample below which `share` (0 to 1) of its samples lie.
inline std::vector<double> quantiles(std::vector<Samples> gathered, double share) {
  std::vector<double> values;
  for (Samples& samples : gathered) {
    std::sort(samples.begin(), samples.end());
    values.push_back(samples[static_cast<std::size_t>(share * static_cast<double>(samples.size() - 1) + 0.5)]);
  }
  return values;
}

inline std::vector<double> medians(const std::vector<Samples>& gathered) { return quantiles(gathered, 0.5); }

// Returns how many elements this contender moves in about `target`. The calibration is also its warm-up.
inline std::uint64_t calibrated_count(const Contender& contender, const Cell& cell, Nanoseconds target) {
  std::uint64_t count = element_granularity;
  Nanoseconds taken = contender.throughput(cell, count);
  while (taken < target / 8) {
    count *= 4;
    taken = contender.throughput(cell, count);
  }
  const double fitting = static_cast<double>(count) * (target / taken);
  return std::max<std::uint64_t>(static_cast<std::uint64_t>(fitting) / element_granularity, 1) * element_granularity;
}

// Returns the median nanoseconds per element.
inline Row measure_throughput(const std::vector<Contender>& contenders, const Cell& cell, std::size_t repetitions,
                              Nanoseconds repetition_time) {
  std::vector<std::uint64_t> counts;
  for (const Contender& contender : contenders) counts.push_back(calibrated_count(contender, cell, repetition_time));
  return {cell.name, cell.capacity, medians(take_turns(contenders, repetitions, [&](const Contender& contender) {
            const std::uint64_t count = counts[contender.index];
            return Samples{contender.throughput(cell, count).count() / static_cast<double>(count)};
          }))};
}

}  // namespace forebay_benchmark

#endif  // FOREBAY_BENCHMARK_MEASUREMENTS_HPP
