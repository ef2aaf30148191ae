// SPDX-License-Identifier: MIT
//
// expect: give flat_map a function that returns them

#include <forebay/dataset.hpp>

int main() {
  auto data = forebay::range(3).stacked_batch(2).unbatch();
}
