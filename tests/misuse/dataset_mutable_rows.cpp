// SPDX-License-Identifier: MIT
//
// expect: so it cannot be mutable: use per_thread(factory)

#include <forebay/dataset.hpp>

int main() {
  auto data = forebay::range(3).stacked_batch<int>(
      2, 4, [sum = 0](int number, forebay::Row<int>& into) mutable { into.component<0>() = sum += number; });
}
