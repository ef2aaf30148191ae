// SPDX-License-Identifier: MIT

#ifndef FOREBAY_BENCHMARK_ROW_HPP
#define FOREBAY_BENCHMARK_ROW_HPP

#include <cstddef>
#include <string>
#include <vector>

#include "contender.hpp"

namespace forebay_benchmark {

// The results of one scenario, one value per contender. Smaller values are better.
struct Row {
  std::string name;
  std::size_t capacity;
  std::vector<double> values;

  double times_the_textbook(std::size_t contender) const { return values[textbook_index] / values[contender]; }
};

}  // namespace forebay_benchmark

#endif  // FOREBAY_BENCHMARK_ROW_HPP
