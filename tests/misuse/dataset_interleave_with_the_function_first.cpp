// SPDX-License-Identifier: MIT
//
// expect: interleave(cycle, block, f) or (options, f)

#include <vector>

#include <forebay/dataset.hpp>

int main() {
  auto data = forebay::range(3).interleave([](int number) { return std::vector<int>{number}; }, 4, 2);
}
