// SPDX-License-Identifier: MIT
//
// expect: must return a range, a reader or a data set

#include <forebay/dataset.hpp>

int main() {
  auto data = forebay::range(3).flat_map([](int number) { return number; });
}
