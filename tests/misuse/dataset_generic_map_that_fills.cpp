// SPDX-License-Identifier: MIT
//
// expect: U has to be said: map<U>(f)

#include <forebay/dataset.hpp>

int main() {
  auto data = forebay::range(3).map([](auto number, auto& into) { into = number; });
}
