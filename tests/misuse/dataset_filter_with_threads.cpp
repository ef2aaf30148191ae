// SPDX-License-Identifier: MIT
//
// expect: filter(predicate)

#include <forebay/dataset.hpp>

int main() {
  auto data = forebay::range(3).filter(4, [](int number) { return number > 0; });
}
