// SPDX-License-Identifier: MIT
//
// expect: so it cannot be mutable: for a function with state, use apply(stage)

#include <vector>

#include <forebay/dataset.hpp>

int main() {
  auto data = forebay::range(3).flat_map([sum = 0](int number) mutable { return std::vector<int>{sum += number}; });
}
