// SPDX-License-Identifier: MIT
//
// expect: the function given to map must be U f(T)

#include <string>

#include <forebay/dataset.hpp>

int main() {
  auto data = forebay::range(3).map(4, [](const std::string& text) { return text; });
}
