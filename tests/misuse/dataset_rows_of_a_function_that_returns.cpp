// SPDX-License-Identifier: MIT
//
// expect: must be void f(T, Row<U>& into) or void f(T, Row<U>& into, Context&)

#include <forebay/dataset.hpp>

int main() {
  auto data = forebay::range(3).stacked_batch<int>(2, 4, [](int number) { return number; });
}
