// SPDX-License-Identifier: MIT
//
// capacity_and_window.cpp: what a window mixes, and how much of a data set is in memory.

#include <algorithm>
#include <cstddef>
#include <iostream>

#include <forebay/dataset.hpp>

constexpr int records = 1000;

/// Of records sorted by class, how many of the second class are among the first half that leaves a window.
int mixed(int window) {
  int second_class = 0;
  for (const int record : forebay::range(records).shuffle(window).take(records / 2).run()) {
    if (record >= records / 2) ++second_class;
  }
  return second_class;
}

/// How far `ahead` chunks of `chunk` elements let the threads read before the loop takes anything.
void describe(int ahead, int chunk) {
  const auto batches = forebay::range(records)
                           .shuffle(256)
                           .map({.threads = 4, .ahead = ahead, .chunk = chunk}, [](int record) { return record; })
                           .named("decode")
                           .batch(32);
  for (const forebay::StageDescription& stage : batches.describe({{"decode", 100'000}}).stages) {
    if (stage.name == "decode") std::cout << stage << '\n';
  }
}

int main() {
  for (const int window : {1, 10, 100, 500, 1000}) {
    std::cout << "window " << window << ": " << mixed(window) << " of 500 are of the second class\n";
  }
  describe(16, 32);
  describe(4, 32);
  describe(16, 1);
}
