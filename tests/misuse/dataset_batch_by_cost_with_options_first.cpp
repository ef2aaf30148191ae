// SPDX-License-Identifier: MIT
//
// expect: batch_by_cost(cost, options)

#include <forebay/dataset.hpp>

int main() {
  auto data = forebay::range(3).batch_by_cost({.limit = 3}, [](int number) { return number; });
}
