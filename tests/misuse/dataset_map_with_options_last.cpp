// SPDX-License-Identifier: MIT
//
// expect: the options come first: map({.threads = 4}, f)

#include <forebay/dataset.hpp>

int main() {
  auto data = forebay::range(3).map([](int number) { return number; }, {.threads = 4});
}
