// SPDX-License-Identifier: MIT
//
// A program with data sets and nothing else of forebay, from their single header. Exit status 0 if it gets its batches.

#include <forebay_dataset.hpp>

int main() {
  int sum = 0;
  for (const auto& batch : forebay::range(100).shuffle().map(2, [](int i) { return i; }).batch(10).run()) {
    for (const int number : batch) sum += number;
  }
  return sum == 4950 ? 0 : 1;
}
