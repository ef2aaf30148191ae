// SPDX-License-Identifier: MIT
//
// expect: takes a std::size_t and returns an element

#include <forebay/dataset.hpp>

int main() {
  auto data = forebay::from_indexed(4, [](std::size_t) {});
}
