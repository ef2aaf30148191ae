// SPDX-License-Identifier: MIT
//
// expect: a stage given to apply must be callable as stage(T&&, forebay::Out<U>&)

#include <forebay/dataset.hpp>

int main() {
  auto data = forebay::range(3).apply([](int number) { return number; });
}
