// SPDX-License-Identifier: MIT
//
// expect: set_length() requires a dimension of variable extent

#include <forebay/dataset.hpp>

int main() {
  using Point = std::array<float, 2>;
  auto data =
      forebay::range(3).stacked_batch<Point>(2, 4, [](int, forebay::Row<Point>& into) { into.set_length<0>(1); });
}
