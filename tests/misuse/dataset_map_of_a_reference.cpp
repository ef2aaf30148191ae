// SPDX-License-Identifier: MIT
//
// expect: where T is the element, passed as an rvalue

#include <forebay/dataset.hpp>

int main() {
  auto data = forebay::range(3).map([](int& number) { return ++number; });
}
