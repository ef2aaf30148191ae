// SPDX-License-Identifier: MIT
//
// expect: batch_by_cost(cost, {.limit = 4'096}), with CostOptions

#include <forebay/dataset.hpp>

int main() {
  auto data = forebay::range(3).batch_by_cost([](int number) { return number; });
}
