// SPDX-License-Identifier: MIT
//
// expect: a Context& may be its last parameter

#include <forebay/dataset.hpp>

int main() {
  auto data = forebay::from_callable([](forebay::Context) { return std::optional(3); });
}
