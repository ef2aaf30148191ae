// SPDX-License-Identifier: MIT
//
// expect: from_indexed(count, at), where at(std::size_t) returns an element

#include <forebay/dataset.hpp>

int main() {
  auto data = forebay::from_indexed([](std::size_t index) { return index; }, 4);
}
