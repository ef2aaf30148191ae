// SPDX-License-Identifier: MIT
//
// expect: so it cannot be mutable: for a function with state, use apply(stage)

#include <forebay/dataset.hpp>

int main() {
  auto data = forebay::range(3).filter([seen = 0](int number) mutable { return number > seen++; });
}
