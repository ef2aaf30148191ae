// SPDX-License-Identifier: MIT
//
// expect: name U: map<U>(f)

#include <forebay/dataset.hpp>

int main() {
  auto data = forebay::range(3).map([](auto number, auto& into) { into = number; });
}
