// SPDX-License-Identifier: MIT
//
// expect: split(key, {0.8, 0.2}), where key(const T&) returns an integer or a text

#include <forebay/dataset.hpp>

int main() {
  auto parts = forebay::range(3).split([](int i) { return i; });
}
