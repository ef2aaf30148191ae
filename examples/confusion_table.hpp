// SPDX-License-Identifier: MIT
//
// Counts how a classifier classified the images of each class.

#ifndef FOREBAY_EXAMPLES_CONFUSION_TABLE_HPP
#define FOREBAY_EXAMPLES_CONFUSION_TABLE_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <numeric>
#include <vector>

#include "fashion_mnist.hpp"

/// Rows are the true classes, columns the predicted ones.
class ConfusionTable {
 public:
  struct Confusion {
    std::size_t truth;
    std::size_t guess;
    std::size_t count;
  };

  void add(std::size_t truth, std::size_t guess) { ++counts_[truth][guess]; }

  std::size_t total() const {
    std::size_t sum = 0;
    for (std::size_t truth = 0; truth < class_count; ++truth) sum += total_of(truth);
    return sum;
  }

  std::size_t total_of(std::size_t truth) const {
    return std::accumulate(counts_[truth].begin(), counts_[truth].end(), std::size_t{0});
  }

  std::size_t correct() const {
    std::size_t sum = 0;
    for (std::size_t truth = 0; truth < class_count; ++truth) sum += correct_of(truth);
    return sum;
  }

  std::size_t correct_of(std::size_t truth) const { return counts_[truth][truth]; }

  /// Returns the `limit` most frequent mistakes, the most frequent first.
  std::vector<Confusion> most_confused(std::size_t limit) const {
    std::vector<Confusion> mistakes;
    for (std::size_t truth = 0; truth < class_count; ++truth) {
      for (std::size_t guess = 0; guess < class_count; ++guess) {
        if (truth != guess && counts_[truth][guess] > 0) mistakes.push_back({truth, guess, counts_[truth][guess]});
      }
    }
    std::ranges::stable_sort(mistakes, std::greater{}, &Confusion::count);
    mistakes.resize(std::min(mistakes.size(), limit));
    return mistakes;
  }

 private:
  std::array<std::array<std::size_t, class_count>, class_count> counts_{};
};

#endif  // FOREBAY_EXAMPLES_CONFUSION_TABLE_HPP
