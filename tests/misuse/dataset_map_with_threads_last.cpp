// SPDX-License-Identifier: MIT
//
// expect: map(f), map(threads, f), map(options, f)

#include <forebay/dataset.hpp>

int main() {
  auto data = forebay::range(3).map([](int number) { return number; }, 4);
}
