// SPDX-License-Identifier: MIT
//
// expect: take(count)

#include <forebay/dataset.hpp>

int main() {
  auto data = forebay::range(3).take([](int number) { return number < 2; });
}
