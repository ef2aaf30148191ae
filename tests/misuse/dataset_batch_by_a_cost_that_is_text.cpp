// SPDX-License-Identifier: MIT
//
// expect: cost must take a const T& and return an integer

#include <string>

#include <forebay/dataset.hpp>

int main() {
  auto data = forebay::range(3).batch_by_cost([](int) { return std::string(); }, {.limit = 3});
}
