// SPDX-License-Identifier: MIT
//
// expect: the options come first: flat_map(options, f)

#include <vector>

#include <forebay/dataset.hpp>

int main() {
  auto data =
      forebay::range(3).flat_map([](int number) { return std::vector<int>{number}; }, {.on_error = forebay::skip(3)});
}
