// SPDX-License-Identifier: MIT
//
// expect: a stage given to apply is called as stage(T&&, forebay::Out<U>&)

#include <forebay/dataset.hpp>

int main() {
  auto data = forebay::range(3).apply([](int number) { return number; });
}
