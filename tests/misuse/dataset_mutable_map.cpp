// SPDX-License-Identifier: MIT
//
// expect: so it cannot be mutable: use per_thread(factory) or apply(stage)

#include <forebay/dataset.hpp>

int main() {
  auto data = forebay::range(3).map(4, [sum = 0](int number) mutable { return sum += number; });
}
