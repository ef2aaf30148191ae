// SPDX-License-Identifier: MIT
//
// expect: and it returns an element

#include <forebay/dataset.hpp>

int main() {
  auto data = forebay::from_indexed(4, [](std::size_t) {});
}
