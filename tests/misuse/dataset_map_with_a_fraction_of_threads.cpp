// SPDX-License-Identifier: MIT
//
// expect: a count is a whole number

#include <forebay/dataset.hpp>

int main() {
  auto data = forebay::range(3).map(2.5, [](int number) { return number; });
}
