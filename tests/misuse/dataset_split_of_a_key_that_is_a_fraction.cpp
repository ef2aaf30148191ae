// SPDX-License-Identifier: MIT
//
// expect: key must take a const T& and return an integer or a text

#include <forebay/dataset.hpp>

int main() {
  auto parts = forebay::range(3).split([](int) { return 0.5; }, {0.8, 0.2});
}
