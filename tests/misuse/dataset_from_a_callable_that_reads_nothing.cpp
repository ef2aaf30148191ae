// SPDX-License-Identifier: MIT
//
// expect: from_callable takes a reader that returns a std::optional<T>

#include <forebay/dataset.hpp>

int main() {
  auto data = forebay::from_callable([] { return 3; });
}
