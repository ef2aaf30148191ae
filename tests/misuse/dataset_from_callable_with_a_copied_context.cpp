// SPDX-License-Identifier: MIT
//
// expect: and takes a Context& last if it wants one

#include <forebay/dataset.hpp>

int main() {
  auto data = forebay::from_callable([](forebay::Context) { return std::optional(3); });
}
