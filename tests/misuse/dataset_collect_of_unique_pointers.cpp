// SPDX-License-Identifier: MIT
//
// expect: collect() returns copies of the elements, so they must be copyable

#include <memory>

#include <forebay/dataset.hpp>

int main() {
  auto data = forebay::range(3).map([](int number) { return std::make_unique<int>(number); }).collect();
}
