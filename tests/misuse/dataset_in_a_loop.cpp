// SPDX-License-Identifier: MIT
//
// expect: a Dataset is a description: for (auto& element : dataset.run())

#include <forebay/dataset.hpp>

int main() {
  for (int number : forebay::range(3)) static_cast<void>(number);
}
