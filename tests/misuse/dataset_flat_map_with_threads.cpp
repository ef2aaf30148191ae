// SPDX-License-Identifier: MIT
//
// expect: flat_map(f), flat_map(options, f)

#include <vector>

#include <forebay/dataset.hpp>

int main() {
  auto data = forebay::range(3).flat_map(4, [](int number) { return std::vector<int>{number}; });
}
